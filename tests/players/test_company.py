"""The accounts of a lane's bots, on trees and a clock that do as they are told."""

from collections.abc import Iterator
from unittest.mock import patch

import pytest

from arena.players import company
from arena.players.company import Account, Company

T0 = 1000.0
FIRST = 0.005


class FakeTree:
    """A tree that has used what it is told."""

    def __init__(self, pid: int) -> None:
        self.pid = pid
        self.total = 5.0
        self.rounding = 0.0

    def seconds(self) -> float:
        return self.total


class Lane:
    """Bots on one core; ``now`` is the clock."""

    def __init__(self) -> None:
        self.now = T0
        with patch.object(company, "monotonic", lambda: T0):
            self.company = Company()
        self.company.cores = 1

    def enter(self, *names: str) -> list[Account]:
        """Bots that are ready for their first match."""
        accounts = [self.company.enter(name, pid, name) for pid, name in enumerate(names, 1)]
        self.company.begin_match(names)
        for account in accounts:
            account.ready(self.now)
        return accounts

    def passes(self, seconds: float, *used: tuple[Account, float]) -> None:
        """Time passes; who uses which share of the core meanwhile."""
        self.now += seconds
        for account, share in used:
            assert isinstance(account.tree, FakeTree)
            account.tree.total += share * seconds

    def question(self, asked: Account, seconds: float, *used: tuple[Account, float]) -> float:
        """A question that is not answered at once; what is given back."""
        began = self.now
        self.passes(FIRST, *used)
        asked.begin(FIRST)
        self.passes(seconds - FIRST, *used)
        return asked.over(began, self.now)


@pytest.fixture
def lane() -> Iterator[Lane]:
    """A lane of one core."""
    with patch.object(company, "Tree", FakeTree), patch.object(company, "children", list[int]):
        lane = Lane()
        with patch.object(company, "monotonic", lambda: lane.now):
            yield lane


@pytest.mark.parametrize("share", [0.25, 0.5, 0.9])
def test_what_others_burn_is_given_back(lane: Lane, share: float) -> None:
    """What others burn of a question is given back, and the first of it wholly if they burn at all."""
    asked, other = lane.enter("asked", "other")
    given_back = lane.question(asked, 1.0, (asked, 1 - share), (other, share))
    assert given_back == pytest.approx(FIRST + share * (1 - FIRST))


def test_what_nobody_went_without_is_not_given_back(lane: Lane) -> None:
    """Who had a core of its own all the time has lost nothing, whatever others did with another."""
    asked, other = lane.enter("asked", "other")
    assert lane.question(asked, 1.0, (asked, 1.0), (other, 1.0)) == 0
    assert lane.question(asked, 1.0, (asked, 1.0)) == 0


def test_the_way_back_to_the_read_is_nothing(lane: Lane) -> None:
    """Less than a millisecond is neither given back nor counted."""
    asked, other = lane.enter("asked", "other")
    assert lane.question(asked, 1.0, (asked, 0.9), (other, 0.0009)) == 0
    assert lane.company.end_match() == {}


def test_own_time_is_nobodys_loss(lane: Lane) -> None:
    """What a bot uses in its own turns, until it is ready, and to hear how a match ended, is not burnt."""
    thinker, other = lane.enter("thinker", "other")
    for _ in range(3):
        lane.question(thinker, 0.3, (thinker, 1.0))
        lane.passes(0.002, (thinker, 1.0))
        thinker.quick += 0.002
        thinker.called(lane.now)
        lane.passes(0.4, (thinker, 1.0))
        assert lane.company.end_match() == {}
        lane.passes(0.4, (thinker, 1.0))
        lane.company.begin_match(["thinker", "other"])
        lane.passes(0.4, (thinker, 1.0))
        thinker.ready(lane.now)
    lane.question(other, 0.3, (other, 0.9))
    assert lane.company.end_match() == {}
    assert not thinker.restless


