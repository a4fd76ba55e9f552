"""Whether company helps: found where it is planted, and hardly ever where it is not."""

from collections.abc import Sequence
from random import Random

import pytest

from arena.formats.schedule import draw_blocks, line_up
from arena.ratings import Outcomes, outcomes_of
from arena.ratings.collusion import CollusionTest, _above, collusion_tests
from tests.ratings.matches import Recorder, ranks_of

BETA = 25 / 6


def league(
    seed: int,
    *,
    bots: int = 8,
    seats: int = 4,
    blocks: int = 250,
    helps: float = 0.0,
    feud: float = 0.0,
    top: int = 0,
    spread: float = 0.3,
) -> Outcomes:
    """A league in mirrored blocks: b1 gives b0 so many beta and loses as many itself; or it only harms b2.

    With ``top`` so many are first and all others last; else all ranks differ.
    """
    random = Random(seed)
    skills = {f"b{number}": 25 + spread * BETA * (number % 5 - 2) for number in range(bots)}
    played: list[tuple[int, Sequence[str], Sequence[int]]] = []
    for block in draw_blocks(sorted(skills), seats=seats, blocks=blocks, key=seed.to_bytes(8, "big")):
        hands = [random.gauss(0, 2) for _ in range(seats)]
        for turn in range(seats):
            seated = line_up(block, turn)
            seen = {bot: random.gauss(skills[bot] + hand, BETA) for bot, hand in zip(seated, hands, strict=True)}
            if {"b0", "b1"} <= seen.keys():
                seen["b0"] += helps * BETA
                seen["b1"] -= helps * BETA
            if {"b1", "b2"} <= seen.keys():
                seen["b2"] -= feud * BETA
            ranks = ranks_of(list(seen.values()))
            played.append((block.number, seated, [int(rank >= top) for rank in ranks] if top else ranks))
    return outcomes_of(played)


def named(blocks: Outcomes) -> set[tuple[str, str]]:
    """The pairs that are certain."""
    return {(test.helper, test.helped) for test in collusion_tests(blocks) if test.certain}


def test_planted_help_is_found() -> None:
    """A bot that gives another one beta where they meet is named, the first of all pairs, and only so."""
    found = collusion_tests(league(1, helps=1.0))
    first = found[0]
    assert (first.helper, first.helped, first.certain) == ("b1", "b0", True)
    assert 0.1 < first.gain < 0.35
    assert 0 < first.deviation < first.gain / 4
    assert first.blocks == 54
    assert [test.chance for test in found] == sorted(test.chance for test in found)
    assert len(found) == 8 * 7


def test_nobody_is_named_without_help() -> None:
    """Where nobody helps anybody nobody is named; nor where one bot harms one other."""
    assert named(league(2)) == set()
    assert named(league(3, feud=1.0)) == set()


@pytest.mark.parametrize("top", [1, 2])
def test_a_weak_neighbour_is_no_helper(top: int) -> None:
    """Where the first wins all, or the first two, everybody wins more beside a weak bot: that accuses nobody."""
    assert [named(league(seed, top=top, spread=0.8)) for seed in range(4)] == [set()] * 4


def test_help_is_found_where_the_first_wins_all() -> None:
    """A bot that gives another one beta is named there, too, and nobody else."""
    assert named(league(1, helps=1.0, top=1)) == {("b1", "b0")}


def test_strengths_that_do_not_settle_accuse_nobody(monkeypatch: pytest.MonkeyPatch) -> None:
    """Then nothing is told; where no place is shared strengths are not asked for."""
    monkeypatch.setattr("arena.ratings.collusion.strengths_of", lambda *_: None)
    assert collusion_tests(league(1, helps=1.0, top=1)) == []
    assert collusion_tests(league(1, helps=1.0))


def test_too_few_blocks_tell_nothing() -> None:
    """A third met in fewer than four blocks with the helper or without tells nothing; no third, no row."""
    assert collusion_tests(league(1, bots=4, seats=4, blocks=40)) == []
    assert collusion_tests(outcomes_of([])) == []
    assert collusion_tests(league(1, bots=3, seats=2, blocks=60)) == []


def test_a_favour_is_counted_by_hand() -> None:
    """The share ahead of a third with the helper, less that without, over blocks."""
    played = []
    for number in range(8):
        together = number % 2 == 0
        order = ("i", "k", "j") if together else ("i", "k")
        for turn in range(2):
            # with j i is ahead of k in three of four blocks, without in one of four
            ahead = number not in {0, 3, 5, 7}
            ranks = (0, 1, 2) if ahead else (1, 0, 2)
            del turn
            played.append((number, order, ranks[: len(order)]))
    (test,) = [each for each in collusion_tests(outcomes_of(played)) if (each.helper, each.helped) == ("j", "i")]
    assert test.gain == pytest.approx(0.75 - 0.25)
    assert test.deviation == pytest.approx((2 * (0.75 * 0.25**2 + 0.25 * 0.75**2) * 4 / 9) ** 0.5)
    assert isinstance(test, CollusionTest)
    assert not test.certain


@pytest.mark.parametrize(("score", "freedom", "above"), [(2.228, 10, 0.025), (1.812, 10, 0.05), (-1.812, 10, 0.95)])
def test_students_tail(score: float, freedom: int, above: float) -> None:
    """As the printed tables have it."""
    assert _above(score, freedom) == pytest.approx(above, abs=5e-4)


@pytest.mark.proof
@pytest.mark.timeout(1800)
def test_collusion_is_found_and_the_innocent_are_not_named(record_property: Recorder) -> None:
    """Help of one beta is found in 95 of 100 leagues; in 5 of 100 clean ones or fewer anybody is named."""
    found = [named(league(seed, helps=1.0)) for seed in range(40)]
    clean = [named(league(seed)) for seed in range(100)]
    feuds = [named(league(seed, feud=0.75)) for seed in range(40)]
    record_property("found", f"{sum(('b1', 'b0') in each for each in found)} of 40")
    record_property("innocents named beside", f"{sum(bool(each - {('b1', 'b0')}) for each in found)} of 40")
    record_property("named in clean leagues", f"{sum(map(bool, clean))} of 100")
    record_property("named in feuds", f"{sum(map(bool, feuds))} of 40")
    assert sum(("b1", "b0") in each for each in found) >= 38
    assert sum(map(bool, clean)) <= 4
    assert sum(map(bool, feuds)) <= 4


@pytest.mark.proof
@pytest.mark.timeout(3000)
@pytest.mark.parametrize("top", [1, 2])
def test_where_places_are_shared_the_innocent_are_not_named(top: int, record_property: Recorder) -> None:
    """Of 100 clean leagues in which the first wins all, or the first two, one at most names anybody; help is found."""
    clean = [named(league(seed, top=top, spread=0.8)) for seed in range(100)]
    helped = [named(league(seed, top=top, helps=1.0)) for seed in range(24)]
    record_property("named in clean leagues", f"{sum(map(bool, clean))} of 100")
    record_property("found", f"{sum(('b1', 'b0') in each for each in helped)} of 24")
    assert sum(map(bool, clean)) <= 1
    assert sum(("b1", "b0") in each for each in helped) >= 16
