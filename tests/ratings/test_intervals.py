"""Intervals from whole blocks: against refits, laws, and how often they hold the truth."""

from collections.abc import Sequence
from math import sqrt
from random import Random
from statistics import fmean, stdev, variance

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from arena.ratings import FEWEST_BLOCKS, Outcomes, design_effect, fit_outcomes, outcomes_of
from arena.ratings import uncertainty as uncertainty_module
from arena.ratings.uncertainty import classes_of, influences
from tests.ratings.matches import Match, Recorder, between, counted, ends_of, in_blocks, judged, ranks_of, width

SKILLS = dict(zip("abcdef", (21.0, 23.5, 25.0, 25.5, 27.0, 28.0), strict=True))


def deviations(matches: Sequence[tuple[str, Match]]) -> list[float]:
    """The deviation of each mu over tables of resampled blocks, to first order and without end."""
    blocks = counted(matches)
    moves, _ = influences(table := fit_outcomes(blocks), table.solutions[0])
    return [sqrt(sum(move * move for move in column)) for column in moves]


@pytest.mark.long
def test_resampled_tables_spread_like_full_refits() -> None:
    """Fifty fits of really resampled blocks deviate as the first order says, to what fifty can tell."""
    skills = dict(zip("abcde", SKILLS.values(), strict=False))
    matches = in_blocks(skills, 150, 3, seed=1, deal=3)
    of_block: dict[str, list[Match]] = {}
    for block, match in matches:
        of_block.setdefault(block, []).append(match)
    random = Random(2)
    refits = []
    for _ in range(50):
        drawn = random.choices(sorted(of_block), k=len(of_block))
        again = [(str(at), match) for at, block in enumerate(drawn) for match in of_block[block]]
        ratings = fit_outcomes(counted(again)).ratings
        refits.append([ratings[name].mu for name in skills])
    spread = [stdev(mus) for mus in zip(*refits, strict=True)]
    ratios = [refit / first for refit, first in zip(spread, deviations(matches), strict=True)]
    assert 0.9 < fmean(ratios) < 1.1
    assert all(0.7 < ratio < 1.35 for ratio in ratios)


def test_one_step_without_a_block_is_nearly_the_refit() -> None:
    """Leaving a block out moves the ratings by its influence, block for block, to a tenth of the largest move."""
    matches = in_blocks(SKILLS, 60, 4, seed=3)
    blocks = counted(matches)
    table = fit_outcomes(blocks)
    (solution,) = table.solutions
    moves, _ = influences(table, solution)
    groups = dict(zip(*(each.tolist() for each in blocks.groups(60)), strict=True))
    for left_out in ("e0b0", "e0b17", "e0b42"):
        fewer = fit_outcomes(counted([match for match in matches if match[0] != left_out])).ratings
        at = groups[int(left_out.removeprefix("e0b"))]
        real = [table.ratings[name].mu - fewer[name].mu for name in solution.names]
        first = [column[at] for column in moves]
        largest = max(map(abs, real))
        assert largest > 0.01
        assert first == pytest.approx(real, abs=0.1 * largest)


def test_twice_the_blocks_narrow_by_the_root_of_two() -> None:
    """Every block once more, under another name, is twice the evidence; under its own name it is none."""
    matches = in_blocks(SKILLS, 120, 4, seed=5, deal=3)
    once = deviations(matches)
    twice = deviations(matches + [(f"again {block}", match) for block, match in matches])
    same = deviations(matches + matches)
    assert [a / b for a, b in zip(once, twice, strict=True)] == pytest.approx([sqrt(2)] * 6, rel=0.02)
    assert same == pytest.approx(once, rel=0.02)


