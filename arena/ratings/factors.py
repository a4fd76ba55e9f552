"""Outcomes as factors over the skills of their bots: messages, sites and their joint form, all of one shape at once.

All means are told relative to the present mean of the bot in that seat, so that nothing here changes when the means do.
The functions V and W of TrueSkill (Herbrich, Minka and Graepel 2007, section 3 and figure 1) are accurate far out in
the tails. Knows bots as numbers only; knows no names and not the prior.
"""

from collections.abc import Callable, Iterable, Sequence
from functools import cache
from math import erfc, exp, pi, sqrt

from arena.numeric import Array, np
from arena.ratings.outcomes import Different, Shape

_SQRT2 = sqrt(2)
_DENSITY = 1 / sqrt(2 * pi)
_FAR = 20.0
"""Beyond this many deviations tails are continued fractions: ``erfc`` ends at 37, and ``V + t`` loses digits before."""
_NARROW = 0.01
"""Strips narrower than this are power series: the difference of two ``erfc`` would lose digits."""
_DEPTH = 30
_STEPS = 512
"""Points of the tables in 1."""


def won(t: float) -> tuple[float, float]:
    """V and W of a difference of mean ``t`` and variance 1 seen above 0.

    The mean becomes ``t + V`` and the variance ``1 - W``.
    """
    if t < -_FAR:
        excess = _excess(-t)
        v = excess - t
        return v, v * excess
    v = 2 * _DENSITY * exp(-0.5 * t * t) / erfc(-t / _SQRT2)
    return v, v * (v + t)


def tied(t: float, margin: float) -> tuple[float, float]:
    """V and W of a difference of mean ``t`` and variance 1 seen within ``margin`` of 0."""
    a = abs(t)
    if margin * (1 + a) < _NARROW:
        square = margin * margin
        v = a * (square / 3 - square * square * (a * a + 2) / 45) - a
        w = 1 - square / 3 + square * square * (3 * a * a + 2) / 45
    else:
        near, far = a - margin, a + margin
        drop = exp(-2 * a * margin)
        if near > _FAR:
            # both ends measured in units of the density at the nearer one, which itself is too small a number
            mass = 1 / (near + _excess(near)) - drop / (far + _excess(far))
        else:
            mass = (erfc(near / _SQRT2) - erfc(far / _SQRT2)) / (2 * _DENSITY * exp(-0.5 * near * near))
        v = (drop - 1) / mass
        w = v * v + (far * drop - near) / mass
    # rounding, where the strip is thousands of deviations away, must not take more than all of the variance
    return (v if t >= 0 else -v), min(w, 1.0)


def _excess(z: float) -> float:
    """How far beyond ``z`` the mean of a standard normal cut to above ``z`` lies (continued fraction of Laplace)."""
    value = 0.0
    for n in range(_DEPTH, 0, -1):
        value = n / (z + value)
    return value


def won_all(t: Array) -> tuple[Array, Array]:
    """``won`` of each."""
    v = _interpolate(_v(), np.minimum(np.maximum(t, -_FAR), _FAR) + _FAR)
    w = v + t
    w *= v
    _one_by_one(won, t < -_FAR, (t,), v, w)
    return v, w


def tied_all(t: Array, margin: Array) -> tuple[Array, Array]:
    """``tied`` of each."""
    a = np.abs(t)
    near, far = a - margin, a + margin
    drop = np.exp(-2 * a * margin)
    ratio = _interpolate(_mills(), np.minimum(np.abs(near), _FAR))
    with np.errstate(all="ignore"):
        # the mass within the strip, in units of the density at its nearer end
        above = np.where(near < 0, np.exp(0.5 * near * near) / _DENSITY - ratio, ratio)
        mass = above - drop * _interpolate(_mills(), np.minimum(far, _FAR))
        v = np.copysign((drop - 1) / mass, -t)
        w = np.minimum(v * v + (far * drop - near) / mass, 1.0)
    _one_by_one(tied, (margin * (1 + a) < _NARROW) | (far > _FAR), (t, margin), v, w)
    return v, w


def _interpolate(series: Array, places: Array) -> Array:
    """The function of a table at these places, to 12 digits: its power series about the nearest point."""
    steps = places * _STEPS
    nearest = (steps + 0.5).astype(np.intp)
    steps -= nearest
    a, b, c, d = series.take(nearest, axis=0).T
    value: Array = d * steps
    value += c
    value *= steps
    value += b
    value *= steps
    value += a
    return value


