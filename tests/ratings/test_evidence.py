"""Evidence that may be looked at any time: laws of the bets, verdicts, intervals, and how often they are wrong."""

from collections.abc import Iterator, Sequence
from random import Random
from statistics import fmean, median
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.ratings.evidence import Evidence, scores_of
from tests.ratings.matches import Recorder, counted, in_blocks

SCORES = st.lists(st.integers(-12, 12).map(lambda twelfth: twelfth / 12), min_size=1, max_size=60)
BETA = 25 / 6


def of(scores: Sequence[float], *, margin: float | None = None) -> Evidence:
    """What these blocks say."""
    found = Evidence(margin=margin)
    for score in scores:
        found.add(score)
    return found


def drawn(gap: float, seed: int) -> Iterator[float]:
    """Block scores without end of two bots so many beta apart among two others, all in every block; deal luck 3."""
    random = Random(seed)
    skills = (gap * BETA, 0.0, 0.0, 0.0)
    while True:
        hands = [random.gauss(0, 3) for _ in skills]
        total = 0
        for turn in range(4):
            seen = [random.gauss(skill + hands[(turn + at) % 4], BETA) for at, skill in enumerate(skills)]
            total += sum(seen[0] > other for other in seen) - sum(seen[1] > other for other in seen)
        yield total / 12


def until_found(gap: float, seed: int, most: int, *, margin: float | None = None) -> Evidence:
    """The evidence after the block at which something is found, or after so many."""
    found = Evidence(margin=margin)
    for score in drawn(gap, seed):
        found.add(score)
        if found.finding != "undecided" or found.blocks == most:
            break
    return found


@pytest.mark.long
@given(SCORES)
def test_turned_round_it_says_the_opposite(scores: list[float]) -> None:
    """Seen from the other bot, better is worse, same is same, and the interval is turned round."""
    turned = {"better": "worse", "worse": "better", "same": "same", "undecided": "undecided"}
    one, other = of(scores, margin=0.3), of([-score for score in scores], margin=0.3)
    assert other.finding == turned[one.finding]
    assert other.found_after == one.found_after
    low, high = one.interval()
    assert other.interval() == pytest.approx((-high, -low), abs=1e-9)


QUESTIONS: list[dict[str, Any]] = [
    {},
    {"margin": 0.2},
    {"alpha": 0.3, "margin": 0.05},
    {"gate": (0.0, 0.1)},
    {"gate": (-0.2, -0.05), "alpha": 0.2},
]


@given(SCORES, SCORES, st.sampled_from(QUESTIONS))
def test_the_interval_agrees_with_what_is_found(
    before: list[float], after: list[float], question: dict[str, Any]
) -> None:
    """At every look, whatever is asked, one interval says the same as the verdict; and what is found stays found."""
    early, late = Evidence(**question), Evidence(**question)
    for score in before:
        early.add(score)
    for score in before + after:
        late.add(score)
    if early.found_after is not None:
        assert (late.finding, late.passed, late.found_after) == (early.finding, early.passed, early.found_after)
    for seen in (early, late):
        low, high = seen.interval()
        assert -1 <= low <= high <= 1
        if seen.gate is not None:
            assert seen.passed == (True if low >= seen.gate[0] else False if high <= seen.gate[1] else None)
        elif seen.finding == "undecided":
            assert low <= 0 <= high
            assert low - 1e-9 <= seen.mean <= high + 1e-9
            assert seen.margin is None or min(low, -high) < -seen.margin
        else:
            margin = seen.margin or 0.0
            assert {"better": low >= 0, "worse": high <= 0, "same": -margin <= low and high <= margin}[seen.finding]


@given(st.lists(st.integers(-1, 1), max_size=60), st.floats(0.001, 0.5))
def test_faults_are_found_once_and_answer_the_question(faults: list[int], alpha: float) -> None:
    """A bot that certainly faults more often stays so, and nothing more needs to be asked; others do not become so."""
    evidence = Evidence(alpha=alpha)
    more = less = 0
    faulty = False
    for each in faults:
        evidence.add(0.0, faults=3 * each)
        more, less = more + (each > 0), less + (each < 0)
        faulty = faulty or 1.95**more * 0.05**less >= 10 / alpha
        assert evidence.faulty == evidence.answered == faulty
    assert (evidence.faulted_more, evidence.faulted_less) == (more, less)


def test_verdicts() -> None:
    """Ten wins of ten are better, as many draws nothing, and many draws the same if a margin was asked for."""
    assert of([1.0] * 10).finding == "better"
    assert of([1.0] * 5).finding == "undecided"
    assert of([1.0] * 8).found_after == 7
    assert of([-1.0] * 10).finding == "worse"
    assert of([0.0] * 400).finding == "undecided"
    assert of([0.0] * 400, margin=0.1).finding == "same"
    assert of([0.0] * 10, margin=0.1).finding == "undecided"
    with pytest.raises(ValueError, match="expected alpha between 0 and 1, got 1"):
        Evidence(alpha=1)
    with pytest.raises(ValueError, match=r"expected margin between 0 and 1, got -0\.1"):
        Evidence(margin=-0.1)
    with pytest.raises(ValueError, match=r"expected a score from -1 to 1, got 1\.5"):
        Evidence().add(1.5)


