"""A table as a picture in a terminal, drawn with rich. Knows zones, cards and counters as data, and no game."""

import re
from collections.abc import Mapping, Sequence
from itertools import groupby
from typing import Final

from msgspec import Struct
from rich.box import HEAVY, ROUNDED, Box
from rich.columns import Columns
from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.panel import Panel
from rich.table import Table as Grid
from rich.text import Text

from arena.game import Seat
from arena.view import Card, CardStyle, Counter, Table, Zone

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
    own: Seat | None = None
    """The seat of the person who looks at it."""
    brief: bool = False
    """Leave out places without cards."""

    def name(self, seat: Seat) -> str:
        """A seat with what is known of it."""
        return f"{seat} {self.bots[seat]}" if self.bots[seat] else self._numbered(seat)

    def named(self, text: str) -> str:
        """A sentence with the name of its bot for each ``seat 2``."""

        def called(match: re.Match[str]) -> str:
            seat = int(match[1])
            return (self.bots[seat] or self._numbered(seat)) if seat < len(self.bots) else match[0]

        return re.sub(r"\bseat (\d{1,2})\b", called, text)

    def _numbered(self, seat: Seat) -> str:
        return f"seat {seat} (you)" if seat == self.own else f"seat {seat}"

    def drawn(self, table: Table, *, asked: Sequence[Seat], width: int) -> Group:
        """The seats clockwise around the middle; the table waits for those that are ``asked``."""
        count = len(self.bots)
        above = range((count + 1) // 2)
        below = range(count - 1, len(above) - 1, -1)

        def ring(seats: Sequence[Seat]) -> Columns:
            room = width // max(1, min(2, len(seats)))
            return Columns([self._seat(table, seat, asked=seat in asked, width=room) for seat in seats], padding=(0, 0))

        middle = [zone for zone in table.zones if zone.owner is None]
        parts: list[RenderableType] = [ring(above), Text(f"\n {self.named(table.title)}", "bold")]
        parts.append(Padding(self._zones(middle), (0, 1)))
        parts += [Padding(Text(_counter(counter)), (0, 1)) for counter in table.counters if counter.owner is None]
        if table.text:
            parts.append(Padding(Text(self.named(table.text)), (0, 1)))
        return Group(*parts, Text(), ring(below)) if below else Group(*parts)

    def _seat(self, table: Table, index: Seat, *, asked: bool, width: int) -> Panel:
        title = Text(f" {self.name(index)} ", f"bold {ink_of(index)}")
        for badge in table.badges:
            if badge.seat == index:
                title.append(f"{badge.text} ", "italic")
        counters = "  ".join(_counter(counter) for counter in table.counters if counter.owner == index)
        box: Box = HEAVY if asked else ROUNDED
        return Panel(
            self._zones([zone for zone in table.zones if zone.owner == index]),
            title=title,
            title_align="left",
            subtitle=Text(f" {counters}{', is asked' if asked else ''} ", "bold"),
            subtitle_align="right",
            box=box,
            border_style=ink_of(index) if asked else "grey50",
            width=width,
        )

    def _zones(self, zones: Sequence[Zone]) -> Grid:
        shown = [zone for zone in zones if zone.cards or not (zone.quiet or self.brief)]
        grid = Grid.grid(padding=(0, 1))
        grid.add_column(style="grey62", max_width=21)
        grid.add_column(ratio=1)
        for zone in shown:
            cards = self._cards(zone)
            if zone.note:
                cards.append(f"  {zone.note}", "italic grey62")
            grid.add_row(self.named(zone.title), cards)
        return grid

    def _cards(self, zone: Zone) -> Text:
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
            look = self.looks.get(cards[0].kind)
            ink = f"bold {_INK[look.hue]}" if look else "bold"
            shown.append(name, ink)
            for card in cards:
                shown.append(f" {card.value}" if card.value else "", ink)
                shown.append(f" x{card.count}" if card.count > 1 else "", "grey62")
        return shown or Text("-", "grey50")


def _counter(counter: Counter) -> str:
    most = f"/{counter.most}" if counter.most else ""
    change = f" {counter.change:+}" if counter.change else ""
    unit = f" {counter.unit}" if counter.unit else ""
    return f"{counter.title} {counter.value}{most}{change}{unit}"


def _short(card: Card) -> str:
    return card.name.removesuffix(f" {card.value}") if card.value else card.name


def _track(zone: Zone) -> Text:
    shown = Text()
    for space in range(zone.spaces + 1):
        here = [card.seat for card in zone.cards if card.at == space and card.seat is not None]
        shown.append(f" {space}", "bold" if here else "grey50")
        for seat in here:
            shown.append(f"[{seat}]", f"bold {ink_of(seat)}")
    return shown
