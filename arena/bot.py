"""Bots in Python with a type for everything: ``class MyBot(Bot)``, and ``MyBot().run()`` speaks the protocol."""

import os
import sys
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from functools import cache
from operator import index
from random import Random
from typing import TYPE_CHECKING, Any, Generic

import msgspec

from arena import game as contract
from arena import games, wire
from arena.chance import Chance
from arena.wire import Hello, Over

if TYPE_CHECKING:
    from typing_extensions import TypeVar

    Observation = TypeVar("Observation", default=Any)
else:
    # only type checkers need the default, which Python itself has from 3.13 on
    from typing import TypeVar

    Observation = TypeVar("Observation")

__all__ = ["Bot", "Decision", "Hello", "Over"]

_KEY_BYTES = 16


class Decision(contract.Decision, Generic[Observation], frozen=True, kw_only=True):
    """A question: pick between ``least`` and ``most`` different ones of ``options``, all in the game's own types.

    ``Observation`` is the type of the observation: that of one game, or left out for a bot that plays several.
    """

    observation: Observation
    """All that this seat has learnt since the match began."""
    events: tuple[Any, ...]
    """What this seat saw since it was last asked; ``str(event)`` is a sentence."""
    time: int
    """Milliseconds for the answer."""
    hello: Hello
    """What opened the match: game, variants, seats, limits."""
    rng: Random
    """The bot's own dice, with a new seed for each match, so that equal questions get equal answers."""

    @property
    def game(self) -> str:
        """The name of the game."""
        return self.hello.game

    @property
    def seat(self) -> int:
        """The bot's own seat, from 0."""
        return self.hello.seat

    @property
    def seats(self) -> int:
        """How many seats there are."""
        return self.hello.seats

    def imagine(self) -> contract.State:
        """A whole state that this observation could come from, what is not known drawn by ``rng``: for search bots.

        Each call draws another one. ``pending``, ``apply`` and ``copy`` play it on. ``LookupError``: the game is not
        here.
        """
        return games.find(self.game).imagine(self.observation, Chance(self.rng.randbytes(_KEY_BYTES)))


class Bot(ABC, Generic[Observation]):
    """Write ``decide``; the others are called too, and do nothing unless written."""

    name = ""
    """What the bot calls itself in ``ready``; nothing depends on it."""

    note: Any = None
    """Set it in ``decide`` to what you want to see beside this answer later: any JSON of at most 1 KiB."""

    @abstractmethod
    def decide(self, decision: Decision[Observation], /) -> Sequence[int]:
        """The picks: different indexes into ``decision.options``, whose order may mean something."""

    def begin(self, hello: Hello, /) -> None:
        """A match begins: forget the last one."""

    def over(self, over: Over, /) -> None:
        """A match has ended, with these ranks and scores. Not every match gets so far."""

    def run(self) -> None:
        """Answer the host until the input ends.

        From here on whatever is printed, also by other programs that the bot starts, goes to standard error: only
        answers go to the host. Illegal picks are told there, and sent as they are. An exception ends it, with the
        question below the traceback.
        """
        if sys.breakpointhook is sys.__breakpointhook__ and "PYTHONBREAKPOINT" not in os.environ:
            sys.breakpointhook = _debug
        out = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
        os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
        sys.stdout = sys.stderr  # stderr is flushed at each line
        hear = self.conversation(sys.stderr.write)
        for line in sys.stdin.buffer:
            answer = hear(line)
            if answer is not None:
                out.write(answer + b"\n")
                out.flush()

    def conversation(self, complain: Callable[[str], object] = lambda _: None) -> Callable[[bytes], bytes | None]:
        """A function from each line of the host to this bot's answer, without a newline; None where none is due.

        What the bot's code raises comes out of it. ``complain`` is told, in a line of text, of each illegal answer.
        """
        hello: Hello | None = None
        rng = Random()  # noqa: S311 - dice of a game

        def hear(line: bytes) -> bytes | None:
            nonlocal hello
            if line.startswith(b'{"type":"hello",'):
                hello = _hello(line)
                rng.seed(hello.seed)
                reader(hello.game)  # prepared while no question's clock runs
                self.begin(hello)
                return wire.encode(wire.Ready(name=self.name))
            if hello is not None and line.startswith(b'{"type":"decide",'):
                return wire.encode(self._answer(reader(hello.game)(line), hello, rng, line, complain))
            if hello is not None and line.startswith(b'{"type":"over",'):
                self.over(reader(hello.game)(line))
            return None  # of a later version, or the end of a match

        return hear

    def _answer(
        self, question: wire.Decide, hello: Hello, rng: Random, line: bytes, complain: Callable[[str], object]
    ) -> wire.Choose:
        decision: Decision[Any] = Decision(
            question.options,
            question.least,
            question.most,
            observation=question.observation,
            events=tuple(question.events),
            time=question.time,
            hello=hello,
            rng=rng,
        )
        try:
            picks = indexes(self.decide(decision))
        except Exception as error:
            error.add_note(f"{hello.game}, seat {hello.seat} of {hello.seats}, was asked: {line.decode().rstrip()}")
            raise
        if wrong := decision.fault_in(picks):
            complain(f"illegal: {wrong}\n")
        if (note := self.note) is None:
            return wire.Choose(question.id, picks)
        self.note = None
        return wire.Choose(question.id, picks, msgspec.Raw(wire.encode(note)))


def _debug(*_args: Any, **_more: Any) -> None:
    """Do what ``breakpoint()`` does, on a terminal: standard input and output belong to the protocol."""
    terminal = os.environ.get("ARENA_TTY", "/dev/tty")
    try:
        lines, out = open(terminal), open(terminal, "w")  # noqa: SIM115, PTH123 - as long as the bot runs
    except OSError as error:
        how = "`arena replay RUN MATCH --seat N --debug -- CMD` and `arena run --debug NAME` lend theirs"
        sys.stderr.write(f"breakpoint(): expected a terminal, got {error}; {how}, see `arena docs debugging`\n")
        sys.breakpointhook = lambda *_args, **_more: None  # once will do
        return
    from pdb import Pdb  # noqa: PLC0415 - only who debugs needs it

    Pdb(stdin=lines, stdout=out).set_trace(sys._getframe(1))  # noqa: SLF001 - as pdb itself does


def indexes(answer: Any) -> tuple[int, ...]:
    """The picks that ``decide`` gave, of whatever type; a ``TypeError`` if they are no sequence of whole numbers."""
    try:
        return tuple(map(index, answer))
    except TypeError as error:
        raise TypeError(f"expected `decide` to return indexes into the options such as [0], got {answer!r}") from error


_hello: Callable[[bytes], Hello] = msgspec.json.Decoder(Hello).decode


@cache
def reader(game: str) -> Callable[[bytes], Any]:
    """Decodes a ``decide`` or ``over`` in the game's own types; all is plain data of a game that is not here."""
    try:
        rules = games.find(game)
    except LookupError:
        return wire.decode_from_host
    option: Any = rules.option
    event: Any = rules.event
    events = ("events", list[event])
    decide = msgspec.defstruct(
        "Decide",
        [("options", tuple[option, ...]), ("observation", rules.observation), events],
        bases=(wire.Decide,),
        tag="decide",
    )
    over = msgspec.defstruct("Over", [events], bases=(Over,), tag="over")
    return msgspec.json.Decoder(decide | over).decode
