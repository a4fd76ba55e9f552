"""A match as a replay: each position as each seat saw it, with questions, picks and events. Knows no file and no page.

A moment is named by its decision: *decision N* is the N-th of the record's ``picks``, from 0. A position lies before
the decisions that are asked at once there.

Values that occur often are stored once: cards, zones, counters and sights are lists, and other values refer to them by
their index. A replay for one seat holds only what was sent to that seat.
"""

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from msgspec import Struct
from msgspec.structs import replace

from arena.escape import some
from arena.fault import Fault
from arena.game import Seat
from arena.view import Badge, Card, CardStyle, Counter, Table, Zone

FORMAT = 1
_ROOM = 40
"""Characters of options that are shown at most where not all are asked for."""


class OtherBot(NamedTuple):
    """A bot that was asked, too, and its picks by decision."""

    name: str = ""
    picks: Mapping[int, tuple[int, ...]] = {}


NOBODY = OtherBot()


class Notes(NamedTuple):
    """What bots told while they played, by decision, in printable ASCII."""

    notes: Mapping[int, str] = {}
    stderr: Mapping[int, str] = {}
    """In lines."""


NO_NOTES = Notes()


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
    scores: tuple[float, ...] = ()
    """By seat the score if the match ended here; none in a replay for one seat, for it rests on hidden cards."""


class SeatDecision(Struct, frozen=True, kw_only=True, omit_defaults=True):
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
    note: str = ""
    """What the bot has noted, in printable ASCII; only where it was played."""
    stderr: str = ""
    """What it wrote to standard error then, in lines, likewise."""
    values: tuple[Any, ...] = ()
    """The options as data, as they were sent."""

    def words(self, picks: tuple[int, ...]) -> str:
        """What these picks are of the options."""
        return ", ".join(self.options[pick] for pick in picks) or "nothing"

    @property
    def time(self) -> str:
        """How long the answer took, in words."""
        return f"{self.micros / 1000:.1f} ms" if self.micros >= 0 else "not asked"


class EventLine(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One event."""

    text: str
    """A sentence, with seats as ``seat 0``."""
    seats: tuple[int, ...] | None = None
    """Who saw it; None: everyone."""
    upkeep: bool = False
    """Whether it belongs to no story: its ``weight`` is 0."""
    event: Any = None
    """The event as data, as it was sent."""


class Move(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The step from one position to the next: the questions of that moment, and the events that followed."""

    first: int = 0
    """The number of its first decision; where nobody is asked, of the next one."""
    count: int = 1
    """How many decisions are asked at once, of all seats."""
    asked: tuple[SeatDecision, ...] = ()
    """Those that the replay tells."""
    events: tuple[EventLine, ...] = ()
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

    def sentences(self, seat: Seat | None, *, other: str = "", full: bool = True) -> Iterator[str]:
        """What was picked, by a bot ``other`` too, and what followed, for a seat or for everyone.

        ``full`` as for the function.
        """
        for decision in self.asked:
            of = ", ".join(decision.options) if full else some(decision.options, _ROOM, "-v")
            time = decision.time if self.count == 1 else f"decision {decision.decision}, {decision.time}"
            yield one_line(f"  seat {decision.seat} picks {decision.words(decision.picks)} (of: {of}) [{time}]")
            if decision.other is not None:
                same = decision.other == decision.picks
                yield one_line(f"    {other}: {'the same' if same else decision.words(decision.other)}")
            if decision.note:
                yield one_line(f"    note: {decision.note}")
            yield from (f"    stderr | {line}" for line in decision.stderr.splitlines())
            if decision.fault:
                yield from fault_lines(decision.fault, full=full)
        for event in self.events:
            only = seat is None and event.seats is not None
            audience = f" (seen by {', '.join(f'seat {other}' for other in event.seats or ())} only)" if only else ""
            yield one_line(f"  - {event.text}{audience}")


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
    scores: tuple[float, ...]
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

    def position(self, decision: int | None) -> int:
        """The position at which a decision is asked; of -1 the first, of none or one behind the match the last."""
        if decision is None:
            return len(self.moves)
        return next(index for index, move in enumerate((*self.moves, None)) if not move or move.beyond > decision)

    def between(self, decision: int, *, until: int | None = None) -> "Replay":
        """The replay from the position of a decision to what followed that of another, or to the end."""
        begin, end = self.position(decision), self.position(until) + 1
        return replace(self, positions=self.positions[begin : end + 1], moves=self.moves[begin:end])

    def table(self, position: int, *, seat: Seat | None = None) -> Table:
        """The table at a position, as a seat sees it or, without one, everyone together.

        Raises:
            LookupError: the replay does not hold it.
        """
        frame = self.positions[position]
        table_number = frame.everyone if seat is None else frame.seats[seat]
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
        return Zone(**zone_fields(place), cards=tuple(self.cards[card] for card in place.cards))


_FIELDS = tuple(name for name in Zone.__struct_fields__ if name != "cards")


def zone_fields(zone: Zone | Place) -> dict[str, Any]:
    """What a zone and its place in a replay have in common."""
    return {name: getattr(zone, name) for name in _FIELDS}


def fault_lines(fault: Fault, *, full: bool) -> Iterator[str]:
    """A fault in lines, as below a decision; ``full``: with what the bot wrote."""
    yield f"    fault {fault.kind}: {fault.rule}"
    if fault.hint:
        yield f"    fix: {fault.hint}"
    if fault.line and full:
        yield f"    line: {fault.line}"


def one_line(text: str) -> str:
    """A text with several lines as one."""
    return text.replace("\n", "\\n")
