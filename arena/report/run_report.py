"""The report of one run, its provenance and its progress. Values only: knows no run folder and no page."""

from typing import Literal, TypeAlias

from msgspec import Struct

from arena.report.leaderboard import Leaderboard
from arena.report.survey import Survey


class BotFacts(Struct, frozen=True, kw_only=True):
    """An entrant in the provenance of a run."""

    name: str
    language: str
    version: str
    digest: str
    command: str


class Provenance(Struct, frozen=True, kw_only=True):
    """Where a run comes from and how to check it."""

    name: str
    """What the run is called."""
    path: str
    """What to type for it."""
    game: str
    title: str
    seats: str
    created: str
    seconds: float
    limit: int
    """Milliseconds for a decision."""
    facts: dict[str, str]
    """What a reader should know about the run, in words, by its heading."""
    commitments: tuple[tuple[str, str], ...]
    """Of each epoch the commitment and the seed text; empty while it is not revealed."""
    bots: tuple[BotFacts, ...]
    verify: tuple[str, ...]
    """Commands that check the run."""


class Report(Struct, frozen=True, kw_only=True):
    """The report of one run."""

    leaderboard: Leaderboard
    survey: Survey
    provenance: Provenance


RunState: TypeAlias = Literal["playing", "quiet", "stopped", "finished"]


class RunProgress(Struct, frozen=True, kw_only=True):
    """How far a run is."""

    state: RunState
    """Quiet: nothing came for a while. Stopped: it was being played, and is not."""
    matches: int
    """Recorded, those among them that are void."""
    total: int
    decisions: float | None = None
    """Decisions a second, recently; None if none was made recently."""
    left: float | None = None
    """Seconds to the end at this pace."""
    trouble: str = ""
    """What is wrong with the folder, in printable ASCII."""
