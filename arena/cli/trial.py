"""``arena run --dry-run``: how many matches, how long, how even; the time from one chunk played on trial."""

from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

import msgspec

from arena.cli.options import Format
from arena.cli.watch import Silent
from arena.game import Game
from arena.players.launch import Launch
from arena.record import Record
from arena.tournament.folder import Entrant, RunFolder
from arena.tournament.journal import Journal
from arena.tournament.lanes import Lanes
from arena.tournament.plan import Settings
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


def described(
    settings: Settings, game: Game, entrants: Sequence[Entrant], launches: dict[str, Launch], crew: Lanes, form: Format
) -> list[dict[str, object]]:
    """What the run would be, a row for each seat count; a few matches are played on trial and nothing is kept of them.

    ``seconds`` are those of playing in all lanes together.
    """
    with TemporaryDirectory(prefix="arena-trial-") as desk:
        folder, whole = RunFolder(Path(desk, "trial")), RunFolder(Path(desk, "whole"))
        folder.path.mkdir()
        whole.path.mkdir()
        sample = min(settings.matches, CHUNK_BLOCKS * max(settings.seats))
        total = _Sum()
        with Journal.open(folder.journal) as journal:
            manifest = set_up(folder, msgspec.structs.replace(settings, matches=sample, seed=None), game, entrants)
            Runner(folder, manifest, journal, launches).play(crew, total)
        planned = set_up(whole, settings, game, entrants)
    each = total.seconds / max(total.matches, 1) / crew.count
    rows: list[dict[str, object]] = []
    for seats, audit in planned.audits.items():
        row: dict[str, object] = {"game": game.name, "seats": int(seats)}
        row |= {"blocks": audit.blocks, "matches": audit.matches, "seconds": round(each * audit.matches, 1)}
        spread = (audit.fewest, audit.most, audit.fewest_meetings, audit.most_meetings)
        if form is Format.json:
            row |= dict(zip(("fewest", "most", "fewest_meetings", "most_meetings"), spread, strict=True))
        else:
            row |= {"by bot": "{}-{}".format(*spread[:2]), "by pair": "{}-{}".format(*spread[2:])}
        rows.append(row)
    return rows
