"""Evidence that may be looked at any time: laws of the bets, verdicts, intervals, and how often they are wrong."""

from collections.abc import Iterator, Sequence
from math import ceil, exp, log
from random import Random
from statistics import fmean, median

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.ratings.blocks import block_name
from arena.ratings.evidence import FRACTIONS, Evidence, Sprt, Wealth, finished, scores_of
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
        if found.found != "undecided" or found.blocks == most:
            break
    return found


@given(st.floats(-0.9, 0.9), st.sampled_from(FRACTIONS))
def test_a_bet_gains_nothing_if_the_doubt_is_wrong(bound: float, fraction: float) -> None:
    """At the widest scores of that mean a bet is worth its stake, and no score can take all of it."""
    chance = (1 + bound) / 2
    won = 1 + fraction * (1 - bound) / (1 + bound)
    lost = 1 - fraction
    assert lost > 0
    assert chance * won + (1 - chance) * lost == pytest.approx(1)


@given(SCORES, st.floats(-0.5, 0.5))
def test_wealth_is_the_mean_of_the_products(scores: list[float], bound: float) -> None:
    """The running sums of logarithms are what the formula says, and fall where the bound rises."""
    wealth, stricter = Wealth(bound), Wealth(bound + 0.1)
    for score in scores:
        wealth.add(score)
        stricter.add(score)
    products = []
    for fraction in FRACTIONS:
        product = 1.0
        for score in scores:
            product *= 1 + fraction * (score - bound) / (1 + bound)
        products.append(product)
    assert exp(wealth.log) == pytest.approx(fmean(products), rel=1e-6)
    assert stricter.log <= wealth.log + 1e-12


@pytest.mark.long
@given(SCORES)
def test_turned_round_it_says_the_opposite(scores: list[float]) -> None:
    """Seen from the other bot, better is worse, same is same, and the interval is turned round."""
    turned = {"better": "worse", "worse": "better", "same": "same", "undecided": "undecided"}
    one, other = of(scores, margin=0.3), of([-score for score in scores], margin=0.3)
    assert other.found == turned[one.found]
    assert other.found_after == one.found_after
    low, high = one.interval()
    assert other.interval() == pytest.approx((-high, -low), abs=1e-9)
    assert one.mean is not None
    assert low - 1e-9 <= one.mean <= high + 1e-9 or one.found != "undecided"


@given(SCORES, SCORES)
def test_what_is_found_stays_found(before: list[float], after: list[float]) -> None:
    """No later block takes back what was found, and the interval stays on its side of zero."""
    early, late = of(before), of(before + after)
    if early.found != "undecided":
        assert (late.found, late.found_after) == (early.found, early.found_after)
    low, high = late.interval()
    assert low >= 0 or late.found != "better"
    assert high <= 0 or late.found != "worse"
    assert not (late.found == "undecided" and (low > 1e-9 or high < -1e-9))


@given(
    st.lists(st.integers(-12, 12).map(lambda twelfth: twelfth / 12), min_size=20, max_size=40),
    st.sampled_from([None, 0.2]),
)
def test_when_it_will_be_found(scores: list[float], margin: float | None) -> None:
    """The forecast is the number of blocks after which the same ones again and again are found to decide it."""
    early = of(scores, margin=margin)
    likely = early.likely_after()
    if early.found != "undecided":
        assert likely is None
    elif likely is not None:
        times = ceil(likely / len(scores))
        assert of(scores * times, margin=margin).found != "undecided"
        # a round earlier it was not; in between, the order of the scores tells
        above, below, *within = [wealth.log for wealth in of(scores * (times - 1), margin=margin)._wealths]
        assert max(above, below) < log(2 / early.alpha)
        assert not within or min(within) < log(1 / early.alpha)


def test_what_has_no_forecast() -> None:
    """Too few blocks tell nothing of those to come, and of scores that are even nothing will be found."""
    assert of([1.0, 0.0, -0.5] * 6).likely_after() is None
    assert of([0.5, -0.5] * 20).likely_after() is None
    slow = of([0.2, -0.1] * 20).likely_after()
    assert slow is not None
    assert 40 < slow < 400


def test_verdicts() -> None:
    """Ten wins of ten are better, as many draws nothing, and many draws the same if a margin was asked for."""
    assert of([1.0] * 10).found == "better"
    assert of([1.0] * 5).found == "undecided"
    assert of([-1.0] * 10).found == "worse"
    assert of([0.0] * 400).found == "undecided"
    assert of([0.0] * 400, margin=0.1).found == "same"
    assert of([0.0] * 10, margin=0.1).found == "undecided"
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
    scores = [(block_name(block), score) for block, score in scores_of(blocks, "new", other="old").items()]
    assert scores == [("e0b3", -1.0), ("e0b10", 0.5), ("e1b1", 0.0)]


def test_only_blocks_before_the_first_gap_are_looked_at() -> None:
    """A block that ended before an earlier one waits for it."""
    planned = [(number, 4) for number in range(5)]
    recorded = {0: 4, 1: 4, 2: 3, 3: 4}
    assert list(finished(planned, recorded)) == [0, 1]
    assert list(finished(planned, recorded | {2: 4})) == [0, 1, 2, 3]
    assert list(finished([], recorded)) == []


def test_scores_of_simulated_matches_are_fair() -> None:
    """Of equal bots of a schedule in which either may be missing, scores are even; of others they are not."""
    equal = scores_of(counted(in_blocks(dict.fromkeys("abcde", 25.0), 400, 3, 1)), "a", other="b")
    apart = scores_of(counted(in_blocks(dict.fromkeys("abcde", 25.0) | {"a": 29.0}, 400, 3, 1)), "a", other="b")
    assert abs(fmean(equal.values())) < 0.04
    assert fmean(apart.values()) > 0.15
    assert of(list(equal.values())).found == "undecided"
    assert of(list(apart.values())).found == "better"


