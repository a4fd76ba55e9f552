"""A match in a terminal, drawn with rich: its positions, stepped through with keys if somebody is at the keyboard.

Knows zones, cards and counters as data, and no game.
"""

import os
import re
import sys
import termios
import tty
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from typing import Final

from msgspec import Struct
from rich.box import HEAVY, ROUNDED, Box
from rich.columns import Columns
from rich.console import Console, Group, RenderableType
from rich.padding import Padding
from rich.panel import Panel
from rich.segment import Segment, Segments
from rich.table import Table as Grid
from rich.text import Text

from arena.game import Seat
from arena.record import from_first
from arena.report.document import WIDTH
from arena.report.replay import Replay, SeatDecision
from arena.terminal.document import WIDEST
from arena.view import Card, CardStyle, Counter, Table, Zone, card_texts
from arena.words import plural

_INK: Final = {
    "red": "red",
    "orange": "dark_orange3",
    "amber": "yellow",
    "olive": "yellow4",
    "green": "green",
    "teal": "dark_cyan",
    "cyan": "cyan",
    "blue": "dodger_blue2",
    "indigo": "slate_blue1",
    "violet": "medium_orchid",
    "pink": "hot_pink",
    "brown": "tan",
    "grey": "grey62",
}
_SEATS: Final = (
    "dodger_blue2",
    "dark_orange3",
    "green",
    "hot_pink",
    "yellow4",
    "slate_blue1",
    "dark_cyan",
    "indian_red",
)
_BLOCKS = 8


def ink_of(seat: Seat) -> str:
    """The colour of a seat."""
    return _SEATS[seat % len(_SEATS)]


