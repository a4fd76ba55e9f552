"""A finished match as plain data: what was asked and answered, and how it ended.

Knows games and messages; knows no process, clock, schedule or rating. A record holds no seed: its deal follows from the
run's secret and the match's id.
"""

from typing import Literal, TypeAlias

import msgspec
from msgspec import Struct

FaultKind: TypeAlias = Literal["late", "illegal", "garbled", "gone", "unready", "resource"]
"""All that a bot can do wrong; whatever else goes wrong is the house's doing and voids the match."""

FAULT_KINDS: tuple[FaultKind, ...] = ("late", "illegal", "garbled", "gone", "unready", "resource")


class Fault(Struct, frozen=True):
    """One thing a bot did wrong. Silence answered in its place."""

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


class Record(Struct, frozen=True, omit_defaults=True):
    """One match. Sequences by seat run over all seats; ``picks`` and ``micros`` run over all decisions not forced."""

    id: str
    """``e<epoch>b<block>r<rotation>``: the match's place in the schedule."""
    game: str
    version: str
    bots: tuple[str, ...]
    """The entrant in each seat."""
    ranks: tuple[int, ...]
    scores: tuple[int, ...]
    reason: Literal["finished", "capped", "void"]
    faults: tuple[Fault, ...] = ()
    retired: tuple[int, ...] = ()
    """Seats ended for their faults, in order; they share last."""
    why: str = ""
    """For a void match: what went wrong in the house."""
    variants: dict[str, str] = {}
    picks: tuple[tuple[int, ...], ...] = ()
    """The picked indexes, decision by decision; those of one step in seat order."""
    micros: tuple[int, ...] = ()
    """Microseconds each decision was waited for; -1 where nobody was asked."""
    seconds: float = 0.0


encode = msgspec.json.Encoder().encode
decode = msgspec.json.Decoder(Record).decode
