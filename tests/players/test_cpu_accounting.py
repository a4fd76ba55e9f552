"""The accounts of a lane's bots, on trees and a clock that do as they are told."""

from collections.abc import Iterator
from contextlib import contextmanager
from unittest.mock import Mock, patch

import pytest

from arena.players import cpu_accounting, process_tree
from arena.players.cpu_accounting import Account, CpuAccounting
from arena.players.process_tree import Thread
from arena.sandbox.cgroup import Group

T0 = 1000.0
FIRST = 0.005


class FakeTree:
    """A tree that has used what it is told."""

    def __init__(self, pid: int) -> None:
        self.pid = pid
        self.total = 5.0
        self.rounding = 0.0
        self.kept = 0.0
        self.ready = True
        self.sleeps = 0
        self.family = frozenset({pid})

    def seconds(self) -> float:
        return self.total

    def glance(self) -> float:
        return self.total

    def threads(self) -> dict[int, Thread]:
        """One thread, which runs, waits for the core, or sleeps."""
        return {self.pid: Thread(self.total + self.kept, self.ready, str(self.sleeps).encode())}


class Lane:
    """Bots on one core; ``now`` is the clock."""

    def __init__(self) -> None:
        self.now = T0
        self.kept = 0.0
        """How long the host was kept from the core."""
        with patch.object(cpu_accounting, "monotonic", lambda: T0):
            self.accounting = CpuAccounting()
        self.accounting.cores = 1

    def enter(self, *names: str) -> list[Account]:
        """Bots that are ready for their first match."""
        accounts = [self.accounting.enter(name, pid, token=name) for pid, name in enumerate(names, 1)]
        self.accounting.begin_match(names)
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
        with self.asking(asked, *used) as given_back:
            self.passes(seconds - FIRST, *used)
        return given_back[0]

    @contextmanager
    def asking(self, asked: Account, *used: tuple[Account, float], away: float = 0.0) -> Iterator[list[float]]:
        """A question in which something happens; what is given back. For ``away`` of it the host is away."""
        given_back: list[float] = []
        began = self.now
        self.accounting.glance(self.now)
        self.passes(FIRST, *used)
        asked.begin(FIRST)
        yield given_back
        given_back.append(asked.over(began=began, ended=self.now, away=away))


@pytest.fixture
def lane() -> Iterator[Lane]:
    """A lane of one core."""
    with patch.object(cpu_accounting, "Tree", FakeTree), patch.object(cpu_accounting, "children", list[int]):
        lane = Lane()
        with (
            patch.object(cpu_accounting, "monotonic", lambda: lane.now),
            patch.object(process_tree, "monotonic", lambda: lane.now),
            patch.object(cpu_accounting, "of_this_process", lambda: (0.0, lane.kept)),
        ):
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
    tree(asked).ready = False
    assert lane.question(asked, 1.0, (asked, 0.9), (other, 0.0009)) == 0
    assert lane.accounting.end_match() == {}


def test_own_time_is_nobodys_loss(lane: Lane) -> None:
    """What a bot uses in its own turns, until it is ready, and to hear how a match ended, is not burnt."""
    thinker, other = lane.enter("thinker", "other")
    for _ in range(3):
        lane.question(thinker, 0.3, (thinker, 1.0))
        lane.passes(0.002, (thinker, 1.0))
        thinker.quick += 0.002
        thinker.note_end(lane.now)
        lane.passes(0.4, (thinker, 1.0))
        assert lane.accounting.end_match() == {}
        lane.passes(0.4, (thinker, 1.0))
        lane.accounting.begin_match(["thinker", "other"])
        lane.passes(0.4, (thinker, 1.0))
        thinker.ready(lane.now)
    lane.question(other, 0.3, (other, 0.9))
    assert lane.accounting.end_match() == {}
    assert not thinker.restless


