"""The messages between the runner and its lanes: one JSON line a message, over the lane's own pipes.

The keys that are derived from the secret travel here and nowhere else: never in an argument, an environment variable or
a file.
"""

import os
from collections.abc import Callable, Collection, Iterable, Mapping
from typing import Self, TypeAlias, TypeVar

import msgspec
from msgspec import Struct

from arena.conformance import TrialTable
from arena.errors import UsageError
from arena.fault import Fault
from arena.game import Seat
from arena.players.launch import Launch
from arena.players.match_notes import MatchNotes
from arena.record import Record
from arena.referee import Match
from arena.sandbox import Level
from arena.sandbox.sandbox import Bounds, Sandbox
from arena.wire import Hello, Limits

T = TypeVar("T")

VOIDS = 2
"""Attempts at a match before it is recorded void."""


class PlayUnit(Struct, frozen=True, kw_only=True, tag="play"):
    """A unit of the schedule, or the rest of one: its matches in order, for one life of each bot.

    The result is its ``retirements`` after the last match.
    """

    unit: int = 0
    matches: tuple[Match, ...]
    bots: dict[str, Launch]
    """How each entrant is started; what has none is asked over the runner's pipe, as a person is."""
    retirements: dict[str, int] = {}
    """For each entrant, in how many of its last matches of this unit in a row it was retired."""
    attempts: int = VOIDS
    states: dict[str, msgspec.Raw] = {}  # by match the state that it begins with, where that is no deal


class Preflight(Struct, frozen=True, tag="preflight"):
    """Start a bot once and greet it. The result is a ``Greeting``."""

    name: str
    bot: Launch
    hello: Hello


class Greeting(Struct, frozen=True, kw_only=True):
    """How a bot got ready; or its fault, and the status with which it has exited, if it did."""

    fault: Fault | None
    exit_status: int | None
    errors: bytes
    """Its stderr, the middle left out."""


class Build(Struct, frozen=True, kw_only=True, tag="build"):
    """Build a bot within a folder of the runner's.

    The result is its folder in ``cache`` and None, or an empty text and a ``NotBuilt``. ``bot`` is a ``BotFile``. The
    ``sandbox`` of its steps lacks the copy that they may write to.
    """

    name: str
    bot: msgspec.Raw
    sandbox: Sandbox
    cache: str
    within: str
    seconds: float | None = None
    """Of each step at most; None: as the protocol says."""


class NotBuilt(Struct, frozen=True, kw_only=True):
    """Why a bot cannot be built: the step that failed, if one did, and the last lines of its output."""

    why: str
    step: str = ""
    output: tuple[str, ...] = ()


class Check(Struct, frozen=True, tag="check"):
    """Check a bot against ``arena.conformance`` at these tables, or in ``transcripts``. The result is ``Findings``."""

    name: str
    bot: Launch
    tables: tuple[TrialTable, ...]
    limits: Limits
    exit_first: bool = False
    transcripts: msgspec.Raw = msgspec.Raw(b"[]")
    ruled_out: tuple[int, ...] = ()
    """The decisions of transcripts, each an ``arena.transcript``, at which it is not to answer as recorded."""


class Recall(Struct, frozen=True, tag="recall"):
    """Send bots, by seat, a recorded match, its questions from ``first`` to ``last``; ``stop`` at the first difference.

    The result is ``arena.tournament.recall.Compared``.
    """

    match: Match
    record: Record
    bots: dict[Seat, Launch]
    stop: bool = False
    first: int = 0
    last: int | None = None


class Prove(Struct, frozen=True, tag="prove"):
    """Try a level of isolation with a probe; ``whole``: also the attacks that take long. The result is ``Proof``."""

    level: Level
    bounds: Bounds
    whole: bool = False


def retired_in_a_row(before: Mapping[str, int], bots: Iterable[str], retired: Collection[str]) -> dict[str, int]:
    """For each entrant, in how many of its last matches in a row it was retired, after one more of these bots."""
    return {**before, **{bot: before.get(bot, 0) + 1 if bot in retired else 0 for bot in bots}}


Job: TypeAlias = PlayUnit | Preflight | Build | Check | Recall | Prove


class Up(Struct, frozen=True, tag="up"):
    """The lane is ready; ``core`` is the one it is pinned to."""

    core: int | None


class MatchOver(Struct, frozen=True, tag="played", omit_defaults=True):
    """One match is over; ``record`` is an ``arena.record.Record`` as it goes into the journal."""

    record: msgspec.Raw
    notes: dict[str, MatchNotes] = {}  # by bot


class SeatMessage(Struct, frozen=True, tag="told"):
    """A message for a seat that the runner answers: an ``arena.wire`` message of the host, as bots get it.

    ``bot`` is who sits there, empty for a person. Each is answered by a line, which is empty where no answer is due.
    """

    message: msgspec.Raw
    bot: str = ""


class Errors(Struct, frozen=True, tag="errors"):
    """The stderr of a bot's ended process, its middle left out."""

    bot: str
    text: bytes


class Trying(Struct, frozen=True, tag="trying"):
    """The requirement that a check tries now."""

    what: str


class BotLine(Struct, frozen=True, tag="shown"):
    """A line to or from a bot, as it comes; ``mark`` as for ``arena.players.bot_player.Show``."""

    bot: str
    mark: str
    text: bytes


class Done(Struct, frozen=True, tag="done"):
    """Ends a job; the lane waits for the next."""

    result: msgspec.Raw = msgspec.Raw(b"null")
    failed: str = ""
    """Why the host could not do the job; then there is no result."""

    @classmethod
    def of(cls, result: object) -> Self:
        """The end of a job with this result."""
        return cls(msgspec.Raw(encode(result)))

    def value(self, kind: type[T]) -> T:
        """The result, of the type that the job names."""
        return msgspec.json.decode(self.result, type=kind)


Message: TypeAlias = Up | MatchOver | SeatMessage | Errors | Trying | BotLine | Done

_encode = msgspec.json.Encoder().encode


def encode(value: object) -> bytes:
    """A job or a message as JSON.

    Raises:
        UsageError: a path in it is no text, which JSON cannot hold.
    """
    try:
        return _encode(value)
    except UnicodeEncodeError as error:
        raise UsageError(f"expected paths in UTF-8, got {os.fsencode(error.object)!r}") from None


decode_job: Callable[[bytes], Job] = msgspec.json.Decoder(Job).decode
decode_message: Callable[[bytes], Message] = msgspec.json.Decoder(Message).decode