@pytest.mark.long
@settings(max_examples=10, deadline=None)
@given(st.integers(0, 2**32))
def test_neither_order_nor_names_matter(seed: int) -> None:
    """Shuffled matches, seats listed otherwise and renamed bots give the same intervals to four decimals."""
    random = Random(seed)
    matches = in_blocks(SKILLS, 25, 3, seed)
    names = dict(zip(SKILLS, random.sample(["x", "B", "a", "é", "10", "9"], 6), strict=True))
    others = []
    for block, (bots, ranks) in random.sample(matches, len(matches)):
        seating = random.sample(range(3), 3)
        others.append((block, (tuple(names[bots[seat]] for seat in seating), tuple(ranks[seat] for seat in seating))))
    _, one = judged(matches)
    _, other = judged(others)
    for name, interval in one.bots.items():
        twin = other.bots[names[name]]
        assert (interval.rank_low, interval.rank_high) == (twin.rank_low, twin.rank_high)
        assert (interval.low is None) == (twin.low is None)
        if interval.low is not None:
            assert (interval.low, interval.high) == pytest.approx((twin.low, twin.high), abs=1e-4)


@pytest.mark.long
def test_a_planted_difference_is_found() -> None:
    """One bot that is better by a good half of its luck is certainly first after 60 blocks, and the others are not."""
    for seed in range(5):
        _, found = judged(in_blocks(dict.fromkeys("abcd", 25.0) | {"best": 27.5}, 60, 4, seed))
        assert (found.bots["best"].rank_low, found.bots["best"].rank_high) == (1, 1)
        assert all(found.bots[name].rank_low == 2 for name in "abcd")


@pytest.mark.long
def test_copies_are_hardly_ever_told_apart() -> None:
    """Three copies beside a stronger bot: in at least 90 of 100 tournaments all three share ranks 2 to 4."""
    together = 0
    for seed in range(60):
        _, found = judged(in_blocks({"a": 30.0, "b": 25.0, "c": 25.0, "d": 25.0}, 30, 4, seed, deal=2))
        together += all((found.bots[name].rank_low, found.bots[name].rank_high) == (2, 4) for name in "bcd")
    assert together >= 54


def test_too_few_blocks_tell_nobody_apart() -> None:
    """A bot in fewer than ten blocks may have any rank, however often it won; with the tenth it is told apart."""
    match = (("a", "b"), (0, 1))
    few = [(f"e0b{block}", match) for block in range(FEWEST_BLOCKS - 1)] * 20
    _, found = judged(few)
    assert found.few == ("a", "b")
    assert found.parted == ()
    assert {(each.rank_low, each.rank_high, each.low) for each in found.bots.values()} == {(1, 2, None)}
    _, found = judged([*few, ("e0b9", match)])
    assert found.few == ()
    assert found.bots["a"].rank_high == 1
    assert found.bots["b"].rank_low == 2


def test_equal_results_are_no_difference() -> None:
    """Bots that beat each other in an even circle, with blocks all alike, are not told apart by rounding."""
    circle = [(("a", "b"), (0, 1)), (("b", "c"), (0, 1)), (("c", "a"), (0, 1))]
    _, found = judged([(str(block), match) for block in range(20) for match in circle])
    assert {(each.rank_low, each.rank_high) for each in found.bots.values()} == {(1, 3)}


@pytest.mark.long
def test_whoever_is_the_anchor_stands_still() -> None:
    """An only anchor has no interval, another bot's is as certain as their difference, and ranks stay."""
    matches = in_blocks(SKILLS, 200, 4, seed=8, deal=2)
    _, free = judged(matches)
    _, pinned = judged(matches, "c")
    assert pinned.bots["c"] == replace(free.bots["c"], low=None, high=None)
    for name in sorted(SKILLS.keys() - {"c"}):
        interval = pinned.bots[name]
        assert (interval.rank_low, interval.rank_high) == (free.bots[name].rank_low, free.bots[name].rank_high)
        assert width(interval) == pytest.approx(width(between(name, "c", matches)), rel=0.1)


def test_all_as_anchors_are_none() -> None:
    """Relative to the mean of all bots, ratings are as certain as without an anchor."""
    matches = in_blocks(SKILLS, 50, 4, seed=9)
    (_, free), (_, pinned) = judged(matches), judged(matches, [*SKILLS])
    for name, interval in free.bots.items():
        assert (pinned.bots[name].low, pinned.bots[name].high) == pytest.approx((interval.low, interval.high), abs=0.03)


