"""What a bot did wrong: one value, from whoever noticed it to the page that shows it. Knows nothing of arena."""

from typing import Literal, Self, TypeAlias

from msgspec import Struct

FaultKind: TypeAlias = Literal["late", "illegal", "garbled", "gone", "unready", "resource"]
"""All that a bot can do wrong; whatever else goes wrong is the house's doing and voids the match."""

FAULT_KINDS: tuple[FaultKind, ...] = ("late", "illegal", "garbled", "gone", "unready", "resource")
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
