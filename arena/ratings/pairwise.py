"""Which bots of a table are certainly better than which: the one answer that every place, mark and sentence goes by.

It holds at any look and however bots were paired. Each ordered pair has bets on the scores of its blocks, and their
greatest wealth so far counts. A claim needs a wealth of the number of pairs that could contradict it, over alpha. How
the claims of a page share ``ALPHA``: docs/ratings.md (*A whole table*, *What is certain*). Knows names and what blocks
say of them; knows no records, games or files.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import combinations, pairwise
from math import exp, log

from msgspec import Struct
from msgspec.structs import replace

from arena.chance import Chance
from arena.numeric import Array, np
from arena.ratings.bets import EProcess
from arena.ratings.evidence import ALPHA, Finding
from arena.ratings.outcomes import Outcomes
from arena.ratings.quantiles import FEWEST_BLOCKS, NORMAL, Looks, chance, holm
from arena.ratings.uncertainty import Uncertainty


def lead(own: float, *, other: float) -> float:
    """How far one of two bots of a match is ahead: from -1 to 1, as bets are made on it.

    By ranks, or by the scores below 0, in parts of the most by which two may differ.
    """
    return max(-1, min(other - own, 1))


class PairwiseTests:
    """The bets on each ordered pair of bots, block after block."""

    def __init__(self, bots: Iterable[str], *, alpha: float = ALPHA, margin: float | None = None) -> None:
        """Begin with the stakes.

        Args:
            bots: of the table.
            alpha: how often each claim is wrong at most.
            margin: two bots are the same whose mean score is between -margin and margin; None: that is not asked.
        """
        self.bots = tuple(sorted(bots))
        self.alpha = alpha
        self._margin = margin
        self._better: dict[tuple[str, str], EProcess] = {}
        """Bets that the first of a pair is better, ..."""
        self._within: dict[tuple[str, str], EProcess] = {}
        """... and that it is not worse than the second by the margin."""

    def add(self, matches: Sequence[tuple[Sequence[str], Sequence[float]]]) -> None:
        """Take in a block: the bots of each match and what ``lead`` takes of each."""
        scores: dict[tuple[str, str], list[float]] = {}
        for bots, ranks in matches:
            for (one, rank), (other, behind) in combinations(sorted(zip(bots, ranks, strict=True)), 2):
                scores.setdefault((one, other), []).append(lead(rank, other=behind))
        for (one, other), seen in scores.items():
            score = sum(seen) / len(seen)
            self._bet((one, other), score)
            self._bet((other, one), -score)

    def _bet(self, pair: tuple[str, str], score: float) -> None:
        self._better.setdefault(pair, EProcess()).add(score)
        if self._margin is not None:
            self._within.setdefault(pair, EProcess(-self._margin)).add(score)

    def wealth(self, one: str, *, other: str) -> float:
        """The logarithm of the most that bets on the one against the other ever made; 0 if they never met."""
        bets = self._better.get((one, other))
        return 0.0 if bets is None else bets.greatest

    def above(self, one: str, *, other: str, pairs: int) -> bool:
        """Whether one bot is certainly better, as part of a claim that ``pairs`` pairs could contradict."""
        return self.wealth(one, other=other) >= log(pairs / self.alpha)

    @property
    def claims(self) -> int:
        """Ordered pairs: of two equal bots each may be found to be the better one."""
        return len(self.bots) * (len(self.bots) - 1)

    def circle(self, beyond: str | None = None) -> tuple[str, ...]:
        """The shortest circle of bots of which each is certainly better than the next and the last than the first.

        All of this at once, as in ``apart``. Empty if there is none.

        Args:
            beyond: only among this bot, those that are certainly better, those better than these, and so on.
        """
        better = {
            bot: [other for other in self.bots if self.above(other, other=bot, pairs=self.claims)] for bot in self.bots
        }
        among = self.bots if beyond is None else tuple(sorted(_paths(better, beyond)))
        paths = [path for bot in among if (path := _paths(better, bot).get(bot))]
        # a path leads from each bot to one that is better
        return min(paths, key=len)[:0:-1] if paths else ()

    def verdict(self, one: str, *, other: str) -> Finding:
        """What is certain about two bots, if the same is asked about every two bots of the table.

        Of each two at most two such claims can be wrong: that either is better, if they are equal; or that the wrong
        one is, and that they are the same. Hence twice as many bets as pairs.
        """
        if self.above(one, other=other, pairs=self.claims):
            return "better"
        if self.above(other, other=one, pairs=self.claims):
            return "worse"
        within = [self._within.get(pair) for pair in ((one, other), (other, one))]
        need = log(self.claims / self.alpha)
        return "same" if all(bets is not None and bets.greatest >= need for bets in within) else "undecided"

    def top(self, places: int) -> tuple[str, ...] | None:
        """The best bots, as many as ``places``, by name, if each is certainly better than all others."""
        pairs = places * (len(self.bots) - places)
        if pairs <= 0:
            return self.bots
        beaten = {one: sum(self.above(one, other=other, pairs=pairs) for other in self.bots) for one in self.bots}
        first = sorted(self.bots, key=lambda bot: (-beaten[bot], bot))[:places]
        rest = [bot for bot in self.bots if bot not in first]
        sure = all(self.above(one, other=other, pairs=pairs) for one in first for other in rest)
        return tuple(sorted(first)) if sure else None

    def out(self, places: int, among: Collection[str] | None = None) -> set[str]:
        """Bots that are certainly not among the best ``places``: as many others are certainly better.

        The probability of ever naming one that is among them is at most alpha. ``among``: only those of them.
        """
        pairs = places * (len(self.bots) - places)
        if pairs <= 0:
            return set()
        return {
            bot
            for bot in (self.bots if among is None else among)
            if sum(self.above(other, other=bot, pairs=pairs) for other in self.bots) >= places
        }

    def ranked(self) -> tuple[str, ...]:
        """All bots by how many others they have more evidence against than these have against them."""
        wins = {
            one: sum(self.wealth(one, other=other) > self.wealth(other, other=one) for other in self.bots)
            for one in self.bots
        }
        return tuple(sorted(self.bots, key=lambda bot: (-wins[bot], bot)))

    def order(self, *, neighbours: bool = False) -> tuple[str, ...] | None:
        """All bots, best first, if each is certainly better than all behind it; or only than its neighbour."""
        ranked = self.ranked()
        pairs = len(ranked) * (len(ranked) - 1) // 2
        due = pairwise(ranked) if neighbours else combinations(ranked, 2)
        return ranked if all(self.above(one, other=other, pairs=pairs) for one, other in due) else None

    def apart(self) -> frozenset[tuple[str, str]]:
        """Every two of which the first is certainly better, all of these at once."""
        return frozenset(pair for pair in self._better if self.above(pair[0], other=pair[1], pairs=self.claims))


def _paths(better: Mapping[str, Sequence[str]], start: str) -> dict[str, tuple[str, ...]]:
    """From a bot to each that is better, directly or by others in between, a shortest path; itself by a circle."""
    paths: dict[str, tuple[str, ...]] = {}
    edge: list[tuple[str, ...]] = [(start,)]
    while edge:
        path = edge.pop(0)
        for other in better[path[-1]]:
            if other not in paths:
                paths[other] = (*path, other)
                edge.append(paths[other])
    return paths


class SuccessiveElimination:
    """Who may still be the best of all, by evidence of each bot's own blocks.

    The best is behind nobody in the mean; so bets that it finishes behind a bot at its table gain nothing, whoever that
    is, if it is chosen beforehand. Of each bot half of the stake is bet that it finishes behind the contender at its
    table that has done best so far, the rest in equal parts that it does behind each single bot. A bot whose stake
    reaches ``1 / alpha`` is out: the best ever is with a probability of at most ``alpha``, with no price for the number
    of bots.
    """

    def __init__(self, bots: Iterable[str], *, alpha: float = ALPHA) -> None:
        """All bots are contenders."""
        self.still = set(bots)
        self._others = len(self.still) - 1
        self._need = 1 / alpha
        self._leading: dict[str, EProcess] = {}
        self._ahead = dict.fromkeys(self.still, 0.0)
        """Of each bot its scores against all others, added up."""
        self._single: dict[str, dict[str, EProcess]] = {}

    def add(self, matches: Sequence[tuple[Sequence[str], Sequence[float]]]) -> None:
        """Take in a block: the bots of each match and what ``lead`` takes of each."""
        behind: dict[str, dict[str, list[float]]] = {}
        for bots, ranks in matches:
            for bot, rank in zip(bots, ranks, strict=True):
                for other, ahead in zip(bots, ranks, strict=True):
                    if bot != other:
                        behind.setdefault(bot, {}).setdefault(other, []).append(lead(ahead, other=rank))
        scores = {
            bot: {other: sum(seen) / len(seen) for other, seen in sorted(by_other.items())}
            for bot, by_other in sorted(behind.items())
        }
        seated = [bot for bot in scores if bot in self.still]
        for bot in seated:
            single = self._single.setdefault(bot, {})
            for other, score in scores[bot].items():
                single.setdefault(other, EProcess()).add(score)
            if rivals := [other for other in scores[bot] if other in self.still]:
                leader = max(rivals, key=lambda other: (self._ahead[other], other))
                self._leading.setdefault(bot, EProcess()).add(scores[bot][leader])
        for bot, by_rival in scores.items():
            self._ahead[bot] -= sum(by_rival.values())
        for bot in seated:
            if len(self.still) > 1 and self._stake(bot) >= self._need:
                self.still.remove(bot)

    def _stake(self, bot: str) -> float:
        leading = self._leading.get(bot, EProcess())
        single = self._single[bot].values()
        unmet = self._others - len(single)
        return exp(leading.log) / 2 + (sum(exp(eprocess.log) for eprocess in single) + unmet) / self._others / 2


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
