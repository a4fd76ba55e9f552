"""One match: a state, its players and their clocks, to a record.

A player is whatever keeps the ``Player`` protocol, and whatever it does is data here, for a bot cannot raise in the
referee.
"""

from collections.abc import Iterable, Iterator, Sequence
from hashlib import blake2b
from itertools import count
from math import inf
from time import monotonic, perf_counter_ns
from typing import Any, Literal, Protocol

from msgspec import Struct, field
from msgspec.structs import replace

from arena import wire
from arena.chance import Chance
from arena.fault import FAULTS, Fault
from arena.game import DECISION_CAP, Outcome, Pending, Seat, State, Whisper, end_of
from arena.record import Record, retired_last

_ID_LENGTH = 12


class Player(Protocol):
    """Whoever answers for a seat."""

    def greet(self, hello: wire.Hello) -> Fault | None:
        """Open a match; the fault if the player is not ready."""

    def decide(self, decide: wire.Decide) -> Sequence[int] | Fault:
        """The picks, not yet held against the rules, or why there are none."""

    def close(self, over: wire.Over) -> None:
        """Hear how the match ended."""

    def leave(self) -> None:
        """Be ended: the seat is retired."""

    @property
    def waited(self) -> float:
        """Seconds of the last answer, or of its lack, that count against it."""


class Match(Struct, frozen=True):
    """What the referee is told of a match besides its state: names for the record, and keys drawn from the secret."""

    id: str
    label: str
    """What bots are told instead of the id."""
    game: str
    version: str
    bots: tuple[str, ...]
    variants: dict[str, str]
    ids: bytes
    """Key of the request ids."""
    order: bytes
    """Key of the order in which seats of one question are asked."""
    seeds: tuple[int, ...]
    """A seed for each bot's own dice."""
    limits: tuple[wire.Limits, ...]
    deal: bytes = b""
    """Seed of the deal. The referee does not deal: it is handed the state."""
    silent: tuple[Seat, ...] = field(default=())
    """Seats of withdrawn entrants: retired before the start, nobody is asked."""


class Clock:
    """The clock of one seat in one match, in milliseconds: how long it may think now, and what that leaves.

    It measures no time itself. The bank is that of Fischer's clock (US patent 4,884,255): an increment for each
    decision, added before it.
    """

    __slots__ = ("_increment", "_move", "bank", "left")

    def __init__(self, limits: wire.Limits) -> None:
        """``bank`` is what the bank holds, infinite without one; ``left`` what is left of the match total."""
        self._move = limits.move
        self._increment = limits.increment
        self.bank = float(limits.bank) if limits.bank else inf
        self.left = float(limits.total)

    def begin(self) -> int:
        """Add the increment for a decision; the whole milliseconds that it may take, 0 if there is not one left."""
        move = self._move
        bank = self.bank = self.bank + self._increment
        if bank >= move <= self.left:
            return move
        return max(int(min(bank, self.left)), 0)

    def charge(self, seconds: float) -> None:
        """Take off what the answer took. The bank is never overdrawn; the total may be, by the last answer."""
        used = seconds * 1000
        self.left -= used
        self.bank = self.bank - used if self.bank > used else 0.0

    @property
    def counts(self) -> bool:
        """Whether it may ever have told less than the limit of a move."""
        return self.bank < inf or self.left < self._move

    @property
    def spent(self) -> bool:
        """Whether less than a millisecond is left of the match total."""
        return self.left < 1


class _Table:
    """The seats of one match: who still answers, what time and what news each has, what went wrong."""

    __slots__ = ("clocks", "faults", "limits", "news", "players", "retired", "strikes")

    def __init__(self, players: Sequence[Player], match: Match) -> None:
        self.players: dict[Seat, Player] = dict(enumerate(players))
        self.news: list[list[Any]] = [[] for _ in players]
        self.strikes = [0] * len(players)
        self.faults: list[Fault] = []
        self.retired: list[Seat] = []
        self.limits = match.limits
        self.clocks = [Clock(limits) for limits in match.limits]
        for seat in match.silent:
            self._silence(seat)

    def _silence(self, seat: Seat) -> None:
        del self.players[seat]
        self.retired.append(seat)

    def retire(self, seat: Seat) -> None:
        self.players[seat].leave()
        self._silence(seat)

    def note(self, seat: Seat, decision: int, fault: Fault) -> None:
        limits = self.limits[seat]
        spent = fault.kind == "late" and self.clocks[seat].spent
        if spent:
            rule = f"expected at most {limits.total / 1000:g} s of thinking in a match, got more"
            fault = Fault.of("time-spent", rule=rule)
        self.faults.append(replace(fault, seat=seat, decision=decision))
        self.strikes[seat] += FAULTS[fault.kind].strikes
        if spent or self.strikes[seat] >= limits.faults:
            self.retire(seat)

    def note_no_time(self, seat: Seat, decision: int) -> None:
        bank = self.limits[seat].bank / 1000
        rule = f"expected an answer within the bank of {bank:g} s, got none left of it"
        self.note(seat, decision, Fault.of("time-spent", rule=rule))

    def close(self, outcome: Outcome, reason: Literal["finished", "capped"]) -> tuple[int, ...]:
        """Tell whoever still answers how the match ended; the ranks, with retired seats last."""
        ranks = retired_last(outcome.ranks, self.retired)
        for seat, player in self.players.items():
            player.close(wire.Over(ranks=ranks, scores=outcome.scores, reason=reason, events=self.news[seat]))
        return ranks

    def tell(self, events: Sequence[Any]) -> None:
        news = self.news
        if Whisper not in map(type, events):
            # most steps have no private event: done here, at a fraction of the cost
            for inbox in news:
                inbox.extend(events)
            return
        for event in events:
            if type(event) is Whisper:
                for seat in event.seats:
                    news[seat].append(event.event)
            else:
                for inbox in news:
                    inbox.append(event)


