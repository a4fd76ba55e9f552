"""A match as a replay: each position as each seat saw it, with questions, picks and events. Knows no file and no page.

A moment is named by its decision: *decision N* is the N-th of the record's ``picks``, from 0. A position lies before
the decisions that are asked at once there.

Values that occur often are stored once: cards, zones, counters and sights are lists, and other values refer to them by
their index. A replay for one seat holds only what was sent to that seat.
"""

import re
from collections.abc import Iterator, Mapping
from typing import Any, Generic, NamedTuple, TypeVar

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from arena.escape import cleaned, folded, plain, some
from arena.fault import Fault
from arena.game import Decision, Game, Seat, State, Whisper
from arena.record import Record, Step, from_first, retell
from arena.report.document import WIDTH
from arena.view import Badge, Card, CardStyle, Counter, Table, Zone, together

FORMAT = 1
_LONGEST_NAME = 60
_LONGEST = 4000
_LONGEST_FAULT = 400
_ROOM = 40
"""Characters of options that are shown at most where not all are asked for."""
_LONGEST_CAPTION = 130
_SEAT = re.compile(r"\bseat (\d{1,3})\b")

Value = TypeVar("Value")


class Other(NamedTuple):
    """A bot that was asked, too, and its picks by decision."""

    name: str = ""
    picks: Mapping[int, tuple[int, ...]] = {}


NOBODY = Other()


