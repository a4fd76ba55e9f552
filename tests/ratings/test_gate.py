"""A gate of two mean scores: laws of its bets, how often it errs, and how many blocks it takes."""

from collections.abc import Callable, Iterator
from random import Random
from statistics import fmean

import pytest

from arena.ratings.evidence import Evidence
from tests.ratings.matches import Recorder
from tests.ratings.test_evidence import drawn

GATE = (0.0, 0.075)


def rare(score: float, *, chance: float, else_: float = 0.0) -> Callable[[Random], float]:
    """Blocks that seldom differ: mostly one score, now and then another."""
    return lambda random: score if random.random() < chance else else_


def normal(mean: float, deviation: float = 0.3) -> Callable[[Random], float]:
    """Normal scores, cut at the bounds."""
    return lambda random: max(-1.0, min(random.gauss(mean, deviation), 1.0))


LAWS = [
    ("a gain of .075, 0 in 92.5 %", rare(1.0, chance=0.075), True, 71),
    ("a gain of .075, 0 in 85 %", rare(0.5, chance=0.15), True, 61),
    ("no gain, 1/12 and rarely -1", rare(-1.0, chance=1 / 13, else_=1 / 12), False, 76),
    ("no gain, normal", normal(0.0), False, 109),
    ("a gain of .075, normal", normal(0.075), True, 97),
]


def decided(law: Callable[[Random], float], seed: int, most: int = 6000) -> Evidence:
    """The gate after the block that decides it."""
    random, gate = Random(seed), Evidence(gate=GATE)
    while not gate.answered and gate.blocks < most:
        gate.add(law(random))
    return gate


def test_a_gate_passes_and_fails() -> None:
    """A gain that is there passes and is better, none does not pass, and that alone does not make it worse."""
    found = []
    for gap in (0.5, 0.0):
        gate = Evidence(gate=GATE)
        scores: Iterator[float] = drawn(gap, 1)
        while not gate.answered:
            gate.add(next(scores))
        found.append((gate.passed, gate.finding))
    assert found == [(True, "better"), (False, "undecided")]
    lenient = Evidence(gate=(-0.1, 0.0))
    for _ in range(60):
        lenient.add(-0.2)
    assert (lenient.passed, lenient.finding) == (False, "worse")
    for wrong in ((0.1, 0.0), (-1.0, 0.5), (0.5, 1.0)):
        with pytest.raises(ValueError, match="expected two mean scores between -1 and 1, the greater last, got "):
            Evidence(gate=wrong)


def test_no_block_decides_alone() -> None:
    """Small gains and then a great loss neither pass a gate nor fail it."""
    gate = Evidence(gate=GATE)
    for score in [1 / 12] * 12 + [-1.0]:
        gate.add(score)
    assert gate.passed is None


@pytest.mark.proof
@pytest.mark.timeout(900)
@pytest.mark.parametrize(("name", "law", "gain", "blocks"), LAWS, ids=[law[0] for law in LAWS])
def test_a_gate_errs_as_rarely_as_it_says(
    name: str, law: Callable[[Random], float], gain: bool, blocks: int, record_property: Recorder
) -> None:
    """Of 400 gates at most 5 in 100 err, whatever the law of the scores, and they take as many blocks as the docs say.

    Or up to a tenth more.
    """
    found = [decided(law, seed) for seed in range(400)]
    wrong = sum(each.passed is not gain for each in found)
    record_property(f"wrong, {name}", f"{wrong} of 400")
    record_property("mean blocks", round(fmean(each.blocks for each in found), 1))
    assert wrong <= 20
    assert fmean(each.blocks for each in found) <= 1.1 * blocks


@pytest.mark.proof
@pytest.mark.timeout(900)
@pytest.mark.parametrize("gap", [0.0, 0.25])
def test_gates_of_simulated_matches(gap: float, record_property: Recorder) -> None:
    """Of 400 gates for a mean score of 0.075, bots without it pass in 5 of 100 at most, and with it fail as rarely."""
    wrong, blocks = 0, []
    for seed in range(400):
        gate = Evidence(gate=GATE)
        for score in drawn(gap, seed):
            gate.add(score)
            if gate.answered:
                break
        wrong += gate.passed is not (gap > 0)
        blocks.append(gate.blocks)
    record_property("wrong", f"{wrong} of 400")
    record_property("mean blocks", round(fmean(blocks), 1))
    assert wrong <= 20
