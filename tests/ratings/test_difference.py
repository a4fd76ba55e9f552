"""The difference of two bots: which of them is better, how surely, and by how much."""

from math import log, sqrt
from random import Random
from statistics import fmean

import pytest
from msgspec import Struct
from msgspec.structs import replace

from arena.ratings import FEWEST_BLOCKS, fit_outcomes
from arena.ratings.evidence import ALPHA
from arena.ratings.pairwise import BEST, better_of, gaps_of
from arena.ratings.quantiles import quantile_at_every_look, student
from arena.ratings.uncertainty import uncertainty_of
from tests.ratings.matches import Match, Recorder, between, counted, ends_of, in_blocks, width

SKILLS = {"old": 25.0, "new": 26.0, "a": 24.0, "b": 27.0}


@pytest.mark.parametrize("seed", range(12))
def test_it_is_certain_where_two_are_told_apart(seed: int) -> None:
    """It is told from zero just where a table of these two alone would tell them apart, in either direction."""
    matches = in_blocks(SKILLS | {"new": 25 + seed / 4}, 40, 4, seed)
    blocks = counted(matches)
    table = fit_outcomes(blocks)
    (solution,) = table.solutions
    gaps = gaps_of(solution.names, uncertainty_of(table, solution), absent={"a", "b"})
    better = better_of(gaps, bots=2, looks="one", share=ALPHA / BEST)
    found = between("new", "old", matches)
    turned = between("old", "new", matches)
    assert found.certain == (("new", "old") in better) - (("old", "new") in better) == -turned.certain
    assert found.mu == table.ratings["new"].mu - table.ratings["old"].mu == -turned.mu
    for every_look in (False, True):
        low, high = ends_of(found, every_look=every_look)
        assert low < found.mu < high
        assert turned.interval(every_look=every_look) == pytest.approx((-high, -low))


def test_few_blocks_say_nothing() -> None:
    """Below ten blocks of either there is no interval, and neither is certainly better; nor if they never met."""
    matches = in_blocks({"old": 10, "new": 40}, FEWEST_BLOCKS - 1, 2, seed=1)
    found = between("new", "old", matches)
    assert found.mu > 0
    assert (found.interval(every_look=False), found.interval(every_look=True), found.certain) == (None, None, 0)
    assert between("new", "old", in_blocks({"old": 10, "new": 40}, FEWEST_BLOCKS, 2, seed=1)).certain == 1
    strangers = [*in_blocks({"old": 10, "x": 40}, 20, 2, 1), *in_blocks({"new": 10, "y": 40}, 20, 2, 2)]
    assert between("new", "old", strangers).certain == 0


def test_who_always_wins_has_no_upper_end_from_blocks() -> None:
    """If one is ahead in every match, the ends of the interval are at least as far as the prior lets them be."""
    matches: list[tuple[str, Match]] = [(f"e0b{at}", (("new", "old"), (0, 1))) for at in range(40)]
    found = between("new", "old", matches)
    assert found.certain == 1
    assert ends_of(found)[1] - found.mu > 3


def test_an_interval_for_every_look_is_half_as_wide_again() -> None:
    """What may be looked at after every block pays for it: by half at 60 blocks, by more far from there."""
    widths = {blocks: quantile_at_every_look(blocks) / 1.96 for blocks in (10, 30, 60, 120, 1000)}
    assert widths[60] == pytest.approx(1.55, abs=0.02)
    assert min(widths.values()) == widths[60]
    # the printed formula, with rho squared for the narrowest place
    square = (-2 * log(0.05) + log(-2 * log(0.05) + 1)) / 60
    printed = sqrt((2 * (100 * square + 1)) / (100**2 * square) * log(sqrt(100 * square + 1) / 0.05) * 100)
    assert quantile_at_every_look(100) == pytest.approx(printed)
    found = replace(between("new", "old", in_blocks(SKILLS, 40, 4, 3)), deviation=1.0, mu=0.0)
    assert found.interval(every_look=True) == pytest.approx((-student(3.05, 39), student(3.05, 39)), abs=0.05)


