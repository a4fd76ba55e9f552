"""A simple model of the referee: what it must do, call by call, and a game and players that log what it does."""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from arena import wire
from arena.errors import HostError
from arena.fault import Fault
from arena.game import Chosen, Decision, Outcome, Pending, Seat, Whisper, ranks_of
from arena.record import Record
from arena.referee import Match

Reaction = tuple[int, ...] | list[int] | Fault | HostError
Said = tuple[tuple[Seat, tuple[str, ...]], ...]

LATE = Fault.of("no-answer", rule="expected an answer in time, got none")


# --- a game that is nothing but its script


class Happened(Struct, frozen=True, tag="happened"):
    turn: int
    number: int


class Sight(Struct, frozen=True):
    seat: Seat
    said: tuple[Said, ...]


class Turn(Struct):
    """A question, what each seat will do at it, and whom each event that follows reaches: None is everybody."""

    decisions: dict[Seat, Decision]
    reactions: dict[Seat, Reaction]
    reach: list[tuple[Seat, ...] | None] = []


class Script(Struct):
    """Asks turn after turn; who picks later options scores more."""

    seats: int
    turns: list[Turn]
    said: list[Said] = []

    def pending(self) -> Pending | Outcome:
        if len(self.said) == len(self.turns):
            return self.standing()
        return Pending(self.turns[len(self.said)].decisions)

    def apply(self, chosen: Chosen) -> list[Any]:
        turn = len(self.said)
        self.said.append(tuple(chosen.items()))
        events = [Happened(turn, number) for number in range(len(self.turns[turn].reach))]
        return [
            event if seats is None else Whisper(seats, event)
            for event, seats in zip(events, self.turns[turn].reach, strict=True)
        ]

    def observe(self, seat: Seat) -> Sight:
        return Sight(seat, tuple(self.said))

    def standing(self) -> Outcome:
        scores = [0] * self.seats
        for said in self.said:
            for seat, picked in said:
                scores[seat] += sum(int(option) for option in picked)
        return Outcome(ranks_of(scores), tuple(scores))

    def copy(self) -> "Script":
        return Script(self.seats, self.turns, self.said[:])


class Call(Struct, frozen=True):
    """The referee called a player; the message as the bytes it was at that moment."""

    turn: int
    seat: Seat
    what: str
    message: bytes = b""


class Actor:
    """Does at each turn what the script says, and logs every call."""

    waited = 0.0

    def __init__(self, seat: Seat, state: Script, ready: Fault | None, log: list[Call]) -> None:
        self.seat, self.state, self.ready, self.log = seat, state, ready, log

    def _log(self, what: str, message: wire.FromHost | None = None) -> None:
        data = b"" if message is None else wire.encode(message)
        self.log.append(Call(len(self.state.said), self.seat, what, data))

    def greet(self, hello: wire.Hello) -> Fault | None:
        self._log("hello", hello)
        return self.ready

    def decide(self, decide: wire.Decide) -> Sequence[int] | Fault:
        self._log("decide", decide)
        reaction = self.state.turns[len(self.state.said)].reactions.get(self.seat, LATE)
        if isinstance(reaction, HostError):
            raise reaction
        return reaction

    def close(self, over: wire.Over) -> None:
        self._log("over", over)

    def leave(self) -> None:
        self._log("leave")


# --- the model


class Escapes(Exception):
    """The model says that this trouble of the host must come out of the referee."""

    def __init__(self, trouble: HostError) -> None:
        super().__init__(str(trouble))
        self.trouble = trouble


def is_legal(decision: Decision, picks: Sequence[int]) -> bool:
    """Whether these picks answer the question, by the definition."""
    every = set(range(len(decision.options)))
    return decision.least <= len(picks) <= decision.most and len(every & set(picks)) == len(picks)


def has_one_answer(decision: Decision) -> bool:
    """Whether nothing is left to decide, by the definition."""
    return decision.most == 0 or (len(decision.options), decision.least) == (1, 1)


