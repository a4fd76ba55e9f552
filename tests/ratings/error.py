"""How often a table says something false for certain: simulated tournaments, by format and field.

``python -m tests.ratings.error`` simulates them with arena's own formats, ratings and rule, and writes the tables of
docs/decisions/error.md. ``-n`` is how many tournaments of each, by default ``TABLES``; names after it choose rows: of
formats, of ``tests.ratings.fields.HARD`` and of its ``POWER``. ``--at-most BOTS`` leaves out larger fields of formats.
``--seconds S`` ends a hard row after so much time of the processor. As ``make error``.
"""

import argparse
import re
import sys
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from math import sqrt
from statistics import NormalDist, fmean
from time import process_time

from arena.formats import Progress, Terms
from arena.formats.registry import looks_of, read_schedule
from arena.ratings import Looks, fit_outcomes, outcomes_of
from arena.ratings.outcomes import block_number
from tests.documents import ROOT
from tests.formats.played import BETA, Ender, by_skill
from tests.formats.played import outcome as played_out
from tests.ratings.fields import HARD, POWER, Row
from tests.ratings.matches import better_in

PAGE = ROOT / "docs" / "decisions" / "error.md"
TABLES = {4: 500, 16: 200, 40: 200}
"""How many tables of each, by the number of bots: chance must not decide whether 4 % are 5 %."""
EXTENSIONS = 9
Rule = Callable[[str], Looks]
"""From a schedule to what may be said of its table."""


@dataclass(frozen=True, kw_only=True)
class Shape:
    """A format as it is tried."""

    schedule: str
    seats: int
    extensions: int = 0
    """How often the run is extended; the table is looked at each time."""


FORMATS = {
    "balanced": Shape(schedule="balanced", seats=4),
    "balanced, extended": Shape(schedule="balanced", seats=4, extensions=EXTENSIONS),
    "gauntlet": Shape(schedule="gauntlet", seats=4),
    "groups": Shape(schedule="groups", seats=2),
    "swiss of 4 seats": Shape(schedule="swiss", seats=4),
    "swiss of 2 seats": Shape(schedule="swiss", seats=2),
    "knockout": Shape(schedule="knockout", seats=2),
    "stages": Shape(schedule="swiss,share=0.5+knockout", seats=2),
    "race": Shape(schedule="race", seats=4),
}
FIELDS = {
    "4 equal": dict.fromkeys((f"b{at:02}" for at in range(4)), 25.0),
    "16 equal": dict.fromkeys((f"b{at:02}" for at in range(16)), 25.0),
    "40 equal": dict.fromkeys((f"b{at:02}" for at in range(40)), 25.0),
    "16 graded": {f"b{at:02}": 25 + BETA * NormalDist().inv_cdf((at + 0.5) / 16) for at in range(16)},
}
"""Equal bots are the hardest case; the graded ones have a deviation of 1 beta."""
BLOCKS = {4: 100, 16: 160, 40: 400}
"""Of four seats, by the number of bots: each sits in about 40, and four of them in all 100."""


@dataclass(frozen=True, kw_only=True)
class Table:
    """One simulated tournament."""

    false: bool
    """Whether anything that was certain, at any look, contradicts the skills."""
    settled: int
    """Places that were certain in the end."""
    matches: int


