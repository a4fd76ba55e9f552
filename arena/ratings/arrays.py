"""Factors as arrays of numpy: all outcomes of one shape are updated at once, as ``arena.ratings.factor`` updates one.

For runs in which nearly every match is a different outcome. It is the same model with the same sums, so the ratings
agree to far more digits than are shown. Knows bots as numbers only.
"""

from array import array
from collections.abc import Sequence
from typing import Any, TypeAlias

import numpy as np

from arena.ratings.factor import BETA2, LEAST_LEFT, pairs_of
from arena.ratings.outcomes import Outcomes
from arena.ratings.truncated_arrays import tied_all, won_all
from arena.spill import Reals, Spill

Array: TypeAlias = "np.ndarray[Any, np.dtype[Any]]"

_TOGETHER = 8192
"""So many outcomes are worked on at once, that they stay in the caches of a processor's core."""
_PASSES = 3
_UNTIED = 2
"""Passes for outcomes with ties and without. Fewer than ``arena.ratings.factor.PASSES``: all that are worked on
together do as many as the slowest of them."""


class Sums:
    """What a visit finds of all skills together, prior apart."""

    def __init__(self, size: int) -> None:
        """Begin with nothing, among so many bots."""
        self.matrix = np.zeros(size * size)
        """Precision of the joint distribution of all skills, row by row."""
        self.right = np.zeros(size)
        """Its pull away from the means."""
        self.offered = np.zeros(size)
        """As ``arena.ratings.factors.Factors``."""

    def add(self, bots: Array, counts: Array, *, inverse: Array, leanings: Array, offered: Array) -> None:
        """Add what outcomes of one shape were found to say; arrays are as those of ``Alike``."""
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


class Alike:
    """All outcomes of one shape: so many bots at each rank. Rows are seats or pairs, columns outcomes.

    The attributes are those of ``arena.ratings.factor.Factor``. What follows from them is not kept but found again,
    for most of the memory of a long fit is here.
    """

    def __init__(self, outcomes: Outcomes, spill: Spill) -> None:
        """Take the bots by seat and outcome, and how often each outcome was seen.

        Raises:
            OSError: as ``arena.spill.Spill.whole``.
        """
        self.counts = np.frombuffer(outcomes.counts, f"u{outcomes.counts.itemsize}")
        self.bots = np.frombuffer(outcomes.bots, f"u{outcomes.bots.itemsize}").reshape(len(self.counts), -1).T
        self.shape = outcomes.shape
        self.pairs = pairs_of(outcomes.shape)
        seats, number = self.bots.shape
        self.passes = 1 if len(self.pairs) == 1 else _UNTIED if seats == len(outcomes.shape) else _PASSES
        pairs = len(self.pairs)
        room = np.asarray(spill.real((seats + 6 * pairs) * number)).reshape(-1, number)
        self.given, self.sites, self.pushes, messages = np.split(room, np.cumsum([seats, pairs, pairs]))
        self.messages = messages.reshape(pairs, 4, number)

    def parts(self) -> list[slice]:
        """Outcomes that are worked on together."""
        return [slice(start, start + _TOGETHER) for start in range(0, len(self.counts), _TOGETHER)]

    def open(self, *, precision: float, margin: float, close: float, sums: Sums) -> None:
        """The first visit, to one outcome for all."""
        seats = len(self.bots)
        numbers = array("I", range(seats))
        one = Alike(Outcomes(shape=self.shape, bots=numbers, counts=array("L", [1]), places=array("i")), Spill())
        still = np.zeros(seats)
        one.visit(still, np.full(seats, precision), still, margin=margin, close=close, sums=Sums(seats))
        self.messages[:] = one.messages
        self.sites[:] = one.sites
        self.pushes[:] = one.pushes
        for part in self.parts():
            self._sum(part, sums)

    def visit(self, means: Array, precisions: Array, step: Array, *, margin: float, close: float, sums: Sums) -> None:
        """Visit every outcome after the means have moved by ``step``, and sum up what is found."""
        for part in self.parts():
            bots = self.bots[:, part].astype(np.intp)
            cavity = precisions[bots] - self.given[:, part]
            share = 1 / (1 + cavity * BETA2)
            lean = -self.pulled(part, step) * share
            at = means[bots]
            gaps = [at[i] - at[j] for i, j, _ in self.pairs]
            self._pass_messages(part, cavity * share, lean, gaps, margin, close / BETA2)
            self._sum(part, sums)

    def _pass_messages(
        self, part: slice, sharp: Array, lean: Array, gaps: Sequence[Array], margin: float, close: float
    ) -> None:
        messages = self.messages[:, :, part]
        pushes = self.pushes[:, part]
        for (i, j, _), (a, b, c, d) in zip(self.pairs, messages, strict=True):
            sharp[i] += a
            lean[i] += b
            sharp[j] += c
            lean[j] += d
        last = len(self.pairs) - 1
        there_and_back = [*range(last), *range(last, 0, -1)] or [0]
        for left in reversed(range(self.passes)):
            before = pushes.copy()
            for pair in there_and_back:
                self.sites[pair, part], pushes[pair] = self._hold(pair, messages[pair], sharp, lean, gaps[pair], margin)
            if left and float(np.abs(pushes - before).max()) < close:
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
        left = np.maximum(1 - w, LEAST_LEFT)
        left *= variance
        deviation *= v
        apart *= w
        push = apart + deviation
        push /= left
        site = w / left
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
        """Sum up what the last visit found."""
        inverse, leanings = self._linearised(part)
        bots = self.bots[:, part].astype(np.intp)
        sums.add(bots, self.counts[part], inverse=inverse, leanings=leanings, offered=self._offered(part))

    def _offered(self, part: slice) -> Array:
        found = np.zeros_like(self.given[:, part])
        for (i, j, _), (a, _, c, _) in zip(self.pairs, self.messages[:, :, part], strict=True):
            found[i] += a
            found[j] += c
        return found / (1 + found * BETA2)

    def adopt(self) -> None:
        """Accept the values that were offered last."""
        for part in self.parts():
            self.given[:, part] = self._offered(part)

    def _linearised(self, part: slice) -> tuple[Array, Array]:
        """``inverse`` and ``leanings`` of ``arena.ratings.factor.Factor``."""
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
        for pivot in seats:  # Gauss and Jordan in place, as in ``Factor.linearise``
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
        found = np.zeros_like(self.given[:, part])
        for (i, j, _), push in zip(self.pairs, self.pushes[:, part], strict=True):
            found[i] += push
            found[j] -= push
        return found

    def pulled(self, part: slice, step: Array) -> Array:
        """The pulls after the means have moved by ``step``, bot by bot, since the last visit."""
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


