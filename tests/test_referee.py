"""The referee with players that follow a script: whom it asks, what it makes of answers, and what it writes down."""

import re
from collections.abc import Callable, Iterator, Sequence
from itertools import permutations
from typing import Any
from unittest.mock import Mock

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec import Struct

from arena import record as records
from arena import wire
from arena.fault import Fault
from arena.game import DECISION_CAP, Chosen, Decision, Outcome, Pending, Seat, Whisper, ranks_of
from arena.record import Record
from arena.referee import Match, Player, play
from arena.retelling import verify
from tests.shelf import toy

Answer = Sequence[int] | Fault
Book = Callable[[wire.Decide], Answer]

LATE = Fault.of("no-answer", rule="expected an answer in time, got none", hint="be quicker", line=b"\x1b[31m{\xff")


class Heard(Struct, frozen=True, tag="heard"):
    chosen: tuple[str, ...]


class Secret(Struct, frozen=True, tag="secret"):
    seat: Seat


class Sight(Struct, frozen=True):
    seat: Seat
    turn: int


class Script(Struct):
    """Asks what it is told to ask, turn by turn, and remembers what it heard; the last seat wins."""

    turns: list[dict[Seat, Decision]]
    seats: int = 3
    heard: list[list[tuple[Seat, tuple[str, ...]]]] = []
    for_ever: bool = False

    def pending(self) -> Pending | Outcome:
        if len(self.heard) == len(self.turns) and not self.for_ever:
            return self.standing()
        return Pending(self.turns[len(self.heard) % len(self.turns)])

    def apply(self, chosen: Chosen) -> list[Any]:
        self.heard.append(list(chosen.items()))
        turn = len(self.heard)
        return [Heard(tuple("+".join(picks) for picks in chosen.values())), Whisper((turn % self.seats,), Secret(turn))]

    def observe(self, seat: Seat) -> Sight:
        return Sight(seat, len(self.heard))

    def standing(self) -> Outcome:
        return Outcome(ranks_of(range(self.seats)), tuple(range(self.seats)))

    def copy(self) -> "Script":
        return Script(self.turns, self.seats, self.heard[:], self.for_ever)


class Scripted:
    """Answers from a book and keeps all that it was sent; ``journal`` is shared by all at the table."""

    def __init__(self, book: Book, journal: list[str] | None = None, ready: Fault | None = None) -> None:
        self.book, self.ready = book, ready
        self.journal = [] if journal is None else journal
        self.sent: list[wire.FromHost] = []
        self.left = 0
        self.waited = 0.0

    def greet(self, hello: wire.Hello) -> Fault | None:
        self.sent.append(hello)
        return self.ready

    def decide(self, decide: wire.Decide) -> Answer:
        assert isinstance(self.sent[0], wire.Hello)
        self.journal.append(f"asked {self.sent[0].seat}")
        self.sent.append(decide)
        return self.book(decide)

    def close(self, over: wire.Over) -> None:
        self.sent.append(over)

    def leave(self) -> None:
        self.left += 1

    @property
    def asked(self) -> list[wire.Decide]:
        return [message for message in self.sent if isinstance(message, wire.Decide)]

    @property
    def over(self) -> wire.Over:
        assert isinstance(self.sent[-1], wire.Over)
        return self.sent[-1]


def first(decide: wire.Decide) -> Answer:
    """The mildest answer."""
    return tuple(range(decide.least))


def last(decide: wire.Decide) -> Answer:
    """The last options, as few as allowed."""
    return tuple(range(decide.count - decide.least, decide.count))


def late(_decide: wire.Decide) -> Answer:
    """No answer."""
    return LATE


def match(
    seats: int = 3, faults: int = 3, silent: tuple[Seat, ...] = (), order: bytes = b"order", **clock: int
) -> Match:
    """A match of players called ``bot0`` and so on."""
    return Match(
        id="e0b1r2",
        label="f00d",
        game="script",
        version="7",
        bots=tuple(f"bot{seat}" for seat in range(seats)),
        variants={"tide": "low"},
        ids=b"ids",
        order=order,
        seeds=tuple(range(100, 100 + seats)),
        limits=(wire.Limits(**{"start": 5000, "move": 250, "faults": faults, **clock}),) * seats,
        silent=silent,
    )


def ask(*options: str, least: int = 1, most: int = 1) -> Decision:
    """A decision."""
    return Decision(options or ("no", "yes"), least, most)


def everyone(seats: int = 3) -> dict[Seat, Decision]:
    """A question to all seats."""
    return {seat: ask() for seat in range(seats)}