def _ids(key: bytes) -> Iterator[str]:
    """Unguessable ids of questions, 48 bits each: ``BLAKE2b(counter, key=key)`` in hexadecimal, cut into twelves."""
    for counter in count():
        text = blake2b(counter.to_bytes(8, "little"), key=key).hexdigest()
        for start in range(0, len(text) - _ID_LENGTH, _ID_LENGTH):
            yield text[start : start + _ID_LENGTH]


def _shuffled(lot: Chance, numbers: Iterable[int]) -> list[int]:
    order = list(numbers)
    lot.shuffle(order)
    return order


def play(match: Match, state: State, players: Sequence[Player]) -> Record:
    """Play a match to its end; ``players`` by seat, as many as ``match.bots``. The state is used up.

    The seats of a simultaneous question are asked one after the other in an order drawn from ``match.order``; the state
    hears all answers at once, in seat order.
    """
    began = monotonic()
    table = _Table(players, match)
    for seat in list(table.players):
        _greet(table, match, seat)
    ids, lot = _ids(match.ids), Chance(match.order)
    news, clocks, playing = table.news, table.clocks, table.players
    picks: list[Sequence[int]] = []
    seats: list[Seat] = []
    micros: list[int] = []
    charged: list[int] = []
    steps = 0
    while isinstance(pending := state.pending(), Pending) and steps < DECISION_CAP and len(picks) < DECISION_CAP:
        steps += 1
        decisions = pending.decisions
        choices: dict[Seat, tuple[Any, ...]] = {}
        first = len(picks)
        # most questions are to one seat
        for seat, decision in decisions.items() if len(decisions) == 1 else sorted(decisions.items()):
            # an answer takes the place of silence, so that the seats stay in order
            choices[seat] = decision.silence
            if not decision.forced:
                seats.append(seat)
                picks.append(range(decision.least))
                micros.append(-1)
                charged.append(0)
        for index in (first,) if len(picks) == first + 1 else _shuffled(lot, range(first, len(picks))):
            seat = seats[index]
            player = playing.get(seat)
            if player is None:
                continue
            if not (time := clocks[seat].begin()):
                table.note_no_time(seat, index)
                continue
            decision = decisions[seat]
            question = wire.Decide(
                next(ids),
                decision.least,
                decision.most,
                len(decision.options),
                time,
                decision.options,
                state.observe(seat),
                news[seat],
            )
            start = perf_counter_ns()
            answer = player.decide(question)
            micros[index] = (perf_counter_ns() - start) // 1000
            # whole microseconds, so that the record has exactly what the clock said
            charged[index] = waited = round(player.waited * 1e6)
            clocks[seat].charge(waited / 1e6)
            news[seat] = []
            if isinstance(answer, (tuple, list)):
                wrong = decision.fault_in(answer)
                if wrong is None:
                    picks[index] = answer
                    choices[seat] = decision.take(answer)
                    continue
                answer = Fault.of("illegal-picks", rule=wrong, line=wire.encode(answer))
            table.note(seat, index, answer)  # type: ignore[arg-type]  # whatever is not picks is a fault
        table.tell(state.apply(choices))
    outcome, reason = end_of(state, pending)
    return Record(
        id=match.id,
        game=match.game,
        version=match.version,
        bots=match.bots,
        ranks=table.close(outcome, reason),
        scores=outcome.scores,
        reason=reason,
        faults=tuple(table.faults),
        retired=tuple(table.retired),
        variants=match.variants,
        picks=tuple([tuple(pick) for pick in picks]),
        seats_asked=tuple(seats),
        micros=tuple(micros),
        charged=tuple(charged) if any(clock.counts for clock in clocks) else (),
        seconds=round(monotonic() - began, 6),
    )


def void(match: Match, why: str) -> Record:
    """The record of a match that the host failed to play: unrated, with the host's reason."""
    nobody = (0,) * len(match.bots)
    return Record(
        match.id, match.game, match.version, match.bots, nobody, nobody, "void", why=why, variants=match.variants
    )


def _greet(table: _Table, match: Match, seat: Seat) -> None:
    hello = wire.Hello(
        protocol=wire.PROTOCOL,
        match=match.label,
        game=match.game,
        version=match.version,
        variants=match.variants,
        seat=seat,
        seats=len(match.bots),
        seed=match.seeds[seat],
        limits=match.limits[seat],
    )
    fault = table.players[seat].greet(hello)
    if fault is not None:
        table.note(seat, -1, fault)
        if seat in table.players:
            table.retire(seat)
