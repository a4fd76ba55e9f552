"""Who finishes ahead of whom, counted by hand and by blocks."""

from random import Random
from statistics import NormalDist, stdev

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arena.ratings import Looks, Outcomes, fit_outcomes, outcomes_of
from arena.ratings.ahead import Pair, cycles, pairs
from tests.ratings.matches import Match, counted, ends_of, in_blocks, ranks_of, width

SKILLS = dict(zip("abcd", (23.0, 25.0, 25.5, 27.0), strict=True))


def met(blocks: Outcomes) -> dict[tuple[str, str], Pair]:
    """The pairs by their names."""
    return {(pair.bot, pair.other): pair for pair in pairs(fit_outcomes(blocks))}


def test_pairs_are_counted_seat_by_seat() -> None:
    """Ahead and tied are counted in the matches that both sat in; a tie is half; few blocks give no interval."""
    matches: list[tuple[str, Match]] = [
        ("x", (("c", "a", "b"), (0, 0, 2))),
        ("x", (("a", "b", "c"), (0, 1, 2))),
        ("y", (("a", "b"), (1, 0))),
    ]
    blocks = counted(matches)
    found = met(blocks)
    assert list(found) == [("a", "b"), ("a", "c"), ("b", "c")]
    a_b, a_c, b_c = found.values()
    assert (a_b.matches, a_b.ahead, a_b.tied, a_b.share) == (3, 2, 0, 2 / 3)
    assert (a_c.matches, a_c.ahead, a_c.tied, a_c.share) == (2, 1, 1, 3 / 4)
    assert (b_c.matches, b_c.ahead, b_c.tied, b_c.share) == (2, 1, 0, 1 / 2)
    assert {(pair.low, pair.high, pair.certain) for pair in found.values()} == {(None, None, 0)}
    assert (a_c.turned.bot, a_c.turned.ahead, a_c.turned.tied, a_c.turned.share) == ("c", 0, 1, 1 / 4)


@settings(max_examples=15, deadline=None)
@given(st.integers(0, 2**32))
def test_no_order_changes_a_pair(seed: int) -> None:
    """Shuffled matches give equal pairs, to the last digit but of the ratings' share."""
    matches = in_blocks(SKILLS, 15, 3, seed)
    others = met(counted(Random(seed).sample(matches, len(matches))))
    for names, pair in met(counted(matches)).items():
        assert pair.expected == pytest.approx(others[names].expected, abs=1e-6)
        assert [pair.share, pair.low, pair.high] == [others[names].share, others[names].low, others[names].high]


def test_twice_the_blocks_narrow_and_copies_of_matches_do_not() -> None:
    """Blocks under new names are new evidence; the same matches within their blocks are none."""
    matches = in_blocks(SKILLS, 100, 4, seed=1, deal=3)
    once = width(met(counted(matches))["a", "b"])
    twice = width(met(counted([*matches, *((f"again {block}", match) for block, match in matches)]))["a", "b"])
    same = width(met(counted(matches + matches))["a", "b"])
    assert once / twice == pytest.approx(2**0.5, rel=0.03)
    assert same == pytest.approx(once, rel=0.03)


@pytest.mark.long
def test_intervals_hold_the_share_in_95_of_100_tournaments() -> None:
    """With luck that a deal gives to seats, over 400 tournaments; and their width is that of the shares' spread."""
    skills = {"a": 25.0, "b": 27.0, "c": 25.0}
    truth = NormalDist(0, (2 * (25 / 6) ** 2 + 2 * 9) ** 0.5).cdf(-2)
    held = 0
    shares, widths = [], []
    for seed in range(400):
        pair = met(counted(in_blocks(skills, 25, 3, seed, deal=3)))["a", "b"]
        low, high = ends_of(pair)
        held += low < truth < high
        shares.append(pair.share)
        widths.append(width(pair))
    assert 0.92 <= held / 400 <= 0.98
    assert sum(widths) / 400 == pytest.approx(2 * 2.06 * stdev(shares), rel=0.1)