def referee(state: Script, *players: Player, **told: Any) -> Record:
    """Play, and hold the record against a replay on the same script."""
    fresh = state.copy()
    record = play(match(len(players), **told), state, players)
    assert records.decode(records.encode(record)) == record
    assert verify(record, fresh) is None
    return record


def test_greeting() -> None:
    """Every player is told in ``hello`` all that it may know of the match, and opaque names at that."""
    players = [Scripted(first) for _ in range(3)]
    referee(Script([]), *players)
    for seat, player in enumerate(players):
        assert player.sent[0] == wire.Hello(
            protocol=1,
            match="f00d",
            game="script",
            version="7",
            variants={"tide": "low"},
            seat=seat,
            seats=3,
            seed=100 + seat,
            limits=wire.Limits(start=5000, move=250, faults=3),
        )


def test_limits_of_each_seat() -> None:
    """Each seat is told its own limits and no other's, and is held to them."""
    own = [wire.Limits(1, 100 * (seat + 1), faults=seat + 1) for seat in range(3)]
    players = [Scripted(late) for _ in range(3)]
    record = play(Match(**{**fields(match()), "limits": tuple(own)}), Script([everyone()] * 5), players)
    for seat, player in enumerate(players):
        assert isinstance(player.sent[0], wire.Hello)
        assert player.sent[0].limits == own[seat]
        assert [question.time for question in player.asked] == [100 * (seat + 1)] * (seat + 1)
    assert record.retired == (0, 1, 2)


def test_question() -> None:
    """A question carries its options, how many to pick, the time, and what the seat sees now."""
    player = Scripted(last)
    referee(Script([{1: ask("a", "b", "c", least=1, most=2)}] * 2), Scripted(first), player, Scripted(first))
    question = player.asked[1]
    assert (question.least, question.most, question.count, question.time) == (1, 2, 3, 250)
    assert question.options == ("a", "b", "c")
    assert question.observation == Sight(1, 1)


def test_ids() -> None:
    """Ids are 48 bits that do not repeat and depend on the key alone."""

    def ids(key: bytes) -> list[str]:
        player = Scripted(first)
        play(Match(**{**fields(match(1)), "ids": key}), Script([{0: ask()}] * 500, 1), [player])
        return [question.id for question in player.asked]

    drawn = ids(b"one")
    assert len(set(drawn)) == 500
    assert all(re.fullmatch("[0-9a-f]{12}", name) for name in drawn)
    assert ids(b"one") == drawn
    assert not set(ids(b"two")) & set(drawn)


def fields(told: Match) -> dict[str, Any]:
    """A match as its fields."""
    return {name: getattr(told, name) for name in told.__struct_fields__}


def test_forced_seats_are_not_asked() -> None:
    """Who has nothing to decide is not asked, and leaves nothing in the record."""
    forced = {0: ask("only"), 1: Decision(("a", "b"), 0, 0), 2: ask("no", "yes")}
    state, players = Script([forced]), [Scripted(last) for _ in range(3)]
    record = referee(state, *players)
    assert [len(player.asked) for player in players] == [0, 0, 1]
    assert (record.seats_asked, record.picks) == ((2,), ((1,),))
    assert state.heard == [[(0, ("only",)), (1, ()), (2, ("yes",))]]


def test_simultaneous_question() -> None:
    """Seats of one question are asked one by one in a drawn order; the state hears all at once, in seat order."""
    orders = set()
    for key in range(40):
        journal: list[str] = []
        # a question that names its seats in another order than that of the table
        question = {2: ask("c", "C"), 0: ask("a", "A"), 1: ask("b", "B")}
        state, players = Script([question]), [Scripted(last, journal) for _ in range(3)]
        record = referee(state, *players, order=bytes([key]))
        orders.add(tuple(journal))
        assert state.heard[0] == [(0, ("A",)), (1, ("B",)), (2, ("C",))]
        assert record.seats_asked == (0, 1, 2)
        assert all(player.asked[0].observation.turn == 0 for player in players)
    assert orders == {tuple(f"asked {seat}" for seat in order) for order in permutations(range(3))}


def test_the_state_hears_in_one_order() -> None:
    """In which order seats were asked does not show in what the state hears."""
    heard = []
    for key in range(10):
        state = Script([everyone()] * 3)
        referee(state, Scripted(last), Scripted(first), Scripted(late), order=bytes([key]))
        heard.append(state.heard)
    assert heard.count(heard[0]) == 10
    assert [seat for seat, _ in heard[0][0]] == [0, 1, 2]


def test_sequential_questions_draw_no_order() -> None:
    """A question to one seat leaves the order of the next simultaneous one as it was."""
    journals: list[list[str]] = [[], []]
    for journal, before in zip(journals, ([], [{0: ask()}, {1: ask()}]), strict=True):
        state = Script([*before, *[everyone()] * 5])
        referee(state, *(Scripted(first, journal) for _ in range(3)))
    assert journals[1][2:] == journals[0]


