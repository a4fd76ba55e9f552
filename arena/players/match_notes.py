"""What a bot told its author in a match, as a value."""

import msgspec
from msgspec import Struct

STDERR_LIMIT = 4096
"""Bytes of standard error that are kept of a decision."""


class MatchNotes(Struct, frozen=True, omit_defaults=True):
    """What a bot told in a match, by the number of its question, from 1."""

    notes: dict[int, msgspec.Raw] = {}
    stderr: dict[int, str] = {}
    """What it wrote to standard error while it thought, or after it had answered; the first ``STDERR_LIMIT`` bytes."""
