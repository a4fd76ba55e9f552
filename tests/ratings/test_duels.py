"""What of a table is decided: claims that hold at every look, of simulated tables with a known order."""

from random import Random
from statistics import median

import pytest

from arena.ratings.duels import Duels
from tests.ratings.matches import Match, Recorder, ranks_of

BETA = 25 / 6


def block(skills: dict[str, float], bots: list[str], random: Random) -> list[Match]:
    """All rotations of a line-up, with luck of the deal."""
    hands = [random.gauss(0, 3) for _ in bots]
    found: list[Match] = []
    for turn in range(len(bots)):
        order = (*bots[turn:], *bots[:turn])
        seen = [random.gauss(skills[bot] + hand, BETA) for bot, hand in zip(order, hands, strict=True)]
        found.append((order, ranks_of(seen)))
    return found


def spaced(gap: float, bots: int) -> dict[str, float]:
    """So many bots, each so many beta better than the one before."""
    return {f"b{number}": gap * BETA * number for number in range(bots)}


def played(duels: Duels, skills: dict[str, float], blocks: int, random: Random, seats: int = 4) -> None:
    """So many blocks of line-ups drawn by lot."""
    for _ in range(blocks):
        duels.add(block(skills, random.sample(sorted(skills), seats), random))


def test_nothing_is_decided_at_the_start() -> None:
    """Without a match no claim is made but the empty one, that all bots are the best so many."""
    duels = Duels("abc")
    found = duels.decided(2)
    assert (found.best, found.top, found.order, found.apart) == (None, None, None, frozenset())
    assert duels.top(3) == ("a", "b", "c")
    assert duels.out(1) == set()
    assert Duels("a").top(1) == ("a",)


def test_who_always_wins_is_the_best() -> None:
    """A bot that is ahead of both others in each match is the best; of these nothing is known; then all is."""
    duels = Duels("abc")
    for number in range(40):
        duels.add([(("a", "b", "c"), (0, 1 + number % 2, 2 - number % 2))])
    found = duels.decided(2)
    assert (found.best, found.top, found.order) == ("a", None, None)
    assert found.apart == {("a", "b"), ("a", "c")}
    assert duels.out(1) == {"b", "c"}
    assert duels.out(2) == set()
    for _ in range(100):
        duels.add([(("c", "b"), (0, 1))])
    assert duels.decided(2).order == ("a", "c", "b")
    assert duels.out(2, among=["b"]) == {"b"}
    assert duels.top(2) == ("a", "c")


def test_what_was_certain_stays_so() -> None:
    """The greatest wealth counts: a claim made once is not taken back."""
    duels = Duels("ab")
    for _ in range(12):
        duels.add([(("a", "b"), (0, 1)), (("b", "a"), (1, 0))])
    assert duels.order() == ("a", "b")
    for _ in range(5):
        duels.add([(("a", "b"), (1, 0))])
    assert duels.order() == ("a", "b")


def test_a_block_counts_once() -> None:
    """A score is the mean of its block, a tie none; four matches on one deal are no more than one."""
    once, often, even = Duels("ab"), Duels("ab"), Duels("ab")
    for _ in range(8):
        once.add([(("a", "b"), (0, 1))])
        often.add([(("a", "b"), (0, 1))] * 4)
        even.add([(("a", "b"), (0, 1)), (("a", "b"), (1, 0)), (("a", "b"), (0, 0))])
    assert [duels.above("a", "b", 1) for duels in (once, often, even)] == [True, True, False]
    assert once._greatest == often._greatest


def test_claims_in_brief() -> None:
    """Of four bots spaced widely the order is found, and it is the true one; of four equals nothing is claimed."""
    duels, random = Duels(spaced(1.0, 4)), Random(1)
    played(duels, spaced(1.0, 4), 150, random)
    assert duels.order() == ("b3", "b2", "b1", "b0")
    equal = Duels(spaced(0, 4))
    played(equal, spaced(0, 4), 150, random)
    assert equal.decided().apart == frozenset()


def stops(gap: float, runs: int, most: int) -> tuple[list[int], int]:
    """Of tables of eight bots: after how many blocks the best is certain, and how often a claim was wrong."""
    found, wrong = [], 0
    for seed in range(runs):
        skills, random = spaced(gap, 8), Random(seed)
        duels = Duels(skills)
        best = None
        for number in range(most):
            played(duels, skills, 1, random)
            if number % 5 == 4 and (best := duels.top(1)):
                break
        found.append(number + 1)
        apart = duels.decided().apart
        wrong += bool(best and (best != ("b7",) or not gap)) or any(
            skills[one] <= skills[other] for one, other in apart
        )
    return found, wrong


@pytest.mark.proof
@pytest.mark.timeout(900)
@pytest.mark.parametrize(("gap", "most"), [(0.0, 300), (0.5, 1500)])
def test_claims_about_tables_are_rarely_wrong(gap: float, most: int, record_property: Recorder) -> None:
    """Of 60 tables of eight bots, looked at every five blocks, at most 3 make a wrong claim, equal bots or not."""
    found, wrong = stops(gap, 60, most)
    record_property("wrong", f"{wrong} of 60")
    record_property(f"best certain at {gap} beta, median blocks", median(found))
    assert wrong <= 3
