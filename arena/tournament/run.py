"""A run of one game in a folder, as it is read: its matches, leaderboard, losses and whether all of it holds."""

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from arena.record import Record
from arena.report.render import Leaderboard
from arena.retelling import Step, retell
from arena.tournament.folder import Manifest, RunFolder, deal_again
from arena.tournament.standings import compute_standings

if TYPE_CHECKING:
    from arena.report.losses import Losses
    from arena.tournament.verification import Verification


class Run:
    """The results of one game in a folder, to be read; the run may be unfinished."""

    def __init__(self, folder: str | Path | RunFolder) -> None:
        """Read the run in a folder.

        Raises:
            UsageError: there is none.
            DamagedError: it cannot be read.
        """
        self.folder = folder if isinstance(folder, RunFolder) else RunFolder(Path(folder))
        if folder is not self.folder:
            self.folder.manifest()

    @property
    def path(self) -> Path:
        """Its folder."""
        return self.folder.path

    @property
    def manifest(self) -> Manifest:
        """Its manifest, as it is now: game, seats, limits, entrants, epochs."""
        return self.folder.manifest()

    @property
    def finished(self) -> bool:
        """Whether all is played."""
        return self.manifest.finished

    def matches(self) -> Iterator[Record]:
        """Every recorded match, in the order they were finished."""
        return self.folder.records()

    def match(self, which: str | int) -> Record:
        """The match of this number in the journal (``3`` or ``"#3"``), or of this id or beginning of one.

        Raises:
            UsageError: there is none, or there are several.
        """
        from arena.tournament.reporting import find_match  # noqa: PLC0415 - whoever only plays does not need it

        return find_match(self.folder, f"#{which}" if isinstance(which, int) else which)[1]

    def replay(self, match: Record | str | int) -> Iterator[Step]:
        """A match replayed, step by step: questions, picks and events.

        Raises:
            DamagedError: its picks do not fit its deal.
        """
        record = match if isinstance(match, Record) else self.match(match)
        _, state = deal_again(self.folder.secrets_of(self.manifest), record)
        return retell(record, state)

    def leaderboard(self, *, past: bool = False) -> Leaderboard:
        """The ratings of all matches so far; with ``past`` also entrants that take part no longer."""
        return compute_standings(self.folder, with_past=past).leaderboard

    def losses(self, bot: str) -> "Losses":
        """Where a bot loses: from which seat, against whom, in which part of a match; worst matches and faults.

        Raises:
            UsageError: no such bot was entered.
            DamagedError: a record is not of the run.
        """
        from arena.tournament.statistics import statistics  # noqa: PLC0415 - who plays does not look so closely

        losses = statistics(self.folder, bot=bot).losses
        assert losses is not None  # noqa: S101 - a bot was asked for
        return losses

    def verify(self) -> "Verification":
        """Play every match again from secret and picks, and derive the leaderboard again."""
        from arena.tournament.verification import verification  # noqa: PLC0415 - likewise

        return verification(self.folder)

    def export(self) -> Iterator[bytes]:
        """The results of the run: a JSON object for each match, as bytes, in canonical order and without times."""
        return exported(self.folder)


def exported(folder: RunFolder) -> Iterator[bytes]:
    """Every match as a line of JSON, in the order of the schedule and without times: equal runs give equal lines."""
    for record in folder.in_order():
        line = {
            "id": record.id,
            "game": record.game,
            "version": record.version,
            "variants": record.variants,
            "bots": record.bots,
            "ranks": record.ranks,
            "scores": record.scores,
            "reason": record.reason,
            "retired": record.retired,
            "faults": [(fault.seat, fault.kind, fault.decision) for fault in record.faults],
            "seats_asked": record.seats_asked,
            "picks": record.picks,
        }
        yield msgspec.json.encode(line)


def find_runs(path: Path) -> dict[str, RunFolder]:
    """The run in a folder, under no name, or those in the folders within it, by theirs.

    Raises:
        arena.tournament.folder.AbsentRun: there is none.
    """
    if not (path / "run.json").is_file():
        # a journal without its manifest is a damaged run, and not none
        paths = sorted({file.parent for name in ("run.json", "matches.jsonl") for file in path.glob(f"*/{name}")})
        if paths:
            return {inside.name: RunFolder(inside, within=path) for inside in paths}
    RunFolder(path).manifest()
    return {"": RunFolder(path)}
