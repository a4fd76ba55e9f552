"""Mean scores of bots, and how surely two of them differ, from whole blocks: for games in which the score counts.

A mean is over the matches that the schedule gave a bot, so only bots that met the same others are held against each
other. Knows names, scores and blocks; knows no records, games or files.
"""

from collections import Counter
from collections.abc import Collection, Sequence
from math import inf, sqrt

from msgspec import Struct

from arena.numeric import Array, np
from arena.ratings.outcomes import EPOCH, Outcomes
from arena.ratings.pairwise import Gap, gaps_of
from arena.ratings.quantiles import FEWEST_BLOCKS, SIDE, Looks, student
from arena.ratings.table import STILL
from arena.ratings.uncertainty import Uncertainty, group_blocks


class MeanScores(Struct, frozen=True, eq=False, kw_only=True):
    """Of the bots that played, by name."""

    names: tuple[str, ...]
    uncertainty: Uncertainty
    """Of the mean scores, in the game's own unit."""
    alike: Array
    """By two bots whether they met the same others, in the same epochs."""
    bounded: bool = True
    """Whether the game bounds scores. Else one rare score may outweigh all that was seen, and nothing is certain."""
    bounds: tuple[float, float] = (-inf, inf)
    """The least and the greatest score, as far as they are known."""

    @property
    def by_bot(self) -> dict[str, float]:
        """The mean score of each bot that played."""
        columns = zip(self.names, self.uncertainty.means, self.uncertainty.sat, strict=True)
        return {name: mean for name, mean, sat in columns if sat}

    def interval(self, bot: str) -> tuple[float, float] | None:
        """Where the mean score of a bot lies with 95 % confidence; None if it sat in too few blocks."""
        index = self.names.index(bot) if bot in self.names else -1
        if index < 0 or (sat := self.uncertainty.sat[index]) < FEWEST_BLOCKS:
            return None
        deviation = sqrt(float((self.uncertainty.moves[index] ** 2).sum()) * sat / (sat - 1))
        half = student(SIDE, sat - 1) * max(deviation, float(self.uncertainty.greatest[index]))
        mean, (least, most) = self.uncertainty.means[index], self.bounds
        return max(mean - half, least), min(mean + half, most)

    def gaps(self, past: Collection[str], looks: Looks) -> list[Gap]:
        """The differences of bots that may be held against each other: none where line-ups follow from results."""
        if looks == "paired" or not self.bounded:
            return []
        place = {name: index for index, name in enumerate(self.names)}
        every = gaps_of(self.names, self.uncertainty, past)
        return [gap for gap in every if self.alike[place[gap.bot], place[gap.other]]]


def scores_of_matches(outcomes: Outcomes, matches: Sequence[tuple[int, Sequence[str], Sequence[float]]]) -> MeanScores:
    """``mean_scores`` of these matches, each its block and the bot and score in each seat; scores are parts of 1."""
    place = {name: index for index, name in enumerate(outcomes.names)}
    bots = np.array([[place[bot] for bot in seated] for _, seated, _ in matches])
    scores = np.array([points for *_, points in matches], float)
    return mean_scores(outcomes, bots=bots, scores=scores, blocks=np.array([block for block, *_ in matches]), span=1.0)


def mean_scores(
    outcomes: Outcomes,
    *,
    bots: Array,
    scores: Array,
    blocks: Array,
    span: float | None = None,
    bounds: tuple[float, float] = (-inf, inf),
) -> MeanScores:
    """The mean scores of the matches in these rows, of which ``outcomes`` tell how they ended.

    ``bots`` are places among the names of the outcomes, and ``scores`` are theirs: a column a seat, -1 among the bots
    beyond the last one. ``span`` is all that lies between the bounds of a score; None: the game has none.
    """
    size = len(outcomes.names)
    every, group = group_blocks(outcomes, size)
    number = int(group.max(initial=0)) + 1
    here = bots >= 0
    seated, scored = bots[here].astype(np.int64), scores[here].astype(float)
    block = np.broadcast_to(blocks[:, None], bots.shape)[here]
    cells = seated * number + group[np.searchsorted(every, block)]
    counts, totals = (
        np.bincount(cells, weights, size * number).reshape(size, number) for weights in (np.ones(len(cells)), scored)
    )
    matches = np.maximum(counts.sum(axis=1), 1)
    means = totals.sum(axis=1) / matches
    moves = (totals - means[:, None] * counts) / matches[:, None]
    both = (counts > 0).astype(np.int64)
    sat = both.sum(axis=1)
    union = sat[:, None] + sat - both @ both.T
    # a difference deviates as if one block more had ended at the other bound, and at least as much as that makes for
    # both bots: a prize may not have come yet, and one that is in a deal comes in all matches of its block
    seen_span = float(scored.max(initial=0.0) - scored.min(initial=0.0))
    of_block = np.unique(seated * len(every) + np.searchsorted(every, block))
    greatest = max(span or 0.0, seen_span) / np.bincount(of_block // len(every), minlength=size)
    squares = np.array([((moves - of_bot) ** 2).sum(axis=1) for of_bot in moves]).reshape(size, size) + STILL**2
    squares = squares * union / np.maximum(union - 1, 1) + np.maximum(greatest[:, None], greatest) ** 2
    apart = np.maximum(np.sqrt(squares), greatest[:, None] + greatest)
    uncertainty = Uncertainty(
        means=means.tolist(),
        moves=moves,
        sat=sat.tolist(),
        union=union,
        apart=apart,
        least=greatest,
        greatest=greatest,
        classes=(outcomes.names,),
        blocks=1.0 if outcomes.nights and number < len(every) else max(len(every) / number, 1.0),
        shrunk=_shrunk(outcomes, matches, span),
    )
    alike = _alike(bots, blocks >> EPOCH, size)
    return MeanScores(names=outcomes.names, uncertainty=uncertainty, alike=alike, bounded=bool(span), bounds=bounds)


def _shrunk(outcomes: Outcomes, matches: Array, span: float | None) -> "Array | None":
    """``Uncertainty.shrunk``: in a void match a bot got less than its mean by all that lies between the bounds."""
    if not outcomes.voids or not span:
        return None
    void = Counter(bot for bots in outcomes.voids for bot in bots)
    missed = np.array([void[name] for name in outcomes.names])
    falls: Array = span * missed / (matches + missed)
    return np.repeat(falls[:, None], len(falls), axis=1)


def _alike(bots: Array, epochs: Array, size: int) -> Array:
    """By two bots whether they sat in the same epochs and met the same others, themselves aside."""
    met = np.zeros((size, size), bool)
    numbers, epoch = np.unique(epochs, return_inverse=True)
    sat = np.zeros((size, len(numbers)), bool)
    for index, column in enumerate(bots.T):
        sat[column[column >= 0], epoch[column >= 0]] = True
        for other in bots.T[:index]:
            rows = (column >= 0) & (other >= 0)
            met[column[rows], other[rows]] = met[other[rows], column[rows]] = True
    profile = np.concatenate([met, sat], axis=1).astype(np.float32)
    differing = profile @ (1 - profile).T
    alike: Array = differing + differing.T == 2 * met
    return alike
