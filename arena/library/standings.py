"""A run folder to its leaderboard, for all that show one. Prints nothing."""

from collections import Counter
from collections.abc import Collection, Iterable, Iterator
from pathlib import Path

import msgspec
from msgspec import Struct

from arena.identity import Identity
from arena.library.brackets import bracket_of
from arena.record import Record, shaped
from arena.report import Leaderboard, leaderboard, render, shares
from arena.tournament.folder import Broken, Entrant, Manifest, RunFolder


class Board(Struct, frozen=True):
    """The leaderboard of one run, and where it came from."""

    leaderboard: Leaderboard
    folder: Path
    entrants: tuple[Entrant, ...] = ()
    """Those that take part."""

    def blamed(self) -> dict[str, str]:
        """What there is to say against each bot that faulted or was withdrawn."""
        withdrawn = {each.name: each.withdrawn for each in self.entrants if each.withdrawn}
        faults = {row.bot: row.faults for row in self.leaderboard.leaderboard if row.faults}
        told = {bot: ", ".join(f"{count} {kind}" for kind, count in kinds.items()) for bot, kinds in faults.items()}
        return {bot: f"faults: {kinds}" for bot, kinds in told.items()} | {
            bot: f"withdrawn: {why}" for bot, why in withdrawn.items()
        }

    def markdown(self) -> str:
        """As it is written beside the journal."""
        return render(self.leaderboard, "markdown")

    def shares(self) -> dict[str, float]:
        """What a table over several games needs of it; reads the journal once more."""
        folder = RunFolder(self.folder)
        found = shares(folder.records(), [entrant.name for entrant in folder.manifest().entrants])
        shown = {row.bot for row in self.leaderboard.leaderboard}
        return {bot: share for bot, share in found.items() if bot in shown}


def standings(
    folder: RunFolder, *, with_past: bool = False, anchors: Collection[str] = (), named: str | None = None
) -> Board:
    """The leaderboard of the matches recorded so far; entrants that take part no longer are shown only if asked for.

    Args:
        folder: of the run.
        with_past: whether to show those that take part no longer.
        anchors: bots whose mean rating is to stand still; each counts as it takes part now.
        named: what the run is called, if not as its folder.

    Raises:
        arena.tournament.folder.Broken, arena.tournament.journal.Corrupt: the folder is damaged.
    """
    manifest = folder.manifest()
    entrants = [entrant.name for entrant in manifest.entrants]
    absent = [entrant for entrant in manifest.entrants if entrant.withdrawn]
    current = set(manifest.field or entrants)
    seated = {name for epoch in manifest.epochs for name in epoch.entrants}
    # who was withdrawn after having played is rated, and shown no more
    never = {entrant.name for entrant in absent if entrant.name not in seated}
    gone = {entrant.name for entrant in absent} - never
    past = [name for name in entrants if (name not in current or name in gone) and name not in never]
    fixed = [name for name in entrants if name in current and Identity.of(name).entered in anchors]
    silenced: Counter[str] = Counter()
    try:
        board = leaderboard(
            _counting(folder.records(), silenced),
            [name for name in entrants if name not in never],
            run=str(folder.path) if named is None else named,
            game=manifest.game,
            seats=_seats(manifest),
            seed=manifest.epochs[0].seed,
            seconds=manifest.seconds,
            provisional=not manifest.finished,
            past=() if with_past else past,
            anchors=fixed or anchors,
        )
    except ValueError as error:
        raise Broken(f"{folder.journal}: {error}; see `arena verify`") from error
    notes = [
        f"{name} was withdrawn for its faults from {count} matches: silence played them."
        for name, count in sorted(silenced.items())
    ]
    notes += [f"{entrant.name} was withdrawn: {entrant.withdrawn}." for entrant in absent if entrant.name in current]
    if past and not with_past:
        notes.append(f"Of the past, rated but not shown (--past): {', '.join(past)}.")
    if manifest.debug:
        notes.append(f"{manifest.debug} was debugged, its clock off: this is no fair run.")
    taking_part = tuple(entrant for entrant in manifest.entrants if entrant.name in current)
    shown = {row.bot for row in board.leaderboard}
    board = msgspec.structs.replace(
        board,
        notes=(*board.notes, *notes),
        bracket=bracket_of(folder, manifest),
        owners={each.name: each.owner for each in manifest.entrants if each.owner and each.name in shown},
    )
    return Board(board, folder.path, taking_part)


def write_standings(folder: RunFolder) -> Board:
    """``standings``, after they were written beside the journal.

    Raises:
        arena.tournament.folder.Broken, arena.tournament.journal.Corrupt: the folder is damaged.
        OSError: they cannot be written.
    """
    board = standings(folder)
    folder.write_page(board.markdown())
    return board


def _seats(manifest: Manifest) -> int | str:
    first, last = manifest.seats[0], manifest.seats[-1]
    return first if first == last else f"{first}-{last}"


def _counting(records: Iterable[Record], silenced: Counter[str]) -> Iterator[Record]:
    """The records, unchanged; counts the entrants that were withdrawn (retired without a fault)."""
    for record in records:
        shaped(record)
        blamed = {fault.seat for fault in record.faults}
        silenced.update(record.bots[seat] for seat in record.retired if seat not in blamed)
        yield record