def test_an_anchor_in_few_blocks_holds_nobody() -> None:
    """Relative to a bot that sat in fewer than ten blocks no mu has an interval; ranks have theirs."""
    match = (("a", "b"), (0, 1))
    rare = (("b", "rare"), (0, 1))
    matches = [*((f"e0b{block}", match) for block in range(40)), *((f"e0c{block}", rare) for block in range(5))]
    _, found = judged(matches, ["rare"])
    assert {each.low for each in found.bots.values()} == {None}
    assert found.bots["a"].rank_high < len(found.bots)
    assert found.few == ("rare",)


def test_an_unfinished_block_is_a_smaller_block() -> None:
    """Matches that are missing or void leave the rest of their block as a unit of its own."""
    matches = in_blocks(SKILLS, 40, 4, seed=6)
    table, found = judged([match for at, match in enumerate(matches) if at % 7])
    assert found.few == ()
    for name, interval in found.bots.items():
        low, high = ends_of(interval)
        assert low < table.ratings[name].mu < high


def test_an_endless_winner_is_wide_open() -> None:
    """Blocks that all say the same are no proof that the gap is as the prior has it: the interval is that of sigma."""
    matches = [(str(block), (tuple("abc"), (0, 1 + block % 2, 2 - block % 2))) for block in range(60)]
    table, found = judged(matches)
    assert found.parted == ((("a",), ("b", "c")),)
    for name, interval in found.bots.items():
        assert ends_of(interval)[0] <= table.ratings[name].mu - 1.95 * table.ratings[name].sigma
    assert found.bots["a"].rank_high == 1


def test_classes_are_those_that_never_swapped() -> None:
    """A tie or an upset joins, through others too; strict order parts."""
    a_b_c: Match = (tuple("abc"), (0, 1, 2))

    def found(*matches: Match) -> tuple[tuple[str, ...], ...]:
        blocks = counted([("", match) for match in matches])
        return classes_of(blocks.different(range(len(blocks.names))), blocks.names)

    assert found(a_b_c) == (("a",), ("b",), ("c",))
    assert found(a_b_c, (("b", "c"), (0, 0))) == (("a",), ("b", "c"))
    assert found(a_b_c, (("a", "c"), (1, 0))) == (("a", "b", "c"),)
    assert found((tuple("abcd"), (0, 0, 1, 1))) == (("a", "b"), ("c", "d"))


def test_strangers_are_not_told_apart() -> None:
    """Bots that never met, even through others, may be above or below: ranks are open by as many."""
    matches = [(str(block), match) for block in range(20) for match in ((("a", "b"), (0, 1)), (("c", "d"), (0, 1)))]
    _, found = judged(matches)
    ranges = {name: (each.rank_low, each.rank_high) for name, each in found.bots.items()}
    assert ranges == {"a": (1, 3), "b": (2, 4), "c": (1, 3), "d": (2, 4)}


def test_more_blocks_than_groups_are_put_together() -> None:
    """Groups differ by one block at most, every match is in the group of its block, and deviations stay as they are."""
    matches = in_blocks(SKILLS, 600, 3, seed=7, deal=2)
    blocks = counted(matches)
    groups = blocks.groups(250)[1].tolist()
    assert sorted({groups.count(group) for group in range(250)}) == [2, 3]
    assert sorted(blocks.groups(600)[1].tolist()) == list(range(600))
    whole = deviations(matches)
    table = fit_outcomes(blocks)
    (solution,) = table.solutions
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(uncertainty_module, "MOST_GROUPS", 250)
        moves, _ = influences(table, solution)
    assert [sqrt(sum(x * x for x in column)) for column in moves] == pytest.approx(whole, rel=0.15)


def randomised(skills: dict[str, float], matches: int, seed: int, deal: float, seat: float) -> Outcomes:
    """Single matches, each on a deal of its own with seats drawn by lot."""
    random = Random(seed)
    drawn = []
    for number in range(matches):
        bots = random.sample(sorted(skills), len(skills))
        performances = [
            random.gauss(skills[bot] + random.gauss(seat * (not at), deal), 25 / 6) for at, bot in enumerate(bots)
        ]
        drawn.append((number, bots, ranks_of(performances)))
    return outcomes_of(drawn)


