"""A match in a terminal: the positions of a replay, stepped through with keys if somebody is at the keyboard."""

import os
import re
import sys
import termios
import tty
from collections.abc import Iterator
from typing import Final

from rich.console import Console, Group, RenderableType
from rich.padding import Padding
from rich.segment import Segment, Segments
from rich.table import Table as Grid
from rich.text import Text

from arena.record import from_first
from arena.report.document import WIDTH
from arena.report.replay import Asked, Replay
from arena.terminal.board import Board, ink_of
from arena.terminal.document import WIDEST

_KEY = re.compile(rb"\x1b(?:\[[0-9;]*[A-Za-z~]|O[A-Z])?|.", re.DOTALL)
"""One key of what a terminal sends at once."""
_KEYS: Final = " arrows: step   n p: next, previous decision   0-7: seat   a: all   q: quit"
_ESCAPES: Final = {b"\x1b[C": 1, b"\x1b[D": -1, b"\x1b[B": 1, b"\x1b[A": -1, b" ": 1, b"\r": 1, b"\x7f": -1}


def show(replay: Replay, *, seat: int | None) -> None:
    """Print every position; at a terminal show one at a time and go by keys, until the person quits."""
    if sys.stdin.isatty() and sys.stdout.isatty():
        _stepped(replay, seat)
        return
    console = Console(width=WIDTH, no_color=True, highlight=False, emoji=False, markup=False)
    for position in range(len(replay.positions)):
        console.print(picture(replay, position, seat=seat, width=WIDTH))


def _stepped(replay: Replay, seat: int | None) -> None:
    console = Console(highlight=False, emoji=False, markup=False)
    position, last = 0, len(replay.positions) - 1
    brief = False
    keys: list[bytes] = []
    before = termios.tcgetattr(sys.stdin)
    try:
        tty.setcbreak(sys.stdin)
        with console.screen(hide_cursor=True):
            while True:
                # once there was no room, the text stays brief: the picture must not jump from step to step
                shown, brief = fitted(console, replay, position, seat=seat, brief=brief)
                console.clear()
                console.print(shown, end="")
                if not keys:
                    keys = _KEY.findall(os.read(sys.stdin.fileno(), 64)) or [b""]
                key = keys.pop(0)
                if key in {b"q", b"\x1b", b"", b"\x04"}:
                    return
                if key in _ESCAPES:
                    position = max(0, min(last, position + _ESCAPES[key]))
                elif key in {b"n", b"p"}:
                    position = _decision(replay, position, seat, 1 if key == b"n" else -1)
                elif key == b"a" and replay.seat is None:
                    seat = None
                elif key.isdigit() and int(key) < len(replay.bots) and replay.seat in {None, int(key)}:
                    seat = int(key)
    finally:
        termios.tcsetattr(sys.stdin, termios.TCSADRAIN, before)


def fitted(console: Console, replay: Replay, position: int, *, seat: int | None, brief: bool) -> tuple[Segments, bool]:
    """One position that fits the terminal: without empty places where it is too tall with them; and whether they lack.

    What is still too tall loses lines below its first one: the question and what followed are at the end.
    """
    width = min(console.width, WIDEST)
    options = console.options.update(width=width)
    keys = console.render_lines(Text(_KEYS, "grey50"), options, pad=False)
    room = console.height - len(keys)
    lines = console.render_lines(picture(replay, position, seat=seat, width=width, brief=brief), options, pad=False)
    if len(lines) > room and not brief:
        return fitted(console, replay, position, seat=seat, brief=True)
    lines = [*lines[:1], *lines[1:][max(0, len(lines) - room) :], *keys]
    return Segments([segment for line in lines for segment in (Segment.line(), *line)][1:]), brief


def _decision(replay: Replay, position: int, seat: int | None, by: int) -> int:
    """The next position, or the one before, at which the seat is asked, or anybody."""
    asked = [
        index
        for index, move in enumerate(replay.moves)
        if any(seat in {None, question.seat} for question in move.asked)
    ]
    beyond = [index for index in asked if (index - position) * by > 0]
    return (beyond[0] if by > 0 else beyond[-1]) if beyond else position


def picture(replay: Replay, position: int, *, seat: int | None, width: int, brief: bool = False) -> Group:
    """One position with what is asked and what follows, as a seat sees it or everyone together.

    ``brief``: without empty places.
    """
    seat = replay.seat if seat is None else seat
    move = replay.moves[position] if position < len(replay.moves) else None
    asked = move.asked if move else ()
    table = replay.table(position, seat=seat)
    board = Board(bots=replay.bots, looks=replay.looks, brief=brief)
    head = Grid.grid(expand=True)
    head.add_column()
    head.add_column(justify="right")
    step = f"step {position + 1} of {len(replay.moves)} " if move else "the end "
    head.add_row(
        Text.assemble((f" {replay.title} ", "bold"), (f"match #{replay.number} {replay.id}", "grey62")),
        Text(step, "grey62"),
    )
    below: list[RenderableType] = []
    for question in asked:
        if seat in {None, question.seat}:
            below += _question(board, question, width)
        else:
            below.append(Padding(Text(f"{board.name(question.seat)} is asked", "grey62"), (0, 1)))
    for said in move.events if move else ():
        if seat is None or said.seats is None or seat in said.seats:
            below.append(Padding(Text(f"- {board.named(said.text)}"), (0, 3)))
    if not move:
        below += [
            Text(f" {replay.ranks[seat] + 1}. {board.name(seat)}: {replay.scores[seat]}")
            for seat in from_first(replay.ranks)
        ]
    return Group(head, board.drawn(table, asked=[question.seat for question in asked], width=width), *below, Text())


def _question(board: Board, asked: Asked, width: int) -> Iterator[RenderableType]:
    line = Text(board.name(asked.seat), f"bold {ink_of(asked.seat)}")
    line.append(f"  {asked.question}  ", "default").append(asked.time, "grey62")
    yield Padding(line, (0, 1))
    options = [(board.named(option), index in asked.picks) for index, option in enumerate(asked.options)]
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
