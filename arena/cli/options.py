"""The options that several commands share, each said once, and how their texts become values."""

import re
import sys
from collections.abc import Sequence
from enum import StrEnum
from typing import Annotated

import typer

from arena import games
from arena.cli.failure import Usage
from arena.game import Game
from arena.players.botfile import nearest

_MILLISECONDS = {"ms": 1, "s": 1000, "m": 60_000, "h": 3_600_000}
_TIME = re.compile(r"([0-9]+(?:\.[0-9]+)?)(ms|s|m|h)")
_SEATS = re.compile(r"([0-9]+)(?:-([0-9]+))?")
LONGEST_MS = 24 * 3_600_000


class Format(StrEnum):
    """How a table is printed; the values are those of ``arena.report.Format``."""

    table = "table"
    markdown = "markdown"
    csv = "csv"
    json = "json"


Formatted = Annotated[Format, typer.Option("--format", help="How to print.", show_default=True)]
Json = Annotated[bool, typer.Option("--json", help="The same as --format json.")]
Quiet = Annotated[bool, typer.Option("-q", "--quiet", help="Only the result: no progress, no remarks.")]
Verbose = Annotated[bool, typer.Option("-v", "--verbose", help="Say more on stderr.")]
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


def milliseconds(text: str, option: str) -> int:
    """A time such as ``400ms``, ``1s`` or ``10m`` in milliseconds.

    Raises:
        Usage: the text is no such time, or not from 1 ms to 24 h.
    """
    found = _TIME.fullmatch(text)
    value = round(float(found[1]) * _MILLISECONDS[found[2]]) if found else 0
    if not 1 <= value <= LONGEST_MS:
        raise Usage(f"{option}: expected a time from 1ms to 24h such as 400ms, 1s or 10m, got {text!r}")
    return value


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
            game.settle({name: value})
        except ValueError as error:
            near = nearest(value, game.variants[name]) if name in game.variants else nearest(name, game.variants)
            raise Usage(f"--variant: {error}{near}") from None
    return game.settle(chosen)


def remark(text: str, *, quiet: bool = False) -> None:
    """A word on stderr that is no result."""
    if not quiet:
        sys.stderr.write(text + "\n")