def test_events_ride_with_the_next_question() -> None:
    """A seat hears what happened when it is next asked: each event once, in order, whispers only for their seats."""
    players = [Scripted(first) for _ in range(3)]
    referee(Script([{0: ask()}, {1: ask()}, {0: ask()}, {2: ask()}]), *players)
    heard = Heard(("no",))
    assert [question.events for question in players[0].asked] == [[], [heard, heard]]
    assert [question.events for question in players[1].asked] == [[heard, Secret(1)]]
    assert [question.events for question in players[2].asked] == [[heard, heard, Secret(2), heard]]
    assert players[0].over.events == [heard, Secret(3), heard]
    assert players[1].over.events == [heard, heard, heard, Secret(4)]
    assert players[2].over.events == [heard]


def test_picks_in_their_order() -> None:
    """The order of the picks reaches the state and the record."""
    state = Script([{0: ask("a", "b", "c", least=2, most=3)}])
    record = referee(state, Scripted(lambda _: (2, 0)), Scripted(first), Scripted(first))
    assert state.heard == [[(0, ("c", "a"))]]
    assert record.picks == ((2, 0),)


@pytest.mark.parametrize("picks", [(-1,), (2,), (0, 1), (), (0, 0), (99999999999999999999,)])
def test_illegal_picks(picks: tuple[int, ...]) -> None:
    """Picks against the rules are an illegal fault that quotes them, and silence answers."""
    state = Script([{0: ask()}, {0: ask()}])
    answers = iter([picks, (1,)])
    record = referee(state, Scripted(lambda _: next(answers)), Scripted(first), Scripted(first))
    assert [(fault.kind, fault.decision) for fault in record.faults] == [("illegal", 0)]
    assert record.faults[0].rule.startswith("expected ")
    assert record.faults[0].line == str(list(picks)).replace(" ", "")
    assert "zero-based" in record.faults[0].hint
    assert state.heard == [[(0, ("no",))], [(0, ("yes",))]]


def test_trouble_is_noted() -> None:
    """A player's trouble becomes a fault word for word, its line escaped and cut, and silence answers."""
    state = Script([{1: ask("a", "b", "c", least=2, most=3)}])
    record = referee(state, Scripted(first), Scripted(late), Scripted(first))
    fault = record.faults[0]
    assert (fault.seat, fault.kind, fault.decision, fault.rule, fault.hint) == (1, "late", 0, LATE.rule, LATE.hint)
    assert fault.line == "\\x1b[31m{\\xff"
    assert state.heard == [[(1, ("a", "b"))]]
    assert record.picks == ((0, 1),)


@given(st.binary(max_size=300))
@settings(max_examples=100, deadline=None)
def test_quoted_lines(line: bytes) -> None:
    """Whatever a bot wrote, its line is quoted in printable ASCII of bounded length."""
    trouble = Fault.of("no-message", rule="expected JSON, got none", hint="", line=line)
    record = play(match(1), Script([{0: ask()}], 1), [Scripted(lambda _: trouble)])
    quoted = record.faults[0].line
    assert quoted.isascii()
    assert quoted.isprintable()
    assert len(quoted) <= 4 * 120 + 3


@pytest.mark.parametrize("limit", [1, 2, 3])
def test_retirement(limit: int) -> None:
    """At its last fault a seat is retired: ended, asked no more, told no more, silence answers; the others play on."""
    players = [Scripted(last), Scripted(late), Scripted(last)]
    state = Script([everyone()] * 5)
    record = referee(state, *players, faults=limit)
    assert record.retired == (1,)
    assert [fault.decision for fault in record.faults] == [1, 4, 7][:limit]
    assert (players[1].left, len(players[1].asked)) == (1, limit)
    assert players[0].left == players[2].left == 0
    assert len(players[0].asked) == 5
    assert not any(isinstance(message, wire.Over) for message in players[1].sent)
    assert state.heard == [[(0, ("yes",)), (1, ("no",)), (2, ("yes",))]] * 5
    assert [micros >= 0 for micros in record.micros[1::3]] == [True] * limit + [False] * (5 - limit)
    assert record.micros[-2] == -1


def test_faults_are_counted_by_seat() -> None:
    """The faults of one seat do not count for another, and good answers in between forgive nothing."""
    answers: Iterator[Answer] = iter([LATE, (1,), LATE, (1,), LATE, (1,)])
    players = [Scripted(lambda _: next(answers)), Scripted(late), Scripted(first)]
    record = referee(Script([{0: ask()}] * 6 + [{1: ask()}] * 2), *players)
    assert record.retired == (0,)
    assert [fault.seat for fault in record.faults] == [0, 0, 0, 1, 1]


