"""Players in the runner's process, a person or a bot, as a lane sees them: a line goes out, and one comes back.

Knows messages; knows no process, no rule and nothing of the code that answers. That code is trusted: there is no clock,
no limit and no sandbox.
"""

from collections.abc import Callable
from typing import TypeAlias

import msgspec
from msgspec import Struct

from arena import wire
from arena.fault import Fault

Conversation: TypeAlias = Callable[[bytes], bytes | None]
"""Whatever speaks the protocol: is handed each message of the house as a line without its newline, and gives its own.

None stands for no answer, which only ``over`` needs none of.
"""


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
        return got if isinstance(got, Fault) else Fault.of("garbled", rule=f"expected a choose, got {got}", hint="")

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
            found = _decode(answer)
        except msgspec.DecodeError as error:
            return Fault.of(
                "garbled",
                rule=f"expected a message of the protocol, got something else ({error})",
                hint="",
                line=answer,
            )
        if isinstance(found, Raised):
            where = f" at {found.where}" if found.where else ""
            return Fault.of(
                "gone", rule=f"expected an answer, got {found.error}{where}", hint="the bot's code raised it"
            )
        known: wire.Ready | wire.Choose = found
        return known
