"""The referee against a model of it: whatever players do, who is asked, who hears what, and what is written down."""

from collections import Counter
from collections.abc import Callable, Sequence
from functools import cache
from itertools import repeat
from typing import Any, ClassVar

import pytest
from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, precondition, rule, run_state_machine_as_test
from msgspec.structs import replace

from arena import record as records
from arena import referee, wire
from arena.errors import HostError
from arena.fault import CAUSES, Fault
from arena.game import Decision, Seat
from arena.record import Record
from arena.referee import Match, Player
from arena.retelling import verify
from tests.referee_model import LATE, Actor, Call, Escapes, Happened, Model, Reaction, Script, Turn, has_one_answer


def shapes(options: int, most: int) -> list[Decision]:
    """Every question of up to so many options and picks."""
    return [
        Decision(tuple(str(option) for option in range(n)), least, top)
        for n in range(options + 1)
        for top in range(min(n, most) + 1)
        for least in range(top + 1)
    ]


decisions = st.sampled_from([each for each in shapes(4, 3) if not has_one_answer(each)]) | st.sampled_from(shapes(3, 2))
"""Questions, some of which leave nothing to decide."""
troubles = st.builds(
    Fault.of, st.sampled_from([*CAUSES]), rule=st.just(LATE.rule), hint=st.just("hint"), line=st.binary(max_size=5)
)
any_picks = st.lists(st.integers(-2, 5) | st.just(10**20), max_size=4)


@cache
def reactions(decision: Decision) -> st.SearchStrategy[Reaction]:
    """What a bot may do: most often it answers well."""
    indexes = st.integers(0, max(len(decision.options) - 1, 0))
    legal = st.lists(indexes, min_size=decision.least, max_size=decision.most, unique=True)
    return st.one_of(legal, legal.map(tuple), legal.map(tuple), any_picks, any_picks.map(tuple), troubles)


class Machine(RuleBasedStateMachine):
    """Matches at one table: questions are laid up, then played."""

    seen: ClassVar[Counter[str]] = Counter()

    @initialize(seats=st.integers(1, 5), faults=st.integers(1, 3), order=st.binary(max_size=4), data=st.data())
    def sit_down(self, seats: int, faults: int, order: bytes, data: st.DataObject) -> None:
        """A table, its limit of faults, and who is withdrawn or will not be ready."""
        self.seats = range(seats)
        present = data.draw(st.integers(0, 3))
        some = st.dictionaries(st.sampled_from(self.seats), st.none() | troubles, max_size=2)
        absent = {} if present else data.draw(some)
        self.ready = {seat: trouble for seat, trouble in absent.items() if trouble}
        self.match = Match(
            id="e0b0r0",
            label="f00d",
            game="script",
            version="1",
            bots=tuple(f"bot{seat}" for seat in self.seats),
            variants={},
            ids=b"ids",
            order=order,
            seeds=(0,) * seats,
            limits=(wire.Limits(start=5000, move=250, faults=faults),) * seats,
            silent=tuple(seat for seat, trouble in absent.items() if not trouble),
        )
        self.turns: list[Turn] = []
        if data.draw(st.booleans()):
            # an opening that asks nobody
            self.turns.append(Turn({}, {}, [None]))

    @rule(data=st.data(), times=st.integers(1, 3), luck=st.integers(0, 9))
    def ask(self, data: st.DataObject, times: int, luck: int) -> None:
        """A question to one seat or to several, named in any order, again and again; now and then the host fails."""
        seats = data.draw(st.lists(st.sampled_from(self.seats), min_size=1, unique=True))
        asked = {seat: data.draw(decisions) for seat in seats}
        for _ in range(times):
            answers = {seat: data.draw(reactions(decision)) for seat, decision in asked.items()}
            self.turns.append(Turn(asked, answers))
        if luck == 9:
            self.turns[-1].reactions[seats[0]] = HostError("the host is on fire")

    @precondition(lambda self: self.turns)
    @rule(data=st.data())
    def tell(self, data: st.DataObject) -> None:
        """Something follows, which all see or only some."""
        reach = data.draw(st.none() | st.sets(st.sampled_from(self.seats)).map(tuple))
        self.turns[-1] = replace(self.turns[-1], reach=[*self.turns[-1].reach, reach])

    @precondition(lambda self: self.turns)
    @rule(data=st.data())
    def play(self, data: st.DataObject) -> None:
        """Play what was laid up, and again with one seat answering a question to several otherwise."""
        log, finished = self.played(self.turns)
        some = [(number, turn) for number, turn in enumerate(self.turns) if len(turn.decisions) > 1]
        several = [(number, seat) for number, turn in some for seat in turn.decisions]
        if several and finished:
            number, seat = data.draw(st.sampled_from(several))
            self.turns[number].reactions[seat] = data.draw(reactions(self.turns[number].decisions[seat]))
            twin, _ = self.played(self.turns)
            assert seen_by_others(twin, seat, number) == seen_by_others(log, seat, number)
        self.turns = []

    def teardown(self) -> None:
        """Play what is left."""
        if self.turns:
            self.played(self.turns)

    def played(self, turns: Sequence[Turn]) -> tuple[list[Call], bool]:
        """Play one match and hold it against the model; its calls, and whether it came to its end."""
        log: list[Call] = []
        state = Script(len(self.seats), list(turns), [])
        actors = [Actor(seat, state, self.ready.get(seat), log) for seat in self.seats]
        model = Model(self.match, turns, self.ready, [])
        record = escaped = None
        try:
            record = referee.play(self.match, state, actors)
        except HostError as trouble:
            escaped = trouble
        except Exception as error:
            raise AssertionError(f"expected nothing to escape but the host's own trouble, got {error!r}") from error
        model.log = log[:]
        due = None
        try:
            model.run()
        except Escapes as escapes:
            due = escapes.trouble
        assert escaped is due
        assert (record is None) == (due is not None)
        assert state.said == model.said
        if record is not None:
            model.judge(record)
            assert verify(record, Script(len(self.seats), list(turns), [])) is None
            assert records.decode(records.encode(record)) == record
        self.seen.update(
            matches=1,
            questions=len(model.ids),
            simultaneous=sum(len(turn.decisions) > 1 for turn in turns),
            faults=len(model.faults),
            retired=len(model.retired),
            escaped=escaped is not None,
            whispers=sum(reach is not None for turn in turns for reach in turn.reach),
        )
        return log, record is not None


