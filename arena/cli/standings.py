"""A run folder to its leaderboard, for all commands that show one."""

from collections.abc import Sequence
from json import dumps

import msgspec
import typer
from msgspec import Struct

from arena import report
from arena.cli.options import Format
from arena.report import Leaderboard, combine, leaderboard, render, render_combined, shares
from arena.tournament.folder import Broken, Manifest, RunFolder


class Board(Struct, frozen=True):
    """The leaderboard of one run, and what a table over several games needs of it."""

    leaderboard: Leaderboard
    shares: dict[str, float]

    def markdown(self) -> str:
        """As it is written beside the journal."""
        return render(self.leaderboard, "markdown")


def standings(folder: RunFolder) -> Board:
    """The leaderboard of the matches recorded so far.

    Raises:
        arena.tournament.folder.Broken, arena.tournament.journal.Corrupt: the folder is damaged.
    """
    manifest = folder.manifest()
    entrants = [entrant.name for entrant in manifest.entrants]
    notes = [
        f"{name} was withdrawn for its faults from {count} matches: silence played them."
        for name, count in sorted(_silenced(folder).items())
    ]
    absent = [entrant for entrant in manifest.entrants if entrant.withdrawn]
    notes += [f"{entrant.name} was withdrawn: {entrant.withdrawn}." for entrant in absent]
    try:
        board = leaderboard(
            folder.records(),
            [name for name in entrants if name not in {entrant.name for entrant in absent}],
            run=str(folder.path),
            game=manifest.game,
            seats=_seats(manifest),
            seed=manifest.epochs[0].seed,
            seconds=manifest.seconds,
            provisional=not manifest.finished,
            notes=notes,
        )
        return Board(board, shares(folder.records(), entrants))
    except ValueError as error:
        raise Broken(f"{folder.journal}: {error}; see `arena verify`") from error


def _seats(manifest: Manifest) -> int | str:
    first, last = manifest.seats[0], manifest.seats[-1]
    return first if first == last else f"{first}-{last}"


def _silenced(folder: RunFolder) -> dict[str, int]:
    """In how many matches silence played for an entrant that had been withdrawn: retired without a fault of its own."""
    counts: dict[str, int] = {}
    for record in folder.records():
        blamed = {fault.seat for fault in record.faults}
        for seat in record.retired:
            if seat not in blamed:
                counts[record.bots[seat]] = counts.get(record.bots[seat], 0) + 1
    return counts


def print_boards(boards: Sequence[Board], form: Format) -> None:
    """Print a leaderboard; of several, each and then the combined table over their games."""
    value: report.Format = form.value
    if len(boards) == 1:
        typer.echo(render(boards[0].leaderboard, value), nl=False)
        return
    entrants = list(dict.fromkeys(row.bot for board in boards for row in board.leaderboard.leaderboard))
    games = [board.leaderboard.game for board in boards]
    # two runs of one game are told apart by their folders
    names = [
        game if games.count(game) == 1 else board.leaderboard.run for game, board in zip(games, boards, strict=True)
    ]
    combined = combine({name: board.shares for name, board in zip(names, boards, strict=True)}, entrants)
    if form is Format.json:
        found = {"runs": [board.leaderboard for board in boards], "combined": combined}
        typer.echo(dumps(msgspec.to_builtins(found), indent=2))
        return
    for board in boards:
        typer.echo(render(board.leaderboard, value))
    typer.echo(render_combined(combined, value), nl=False)