class Model:
    """What must happen, call by call; only the order in which the seats of one question are asked is the referee's."""

    def __init__(self, match: Match, turns: Sequence[Turn], ready: Mapping[Seat, Fault], log: Sequence[Call]) -> None:
        self.match, self.turns, self.ready = match, turns, ready
        self.log = list(log)
        self.seats = range(len(match.bots))
        self.retired = list(match.silent)
        self.unheard: dict[Seat, list[Happened]] = {seat: [] for seat in self.seats}
        self.said: list[Said] = []
        self.faults: list[tuple[Seat, str, int]] = []
        self.picks: list[tuple[int, ...]] = []
        self.asked: list[Seat] = []
        self.waited: list[bool] = []
        self.ids: set[str] = set()

    @property
    def living(self) -> list[Seat]:
        return [seat for seat in self.seats if seat not in self.retired]

    def next_call(self, what: str, *seats: Seat) -> Call:
        """The next call, which is due to one of these seats."""
        assert self.log, f"expected {what} for {seats}, got no call"
        call = self.log.pop(0)
        assert (call.what, call.turn) == (what, len(self.said))
        assert call.seat in seats
        return call

    def fault(self, seat: Seat, kind: str, decision: int) -> None:
        self.faults.append((seat, kind, decision))
        if decision < 0 or sum(fault[0] == seat for fault in self.faults) == self.match.limits[0].faults:
            self.retired.append(seat)
            self.next_call("leave", seat)

    def run(self) -> None:
        """The whole match; afterwards nothing is left of the log."""
        for seat in self.living:
            self.next_call("hello", seat)
            if seat in self.ready:
                self.fault(seat, self.ready[seat].kind, -1)
        for turn in self.turns:
            self.play(turn)
        over = self.over()
        for seat in self.living:
            assert self.next_call("over", seat).message == wire.encode(replace(over, events=self.unheard[seat]))
        assert self.log == []

    def play(self, turn: Turn) -> None:
        """One question."""
        seats = sorted(seat for seat, decision in turn.decisions.items() if not has_one_answer(decision))
        chosen = {seat: list(range(decision.least)) for seat, decision in turn.decisions.items()}
        places = {seat: len(self.picks) + at for at, seat in enumerate(seats)}
        due = [seat for seat in seats if seat in self.living]
        self.waited += [seat in due for seat in seats]
        while due:
            seat = self.ask(turn, due)
            due.remove(seat)
            reaction = turn.reactions[seat]
            if isinstance(reaction, HostError):
                assert self.log == []
                raise Escapes(reaction)
            if isinstance(reaction, Fault):
                self.fault(seat, reaction.kind, places[seat])
            elif is_legal(turn.decisions[seat], reaction):
                chosen[seat] = list(reaction)
            else:
                self.fault(seat, "illegal", places[seat])
        self.picks += [tuple(chosen[seat]) for seat in seats]
        self.asked += seats
        self.said.append(
            tuple(
                (seat, tuple(turn.decisions[seat].options[pick] for pick in picks))
                for seat, picks in sorted(chosen.items())
            )
        )
        for number, reach in enumerate(turn.reach):
            for seat in self.seats if reach is None else reach:
                self.unheard[seat].append(Happened(len(self.said) - 1, number))

    def ask(self, turn: Turn, due: Sequence[Seat]) -> Seat:
        """The next seat that was asked; it was told all that it should have been, and nothing else."""
        call = self.next_call("decide", *due)
        found = wire.decode_from_host(call.message)
        assert isinstance(found, wire.Decide)
        decision = turn.decisions[call.seat]
        assert re.fullmatch("[0-9a-f]{12}", found.id)
        assert found.id not in self.ids
        self.ids.add(found.id)
        assert call.message == wire.encode(
            wire.Decide(
                found.id,
                decision.least,
                decision.most,
                len(decision.options),
                self.match.limits[0].move,
                decision.options,
                Sight(call.seat, tuple(self.said)),
                self.unheard[call.seat],
            )
        )
        self.unheard[call.seat] = []
        return call.seat

    def over(self) -> wire.Over:
        """The result, without events: a retired seat is behind every other, whatever its score."""
        state = Script(len(self.seats), [], self.said)
        scores = state.standing().scores
        behind = [(seat in self.retired, 0 if seat in self.retired else -scores[seat]) for seat in self.seats]
        return wire.Over(tuple(sum(other < own for other in behind) for own in behind), scores, "finished", [])

    def judge(self, record: Record) -> None:
        """Hold the record against what happened."""
        over = self.over()
        assert (record.ranks, record.scores, record.reason) == (over.ranks, over.scores, "finished")
        assert (record.picks, record.seats_asked) == (tuple(self.picks), tuple(self.asked))
        assert [(fault.seat, fault.kind, fault.decision) for fault in record.faults] == self.faults
        assert record.retired == tuple(self.retired)
        assert [micros >= 0 for micros in record.micros] == self.waited
        assert max(Counter(fault.seat for fault in record.faults).values(), default=0) <= self.match.limits[0].faults
