"""The options that several commands share, each said once, and how their texts become values."""

import re
import sys
from collections.abc import Sequence
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer
from msgspec.structs import replace

from arena import games
from arena.cli.failure import Usage
from arena.game import DECISION_CAP, Game
from arena.players.botfile import nearest
from arena.players.limits import HOUSE, KEYS, read
from arena.report.plain import harmless
from arena.wire import Limits

_SEATS = re.compile(r"([0-9]+)(?:-([0-9]+))?")


class Format(StrEnum):
    """How a table is printed; the values are those of ``arena.report.Format``."""

    table = "table"
    markdown = "markdown"
    csv = "csv"
    json = "json"


Formatted = Annotated[Format, typer.Option("--format", help="How to print.", show_default=True)]
Json = Annotated[bool, typer.Option("--json", help="The same as --format json.")]
REMARKS = "arena.remarks"
"""Under this a context holds what is to be said once it is known whether to be quiet."""


def _say(context: typer.Context, quiet: bool) -> bool:
    for text in context.meta.pop(REMARKS, ()):
        remark(text, quiet=quiet)
    return quiet


Quiet = Annotated[bool, typer.Option("-q", "--quiet", help="Only the result: no progress, no remarks.", callback=_say)]
Verbose = Annotated[bool, typer.Option("-v", "--verbose", help="Say more on stderr.")]
MoveTime = Annotated[
    str | None,
    typer.Option(
        "--move-time",
        envvar="ARENA_MOVE_TIME",
        metavar="TIME",
        help="Time for each decision. Default: 1s, or what --bank holds.",
    ),
]
StartTime = Annotated[
    str, typer.Option("--start-time", envvar="ARENA_START_TIME", metavar="TIME", help="Time to get ready.")
]
Bank = Annotated[
    str | None,
    typer.Option(
        "--bank",
        envvar="ARENA_BANK",
        metavar="TIME[+TIME]",
        help="Time for all decisions of a match, and more for each.",
    ),
]
Budget = Annotated[
    str, typer.Option("--budget", envvar="ARENA_BUDGET", metavar="TIME", help="Time to think in a match, bank or not.")
]
Limited = Annotated[
    list[str] | None,
    typer.Option(
        "--limit",
        envvar="ARENA_LIMIT",
        metavar="KEY=VALUE",
        help="Another limit, such as line=64KiB; may be repeated.",
        show_default=False,
    ),
]
Variant = Annotated[
    list[str] | None,
    typer.Option(
        "--variant",
        envvar="ARENA_VARIANT",
        metavar="K=V",
        help="A variant of the game, may be repeated.",
        show_default=False,
    ),
]
Seats = Annotated[
    str | None,
    typer.Option(envvar="ARENA_SEATS", metavar="N|A-B", help="Seats at the table. Default: the usual table."),
]
Seed = Annotated[
    str | None,
    typer.Option(envvar="ARENA_SEED", metavar="TEXT", help="Repeat a run: the same text, the same deals."),
]
LaneCount = Annotated[
    int | None,
    typer.Option(
        "-j",
        "--lanes",
        envvar="ARENA_LANES",
        metavar="N",
        help="Matches at once. Default: one a core.",
        min=1,
        max=1024,
    ),
]
Out = Annotated[
    Path | None,
    typer.Option(
        "-o",
        "--out",
        envvar="ARENA_OUT",
        metavar="DIR",
        help="Results folder; an old one goes on. Default: results/<game>-<time>.",
    ),
]
MaxFaults = Annotated[
    int,
    typer.Option(
        envvar="ARENA_MAX_FAULTS", metavar="N", help="Faults that retire a bot from a match.", min=1, max=10_000
    ),
]
Run = Annotated[str, typer.Argument(metavar="RUN", help="A results folder.", show_default=False)]