def test_scores_are_counted_by_block() -> None:
    """The mean over a block's matches of the shares' difference; only blocks in which both sit count."""
    blocks = counted(
        [
            ("e0b10", (("new", "x", "old"), (0, 1, 2))),
            ("e0b10", (("x", "old", "new"), (0, 1, 1))),
            ("e0b9", (("new", "x"), (1, 0))),
            ("e0b2", (("x", "y"), (1, 0))),
            ("e0b3", (("new", "old"), (1, 0))),
            ("e1b0", (("old", "x", "y"), (0, 0, 0))),
            ("e1b1", (("old", "new"), (0, 0))),
        ]
    )
    scores = [
        (f"e{block >> 40}b{block % 2**40}", score) for block, score in scores_of(blocks, "new", other="old").items()
    ]
    assert scores == [("e0b3", -1.0), ("e0b10", 0.5), ("e1b1", 0.0)]


def test_scores_of_simulated_matches_are_fair() -> None:
    """Of equal bots of a schedule in which either may be missing, scores are even; of others they are not."""
    equal = scores_of(counted(in_blocks(dict.fromkeys("abcde", 25.0), 400, 3, 1)), "a", other="b")
    apart = scores_of(counted(in_blocks(dict.fromkeys("abcde", 25.0) | {"a": 29.0}, 400, 3, 1)), "a", other="b")
    assert abs(fmean(equal.values())) < 0.04
    assert fmean(apart.values()) > 0.15
    assert of(list(equal.values())).finding == "undecided"
    assert of(list(apart.values())).finding == "better"


def skewed(seed: int) -> Iterator[float]:
    """Scores of mean 0 that are far from normal: one great win in twenty."""
    random = Random(seed)
    while True:
        yield 1.0 if random.random() < 0.05 else -1 / 19


def false_finds(runs: int, most: int) -> int:
    """In how many of so many runs without a difference one is found, by whoever looks after every block.

    Both fault now and then, too.
    """
    found = 0
    for seed in range(runs):
        evidence, dice = Evidence(), Random(-seed - 1)
        source = drawn(0, seed) if seed % 2 else skewed(seed)
        for score in source:
            evidence.add(score, faults=(dice.random() < 0.05) - (dice.random() < 0.05))
            if evidence.answered or evidence.blocks == most:
                break
        found += evidence.answered
    return found


def test_looking_after_every_block_in_brief() -> None:
    """Of 80 pairs of equal bots, looked at after each of 120 blocks, hardly any is called different."""
    assert false_finds(80, 120) <= 7


def test_a_difference_is_found_in_brief() -> None:
    """Bots half a beta apart are told apart after 47 blocks or so, in the right direction."""
    found = [until_found(0.5, seed, 400) for seed in range(20)]
    assert {each.finding for each in found} == {"better"}
    assert fmean(each.blocks for each in found) < 47 * 1.3


@pytest.mark.proof
@pytest.mark.timeout(900)
def test_equal_bots_are_hardly_ever_called_different(record_property: Recorder) -> None:
    """Of equal bots, looked at after each of 1,000 blocks, 5 of 100 or fewer are called different."""
    found = false_finds(400, 1000)
    record_property("called different", f"{found} of 400")
    assert found <= 20


@pytest.mark.proof
@pytest.mark.timeout(900)
@pytest.mark.parametrize(("gap", "blocks"), [(0.2, 179), (0.3, 91), (0.5, 45), (1.0, 22)])
def test_blocks_until_a_difference_is_found(gap: float, blocks: int, record_property: Recorder) -> None:
    """A difference of 0.3 beta takes 91 blocks in the mean and one of 0.5 beta 45, or up to a tenth more."""
    found = [until_found(gap, seed, 2000) for seed in range(300)]
    record_property(f"mean blocks, {gap} beta", round(fmean(each.blocks for each in found), 1))
    record_property("median", median(each.blocks for each in found))
    assert all(each.finding == "better" for each in found)
    assert fmean(each.blocks for each in found) <= 1.1 * blocks


@pytest.mark.proof
@pytest.mark.timeout(900)
def test_sameness_is_found(record_property: Recorder) -> None:
    """Equal bots are the same within 0.075 in 200 blocks or so; of those 0.075 apart at most 5 of 100 are called so."""
    equal = [until_found(0.0, seed, 1000, margin=0.075) for seed in range(150)]
    record_property("same", f"{sum(each.finding == 'same' for each in equal)} of 150")
    record_property("mean blocks", round(fmean(each.blocks for each in equal), 1))
    assert sum(each.finding == "same" for each in equal) >= 140
    assert fmean(each.blocks for each in equal) < 200
    # the mean score of 0.25 beta in these matches is 0.0755
    apart = [until_found(0.25, seed, 1000, margin=0.075) for seed in range(150)]
    record_property("same though 0.25 beta apart", f"{sum(each.finding == 'same' for each in apart)} of 150")
    assert sum(each.finding == "same" for each in apart) <= 8
