"""Bots in the runner's process, whose code is trusted: no clock, no limit and no sandbox."""

import traceback
from collections.abc import Callable, Collection, Mapping
from pathlib import Path
from typing import TypeAlias

import msgspec
from msgspec import Struct

from arena import wire
from arena.errors import raised
from arena.fault import Fault

Conversation: TypeAlias = Callable[[bytes], bytes | None]
"""Whatever speaks the protocol: from a message of the host, a line without newline, to its own; None: no answer."""


class Raised(Struct, frozen=True, tag="raised"):
    """Sent instead of an answer: the error that the bot's code raised."""

    error: str
    where: str = ""
    """File and line."""


_decode = msgspec.json.Decoder(wire.Ready | wire.Choose | Raised).decode


class LocalPlayer:
    """One seat whose answers come from the runner's process."""

    def __init__(self, tell: Callable[[bytes], None], answer: Callable[[], bytes]) -> None:
        """``tell`` gets each message as a line without its newline; ``answer`` waits for the answer to it."""
        self._tell = tell
        self._answer = answer
        self.waited = 0.0
        """No clock runs for it."""

    def greet(self, hello: wire.Hello) -> Fault | None:
        """Open a match; the fault if the bot's code raised an error."""
        got = self._ask(wire.encode(hello))
        return got if isinstance(got, Fault) else None

    def decide(self, decide: wire.Decide) -> tuple[int, ...] | Fault:
        """The picks, not yet checked by the rules, or why there are none."""
        got = self._ask(wire.encode(decide))
        if isinstance(got, wire.Choose) and got.id == decide.id:
            return got.picks
        return (
            got if isinstance(got, Fault) else Fault.of("wrong-message", rule=f"expected a choose, got {got}", hint="")
        )

    def close(self, over: wire.Over) -> None:
        """Hear how the match ended."""
        self._ask(wire.encode(over))

    def leave(self) -> None:
        """Nothing to end: the seat is retired, and the bot is not asked again."""

    def _ask(self, line: bytes) -> wire.Ready | wire.Choose | Fault | None:
        self._tell(line)
        answer = self._answer()
        if not answer:
            return None
        try:
            message = _decode(answer)
        except msgspec.DecodeError as error:
            return Fault.of(
                "no-message",
                rule=f"expected a message of the protocol, got something else ({error})",
                hint="",
                line=answer,
            )
        if isinstance(message, Raised):
            where = f" at {message.where}" if message.where else ""
            return Fault.of("raised", rule=f"expected an answer, got {message.error}{where}")
        reply: wire.Ready | wire.Choose = message
        return reply


class LocalBots:
    """The bots that play here, each made once for each job of a lane, as a process would be."""

    def __init__(self, makers: Mapping[str, Callable[[], Conversation]]) -> None:
        """``makers`` by the name of the entrant: each makes one that answers for a bot, new from the start."""
        self._makers = makers
        self._players: list[tuple[object, dict[str, Conversation]]] = []
        """By the job that they play in."""

    def answer(self, job: object, bot: str, line: bytes, doing: Collection[object]) -> bytes:
        """What a bot says to a message of the host, empty if nothing; ``doing`` are the jobs in lanes."""
        try:
            return self._player(job, bot, doing)(line) or b""
        except (Exception, SystemExit) as error:  # noqa: BLE001 - whatever a bot's code raises is the bot's fault
            frame = traceback.extract_tb(error.__traceback__)[-1]
            return wire.encode(Raised(error=raised(error), where=f"{Path(frame.filename).name}:{frame.lineno}"))

    def _player(self, job: object, bot: str, doing: Collection[object]) -> Conversation:
        players = next((players for unit, players in self._players if unit is job), None)
        if players is None:
            # forget the bots of jobs that no lane does any more
            self._players = [
                (unit, conversations) for unit, conversations in self._players if any(unit is job for job in doing)
            ]
            players = {}
            self._players.append((job, players))
        if bot not in players:
            players[bot] = self._makers[bot]()
        return players[bot]
