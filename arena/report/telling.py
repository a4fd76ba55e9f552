"""How a replay, or the lines of a match, are made from its record: it is played again. Knows no file and no page."""

import re
from collections.abc import Iterator, Mapping
from typing import Any, Generic, TypeVar

import msgspec

from arena.escape import cleaned, folded, plain
from arena.fault import Fault
from arena.game import Decision, Game, Seat, State, Whisper
from arena.record import Record, from_first
from arena.report.document import WIDTH
from arena.report.replay import (
    FORMAT,
    NO_NOTES,
    NOBODY,
    EventLine,
    Move,
    Notes,
    OtherBot,
    Place,
    Position,
    Replay,
    SeatDecision,
    TableView,
    fault_lines,
    zone_fields,
)
from arena.retelling import Step, retell
from arena.view import Card, Counter, Table, Zone, together

_LONGEST_NAME = 60
_LONGEST = 4000
_LONGEST_FAULT = 400
_LONGEST_CAPTION = 130
_SEAT = re.compile(r"\bseat (\d{1,3})\b")

Value = TypeVar("Value")


def tell(
    record: Record, game: Game, state: State, *, number: int, seat: Seat | None = None, limit: int = 0,
    data: bool = False, other: OtherBot = NOBODY, notes: Notes = NO_NOTES,
) -> Replay:  # fmt: skip
    """The replay of a match, from its deal and its picks.

    Args:
        record: the match, not void.
        game: what was played.
        state: the deal of the match, fresh; it moves along.
        number: of the match in its journal.
        seat: tell only what this seat was sent; None tells all.
        limit: milliseconds for a decision.
        data: whether options and events are told as data too.
        other: a bot that was asked, too.
        notes: what bots have told.

    Raises:
        arena.retelling.Differs: the picks do not fit the deal.
    """
    teller = _Teller(record, seat, data=data, other=other, notes=notes)
    teller.look(state, game)
    moves = []
    for step in retell(record, state):
        moves.append(teller.move(step))
        teller.look(state, game)
    kinds = {card.kind for card in teller.cards.all if card.kind}
    looks = game.looks() if game.looks else {}
    return Replay(
        format=FORMAT,
        id=record.id,
        number=number,
        game=game.name,
        title=game.title,
        version=record.version,
        variants={
            name: value for name, value in record.variants.items() if [value] != [*game.variants.get(name, ())][:1]
        },
        bots=tuple(plain(bot, _LONGEST_NAME) if seat in {None, index} else "" for index, bot in enumerate(record.bots)),
        ranks=record.ranks,
        scores=record.scores,
        reason=record.reason,
        retired=tuple(who for who in record.retired if seat in {None, who}),
        seat=seat,
        limit=limit,
        other=plain(other.name, _LONGEST_NAME),
        cards=tuple(teller.cards.all),
        zones=tuple(teller.zones.all),
        counters=tuple(teller.counters.all),
        sights=tuple(teller.sights.all),
        positions=tuple(teller.positions),
        moves=tuple(moves),
        looks={kind: look for kind, look in looks.items() if kind in kinds},
        legend=game.legend,
    )


def sentences(
    record: Record, state: State | None, *, seat: Seat | None = None, begin: int = -1, last: int | None = None,
    full: bool = True, other: OtherBot = NOBODY, notes: Notes = NO_NOTES,
) -> Iterator[str]:  # fmt: skip
    """A match in lines of 80 columns, with the picks of the ``other`` bot; with ``seat`` only what that seat saw.

    ``full``: with all options and lines.

    ``state`` is the fresh deal, and moves along; None of a void match. From decision ``begin`` to ``last`` or the end.

    Raises:
        arena.retelling.Differs: the picks do not fit the deal.
    """

    def name_seat(match: re.Match[str]) -> str:
        # bots are told no names but their own
        number = int(match[1])
        return (
            f"{match[0]} ({record.bots[number]})" if number < len(record.bots) and seat in {None, number} else match[0]
        )

    for line in _lines(record, state, seat, begin=begin, last=last, full=full, other=other, notes=notes):
        further = " " * (len(line) - len(line.lstrip(" -")) + 4)
        uncut = {"break_long_words": False, "break_on_hyphens": False}
        yield from folded(_SEAT.sub(name_seat, line), WIDTH, subsequent_indent=further, **uncut) or [""]


def _lines(
    record: Record, state: State | None, seat: Seat | None, *, begin: int, last: int | None, full: bool,
    other: OtherBot, notes: Notes,
) -> Iterator[str]:  # fmt: skip
    variants = "".join(f", {name}={value}" for name, value in record.variants.items())
    yield f"match {record.id}: {record.game} version {record.version}{variants}"
    yield ", ".join(f"seat {number}" for number in range(len(record.bots)))
    if state is None:
        yield f"void, unrated: {plain(record.why, 400)}"
        return
    for fault in record.faults:
        if fault.decision < 0 and seat in {None, fault.seat}:
            yield f"  seat {fault.seat}"
            yield from fault_lines(cleaned(fault), full=full)
    teller = _Teller(record, seat, other=other, notes=notes)
    for step in retell(record, state):
        if last is not None and step.first > last:
            return
        move = teller.move(step)
        if move.beyond > begin and (lines := list(move.sentences(seat, other=other.name, full=full))):
            yield move.name
            yield from lines
    yield f"end: {record.reason}"
    for of_seat in from_first(record.ranks):
        retired = ", retired for its faults" if of_seat in record.retired and seat in {None, of_seat} else ""
        yield f"  {record.ranks[of_seat] + 1}. seat {of_seat}: {record.scores[of_seat]}{retired}"


