"""A conversation with a bot as a real process, line by line: the host in little, with patience for a clock."""

import os
import select
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from arena import wire
from arena.game import Decision

PATIENCE = 300.0
LIMITS = wire.Limits(start=10_000, move=1000)
AWKWARD = 'quoted "count":1, a \\ and brackets ]}[{ and \u00e9'


class Talk:
    """One bot's process, for a ``with`` block; whatever is left of it is killed at the end."""

    def __init__(self, argv: Sequence[str], env: Mapping[str, str], folder: Path) -> None:
        pipe = subprocess.PIPE
        self._process = subprocess.Popen(argv, stdin=pipe, stdout=pipe, bufsize=0, env=env, cwd=folder)
        self._read = b""

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._process.kill()
        self._process.wait()
        for pipe in (self._process.stdin, self._process.stdout):
            assert pipe
            pipe.close()

    def tell(self, line: bytes) -> None:
        """Send a line that wants no answer."""
        assert self._process.stdin
        rest = line + b"\n"
        while rest:
            rest = rest[self._process.stdin.write(rest) :]

    def ask(self, line: bytes) -> wire.FromBot:
        """Send a line and wait for the one that answers it."""
        self.tell(line)
        assert self._process.stdout
        out = self._process.stdout.fileno()
        while b"\n" not in self._read:
            ready, _, _ = select.select([out], [], [], PATIENCE)
            assert ready, f"expected an answer to {line[:200]!r}, got none"
            data = os.read(out, 65_536)
            assert data, f"expected an answer to {line[:200]!r}, got the end of output"
            self._read += data
        answer, _, self._read = self._read.partition(b"\n")
        return wire.decode(answer)

    def goodbye(self) -> int:
        """Close the bot's input; its exit status. It must have said nothing more."""
        assert self._process.stdin
        self._process.stdin.close()
        status = self._process.wait(PATIENCE)
        assert self._process.stdout
        assert self._read + self._process.stdout.read() == b""
        return status


def hello(seed: int, *, game: str = "made-up", seat: int = 1, seats: int = 3) -> bytes:
    """The opening of a match."""
    variants = {"tide": "low"}
    return wire.encode(wire.Hello(1, "f00d", game, "1", variants, seat, seats, seed, LIMITS))


def question(number: int, decision: Decision, observation: Any, events: Sequence[Any] = ()) -> bytes:
    """A decision as a line."""
    least, most, options = decision.least, decision.most, decision.options
    name = f"{number:012x}"
    return wire.encode(wire.Decide(name, least, most, len(options), 1000, options, observation, list(events)))


def over() -> bytes:
    """The close of a match."""
    return wire.encode(wire.Over((0, 0, 2), (5, 5, 1), "finished", [{"type": "rang", "seat": 2}]))


DECISIONS = [
    Decision(("pass", "dive")),
    Decision(tuple(range(55)), least=0, most=55),
    Decision(tuple(range(9)), least=4, most=4),
    Decision(({"type": "say", "word": AWKWARD}, {"type": "say", "word": "no"}), least=0, most=2),
    *[Decision(tuple("abcdef"), least=1, most=5)] * 30,
]


def play(talk: Talk, seed: int, decisions: Sequence[Decision] = DECISIONS) -> list[tuple[int, ...]]:
    """A whole match over made-up questions; the picks, each held against its question."""
    assert isinstance(talk.ask(hello(seed)), wire.Ready)
    picks = []
    for number, decision in enumerate(decisions):
        answer = talk.ask(question(number, decision, {"step": AWKWARD, "hand": [number]}))
        assert isinstance(answer, wire.Choose)
        assert answer.id == f"{number:012x}"
        assert decision.fault_in(answer.picks) is None
        picks.append(answer.picks)
    talk.tell(over())
    return picks