def test_a_sequential_probability_ratio_test_passes_and_fails() -> None:
    """A gain that is there passes, none does not, and before twenty blocks nothing is said."""
    passed = Sprt(low=0.0, high=0.075)
    failed = Sprt(low=0.0, high=0.075)
    assert passed.log_ratio == 0
    for better, equal in zip(drawn(0.5, 1), drawn(0.0, 1), strict=False):
        passed.add(better)
        failed.add(equal)
        if passed.blocks < 20:
            assert passed.passed is None
        if passed.passed is not None and failed.passed is not None:
            break
    assert (passed.passed, failed.passed) == (True, False)
    with pytest.raises(ValueError, match=r"expected two mean scores from -1 to 1, the greater last, got 0\.1 and 0"):
        Sprt(low=0.1, high=0)


def skewed(seed: int) -> Iterator[float]:
    """Scores of mean 0 that are far from normal: one great win in twenty."""
    random = Random(seed)
    while True:
        yield 1.0 if random.random() < 0.05 else -1 / 19


def false_finds(runs: int, most: int) -> int:
    """In how many of so many runs without a difference one is found, by whoever looks after every block."""
    found = 0
    for seed in range(runs):
        evidence = Evidence()
        source = drawn(0, seed) if seed % 2 else skewed(seed)
        for score in source:
            evidence.add(score)
            if evidence.found != "undecided" or evidence.blocks == most:
                break
        found += evidence.found != "undecided"
    return found


def test_looking_after_every_block_in_brief() -> None:
    """Of 80 pairs of equal bots, looked at after each of 120 blocks, hardly any is called different."""
    assert false_finds(80, 120) <= 7


def test_a_difference_is_found_in_brief() -> None:
    """Bots half a beta apart are told apart after 57 blocks or so, in the right direction."""
    found = [until_found(0.5, seed, 400) for seed in range(20)]
    assert {each.found for each in found} == {"better"}
    assert fmean(each.blocks for each in found) < 57 * 1.3


@pytest.mark.proof
@pytest.mark.timeout(900)
def test_equal_bots_are_hardly_ever_called_different(record_property: Recorder) -> None:
    """Of equal bots, looked at after each of 1,000 blocks, 5 of 100 or fewer are called different."""
    found = false_finds(400, 1000)
    record_property("called different", f"{found} of 400")
    assert found <= 20


@pytest.mark.proof
@pytest.mark.timeout(900)
@pytest.mark.parametrize(("gap", "blocks"), [(0.3, 108), (0.5, 57)])
def test_blocks_until_a_difference_is_found(gap: float, blocks: int, record_property: Recorder) -> None:
    """A difference of 0.3 beta takes 108 blocks in the mean and one of 0.5 beta 57, or up to a fifth more."""
    found = [until_found(gap, seed, 2000) for seed in range(300)]
    record_property(f"mean blocks, {gap} beta", round(fmean(each.blocks for each in found), 1))
    record_property("median", median(each.blocks for each in found))
    assert all(each.found == "better" for each in found)
    assert fmean(each.blocks for each in found) <= 1.2 * blocks


@pytest.mark.proof
@pytest.mark.timeout(900)
def test_sameness_is_found(record_property: Recorder) -> None:
    """Equal bots are the same within 0.075 in 200 blocks or so; of those 0.075 apart at most 5 of 100 are called so."""
    equal = [until_found(0.0, seed, 1000, margin=0.075) for seed in range(150)]
    record_property("same", f"{sum(each.found == 'same' for each in equal)} of 150")
    record_property("mean blocks", round(fmean(each.blocks for each in equal), 1))
    assert sum(each.found == "same" for each in equal) >= 140
    assert fmean(each.blocks for each in equal) < 200
    # the mean score of 0.25 beta in these matches is 0.0755
    apart = [until_found(0.25, seed, 1000, margin=0.075) for seed in range(150)]
    record_property("same though 0.25 beta apart", f"{sum(each.found == 'same' for each in apart)} of 150")
    assert sum(each.found == "same" for each in apart) <= 8


@pytest.mark.proof
@pytest.mark.timeout(900)
@pytest.mark.parametrize("gap", [0.0, 0.25])
def test_the_ratio_test_errs_as_rarely_as_it_says(gap: float, record_property: Recorder) -> None:
    """Of 400 gates for a mean score of 0.075, bots without it pass about 5 times of 100, and with it fail as rarely."""
    wrong, blocks = 0, []
    for seed in range(400):
        gate = Sprt(low=0.0, high=0.075)
        for score in drawn(gap, seed):
            gate.add(score)
            if gate.passed is not None:
                break
        wrong += gate.passed is not (gap > 0)
        blocks.append(gate.blocks)
    record_property("wrong", f"{wrong} of 400")
    record_property("mean blocks", round(fmean(blocks), 1))
    assert wrong <= 30


def test_wealth_at_every_look_is_what_ville_bounds() -> None:
    """Over fair coins, the wealth ever exceeds 20 in 5 of 100 runs at most: it is no test that only ends are."""
    above = 0
    for seed in range(150):
        random, wealth = Random(seed), Wealth()
        for _ in range(150):
            wealth.add(random.choice((-1.0, 1.0)))
            if wealth.log >= log(20):
                above += 1
                break
    assert above <= 12
