"""A recorded match replayed to real bots: each gets the messages of its seat again, and its answers are compared.

The referee plays the match again with players that give the recorded answers, so the messages come from the same code.
Knows no journal, schedule or rating; starts only the players that it is given.
"""

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress

from msgspec import Struct
from msgspec.structs import replace

from arena import wire
from arena.fault import FAULTS, Fault, cause_of
from arena.game import Decision, Seat
from arena.games import find
from arena.record import Record
from arena.referee import Match, Player, play
from arena.retelling import Differs, compare_fields


class Difference(Struct, frozen=True, kw_only=True):
    """A bot answered differently from its seat in the record, or gave no legal answer."""

    seat: Seat
    decision: int
    """Index into the record's ``picks``; -1: it was not ready."""
    sent: bytes
    picks: tuple[int, ...] = ()
    """Its answer, if it gave a legal one."""
    fault: Fault | None = None


class Span(Struct, frozen=True, kw_only=True):
    """The decisions of a match that a bot is asked, both ends included; it hears the ``hello`` in any case."""

    first: int = 0
    last: int | None = None
    """None: to the end, with the ``over``."""

    def __contains__(self, decision: int) -> bool:
        return self.first <= decision and (self.last is None or decision <= self.last)


EVERY = Span()


class Compared(Struct, frozen=True):
    """A recalled match is over: by seat, how many answers were compared; and all that differed."""

    decisions: dict[Seat, int]
    differences: tuple[Difference, ...] = ()


class _Stop(Exception):
    """The first difference is found, and only the first is asked for."""


class RecordedPlayer:
    """Answers for a seat as recorded, and asks the bot too; ``on_difference`` hears where its answer differs."""

    def __init__(
        self,
        seat: Seat,
        record: Record,
        bot: Player | None = None,
        on_difference: Callable[[Difference], None] = lambda _: None,
        span: Span = EVERY,
    ) -> None:
        self.waited = 0.0
        self.compared = 0
        self.decision = -1
        """That it is asked now."""
        self.span = span
        self._seat = seat
        self._record = record
        self._bot = bot
        self._on_difference = on_difference
        self._decisions = iter(
            [
                decision
                for decision, decider in enumerate(record.seats_asked)
                if decider == seat and record.micros[decision] >= 0
            ]
        )
        self._faults = {fault.decision: fault for fault in record.faults if fault.seat == seat}
        # a record without `charged` tells almost the same by its waiting times
        self._charged = record.charged or record.micros
        self._counts = bool(record.charged)
        self._strikes = 0

    def greet(self, hello: wire.Hello) -> Fault | None:
        """Greet the bot; returns the fault in the record."""
        self._counts = self._counts or hello.limits.bank > 0
        self._strikes = hello.limits.faults
        if self._bot is not None and (fault := self._bot.greet(hello)):
            self._bot = None
            if -1 not in self._faults:
                self._differ(-1, wire.encode(hello), (), fault)
        return self._faults.get(-1)

    def decide(self, decide: wire.Decide) -> tuple[int, ...] | Fault:
        """Ask the bot; returns the answer or the fault in the record."""
        decision = next(self._decisions, None)
        if decision is None:
            difference = f"seat {self._seat}: expected as many questions as were waited for, got more"
            raise Differs(difference, match=self._record.id)
        self.waited = self._charged[decision] / 1e6 if self._counts else 0.0
        self.decision = decision
        fault = self._faults.get(decision)
        if self._bot is not None and decision in self.span and (fault is None or cause_of(fault) != "busy-between"):
            answer = self._bot.decide(decide)
            if fault is None:
                self._compare(decision, decide, answer)
        return fault or self._record.picks[decision]

    def close(self, over: wire.Over) -> None:
        """Tell the bot, unless it is to hear of some decisions alone."""
        if self._bot is not None and self.span.last is None:
            self._bot.close(over)

    def leave(self) -> None:
        """End the bot where the one of the record was ended."""
        if self._bot is not None:
            self._bot.leave()
            self._bot = None

    def _compare(self, decision: int, decide: wire.Decide, answer: Sequence[int] | Fault) -> None:
        self.compared += 1
        fault = answer if isinstance(answer, Fault) else None
        picks = () if isinstance(answer, Fault) else tuple(answer)
        if fault is None and (wrong := Decision(decide.options, least=decide.least, most=decide.most).fault_in(picks)):
            fault = Fault.of("illegal-picks", rule=wrong, hint="", line=wire.encode(picks))
        if fault is not None:
            self._strikes -= FAULTS[fault.kind].strikes
            if self._strikes <= 0:
                # a tournament would retire the bot too
                self.leave()
        if fault is not None or picks != self._record.picks[decision]:
            self._differ(decision, wire.encode(decide), picks, fault)

    def _differ(self, decision: int, sent: bytes, picks: tuple[int, ...], fault: Fault | None) -> None:
        answer = picks if fault is None else ()
        self._on_difference(Difference(seat=self._seat, decision=decision, sent=sent, picks=answer, fault=fault))


def play_recorded(match: Match, record: Record, seats: Sequence[Player]) -> None:
    """Play a recorded match again; ``Differs``: that leads elsewhere."""
    match = replace(match, silent=record.withdrawn)
    played = play(match, find(match.game).deal(len(match.bots), match.deal, match.variants), seats)
    if wrong := compare_fields(played, record, ("picks", "faults", "retired", "ranks")):
        raise Differs(str(wrong), match=record.id)


def retold(match: Match, record: Record) -> str | None:
    """Where faults, retired seats and who was asked do not agree with the answers of a record, or None.

    A fault is answered by silence; a seat is retired after its limit of faults; every other seat is asked.
    """
    waited = {seat for seat, micros in zip(record.seats_asked, record.micros, strict=True) if micros >= 0}
    if unearned := waited.intersection(record.withdrawn):
        return f"retired: expected seats that faulted or were never asked, got seat {min(unearned)}"
    try:
        compare(match, record, {})
    except Differs as error:
        return error.difference
    return None


def compare(
    match: Match,
    record: Record,
    bots: Mapping[Seat, Player],
    *,
    stop: bool = False,
    first: int = 0,
    last: int | None = None,
) -> Compared:
    """Send each bot what its seat was sent in the recorded match, and compare its answers.

    Whatever a bot answers, the recorded conversation continues, so no bot's answer reaches another's seat. Where the
    record has a fault, the bot is asked and its answer does not count. A bot with as many faults as retire a seat is
    not asked again. With ``stop`` all ends at the first difference. Bots are asked the decisions from
    ``first`` to ``last``.

    Raises:
        arena.retelling.Differs: the record is not what its deal and its answers lead to.
        arena.errors.HostError: the host failed, not a bot.
    """
    differences: list[Difference] = []
    span = Span(first=first, last=last)

    def add_difference(difference: Difference) -> None:
        differences.append(difference)
        if stop:
            raise _Stop

    seats = [RecordedPlayer(seat, record, bots.get(seat), add_difference, span) for seat in range(len(record.bots))]
    with suppress(_Stop):
        play_recorded(match, record, seats)
    return Compared(decisions={seat: seats[seat].compared for seat in bots}, differences=tuple(differences))
