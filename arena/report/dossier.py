"""The report of one run, and its provenance. Values only: knows no run folder and no page."""

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
    """In words, by what they are of."""
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
