"""The skills by which rounds are paired: rated match by match as rounds end, by the ``trueskill`` package.

They depend on the order of the rounds, as pairings do. The final table is made by ``arena.ratings.fit`` and does not.
Where the score counts, a skill is the mean of how far a bot was ahead of the others at its tables, in points.
Knows bots, ranks and scores; knows no format.
"""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Sequence
from itertools import groupby
from math import inf, sqrt
from statistics import NormalDist, fmean

from arena.chance import Chance
from arena.formats.format import LineUp, Played, Result, places_of
from arena.formats.schedule import SeatingOrders
from arena.ratings import MU, fit
from arena.ratings.pairwise import lead
from arena.ratings.single import quality, rate
from arena.ratings.table import SIGMA

_NORMAL = NormalDist()
_DIGITS = 6
"""Skills are compared to this many decimals: beyond, machines may differ."""
_EQUAL = 12
"""Points are equal to this many decimals: beyond, interpreters add floats up in other ways."""
_RATING_DIGITS = 4
"""Ratings that are equal to this many decimals share a place, as they share a rank of the leaderboard."""


class Skills:
    """Mean and deviation of each bot's skill, as the matches so far tell."""

    def __init__(self, bots: Iterable[str]) -> None:
        """Begin with the prior of a bot without matches."""
        self._skills = dict.fromkeys(bots, (MU, SIGMA))
        self._tied = 0
        self._neighbours = 0
        self._matches: Counter[str] = Counter()
        self._ahead: defaultdict[str, float] = defaultdict(float)
        """Where the score counts, by bot how far it was ahead of the mean of its others, added up, ..."""
        self._squares = 0.0
        """... and the squares of all of these."""

    def add(self, played: Iterable[Played]) -> None:
        """Rate the matches of a round, in the order of its line-ups."""
        for block in played:
            for bots, ranks in block.matches():
                if block.scores:
                    for bot, behind in zip(bots, ranks, strict=True):
                        ahead = (sum(ranks) - len(ranks) * behind) / (len(ranks) - 1)
                        self._matches[bot] += 1
                        self._ahead[bot] += ahead
                        self._squares += ahead * ahead
                    continue
                self._neighbours += len(ranks) - 1
                self._tied += len(ranks) - len(set(ranks))
                before = [self._skills[bot] for bot in bots]
                try:
                    after = rate(before, ranks, draw_probability=self._draw_probability)
                except FloatingPointError:
                    # the package cannot tell this upset from an impossible one: later matches will show
                    continue
                self._skills.update(zip(bots, after, strict=True))
        if self._ahead:
            # as if each bot had one match more, in which it was level
            deviation = sqrt(self._squares / self._matches.total()) or 1.0
            for bot in self._skills:
                matches = self._matches[bot] + 1
                self._skills[bot] = self._ahead[bot] / matches, deviation / sqrt(matches)

    @property
    def _draw_probability(self) -> float:
        return (self._tied + 1) / (self._neighbours + 2)

    def drawn(self, chance: Chance) -> dict[str, float]:
        """For each bot a skill that it may have, drawn from its mean and deviation (W. R. Thompson, 1933)."""
        return {
            bot: round(mu + sigma * _NORMAL.inv_cdf((chance.below(1 << 53) + 0.5) / (1 << 53)), _DIGITS)
            for bot, (mu, sigma) in self._skills.items()
        }

    @property
    def estimates(self) -> dict[str, tuple[float, float]]:
        """For each bot the mean of its skill and its deviation."""
        return {bot: (round(mu, _DIGITS), round(sigma, _DIGITS)) for bot, (mu, sigma) in self._skills.items()}

    def quality(self, bots: Sequence[str]) -> float:
        """How even a match of these would be: the probability of a draw, as a share of that among equals.

        Where the score counts, the least of their means minus the greatest: 0 among equals.
        """
        if self._ahead:
            means = [self._skills[bot][0] for bot in bots]
            return round(min(means) - max(means), _DIGITS)
        return round(quality([self._skills[bot] for bot in bots], self._draw_probability), _DIGITS)


def standing(bots: Sequence[str], played: Iterable[Played]) -> list[list[str]]:
    """The bots by their rating over all these matches at once; those of equal rating together, in their order here.

    Where the score counts, by their mean scores; those without a match come last.
    """
    blocks = list(played)
    if any(block.scores for block in blocks):
        scores: dict[str, list[float]] = {}
        for block in blocks:
            for seated, behind in block.matches():
                for bot, below in zip(seated, behind, strict=True):
                    scores.setdefault(bot, []).append(-below)
        strength = {bot: fmean(scores[bot]) if bot in scores else -inf for bot in bots}
    else:
        matches = ((seated, [*map(int, ranks)]) for block in blocks for seated, ranks in block.matches())
        ratings = fit(matches, bots).ratings
        strength = {bot: ratings[bot].rating for bot in bots}
    order = sorted(bots, key=lambda bot: (-round(strength[bot], _DIGITS), bots.index(bot)))
    return [list(group) for _, group in groupby(order, key=lambda bot: round(strength[bot], _RATING_DIGITS))]


def result_of(bots: Sequence[str], played: Iterable[Played]) -> Result:
    """The bots in the order of their ratings; all advance."""
    order = standing(bots, played)
    return Result(places=places_of(order), through=in_order(order))


def put_first(groups: Iterable[Sequence[str]], first: Collection[str]) -> list[list[str]]:
    """The groups with these bots before all others."""
    every = list(groups)
    parts = [[bot for bot in group if (bot in first) is put] for put in (True, False) for group in every]
    return [part for part in parts if part]


def together_first(groups: Iterable[Sequence[str]], first: Sequence[str]) -> list[list[str]]:
    """The groups behind one of these bots, who share the first place; if there are none, as they are."""
    rest = [[bot for bot in group if bot not in first] for group in groups]
    return [group for group in ([*first], *rest) if group]


def in_order(groups: Iterable[Iterable[str]]) -> tuple[str, ...]:
    """The bots of these groups, one after the other."""
    return tuple([bot for group in groups for bot in group])


def points(bots: Sequence[str], played: Iterable[Played]) -> dict[str, float]:
    """The share of opponents that each bot finished ahead of, a tie half; best first, equal ones as in ``bots``.

    Where the score counts, a lead counts as the part that it is of the most there is.
    """
    doubled: defaultdict[str, float] = defaultdict(float)
    opponents: Counter[str] = Counter()
    for block in played:
        for line_up, ranks in block.matches():
            for bot, rank in zip(line_up, ranks, strict=True):
                doubled[bot] += sum(lead(rank, other=other) for other in ranks)
                opponents[bot] += len(ranks) - 1
    share = {bot: round(0.5 + doubled[bot] / 2 / max(opponents[bot], 1), _EQUAL) for bot in bots}
    return dict(sorted(share.items(), key=lambda entry: -entry[1]))


class Seating:
    """Seating orders in which the same neighbours sit next to each other as seldom as can be."""

    def __init__(self, bots: Iterable[str], chance: Chance) -> None:
        """``chance`` decides whatever is left open."""
        self._names = sorted(bots)
        self._numbers = {name: number for number, name in enumerate(self._names)}
        self._orders = SeatingOrders(len(self._names))
        self._chance = chance

    def seat(self, bots: Iterable[str]) -> LineUp:
        """These bots at a table."""
        numbers = sorted(self._numbers[bot] for bot in bots)
        return tuple([self._names[number] for number in self._orders.seat(numbers, self._chance)])
