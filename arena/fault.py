"""What a bot did wrong: one value, from whoever noticed it to the page that shows it. Knows nothing of arena."""

from typing import Literal, Self, TypeAlias

from msgspec import Struct

FaultKind: TypeAlias = Literal["late", "illegal", "garbled", "gone", "unready", "resource"]
"""All that a bot can do wrong; whatever else goes wrong is the house's doing and voids the match."""


class FaultRule(Struct, frozen=True):
    """What a kind of fault is, and what follows from it."""

    meaning: str
    """As protocol.md says it, which is tested."""
    strikes: int = 1
    """How many of the faults that a seat may have in a match it costs."""
    blamed: bool = True
    """Whether the bot is to blame: then it fails a strict run, and counts against it in a comparison."""


FAULTS: dict[str, FaultRule] = {
    "late": FaultRule("No whole line with the answer by the deadline, or no time left to ask in"),
    "illegal": FaultRule("Picks that are too few, too many, not distinct or out of range"),
    "garbled": FaultRule(
        "A line that is no message, or too long; a `choose` with an id that was never asked; too many lines or bytes"
    ),
    "gone": FaultRule("The process exited or closed its output"),
    "unready": FaultRule("It did not start, or no `ready` came in time, or one for another protocol"),
    "resource": FaultRule(
        "It used more than 25 % of the processor while others were asked, over a second or more; or a limit on memory, "
        "processes or files struck it"
    ),
}
"""All kinds, in the order in which tables name them."""
NOWHERE = -1
"""The seat and the decision of a fault of which they are not known yet, and the decision of one before the first."""
_EXCERPT = 120
"""Bytes of the line at fault that are kept."""


class Fault(Struct, frozen=True, kw_only=True):
    """One thing a bot did wrong. Silence answers in its place. The referee knows its seat and decision."""

    seat: int
    kind: FaultKind
    decision: int
    """Index into the record's ``picks`` of the decision it spoilt; -1 before the first."""
    rule: str
    """What was expected and what was got."""
    hint: str = ""
    """How a bot's author might mend it."""
    line: str = ""
    """The line at fault, escaped to printable ASCII and cut."""

    @classmethod
    def of(cls, kind: FaultKind, *, rule: str, hint: str = "", line: bytes = b"") -> Self:
        """A fault as it is noticed: its seat and decision are for the referee to say."""
        return cls(seat=NOWHERE, kind=kind, decision=NOWHERE, rule=rule, hint=hint, line=excerpt(line))


def excerpt(line: bytes) -> str:
    """The beginning of a line in printable ASCII."""
    text = line[:_EXCERPT].decode("utf-8", "backslashreplace").encode("ascii", "backslashreplace").decode()
    shown = "".join(c if c.isprintable() else f"\\x{ord(c):02x}" for c in text)
    return shown + ("..." if len(line) > _EXCERPT else "")
