"""A table in a terminal: a story drawn with rich, stepped through with keys where there is somebody to press them."""

import os
import re
import sys
import termios
import tty
from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import Final

from rich.box import HEAVY, ROUNDED, Box
from rich.columns import Columns
from rich.console import Console, Group, RenderableType
from rich.padding import Padding
from rich.panel import Panel
from rich.table import Table as Grid
from rich.text import Text

from arena.report.story import Asked, Story
from arena.view import Card, Counter, Table, Zone

WIDTH = 80
_WIDEST = 120
_KEY = re.compile(rb"\x1b(?:\[[0-9;]*[A-Za-z~]|O[A-Z])?|.", re.DOTALL)
"""One key of what a terminal sends at once."""
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
_KEYS: Final = " arrows: step   n p: next, previous decision   0-7: seat   a: all   q: quit"
_ESCAPES: Final = {b"\x1b[C": 1, b"\x1b[D": -1, b"\x1b[B": 1, b"\x1b[A": -1, b" ": 1, b"\r": 1, b"\x7f": -1}
_BLOCKS = 8


def show(story: Story, *, seat: int | None) -> None:
    """Print every position; at a terminal show one at a time and go by keys, until the person quits."""
    if sys.stdin.isatty() and sys.stdout.isatty():
        _stepped(story, seat)
        return
    console = Console(width=WIDTH, no_color=True, highlight=False, emoji=False, markup=False)
    for position in range(len(story.positions)):
        console.print(picture(story, position, seat=seat, width=WIDTH))


def _stepped(story: Story, seat: int | None) -> None:
    console = Console(highlight=False, emoji=False, markup=False)
    position, last = 0, len(story.positions) - 1
    keys: list[bytes] = []
    before = termios.tcgetattr(sys.stdin)
    try:
        tty.setcbreak(sys.stdin)
        with console.screen(hide_cursor=True):
            while True:
                width = min(console.width, _WIDEST)
                console.clear()
                console.print(picture(story, position, seat=seat, width=width), Text(_KEYS[:width], "grey50"))
                if not keys:
                    keys = _KEY.findall(os.read(sys.stdin.fileno(), 64)) or [b""]
                key = keys.pop(0)
                if key in {b"q", b"\x1b", b"", b"\x04"}:
                    return
                if key in _ESCAPES:
                    position = max(0, min(last, position + _ESCAPES[key]))
                elif key in {b"n", b"p"}:
                    position = _decision(story, position, seat, 1 if key == b"n" else -1)
                elif key == b"a" and story.seat is None:
                    seat = None
                elif key.isdigit() and int(key) < len(story.bots) and story.seat in {None, int(key)}:
                    seat = int(key)
    finally:
        termios.tcsetattr(sys.stdin, termios.TCSADRAIN, before)


def _decision(story: Story, position: int, seat: int | None, by: int) -> int:
    """The next position, or the one before, at which the seat is asked, or anybody."""
    asked = [at for at, move in enumerate(story.moves) if any(seat in {None, each.seat} for each in move.asked)]
    beyond = [at for at in asked if (at - position) * by > 0]
    return (beyond[0] if by > 0 else beyond[-1]) if beyond else position


def picture(story: Story, position: int, *, seat: int | None, width: int) -> Group:
    """One position with what is asked and what follows.

    Args:
        story: the match.
        position: from 0.
        seat: as this seat sees it; None: everyone together.
        width: columns.
    """
    seat = story.seat if seat is None else seat
    move = story.moves[position] if position < len(story.moves) else None
    asked = move.asked if move else ()
    table = story.table(position, seat)
    head = Grid.grid(expand=True)
    head.add_column()
    head.add_column(justify="right")
    step = f"step {position + 1} of {len(story.moves)} " if move else "the end "
    head.add_row(
        Text.assemble((f" {story.title} ", "bold"), (f"match #{story.number} {story.id}", "grey62")),
        Text(step, "grey62"),
    )
    below: list[RenderableType] = []
    for each in asked:
        if seat in {None, each.seat}:
            below += _question(story, each, width)
        else:
            below.append(Padding(Text(f"{_name(story, each.seat)} is asked", "grey62"), (0, 1)))
    for said in move.events if move else ():
        if seat is None or said.seats is None or seat in said.seats:
            below.append(Padding(Text(f"- {_named(story, said.text)}"), (0, 3)))
    if not move:
        order = sorted(range(len(story.bots)), key=lambda at: (story.ranks[at], at))
        below += [Text(f" {story.ranks[at] + 1}. {_name(story, at)}: {story.scores[at]}") for at in order]
    return Group(head, _table(story, table, [each.seat for each in asked], width), *below, Text())


