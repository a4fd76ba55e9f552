"""Recorded matches replayed: whoever sits in a seat then is sent, byte for byte, what was sent in the match."""

from collections.abc import Callable, Mapping
from hashlib import blake2b
from types import MappingProxyType
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from arena import games as shelf
from arena import wire
from arena.chance import Chance
from arena.fault import Fault
from arena.game import Decision
from arena.record import Record
from arena.record import decode as decode_record
from arena.record import encode as encode_record
from arena.referee import Match, play
from arena.retelling import Differs
from arena.tournament.recall import Compared, Span, compare
from arena.tournament.transcribing import transcribe
from arena.transcript import read_transcripts

Answer = tuple[int, ...] | Fault
LATE = Fault.of("no-answer", rule="expected an answer in time, got none", hint="be quick")
IDLE = Fault.of("busy-between", rule="expected at most 25 % of the core on others' time, got 99 %")
WITHOUT_CAUSE = replace(IDLE, cause="")
"""The same in a record of an older version."""
UNREADY = Fault.of("cannot-start", rule="expected ready, got none")


class Taped:
    """A bot whose answers are drawn from what it is asked, and that keeps every line it is sent."""

    def __init__(self, spoil: Callable[[int], Fault | None] = lambda _question: None) -> None:
        self.lines: list[bytes] = []
        self.waited = 0.0
        self.asked = 0
        self.left = False
        self._spoil = spoil

    def greet(self, hello: wire.Hello) -> Fault | None:
        self.lines.append(wire.encode(hello))
        return self._spoil(-1)

    def decide(self, decide: wire.Decide) -> Answer:
        chance = Chance(blake2b(decide.id.encode(), digest_size=16).digest())
        # odd parts of a millisecond, so that a clock shows whether it counts as it did
        self.waited = (chance.below(7_000_001) + 1) / 3e9
        trouble = self._spoil(self.asked)
        self.asked += 1
        if trouble not in (IDLE, WITHOUT_CAUSE):
            self.lines.append(wire.encode(decide))
        return trouble or picked(decide)

    def close(self, over: wire.Over) -> None:
        self.lines.append(wire.encode(over))

    def leave(self) -> None:
        self.left = True


def picked(decide: wire.Decide) -> tuple[int, ...]:
    """A legal answer that follows from the id of the question."""
    chance = Chance(blake2b(decide.id.encode(), key=b"picks", digest_size=16).digest())
    order = list(range(decide.count))
    chance.shuffle(order)
    return tuple(order[: decide.least + chance.below(decide.most - decide.least + 1)])


def sat(game: str, seats: int, clock: Mapping[str, int] = MappingProxyType({}), silent: tuple[int, ...] = ()) -> Match:
    """A match of a game."""
    found = shelf.find(game)
    return Match(
        id="e0b1r2",
        label="f00d",
        game=game,
        version=found.version,
        bots=tuple(f"bot{seat}" for seat in range(seats)),
        variants=found.resolve_variants({}),
        ids=b"ids",
        order=b"order",
        seeds=tuple(range(100, 100 + seats)),
        limits=(wire.Limits(**{"start": 5000, "move": 250, **clock}),) * seats,
        deal=bytes(32),
        silent=silent,
    )


def played(match: Match, players: list[Any]) -> Record:
    """The match as it is read from a journal."""
    deal = shelf.find(match.game).deal(len(match.bots), match.deal, match.variants)
    return decode_record(encode_record(play(match, deal, players)))


def at(*questions: int, trouble: Fault = LATE) -> Callable[[int], Fault | None]:
    """This fault at these questions."""
    return lambda question: trouble if question in questions else None


@pytest.mark.parametrize("game", shelf.names())
@given(
    spoilt=st.lists(
        st.tuples(st.integers(0, 3), st.integers(0, 12), st.sampled_from([LATE, IDLE, WITHOUT_CAUSE])), max_size=6
    ),
    clock=st.sampled_from([{}, {"bank": 40, "increment": 1}, {"total": 260}, {"faults": 1}]),
    silent=st.sampled_from([(), (1,)]),
)
@settings(max_examples=12, deadline=None)
def test_every_seat_is_sent_the_same_bytes(
    game: str, spoilt: list[tuple[int, int, Fault]], clock: dict[str, int], silent: tuple[int, ...]
) -> None:
    """Greetings, questions, events, times, ends: the same bytes, whatever went wrong and whatever the clock was."""
    seats = min(4, shelf.find(game).seats.stop - 1)
    match = sat(game, seats, clock, silent)

    def taped(seat: int) -> Taped:
        own = {question: trouble for where, question, trouble in spoilt if where == seat}
        return Taped(own.get)

    then = [taped(seat) for seat in range(seats)]
    record = played(match, then)
    now = {seat: Taped() for seat in range(seats)}
    compared = compare(sat(game, seats, clock), record, now)
    assert [bot.lines for bot in now.values()] == [bot.lines for bot in then]
    assert compared.differences == ()
    transcripts = [transcribe(sat(game, seats, clock), record, seat) for seat in range(seats) if seat not in silent]
    heard = [bot.lines for seat, bot in enumerate(then) if seat not in silent]
    assert [list(transcript.lines(answers=False)) for transcript in transcripts] == heard
    # answers to what was spoilt then are not compared
    asked = [micros >= 0 for micros in record.micros]
    blamed = sum(fault.decision >= 0 and asked[fault.decision] for fault in record.faults)
    assert sum(compared.decisions.values()) == sum(asked) - blamed


