"""Luck as a control variate: what is taken off has a mean of 0, cannot take all of a stake, and saves blocks."""

from collections.abc import Iterator
from itertools import product
from math import exp
from random import Random
from statistics import fmean

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.ratings.bets import FRACTIONS, MOST, NO_CORRECTION, ControlVariate, Correction, EProcess, luck_of_match
from arena.ratings.evidence import Evidence
from tests.ratings.matches import Recorder
from tests.ratings.test_evidence import drawn

GAINS = st.floats(0.01, 0.9)


@given(st.lists(GAINS, min_size=1, max_size=7), st.data())
def test_luck_of_a_match_is_even_and_bounded(gains: list[float], data: st.DataObject) -> None:
    """Over all ways that chance can fall its mean is 0, whatever players make of it, and it is never beyond MOST.

    What an event is about may hang on what fell before: here each event has another stake after luck than after none.
    """
    after = data.draw(st.lists(GAINS, min_size=len(gains), max_size=len(gains)))
    total = 0.0
    for fallen in product((1, -3), repeat=len(gains)):
        likely, events = 1.0, []
        for at, way in enumerate(fallen):
            gain = gains[at] if at == 0 or fallen[at - 1] < 0 else after[at]
            likely *= 3 / 4 if way == 1 else 1 / 4
            events.append((way * gain / 3, gain))
        luck = luck_of_match(events)
        assert abs(luck) <= MOST
        total += likely * luck
    assert total == pytest.approx(0, abs=1e-12)


def test_luck_beyond_its_span_is_refused() -> None:
    """A gain that an event could not give is an error of the game, and so is what is no number."""
    for gain in (0.3, float("nan")):
        with pytest.raises(ValueError, match=r"expected luck of at most 0\.2, got"):
            luck_of_match([(gain, 0.2)])


@given(st.lists(st.tuples(st.floats(-1, 1), st.floats(-MOST, MOST)), max_size=30), st.floats(-MOST, MOST))
def test_the_coefficient_is_of_the_past(blocks: list[tuple[float, float]], luck: float) -> None:
    """What is taken off a block is its luck times a factor that the block itself does not change."""
    for score in (-1.0, 0.3):
        control = ControlVariate()
        for past in blocks:
            control.take(past[0], luck=past[1])
        coefficient = control.coefficient
        expected = Correction(luck=coefficient * luck, most=coefficient * MOST) if luck else NO_CORRECTION
        assert control.take(score, luck=luck) == expected
        assert 0 <= coefficient <= 2


@given(st.floats(-0.9, 0.9), st.floats(0, 2), st.sampled_from((1, -1)), st.floats(-1, 1))
def test_a_bet_without_luck_is_fair_and_never_loses_all(
    bound: float, coefficient: float, sign: int, leaning: float
) -> None:
    """At the widest scores of a mean, and the widest luck, a bet is worth its stake and something is always left.

    However luck goes along with the score: ``leaning`` is how much of it falls on the side of the better score.
    """
    win = (1 + bound) / 2
    least = min(win, 1 - win)
    worth = [0.0] * len(FRACTIONS)
    for score, side in product((1, -1), repeat=2):
        likely = (win if score == 1 else 1 - win) / 2 + score * side * leaning * least / 2
        wealth = EProcess(bound)
        wealth.add(score, Correction(luck=sign * side * coefficient * MOST, most=coefficient * MOST))
        worth = [before + likely * exp(log) for before, log in zip(worth, wealth.logs, strict=True)]
    assert worth == pytest.approx([1.0] * len(FRACTIONS))


def lucky(gap: float, seed: int, part: float = 0.5) -> Iterator[tuple[float, float]]:
    """Block scores as ``drawn`` gives them and luck that goes along with them: so much of their spread."""
    random = Random(-seed - 1)
    for score in drawn(gap, seed):
        luck = random.choice((-0.25, 0.25))
        yield max(-1.0, min(1.0, score * (1 - part) ** 0.5 + luck * part**0.5)), luck


def until_found(gap: float, seed: int, most: int, *, luck: bool) -> Evidence:
    """The evidence at the block at which something is found, or after so many, with luck taken off or left on."""
    found = Evidence()
    for score, chance in lucky(gap, seed):
        found.add(score, luck=chance if luck else 0.0)
        if found.finding != "undecided" or found.blocks == most:
            break
    return found


def test_luck_is_taken_off_scores() -> None:
    """The mean has no luck in it, its interval is narrower and keeps zero, and the saving is that of the variance."""
    plain, without = Evidence(), Evidence()
    for (score, luck), _ in zip(lucky(0, 3), range(300), strict=False):
        plain.add(score)
        without.add(score, luck=luck)
    assert without.as_played == pytest.approx(plain.mean)
    assert without.mean == pytest.approx(without.as_played - without.luck)
    (low, high), (lowest, highest) = without.interval(), plain.interval()
    assert high - low < 0.9 * (highest - lowest)
    assert low < 0 < high
    assert plain.saving is None
    assert without.saving is not None
    assert 1.3 < without.saving < 3


def test_a_gate_takes_luck_off_too() -> None:
    """A ratio test comes to its end sooner."""
    blocks = []
    for luck in (True, False):
        count = 0
        for seed in range(15):
            gate = Evidence(gate=(0.0, 0.075))
            for score, chance in lucky(0, seed):
                gate.add(score, luck=chance if luck else 0.0)
                if gate.answered:
                    break
            count += gate.blocks
        blocks.append(count)
    assert blocks[0] < 0.9 * blocks[1]


@pytest.mark.proof
@pytest.mark.timeout(900)
def test_equal_bots_with_luck_taken_off_are_hardly_ever_called_different(record_property: Recorder) -> None:
    """Of equal bots, looked at after each of 600 blocks with luck taken off, 5 of 100 or fewer are called different."""
    found = sum(until_found(0, seed, 600, luck=True).finding != "undecided" for seed in range(300))
    record_property("called different", f"{found} of 300")
    assert found <= 15
    sooner = [fmean(until_found(0.2, seed, 3000, luck=luck).blocks for seed in range(60)) for luck in (False, True)]
    record_property("mean blocks, 0.2 beta", f"{sooner[0]:.0f}, without luck {sooner[1]:.0f}")
    assert sooner[1] < sooner[0]
