"""The messages between the runner and its lanes: one JSON line a message, over the lane's own pipes.

The keys that are derived from the secret travel here and nowhere else: never in an argument, an environment variable or
a file.
"""

from collections.abc import Callable, Collection, Iterable, Mapping
from typing import TypeAlias

import msgspec
from msgspec import Struct

from arena.conformance.findings import Findings, TrialTable
from arena.fault import Fault
from arena.game import Seat
from arena.players.launch import Launch
from arena.record import Record
from arena.referee import Match
from arena.sandbox.sandbox import Level, Sandbox
from arena.wire import Hello, Limits

VOIDS = 2
"""Attempts at a match before it is recorded void."""


class PlayUnit(Struct, frozen=True, kw_only=True, tag="play"):
    """A unit of the schedule, or the rest of one: its matches in order, for one life of each bot."""

    unit: int = 0
    matches: tuple[Match, ...]
    bots: dict[str, Launch]
    """How each entrant is started; what has none is asked over the runner's pipe, as a person is."""
    retirements: dict[str, int] = {}
    """For each entrant, in how many of its last matches of this unit in a row it was retired."""
    attempts: int = VOIDS


class Preflight(Struct, frozen=True, tag="preflight"):
    """Start a bot once and greet it. The answer is ``Greeted``."""

    name: str
    bot: Launch
    hello: Hello


class Command(Struct, frozen=True, tag="command"):
    """Run a step of a bot's build, with a limit in seconds. The answer is ``Ran``."""

    argv: tuple[str, ...]
    env: dict[str, str]
    folder: str
    seconds: float
    sandbox: Sandbox


class Check(Struct, frozen=True, tag="check"):
    """Check a bot against the sentences of ``arena.conformance`` at these tables. The answer is ``Checked``."""

    bot: Launch
    tables: tuple[TrialTable, ...]
    limits: Limits
    exit_first: bool = False


class Recall(Struct, frozen=True, tag="recall"):
    """Send these bots, by seat, the messages of a recorded match; ``stop`` at the first difference.

    The answer is ``Compared``.
    """

    match: Match
    record: Record
    bots: dict[Seat, Launch]
    stop: bool = False


class Prove(Struct, frozen=True, tag="prove"):
    """Try a level of isolation with a probe; ``whole``: also the attacks that take long. The answer is ``Proved``."""

    level: Level
    whole: bool = False


def retired_in_a_row(before: Mapping[str, int], bots: Iterable[str], retired: Collection[str]) -> dict[str, int]:
    """For each entrant, in how many of its last matches in a row it was retired, after one more of these bots."""
    return {**before, **{bot: before.get(bot, 0) + 1 if bot in retired else 0 for bot in bots}}


Job: TypeAlias = PlayUnit | Preflight | Command | Check | Recall | Prove


class Up(Struct, frozen=True, tag="up"):
    """The lane is ready; ``core`` is the one it is pinned to."""

    core: int | None


class MatchOver(Struct, frozen=True, tag="played"):
    """One match is over; ``record`` is an ``arena.record.Record`` as it goes into the journal."""

    record: msgspec.Raw


class Told(Struct, frozen=True, tag="told"):
    """A message for a seat that the runner answers: an ``arena.wire`` message of the house, as bots get it.

    ``bot`` is who sits there, empty for a person. Each is answered by a line, which is empty where no answer is due.
    """

    message: msgspec.Raw
    bot: str = ""


class Errors(Struct, frozen=True, tag="errors"):
    """The stderr of a bot's ended process, its middle left out."""

    bot: str
    text: bytes


class Trying(Struct, frozen=True, tag="trying"):
    """The sentence that a check tries now."""

    what: str


class Shown(Struct, frozen=True, tag="shown"):
    """A line to or from a bot, as it comes; ``mark`` as for ``arena.players.bot_player.Show``."""

    bot: str
    mark: str
    text: bytes


class Answer(Struct, frozen=True):
    """Ends a job; the lane waits for the next."""


class Unfit(Struct, frozen=True, tag="unfit"):
    """A worker on another machine cannot play this unit as it would be played here, and has not begun it."""

    why: str


class Done(Answer, frozen=True, tag="done"):
    """The job is finished, and there is no more to tell."""


class Greeted(Answer, frozen=True, kw_only=True, tag="greeted"):
    """Whether a bot got ready; ``fault`` is None if it did."""

    fault: Fault | None
    errors: bytes


class Ran(Answer, frozen=True, tag="ran"):
    """How a build step ended; ``status`` is None if it ran out of time."""

    status: int | None
    output: bytes
    cannot_start: str = ""


class Checked(Answer, frozen=True, tag="checked"):
    """The findings of a check; None, with the reason, if this machine was too busy or a game failed."""

    findings: Findings | None
    why: str = ""
    game_failed: bool = False


class Difference(Struct, frozen=True, kw_only=True):
    """A bot answered differently from its seat in the record, or gave no legal answer."""

    seat: Seat
    decision: int
    """Index into the record's ``picks``; -1: it was not ready."""
    sent: bytes
    picks: tuple[int, ...] = ()
    """Its answer, if it gave a legal one."""
    fault: Fault | None = None


class Compared(Answer, frozen=True, tag="compared"):
    """A recalled match is over: by seat, how many answers were compared; and all that differed."""

    decisions: dict[Seat, int]
    differences: tuple[Difference, ...] = ()
    why: str = ""
    """What went wrong in the house, if anything; then nothing was compared."""


class Proved(Answer, frozen=True, tag="proved"):
    """Whether a level keeps its promises; if not, why, and how to get it. Each attack with its result."""

    holds: bool
    why: str
    attacks: dict[str, str]


Message: TypeAlias = (
    Up | MatchOver | Told | Errors | Trying | Shown | Unfit | Done | Greeted | Ran | Checked | Compared | Proved
)

encode = msgspec.json.Encoder().encode
decode_job: Callable[[bytes], Job] = msgspec.json.Decoder(Job).decode
decode_message: Callable[[bytes], Message] = msgspec.json.Decoder(Message).decode