@cache
def _v() -> Array:
    """V of ``won`` from -FAR on: V' = -V (V + t), and so on. numpy has no ``erfc``."""
    t = np.arange(-int(_FAR * _STEPS), int(_FAR * _STEPS) + 1) / _STEPS
    v = 2 * _DENSITY * np.exp(-0.5 * t * t) / np.array([erfc(value) for value in (-t / _SQRT2).tolist()])
    slope = -v * (v + t)
    bend = -slope * (2 * v + t) - v
    twist = -bend * (2 * v + t) - 2 * slope * (slope + 1)
    return _series(v, slope, bend, twist)


@cache
def _mills() -> Array:
    """The mass of a standard normal above each over its density there (Mills' ratio): m' = z m - 1, and so on."""
    z = np.arange(int(_FAR * _STEPS) + 1) / _STEPS
    m = np.array([erfc(value) for value in (z / _SQRT2).tolist()]) / (2 * _DENSITY * np.exp(-0.5 * z * z))
    slope = z * m - 1
    bend = m + z * slope
    twist = 2 * slope + z * bend
    return _series(m, slope, bend, twist)


def _series(value: Array, slope: Array, bend: Array, twist: Array) -> Array:
    return np.ascontiguousarray((np.array([value, slope, bend / 2, twist / 6]).T) / _STEPS ** np.arange(4))


def _one_by_one(
    of_one: Callable[..., tuple[float, float]], where: Array, arguments: Sequence[Array], *into: Array
) -> None:
    """Replace each value that is far out by the result of the function of a single value."""
    for index in np.flatnonzero(where).tolist():
        for values, value in zip(into, of_one(*(float(array[index]) for array in arguments)), strict=True):
            values[index] = value


BETA2 = (25 / 6) ** 2
"""Variance of a performance about its skill."""
_LEAST_LEFT = 1e-9
"""At least this share of a difference's variance remains, so that the site of a very rare tie stays finite."""
_TOGETHER = 8192
"""So many outcomes are worked on at once, that they stay in the caches of a processor's core."""
_PASSES = 3
_UNTIED = 2
"""Passes at most through the pairs of a match and back in one visit, with ties and without."""


def pairs_of(shape: Iterable[int]) -> list[tuple[int, int, bool]]:
    """The constraints of a match with so many bots at each rank: the better seat, the worse one, whether they tied.

    Seats run from the best rank to the last. A tie constrains all pairs of its group, and neighbouring groups all their
    cross pairs, so that no seat's place in a listing matters.
    """
    pairs: list[tuple[int, int, bool]] = []
    above = range(0)
    size = 0
    for bots in shape:
        seats = range(size, size + bots)
        pairs += [(i, j, False) for i in above for j in seats]
        pairs += [(i, j, True) for i in seats for j in seats if i < j]
        above = seats
        size += bots
    return pairs


class Sums:
    """What a visit finds of all skills together, prior apart."""

    def __init__(self, size: int) -> None:
        """Begin with nothing, among so many bots."""
        self.matrix = np.zeros(size * size)
        """Precision of the joint distribution of all skills, row by row."""
        self.right = np.zeros(size)
        """Its pull away from the means."""
        self.offered = np.zeros(size)
        """The precision that the visit would give each bot."""

    def add(self, bots: Array, counts: Array, *, inverse: Array, leanings: Array, offered: Array) -> None:
        """Add what outcomes of one shape were found to say; arrays are as those of ``Factor``."""
        size = len(self.right)
        weights = counts / BETA2
        scale = weights / BETA2
        for seat, row in enumerate(inverse):
            self.right += np.bincount(bots[seat], weights * (row * leanings).sum(axis=0), size)
            np.add.at(self.matrix, bots[seat] * (size + 1), weights - scale * row[seat])
            for other in range(seat):
                value = scale * row[other]
                np.subtract.at(self.matrix, bots[seat] * size + bots[other], value)
                np.subtract.at(self.matrix, bots[other] * size + bots[seat], value)
        for bot, values in zip(bots, offered, strict=True):
            self.offered += np.bincount(bot, counts * values, size)


