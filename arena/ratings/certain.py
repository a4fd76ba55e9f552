"""Which bots of a table are certainly better than which: the one answer that every place, mark and sentence goes by.

docs/ratings.md (*What is certain*) tells how, and how the claims of a page share ``ALPHA``. Knows names and what blocks
say of them; knows no records, games or files.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence
from itertools import combinations

from msgspec import Struct
from msgspec.structs import replace

from arena.chance import Chance
from arena.numeric import Array, np
from arena.ratings.outcomes import Outcomes
from arena.ratings.pairwise import PairwiseTests
from arena.ratings.quantiles import FEWEST_BLOCKS, NORMAL, Looks, chance, holm
from arena.ratings.table import Fit
from arena.ratings.uncertainty import Uncertainty, uncertainty_of

ALPHA = 0.05
"""How often any claim of a page may be wrong: the parts below and that of ``arena.ratings.collusion`` add up to it."""
PLACES = 0.035
"""The part of who is better than whom, and so of places, marks and headlines."""
CIRCLES = 0.0025
"""The part of circles."""
SEATS = 0.0025
"""The part of seats that are better or worse than others."""
FEWEST_PAIRED = 20
"""Where line-ups depend on results, a bot that sat in fewer blocks is told apart from no other."""
LONGER = 4
"""So many times the matches would a longer run have."""
_DRAWS = 16
_KEY = b"arena longer runs"
_FINE = 1 << 32
_MOST_TESTED = 8
_MOST_BETS = 2000
"""With more blocks the limit that the fit asks for is near enough."""
_MOST = 100
"""Of more bots nothing is said about a longer run."""

Better = frozenset[tuple[str, str]]
"""Pairs of which the first is certainly better than the second."""


class Gap(Struct, frozen=True, kw_only=True):
    """The difference of two bots that met, if only through others, in blocks enough."""

    one: str
    other: str
    score: float
    """How far the first is ahead, in normal deviates."""
    blocks: float
    """In about how many one of them sat."""
    fewest: int
    """In how many groups of blocks each of them sat at least."""

    @property
    def pair(self) -> tuple[str, str]:
        """The one that is ahead, and the other."""
        return (self.one, self.other) if self.score > 0 else (self.other, self.one)


def gaps_of(names: Sequence[str], known: Uncertainty, absent: Collection[str] = ()) -> list[Gap]:
    """The differences of every two bots of a component that sat in ``FEWEST_BLOCKS`` blocks and are not ``absent``."""
    told = [index for index, name in enumerate(names) if name not in absent and known.sat[index] >= FEWEST_BLOCKS]
    return [
        Gap(
            one=names[one],
            other=names[other],
            score=known.score(one, other=other),
            blocks=int(known.seen[one, other]) * known.blocks,
            fewest=min(known.sat[one], known.sat[other]),
        )
        for one, other in combinations(told, 2)
    ]


def better_of(gaps: Iterable[Gap], *, bots: int, looks: Looks, error: float = PLACES) -> Better:
    """Who is certainly better than whom in a table of so many ``bots``: together wrong with a chance of ``error``."""
    claims = max(bots * (bots - 1) // 2, 1)
    fewest = FEWEST_PAIRED if looks == "paired" else FEWEST_BLOCKS
    chances = {
        gap.pair: chance(gap.score, blocks=gap.blocks, looks=looks, error=error / claims)
        for gap in gaps
        if gap.fewest >= fewest
    }
    return closed(holm(chances, error=error, claims=claims))


def closed(pairs: Iterable[tuple[str, str]]) -> Better:
    """The pairs and all that follows from them (S. Warshall, 1962)."""
    names, better = _table(pairs)
    for middle in range(len(names)):
        better |= np.outer(better[:, middle], better[middle])
    return frozenset((names[one], names[other]) for one, other in np.argwhere(better).tolist())


def told(better: Better) -> tuple[tuple[str, str], ...]:
    """The pairs from which all others follow, by name."""
    names, table = _table(better)
    follows = table.astype(np.float32) @ table > 0
    return tuple((names[one], names[other]) for one, other in np.argwhere(table & ~follows).tolist())


def _table(pairs: Iterable[tuple[str, str]]) -> tuple[list[str], Array]:
    """The names, sorted, and by two of them whether the first is better."""
    pairs = list(pairs)
    names = sorted({name for pair in pairs for name in pair})
    place = {name: index for index, name in enumerate(names)}
    table = np.zeros((len(names), len(names)), bool)
    for one, other in pairs:
        table[place[one], place[other]] = True
    return names, table


def settled(better: Better, names: Collection[str]) -> int:
    """How many of these bots have one place: all others are certainly above or below."""
    met = dict.fromkeys(names, 0)
    for pair in better:
        for name in pair:
            met[name] += 1
    return sum(count == len(met) - 1 for count in met.values())


def better_in(fit: Fit, *, past: Collection[str] = (), looks: Looks = "one") -> Better:
    """Who is certainly better than whom, without the bots of the past."""
    gaps = [gap for solution in fit.solutions for gap in gaps_of(solution.names, uncertainty_of(fit, solution), past)]
    return better_of(gaps, bots=len(fit.ratings) - len(past), looks=looks)


def by_bets(outcomes: Outcomes, bots: Collection[str]) -> Better:
    """Who is certainly better than whom by bets on the blocks that two bots share: at every look, whatever the luck.

    They assume nothing and need many shared blocks, so only few bots and few blocks are asked; of others there is
    nothing to say. What they say counts where ``better_of`` says it too.
    """
    number = sum(len(alike.blocks) // sum(alike.shape) for alike in outcomes.shapes)
    if not 2 <= len(bots) <= _MOST_TESTED or number > _MOST_BETS:  # noqa: PLR2004 - nobody is better than nobody
        return frozenset()
    in_blocks: defaultdict[int, list[tuple[list[str], list[int]]]] = defaultdict(list)
    for block, groups in outcomes.matches():
        seated = [(bot, rank) for rank, group in enumerate(groups) for bot in group if bot in bots]
        in_blocks[block].append(([bot for bot, _ in seated], [rank for _, rank in seated]))
    tests = PairwiseTests(bots, alpha=PLACES)
    for block in sorted(in_blocks):
        tests.add(in_blocks[block])
    return tests.apart()


def in_a_longer_run(gaps: Sequence[Gap], names: Collection[str]) -> tuple[int, int] | None:
    """How many places a run of fixed length and ``LONGER`` times the matches would settle: a range.

    The truth is drawn about what was found, each bot's strength for itself, and then the longer run about the truth.
    None where nothing is known, or of very many bots.
    """
    if not gaps or len(names) > _MOST:
        return None
    lots = Chance(_KEY)
    spread = ((1 + 1 / LONGER) / 2) ** 0.5
    rows = []
    for _ in range(_DRAWS):
        # a difference has the luck of both bots; that of the longer run is smaller
        luck = {name: spread * NORMAL.inv_cdf((lots.below(_FINE) + 0.5) / _FINE) for name in sorted(names)}
        drawn = [
            replace(gap, score=LONGER**0.5 * (gap.score + luck[gap.one] - luck[gap.other]), blocks=LONGER * gap.blocks)
            for gap in gaps
        ]
        rows.append(settled(better_of(drawn, bots=len(names), looks="one"), names))
    rows.sort()
    return rows[1], rows[-2]