def test_who_is_always_ahead_is_so_by_as_many_blocks() -> None:
    """The interval of a share of 1 is Wilson's for the number of blocks, however many matches each has."""
    blocks = counted([(str(block), (("a", "b"), (0, 1))) for block in range(30) for _ in range(8)])
    pair = met(blocks)["a", "b"]
    square = 2.045**2
    assert pair.low == pytest.approx(30 / (30 + square), abs=1e-3)
    assert pair.high == 1
    assert pair.deviations == -pair.turned.deviations > 4


def test_blocks_all_alike_leave_a_match_of_doubt() -> None:
    """Where each block is split alike, the share is held within what a match or two could change."""
    blocks = counted([(str(b), (("a", "b"), ranks)) for b in range(25) for ranks in [(0, 1), (0, 1), (0, 1), (1, 0)]])
    pair = met(blocks)["a", "b"]
    assert pair.share == 0.75
    assert width(pair) == pytest.approx(2 * 2.06 / 100, rel=0.05)


def test_the_ratings_expect_what_the_model_draws() -> None:
    """Of matches drawn from the model, the expected share is near the real one, ties counting half."""
    random = Random(3)
    drawn = []
    for number in range(4000):
        performances = [round(random.gauss(skill, 25 / 6) / 4) for skill in (25.0, 28.0)]
        drawn.append((number, "ab", ranks_of([float(performance) for performance in performances])))
    pair = met(outcomes_of(drawn))["a", "b"]
    assert pair.tied > 300
    assert pair.expected == pytest.approx(pair.share, abs=0.01)


def circles(blocks: Outcomes, looks: Looks = "one") -> list[tuple[str, str, str]]:
    """The circles in these blocks."""
    return cycles(list(met(blocks).values()), bots=len(blocks.names), looks=looks)


def test_marks_are_those_of_the_table() -> None:
    """A pair is marked just where the table tells the two apart, whatever their own matches say."""
    blocks = counted(in_blocks(SKILLS, 100, 4, seed=1))
    found = pairs(fit_outcomes(blocks), better=frozenset({("d", "a"), ("a", "b")}))
    assert {(pair.bot, pair.other): pair.certain for pair in found if pair.certain} == {("a", "b"): 1, ("a", "d"): -1}
    assert [pair.turned.certain for pair in found] == [-pair.certain for pair in found]


def test_a_circle_is_found_where_each_step_is_certain() -> None:
    """A beats B beats C beats A is told once, from the first by name; not where a step may be chance."""
    steps = [(("rock", "scissors"), (0, 1)), (("scissors", "paper"), (0, 1)), (("paper", "rock"), (0, 1))]
    certain = counted([(str(block), match) for block in range(30) for match in steps])
    assert circles(certain) == circles(certain, "every") == [("paper", "rock", "scissors")]
    mixed = [(str(block), ("rock", "paper"), (block % 2, 1 - block % 2)) for block in range(30)]
    doubtful = [(str(block), match) for block in range(30) for match in steps[:2]]
    assert circles(counted([*doubtful, *((b, (two, ranks)) for b, two, ranks in mixed)])) == []
    assert circles(counted([(str(block), match) for block in range(11) for match in steps])) == []


def test_seat_counts_are_counted_apart() -> None:
    """The blocks of each seat count hold its matches, and nothing else."""
    blocks = counted(
        [("e0b0", (("a", "b"), (0, 1))), ("e0b1", (tuple("abc"), (0, 1, 2))), ("e0b2", (("b", "a"), (0, 1)))]
    )
    parts = blocks.of_seats()
    assert list(parts) == [2, 3]
    assert list(parts[2].matches()) == [(0, (("a",), ("b",))), (2, (("b",), ("a",)))]
    assert list(parts[3].matches()) == [(1, (("a",), ("b",), ("c",)))]
