"""``arena play``: a person at the table, bots in the other seats."""

from typing import Annotated

import typer

from arena.cli.games import text_of_rules
from arena.cli.groups import grouped
from arena.cli.options import IsolationLevel, Level, Quietly, listed, pairs
from arena.cli.person import Left, Person, Terminal, ended
from arena.cli.remarks import remark
from arena.errors import Interrupted
from arena.library.friendly import Friend
from arena.tournament.spec import find_game
from arena.wire import encode


@grouped
def play(
    game: Annotated[str, typer.Argument(metavar="GAME", help="A game, as `arena games` names it.", show_default=False)],
    quietly: Quietly,
    bots: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[BOT]...",
            help="Who else plays; copies of them fill the table. None: the shipped bots.",
            show_default=False,
        ),
    ] = None,
    seat: Annotated[int | None, typer.Option(metavar="N", help="Your seat, from 0. Default: drawn.", min=0)] = None,
    seats: Annotated[
        int | None,
        typer.Option(metavar="N", help="Seats at the table. Default: yours and the bots', or the usual table.", min=2),
    ] = None,
    variants: Annotated[
        list[str] | None,
        typer.Option("--variant", metavar="K=V", help=listed("A variant of the game"), show_default=False),
    ] = None,
    seed: Annotated[
        str | None, typer.Option(metavar="TEXT", help="Repeat a deal: the same text, seats and bots.")
    ] = None,
    isolation: IsolationLevel = Level.auto,
) -> None:
    """Play a match against bots, at this terminal, with all the time you like; it is neither recorded nor rated.

    Example: arena play dockfight greedy random --seed friday
    """
    found = find_game(game)
    given = {name: str(value) for name, value in pairs(variants, "variants", "K=V such as bell=lot").items()}
    friend = Friend(found, bots or [], seat=seat, seats=seats, given=given, seed=seed, say=quietly.say)
    with friend.lanes as lanes:
        job = friend.start(isolation.value)
        terminal = Terminal(lanes.wait_for)
        terminal.say(f"{found.title}, against {', '.join(friend.others)}.")
        person = Person(terminal, found, lambda: text_of_rules(found))
        try:
            record = friend.play(job, lambda line: encode(said) if (said := person.hear(line)) else None)
        except Left:
            return
        except Interrupted:
            typer.echo()
            raise
    ended(terminal, record, job.seat)
    remark(f"arena: the same deal again: --seed {friend.seed}", quiet=quietly.quiet)
