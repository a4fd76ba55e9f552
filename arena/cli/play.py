"""``arena play``: a person at the table, bots in the other seats."""

from dataclasses import dataclass
from typing import Annotated

import typer

from arena.cli.asked import Left
from arena.cli.games import text_of_rules
from arena.cli.groups import Group, grouped
from arena.cli.options import IsolationLevel, Level, Quietly, listed, pairs
from arena.cli.person import Person, Terminal, ended
from arena.cli.remarks import remark
from arena.errors import Interrupted
from arena.library.friendly import Friend
from arena.tournament.spec import find_game
from arena.wire import encode


@dataclass(frozen=True, kw_only=True)
class Seating(Group):
    """Who sits where, and which deal it is."""

    title = "The table"
    seat: Annotated[int | None, typer.Option(metavar="N", help="Your seat, from 0. Default: drawn.", min=0)] = None
    seats: Annotated[
        int | None,
        typer.Option(metavar="N", help="Seats at the table. Default: yours and the bots', or the usual table.", min=2),
    ] = None
    variants: Annotated[
        list[str] | None,
        typer.Option("--variant", metavar="K=V", help=listed("A variant of the game"), show_default=False),
    ] = None
    seed: Annotated[str | None, typer.Option(metavar="TEXT", help="Repeat a deal: the same text, seats and bots.")] = (
        None
    )
    isolation: IsolationLevel = Level.auto


@dataclass(frozen=True, kw_only=True)
class Shown(Group):
    """How the table is shown."""

    title = "What you see"
    plain: Annotated[
        bool, typer.Option("--plain", help="In words, as for a screen reader: no picture of the table.")
    ] = False


@grouped
def play(
    game: Annotated[str, typer.Argument(metavar="GAME", help="A game, as `arena games` names it.", show_default=False)],
    seating: Seating,
    shown: Shown,
    quietly: Quietly,
    bots: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[BOT]...",
            help="Who else plays; copies of them fill the table. None: the shipped bots.",
            show_default=False,
        ),
    ] = None,
) -> None:
    """Play a match against bots, at this terminal, with all the time you like; it is neither recorded nor rated.

    Example: arena play dockfight greedy random --seed friday
    """
    found = find_game(game)
    given = {name: str(value) for name, value in pairs(seating.variants, "variants", "K=V such as bell=lot").items()}
    friend = Friend(
        found,
        bots or [],
        seat=seating.seat,
        seats=seating.seats,
        given=given,
        seed=seating.seed,
        say=quietly.say,
    )
    if _played(friend, seating.isolation, pictures=not shown.plain):
        remark(f"arena: the same deal again: --seed {friend.seed}", quiet=quietly.quiet)


def _played(friend: Friend, isolation: Level, *, pictures: bool) -> bool:
    """Play the match at this terminal; whether it was played to its end."""
    game = friend.game
    with friend.lanes as lanes:
        job = friend.start(isolation.value)
        terminal = Terminal(lanes.wait_for, pictures=pictures)
        terminal.say(f"{game.title}, against {', '.join(friend.others)}.")
        person = Person(terminal, game, lambda: text_of_rules(game))
        try:
            record = friend.play(job, lambda line: encode(said) if (said := person.hear(line)) else None)
        except Left:
            return False
        except Interrupted:
            typer.echo()
            raise
    ended(terminal, record, job.seat)
    return True
