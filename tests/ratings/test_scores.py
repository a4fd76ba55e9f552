"""Mean scores from whole blocks: their intervals, and who may be held against whom."""

from collections.abc import Mapping, Sequence
from math import comb

import numpy as np
import pytest

from arena.ratings import MeanScores, mean_scores
from arena.ratings.outcomes import block_number, from_columns
from arena.ratings.pairwise import better_of


def of(matches: Sequence[tuple[int, Mapping[str, float]]], epochs: int = 1, span: float | None = 1) -> MeanScores:
    """The mean scores of matches, each its block and the score of each bot; blocks fall into epochs in turn.

    By default the bounds are those that were seen.
    """
    names = sorted({name for _, scores in matches for name in scores})
    width = max(len(scores) for _, scores in matches)
    seats = np.full((len(matches), width), -1)
    scored, ranks = seats.astype(float), seats.copy()
    for row, (_, of_match) in enumerate(matches):
        for seat, (name, score) in enumerate(of_match.items()):
            seats[row, seat], scored[row, seat] = names.index(name), score
            ranks[row, seat] = sum(other > score for other in of_match.values())
    blocks = np.array([block_number(epoch=block % epochs, block=block) for block, _ in matches])
    return mean_scores(
        from_columns(names, bots=seats, ranks=ranks, blocks=blocks), bots=seats, scores=scored, blocks=blocks, span=span
    )


def test_the_interval_holds_the_true_mean_as_often_as_it_says() -> None:
    """Of blocks whose two matches share their luck, 95 of 100 intervals hold the true mean; of single matches fewer."""
    dice = np.random.default_rng(7)
    held = {True: 0, False: 0}
    for _ in range(400):
        luck = dice.normal(0, 20, 40).round().astype(int).tolist()
        for whole in held:
            matches = [
                (block if whole else 2 * block + turn, {"a": 10 + by, "b": -by}) for block, by in enumerate(luck)
                for turn in range(2)
            ]  # fmt: skip
            low, high = of(matches).interval("a") or (0.0, 0.0)
            held[whole] += low <= 10 <= high
    assert 0.92 * 400 <= held[True] <= 0.98 * 400
    assert held[False] < 0.9 * 400


def test_few_blocks_tell_nothing() -> None:
    """In fewer than ten blocks a bot has no interval, and is told apart from no other."""
    few = of([(block, {"a": 100, "b": block % 2}) for block in range(9)])
    assert few.interval("a") is None
    assert few.interval("nobody") is None
    assert better_of(few.gaps((), "one"), bots=2, looks="one") == frozenset()
    enough = of([(block, {"a": 100, "b": block % 2}) for block in range(10)])
    assert better_of(enough.gaps((), "one"), bots=2, looks="one") == {("a", "b")}
    assert enough.gaps(("b",), "one") == []


def test_a_rare_prize_counts_by_the_bounds_of_the_game() -> None:
    """A bot that always scores 1 is not certainly better than one whose prize of 100 has not come yet."""
    matches = [(block, {"a": 1, "b": 0}) for block in range(60)]
    found = [better_of(of(matches, span=span).gaps((), "one"), bots=2, looks="one") for span in (1, 100, None)]
    assert found == [{("a", "b")}, set(), set()]


def test_a_prize_that_is_in_a_deal_counts_by_deals() -> None:
    """Where both matches of a block have the prize, a difference deviates by what one block makes, not one match."""
    matches = [(block, {"a": 1, "b": 20 * (block == 0)}) for block in range(60) for _ in range(2)]
    whole = of(matches, span=20).gaps((), "one")
    single = of([(2 * block + turn, scores) for turn in range(2) for block, scores in matches[::2]], span=20)
    assert [gap.deviation for gap in whole] == pytest.approx([2 * 20 / 60])
    assert [gap.deviation for gap in single.gaps((), "one")] == pytest.approx([2 * 20 / 120])


@pytest.mark.parametrize("chance", [0.02, 0.05, 0.1, 0.13, 0.2])
def test_rare_prizes_fool_few_tables(chance: float) -> None:
    """One that always scores the mean of another's prize is told apart in 5 of 100 tables at most, by all that can be.

    The prize is in the deal of a block, so the number of blocks that have it is binomial.
    """
    blocks = 60
    wrong = 0.0
    for prizes in range(blocks // 2):
        matches = [(block, {"a": 100 * chance, "b": 100 * (block < prizes)}) for block in range(blocks)]
        if better_of(of(matches, span=100).gaps((), "one"), bots=2, looks="one"):
            wrong += comb(blocks, prizes) * chance**prizes * (1 - chance) ** (blocks - prizes)
    assert wrong <= 0.05


def test_equal_scores_are_no_difference() -> None:
    """Blocks that all say the same are no evidence beyond what one other match would change."""
    same = of([(block, {"a": 3, "b": 3}) for block in range(50)])
    assert [gap.score for gap in same.gaps((), "one")] == [0]
    steady = of([(block, {"a": 1, "b": 0}) for block in range(10)])
    low, high = steady.interval("a") or (0.0, 0.0)
    assert (low + high) / 2 == pytest.approx(1)
    assert high - low > 0.2


def test_only_bots_that_met_the_same_others_are_held_against_each_other() -> None:
    """The first of a gauntlet met all and the others only it; where line-ups follow results, nobody is held."""
    gauntlet = of([(3 * block + number, {"first": 0, rival: number}) for block in range(30)
                   for number, rival in enumerate(("x", "y", "z"))])  # fmt: skip
    assert {frozenset(gap.pair) for gap in gauntlet.gaps((), "every")} == {
        frozenset(pair) for pair in (("x", "y"), ("x", "z"), ("y", "z"))
    }
    assert gauntlet.gaps((), "paired") == []
    late = of(
        [(block, {"a": 1, "b": 0} if block % 2 else {"a": 1, "b": 0, "late": 0}) for block in range(60)], epochs=2
    )
    assert {gap.pair for gap in late.gaps((), "every")} == {("a", "b")}