class Place(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A zone at one moment: as ``arena.view.Zone``, its cards as places in the replay's ``cards``."""

    id: str
    title: str
    kind: str = "row"
    cards: tuple[int, ...] = ()
    owner: int | None = None
    spaces: int = 0
    quiet: bool = False
    note: str = ""


class TableView(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A table as somebody sees it: as ``arena.view.Table``, in places of the replay's ``zones`` and ``counters``."""

    title: str = ""
    question: str = ""
    zones: tuple[int, ...] = ()
    counters: tuple[int, ...] = ()
    badges: tuple[Badge, ...] = ()
    text: str = ""


class Position(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One moment."""

    everyone: int | None = None
    """The sight that all seats have together, as a place in ``sights``; None in a replay for one seat."""
    seats: tuple[int | None, ...] = ()
    """By seat its sight, as a place in ``sights``; None where the replay is for another seat."""
    scores: tuple[int, ...] = ()
    """By seat the score if the match ended here; none in a replay for one seat, for it rests on hidden cards."""


class Asked(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One decision of one seat."""

    decision: int
    """Its number in the record, from 0."""
    seat: int
    question: str = ""
    options: tuple[str, ...] = ()
    """In words, in the order in which they were offered."""
    least: int = 1
    most: int = 1
    picks: tuple[int, ...] = ()
    """Zero-based indexes into ``options``."""
    other: tuple[int, ...] | None = None
    """The picks of the bot ``other`` of the replay; None: it was not asked."""
    micros: int = -1
    """Microseconds that the answer took; -1: nobody was asked."""
    fault: Fault | None = None
    """Its texts are printable ASCII."""
    values: tuple[Any, ...] = ()
    """The options as data, as they were sent."""

    def words(self, picks: tuple[int, ...]) -> str:
        """What these picks are of the options."""
        return ", ".join(self.options[pick] for pick in picks) or "nothing"

    @property
    def time(self) -> str:
        """How long the answer took, in words."""
        return f"{self.micros / 1000:.1f} ms" if self.micros >= 0 else "not asked"


class Said(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One event."""

    text: str
    """A sentence, with seats as ``seat 0``."""
    seats: tuple[int, ...] | None = None
    """Who saw it; None: everyone."""
    event: Any = None
    """The event as data, as it was sent."""


class Move(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The step from one position to the next: the questions of that moment, and the events that followed."""

    first: int = 0
    """The number of its first decision; where nobody is asked, of the next one."""
    count: int = 1
    """How many decisions are asked at once, of all seats."""
    asked: tuple[Asked, ...] = ()
    """Those that the replay tells."""
    events: tuple[Said, ...] = ()
    caption: str = ""
    """In one sentence what everyone saw happen, with seats as ``seat 0``; empty if that was nothing."""

    @property
    def beyond(self) -> int:
        """The number of the first decision after it."""
        return self.first + self.count

    @property
    def name(self) -> str:
        """The position before it in words, such as ``decision 3`` or ``decisions 4-7``."""
        if self.count:
            return f"decision {self.first}" if self.count == 1 else f"decisions {self.first}-{self.beyond - 1}"
        return f"after decision {self.first - 1}" if self.first else "before decision 0"

    def sentences(self, seat: Seat | None, *, other: str = "", whole: bool = True) -> Iterator[str]:
        """What was picked, by a bot ``other`` too, and what followed, for a seat or for everyone.

        ``whole`` as for the function.
        """
        for asked in self.asked:
            of = ", ".join(asked.options) if whole else some(asked.options, _ROOM, "-v")
            time = asked.time if self.count == 1 else f"decision {asked.decision}, {asked.time}"
            yield _one_line(f"  seat {asked.seat} picks {asked.words(asked.picks)} (of: {of}) [{time}]")
            if asked.other is not None:
                same = asked.other == asked.picks
                yield _one_line(f"    {other}: {'the same' if same else asked.words(asked.other)}")
            if asked.fault:
                yield from _fault(asked.fault, whole=whole)
        for said in self.events:
            only = seat is None and said.seats is not None
            seen = f" (seen by {', '.join(f'seat {other}' for other in said.seats or ())} only)" if only else ""
            yield _one_line(f"  - {said.text}{seen}")


class Mark(Struct, frozen=True, kw_only=True):
    """A decision worth a look."""

    decision: int
    text: str
    """A word or two, in printable ASCII."""


class Replay(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A match. ``moves[n]`` leads from ``positions[n]`` to ``positions[n + 1]``. Lists by seat run over all seats."""

    format: int
    id: str
    number: int
    """The match's number in the journal, from 0."""
    game: str
    title: str
    version: str
    variants: dict[str, str] = {}
    """Those that are not the default."""
    bots: tuple[str, ...]
    """In printable ASCII. In a replay for one seat the others have no names, for no bot is told any."""
    ranks: tuple[int, ...]
    scores: tuple[int, ...]
    reason: str
    retired: tuple[int, ...] = ()
    seat: int | None = None
    """The seat that the replay is for; None: everyone."""
    limit: int = 0
    """The time for a decision in milliseconds; 0: not known."""
    other: str = ""
    """Another bot that was asked, too."""
    cards: tuple[Card, ...] = ()
    zones: tuple[Place, ...] = ()
    counters: tuple[Counter, ...] = ()
    sights: tuple[TableView, ...] = ()
    positions: tuple[Position, ...] = ()
    moves: tuple[Move, ...] = ()
    looks: dict[str, CardStyle] = {}
    """How the cards look, by their kind."""
    legend: str = ""
    """How to read the table."""
    marks: tuple[Mark, ...] = ()
    """What somebody else found in the match, such as blunders: pages mark them on the line of time."""

    def position(self, decision: int) -> int:
        """The position at which a decision is asked; of -1 the first."""
        return next(index for index, move in enumerate((*self.moves, None)) if not move or move.beyond > decision)

    def begun(self, decision: int) -> "Replay":
        """The replay without the positions before that of a decision."""
        begin = self.position(decision)
        return replace(self, positions=self.positions[begin:], moves=self.moves[begin:])

    def table(self, position: int, *, seat: Seat | None = None) -> Table:
        """The table at a position, as a seat sees it or, without one, everyone together.

        Raises:
            LookupError: the replay does not hold it.
        """
        shown = self.positions[position]
        table_number = shown.everyone if seat is None else shown.seats[seat]
        if table_number is None:
            raise LookupError(f"match {self.id}: expected what seat {self.seat} saw, got a question for another")
        sight = self.sights[table_number]
        return Table(
            title=sight.title,
            question=sight.question,
            zones=tuple(map(self._zone, sight.zones)),
            counters=tuple(self.counters[counter] for counter in sight.counters),
            badges=sight.badges,
            text=sight.text,
        )

    def _zone(self, index: int) -> Zone:
        place = self.zones[index]
        return Zone(**_fields(place), cards=tuple(self.cards[card] for card in place.cards))


_FIELDS = tuple(name for name in Zone.__struct_fields__ if name != "cards")


def _fields(whole: Zone | Place) -> dict[str, Any]:
    return {name: getattr(whole, name) for name in _FIELDS}


def tell(
    record: Record,
    game: Game,
    state: State,
    *,
    number: int,
    seat: Seat | None = None,
    limit: int = 0,
    data: bool = False,
    other: Other = NOBODY,
) -> Replay:
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

    Raises:
        arena.record.Differs: the picks do not fit the deal.
    """
    teller = _Teller(record, seat, data=data, other=other)
    teller.look(state, game)
    moves = []
    for step in retell(record, state):
        moves.append(teller.move(step))
        teller.look(state, game)
    shown = {card.kind for card in teller.cards.all if card.kind}
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
        looks={kind: look for kind, look in looks.items() if kind in shown},
        legend=game.legend,
    )


def sentences(
    record: Record,
    state: State | None,
    *,
    seat: Seat | None = None,
    begin: int = -1,
    whole: bool = True,
    other: Other = NOBODY,
) -> Iterator[str]:
    """A match in lines of 80 columns, with the picks of the ``other`` bot; with ``seat`` only what that seat saw.

    ``whole``: with all options and lines.

    ``state`` is the fresh deal, and moves along; None of a void match. ``begin`` is the first decision told.

    Raises:
        arena.record.Differs: the picks do not fit the deal.
    """

    def named(match: re.Match[str]) -> str:
        # bots are told no names but their own
        number = int(match[1])
        return (
            f"{match[0]} ({record.bots[number]})" if number < len(record.bots) and seat in {None, number} else match[0]
        )

    for line in _lines(record, state, seat, begin, whole=whole, other=other):
        further = " " * (len(line) - len(line.lstrip(" -")) + 4)
        uncut = {"break_long_words": False, "break_on_hyphens": False}
        yield from folded(_SEAT.sub(named, line), WIDTH, subsequent_indent=further, **uncut) or [""]


def _lines(
    record: Record, state: State | None, seat: Seat | None, begin: int, *, whole: bool, other: Other
) -> Iterator[str]:
    variants = "".join(f", {name}={value}" for name, value in record.variants.items())
    yield f"match {record.id}: {record.game} version {record.version}{variants}"
    yield ", ".join(f"seat {number}" for number in range(len(record.bots)))
    if state is None:
        yield f"void, unrated: {plain(record.why, 400)}"
        return
    for fault in record.faults:
        if fault.decision < 0 and seat in {None, fault.seat}:
            yield f"  seat {fault.seat}"
            yield from _fault(cleaned(fault), whole=whole)
    teller = _Teller(record, seat, other=other)
    for step in retell(record, state):
        move = teller.move(step)
        if move.beyond > begin and (lines := list(move.sentences(seat, other=other.name, whole=whole))):
            yield move.name
            yield from lines
    yield f"end: {record.reason}"
    for of_seat in from_first(record.ranks):
        retired = ", retired for its faults" if of_seat in record.retired and seat in {None, of_seat} else ""
        yield f"  {record.ranks[of_seat] + 1}. seat {of_seat}: {record.scores[of_seat]}{retired}"


def _fault(fault: Fault, *, whole: bool) -> Iterator[str]:
    yield f"    fault {fault.kind}: {fault.rule}"
    if fault.hint:
        yield f"    mend: {fault.hint}"
    if fault.line and whole:
        yield f"    line: {fault.line}"


def _one_line(text: str) -> str:
    return text.replace("\n", "\\n")


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
    def __init__(self, record: Record, seat: Seat | None, *, data: bool = False, other: Other = NOBODY) -> None:
        self.record, self.seat, self.data, self.other = record, seat, data, other
        self.cards: _Pool[Card] = _Pool()
        self.zones: _Pool[Place] = _Pool()
        self.counters: _Pool[Counter] = _Pool()
        self.sights: _Pool[TableView] = _Pool()
        self.positions: list[Position] = []
        self._seats = range(len(record.bots))
        self._questions = [""] * len(record.bots)
        self._known: dict[Zone, int] = {}
        self._faults: Mapping[int, Fault] = {fault.decision: fault for fault in record.faults}

    def look(self, state: State, game: Game) -> None:
        """Keep the position, as seen by the seats that the replay is for."""
        tables = {seat: _seen(state, game, seat) for seat in self._seats if self.seat in {None, seat}}
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
        known = self._known.get(zone)
        if known is None:
            known = self.zones(Place(**_fields(zone), cards=tuple(map(self.cards, zone.cards))))
            self._known[zone] = known
        return known

    def move(self, step: Step) -> Move:
        """What was asked, of the position looked at last, and what followed."""
        questions = [
            self._asked(step.pending.decisions[seat], seat, index)
            for index, seat in enumerate(step.pending.asked, step.first)
            if self.seat in {None, seat}
        ]
        return Move(
            first=step.first,
            count=len(step.pending.asked),
            asked=tuple(questions),
            events=tuple(self._told_events(step.events)),
            caption=caption(step.events),
        )

    def _asked(self, decision: Decision, seat: Seat, index: int) -> Asked:
        fault = self._faults.get(index)
        return Asked(
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
            values=msgspec.to_builtins(decision.options) if self.data else (),
        )

    def _told_events(self, events: list[Any]) -> Iterator[Said]:
        for event in events:
            told, seats = (event.event, event.seats) if isinstance(event, Whisper) else (event, None)
            if self.seat is None or seats is None or self.seat in seats:
                yield Said(text=_worded(told), seats=seats, event=msgspec.to_builtins(told) if self.data else None)


def caption(events: list[Any]) -> str:
    """The weightiest of the events that everyone saw, in one sentence of some 130 characters; empty without any."""
    told = [event for event in events if not isinstance(event, Whisper)]
    weights = [getattr(event, "weight", 1) for event in told]
    room = _LONGEST_CAPTION
    chosen: set[int] = set()
    for index in sorted(range(len(told)), key=lambda index: (-weights[index], index)):
        room -= len(str(told[index]))
        if not chosen or (room >= 0 and weights[index]):
            chosen.add(index)
    words, before = "", ""
    for text in (_worded(told[index]) for index in sorted(chosen)):
        subject = match[0] if (match := re.match(r"seat \d+ ", text)) else ""
        again = subject and subject == before
        words += f", {text.removeprefix(subject)}" if again else f"; {text}" if words else text
        before = subject
    return words


def _worded(value: Any) -> str:
    """The text of an observation, an option or an event, line by line."""
    return "\n".join(plain(line, _LONGEST) for line in str(value).split("\n"))


def _seen(state: State, game: Game, seat: Seat) -> Table:
    observation = state.observe(seat)
    if game.view:
        return game.view(observation)
    question = game.question(observation) if game.question else ""
    return Table(question=question, text=_worded(observation))