def test_who_sits_by_has_no_time_of_its_own(lane: Lane) -> None:
    """Of a bot that is not at the table all that it uses while others play is burnt."""
    player, bystander = lane.enter("player", "bystander")
    bystander.note_end(lane.now)
    lane.passes(0.3, (bystander, 1.0))
    lane.accounting.end_match()
    lane.accounting.begin_match(["player"])
    lane.question(player, 0.6, (player, 0.5), (bystander, 0.5))
    assert lane.accounting.end_match()["bystander"] == pytest.approx(0.3)


def test_quick_questions(lane: Lane) -> None:
    """Beside quick questions what is burnt is known when the match ends, less all the time of one's own turns."""
    one, other = lane.enter("one", "other")
    for _ in range(10):
        lane.passes(0.004, (one, 0.5), (other, 0.5))
        one.quick += 0.004
        lane.passes(0.006, (other, 1.0))
        other.quick += 0.006
    burnt = lane.accounting.end_match()
    assert burnt == {"other": pytest.approx(0.02)}


def test_what_rounding_may_hide_is_not_counted(lane: Lane) -> None:
    """What may be a child's time that was counted late is not held against a bot."""
    one, other = lane.enter("one", "other")
    other.tree.rounding = 0.02
    for share, burnt in ((0.1, {}), (0.3, {"other": pytest.approx(0.01)})):
        lane.passes(0.1, (other, share))
        one.quick += 0.1
        assert lane.accounting.end_match() == burnt


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
    lane.accounting.leave(other)
    lane.question(asked, 0.5, (asked, 1.0))
    assert lane.accounting.end_match()["other"] == pytest.approx(0.25)


def tree(account: Account) -> FakeTree:
    """What stands for its processes."""
    assert isinstance(account.tree, FakeTree)
    return account.tree


def test_bots_that_start_run_side_by_side(lane: Lane) -> None:
    """While a bot gets ready others that start run on, until its time is over: then it has what is given back alone.

    Bots that were ready before stand still from the first.
    """
    (ready,) = lane.enter("ready")
    asked, other = (lane.accounting.enter(name, pid, token=name) for pid, name in ((2, "asked"), (3, "other")))
    everybody = (ready, asked, other)
    for account in everybody:
        account.group = Mock(spec=Group)
    with lane.asking(asked, (asked, 0.5), (other, 0.5)):
        lane.passes(0.395, (asked, 0.5), (other, 0.5))
        asked.look()
        assert [account.frozen for account in everybody] == [True, False, False]
        assert asked.stolen(0.0).bots == pytest.approx(0.2, abs=FIRST)
        assert [account.frozen for account in everybody] == [True, False, True]
        lane.passes(0.2, (asked, 1.0))
        assert asked.stolen(0.0).bots == pytest.approx(0.2, abs=FIRST)


def test_outsiders(lane: Lane) -> None:
    """Who is ready all the time and has a quarter of the core, while no bot burns anything, went without the rest."""
    (asked,) = lane.enter("asked")
    assert lane.question(asked, 1.0, (asked, 0.25)) == pytest.approx(0.75 * (1 - FIRST))


def test_who_sleeps_goes_without_nothing(lane: Lane) -> None:
    """Who does not want the core is given back nothing of it, whoever burns it."""
    asked, other = lane.enter("asked", "other")
    tree(asked).ready = False
    assert lane.question(asked, 1.0, (other, 1.0)) == 0
    assert lane.question(asked, 1.0) == 0


def test_waits_between_sleeps(lane: Lane) -> None:
    """Of one who sleeps now and then the scheduler's figure counts."""
    (asked,) = lane.enter("asked")
    with lane.asking(asked) as given_back:
        tree(asked).ready = False
        for _ in range(3):
            lane.passes(0.1, (asked, 0.2))
            tree(asked).kept += 0.03
            tree(asked).sleeps += 1
            asked.look()
    assert given_back == [pytest.approx(0.09)]


def test_own_children_are_no_outsiders(lane: Lane) -> None:
    """What the tree itself uses of the core is not given back to the one of it that waits."""
    (asked,) = lane.enter("asked")
    assert lane.question(asked, 1.0, (asked, 1.0)) == 0


