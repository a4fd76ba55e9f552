"""What a run would be, before it is played: how many matches, how long, how even; the time from one chunk on trial.

Prints nothing.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from time import monotonic

from msgspec import Struct
from msgspec.structs import replace

from arena.formats.forecast import Forecast, Recommended, blocks_of, forecasts, recommended
from arena.record import Record
from arena.tournament.contest import Contest, Say
from arena.tournament.folder import BALANCED, Entrant, RunFolder
from arena.tournament.journal import Journal
from arena.tournament.lanes import Lanes
from arena.tournament.resume import further
from arena.tournament.rounds import read_schedule
from arena.tournament.run import Runner, Unwatched, set_up
from arena.tournament.schedule import CHUNK_BLOCKS, Audit, blocks_for

LONGEST = 60.0
"""Seconds after which a trial ends, however slow the bots are."""
_LEAST = 1e-6
SAID_EVERY = 5.0
"""Seconds between two words on how the trial goes."""


class Estimate(Struct, frozen=True, kw_only=True):
    """What is to be played of one game at one number of seats."""

    game: str
    seats: int
    seconds: float
    """Wall time of playing in all lanes together."""
    at_least: bool = False
    """Whether no match of the trial ended in its time, so that it takes longer than this."""
    audit: Audit | None
    """How even it is; None of a format that decides as it goes."""
    matches: int
    """About so many, of a format that decides as it goes."""


class Outlook(Struct, frozen=True, kw_only=True):
    """What is to be played of one game, and what else could be."""

    planned: tuple[Estimate, ...]
    """By seat count."""
    schedule: str
    formats: tuple[Forecast, ...]
    """What each format would take for an answer that can be relied on, at the greatest number of seats."""
    seats: int
    match: float
    """Seconds of wall time for a match, in all lanes together."""
    bots: int

    def within(self, seconds: float) -> Recommended:
        """What to play in so much time."""
        return recommended(self.bots, self.seats, int(seconds / self.match))


class _Enough(Exception):
    """The trial has lasted long enough."""


class _Sum(Unwatched):
    """Adds up what the matches took; ends the trial when its time is over."""

    def __init__(self, say: Say) -> None:
        self.seconds = 0.0
        self.matches = 0
        self._say = say
        self._began = self._said = monotonic()

    def tick(self) -> None:
        """End the trial in time, and say now and then that it goes on."""
        now = monotonic()
        if now - self._began > LONGEST:
            raise _Enough
        if now - self._said > SAID_EVERY:
            self._said = now
            self._say(f"on trial: {self.matches} matches in {now - self._began:.0f} s")

    def played(self, record: Record) -> None:
        """Count a match."""
        self.seconds += record.seconds
        self.matches += 1


def outlook(contest: Contest, lanes: Lanes, say: Say) -> Outlook | None:
    """What is to be played; None if nothing is left to plan.

    A few matches are played on trial, for ``LONGEST`` at most, and nothing is kept of them.
    """
    settings = contest.settings
    if contest.resumption is not None and contest.resumption.secret is None:
        return None
    players = [entrant for entrant in contest.entrants if not entrant.withdrawn]
    if contest.resumption is not None:
        names = contest.resumption.names
        players = [replace(entrant, name=names[entrant.name]) for entrant in players]
    with TemporaryDirectory(prefix="arena-trial-") as desk:
        total = _tried(contest, players, Path(desk), lanes, say)
        audits = _audits(contest, Path(desk)) if settings.schedule == BALANCED else None
    each = max(total.seconds, _LEAST) / total.matches / lanes.count if total.matches else LONGEST
    seats = max(settings.seats)
    bots = len(players)
    if audits is None:
        blocks = blocks_of(read_schedule(settings.schedule), bots, seats, blocks_for(settings.matches, seats))
        parts: list[tuple[int, int, Audit | None]] = [(seats, blocks * seats, None)]
    else:
        parts = [(int(count), audit.matches, audit) for count, audit in audits.items()]
    planned = [
        Estimate(
            game=contest.game.name,
            seats=count,
            seconds=round(each * matches, 1),
            audit=audit,
            at_least=not total.matches,
            matches=matches,
        )
        for count, matches, audit in parts
    ]
    return Outlook(
        planned=tuple(planned),
        schedule=settings.schedule,
        formats=tuple(forecasts(bots, seats)),
        seats=seats,
        match=each,
        bots=bots,
    )


def _tried(contest: Contest, players: Sequence[Entrant], desk: Path, lanes: Lanes, say: Say) -> _Sum:
    """What the matches of a trial took."""
    settings = contest.settings
    folder = RunFolder(desk / "trial")
    folder.path.mkdir()
    total = _Sum(say)
    sample = min(settings.matches, CHUNK_BLOCKS * max(settings.seats))
    trial = replace(settings, matches=sample, seed=None, shard="", schedule=BALANCED)
    with Journal.open(folder.journal) as journal:
        manifest = set_up(folder, trial, contest.game, players)
        try:
            Runner(folder, manifest, journal, contest.launches, policies=contest.policies).play(lanes, total)
        except _Enough:
            # lanes still play: the next trial gets new ones
            lanes.dismiss()
    return total


def _audits(contest: Contest, desk: Path) -> Mapping[str, Audit]:
    """What a schedule that is drawn whole gives to whom, by seat count."""
    if contest.resumption is not None:
        return further(contest.resumption)
    whole = RunFolder(desk / "whole")
    whole.path.mkdir()
    return set_up(whole, contest.settings, contest.game, contest.entrants).audits
