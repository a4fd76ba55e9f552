"""An estimate of a run before it is played: how many matches, how even, and how long, from a few trial matches.

Prints nothing.
"""

from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from time import monotonic

from msgspec import Struct
from msgspec.structs import replace

from arena.formats.forecast import SPREAD, Forecast, Recommended, blocks_of, forecasts, recommended
from arena.formats.registry import read_schedule
from arena.formats.schedule import blocks_for
from arena.record import Record
from arena.tournament.audit import Audit
from arena.tournament.contest import Contest, Say, set_up
from arena.tournament.folder import BALANCED, RunFolder
from arena.tournament.journal import Journal
from arena.tournament.lanes import Lanes
from arena.tournament.plan import audits as audited
from arena.tournament.plan import schedule
from arena.tournament.run import Runner, Watcher

LONGEST = 60.0
"""Seconds after which a trial ends, however slow the bots are."""
_TRIAL = 8
"""Blocks of a trial."""
_LEAST = 1e-6
"""The least seconds of a match, for a clock may show 0."""
SAID_EVERY = 5.0
"""Seconds between two remarks on the trial's progress."""


class Pace(Struct, frozen=True, kw_only=True):
    """How fast matches are played."""

    seconds: float
    """Wall time of a match, where all lanes play at once."""
    at_least: bool = False
    """Whether no match of the trial ended in its time, so that a match takes longer than this."""

    def of(self, matches: int) -> float:
        """Seconds of so many matches."""
        return round(self.seconds * matches, 1)


class Estimate(Struct, frozen=True, kw_only=True):
    """The plan of one game at one number of seats, before it is played."""

    seats: int
    audit: Audit | None
    """How even it is; None for a format whose rounds depend on results."""
    matches: int
    """For a format whose rounds depend on results, about this many at most."""
    fewest: int
    """Such a format takes about this many at least."""


class Outlook(Struct, frozen=True, kw_only=True):
    """The plan of one game, and the matches that other formats would take."""

    game: str
    schedule: str
    bots: int
    pace: Pace
    planned: tuple[Estimate, ...]
    """By seat count."""
    formats: tuple[Forecast, ...]
    """What each format would take for an answer that can be relied on, at the greatest number of seats."""
    seats: int
    assumed: str = SPREAD
    """Of the simulated bots by which formats are judged."""

    def within(self, seconds: float) -> Recommended:
        """The matches to play within a time."""
        return recommended(self.bots, seats=self.seats, matches=int(seconds / self.pace.seconds))


class _Enough(Exception):
    """The trial has lasted long enough."""


class _Sum(Watcher):
    """Adds up what the matches took; ends the trial when its time is over."""

    def __init__(self, game: str, say: Say) -> None:
        self.game = game
        self.seconds = 0.0
        self.matches = 0
        self._say = say
        self._began = self._said = monotonic()

    def tick(self) -> None:
        """End the trial in time, and report its progress now and then."""
        now = monotonic()
        if now - self._began > LONGEST:
            raise _Enough
        if now - self._said > SAID_EVERY:
            self._said = now
            self._say(f"{self.game} on trial: {self.matches} matches in {now - self._began:.0f} s")

    def played(self, record: Record) -> None:
        """Count a match."""
        self.seconds += record.seconds
        self.matches += 1


def outlook(contest: Contest, lanes: Lanes, say: Say) -> Outlook | None:
    """The plan of a game; None if nothing is left to plan. Plays the trial of ``try_out``."""
    if contest.resumption is not None and contest.resumption.secret is None:
        return None
    settings, bots = contest.settings, sum(not entrant.withdrawn for entrant in contest.entrants)
    return Outlook(
        game=contest.game.name,
        schedule=settings.schedule,
        bots=bots,
        pace=try_out(contest, lanes, say),
        planned=tuple(_planned(contest, bots)),
        formats=tuple(forecasts(bots, seats=max(settings.seats))),
        seats=max(settings.seats),
    )


def _planned(contest: Contest, bots: int) -> Iterator[Estimate]:
    settings = contest.settings
    if not settings.drawn_whole:
        (seats,) = settings.seats
        blocks = blocks_for(settings.matches, seats=seats)
        fewest, most = blocks_of(read_schedule(settings.schedule), bots=bots, seats=seats, blocks=blocks)
        yield Estimate(seats=seats, audit=None, matches=most * seats, fewest=fewest * seats)
        return
    if contest.resumption is not None:
        manifest, secret = contest.resumption.manifest, contest.resumption.secret
        audits = {} if secret is None else audited(manifest, schedule(manifest, manifest.epochs[-1], secret))
    else:
        with TemporaryDirectory(prefix="arena-trial-") as desk:
            audits = set_up(RunFolder(Path(desk)), settings, contest.game, contest.entrants).audits
    for count, audit in audits.items():
        yield Estimate(seats=int(count), audit=audit, matches=audit.matches, fewest=audit.matches)


def try_out(contest: Contest, lanes: Lanes, say: Say) -> Pace:
    """How fast the bots of a contest play, once they are started.

    A few matches are played on trial, for ``LONGEST`` seconds at most, and nothing is kept of them.
    """
    settings, game = contest.settings, contest.game
    named = zip(contest.entrants, contest.named_entrants(), strict=True)
    players = [replace(entrant, name=known.name) for entrant, known in named if not entrant.withdrawn]
    with TemporaryDirectory(prefix="arena-trial-") as desk:
        folder = RunFolder(Path(desk))
        sample = min(settings.matches, _TRIAL * max(settings.seats))
        total = _Sum(game.name, say)
        trial = replace(settings, matches=sample, seed=None, shard="", schedule=BALANCED)
        with Journal.open(folder.journal) as journal:
            manifest = set_up(folder, trial, game, players)
            try:
                Runner(folder, manifest, journal, contest.launches, local_bots=contest.local_bots).play(lanes, total)
            except _Enough:
                # the lanes are still playing: the next trial gets new lanes
                lanes.dismiss()
    if not total.matches:
        return Pace(seconds=LONGEST, at_least=True)
    return Pace(seconds=max(total.seconds / total.matches / lanes.count, _LEAST))
