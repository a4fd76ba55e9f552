"""What of a table is decided: claims that hold at every look, of simulated tables with a known order."""

from math import exp
from random import Random
from statistics import median

import pytest

from arena.ratings.bets import EProcess
from arena.ratings.pairwise import PairwiseTests, SuccessiveElimination
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


def played(tests: PairwiseTests, skills: dict[str, float], blocks: int, random: Random, seats: int = 4) -> None:
    """So many blocks of line-ups drawn by lot."""
    for _ in range(blocks):
        tests.add(block(skills, random.sample(sorted(skills), seats), random))


def test_nothing_is_decided_at_the_start() -> None:
    """Without a match no claim is made but the empty one, that all bots are the best so many."""
    tests = PairwiseTests("abc")
    assert (tests.top(1), tests.top(2)) == (None, None)
    assert tests.top(3) == ("a", "b", "c")
    assert tests.out(1) == set()
    assert PairwiseTests("a").top(1) == ("a",)


def test_who_always_wins_is_the_best() -> None:
    """A bot that is ahead of both others in each match is the best; of these nothing is known; then all is."""
    tests = PairwiseTests("abc")
    for number in range(40):
        tests.add([(("a", "b", "c"), (0, 1 + number % 2, 2 - number % 2))])
    assert (tests.top(1), tests.top(2)) == (("a",), None)
    assert tests.out(1) == {"b", "c"}
    assert tests.out(2) == set()
    for _ in range(100):
        tests.add([(("c", "b"), (0, 1))])
    assert tests.out(2, among=["b"]) == {"b"}
    assert tests.top(2) == ("a", "c")


def test_a_void_match_counts_as_lost_by_whoever_is_said_to_be_better() -> None:
    """A bot that is ahead in every match is the better one, but not if as many of its matches are void."""
    won = [(("a", "b"), (0, 1)), (("b", "a"), (1, 0))]
    clear, doubtful = PairwiseTests("ab"), PairwiseTests("ab")
    out, still = SuccessiveElimination("ab"), SuccessiveElimination("ab")
    for _ in range(40):
        clear.add(won)
        out.add(won)
        doubtful.add(won, voids=[("b", "a"), ("a", "b")])
        still.add(won, voids=[("b", "a"), ("a", "b")])
    assert clear.top(1) == ("a",)
    assert out.still == {"a"}
    assert doubtful.top(1) is None
    assert still.still == {"a", "b"}
    for _ in range(40):
        # a block that is void as a whole is lost by both
        clear.add([], voids=[("a", "b")])
    assert clear.wealth("a", other="b") > 0 == clear.wealth("b", other="a")


def test_what_was_certain_stays_so() -> None:
    """The greatest wealth counts: a claim made once is not taken back."""
    tests = PairwiseTests("ab")
    for _ in range(12):
        tests.add([(("a", "b"), (0, 1)), (("b", "a"), (1, 0))])
    assert tests.top(1) == ("a",)
    for _ in range(5):
        tests.add([(("a", "b"), (1, 0))])
    assert tests.top(1) == ("a",)


def test_a_block_counts_once() -> None:
    """A score is the mean of its block, a tie none; four matches on one deal are no more than one."""
    once, often, even = PairwiseTests("ab"), PairwiseTests("ab"), PairwiseTests("ab")
    for _ in range(8):
        once.add([(("a", "b"), (0, 1))])
        often.add([(("a", "b"), (0, 1))] * 4)
        even.add([(("a", "b"), (0, 1)), (("a", "b"), (1, 0)), (("a", "b"), (0, 0))])
    assert [tests.above("a", other="b", pairs=1) for tests in (once, often, even)] == [True, True, False]
    assert once.wealth("a", other="b") == often.wealth("a", other="b")
    assert once.wealth("b", other="a") == often.wealth("b", other="a")


def test_claims_in_brief() -> None:
    """Of four bots spaced widely the best is found, and it is the true one; of four equals nothing is claimed."""
    tests, random = PairwiseTests(spaced(1.0, 4)), Random(1)
    played(tests, spaced(1.0, 4), 150, random)
    assert tests.top(1) == ("b3",)
    equal = PairwiseTests(spaced(0, 4))
    played(equal, spaced(0, 4), 150, random)
    assert equal.out(1) == set()


def stops(gap: float, runs: int, most: int) -> tuple[list[int], int]:
    """Of tables of eight bots: after how many blocks the best is certain, and how often a claim was wrong."""
    found, wrong = [], 0
    for seed in range(runs):
        skills, random = spaced(gap, 8), Random(seed)
        tests = PairwiseTests(skills)
        best = None
        for number in range(most):
            played(tests, skills, 1, random)
            if number % 5 == 4 and (best := tests.top(1)):
                break
        found.append(number + 1)
        wrong += bool(best and (best != ("b7",) or not gap))
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


def test_of_two_bots_the_whole_stake_is_one_bet() -> None:
    """Both halves of the stake are bet on the same: the loser is out in the block in which one bet has won enough."""
    contenders, bet = SuccessiveElimination("ab", alpha=0.05), EProcess()
    while exp(bet.log) < 1 / 0.05:
        assert contenders.still == {"a", "b"}
        contenders.add([(("a", "b"), (1, 0))])
        bet.add(1.0)
    assert contenders.still == {"b"}


def test_contenders_fall_to_one() -> None:
    """Who is behind the others again and again is out; the last one stays, and who never sat is still in."""
    contenders = SuccessiveElimination("abcd")
    for _ in range(12):
        contenders.add([(("a", "b", "c"), (0, 1, 1))])
    assert contenders.still == {"a", "d"}
    for _ in range(12):
        contenders.add([(("a", "d"), (1, 0))])
    assert contenders.still == {"d"}
    for _ in range(40):
        contenders.add([(("b", "d"), (0, 1))])
    assert contenders.still == {"d"}


def best_out(runs: int, blocks: int) -> int:
    """In how many runs the best of six, of which two are equally good, is ever no contender; line-ups lean on it."""
    out = 0
    for seed in range(runs):
        random = Random(seed)
        skills = {"b0": 25.0, "b1": 25.0} | {f"b{number}": 25 - 0.2 * BETA * number for number in range(2, 6)}
        contenders = SuccessiveElimination(skills)
        for _ in range(blocks):
            # a pairing that is after the best: it meets those still in, as far as there are any
            still = sorted(contenders.still, key=lambda bot: (bot != "b0", random.random()))
            line_up = [*still, *random.sample(sorted(skills.keys() - contenders.still), 6 - len(still))][:3]
            contenders.add(block(skills, line_up, random))
            if "b0" not in contenders.still:
                out += 1
                break
    return out


def test_the_best_stays_in_brief() -> None:
    """Of 25 races in which line-ups depend on all that went before, the best is hardly ever out."""
    assert best_out(25, 60) <= 4


@pytest.mark.proof
@pytest.mark.timeout(900)
def test_the_best_stays(record_property: Recorder) -> None:
    """Of 300 races in which line-ups depend on all that went before, the best is ever out in 5 of 100 or fewer."""
    out = best_out(300, 400)
    record_property("out", f"{out} of 300")
    assert out <= 15
