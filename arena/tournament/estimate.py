"""What a run would be, before it is played: how many matches, how long, how even; the time from one chunk on trial.

Prints nothing.
"""

from pathlib import Path
from tempfile import TemporaryDirectory

from msgspec import Struct
from msgspec.structs import replace

from arena.record import Record
from arena.tournament.contest import Contest
from arena.tournament.folder import RunFolder
from arena.tournament.journal import Journal
from arena.tournament.lanes import Lanes
from arena.tournament.resume import further
from arena.tournament.run import Runner, Unwatched, set_up
from arena.tournament.schedule import CHUNK_BLOCKS, Audit


class Estimate(Struct, frozen=True, kw_only=True):
    """What is to be played of one game at one number of seats."""

    game: str
    seats: int
    seconds: float
    """Wall time of playing in all lanes together."""
    audit: Audit


class _Sum(Unwatched):
    """Adds up what the matches took."""

    def __init__(self) -> None:
        self.seconds = 0.0
        self.matches = 0

    def played(self, record: Record) -> None:
        """Count a match."""
        self.seconds += record.seconds
        self.matches += 1


def estimates(contest: Contest, lanes: Lanes) -> list[Estimate]:
    """What is to be played, by seat count; a few matches are played on trial and nothing is kept of them."""
    settings, game = contest.settings, contest.game
    if contest.resumption is not None and contest.resumption.secret is None:
        return []
    players = [entrant for entrant in contest.entrants if not entrant.withdrawn]
    if contest.resumption is not None:
        names = contest.resumption.names
        players = [replace(entrant, name=names[entrant.name]) for entrant in players]
    with TemporaryDirectory(prefix="arena-trial-") as desk:
        folder, whole = RunFolder(Path(desk, "trial")), RunFolder(Path(desk, "whole"))
        folder.path.mkdir()
        whole.path.mkdir()
        sample = min(settings.matches, CHUNK_BLOCKS * max(settings.seats))
        total = _Sum()
        trial = replace(settings, matches=sample, seed=None, shard="")
        with Journal.open(folder.journal) as journal:
            manifest = set_up(folder, trial, game, players)
            Runner(folder, manifest, journal, contest.launches, policies=contest.policies).play(lanes, total)
        if contest.resumption is None:
            planned = set_up(whole, settings, game, contest.entrants).audits
        else:
            planned = further(contest.resumption)
    each = total.seconds / max(total.matches, 1) / lanes.count
    return [
        Estimate(game=game.name, seats=int(seats), seconds=round(each * audit.matches, 1), audit=audit)
        for seats, audit in planned.items()
    ]
