"""``arena play``: a person at the table, bots in the other seats."""

from secrets import token_hex
from typing import Annotated

import typer

from arena import record as records
from arena.chance import Chance
from arena.cli import field as fields
from arena.cli.failure import Usage
from arena.cli.games import text_of_rules
from arena.cli.isolation import Asked, Isolation, settled
from arena.cli.options import Quiet, find_game, remark, variants
from arena.cli.person import Left, Person, Terminal, ended
from arena.game import Game, Seat
from arena.players.launch import Launch
from arena.players.limits import HOUSE
from arena.players.process import HouseTrouble
from arena.record import Record
from arena.referee import Match
from arena.tournament.jobs import Friendly, Job, Message, Played, Sitting, Told
from arena.tournament.lanes import Interrupted, Lanes, LanesFailed
from arena.tournament.plan import Settings
from arena.tournament.schedule import pad
from arena.tournament.secrets import Secret
from arena.wire import encode

_SEED_BYTES = 8
_MATCH = "e0b0r0"


def play(
    game: Annotated[str, typer.Argument(metavar="GAME", help="A game, as `arena games` names it.", show_default=False)],
    bots: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[BOT]...",
            help="Who else plays; copies of them fill the table. None: the shipped bots.",
            show_default=False,
        ),
    ] = None,
    seat: Annotated[
        int | None, typer.Option(metavar="N", help="Your seat, from 0. Default: drawn.", min=0, max=7)
    ] = None,
    seats: Annotated[
        int | None,
        typer.Option(
            metavar="N", help="Seats at the table. Default: yours and the bots', or the usual table.", min=2, max=8
        ),
    ] = None,
    variant: Annotated[
        list[str] | None,
        typer.Option("--variant", metavar="K=V", help="A variant of the game, may be repeated.", show_default=False),
    ] = None,
    seed: Annotated[
        str | None, typer.Option(metavar="TEXT", help="Repeat a deal: the same text, seats and bots.")
    ] = None,
    isolation: Isolation = Asked.auto,
    quiet: Quiet = False,
) -> None:
    """Play a match against bots, at this terminal, with all the time you like; it is neither recorded nor rated.

    Example: arena play dockfight greedy random --seed friday
    """
    found = find_game(game)
    chosen = variants(variant or [], found)
    # what else ships with arena fills a table only if nobody was asked for
    field = fields.enter(bots or [], found, quiet=quiet or bool(bots))[: len(bots or []) or None]
    count = _seats(found, seats, len(bots or []))
    if seat is not None and seat >= count:
        raise Usage(f"--seat: expected a seat from 0 to {count - 1}, got {seat}")
    others = pad([bot.name for bot in field], count - 1)[: count - 1]
    field = [bot for bot in field if bot.name in others]
    secret = Secret.of(token_hex(_SEED_BYTES) if seed is None else seed)
    with Lanes(1) as crew:
        house = settled(isolation, crew, quiet=quiet)
        settings = Settings(found.name, (count,), chosen, 1, seed, HOUSE)
        launches, cannot = fields.start(crew, settings, found, field, house)
        fields.refuse(cannot)
        known = {name: launches[fields.original(name, launches)] for name in others}
        job = _friendly(found, chosen, secret, known, seat)
        terminal = Terminal(crew.wait_for)
        terminal.say(f"{found.title}, against {', '.join(others)}.")
        try:
            record = _played(crew, job, Person(terminal, found, lambda: text_of_rules(found)))
        except Left:
            return
        except Interrupted:
            typer.echo()
            raise
    if record.reason == "void":
        raise HouseTrouble(f"the match is void: {record.why}")
    ended(terminal, record, job.seat)
    remark(f"arena: the same deal again: --seed {secret.seed_text}", quiet=quiet)


def _seats(game: Game, seats: int | None, bots: int) -> int:
    """How many sit down, the person among them.

    Raises:
        Usage: the game is not for so many, or more bots are named.
    """
    count = seats or (max(bots + 1, game.seats.start) if bots else game.usual_seats)
    here = f"{game.seats.start} to {game.seats.stop - 1}"
    if count not in game.seats:
        raise Usage(f"expected {here} seats for {game.name}, got {count}")
    if bots >= count:
        raise Usage(f"--seats: expected room for you and {bots} bots, got {count}")
    return count


def _friendly(
    game: Game, variants: dict[str, str], secret: Secret, bots: dict[str, Launch], seat: Seat | None
) -> Friendly:
    """The match of a person, named with the empty text, and these bots, in seats that the secret draws."""
    names = ["", *bots]
    Chance(secret.schedule(0)).shuffle(names)
    drawn = names.index("")
    own = drawn if seat is None else seat
    names[drawn], names[own] = names[own], names[drawn]
    match = Match(
        id=_MATCH,
        label=secret.label(_MATCH),
        game=game.name,
        version=game.version,
        bots=tuple(names),
        variants=variants,
        ids=secret.ids(_MATCH),
        order=secret.order(_MATCH),
        seeds=tuple(secret.bot_seed(_MATCH, at) for at in range(len(names))),
        limits=tuple(bots[name].limits if name else HOUSE for name in names),
    )
    return Friendly(Sitting(match, secret.deal(0, 0), 0), bots, own)


def _played(crew: Lanes, job: Friendly, person: Person) -> Record:
    """Have the match played in a lane, so that nothing of the bots is left however it ends.

    Raises:
        Left: the person has left.
        Interrupted, LanesFailed: a signal came; the lane was lost.
    """
    played: list[Record] = []

    def heard(done: Job, message: Message) -> None:
        if isinstance(message, Told):
            answer = person.hear(bytes(message.message))
            if answer is not None:
                crew.answer(done, encode(answer))
        elif isinstance(message, Played):
            played.append(records.decode(bytes(message.record)))

    crew.run([job], heard, _lost)
    return played[0]


def _lost(_job: Job) -> None:
    raise LanesFailed("expected the lane to last as long as the match, got its end")