@pytest.mark.parametrize(
    ("retiring", "ranks"), [((), (2, 1, 0)), ((2,), (1, 0, 2)), ((1, 2), (0, 1, 1)), ((0,), (2, 1, 0))]
)
def test_the_retired_share_last(retiring: tuple[Seat, ...], ranks: tuple[int, ...]) -> None:
    """Retired seats share the last rank; the others are ranked as they played; scores stay as they are."""
    players = [Scripted(late if seat in retiring else first) for seat in range(3)]
    record = referee(Script([everyone()] * 3), *players)
    assert (record.ranks, record.scores) == (ranks, (0, 1, 2))
    assert all(player.over.ranks == ranks for seat, player in enumerate(players) if seat not in retiring)


def test_all_retired() -> None:
    """With nobody left to ask the match still ends, and all share."""
    record = referee(Script([everyone()] * 9), *(Scripted(late) for _ in range(3)), faults=1)
    assert (record.ranks, record.reason, len(record.picks)) == ((0, 0, 0), "finished", 27)


def test_not_ready() -> None:
    """Who is not ready is retired at once, whatever its faults are worth, and never asked."""
    players = [
        Scripted(first),
        Scripted(first, ready=Fault.of("cannot-start", rule="expected ready, got none")),
        Scripted(first),
    ]
    record = referee(Script([everyone()] * 2), *players)
    assert [(fault.seat, fault.kind, fault.decision) for fault in record.faults] == [(1, "unready", -1)]
    assert (record.retired, players[1].left, players[1].asked) == ((1,), 1, [])


def test_silent_seats() -> None:
    """The seat of a withdrawn entrant is retired from the start: no greeting, no question, no fault."""
    players = [Scripted(last) for _ in range(3)]
    state = Script([everyone()] * 2)
    record = referee(state, *players, silent=(0,))
    assert players[0].sent == []
    assert (record.retired, record.faults, record.ranks) == ((0,), (), (2, 1, 0))
    assert state.heard[0][0] == (0, ("no",))
    assert record.micros[0] == -1


@pytest.mark.long
def test_endless_game() -> None:
    """A match ends at the decision cap, ranked as it stands."""
    players = [Scripted(first), Scripted(first)]
    record = referee(Script([{0: ask()}, {1: ask()}], 2, for_ever=True), *players)
    assert (len(record.picks), record.reason, record.ranks) == (DECISION_CAP, "capped", (1, 0))
    assert players[0].over.reason == "capped"


def test_record() -> None:
    """A record holds the match as it was played, with nothing of its secrets."""
    state = Script([everyone(), {2: ask("a", "b", "c", least=1, most=2)}])
    record = referee(state, Scripted(first), Scripted(last), Scripted(last))
    assert (record.id, record.game, record.version) == ("e0b1r2", "script", "7")
    assert (record.bots, record.variants) == (("bot0", "bot1", "bot2"), {"tide": "low"})
    assert (record.reason, record.ranks, record.scores) == ("finished", (2, 1, 0), (0, 1, 2))
    assert (record.seats_asked, record.picks) == ((0, 1, 2, 2), ((0,), (1,), (1,), (2,)))
    assert len(record.micros) == 4
    assert min(record.micros) >= 0
    assert record.seconds >= sum(record.micros) / 1e6 - 1e-3
    assert (record.faults, record.retired, record.why) == ((), (), "")


def test_trouble_of_the_house() -> None:
    """What is no bot's doing passes through the referee: such a match has no record."""
    player = Mock(wraps=Scripted(first))
    player.decide.side_effect = RuntimeError("the host is on fire")
    with pytest.raises(RuntimeError, match="on fire"):
        play(match(1), Script([{0: ask()}], 1), [player])


@given(st.binary(min_size=32, max_size=32), st.integers(2, 4), st.data())
@settings(max_examples=40, deadline=None)
def test_any_match_can_be_told_again(seed: bytes, seats: int, data: st.DataObject) -> None:
    """Whatever players do, the record of a match leads from its deal to its result."""

    def book(decide: wire.Decide) -> Answer:
        return data.draw(st.one_of(st.just(LATE), st.tuples(st.integers(-1, decide.count))))

    players = [Scripted(book) for _ in range(seats)]
    variants = toy.GAME.resolve_variants({})
    told = Match(**{**fields(match(seats)), "game": "toy", "version": "1", "variants": variants})
    record = play(told, toy.GAME.deal(seats, seed, variants), players)
    assert verify(record, toy.GAME.deal(seats, seed, variants)) is None
    assert {record.ranks[seat] for seat in record.retired} <= {seats - len(record.retired)}
