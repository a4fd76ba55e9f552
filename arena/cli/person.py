"""A person at a terminal: is told what a seat hears and sees, is asked, and answers with numbers.

Knows the messages and the words of games; knows no rule and starts nothing.
"""

import os
import re
import sys
from collections.abc import Callable, Sequence
from shutil import get_terminal_size

import msgspec
import typer

from arena import wire
from arena.escape import harmless, plain
from arena.game import Decision, Game, Seat
from arena.record import Record
from arena.report.layout import in_full, in_words, numbered, paragraph
from arena.report.wrap import reflowed

WIDTH = 80
_NARROWEST = 40
_LONGEST_ANSWER = 4096
_HELP = """\
Type the number of an option; of several, their numbers with spaces, in your order. Enter alone picks none, where that is allowed.
? this help - r the rules - o all that your seat knows - q quit"""  # noqa: E501 - folded when it is shown


class Left(Exception):
    """The person has left the table."""


class Terminal:
    """Standard output and standard input, line by line; what is not typed at a terminal is shown as if it were."""

    def __init__(self, wait: Callable[[int], None]) -> None:
        """``wait`` returns when a descriptor can be read, or raises what ends the command."""
        self._wait = wait
        self._inbox = b""
        self._typed = sys.stdin.isatty()
        self._shown = sys.stdout.isatty()
        self._bold = self._shown and not os.environ.get("NO_COLOR") and os.environ.get("TERM", "dumb") != "dumb"

    @property
    def width(self) -> int:
        """The columns that a line may take: 80, or those of a terminal that has fewer."""
        return max(_NARROWEST, min(WIDTH, get_terminal_size().columns)) if self._shown else WIDTH

    def say(self, text: str = "", indent: str = "") -> None:
        """Print a text, each line of it for itself, folded where it is too long."""
        for line in text.split("\n"):
            for part in paragraph(line, self.width, indent) or [""]:
                self.put(part)

    def put(self, line: str) -> None:
        """Print a line as it is but for what could do harm."""
        typer.echo(harmless(line))

    def ask(self, prompt: str) -> str:
        """A line that was typed, without the spaces around it.

        Raises:
            Left: there is no more input.
        """
        typer.echo(typer.style(prompt, bold=True) if self._bold else prompt, nl=False)
        while b"\n" not in self._inbox and len(self._inbox) < _LONGEST_ANSWER:
            self._wait(sys.stdin.fileno())
            more = os.read(sys.stdin.fileno(), _LONGEST_ANSWER)
            if not more:
                typer.echo()
                raise Left
            self._inbox += more
        line, _, self._inbox = self._inbox.partition(b"\n")
        text = line.decode("utf-8", "replace").strip()
        if not self._typed:
            typer.echo(plain(text, WIDTH))
        return text

    def page(self, text: str) -> None:
        """Print a document; at a terminal a screenful at a time."""
        lines = reflowed(text, self.width)
        rows = max(2, get_terminal_size().lines) - 1 if self._typed and self._shown else len(lines)
        for first in range(0, len(lines), rows):
            for line in lines[first : first + rows]:
                self.put(line)
            if first + rows < len(lines) and self.ask("Enter: more, q: enough ") in {"q", "quit"}:
                return


class Person:
    """The seat of a person, from what its wire says to what stands on the terminal."""

    def __init__(self, terminal: Terminal, game: Game, rules: Callable[[], str]) -> None:
        """``rules`` is called for the text of the rules."""
        self._terminal = terminal
        self._game = game
        self._rules = rules
        self._seat = -1

    def hear(self, line: bytes) -> wire.Choose | None:
        """Take in a message of the house; the answer if it is a question.

        Raises:
            Left: the person leaves.
        """
        message = wire.decode_from_house(line)
        match message:
            case wire.Hello():
                self._seat = message.seat
                self._terminal.say(f"You are seat {message.seat} of {message.seats}. Type ? for help.")
            case wire.Decide():
                return wire.Choose(message.id, self._asked(message))
            case wire.Over():
                self._news(message.events)
        return None

    def _news(self, events: Sequence[object]) -> None:
        if events:
            self._terminal.say()
        for event in msgspec.convert(events, list[self._game.event]):  # type: ignore[name-defined]  # a type made at run time
            self._terminal.say(self._marked(str(event)), "- ")

    def _marked(self, text: str) -> str:
        """The text with the person's own seat marked as such."""
        return re.sub(rf"\bseat {self._seat}\b", f"seat {self._seat} (you)", text)

    def _asked(self, decide: wire.Decide) -> tuple[int, ...]:
        seen = msgspec.convert(decide.observation, self._game.observation)
        options = msgspec.convert(decide.options, tuple[self._game.option, ...])  # type: ignore[name-defined]  # likewise
        decision = Decision(options, decide.least, decide.most)
        self._news(decide.events)
        self._terminal.say()
        self._show(in_words(seen), decision)
        while True:
            answer = self._terminal.ask(_prompt(decision))
            match answer.lower():
                case "?" | "h" | "help":
                    self._terminal.say(_HELP)
                case "r" | "rules":
                    self._terminal.page(self._rules())
                    self._show(in_words(seen), decision)
                case "o":
                    self._show(in_full(seen), decision)
                case "q" | "quit":
                    raise Left
                case _:
                    try:
                        return picks(answer, decision)
                    except ValueError as wrong:
                        self._terminal.say(str(wrong))

    def _show(self, seen: str, decision: Decision) -> None:
        self._terminal.say(self._marked(seen))
        for line in numbered([self._marked(str(option)) for option in decision.options], self._terminal.width):
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
    found = []
    for word in words:
        if not re.fullmatch("[0-9]{1,4}", word) or not 1 <= int(word) <= count:
            raise ValueError(f"expected {_numbers(count)}, or ? for help, got {plain(word, 40)!r}")
        if int(word) - 1 in found:
            raise ValueError(f"expected each number once, got {int(word)} twice")
        found.append(int(word) - 1)
    if wrong := decision.fault_in(found):
        raise ValueError(wrong)
    return tuple(found)


def _numbers(count: int) -> str:
    return "the number 1" if count == 1 else f"numbers from 1 to {count}"


def ended(terminal: Terminal, record: Record, seat: Seat) -> None:
    """Tell how the match ended, and who was who."""
    terminal.say()
    for at in sorted(range(len(record.bots)), key=lambda at: (record.ranks[at], at)):
        retired = ", retired for its faults" if at in record.retired else ""
        name = "you" if at == seat else record.bots[at]
        terminal.say(f"{record.ranks[at] + 1}. seat {at}, {name}: {record.scores[at]}{retired}", "  ")
    for fault in record.faults:
        terminal.say(f"fault of {record.bots[fault.seat]}: {fault.kind}: {fault.rule}", "  ")