class _Pool(Generic[Value]):
    """Each different value once, in the order in which they came."""

    def __init__(self) -> None:
        self.all: list[Value] = []
        self._places: dict[Value, int] = {}

    def __call__(self, value: Value) -> int:
        if value not in self._places:
            self._places[value] = len(self.all)
            self.all.append(value)
        return self._places[value]


class _Teller:
    def __init__(self, record: Record, seat: Seat | None, *, data: bool = False, other: OtherBot, notes: Notes) -> None:
        self._notes = notes
        self.record, self.seat, self.data, self.other = record, seat, data, other
        self.cards: _Pool[Card] = _Pool()
        self.zones: _Pool[Place] = _Pool()
        self.counters: _Pool[Counter] = _Pool()
        self.sights: _Pool[TableView] = _Pool()
        self.positions: list[Position] = []
        self._seats = range(len(record.bots))
        self._questions = [""] * len(record.bots)
        self._zone_indices: dict[Zone, int] = {}
        self._faults: Mapping[int, Fault] = {fault.decision: fault for fault in record.faults}

    def look(self, state: State, game: Game) -> None:
        """Keep the position, as seen by the seats that the replay is for."""
        tables = {seat: _observe_table(state, game, seat) for seat in self._seats if self.seat in {None, seat}}
        self._questions = [tables[seat].question if seat in tables else "" for seat in self._seats]
        self.positions.append(
            Position(
                everyone=self._sight(together(list(tables.values()))) if self.seat is None else None,
                seats=tuple(self._sight(tables[seat]) if seat in tables else None for seat in self._seats),
                scores=state.standing().scores if self.seat is None else (),
            )
        )

    def _sight(self, table: Table) -> int:
        return self.sights(
            TableView(
                title=table.title,
                question=table.question,
                zones=tuple(map(self._place, table.zones)),
                counters=tuple(map(self.counters, table.counters)),
                badges=table.badges,
                text=table.text,
            )
        )

    def _place(self, zone: Zone) -> int:
        index = self._zone_indices.get(zone)
        if index is None:
            index = self.zones(Place(**zone_fields(zone), cards=tuple(map(self.cards, zone.cards))))
            self._zone_indices[zone] = index
        return index

    def move(self, step: Step) -> Move:
        """What was asked, of the position looked at last, and what followed."""
        questions = [
            self._tell_decision(step.pending.decisions[seat], seat, index)
            for index, seat in enumerate(step.pending.seats, step.first)
            if self.seat in {None, seat}
        ]
        return Move(
            first=step.first,
            count=len(step.pending.seats),
            asked=tuple(questions),
            events=tuple(self._told_events(step.events)),
            caption=caption(step.events),
        )

    def _tell_decision(self, decision: Decision, seat: Seat, index: int) -> SeatDecision:
        fault = self._faults.get(index)
        return SeatDecision(
            decision=index,
            seat=seat,
            question=self._questions[seat],
            options=tuple(map(_worded, decision.options)),
            least=decision.least,
            most=decision.most,
            picks=self.record.picks[index],
            other=self.other.picks.get(index),
            micros=self.record.micros[index] if index < len(self.record.micros) else -1,
            fault=cleaned(fault, _LONGEST_FAULT) if fault else None,
            note=self._notes.notes.get(index, ""),
            stderr=self._notes.stderr.get(index, ""),
            values=msgspec.to_builtins(decision.options) if self.data else (),
        )

    def _told_events(self, events: list[Any]) -> Iterator[EventLine]:
        for event in events:
            payload, seats = (event.event, event.seats) if isinstance(event, Whisper) else (event, None)
            if self.seat is None or seats is None or self.seat in seats:
                yield EventLine(
                    text=_worded(payload),
                    seats=seats,
                    upkeep=not getattr(payload, "weight", 1),
                    event=msgspec.to_builtins(payload) if self.data else None,
                )


def caption(events: list[Any]) -> str:
    """The weightiest of the events that everyone saw, in one sentence of some 130 characters; empty without any."""
    public_events = [event for event in events if not isinstance(event, Whisper)]
    weights = [getattr(event, "weight", 1) for event in public_events]
    room = _LONGEST_CAPTION
    picks: set[int] = set()
    for index in sorted(range(len(public_events)), key=lambda index: (-weights[index], index)):
        room -= len(str(public_events[index]))
        if not picks or (room >= 0 and weights[index]):
            picks.add(index)
    words, before = "", ""
    for text in (_worded(public_events[index]) for index in sorted(picks)):
        subject = match[0] if (match := re.match(r"seat \d+ ", text)) else ""
        again = subject and subject == before
        words += f", {text.removeprefix(subject)}" if again else f"; {text}" if words else text
        before = subject
    return words


def _worded(value: Any) -> str:
    """The text of an observation, an option or an event, line by line."""
    return "\n".join(plain(line, _LONGEST) for line in str(value).split("\n"))


def _observe_table(state: State, game: Game, seat: Seat) -> Table:
    observation = state.observe(seat)
    if game.view:
        return game.view(observation)
    question = game.question(observation) if game.question else ""
    return Table(question=question, text=_worded(observation))