def find_game(name: str) -> Game:
    """The game of this name.

    Raises:
        Usage: there is none.
    """
    try:
        return games.find(name)
    except LookupError as error:
        raise Usage(f"{error}{nearest(name, games.names())}") from None


def all_games(*, quiet: bool = False) -> list[str]:
    """The names of all games; says which of other packages are left out, and why."""
    for fault in games.faults():
        remark(f"arena: left out: {fault}", quiet=quiet)
    return games.names()


def limits(
    move: str | None, start: str, bank: str | None, total: str, others: Sequence[str], faults: int = HOUSE.faults
) -> Limits:
    """What the house allows, from the texts of the options and those of ``--limit``.

    Raises:
        Usage: a text that is none, or is out of bounds, or an unknown limit.
    """
    known = [key for key, limit in KEYS.items() if limit.option == "--limit"]
    texts: dict[str, str | None] = {"move": move, "start": start, "bank": bank, "total": total}
    for other in others:
        key, equals, value = other.partition("=")
        if not equals:
            raise Usage(f"--limit: expected KEY=VALUE such as line=64KiB, got {other!r}")
        if key not in known:
            hint = f"; {KEYS[key].option} sets it" if key in KEYS else nearest(key, known)
            raise Usage(f"--limit: expected a limit of {', '.join(known)}, got {key!r}{hint}")
        texts[key] = value
    fields: dict[str, int] = {}
    for key, text in texts.items():
        if text is not None:
            try:
                fields |= read(key, text)
            except ValueError as error:
                named = f"--limit {key}" if key in known else KEYS[key].option
                raise Usage(f"{named}: {error}") from None
    if bank is not None and move is None:
        # only the bank counts: a decision may take the most that can ever be in it
        fields["move"] = min(fields["total"], fields["bank"] + fields["increment"] * DECISION_CAP)
    return replace(HOUSE, faults=faults, **fields)


def seat_counts(text: str | None, game: Game, entrants: int | None) -> tuple[int, ...]:
    """The seat counts that ``--seats N`` or ``--seats A-B`` asks for; by default the usual table of the game.

    The default is at most the number of entrants, but at least what the game needs.

    Raises:
        Usage: the text is no such count, or the game is not for so many.
    """
    if text is None:
        usual = game.usual_seats if entrants is None else min(game.usual_seats, entrants)
        return (max(usual, game.seats.start),)
    found = _SEATS.fullmatch(text)
    first = int(found[1]) if found else 0
    last = int(found[2] or found[1]) if found else 0
    if not found or first > last or first not in game.seats or last not in game.seats:
        here = f"{game.seats.start}-{game.seats.stop - 1}"
        raise Usage(f"--seats: expected N or A-B within {here} for {game.name}, got {text!r}")
    return tuple(range(first, last + 1))


def variants(texts: list[str], game: Game, others: Sequence[Game] = ()) -> dict[str, str]:
    """Every variant of the game, from ``K=V`` texts and its defaults; texts for variants of ``others`` are theirs.

    Raises:
        Usage: no such text, variant or value.
    """
    theirs = {name for other in others for name in other.variants} - game.variants.keys()
    chosen: dict[str, str] = {}
    for text in texts:
        name, equals, value = text.partition("=")
        if not equals or not name:
            raise Usage(f"--variant: expected K=V such as bell=lot, got {text!r}")
        if name in theirs:
            continue
        chosen[name] = value
        try:
            game.settle({name: value} | dict([game.only_with[name, value]] if (name, value) in game.only_with else []))
        except ValueError as error:
            near = nearest(value, game.variants[name]) if name in game.variants else nearest(name, game.variants)
            raise Usage(f"--variant: {error}{near}") from None
    try:
        return game.settle(chosen)
    except ValueError as error:
        raise Usage(f"--variant: {error}") from None


def remark(text: str, *, quiet: bool = False) -> None:
    """A word on stderr that is no result."""
    if not quiet:
        sys.stderr.write(harmless(text) + "\n")
