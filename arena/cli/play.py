"""``arena play``: a person at the table, at a terminal or in a browser; bots in the other seats."""

from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass
from typing import Annotated

import typer

from arena.cli.options import Isolation, OneGame, OptionGroup, QuietOptions, grouped, option, pairs
from arena.cli.rules import text_of_rules
from arena.errors import Interrupted
from arena.players.person import Departure
from arena.record import Record
from arena.terminal import remark
from arena.terminal.person import Terminal, TerminalSeat, ended
from arena.tournament.calls import ExhibitionMatch
from arena.tournament.lane_messages import PlayUnit
from arena.tournament.settings import IsolationChoice
from arena.tournament.spec import chosen_games
from arena.wire import Choose, encode


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
    if _at_table(exhibition, seating.isolation, view):
        remark(f"arena: the same deal again: --seed {exhibition.seed}", quiet=quietly.quiet)


def _at_table(exhibition: ExhibitionMatch, isolation: IsolationChoice, view: ViewOptions) -> bool:
    """Play the match at this terminal or on a page; whether it was played to its end."""
    game, against = exhibition.game, ", ".join(exhibition.others)
    with exhibition.lanes as lanes:
        job = exhibition.start(isolation)
        terminal = Terminal(lanes.wait_for, pictures=not (view.plain or view.web))
        terminal.say(f"{game.title}, against {against}.")
        if not view.web:
            record = _played(exhibition, job, TerminalSeat(terminal, game, lambda: text_of_rules(game)).hear)
        else:
            # the modules that make and serve a page take long to load
            from arena.page.board import play_page  # noqa: PLC0415
            from arena.page.serving import Response, served  # noqa: PLC0415
            from arena.web.person import BrowserSeat  # noqa: PLC0415

            looks = game.looks() if game.looks else {}
            rules = text_of_rules(game)
            page = play_page(title=game.title, against=against, rules=rules, looks=looks, legend=game.legend).encode()
            person = BrowserSeat(game, lanes.wait_for)
            gets = {"": lambda _: Response(body=page), "events": person.events}
            with served(gets, {"answer": person.take}) as address, closing(person):
                terminal.put(f"open this in a browser on this machine: {address}")
                record = _played(exhibition, job, person.hear)
                if record:
                    seat = record.bots.index("")
                    person.end(record, seat, exhibition.last_state(job, record).observe(seat))
    if record:
        ended(terminal, record, record.bots.index(""))
    return record is not None


def _played(exhibition: ExhibitionMatch, job: PlayUnit, hear: Callable[[bytes], Choose | None]) -> Record | None:
    try:
        return exhibition.play(job, lambda line: encode(choice) if (choice := hear(line)) else None)
    except Departure:
        return None
    except Interrupted:
        typer.echo()
        raise