class Coverage(Struct, kw_only=True):
    """Of simulated tables of two bots at seats so uneven that most blocks split evenly."""

    held: float
    """How many intervals of the difference hold the one that ever more blocks lead to."""
    empty: float
    """How many have no width."""


def split(gap: float, runs: int, blocks: int = 10) -> Coverage:
    """Two bots so far apart, seat 0 worth 12, luck of the deal 8."""
    skills = {"a": 25 + gap / 2, "b": 25 - gap / 2}
    table = fit_outcomes(counted(in_blocks(skills, 20_000, 2, 7, deal=8, seat=12)))
    truth = table.ratings["a"].mu - table.ratings["b"].mu
    held, empty = [], []
    for seed in range(runs):
        low, high = ends_of(between("a", "b", in_blocks(skills, blocks, 2, seed, deal=8, seat=12)))
        held.append(low <= truth <= high)
        empty.append(high - low < 0.001)
    return Coverage(held=fmean(held), empty=fmean(empty))


@pytest.mark.long
def test_blocks_that_split_evenly_leave_a_doubt() -> None:
    """Ten blocks of which each bot won one match each are no proof that the two are equal to the last digit."""
    split_up: list[Match] = [(("a", "b"), (0, 1)), (("b", "a"), (0, 1))]
    matches = [(f"e0b{at}", match) for at in range(10) for match in split_up]
    found = between("a", "b", matches)
    assert found.mu == pytest.approx(0)
    assert width(found) > 1
    coverage = split(1, 60)
    assert coverage.empty == 0
    assert coverage.held > 0.9


@pytest.mark.proof
@pytest.mark.parametrize("gap", [0.0, 1.0, 2.0])
def test_small_tables_hold_what_they_say(gap: float, record_property: Recorder) -> None:
    """Of two bots at uneven seats, ten blocks hold the difference 94 times of 100 or more, and no interval is empty."""
    coverage = split(gap, 300)
    record_property("held", coverage.held)
    record_property("of no width", coverage.empty)
    assert coverage.empty == 0
    assert coverage.held >= 0.94


@pytest.mark.proof
def test_it_holds_what_it_says(record_property: Recorder) -> None:
    """In 400 simulated runs of bots of equal skill among others, about 5 of 100 differences are called certain."""
    random = Random(7)
    skills = {"old": 25.0, "new": 25.0, "a": 23.0, "b": 28.0}
    wrong = sum(
        between("new", "old", in_blocks(skills, 30, 4, random.randrange(10**9))).certain != 0 for _ in range(400)
    )
    record_property("wrong", wrong)
    assert 8 <= wrong <= 34


def wrong_at_some_look(runs: int, looks: tuple[int, ...]) -> tuple[int, int]:
    """Of so many runs of equal bots: in how many one look excludes no difference, by either interval."""
    once = always = 0
    for seed in range(runs):
        matches = in_blocks({"new": 25.0, "old": 25.0, "x": 24.0, "y": 25.0}, looks[-1], 4, seed, deal=3)
        seen = [between("new", "old", matches[: 4 * look]) for look in looks]
        once += any(found.certain for found in seen)
        always += any(
            not ends[0] < 0 < ends[1] for found in seen if (ends := found.interval(every_look=True)) is not None
        )
    return once, always


@pytest.mark.proof
@pytest.mark.timeout(900)
def test_whoever_looks_again_and_again_is_told_the_truth(record_property: Recorder) -> None:
    """Ten looks as blocks come in: the interval for every look excludes no difference of equal bots 5 times of 100."""
    looks = (10, 15, 20, 30, 45, 60, 90, 120, 180, 240)
    once, always = wrong_at_some_look(200, looks)
    record_property("wrong at one of ten looks, by the interval for one look", f"{once} of 200")
    record_property("by the interval for every look", f"{always} of 200")
    assert once > 30
    assert always <= 10