def test_who_sits_by_has_no_time_of_its_own(lane: Lane) -> None:
    """Of a bot that is not at the table all that it uses while others play is burnt."""
    player, bystander = lane.enter("player", "bystander")
    bystander.called(lane.now)
    lane.passes(0.3, (bystander, 1.0))
    lane.company.end_match()
    lane.company.begin_match(["player"])
    lane.question(player, 0.6, (player, 0.5), (bystander, 0.5))
    assert lane.company.end_match()["bystander"] == pytest.approx(0.3)


def test_quick_questions(lane: Lane) -> None:
    """Beside quick questions what is burnt is known when the match ends, less all the time of one's own turns."""
    one, other = lane.enter("one", "other")
    for _ in range(10):
        lane.passes(0.004, (one, 0.5), (other, 0.5))
        one.quick += 0.004
        lane.passes(0.006, (other, 1.0))
        other.quick += 0.006
    burnt = lane.company.end_match()
    assert burnt == {"other": pytest.approx(0.02)}


def test_what_rounding_may_hide_is_not_counted(lane: Lane) -> None:
    """What may be a child's time that was counted late is not held against a bot."""
    one, other = lane.enter("one", "other")
    other.tree.rounding = 0.02
    for share, burnt in ((0.1, {}), (0.3, {"other": pytest.approx(0.01)})):
        lane.passes(0.1, (other, share))
        one.quick += 0.1
        assert lane.company.end_match() == burnt


@pytest.mark.parametrize(
    ("share", "restless", "at_fault"),
    [(0.04, False, False), (0.06, True, False), (0.24, True, False), (0.26, True, True)],
)
def test_how_much_is_too_much(lane: Lane, share: float, restless: bool, at_fault: bool) -> None:
    """More than 5 % of others' time makes a bot restless, more than 25 % is a fault."""
    asked, other = lane.enter("asked", "other")
    lane.question(asked, 30.0, (asked, 1 - share), (other, share))
    assert other.restless == restless
    assert other.excess == (pytest.approx(share) if at_fault else 0)
    assert not asked.restless


def test_a_fault_takes_a_second(lane: Lane) -> None:
    """Nobody is judged over less than a second of others' time, and each further fault takes as long again."""
    asked, other = lane.enter("asked", "other")
    found = []
    for _ in range(9):
        lane.question(asked, 0.3, (asked, 0.5), (other, 0.5))
        found.append(other.excess > 0)
        other.excess = 0.0
    assert found == [False, False, False, True, False, False, False, True, False]


@pytest.mark.parametrize("count", [1, 3, 7])
def test_spinners_do_not_hide_behind_each_other(lane: Lane, count: int) -> None:
    """However many spin, each is judged by what the others of them leave: half, beside one who is asked."""
    asked, *others = lane.enter("asked", *(f"spinner-{number}" for number in range(count)))
    fair = 1 / (count + 1)
    for _ in range(10):
        lane.question(asked, 0.5, (asked, fair), *((other, fair) for other in others))
    assert [other.excess for other in others] == [pytest.approx(0.5, rel=0.05)] * count


def test_a_little_is_no_fault_among_spinners(lane: Lane) -> None:
    """Who uses a little of others' time is not at fault for it because others spin."""
    asked, little, *others = lane.enter("asked", "little", "one", "two")
    for _ in range(10):
        lane.question(asked, 1.0, (asked, 0.32), (little, 0.03), (others[0], 0.32), (others[1], 0.33))
    assert (little.restless, little.excess) == (True, 0)
    assert all(other.excess for other in others)


def test_a_process_that_ended_is_read_no_more(lane: Lane) -> None:
    """What a bot had burnt in a match before its process was ended stays on its account."""
    asked, other = lane.enter("asked", "other")
    lane.question(asked, 0.5, (asked, 0.5), (other, 0.5))
    lane.company.leave(other)
    lane.question(asked, 0.5, (asked, 1.0))
    assert lane.company.end_match()["other"] == pytest.approx(0.25)
