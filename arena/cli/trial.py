"""``arena run --dry-run``: how many matches, how long, how even; the time from one chunk played on trial."""

from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

import msgspec
import typer

from arena.cli.watch import Silent
from arena.game import Game
from arena.players.converse import Launch
from arena.record import Record
from arena.tournament.folder import Entrant, RunFolder
from arena.tournament.journal import Journal
from arena.tournament.lanes import Lanes
from arena.tournament.plan import Settings, blocks_of, rounded
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


def describe(
    settings: Settings, game: Game, entrants: Sequence[Entrant], launches: dict[str, Launch], crew: Lanes
) -> None:
    """Print what the run would be; only the trial's few matches are played, and nothing is kept of them."""
    with TemporaryDirectory(prefix="arena-trial-") as desk:
        folder = RunFolder(Path(desk))
        sample = min(settings.matches, CHUNK_BLOCKS * max(settings.seats))
        trial = msgspec.structs.replace(settings, matches=sample, seed=None)
        total = _Sum()
        with Journal.open(folder.journal) as journal:
            manifest = set_up(folder, trial, game, entrants)
            Runner(folder, manifest, journal, launches).play(crew, total)
        whole = RunFolder(Path(desk, "whole"))
        whole.path.mkdir()
        planned = set_up(whole, settings, game, entrants)
    matches = rounded(settings.matches, settings.seats)
    seconds = total.seconds / max(total.matches, 1) * matches / crew.count
    blocks = blocks_of(settings.matches, settings.seats)
    typer.echo(f"{game.name}: {matches} matches in {sum(blocks.values())} blocks, {crew.count} lanes")
    typer.echo(f"time: about {seconds:.0f} s, from {total.matches} matches played on trial")
    for seats, audit in planned.audits.items():
        typer.echo(
            f"{seats} seats: {audit.fewest}-{audit.most} matches a bot, each seat equally often; "
            f"{audit.fewest_meetings}-{audit.most_meetings} meetings a pair"
        )