@pytest.mark.parametrize("born", ["before", "in between"])
def test_a_family_that_changes(lane: Lane, born: str) -> None:
    """Who starts or ends processes in its question has nothing back but what other bots are seen to burn."""
    asked, other = lane.enter("asked", "other")
    lane.accounting.glance(lane.now)
    began = lane.now
    if born == "before":
        tree(asked).family = frozenset({1, 77})
    lane.passes(FIRST)
    asked.begin(FIRST)
    lane.passes(0.5, (asked, 0.1), (other, 0.2))
    tree(asked).family = frozenset({1, 77})
    asked.look()
    tree(asked).family = frozenset({1})
    lane.passes(0.5, (asked, 0.1), (other, 0.2))
    assert asked.over(began=began, ended=lane.now, away=0.0) == pytest.approx(0.2 + FIRST)


def test_a_rival_whose_family_changes(lane: Lane) -> None:
    """Beside one that may hide what it burns nobody but bots can have had the core: so no more than that is given."""
    asked, other = lane.enter("asked", "other")
    lane.accounting.glance(lane.now)
    lane.passes(FIRST)
    asked.begin(FIRST)
    lane.passes(1.0, (asked, 0.25))
    assert tuple(asked.stolen(0.0)) == pytest.approx((0.0, 0.75))
    tree(other).family = frozenset({2, 78})
    assert tuple(asked.stolen(0.0)) == pytest.approx((0.75, 0.0))


@pytest.mark.parametrize(
    ("kept", "own", "given_back"), [(0.4, 0.0, 0.4), (0.4, 0.5, 0.0), (0.0, 0.5, 0.4), (0.0, 0.0, 0.4), (0.4, 0.1, 0.3)]
)
def test_the_house_is_away(lane: Lane, kept: float, own: float, given_back: float) -> None:
    """An absence of the host is given back, but for what of it the bot's own processes kept it from the core."""
    (asked,) = lane.enter("asked")
    tree(asked).ready = False
    lane.accounting.glance(lane.now)
    began = lane.now
    lane.passes(0.4 + FIRST)
    tree(asked).total += own
    lane.kept += kept
    asked.begin(0.4 + FIRST)
    assert asked.over(began=began, ended=lane.now, away=0.4) == pytest.approx(given_back)


def test_the_house_is_kept_after_an_answer(lane: Lane) -> None:
    """What a bot used before the host was kept from the core by others takes nothing off what is given back."""
    (asked,) = lane.enter("asked")
    with lane.asking(asked, away=0.5) as given_back:
        lane.passes(0.2, (asked, 1.0))
        asked.look()
        tree(asked).ready = False
        lane.passes(0.5)
        lane.kept += 0.5
    assert given_back == [pytest.approx(0.5)]


def test_orphans_of_nobody(lane: Lane) -> None:
    """What orphans use that carry nobody's mark is given back to nobody."""
    (asked,) = lane.enter("asked")
    with (
        patch.object(cpu_accounting, "children", lambda: [99]),
        patch.object(cpu_accounting, "token_of", lambda _: ""),
        lane.asking(asked) as given_back,
    ):
        lane.passes(1.0, (asked, 0.25))
        stray: object = lane.accounting._strays[99]
        assert isinstance(stray, FakeTree)
        stray.total += 0.75
    assert given_back == [0]


@pytest.mark.parametrize("alone", [True, False])
def test_orphans_of_nobody_are_ended(lane: Lane, *, alone: bool) -> None:
    """In a lane orphans without a mark are killed; one without any variables at the second look."""
    with patch.object(cpu_accounting, "children", list[int]):
        lane.accounting = CpuAccounting(alone=alone)
    lane.enter("asked")
    killed: list[int] = []
    with (
        patch.object(cpu_accounting, "children", lambda: [98, 99]),
        patch.object(cpu_accounting, "token_of", lambda _: ""),
        patch.object(cpu_accounting, "has_environment", lambda pid: pid == 99),
        patch.object(cpu_accounting, "kill", killed.append),
    ):
        lane.accounting.look()
        assert killed == ([99] if alone else [])
        lane.accounting.look()
        assert sorted(killed) == ([98, 99, 99] if alone else [])
