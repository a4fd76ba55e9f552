"""Which bots finish ahead of which: from records to a matrix.

Knows records and ratings; knows no run, file or process.
"""

from collections.abc import Collection, Sequence
from typing import Any

from msgspec import Struct, to_builtins

from arena.escape import plain
from arena.ratings import (
    Looks,
    Outcomes,
    Pair,
    Ratings,
    better_in,
    cycles,
    design_effect,
    fit_outcomes,
    outcomes_of,
    pairs,
)
from arena.ratings.certain import Better
from arena.ratings.table import Solution
from arena.record import Record
from arena.report.document import Section, Table
from arena.report.leaderboard import DIGITS
from arena.report.tally import Repeats, block_of

WIDEST = 8
"""Up to this many bots a matrix fits 80 columns; beyond, each bot is held against those that follow it in the table."""
NEIGHBOURS = 2
"""How many bots below it in the table each is compared with."""
_NAME = 18
_MARKS = {1: "+", 0: " ", -1: "-"}


class Ahead(Struct, frozen=True):
    """Which bot finishes ahead of which, in a run or in its matches with one number of seats.

    What is certain of two bots is so by all matches of the run.
    """

    seats: int | None
    """None for all seat counts together."""
    bots: tuple[str, ...]
    """Those that played, best first."""
    pairs: tuple[Pair, ...]
    """Every two that met, the better first."""
    notes: tuple[str, ...]


class Met:
    """Counts, so far, of which bot finishes ahead of which."""

    def __init__(self) -> None:
        self._matches: list[tuple[int, tuple[str, ...], tuple[int, ...]]] = []
        self._repeats = Repeats()

    def add(self, record: Record) -> None:
        """Count a match that is not void.

        Raises:
            ValueError: it is not whole.
        """
        self._repeats.add(record)
        self._matches.append((block_of(record), record.bots, record.ranks))

    def found(self, entrants: Sequence[str] = (), past: Collection[str] = (), looks: Looks = "one") -> list[Ahead]:
        """Which bot finishes ahead of which over all matches; then for each number of seats, if there are several.

        Args:
            entrants: those of the table, if some have not played.
            past: bots that are not on the table, see ``arena.report.leaderboard``.
            looks: what may be said of the run.

        Raises:
            arena.ratings.Unsettled: the ratings do not converge.
        """
        outcomes = outcomes_of(self._matches)
        table, solutions = fitted = fit_outcomes(outcomes, entrants)
        better = better_in(outcomes, table, solutions, past=past, looks=looks)
        notes = self._repeats.notes(len(outcomes))
        found = [finished_ahead_of(outcomes, fitted, better=better, looks=looks, notes=notes)]
        if len(by_seats := outcomes.of_seats()) > 1:
            found += [
                finished_ahead_of(part, fit_outcomes(part), better=better, looks=looks, seats=seats)
                for seats, part in by_seats.items()
            ]
        return found


def finished_ahead_of(
    outcomes: Outcomes,
    fitted: tuple[Ratings, Sequence[Solution]],
    *,
    better: Better,
    looks: Looks,
    seats: int | None = None,
    notes: Sequence[str] = (),
) -> Ahead:
    """Which bot finishes ahead of which over all matches of these outcomes, to which a table was ``fitted``.

    Args:
        outcomes: of the matches.
        fitted: the table.
        better: who is certainly better than whom.
        looks: what may be said of circles, which only the whole table tells.
        seats: of these matches, if the run has others.
        notes: further ones.
    """
    ratings, solutions = fitted
    bots = sorted(outcomes.names, key=lambda bot: (-round(ratings.ratings[bot].rating, DIGITS), bot))
    place = {bot: at for at, bot in enumerate(bots)}
    met = pairs(outcomes, ratings, better)
    ordered = [pair if place[pair.bot] < place[pair.other] else pair.turned for pair in met]
    ordered.sort(key=lambda pair: (place[pair.bot], place[pair.other]))
    circles = [
        f"A circle: {' > '.join((*circle, circle[0]))}, each certainly ahead."
        for circle in (cycles(met, bots=len(bots), looks=looks) if seats is None else ())
    ]
    effect = design_effect(outcomes, solutions)
    if effect is None:
        saved = []
    else:
        saved = [f"In blocks, the ratings have {effect:.2f} of the variance of as many matches on deals of their own."]
    return Ahead(seats, bots=tuple(bots), pairs=tuple(ordered), notes=(*circles, *saved, *notes))


def rows(found: Ahead) -> list[dict[str, Any]]:
    """Each pair as a row of plain data, figures to four decimals; ``certain`` is 1, 0 or -1."""
    return [
        {name: round(value, DIGITS) if isinstance(value, float) else value for name, value in to_builtins(pair).items()}
        for pair in found.pairs
    ]


def ahead_section(found: Ahead) -> Section:
    """Every pair as data; for people a matrix, or what is near in the table."""
    lines = _matrix(found) if len(found.bots) <= WIDEST else _near(found)
    title = "All matches" if found.seats is None else f"Matches of {found.seats} seats"
    legend = "the share of shared matches finished ahead, a tie half. + certainly the better bot, - the worse."
    return Section(
        headline="Finished ahead",
        lead=[f"{title}: {legend}"],
        tables=[Table(rows=lines, left=lines[0] if lines else ())],
        notes=found.notes,
        listed=True,
        rows=rows(found),
        columns=Pair.__struct_fields__,
    )


def _matrix(found: Ahead) -> list[dict[str, str]]:
    """A row for each bot, a numbered column for each."""
    cells = {(pair.bot, pair.other): pair for one in found.pairs for pair in (one, one.turned)}
    lines = []
    for number, bot in enumerate(found.bots, 1):
        line = {"#": str(number), "bot": plain(bot, _NAME)}
        for at, other in enumerate(found.bots, 1):
            pair = cells.get((bot, other))
            line[str(at)] = _cell(pair) if pair else "-"
        lines.append(line)
    return lines


def _near(found: Ahead) -> list[dict[str, str]]:
    """A row for each pair of which the second stands at most ``NEIGHBOURS`` below the first."""
    place = {bot: at for at, bot in enumerate(found.bots)}
    return [
        {
            "bot": plain(pair.bot, _NAME),
            "other": plain(pair.other, _NAME),
            "matches": str(pair.matches),
            "share": _cell(pair),
            "95 %": "-" if pair.low is None else f"{pair.low:.2f} to {pair.high:.2f}",
        }
        for pair in found.pairs
        if place[pair.other] - place[pair.bot] <= NEIGHBOURS
    ]


def _cell(pair: Pair) -> str:
    return f"{pair.share:.2f}{_MARKS[pair.certain]}".rstrip()
