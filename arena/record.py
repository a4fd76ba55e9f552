"""A finished match as plain data: what was asked and answered, and how it ended.

A record holds no seed: its deal follows from the run's secret and the match's id.
"""

import re
from collections.abc import Collection, Sequence
from typing import Annotated, Literal, TypeAlias

import msgspec
from msgspec import Meta, Struct

from arena.fault import FAULTS, Fault
from arena.files import decoder
from arena.game import LARGEST, Seat, ranks_of

_COUNT = "(0|[1-9][0-9]{0,19})"
_ID = f"^e{_COUNT}b{_COUNT}r{_COUNT}$(?!\\n)"
_is_id = re.compile(_ID).search


def match_key(match: str) -> tuple[int, int, int]:
    """Epoch, block and rotation of a match id, whose order is that of matches; a ``ValueError`` if it is none."""
    parts = _is_id(match)
    if parts is None:
        raise ValueError(f"expected a match id such as e0b17r3, got {match!r}")
    epoch, block, rotation = parts.groups()
    return int(epoch), int(block), int(rotation)


MatchId: TypeAlias = Annotated[str, Meta(pattern=_ID)]
"""Whoever decodes a record need not ask whether its id is one."""
SafeInteger: TypeAlias = Annotated[int, Meta(ge=-LARGEST, le=LARGEST)]
"""A whole number that a float holds as well: no stranger's number is too large to count with."""
Seconds: TypeAlias = Annotated[float, Meta(ge=0, le=1e10)]
"""Of wall time: sums of them stay numbers."""
_SEATS = 256
"""Of a table at most, whatever a stranger's record says."""
Bots: TypeAlias = Annotated[tuple[str, ...], Meta(min_length=1, max_length=_SEATS)]
Ranks: TypeAlias = Annotated[tuple[Annotated[int, Meta(ge=0, lt=_SEATS)], ...], Meta(max_length=_SEATS)]
Score: TypeAlias = SafeInteger | Annotated[float, Meta(ge=-LARGEST, le=LARGEST)]


class MatchResult(Struct, frozen=True, omit_defaults=True):
    """How one match ended, without what led there. Sequences by seat run over all seats."""

    id: MatchId
    """``e<epoch>b<block>r<rotation>``: the match's place in the schedule."""
    game: str
    version: str
    bots: Bots
    """The entrant in each seat."""
    ranks: Ranks
    scores: tuple[Score, ...]
    reason: Literal["finished", "capped", "void"]
    faults: tuple[Fault, ...] = ()
    retired: tuple[SafeInteger, ...] = ()
    """Seats ended for their faults, in order; they share last."""
    why: str = ""
    """For a void match: what went wrong in the host."""
    variants: dict[str, str] = {}

    @property
    def blamed(self) -> tuple[Seat, ...]:
        """The seat of each fault that its bot is to blame for."""
        return tuple([fault.seat for fault in self.faults if FAULTS[fault.kind].blamed])

    @property
    def withdrawn(self) -> tuple[Seat, ...]:
        """Seats played by first options from the start: they are retired without a fault."""
        faulty = {fault.seat for fault in self.faults}
        return tuple([seat for seat in self.retired if seat not in faulty])


class Record(MatchResult, frozen=True, omit_defaults=True):
    """One match. ``picks``, ``seats_asked`` and ``micros`` run over all decisions not forced."""

    picks: tuple[tuple[SafeInteger, ...], ...] = ()
    """The picked indexes, decision by decision; those of one step in seat order."""
    seats_asked: tuple[SafeInteger, ...] = ()
    """The seat of each decision."""
    micros: tuple[SafeInteger, ...] = ()
    """Microseconds each decision was waited for; -1 where nobody was asked."""
    charged: tuple[SafeInteger, ...] = ()
    """By decision, microseconds that counted against the seat's clock; empty if all were told the limit of a move."""
    seconds: Seconds = 0.0
    burnt: tuple[SafeInteger, ...] = ()
    """By seat, microseconds of processor time used on others' time, at least; empty if nobody is known to have."""


def from_first(ranks: Sequence[int]) -> list[Seat]:
    """The seats from the first place to the last; those that share one in their order."""
    return sorted(range(len(ranks)), key=ranks.__getitem__)


def fault_in_shape(record: Record) -> str:
    """What in a record does not have an entry a seat or a decision, or names no seat; empty if all is well."""
    seats, decisions = len(record.bots), len(record.seats_asked)
    if not len(record.ranks) == len(record.scores) == seats or not len(record.micros) == len(record.picks) == decisions:
        return "expected a rank and a score a seat, and picks and time a decision, got others"
    mentions: Collection[int] = record.seats_asked
    if record.retired or record.faults:
        mentions = {*mentions, *record.retired, *[fault.seat for fault in record.faults]}
    if (mentions and not 0 <= min(mentions) <= max(mentions) < seats) or len(record.burnt) not in (0, seats):
        return f"expected seats from 0 to {seats - 1}, got others"
    if len(record.charged) not in (0, decisions):
        return f"expected {decisions} times charged or none, got {len(record.charged)}"
    return ""


encode = msgspec.json.Encoder().encode
decode = decoder(Record)
decode_outcome = decoder(MatchResult)


def retired_last(ranks: tuple[int, ...], retired: Collection[Seat]) -> tuple[int, ...]:
    """The ranks with retired seats sharing last; the others keep their order."""
    if not retired:
        return ranks
    return ranks_of([-len(ranks) if seat in retired else -rank for seat, rank in enumerate(ranks)])