class Factor:
    """All outcomes of one shape. Rows are seats or pairs, columns outcomes.

    ``arguments`` is the precision held against each seat when its cavity is formed. By pair, ``sites`` and ``pushes``
    are the normal factor on the difference: precision, and precision times relative mean; ``messages`` are the same to
    its better and its worse performance. What follows from these is not kept but found again: most of the memory of a
    fit is here.
    """

    def __init__(self, shape: Shape, bots: Array, counts: Array) -> None:
        """Take the bots by seat and outcome, and how often each outcome was seen."""
        self.shape, self.bots, self.counts = shape, bots, counts
        self.pairs = pairs_of(shape)
        seats, number = bots.shape
        self.given = np.zeros((seats, number))
        self.sites, self.pushes = np.zeros((2, len(self.pairs), number))
        self.messages = np.zeros((len(self.pairs), 4, number))

    def parts(self) -> list[slice]:
        """Outcomes that are worked on together."""
        return [slice(start, start + _TOGETHER) for start in range(0, len(self.counts), _TOGETHER)]

    def open(self, *, precision: float, margin: float, close: float, sums: Sums) -> None:
        """The first visit, while all skills are alike: one outcome is visited for all."""
        seats = len(self.bots)
        factor = Factor(self.shape, np.arange(seats)[:, None], np.ones(1))
        still = np.zeros(seats)
        factor.visit(still, np.full(seats, precision), still, margin=margin, close=close, sums=Sums(seats))
        self.messages[:], self.sites[:], self.pushes[:] = factor.messages, factor.sites, factor.pushes
        for part in self.parts():
            self._sum(part, sums)

    def visit(self, means: Array, precisions: Array, step: Array, *, margin: float, close: float, sums: Sums) -> None:
        """Take one match of each outcome out of the skills' marginals and find its message to the rest.

        The means have moved by ``step`` since the last visit. ``margin`` is the difference of performances below which
        two tie. The messages within a match rest when no site moves by more than ``close``, in means times
        ``1 / BETA2``.
        """
        for part in self.parts():
            bots = self.bots[:, part].astype(np.intp)
            cavity = precisions[bots] - self.given[:, part]
            share = 1 / (1 + cavity * BETA2)
            lean = -self.pulled(part, step) * share
            bot_means = means[bots]
            gaps = [bot_means[i] - bot_means[j] for i, j, _ in self.pairs]
            self._pass_messages(part, cavity * share, lean, gaps, margin, close / BETA2)
            self._sum(part, sums)

    def _pass_messages(
        self, part: slice, sharp: Array, lean: Array, gaps: Sequence[Array], margin: float, close: float
    ) -> None:
        tied = len(self.bots) > len(self.shape)
        passes = 1 if len(self.pairs) == 1 else _PASSES if tied else _UNTIED
        messages = self.messages[:, :, part]
        pushes = self.pushes[:, part]
        for (i, j, _), (a, b, c, d) in zip(self.pairs, messages, strict=True):
            sharp[i] += a
            lean[i] += b
            sharp[j] += c
            lean[j] += d
        last = len(self.pairs) - 1
        there_and_back = [*range(last), *range(last, 0, -1)] or [0]
        for rest in reversed(range(passes)):
            before = pushes.copy()
            for pair in there_and_back:
                self.sites[pair, part], pushes[pair] = self._hold(pair, messages[pair], sharp, lean, gaps[pair], margin)
            if rest and float(np.abs(pushes - before).max()) < close:
                break

    def _hold(
        self, pair: int, messages: Array, sharp: Array, lean: Array, gap: Array, margin: float
    ) -> tuple[Array, Array]:
        """Bring the sites of one pair to agree with the performances' cavities; their precisions, and times means.

        Most of the time of a fit is spent here, so arrays are used again where they can be.
        """
        i, j, tie = self.pairs[pair]
        a, b, c, d = messages
        sharp_i, lean_i, sharp_j, lean_j = sharp[i], lean[i], sharp[j], lean[j]
        sharp_i -= a
        lean_i -= b
        sharp_j -= c
        lean_j -= d
        variance_i = 1 / sharp_i
        variance_j = 1 / sharp_j
        mean_i = lean_i * variance_i
        mean_j = lean_j * variance_j
        variance = variance_i + variance_j
        deviation = np.sqrt(variance)
        apart = mean_i - mean_j
        t = apart + gap
        t /= deviation
        v, w = tied_all(t, margin / deviation) if tie else won_all(t - margin / deviation)
        spread = np.maximum(1 - w, _LEAST_LEFT)
        spread *= variance
        deviation *= v
        apart *= w
        push = apart + deviation
        push /= spread
        site = w / spread
        variance_j *= site
        variance_j += 1
        mean_j *= site
        mean_j += push
        np.divide(site, variance_j, out=a)
        np.divide(mean_j, variance_j, out=b)
        variance_i *= site
        variance_i += 1
        mean_i *= site
        mean_i -= push
        np.divide(site, variance_i, out=c)
        np.divide(mean_i, variance_i, out=d)
        sharp_i += a
        lean_i += b
        sharp_j += c
        lean_j += d
        return site, push

    def _sum(self, part: slice, sums: Sums) -> None:
        inverse, leanings = self._linearised(part)
        bots = self.bots[:, part].astype(np.intp)
        sums.add(bots, self.counts[part], inverse=inverse, leanings=leanings, offered=self.offered(part))

    def offered(self, part: slice) -> Array:
        """The precision that the last visit would give each seat."""
        total = np.zeros_like(self.given[:, part])
        for (i, j, _), (a, _, c, _) in zip(self.pairs, self.messages[:, :, part], strict=True):
            total[i] += a
            total[j] += c
        offered: Array = total / (1 + total * BETA2)
        return offered

    def adopt(self) -> None:
        """Hold what was offered last."""
        for part in self.parts():
            self.given[:, part] = self.offered(part)

    def pulls(self, step: Array) -> Array:
        """How strongly one match of each outcome pulls each of its bots, a row an outcome; see ``pulled``."""
        return np.concatenate([self.pulled(part, step).T for part in self.parts()])

    def _linearised(self, part: slice) -> tuple[Array, Array]:
        """Covariance of the performances, were the skills known, and by seat the sites' precision times mean."""
        seats = range(len(self.bots))
        leanings = self._leanings(part)
        inverse = np.zeros((len(seats), *leanings.shape))
        for seat in seats:
            inverse[seat, seat] = 1 / BETA2
        for (i, j, _), site in zip(self.pairs, self.sites[:, part], strict=True):
            inverse[i, i] += site
            inverse[j, j] += site
            inverse[i, j] -= site
            inverse[j, i] -= site
        for pivot in seats:  # Gauss and Jordan in place; the matrix is diagonally dominant
            scale = 1 / inverse[pivot, pivot]
            inverse[pivot, pivot] = 1.0
            inverse[pivot] *= scale
            for seat in seats:
                if seat != pivot:
                    times = inverse[seat, pivot].copy()
                    inverse[seat, pivot] = 0.0
                    inverse[seat] -= times * inverse[pivot]
        return inverse, leanings

    def _leanings(self, part: slice) -> Array:
        total = np.zeros_like(self.given[:, part])
        for (i, j, _), push in zip(self.pairs, self.pushes[:, part], strict=True):
            total[i] += push
            total[j] -= push
        return total

    def pulled(self, part: slice, step: Array) -> Array:
        """How strongly one match pulls each skill, after the means have moved by ``step`` since the last visit."""
        moves = step[self.bots[:, part]]
        pulls: Array = (self._solved(part, self._leanings(part) + moves / BETA2) - moves) / BETA2
        return pulls

    def _solved(self, part: slice, right: Array) -> Array:
        """``inverse`` times ``right``, in the place of ``right``: by elimination, past all that is nothing."""
        seats = range(len(self.bots))
        diagonal = [np.full(right.shape[1], 1 / BETA2) for _ in seats]
        beside: list[dict[int, Array]] = [{} for _ in seats]
        for (i, j, _), site in zip(self.pairs, self.sites[:, part], strict=True):
            diagonal[i] += site
            diagonal[j] += site
            beside[i][j] = site
        for pivot in seats:
            for seat, site in beside[pivot].items():
                times = site / diagonal[pivot]
                diagonal[seat] -= times * site
                right[seat] += times * right[pivot]
                for other, value in beside[pivot].items():
                    if other > seat:
                        beside[seat][other] = beside[seat].get(other, 0.0) + times * value
        for pivot in reversed(seats):
            for seat, site in beside[pivot].items():
                right[pivot] += site * right[seat]
            right[pivot] /= diagonal[pivot]
        return right


def factors_of(outcomes: Iterable[Different]) -> list[Factor]:
    """The factors of these outcomes, a shape each."""
    return [Factor(outcome.shape, outcome.bots.T.copy(), outcome.counts) for outcome in outcomes]
