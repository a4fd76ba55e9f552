"""Mean scores of bots, and how surely two of them differ, from whole blocks: for games in which the score counts.

A mean is over the matches that the schedule gave a bot, so only bots that met the same others are held against each
other. Knows names, scores and blocks; knows no records, games or files.
"""

from collections.abc import Collection
from math import sqrt

from msgspec import Struct

from arena.numeric import Array, np
from arena.ratings.outcomes import EPOCH, Outcomes
from arena.ratings.pairwise import Better, Gap, better_of, gaps_of
from arena.ratings.quantiles import FEWEST_BLOCKS, SIDE, Looks, student
from arena.ratings.table import STILL, Fit
from arena.ratings.uncertainty import Uncertainty, group_blocks, uncertainty_of


class MeanScores(Struct, frozen=True, eq=False, kw_only=True):
    """Of the bots that played, by name."""

    names: tuple[str, ...]
    known: Uncertainty
    """Of the mean scores, in the game's own unit."""
    alike: Array
    """By two bots whether they met the same others, in the same epochs."""

    def interval(self, bot: str) -> tuple[float, float] | None:
        """Where the mean score of a bot lies with 95 % confidence; None if it sat in too few blocks."""
        index = self.names.index(bot) if bot in self.names else -1
        if index < 0 or (sat := self.known.sat[index]) < FEWEST_BLOCKS:
            return None
        deviation = sqrt(float((self.known.moves[index] ** 2).sum()) * sat / (sat - 1))
        half = student(SIDE, sat - 1) * max(deviation, float(self.known.greatest[index]))
        return self.known.means[index] - half, self.known.means[index] + half

    def gaps(self, past: Collection[str], looks: Looks) -> list[Gap]:
        """The differences of bots that may be held against each other: none where line-ups follow from results."""
        if looks == "paired":
            return []
        place = {name: index for index, name in enumerate(self.names)}
        every = gaps_of(self.names, self.known, past)
        return [gap for gap in every if self.alike[place[gap.one], place[gap.other]]]


def better_in(
    fit: Fit, *, past: Collection[str] = (), looks: Looks = "one", scores: MeanScores | None = None
) -> Better:
    """Who is certainly better than whom, without the bots of the past: by ratings, or by ``scores`` if there are."""
    gaps = [gap for solution in fit.solutions for gap in gaps_of(solution.names, uncertainty_of(fit, solution), past)]
    gaps = gaps if scores is None else scores.gaps(past, looks)
    return better_of(gaps, bots=len(fit.ratings) - len(past), looks=looks)


def mean_scores(outcomes: Outcomes, *, bots: Array, scores: Array, blocks: Array) -> MeanScores:
    """The mean scores of the matches in these rows, of which ``outcomes`` tell how they ended.

    ``bots`` are places among the names of the outcomes, and ``scores`` are theirs: a column a seat, -1 among the bots
    beyond the last one.
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
    matches = counts.sum(axis=1)
    means = totals.sum(axis=1) / matches
    moves = (totals - means[:, None] * counts) / matches[:, None]
    both = (counts > 0).astype(np.int64)
    sat = both.sum(axis=1)
    seen = sat[:, None] + sat - both @ both.T
    # a difference deviates at least as much as one match would make of it, had it ended otherwise
    greatest = (scored.max(initial=0.0) - scored.min(initial=0.0)) / matches
    squares = np.array([((moves - of_bot) ** 2).sum(axis=1) for of_bot in moves]).reshape(size, size) + STILL**2
    apart = np.maximum(np.sqrt(squares * seen / np.maximum(seen - 1, 1)), greatest[:, None] + greatest)
    known = Uncertainty(
        means=means.tolist(),
        moves=moves,
        sat=sat.tolist(),
        seen=seen,
        apart=apart,
        least=greatest,
        greatest=greatest,
        classes=(outcomes.names,),
        blocks=max(len(every) / number, 1.0),
    )
    return MeanScores(names=outcomes.names, known=known, alike=_alike(bots, blocks >> EPOCH, size))


def _alike(bots: Array, epochs: Array, size: int) -> Array:
    """By two bots whether they sat in the same epochs and met the same others, themselves aside."""
    met = np.zeros((size, size), bool)
    numbers, epoch = np.unique(epochs, return_inverse=True)
    sat = np.zeros((size, len(numbers)), bool)
    for index, one in enumerate(bots.T):
        sat[one[one >= 0], epoch[one >= 0]] = True
        for other in bots.T[:index]:
            rows = (one >= 0) & (other >= 0)
            met[one[rows], other[rows]] = met[other[rows], one[rows]] = True
    kept = np.concatenate([met, sat], axis=1).astype(np.float32)
    differing = kept @ (1 - kept).T
    alike: Array = differing + differing.T == 2 * met
    return alike