class Arrays:
    """All outcomes of a component, by their shapes."""

    def __init__(self, alike: Sequence[Alike], size: int, spill: Spill) -> None:
        """Take the outcomes among so many bots."""
        self._alike = alike
        self._spill = spill
        self._sums = Sums(size)
        self._step = np.zeros(size)

    def open(self, *, precision: float, margin: float, close: float) -> None:
        """As ``arena.ratings.factors.Factors``."""
        for each in self._alike:
            each.open(precision=precision, margin=margin, close=close, sums=self._sums)

    def visit(self, *, means: Sequence[float], precisions: Sequence[float], margin: float, close: float) -> None:
        """As ``arena.ratings.factors.Factors``."""
        self._sums = Sums(len(means))
        of_bots = np.array(means), np.array(precisions), self._step
        for each in self._alike:
            each.visit(*of_bots, margin=margin, close=close, sums=self._sums)

    def joint(self, prior: float, means: Sequence[float]) -> tuple[list[dict[int, float]], list[float]]:
        """As ``arena.ratings.factors.Factors``."""
        rows = self._sums.matrix.reshape(len(means), -1) + prior * np.eye(len(means))
        right = self._sums.right - prior * np.array(means)
        return [{at: value for at, value in enumerate(row.tolist()) if value} for row in rows], right.tolist()

    def follow(self, step: Sequence[float]) -> None:
        """As ``arena.ratings.factors.Factors``."""
        self._step = np.array(step)

    def offered(self) -> list[float]:
        """As ``arena.ratings.factors.Factors``."""
        return [float(value) for value in self._sums.offered]

    def adopt(self) -> None:
        """As ``arena.ratings.factors.Factors``."""
        for each in self._alike:
            each.adopt()

    def pulls(self) -> Reals:
        """As ``arena.ratings.factors.Factors``.

        Raises:
            OSError: as ``arena.spill.Spill.whole``.
        """
        room = self._spill.real(sum(each.bots.size for each in self._alike))
        found, end = np.asarray(room), 0
        for each in self._alike:
            for part in each.parts():
                pulls = each.pulled(part, self._step).T
                found[end : end + pulls.size] = pulls.ravel()
                end += pulls.size
        return room
