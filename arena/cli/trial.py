"""``arena run --dry-run``: how many matches, how long, how even; the time from one chunk played on trial."""

from pathlib import Path
from tempfile import TemporaryDirectory

import msgspec

from arena.cli.contest import Contest
from arena.cli.options import Format
from arena.cli.watch import Silent
from arena.record import Record
from arena.tournament.continuing import further
from arena.tournament.folder import RunFolder
from arena.tournament.journal import Journal
from arena.tournament.lanes import Lanes
from arena.tournament.run import Runner, set_up
from arena.tournament.schedule import CHUNK_BLOCKS


class _Sum(Silent):
    """Adds up what the matches took."""

    def __init__(self) -> None:
        self.seconds = 0.0
        self.matches = 0

    def played(self, record: Record) -> None:
        """Count a match."""
        self.seconds += record.seconds
        self.matches += 1


def described(contest: Contest, crew: Lanes, form: Format) -> list[dict[str, object]]:
    """What is to be played, a row for each seat count; a few matches are played on trial and nothing is kept of them.

    ``seconds`` are those of playing in all lanes together.
    """
    settings, game = contest.settings, contest.game
    if contest.was is not None and contest.was.secret is None:
        return []
    players = [entrant for entrant in contest.entrants if not entrant.withdrawn]
    if contest.was is not None:
        names = contest.was.names
        players = [msgspec.structs.replace(entrant, name=names[entrant.name]) for entrant in players]
    with TemporaryDirectory(prefix="arena-trial-") as desk:
        folder, whole = RunFolder(Path(desk, "trial")), RunFolder(Path(desk, "whole"))
        folder.path.mkdir()
        whole.path.mkdir()
        sample = min(settings.matches, CHUNK_BLOCKS * max(settings.seats))
        total = _Sum()
        trial = msgspec.structs.replace(settings, matches=sample, seed=None, shard="")
        with Journal.open(folder.journal) as journal:
            manifest = set_up(folder, trial, game, players)
            Runner(folder, manifest, journal, contest.launches).play(crew, total)
        if contest.was is None:
            planned = set_up(whole, settings, game, contest.entrants).audits
        else:
            planned = further(contest.was)
    each = total.seconds / max(total.matches, 1) / crew.count
    rows: list[dict[str, object]] = []
    for seats, audit in planned.items():
        row: dict[str, object] = {"game": game.name, "seats": int(seats)}
        row |= {"blocks": audit.blocks, "matches": audit.matches, "seconds": round(each * audit.matches, 1)}
        spread = (audit.fewest, audit.most, audit.fewest_meetings, audit.most_meetings)
        if form is Format.json:
            row |= dict(zip(("fewest", "most", "fewest_meetings", "most_meetings"), spread, strict=True))
        else:
            row |= {"by bot": "{}-{}".format(*spread[:2]), "by pair": "{}-{}".format(*spread[2:])}
        rows.append(row)
    return rows
