"""Which places of a table are settled, and after how many more seasons like the last one all of them will be.

By the rule of ``--until decided``, from the differences that the table goes by: they are taken to stay as they are,
less what luck adds to them, while their deviations fall with the root of the matches. Starts nothing; knows no league.
"""

from bisect import bisect_left
from collections import Counter
from collections.abc import Sequence
from functools import cache
from math import ceil, copysign, isfinite, sqrt
from statistics import median

from msgspec import Struct
from msgspec.structs import replace

from arena.chance import Chance
from arena.formats.forecast import draw_ranks, skills_of
from arena.formats.format import derived
from arena.formats.schedule import draw_blocks, line_up
from arena.formats.until import MARGIN, unit_of_margin
from arena.ratings.intervals import better_among, gaps_in
from arena.ratings.outcomes import EPOCH, FEWEST_NIGHTS, outcomes_of
from arena.ratings.pairwise import Gap, same_within
from arena.ratings.table import fit_outcomes
from arena.tournament.standings import Standings
from arena.words import plural

MONTH, YEAR = 30, 365
"""Nights, of a season each."""
_EXACT = 50
"""More nights are told in tens."""
MOST_BOTS = 48
"""So many are simulated at most; of more, each place is as open as of these, in proportion."""


class Differences(Struct, frozen=True, kw_only=True):
    """How the bots of a table differ."""

    bots: tuple[str, ...]
    gaps: Sequence[Gap]
    seasons: int
    """How many have been played: from ``FEWEST_NIGHTS`` on each counts as one block."""
    assumed: bool = False
    """Whether they are those of simulated bots after a season that is still to come."""
    length: float
    """All matches, in those of one season."""
    unit: float = unit_of_margin(None)
    """See ``unit_of_margin``."""
    share: float = 1.0
    """As of ``better_of``."""

    def count_open(self) -> dict[str, int]:
        """Of each bot how many others are not above or below it for certain, nor the same within ``MARGIN``."""
        better = better_among(self.gaps, self.bots, looks="every", share=self.share)
        same = same_within(self.gaps, MARGIN * self.unit, bots=len(self.bots), looks="every", share=self.share)
        decided = Counter(bot for pair in {frozenset(pair) for pair in (*better, *same)} for bot in pair)
        return {bot: len(self.bots) - 1 - decided[bot] for bot in self.bots}

    def are_settled(self, places: int) -> bool:
        """Whether no bot has more than so many places that are not ruled out."""
        return max(self.count_open().values(), default=0) < places

    def without_luck(self) -> "Differences":
        """The same with smaller differences: luck spreads bots that are equal, by the deviations."""
        gaps = [gap for gap in self.gaps if isfinite(gap.deviation)]
        total, luck = sum(gap.difference**2 for gap in gaps), sum(gap.deviation**2 for gap in gaps)
        real = sqrt(max(1 - luck / total, 0.0)) if total else 0.0
        gaps = [replace(gap, score=gap.score * real, difference=gap.difference * real) for gap in self.gaps]
        return replace(self, gaps=gaps)

    def after(self, more: int) -> "Differences":
        """How they would be after so many more seasons."""
        total, growth = self.seasons + more, 1 + more / self.length
        nights = total if total >= FEWEST_NIGHTS else None
        gaps = [
            replace(
                gap,
                # of so many true differences some look smaller than they are
                score=gap.score * sqrt(growth) - copysign(self.assumed, gap.score),
                deviation=gap.deviation / sqrt(growth),
                blocks=nights or gap.blocks * growth,
                fewest=nights or int(gap.fewest * growth),
            )
            for gap in self.gaps
        ]
        return replace(self, gaps=gaps, seasons=total, length=self.length * growth)


class Settlement(Struct, frozen=True, kw_only=True):
    """When the places of a table settle."""

    nights: int | None
    """After so many more; None: after more than a ``YEAR``."""
    month: int
    """So many places are not ruled out for a bot after a ``MONTH`` more, in the median."""
    assumed: bool
    """Whether it follows from simulated bots, whose skills spread as ``SPREAD`` says."""

    def __str__(self) -> str:
        """In words, to follow *places settle*."""
        if self.nights is not None:
            nights = self.nights if self.nights < _EXACT else round(self.nights, -1)
            return f"after about {plural(nights, f'{self._more}night')}"
        then = f"after {MONTH} {self._more}nights a bot has one of about {plural(self.month, 'place')}"
        return f"after more than a year ({then})"

    @property
    def _more(self) -> str:
        return "" if self.assumed else "more "


def foresee_settlement(now: Differences, *, places: int) -> Settlement:
    """When no bot of a table has more than so many ``places`` that are not ruled out."""
    if now.are_settled(places) and not now.assumed:
        return Settlement(nights=0, month=1, assumed=False)
    expected, first = (now, 1) if now.assumed else (now.without_luck(), 0)
    # where seasons begin to count as blocks, less is certain than before
    few, many = range(1 - first, FEWEST_NIGHTS - now.seasons), range(max(FEWEST_NIGHTS - now.seasons, 1), YEAR + 1)
    for part in (few, many):
        if (index := bisect_left(part, 1, key=lambda more: expected.after(more).are_settled(places))) < len(part):
            return Settlement(nights=part[index] + first, month=1, assumed=now.assumed)
    month = ceil(median(expected.after(MONTH).count_open().values())) + 1
    return Settlement(nights=None, month=month, assumed=now.assumed)


def find_differences(board: Standings, *, season: int, share: float) -> Differences:
    """The differences of the ranked bots of a league's table, whose seasons have so many matches."""
    bots = tuple([row.bot for row in board.leaderboard.leaderboard])
    measure = board.leaderboard.measure
    scores = board.results.mean_scores(measure, nights=True)
    return Differences(
        bots=bots,
        gaps=gaps_in(board.fit, past={*board.fit.ratings} - {*bots}, looks="every", scores=scores),
        seasons=len({block >> EPOCH for block in board.fit.outcomes.blocks().tolist()}),
        length=board.leaderboard.matches / season,
        unit=unit_of_margin(measure.span if measure.by_score else None),
        share=share,
    )


@cache
def assume_settlement(bots: int, *, seats: int, per_bot: int, share: float, places: int) -> Settlement:
    """When places settle of so many bots before any season; as ``assume_differences`` and ``foresee_settlement``."""
    assumed = assume_differences(bots, seats=seats, per_bot=per_bot, share=share)
    return foresee_settlement(assumed, places=places)


def assume_differences(bots: int, *, seats: int, per_bot: int, share: float = 1.0) -> Differences:
    """The differences of so many bots before any season, if their skills spread as ``SPREAD`` says.

    Their deviations are those of a simulated season.
    """
    key = bytes(32)
    few = max(min(bots, MOST_BOTS), seats)
    names = tuple([f"b{number}" for number in range(few)])
    skills, chance = skills_of(names, Chance(derived(key, "places"))), Chance(derived(key, "luck"))
    blocks = -(-per_bot // seats) * few // seats
    matches = []
    for block in draw_blocks(names, seats=seats, key=key, blocks=max(blocks, 1)):
        for rotation in range(seats):
            seated = line_up(block, rotation)
            matches.append((block.number, seated, draw_ranks(seated, skills, chance)))
    gaps = [
        replace(gap, score=apart / gap.deviation, difference=apart)
        for gap in gaps_in(fit_outcomes(outcomes_of(matches)), past=(), looks="every", scores=None)
        for apart in [skills[gap.bot] - skills[gap.other]]
    ]
    return Differences(bots=names, gaps=gaps, seasons=1, length=1.0, share=share, assumed=True)
