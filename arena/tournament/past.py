"""A journal in short, for resuming a run: which matches are recorded, which are void, which bots were retired.

Knows the line of a record and nothing of files. It takes eight bytes a match, so there may be millions.
"""

import re
from array import array
from collections import Counter
from collections.abc import Iterator

import msgspec
from msgspec import Struct

from arena.decoding import decoder
from arena.record import MatchId, decode_outcome

VOID = b'"reason":"void"'
"""How a line tells that it is void; within a text the quotation marks would be escaped."""
_FAULTS, _RETIRED = b'"faults":[', b'"retired":['
_PLACE = re.compile(rb'\{"seq":[0-9]+,"id":"e(0|[1-9][0-9]{0,3})b(0|[1-9][0-9]{0,9})r(0|[1-9][0-9]?)"')
_BLOCK, _ROTATION = 40, 8
"""Bits of a block's number, and of a rotation."""


class _Named(Struct):
    """The id of a record."""

    id: MatchId


id_of = decoder(_Named)


class Past:
    """The records of a journal, in the order in which they were written."""

    def __init__(self) -> None:
        self.places = array("Q")
        """Epoch, block and rotation of each."""
        self.known = True
        """Whether each record could be read; else nothing here counts."""
        self.faults = 0
        self.retired: dict[str, frozenset[str]] = {}
        """For each match in which entrants were retired, their names."""
        self.voids: Counter[str] = Counter()
        """By id of a match, how often it was recorded void."""
        self.standing: set[str] = set()
        """The ids of the matches that are void, with no later record."""

    def add(self, line: bytes) -> None:
        """Take in a record as its line."""
        found = _PLACE.match(line)
        if found is None:
            self.known = False
            return
        epoch, block, rotation = map(int, found.groups())
        self.places.append((epoch << _BLOCK | block) << _ROTATION | rotation)
        if _FAULTS in line or _RETIRED in line or VOID in line:
            self._add_unusual(line)
        elif self.standing:
            self.standing.discard(f"e{epoch}b{block}r{rotation}")

    def _add_unusual(self, line: bytes) -> None:
        try:
            outcome = decode_outcome(line)
        except msgspec.DecodeError:
            self.known = False
            return
        if outcome.reason == "void":
            self.voids[outcome.id] += 1
            self.standing.add(outcome.id)
            return
        self.standing.discard(outcome.id)
        self.faults += len(outcome.faults)
        if outcome.retired:
            self.retired[outcome.id] = frozenset(outcome.bots[seat] for seat in outcome.retired)

    def matches(self) -> Iterator[tuple[int, int, int]]:
        """Epoch, block and rotation of each record."""
        epochs, blocks, rotations = _BLOCK + _ROTATION, (1 << _BLOCK) - 1, (1 << _ROTATION) - 1
        return ((place >> epochs, place >> _ROTATION & blocks, place & rotations) for place in self.places)

    def unsettled(self, sessions: int) -> frozenset[str]:
        """The ids of the void matches that were void in fewer sessions than these."""
        return frozenset(match for match in self.standing if self.voids[match] < sessions)
