"""A person's seat at a terminal: shows what the seat hears and sees, asks, and reads numbers as answers.

Knows the messages and the words of games; knows no rule and starts nothing.
"""

import os
import re
import sys
from collections.abc import Callable
from shutil import get_terminal_size
from typing import TYPE_CHECKING, Literal

from arena.escape import harmless, plain
from arena.game import Decision, Game, Seat
from arena.players.person import Departure, PersonSeat, Prompt, Wish, describe_observation, list_fields
from arena.record import Record, from_first
from arena.report.document import WIDTH
from arena.terminal.document import WIDEST, document, numbered, paragraph, reflowed
from arena.view import Table, card_texts

if TYPE_CHECKING:
    from rich.console import RenderableType

    from arena.report.replay import Replay

_NARROWEST = 40
_LONGEST_ANSWER = 4096
_HELP = """\
Type the number of an option; of several, their numbers with spaces, in your order. Enter alone picks none, where that is allowed.
? this help, and what the cards do - r the rules - o all that your seat knows - q quit"""  # noqa: E501 - folded when it is shown


class Terminal:
    """Standard output and standard input, line by line; what is not typed at a terminal is shown as if it were."""

    def __init__(self, wait: Callable[[int], None], *, pictures: bool = False) -> None:
        """``wait`` returns when a descriptor can be read, or raises what ends the command.

        ``pictures``: whether tables are drawn, if what is printed goes to a terminal that is wide enough.
        """
        self._wait = wait
        self._pictures = pictures
        self._inbox = b""
        self._typed = sys.stdin.isatty()
        self._is_terminal = sys.stdout.isatty()
        self._drawn = self._is_terminal and os.environ.get("TERM", "dumb") != "dumb"
        self._bold = self._drawn and not os.environ.get("NO_COLOR")

    @property
    def width(self) -> int:
        """The columns that a line may take: 80, or those of a terminal that has fewer."""
        return max(_NARROWEST, min(WIDTH, get_terminal_size().columns)) if self._is_terminal else WIDTH

    @property
    def board(self) -> int | None:
        """The columns that a picture of the table may take; None where none is drawn."""
        columns = min(WIDEST, get_terminal_size().columns)
        return columns if self._pictures and self._drawn and columns >= WIDTH else None

    def say(self, text: str = "", *, indent: str = "") -> None:
        """Print a text, each line of it for itself, folded where it is too long."""
        for line in text.split("\n"):
            for part in paragraph(line, self.width, indent=indent) or [""]:
                self.put(part)

    def put(self, line: str) -> None:
        """Print a line as it is but for what could do harm."""
        _write(f"{harmless(line)}\n")

    def draw(self, picture: "RenderableType", width: int) -> None:
        """Print what rich draws, this many columns wide."""
        from rich.console import Console  # noqa: PLC0415 - it takes long to load

        colours: Literal["auto"] | None = "auto" if self._bold else None
        console = Console(width=width, color_system=colours, highlight=False, emoji=False, markup=False)
        console.print(picture)

    def ask(self, prompt: str) -> str:
        """A line that was typed, without the spaces around it.

        Raises:
            Departure: there is no more input.
        """
        _write(f"\x1b[1m{prompt}\x1b[0m" if self._bold else prompt)
        while b"\n" not in self._inbox and len(self._inbox) < _LONGEST_ANSWER:
            self._wait(sys.stdin.fileno())
            more = os.read(sys.stdin.fileno(), _LONGEST_ANSWER)
            if not more:
                _write("\n")
                raise Departure
            self._inbox += more
        line, _, self._inbox = self._inbox.partition(b"\n")
        text = line.decode("utf-8", "replace").strip()
        if not self._typed:
            _write(f"{plain(text, WIDTH)}\n")
        return text

    def page(self, text: str) -> None:
        """Print a document; at a terminal a screenful at a time."""
        drawn = self._pictures and self._drawn
        lines = document(text, self.width, styled=False) if drawn else reflowed(text, self.width)
        rows = max(2, get_terminal_size().lines) - 1 if self._typed and self._is_terminal else len(lines)
        for first in range(0, len(lines), rows):
            for line in lines[first : first + rows]:
                self.put(line)
            if first + rows < len(lines) and self.ask("Enter: more, q: enough ") in {"q", "quit"}:
                return


def _write(text: str) -> None:
    sys.stdout.write(text)
    sys.stdout.flush()