@pytest.mark.long
def test_the_design_effect_is_what_mirrored_blocks_really_save() -> None:
    """With luck of deals and an advantage of a seat: the variance over tournaments, mirrored against drawn seats."""
    skills = dict(zip("abcd", (23.0, 25.0, 25.5, 26.5), strict=True))
    effects, mirrored, drawn = [], [], []
    for seed in range(80):
        blocks = counted(in_blocks(skills, 30, 4, seed, deal=4, seat=3))
        table = fit_outcomes(blocks)
        effects.append(design_effect(table) or 0.0)
        mirrored.append([table.ratings[name].mu for name in skills])
        table = fit_outcomes(randomised(skills, 120, 1000 + seed, 4, 3))
        drawn.append([table.ratings[name].mu for name in skills])
    really = sum(map(variance, zip(*mirrored, strict=True))) / sum(map(variance, zip(*drawn, strict=True)))
    assert 0.4 < fmean(effects) < 0.75
    assert 0.75 < fmean(effects) / really < 1.35


def test_blocks_of_single_matches_save_nothing() -> None:
    """Where no two matches share a deal, the design effect is 1."""
    blocks = randomised(SKILLS, 300, 1, 0, 0)
    assert design_effect(fit_outcomes(blocks)) == pytest.approx(1, abs=0.02)


def coverage(
    bots: int, blocks: int, spread: float, runs: int, deal: float, anchors: int | None = None
) -> tuple[float, float]:
    """How often, over tournaments and bots, the rank interval holds the rank, and an interval of mu the skill.

    A bot that equals others has all the ranks that they share; skills count from their mean, or from that of so many
    anchors, which are left out themselves.
    """
    ranked = rated = told = 0
    for seed in range(runs):
        random = Random(seed)
        skills = {f"b{number}": random.gauss(25, spread) for number in range(bots)}
        fixed = list(skills)[:anchors]
        centre = fmean(skills[name] for name in fixed)
        table, found = judged(in_blocks(skills, blocks, 4, seed + 10_000, deal=deal), fixed if anchors else ())
        shown = fmean(table.ratings[name].mu for name in fixed)
        for name, skill in skills.items():
            if anchors and name in fixed:
                continue
            interval = found.bots[name]
            first = 1 + sum(other > skill for other in skills.values())
            last = bots - sum(other < skill for other in skills.values())
            ranked += interval.rank_low <= first and last <= interval.rank_high
            if interval.low is not None and interval.high is not None:
                told += 1
                rated += interval.low <= skill - centre + shown <= interval.high
    return ranked / (runs * (bots - (anchors or 0))), rated / told


@pytest.mark.long
def test_coverage_in_brief() -> None:
    """Of equal bots, the hardest case, 95 % of intervals are right, and more of places, which hold for all."""
    ranked, rated = coverage(4, 20, 0, 120, 2)
    assert ranked > 0.95
    assert 0.91 < rated < 0.98


@pytest.mark.long
def test_coverage_of_anchored_ratings() -> None:
    """Of intervals of mu above an anchor, 95 % hold the true difference, to what 100 tournaments can tell."""
    _, rated = coverage(4, 20, 2, 100, 0, anchors=1)
    assert 0.91 < rated < 0.98


@pytest.mark.proof
@pytest.mark.timeout(900)
@pytest.mark.parametrize(("bots", "blocks"), [(4, 12), (4, 60), (8, 30)])
def test_coverage(bots: int, blocks: int, record_property: Recorder) -> None:
    """Of intervals of mu 93 to 97 % are right, and 95 % of places or more, of equal bots and of drawn skills."""
    runs = 2000 // bots
    ranked, _ = coverage(bots, blocks, 0, runs, 3)
    _, rated = coverage(bots, blocks, 2, runs, 0)
    drawn, _ = coverage(bots, blocks, 2, runs // 3, 3)
    _, anchored = coverage(bots, blocks, 2, runs, 0, anchors=2)
    record_property("rank intervals, equal bots", ranked)
    record_property("intervals of mu", rated)
    record_property("rank intervals, drawn skills", drawn)
    record_property("intervals of mu above two anchors", anchored)
    assert ranked >= 0.95
    assert 0.93 <= rated <= 0.97
    assert 0.93 <= anchored <= 0.97
    assert drawn >= 0.93