def _table(story: Story, table: Table, asked: Sequence[int], width: int) -> Group:
    """Seats clockwise around the middle."""
    count = len(story.bots)
    above = range((count + 1) // 2)
    below = range(count - 1, len(above) - 1, -1)

    def ring(seats: Sequence[int]) -> Columns:
        each = width // max(1, min(2, len(seats)))
        return Columns([_seat(story, table, at, asked=at in asked, width=each) for at in seats], padding=(0, 0))

    middle = [zone for zone in table.zones if zone.owner is None]
    parts: list[RenderableType] = [ring(above), Text(f"\n {_named(story, table.title)}", "bold")]
    parts.append(Padding(_zones(story, middle), (0, 1)))
    parts += [Padding(Text(_counter(each)), (0, 1)) for each in table.counters if each.owner is None]
    if table.text:
        parts.append(Padding(Text(_named(story, table.text)), (0, 1)))
    return Group(*parts, Text(), ring(below)) if below else Group(*parts)


def _seat(story: Story, table: Table, at: int, *, asked: bool, width: int) -> Panel:
    ink = _SEATS[at % len(_SEATS)]
    title = Text(f" {at} {story.bots[at] or f'seat {at}'} ", f"bold {ink}")
    for badge in table.badges:
        if badge.seat == at:
            title.append(f"{badge.text} ", "italic")
    counters = "  ".join(_counter(each) for each in table.counters if each.owner == at)
    box: Box = HEAVY if asked else ROUNDED
    return Panel(
        _zones(story, [zone for zone in table.zones if zone.owner == at]),
        title=title,
        title_align="left",
        subtitle=Text(f" {counters}{', is asked' if asked else ''} ", "bold"),
        subtitle_align="right",
        box=box,
        border_style=ink if asked else "grey50",
        width=width,
    )


def _counter(counter: Counter) -> str:
    most = f"/{counter.most}" if counter.most else ""
    change = f" {counter.change:+}" if counter.change else ""
    unit = f" {counter.unit}" if counter.unit else ""
    return f"{counter.title} {counter.value}{most}{change}{unit}"


def _zones(story: Story, zones: Sequence[Zone]) -> Grid:
    shown = [zone for zone in zones if zone.cards or not zone.quiet]
    grid = Grid.grid(padding=(0, 1))
    grid.add_column(style="grey62", max_width=21)
    grid.add_column(ratio=1)
    for zone in shown:
        cards = _cards(story, zone)
        if zone.note:
            cards.append(f"  {zone.note}", "italic grey62")
        grid.add_row(_named(story, zone.title), cards)
    return grid


def _cards(story: Story, zone: Zone) -> Text:
    """Cards in a row share the name of their kind: ``eel 3 2``; a heap of several kinds is counted."""
    if zone.kind == "track":
        return _track(zone)
    if zone.kind == "pile" and len(zone.cards) > 1:
        return Text(f"{sum(card.count for card in zone.cards)} cards, {len(zone.cards)} kinds")
    shown = Text()
    for (name, known), run in groupby(zone.cards, key=lambda card: (_short(card), bool(card.name))):
        cards = list(run)
        shown.append("  " if shown else "")
        if not known:
            count = sum(card.count for card in cards)
            shown.append("▒" * min(count, _BLOCKS), "dodger_blue3").append(f" {count}" if count > 1 else "")
            continue
        look = story.looks.get(cards[0].kind)
        ink = f"bold {_INK[look.hue]}" if look else "bold"
        shown.append(name, ink)
        for card in cards:
            shown.append(f" {card.value}" if card.value else "", ink)
            shown.append(f" x{card.count}" if card.count > 1 else "", "grey62")
    return shown or Text("-", "grey50")


def _short(card: Card) -> str:
    return card.name.removesuffix(f" {card.value}") if card.value else card.name


def _track(zone: Zone) -> Text:
    shown = Text()
    for space in range(zone.spaces + 1):
        here = [card.seat for card in zone.cards if card.at == space and card.seat is not None]
        shown.append(f" {space}", "bold" if here else "grey50")
        for seat in here:
            shown.append(f"[{seat}]", f"bold {_SEATS[seat % len(_SEATS)]}")
    return shown


def _question(story: Story, asked: Asked, width: int) -> Iterator[RenderableType]:
    line = Text(_name(story, asked.seat), f"bold {_SEATS[asked.seat % len(_SEATS)]}")
    time = f"{asked.micros / 1000:.1f} ms" if asked.micros >= 0 else "not asked"
    line.append(f"  {asked.question}  ", "default").append(time, "grey62")
    yield Padding(line, (0, 1))
    options = [(_named(story, option), at in asked.picks) for at, option in enumerate(asked.options)]
    if asked.least == 0:
        options.append(("nothing", not asked.picks))
    lines = [Text()]
    for words, taken in options:
        option = Text(f"[{'x' if taken else ' '}] {words}  ", "bold" if taken else "grey62")
        if lines[-1] and lines[-1].cell_len + option.cell_len > width - 4:
            lines.append(Text())
        lines[-1].append_text(option)
    yield from (Padding(line, (0, 1, 0, 3)) for line in lines)
    if asked.fault:
        yield Padding(Text(f"fault {asked.fault.kind}: {asked.fault.rule}", "red"), (0, 3))


def _name(story: Story, seat: int) -> str:
    return f"{seat} {story.bots[seat]}" if story.bots[seat] else f"seat {seat}"


def _named(story: Story, text: str) -> str:
    """A sentence with the names of bots, from the last seat to the first, so that no name is read again."""
    words = text.split("seat ")
    for at, part in enumerate(words[1:], 1):
        number = part[:1]
        known = number.isdigit() and not part[1:2].isdigit() and int(number) < len(story.bots)
        words[at] = f"{story.bots[int(number)]}{part[1:]}" if known and story.bots[int(number)] else f"seat {part}"
    return "".join(words)