def tournament(shape: Shape, skills: dict[str, float], seed: int, rule: Rule = looks_of) -> Table:
    """Play a tournament with luck of deals, and hold what its tables say against the skills."""
    played: list[tuple[int, Sequence[str], Sequence[int]]] = []
    blocks = max(BLOCKS[len(skills)] * 4 // shape.seats, 1)
    false, places = False, 0
    for epoch in range(1 + shape.extensions):
        terms = Terms(entrants=tuple(skills), seats=shape.seats, blocks=blocks, key=bytes([epoch, *seed.to_bytes(8)]))
        found = _play(shape.schedule, terms, by_skill(skills, seed * 1000 + epoch, deal=2), played, epoch=epoch)
        looks: Looks = "every" if epoch else rule(shape.schedule)
        outcomes = outcomes_of(played)
        table = fit_outcomes(outcomes, skills)
        better = better_in(table, looks=looks, best=found or "")
        false = false or (found is not None and found not in best_of(skills))
        false = false or any(skills[one] <= skills[other] for one, other in better)
        places = settled(better, skills)
    return Table(false=false, settled=places, matches=len(played))


def _play(
    schedule: str, terms: Terms, end: Ender, into: list[tuple[int, Sequence[str], Sequence[int]]], *, epoch: int
) -> str | None:
    """Play an epoch into the outcomes; the bot that the format calls the best for certain, if it does."""
    held = read_schedule(schedule)
    progress = Progress(held, terms)
    while progress.round is not None:
        found = played_out(progress.round, progress.first_block, end)
        for block in found:
            number = block_number(epoch=epoch, block=progress.first_block + block.number)
            into += [(number, bots, [*map(int, ranks)]) for bots, ranks in block.matches()]
        if getattr(held, "fixed", False):
            # one round, and a result that claims nothing: it would only cost a second fit
            return None
        progress.finish(found)
    result = progress.result
    assert result is not None
    return result.places[0].bot if result.certain and len(result.still) == 1 else None


def settled(better: Collection[tuple[str, str]], names: Collection[str]) -> int:
    """How many of these bots have one place: all others are certainly above or below."""
    met = Counter(name for pair in better for name in pair)
    return sum(met[name] == len(names) - 1 for name in names)


def best_of(skills: dict[str, float]) -> set[str]:
    """The best bot; none where several are."""
    best = [bot for bot, skill in skills.items() if skill == max(skills.values())]
    return set(best) if len(best) == 1 else set()


def tables(shape: Shape, skills: dict[str, float], number: int) -> list[Table] | None:
    """So many tournaments; None if a format cannot be played with so few bots."""
    try:
        return [tournament(shape, skills, seed) for seed in range(number)]
    except ValueError:
        return None


def rows(number: int | None, names: list[str], most: int) -> Iterator[str]:
    """The lines of the page, as they are found."""
    for name, shape in FORMATS.items():
        if names and name not in names:
            continue
        cells = []
        for skills in FIELDS.values():
            found = tables(shape, skills, number or TABLES[len(skills)]) if len(skills) <= most else None
            if found is None:
                cells.append("-")
                continue
            false, places = sum(each.false for each in found), fmean(each.settled for each in found)
            cells.append(f"{false} of {len(found)} ({places:.1f})")
        yield f"| {name} | {' | '.join(cells)} |"


def wilson(hits: int, tables: int) -> tuple[float, float]:
    """The 95 % interval of a share of so many tables (E. B. Wilson, 1927)."""
    square = NormalDist().inv_cdf(0.975) ** 2
    share = hits / tables
    middle = (share + square / (2 * tables)) / (1 + square / tables)
    half = sqrt(square * (share * (1 - share) / tables + square / (4 * tables**2))) / (1 + square / tables)
    return max(middle - half, 0.0), min(middle + half, 1.0)


def count_hits(row: Row, number: int, seconds: float | None = None) -> tuple[int, int]:
    """In how many tables of a row it is so, and how many were simulated: ``number``, or what there was time for."""
    began, hits, tried = process_time(), 0, 0
    while tried < number and (not tried or seconds is None or process_time() - began < seconds):
        hits += row(tried)
        tried += 1
    return hits, tried


def hard_rows(
    found: Mapping[str, Row], number: int, names: Collection[str], seconds: float | None = None
) -> Iterator[str]:
    """The lines of the page that tell how often something is so, with the interval of it."""
    for name, row in found.items():
        if not names or name in names:
            hits, tried = count_hits(row, number, seconds)
            low, high = wilson(hits, tried)
            yield f"| {name} | {tried} | {hits} | {100 * low:.1f} to {100 * high:.1f} % |"


def written(page: str, lines: list[str]) -> str:
    """The page with these lines in place of those of the same formats."""
    for line in lines:
        name = line.split("|")[1].strip()
        page, times = re.subn(rf"^\| {re.escape(name)} \|.*$", lambda _, line=line: line, page, flags=re.MULTILINE)  # type: ignore[misc]
        if not times:
            raise ValueError(f"expected a row for {name} in {PAGE}, got none")
    return page


def main() -> None:
    """Simulate, print and write."""
    asked = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    asked.add_argument("formats", nargs="*", metavar="ROW", help=", ".join([*FORMATS, *HARD, *POWER]))
    asked.add_argument("-n", type=int, metavar="TABLES")
    asked.add_argument("--at-most", type=int, default=max(BLOCKS), metavar="BOTS")
    asked.add_argument("--seconds", type=float, metavar="S")
    asked.add_argument("--dry-run", action="store_true", help="print only")
    given = asked.parse_args()
    lines = []
    number = given.n or max(TABLES.values())
    for line in chain(
        rows(given.n, given.formats, given.at_most),
        hard_rows(HARD, number, given.formats, given.seconds),
        hard_rows(POWER, number, given.formats, given.seconds),
    ):
        sys.stdout.write(f"{line}\n")
        sys.stdout.flush()
        lines.append(line)
    if not given.dry_run:
        PAGE.write_text(written(PAGE.read_text(encoding="utf-8"), lines), encoding="utf-8")


if __name__ == "__main__":
    main()