def seen_by_others(log: Sequence[Call], seat: Seat, turn: int) -> list[Call]:
    """All that other seats were sent up to and including this turn."""
    return [call for call in log if call.seat != seat and call.turn <= turn]


def run_machine(matches: int, **more: Any) -> Counter[str]:
    """So many runs of the machine, of several matches each; what came up in them."""
    Machine.seen.clear()
    quiet = [HealthCheck.too_slow, HealthCheck.filter_too_much, HealthCheck.data_too_large]
    run_state_machine_as_test(
        Machine,
        settings=settings(
            max_examples=matches, stateful_step_count=8, deadline=None, suppress_health_check=quiet, **more
        ),
    )
    return Counter(Machine.seen)


@pytest.mark.long
def test_whatever_players_do() -> None:
    """Every call of the referee and every record is what the model says, whatever the players do."""
    assert run_machine(40)["matches"] >= 20


@pytest.mark.proof
def test_whatever_players_do_a_thousand_times(record_property: Callable[[str, object], None]) -> None:
    """The referee does what a model of it says, whatever players do, in thousands of matches."""
    seen = run_machine(2000)
    for what, least in (("matches", 2000), ("questions", 5000), ("faults", 2000), ("escaped", 100), ("whispers", 500)):
        assert seen[what] > least, seen
        record_property(what, seen[what])


# --- planted flaws

Play = Callable[[Match, Any, Sequence[Player]], Record]
Answer = Sequence[int] | Fault
Plant = Callable[[pytest.MonkeyPatch], None]
_play, _tell, _note, _sit = referee.play, referee._Table.tell, referee._Table.note, referee._Table.__init__


class Proxy:
    """A player behind a referee's flaw."""

    waited = 0.0

    def __init__(self, player: Player, pending: dict[int, list[Any]]) -> None:
        self.player = player
        self.pending = pending
        self.greet, self.close, self.leave = player.greet, player.close, player.leave

    def decide(self, decide: wire.Decide) -> Answer:
        return self.player.decide(decide)


class Leaky(Proxy):
    """Who is asked later is told what others have picked."""

    def decide(self, decide: wire.Decide) -> Answer:
        told = self.pending.setdefault(len(decide.observation.said), [])
        answer = self.player.decide(replace(decide, events=[*decide.events, *told]))
        if isinstance(answer, (tuple, list)):
            told.append(Happened(0, answer[0] if answer else 0))
        return answer


