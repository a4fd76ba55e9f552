"""Which bots of a table are certainly better than which: the one answer that every place, mark and sentence goes by.

Formats that pair by results have bets of their own: each ordered pair has some on the scores of its blocks, and their
greatest wealth so far counts. A claim needs a wealth of the number of pairs that could contradict it, over alpha. How
the claims of a page share ``ALPHA``: docs/ratings.md (*A whole table*, *What is certain*). Knows names and what blocks
say of them; knows no records, games or files.
"""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import combinations, permutations
from math import exp, inf, log

from msgspec import Struct

from arena.numeric import Array, np
from arena.ratings.bets import EProcess
from arena.ratings.evidence import ALPHA
from arena.ratings.quantiles import FEWEST_BLOCKS, NORMAL, Looks, chance, holm, normal_score
from arena.ratings.uncertainty import Uncertainty


def lead(rank: float, *, other: float) -> float:
    """How far one of two bots of a match is ahead: from -1 to 1, as bets are made on it.

    By ranks, or by the scores below 0, in parts of the most by which two may differ.
    """
    return max(-1, min(other - rank, 1))


class PairwiseTests:
    """The bets on each ordered pair of bots, block after block."""

    def __init__(self, bots: Iterable[str], *, alpha: float = ALPHA) -> None:
        """Begin with the stakes; each claim is wrong in ``alpha`` at most."""
        self.bots = tuple(sorted(bots))
        self.alpha = alpha
        self._better: dict[tuple[str, str], EProcess] = {}
        """Bets that the first of a pair is better."""

    def add(
        self, matches: Sequence[tuple[Sequence[str], Sequence[float]]], *, voids: Iterable[Sequence[str]] = ()
    ) -> None:
        """Take in a block: the bots of each match and what ``lead`` takes of each; and the bots of its void matches.

        A bet that a bot is better counts a void match as one that it lost.
        """
        scores: dict[tuple[str, str], list[float]] = {}
        for bots, ranks in matches:
            for (bot, rank), (other, behind) in combinations(sorted(zip(bots, ranks, strict=True)), 2):
                scores.setdefault((bot, other), []).append(lead(rank, other=behind))
        void = Counter(pair for bots in voids for pair in combinations(sorted(bots), 2))
        for bot, other in dict.fromkeys([*scores, *void]):
            leads, lost = scores.get((bot, other), []), void[bot, other]
            played = len(leads) + lost
            self._better.setdefault((bot, other), EProcess()).add((sum(leads) - lost) / played)
            self._better.setdefault((other, bot), EProcess()).add((-sum(leads) - lost) / played)

    def wealth(self, bot: str, *, other: str) -> float:
        """The logarithm of the most that bets on the one against the other ever made; 0 if they never met."""
        bets = self._better.get((bot, other))
        return 0.0 if bets is None else bets.greatest

    def above(self, bot: str, *, other: str, pairs: int) -> bool:
        """Whether one bot is certainly better, as part of a claim that ``pairs`` pairs could contradict."""
        return self.wealth(bot, other=other) >= log(pairs / self.alpha)

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

    def top(self, places: int) -> tuple[str, ...] | None:
        """The best bots, as many as ``places``, by name, if each is certainly better than all others."""
        pairs = places * (len(self.bots) - places)
        if pairs <= 0:
            return self.bots
        beaten = {
            candidate: sum(self.above(candidate, other=other, pairs=pairs) for other in self.bots)
            for candidate in self.bots
        }
        first = sorted(self.bots, key=lambda bot: (-beaten[bot], bot))[:places]
        rest = [bot for bot in self.bots if bot not in first]
        sure = all(self.above(candidate, other=other, pairs=pairs) for candidate in first for other in rest)
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
        self._other_count = len(self.still) - 1
        self._need = 1 / alpha
        self._leading: dict[str, EProcess] = {}
        self._ahead = dict.fromkeys(self.still, 0.0)
        """Of each bot its scores against all others, added up."""
        self._single: dict[str, dict[str, EProcess]] = {}

    def add(
        self, matches: Sequence[tuple[Sequence[str], Sequence[float]]], *, voids: Iterable[Sequence[str]] = ()
    ) -> None:
        """Take in a block, as ``PairwiseTests.add``: a bet that a bot is behind counts a void match as one it won."""
        behind: dict[str, dict[str, list[float]]] = {}
        for bots, ranks in matches:
            for bot, rank in zip(bots, ranks, strict=True):
                for other, ahead in zip(bots, ranks, strict=True):
                    if bot != other:
                        behind.setdefault(bot, {}).setdefault(other, []).append(lead(ahead, other=rank))
        for bot, other in (pair for bots in voids for pair in permutations(bots, 2)):
            behind.setdefault(bot, {}).setdefault(other, []).append(-1.0)
        scores = {
            bot: {other: sum(leads) / len(leads) for other, leads in sorted(by_other.items())}
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
        unmet = self._other_count - len(single)
        return exp(leading.log) / 2 + (sum(exp(eprocess.log) for eprocess in single) + unmet) / self._other_count / 2


ALPHA = 0.05
"""How often any claim of a page may be wrong: the parts below and that of ``arena.ratings.collusion`` add up to it."""
BEST = 0.02
"""The part of which bot is the best."""
PLACES = 0.015
"""The part of who else is better than whom, and so of all other places and of marks."""
CIRCLES = 0.0025
"""The part of circles."""
SEATS = 0.0025
"""The part of seats that are better or worse than others."""
FEWEST_PAIRED = 20
"""Where line-ups depend on results, a bot that sat in fewer blocks is told apart from no other."""
_CLEAR = 1.64
"""Normal deviates: whoever is less far behind the leader may well be better."""

Better = frozenset[tuple[str, str]]
"""Pairs of which the first is certainly better than the second."""


class Gap(Struct, frozen=True, kw_only=True):
    """The difference of two bots that met, if only through others."""

    bot: str
    other: str
    score: float
    """How far the first is ahead, in normal deviates."""
    blocks: float
    """In about how many one of them sat."""
    fewest: int
    """In how many groups of blocks each of them sat at least."""
    difference: float = 0.0
    """What ``score`` is of, in the unit of the table, ..."""
    deviation: float = inf
    """... and its deviation; where it is not known, no two are ever the same."""

    @property
    def pair(self) -> tuple[str, str]:
        """The one that is ahead, and the other."""
        return (self.bot, self.other) if self.score > 0 else (self.other, self.bot)


def gaps_of(names: Sequence[str], uncertainty: Uncertainty, absent: Collection[str] = ()) -> list[Gap]:
    """The differences of every two bots of a component that are not ``absent``."""
    indices = [index for index, name in enumerate(names) if name not in absent]
    return [
        Gap(
            bot=names[first],
            other=names[other],
            score=uncertainty.score(first, other=other),
            blocks=int(uncertainty.union[first, other]) * uncertainty.blocks,
            fewest=min(uncertainty.sat[first], uncertainty.sat[other]),
            difference=uncertainty.difference(first, other=other),
            deviation=float(uncertainty.apart[first, other]),
        )
        for first, other in combinations(indices, 2)
    ]


def better_of(gaps: Iterable[Gap], *, bots: int, looks: Looks, share: float = 1.0) -> Better:
    """Who is certainly better than whom in a table of so many ``bots``, together wrong in BEST + PLACES at most.

    The bot that leads is held against each other at one level (Gutmann and Maymin 1987): the best of all is beaten by
    it with that probability. Then all other pairs are tested together. ``share`` is the part of both that the table
    has, of several on a page.
    """
    fewest = FEWEST_PAIRED if looks == "paired" else FEWEST_BLOCKS
    usable = [gap for gap in gaps if gap.fewest >= fewest]
    best = _best(usable, bots=bots, looks=looks, error=BEST * share)
    usable = [gap for gap in usable if best not in gap.pair]
    rest = bots - 1 if best else bots
    claims = max(rest * (rest - 1) // 2, 1)
    chances = {
        gap.pair: chance(gap.score, blocks=gap.blocks, looks=looks, error=PLACES * share / claims) for gap in usable
    }
    pairs = frozenset(holm(chances, error=PLACES * share, claims=claims))
    if looks == "pairs":
        # what pairs show in their matches need not go together: nothing is said of bots in a circle
        follows = closed(pairs)
        pairs = frozenset(pair for pair in pairs if pair[::-1] not in follows)
        return pairs.union((best, other) for gap in gaps if best in gap.pair for other in gap.pair if other != best)
    others = {name for gap in gaps for name in gap.pair} - {best}
    return closed(pairs.union((best, other) for other in others if best))


def _best(gaps: Sequence[Gap], *, bots: int, looks: Looks, error: float) -> str:
    """The bot that is certainly better than each other; empty if none is."""
    beaten = Counter(
        gap.pair[0] for gap in gaps if chance(gap.score, blocks=gap.blocks, looks=looks, error=error) <= error
    )
    return next((bot for bot, others in beaten.items() if others == bots - 1), "")


def same_within(
    gaps: Iterable[Gap], margin: float, *, bots: int, looks: Looks, share: float = 1.0
) -> frozenset[tuple[str, str]]:
    """Pairs, by name, whose difference is certainly less than ``margin`` either way, in a table of so many ``bots``."""
    fewest = FEWEST_PAIRED if looks == "paired" else FEWEST_BLOCKS
    error = PLACES * share / max(bots * (bots - 1) // 2, 1)
    pairs = set()
    for gap in gaps:
        room = margin - abs(gap.difference)
        if gap.fewest >= fewest and room > 0:
            score = normal_score(room / gap.deviation, freedom=gap.fewest - 1)
            if chance(score, blocks=gap.blocks, looks=looks, error=error) <= error:
                pairs.add((min(gap.pair), max(gap.pair)))
    return frozenset(pairs)


class Lead(Struct, frozen=True, kw_only=True):
    """How sure it is that the first bot of a table is the best of it."""

    first: tuple[str, ...]
    """Who leads: several where they are level."""
    certain: bool
    """Whether the first of them is the best for certain."""
    chance: float
    """About how likely it is: 1 minus the tails of its differences from all others."""
    rivals: tuple[str, ...]
    """Bots that may well be better, the nearest first."""
    others: int
    """How many others played."""


def lead_of(first: Sequence[str], others: Collection[str], gaps: Iterable[Gap], *, certain: bool) -> Lead:
    """How sure it is that the first leads; an other that it has no difference from is as good as it."""
    ahead = dict.fromkeys(others, 0.0)
    for gap in gaps:
        for side, other, score in ((gap.bot, gap.other, gap.score), (gap.other, gap.bot, -gap.score)):
            if side == first[0] and other in ahead:
                ahead[other] = score
    nearest = sorted(ahead, key=lambda bot: (ahead[bot], bot))
    near = [bot for bot in nearest if ahead[bot] < _CLEAR]
    return Lead(
        first=tuple(first),
        certain=certain,
        chance=max(1 - sum(NORMAL.cdf(-score) for score in ahead.values()), 0.0),
        rivals=tuple(near or nearest[:1]),
        others=len(ahead),
    )


def closed(pairs: Iterable[tuple[str, str]]) -> Better:
    """The pairs and all that follows from them (S. Warshall, 1962)."""
    names, better = _table(pairs)
    for middle in range(len(names)):
        better |= np.outer(better[:, middle], better[middle])
    return frozenset((names[winner], names[other]) for winner, other in np.argwhere(better).tolist())


def reduce_pairs(better: Better) -> tuple[tuple[str, str], ...]:
    """The pairs from which all others follow, by name."""
    names, table = _table(better)
    follows = table.astype(np.float32) @ table > 0
    return tuple((names[winner], names[other]) for winner, other in np.argwhere(table & ~follows).tolist())


def _table(pairs: Iterable[tuple[str, str]]) -> tuple[list[str], Array]:
    """The names, sorted, and by two of them whether the first is better."""
    pairs = list(pairs)
    names = sorted({name for pair in pairs for name in pair})
    place = {name: index for index, name in enumerate(names)}
    table = np.zeros((len(names), len(names)), bool)
    for winner, other in pairs:
        table[place[winner], place[other]] = True
    return names, table