def test_who_was_not_ready_is_greeted_and_no_more() -> None:
    """A seat that was not ready in the match is sent its hello, and nothing is compared."""
    match = sat("lure", 3)
    then = [Taped(), Taped(at(-1, trouble=UNREADY)), Taped()]
    record = played(match, then)
    now = {1: Taped()}
    compared = compare(match, record, now)
    assert now[1].lines == then[1].lines
    assert len(now[1].lines) == 1
    assert compared == Compared({1: 0})
    assert now[1].left


class Other(Taped):
    """Answers otherwise at one question."""

    def __init__(self, question: int, answer: Answer) -> None:
        super().__init__()
        self._question, self._answer = question, answer

    def decide(self, decide: wire.Decide) -> Answer:
        other = self.asked == self._question
        usual = super().decide(decide)
        return self._answer if other else usual


def test_another_answer_is_told_and_disturbs_nobody() -> None:
    """A different answer is told with the line and the decision; the recorded conversation goes on for all."""
    match = sat("fish-food", 3)
    then = [Taped() for _ in range(3)]
    record = played(match, then)
    own = [index for index, seat in enumerate(record.seats_asked) if seat == 1]
    now: dict[int, Taped] = {0: Taped(), 1: Other(4, ()), 2: Taped()}
    compared = compare(match, record, now)
    assert [(each.seat, each.decision, each.fault and each.fault.kind) for each in compared.differences] == [
        (1, own[4], "illegal")
    ]
    assert compared.differences[0].sent == then[1].lines[5]
    assert [bot.lines for bot in now.values()] == [bot.lines for bot in then]
    assert compared.decisions[1] == len(own)


def test_a_legal_answer_that_differs() -> None:
    """Other picks are told as they are, with no fault."""
    match = sat("cash-a-catch", 3)
    record = played(match, [Taped() for _ in range(3)])
    first = record.seats_asked.index(0)
    other = () if record.picks[first] else (0,)
    (difference,) = compare(match, record, {0: Other(0, other)}).differences
    assert (difference.decision, difference.picks, difference.fault) == (first, other, None)
    question = wire.decode_from_host(difference.sent)
    assert isinstance(question, wire.Decide)
    assert Decision(question.options, question.least, question.most).fault_in(other) is None


def test_stop() -> None:
    """Asked to stop, it does so at the first difference, and no more is sent."""
    match = sat("lure", 3)
    record = played(match, [Taped() for _ in range(3)])
    bot = Other(1, LATE)
    compared = compare(match, record, {2: bot}, stop=True)
    assert len(compared.differences) == 1
    assert len(bot.lines) == 3
    assert compared.decisions == {2: 2}


def test_some_decisions_alone() -> None:
    """Bounded by decisions, a bot hears the hello and those questions alone; the end only where nothing bounds it."""
    match = sat("lure", 3)
    then = [Taped() for _ in range(3)]
    record = played(match, then)
    own = [index for index, seat in enumerate(record.seats_asked) if seat == 1]
    for first, last, lines in (
        (own[2], own[4], [then[1].lines[0], *then[1].lines[3:6]]),
        (0, own[0], then[1].lines[:2]),
        (own[-1], None, [then[1].lines[0], *then[1].lines[-2:]]),
    ):
        bot = Taped()
        compared = compare(match, record, {1: bot}, first=first, last=last)
        assert bot.lines == lines
        assert compared.decisions == {1: len(lines) - 1 - (last is None)}
        assert list(transcribe(match, record, 1, span=Span(first=first, last=last)).lines(answers=False)) == lines


def test_answers_travel_with_the_lines() -> None:
    """Lines with answers are read back as they were: each answer with its decision; a fault has none."""
    match = sat("fish-food", 3)
    record = played(match, [Taped(), Taped(at(2)), Taped()])
    transcript = transcribe(match, record, 1)
    own = [index for index, seat in enumerate(record.seats_asked) if seat == 1]
    assert [(each.decision, each.picks) for each in transcript.questions] == [
        (index, None if place == 2 else record.picks[index]) for place, index in enumerate(own)
    ]
    lines = [*transcript.lines(answers=True)]
    (again,) = read_transcripts(b"\n".join(lines), path="lost.jsonl")
    assert [*again.lines(answers=True)] == lines
    assert [each.decision for each in again.questions if each.picks is not None] == own[:2] + own[3:]


def test_who_fails_too_often_is_asked_no_more() -> None:
    """As many faults as retire a bot end its part; the others are asked on."""
    match = sat("lure", 3, {"faults": 2})
    record = played(match, [Taped() for _ in range(3)])
    bot = Taped(lambda question: LATE if question >= 0 else None)
    other = Taped()
    compared = compare(match, record, {0: bot, 1: other})
    assert [each.fault and each.fault.kind for each in compared.differences] == ["late", "late"]
    assert bot.asked == 2
    assert bot.left
    assert other.asked == record.seats_asked.count(1)


def test_a_record_of_another_deal() -> None:
    """A record that does not follow from its deal is refused, not compared."""
    match = sat("lure", 3)
    record = played(match, [Taped() for _ in range(3)])
    with pytest.raises(Differs, match="ranks: expected "):
        compare(match, replace(record, ranks=(9, 9, 9)), {})


def test_what_clocks_were_charged() -> None:
    """What counted against clocks is recorded where a clock may have told less than the limit of a move, else not."""
    players = [Taped() for _ in range(3)]
    record = played(sat("lure", 3, {"bank": 9000}), players)
    assert len(record.charged) == len(record.picks)
    assert all((charged > 0) == (micros >= 0) for charged, micros in zip(record.charged, record.micros, strict=True))
    assert played(sat("lure", 3), [Taped() for _ in range(3)]).charged == ()