class Blaming(Proxy):
    """The bot is late when the host fails."""

    def decide(self, decide: wire.Decide) -> Answer:
        try:
            return self.player.decide(decide)
        except HostError:
            return LATE


class Lenient(Proxy):
    """Who gives no answer gets the last options, and no fault."""

    def decide(self, decide: wire.Decide) -> Answer:
        answer = self.player.decide(decide)
        return tuple(range(decide.count))[-decide.least :] if isinstance(answer, Fault) else answer


def behind(kind: type[Proxy]) -> Plant:
    """All players behind such a flaw."""

    def play(match: Match, state: Any, players: Sequence[Player]) -> Record:
        pending: dict[int, list[Any]] = {}
        return _play(match, state, [kind(player, pending) for player in players])

    return lambda patch: patch.setattr(referee, "play", play)


def telling(heard: Callable[[list[Any]], list[Any]]) -> Plant:
    """Events that reach the table changed."""
    return lambda patch: patch.setattr(referee._Table, "tell", lambda table, events: _tell(table, heard(list(events))))


def swallowed(match: Match, state: Any, players: Sequence[Player]) -> Record:
    """A failure of the host becomes half a record."""
    try:
        return _play(match, state, players)
    except HostError as trouble:
        return referee.void(match, str(trouble))


def shared_note(table: Any, seat: Seat, decision: int, trouble: Any) -> None:
    """The faults of one seat count for all."""
    _note(table, seat, decision, trouble)
    table.strikes = [max(table.strikes)] * len(table.strikes)


def forgiving_note(table: Any, seat: Seat, decision: int, trouble: Any) -> None:
    """Garbled lines cost nothing."""
    if trouble.kind != "garbled":
        _note(table, seat, decision, trouble)


def patient_sit(table: Any, players: Sequence[Player], match: Match) -> None:
    """One fault more than was said."""
    limits = tuple(replace(own, faults=own.faults + 1) for own in match.limits)
    _sit(table, players, replace(match, limits=limits))


FLAWS: dict[str, Plant] = {
    "an event is told twice": telling(lambda events: [*events, *events[-1:]]),
    "an event is lost": telling(lambda events: events[1:]),
    "events are told in another order": telling(lambda events: events[::-1]),
    "a whisper is spoken aloud": telling(lambda events: [getattr(event, "event", event) for event in events]),
    "a retired seat is asked on": lambda patch: patch.setattr(
        referee._Table, "_silence", lambda table, seat: table.retired.append(seat)
    ),
    "a seat is retired without being ended": lambda patch: patch.setattr(
        referee._Table, "retire", lambda table, seat: table._silence(seat)
    ),
    "a seat is retired one fault late": lambda patch: patch.setattr(referee._Table, "__init__", patient_sit),
    "the faults of one seat count for all": lambda patch: patch.setattr(referee._Table, "note", shared_note),
    "garbled lines cost nothing": lambda patch: patch.setattr(referee._Table, "note", forgiving_note),
    "the retired are ranked as they played": lambda patch: patch.setattr(
        referee, "retired_last", lambda ranks, _retired: ranks
    ),
    "picks lose their order": lambda patch: patch.setattr(
        Decision, "take", lambda decision, picks: tuple(decision.options[pick] for pick in sorted(picks))
    ),
    "picks count from the end too": lambda patch: patch.setattr(
        Decision,
        "fault_in",
        lambda decision, picks: None if all(abs(pick) < len(decision.options) for pick in picks) else "no",
    ),
    "seats are heard in the order of a dictionary": lambda patch: patch.setattr(referee, "sorted", list, raising=False),
    "an id comes again": lambda patch: patch.setattr(referee, "_ids", lambda _key: repeat("0" * 12)),
    "choices leak to who is asked later": behind(Leaky),
    "the host's trouble is blamed on a bot": behind(Blaming),
    "no answer is taken for the last options": behind(Lenient),
    "the host's trouble ends in half a record": lambda patch: patch.setattr(referee, "play", swallowed),
}


@pytest.mark.parametrize("flaw", FLAWS)
@pytest.mark.long
def test_a_planted_flaw_is_found(flaw: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The machine finds each flaw planted in the referee."""
    FLAWS[flaw](monkeypatch)
    with pytest.raises(AssertionError):
        run_machine(100, derandomize=True, database=None, phases=[Phase.generate], report_multiple_bugs=False)