class Board(Struct, frozen=True, kw_only=True):
    """What is the same in all pictures of a match."""

    bots: Sequence[str]
    """By seat its name; empty where none is known."""
    looks: Mapping[str, CardStyle]
    """How the cards look, by their kind."""
    viewer: Seat | None = None
    """The seat of the person who looks at it."""
    brief: bool = False
    """Leave out places without cards."""
    strips: bool = False
    """Draw seats in a line each, but for one that is asked alone; and of the options only those taken."""

    def name(self, seat: Seat) -> str:
        """A seat with what is known of it."""
        return f"{seat} {self.bots[seat]}" if self.bots[seat] else self._numbered(seat)

    def name_bots(self, text: str) -> str:
        """A sentence with the name of its bot for each ``seat 2``."""

        def name_bot(match: re.Match[str]) -> str:
            seat = int(match[1])
            return (self.bots[seat] or self._numbered(seat)) if seat < len(self.bots) else match[0]

        return re.sub(r"\bseat (\d{1,2})\b", name_bot, text)

    def _numbered(self, seat: Seat) -> str:
        return f"seat {seat} (you)" if seat == self.viewer else f"seat {seat}"

    def drawn(self, table: Table, *, pending: Sequence[Seat], width: int) -> Group:
        """The seats clockwise around the middle; the table waits for those that are ``pending``."""
        count = len(self.bots)
        above = range((count + 1) // 2)
        below = range(count - 1, len(above) - 1, -1)

        def ring(seats: Sequence[Seat]) -> RenderableType:
            if self.strips:
                drawn = (
                    self._seat(table, seat, pending=True, width=width)
                    if [seat] == pending
                    else self._strip(table, seat, pending=seat in pending)
                    for seat in seats
                )
                return Group(*drawn)
            room = width // max(1, min(2, len(seats)))
            return Columns(
                [self._seat(table, seat, pending=seat in pending, width=room) for seat in seats], padding=(0, 0)
            )

        middle = [zone for zone in table.zones if zone.owner is None]
        parts: list[RenderableType] = [ring(above), Text(f"\n {self.name_bots(table.title)}", "bold")]
        parts.append(Padding(self._zones(middle), (0, 1)))
        parts += [Padding(Text(_counter(counter)), (0, 1)) for counter in table.counters if counter.owner is None]
        if table.text:
            parts.append(Padding(Text(self.name_bots(table.text)), (0, 1)))
        return Group(*parts, Text(), ring(below)) if below else Group(*parts)

    def _strip(self, table: Table, index: Seat, *, pending: bool) -> Text:
        title, counters = self._titled(table, index)
        counts = [
            f"{self.name_bots(zone.title)} {sum(card.count for card in zone.cards)}"
            for zone in table.zones
            if zone.owner == index and zone.cards
        ]
        return Text.assemble(
            title, "  ".join(["is asked"] * pending + [counters, *counts]), no_wrap=True, overflow="ellipsis"
        )

    def _titled(self, table: Table, index: Seat) -> tuple[Text, str]:
        title = Text(f" {self.name(index)} ", f"bold {ink_of(index)}")
        for badge in table.badges:
            if badge.seat == index:
                title.append(f"{badge.text} ", "italic")
        return title, "  ".join(_counter(counter) for counter in table.counters if counter.owner == index)

    def _seat(self, table: Table, index: Seat, *, pending: bool, width: int) -> Panel:
        title, counters = self._titled(table, index)
        box: Box = HEAVY if pending else ROUNDED
        return Panel(
            self._zones([zone for zone in table.zones if zone.owner == index]),
            title=title,
            title_align="left",
            subtitle=Text(f" {counters}{', is asked' if pending else ''} ", "bold"),
            subtitle_align="right",
            box=box,
            border_style=ink_of(index) if pending else "grey50",
            width=width,
        )

    def _zones(self, zones: Sequence[Zone]) -> Grid:
        visible = [zone for zone in zones if zone.cards or not (zone.quiet or self.brief)]
        grid = Grid.grid(padding=(0, 1))
        grid.add_column(style="grey62", max_width=21)
        grid.add_column(ratio=1)
        for zone in visible:
            cards = self._cards(zone)
            if zone.note:
                cards.append(f"  {zone.note}", "italic grey62")
            grid.add_row(self.name_bots(zone.title), cards)
        return grid

    def _cards(self, zone: Zone) -> Text:
        """Cards in a row share the name of their kind: ``eel 3 2``; a heap of several kinds is counted."""
        if zone.kind == "track":
            return _track(zone)
        if zone.kind == "pile" and len(zone.cards) > 1:
            return Text(f"{plural(sum(card.count for card in zone.cards), 'card')}, {plural(len(zone.cards), 'kind')}")
        text = Text()
        for (name, face_up), run in groupby(zone.cards, key=lambda card: (_short(card), bool(card.name))):
            cards = list(run)
            text.append("  " if text else "")
            if not face_up:
                count = sum(card.count for card in cards)
                text.append("▒" * min(count, _BLOCKS), "dodger_blue3").append(f" {count}" if count > 1 else "")
                continue
            look = self.looks.get(cards[0].kind)
            ink = f"bold {_INK[look.hue]}" if look else "bold"
            text.append(name, ink)
            for card in cards:
                text.append(f" {card.value}" if card.value else "", ink)
                text.append(f" x{card.count}" if card.count > 1 else "", "grey62")
                if zone.owner is None and card.face:
                    text.append(f" ({card.face})", "grey62")
        return text or Text("-", "grey50")


def _counter(counter: Counter) -> str:
    most = f"/{counter.most}" if counter.most else ""
    change = f" {counter.change:+}" if counter.change else ""
    unit = f" {counter.unit}" if counter.unit else ""
    return f"{counter.title} {counter.value}{most}{change}{unit}"


def _short(card: Card) -> str:
    return card.name.removesuffix(f" {card.value}") if card.value else card.name


def _track(zone: Zone) -> Text:
    text = Text()
    for space in range(zone.spaces + 1):
        here = [card.seat for card in zone.cards if card.at == space and card.seat is not None]
        text.append(f" {space}", "bold" if here else "grey50")
        for seat in here:
            text.append(f"[{seat}]", f"bold {ink_of(seat)}")
    return text


_KEY = re.compile(rb"\x1b(?:\[[0-9;]*[A-Za-z~]|O[A-Z])?|.", re.DOTALL)
"""One key of what a terminal sends at once."""
_KEYS: Final = " arrows: position   n p: decision   0-7: seat   a: all   ?: the cards   q: quit"
_BRIEFEST: Final = 2
_ESCAPES: Final = {b"\x1b[C": 1, b"\x1b[D": -1, b"\x1b[B": 1, b"\x1b[A": -1, b" ": 1, b"\r": 1, b"\x7f": -1}


def show(replay: Replay, *, seat: int | None, begin: int, end: int) -> None:
    """Print the positions ``begin`` to ``end``; at a terminal show one at a time, and any by keys, until it is quit."""
    if sys.stdin.isatty() and sys.stdout.isatty():
        _stepped(replay, seat, begin)
        return
    console = Console(width=WIDTH, no_color=True, highlight=False, emoji=False, markup=False)
    for position in range(begin, end + 1):
        console.print(picture(replay, position, seat=seat, width=WIDTH))


def _stepped(replay: Replay, seat: int | None, position: int) -> None:
    console = Console(highlight=False, emoji=False, markup=False)
    last, brief = len(replay.positions) - 1, 0
    keys: list[bytes] = []
    before = termios.tcgetattr(sys.stdin)
    try:
        tty.setcbreak(sys.stdin)
        with console.screen(hide_cursor=True):
            while True:
                # once there was no room, the text stays brief: the picture must not jump from one position to the next
                frame, brief = fitted(console, replay, position, seat=seat, brief=brief)
                console.clear()
                console.print(frame, end="")
                if not keys:
                    keys = _KEY.findall(os.read(sys.stdin.fileno(), 64)) or [b""]
                key = keys.pop(0)
                if key in {b"q", b"\x1b", b"", b"\x04"}:
                    return
                if key in _ESCAPES:
                    position = max(0, min(last, position + _ESCAPES[key]))
                elif key in {b"n", b"p"}:
                    position = _decision(replay, position, seat, 1 if key == b"n" else -1)
                elif key == b"?":
                    console.clear()
                    console.print(explained(replay, position, seat=seat), end="")
                    os.read(sys.stdin.fileno(), 64)
                elif key == b"a" and replay.seat is None:
                    seat = None
                elif key.isdigit() and int(key) < len(replay.bots) and replay.seat in {None, int(key)}:
                    seat = int(key)
    finally:
        termios.tcsetattr(sys.stdin, termios.TCSADRAIN, before)


def explained(replay: Replay, position: int, *, seat: int | None) -> Group:
    """How to read the table, and what the cards do that can be seen at a position."""
    texts = card_texts(replay.table(position, seat=replay.seat if seat is None else seat))
    return Group(Text(f"{replay.legend}\n"), *map(Text, texts), Text("\nany key: back to the table", "grey50"))


def fitted(console: Console, replay: Replay, position: int, *, seat: int | None, brief: int) -> tuple[Segments, int]:
    """One position that fits the terminal, and how ``brief`` it had to be: see ``picture``.

    What is still too tall loses lines below its first one, and says so: the question and what followed are at the end.
    """
    width = min(console.width, WIDEST)
    options = console.options.update(width=width)
    keys = console.render_lines(Text(_KEYS, "grey50"), options, pad=False)
    room = console.height - len(keys)
    lines = console.render_lines(picture(replay, position, seat=seat, width=width, brief=brief), options, pad=False)
    if len(lines) > room and brief < _BRIEFEST:
        return fitted(console, replay, position, seat=seat, brief=brief + 1)
    if (excess := len(lines) - room) > 0:
        notice = Text(
            f" ... {plural(excess + 1, 'line needs', 'lines need')} a taller terminal", "grey62", no_wrap=True
        )
        lines = [lines[0], *console.render_lines(notice, options, pad=False), *lines[excess + 2 :]]
    lines += keys
    return Segments([segment for line in lines for segment in (Segment.line(), *line)][1:]), brief


def _decision(replay: Replay, position: int, seat: int | None, by: int) -> int:
    """The next position, or the one before, at which the seat is asked, or anybody."""
    moments = [
        index
        for index, move in enumerate(replay.moves)
        if any(seat in {None, question.seat} for question in move.asked)
    ]
    beyond = [index for index in moments if (index - position) * by > 0]
    return (beyond[0] if by > 0 else beyond[-1]) if beyond else position


def picture(replay: Replay, position: int, *, seat: int | None, width: int, brief: int = 0) -> Group:
    """One position with what is asked and what follows, as a seat sees it or everyone together.

    ``brief``: 1 without empty places; 2 also with seats in a line each, and without the options that were not taken.
    """
    seat = replay.seat if seat is None else seat
    move = replay.moves[position] if position < len(replay.moves) else None
    decisions = move.asked if move else ()
    table = replay.table(position, seat=seat)
    board = Board(bots=replay.bots, looks=replay.looks, brief=brief > 0, strips=brief == _BRIEFEST)
    head = Grid.grid(expand=True)
    head.add_column()
    head.add_column(justify="right")
    of = f" of 0-{replay.moves[-1].beyond - 1}" if move and move.count else ""
    head.add_row(
        Text.assemble((f" {replay.title} ", "bold"), (f"match #{replay.number} {replay.id}", "grey62")),
        Text(f"{move.name if move else 'the end'}{of} ", "grey62"),
    )
    below: list[RenderableType] = []
    for question in decisions:
        if seat in {None, question.seat}:
            below += _question(board, question, width, replay.other)
        else:
            below.append(Padding(Text(f"{board.name(question.seat)} is asked", "grey62"), (0, 1)))
    for event in move.events if move else ():
        if seat is None or event.seats is None or seat in event.seats:
            below.append(Padding(Text(f"- {board.name_bots(event.text)}"), (0, 3)))
    if not move:
        below += [
            Text(f" {replay.ranks[seat] + 1}. {board.name(seat)}: {replay.scores[seat]}")
            for seat in from_first(replay.ranks)
        ]
    return Group(
        head, board.drawn(table, pending=[question.seat for question in decisions], width=width), *below, Text()
    )


def _question(board: Board, decision: SeatDecision, width: int, other: str) -> Iterator[RenderableType]:
    line = Text(board.name(decision.seat), f"bold {ink_of(decision.seat)}")
    line.append(f"  {decision.question}  ", "default").append(decision.time, "grey62")
    yield Padding(line, (0, 1))
    also = decision.other
    options = [
        (board.name_bots(option), index in decision.picks, also is not None and index in also)
        for index, option in enumerate(decision.options)
    ]
    if decision.least == 0:
        options.append(("nothing", not decision.picks, also == ()))
    if board.strips:
        choices = [(words, pick, by) for words, pick, by in options if pick or by]
        options = [*choices, (f"of {len(options)} options", False, False)]
    lines = [Text()]
    for words, pick, by in options:
        mark = "" if board.strips and not (pick or by) else f"[{'x' if pick else ' '}] "
        option = Text(f"{mark}{words}", "bold" if pick else "grey62")
        option.append(f" <- {other}" if by else "", "green").append("  ")
        if lines[-1] and lines[-1].cell_len + option.cell_len > width - 4:
            lines.append(Text())
        lines[-1].append_text(option)
    yield from (Padding(line, (0, 1, 0, 3)) for line in lines)
    if decision.fault:
        yield Padding(Text(f"fault {decision.fault.kind}: {decision.fault.rule}", "red"), (0, 3))
