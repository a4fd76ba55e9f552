"""``arena play``: a person at the table, at a terminal or in a browser; bots in the other seats."""

from contextlib import closing, suppress
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Annotated

import typer

from arena.cli.options import Isolation, OneGame, OptionGroup, QuietOptions, grouped, option, pairs
from arena.cli.rules import text_of_rules
from arena.errors import Interrupted
from arena.players.person import Departure
from arena.terminal import remark
from arena.terminal.person import Terminal, TerminalSeat, tell_end
from arena.tournament.calls import ExhibitionMatch
from arena.tournament.lane_messages import PlayUnit
from arena.tournament.settings import IsolationChoice
from arena.tournament.spec import chosen_games
from arena.wire import encode

if TYPE_CHECKING:
    from arena.web.person import BrowserSeat


@dataclass(frozen=True, kw_only=True)
class SeatOptions(OptionGroup):
    """Who sits where, and which deal it is."""

    title = "The table"
    games: OneGame = None
    seat: Annotated[int | None, option("--seat N: Your seat, from 0. Default: drawn by lot.", min=0)] = None
    seats: Annotated[
        int | None, option("--seats N: Seats at the table. Default: yours and the bots', or the usual table.", min=2)
    ] = None
    variants: Annotated[list[str] | None, option("--variant K=V: A variant of the game; may be repeated.")] = None
    seed: Annotated[str | None, option("--seed TEXT: Repeat a deal: use the same text, seats and bots.")] = None
    isolation: Isolation = "auto"


@dataclass(frozen=True, kw_only=True)
class ViewOptions(OptionGroup):
    """How the table is shown."""

    title = "What you see"
    web: Annotated[bool, option("--web: Show the table in a browser on this machine.")] = False
    plain: Annotated[
        bool, option("--plain: Show the table in words, without a picture: for instance for a screen reader.")
    ] = False


@grouped
def play(
    seating: SeatOptions,
    view: ViewOptions,
    quietly: QuietOptions,
    bots: Annotated[
        list[str] | None,
        option("[BOT]...: The other players; copies of them fill the table. None: the shipped bots."),
    ] = None,
) -> None:
    """Play a match against bots, with all the time you like; it is neither recorded nor rated.

    Example: arena play dockfight greedy random --seed friday
    """
    exhibition = ExhibitionMatch(
        chosen_games(seating.games or [], bots or [], single=True)[0],
        bots or [],
        seat=seating.seat,
        seats=seating.seats,
        variant_values=pairs(seating.variants or (), "variants"),
        seed=seating.seed,
        say=quietly.say,
    )
    _sit_down(exhibition, seating.isolation, view, quiet=quietly.quiet)


def _sit_down(exhibition: ExhibitionMatch, isolation: IsolationChoice, view: ViewOptions, *, quiet: bool) -> None:
    """Play at this terminal or on a page."""
    game, against = exhibition.game, ", ".join(exhibition.others)
    with exhibition.lanes as lanes:
        job = exhibition.start(isolation)
        terminal = Terminal(lanes.wait_for, pictures=not (view.plain or view.web))
        terminal.say(f"{game.title}, against {against}.")
        if not view.web:
            seat = TerminalSeat(terminal, game, lambda: text_of_rules(game))
            _play_on(exhibition, job, seat, terminal, quiet=quiet)
        else:
            # the modules that make and serve a page take long to load
            from arena.page.board import play_page  # noqa: PLC0415
            from arena.page.serving import Response, served  # noqa: PLC0415
            from arena.web.person import BrowserSeat  # noqa: PLC0415

            looks = game.looks() if game.looks else {}
            rules = text_of_rules(game)
            page = play_page(title=game.title, against=against, rules=rules, looks=looks, legend=game.legend).encode()
            person = BrowserSeat(game, lanes.wait_for, rules)
            gets = {"": lambda _: Response(body=page), "events": person.events, "replay.html": person.show}
            with served(gets, {"answer": person.take, "next": person.take_wish}) as address, closing(person):
                terminal.put(f"open this in a browser on this machine: {address}")
                _play_on(exhibition, job, person, terminal, quiet=quiet)


def _play_on(
    exhibition: ExhibitionMatch, job: PlayUnit, person: "TerminalSeat | BrowserSeat", terminal: Terminal, *, quiet: bool
) -> None:
    """Play one match after the other until the person leaves."""

    def answer(line: bytes) -> bytes | None:
        choice = person.hear(line)
        return encode(choice) if choice else None

    try:
        with suppress(Departure):
            while True:
                record = exhibition.play(job, answer)
                tell_end(terminal, record)
                remark(f"arena: the same deal again: --seed {exhibition.seed}", quiet=quiet)
                wish = person.end(record, partial(exhibition.replay, job, record))
                job = exhibition.again(job, other_seat=wish == "other seat")
    except Interrupted:
        typer.echo()
        raise