class TerminalSeat(PersonSeat):
    """The seat of a person at a terminal."""

    def __init__(self, terminal: Terminal, game: Game, rules: Callable[[], str]) -> None:
        """``rules`` is called for the text of the rules."""
        super().__init__(game)
        self._terminal = terminal
        self._rules = rules
        self._seat = -1
        self._seats = 0

    def end(self, _: Record, replay: "Callable[[], Replay]") -> Wish:
        """What the person wants once the match is over; before that its replay, if they like.

        Raises:
            Departure: the person leaves.
        """
        while True:
            self._terminal.say()
            match self._terminal.ask("a: again, s: the same deal from the next seat, r: replay, Enter: leave> "):
                case "a":
                    return "again"
                case "s":
                    return "other seat"
                case "r":
                    from arena.terminal.board import show  # noqa: PLC0415 - rich takes long to load

                    whole = replay()
                    show(whole, seat=None, begin=0, end=whole.position(None))
                case _:
                    raise Departure

    def _sit(self, seat: Seat, seats: int) -> None:
        self._seat, self._seats = seat, seats
        self._terminal.say(f"You are seat {seat} of {seats}. Type ? for help.")

    def _hear_news(self, news: list[str]) -> None:
        if news:
            self._terminal.say()
        for sentence in news:
            self._terminal.say(self._marked(sentence), indent="- ")

    def _marked(self, text: str) -> str:
        return re.sub(rf"\bseat {self._seat}\b", f"seat {self._seat} (you)", text)

    def _answer(self, prompt: Prompt) -> tuple[int, ...]:
        self._hear_news(prompt.news)
        self._terminal.say()
        self._show(prompt)
        while True:
            answer = self._terminal.ask(_prompt(prompt.decision))
            match answer.lower():
                case "?" | "h" | "help":
                    self._terminal.say(_HELP)
                    self._explain(prompt)
                case "r" | "rules":
                    self._terminal.page(self._rules())
                    self._show(prompt)
                case "o":
                    self._terminal.say(self._marked(list_fields(prompt.observation)))
                    self._offer(prompt.decision, self._terminal.width)
                case "q" | "quit":
                    raise Departure
                case _:
                    try:
                        return picks(answer, prompt.decision)
                    except ValueError as wrong:
                        self._terminal.say(str(wrong))

    def _explain(self, prompt: Prompt) -> None:
        if self._game.view is None:
            return
        self._terminal.say(f"\n{self._game.legend}\n")
        for text in card_texts(self._game.view(prompt.observation)):
            self._terminal.say(text, indent="- ")

    def _show(self, prompt: Prompt) -> None:
        """The table as a picture where that is wanted and there is one, else in words; below it the options."""
        width = self._terminal.board
        if width is None or self._game.view is None:
            self._terminal.say(self._marked(describe_observation(prompt.observation)))
            self._offer(prompt.decision, self._terminal.width)
        else:
            self._draw(self._game.view(prompt.observation), width)
            self._offer(prompt.decision, width)

    def _draw(self, table: Table, width: int) -> None:
        # rich takes long to load, and not every terminal can show pictures
        from rich.text import Text  # noqa: PLC0415

        from arena.terminal.board import Board  # noqa: PLC0415

        looks = self._game.looks() if self._game.looks else {}
        board = Board(bots=("",) * self._seats, looks=looks, viewer=self._seat)
        self._terminal.draw(board.drawn(table, pending=[self._seat], width=width), width)
        self._terminal.draw(Text(board.name_bots(table.question), "bold"), width)

    def _offer(self, decision: Decision, width: int) -> None:
        for line in numbered([self._marked(str(option)) for option in decision.options], width):
            self._terminal.put(line)


def _prompt(decision: Decision) -> str:
    least, most = decision.least, decision.most
    count = str(least) if least == most else f"up to {most}" if least <= 1 else f"{least} to {most}"
    return f"pick {count} of these{'' if least else ', Enter: none'}> "


def picks(text: str, decision: Decision) -> tuple[int, ...]:
    """The zero-based picks that numbers from 1 stand for.

    Raises:
        ValueError: they are not what may be picked, as *expected ... got ...*.
    """
    count = len(decision.options)
    words = text.replace(",", " ").split()
    rows = []
    for word in words:
        if not re.fullmatch("[0-9]{1,4}", word) or not 1 <= int(word) <= count:
            raise ValueError(f"expected {_numbers(count)}, or ? for help, got '{plain(word, 40)}'")
        if int(word) - 1 in rows:
            raise ValueError(f"expected each number once, got {int(word)} twice")
        rows.append(int(word) - 1)
    if wrong := decision.fault_in(rows):
        raise ValueError(wrong)
    return tuple(rows)


def _numbers(count: int) -> str:
    return "the number 1" if count == 1 else f"numbers from 1 to {count}"


def tell_end(terminal: Terminal, record: Record) -> None:
    """Tell how the match ended, and who was who."""
    terminal.say()
    for index in from_first(record.ranks):
        retired = ", retired for its faults" if index in record.retired else ""
        name = record.bots[index] or "you"
        terminal.say(f"{record.ranks[index] + 1}. seat {index}, {name}: {record.scores[index]}{retired}", indent="  ")
    for fault in record.faults:
        terminal.say(f"fault of {record.bots[fault.seat]}: {fault.kind}: {fault.rule}", indent="  ")
