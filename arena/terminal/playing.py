"""Contests played at a terminal: progress while they are played, and remarks at the end or after a signal."""

import shlex
import sys
from collections import deque
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from shutil import which

from arena.errors import HostError, Interrupted
from arena.escape import plain
from arena.terminal import remark
from arena.terminal.progress import Silent, watcher
from arena.tournament.contest import Contest, StartedRun
from arena.tournament.folder import RunFolder
from arena.tournament.open_run import OpenRun
from arena.tournament.plan import count_matches
from arena.tournament.standings import Standings, compute_standings, write_standings
from arena.words import plural

_FAULTY = 3
"""Bots with faults that are named at most."""


def play_all(session: OpenRun, *, quiet: bool) -> list[Standings]:
    """Play one run after the other, each to its leaderboard."""
    boards = []
    for run in session.ready:
        boards.append(play_out(session, run, root=session.root, quiet=quiet))
        say_where(run.folder, quiet=quiet)
        say_voids(run.folder, run.voids)
        _say_faults(run.folder, boards[-1], quiet=quiet)
        if run.remainder:
            remark(f"resume with: {_again(session.root)}", quiet=quiet)
    return boards


def play_out(session: OpenRun, run: StartedRun, *, root: Path | None, quiet: bool) -> Standings:
    """Play one run to its leaderboard; ``root`` is what ``--out`` would name."""
    with watched(run.contest, root, quiet=quiet) as progress:
        deque(session.matches_of(run, progress), maxlen=0)
        board = write_standings(run.folder)
        # its own page has one table; what is printed has one for each game
        tables = len(session.contests)
        return board if tables == 1 else compute_standings(run.folder, results=board.results, tables=tables)


@contextmanager
def watched(contest: Contest, root: Path | None, *, quiet: bool) -> Iterator[Silent]:
    """Show how the matches go.

    After a signal or a failing disk, say what is recorded and which command resumes; its results are in ``root``.
    """
    debug, folder = contest.settings.debug, contest.folder
    try:
        with closing(_debugged(debug) if debug else watcher(quiet=quiet)) as progress:
            yield progress
    except (Interrupted, HostError, OSError):
        if folder.begun():
            total, exact = count_matches(folder.manifest())
            recorded = sum(1 for _ in folder.outcomes())
            are = ("" if exact else "about ") + plural(total, "match is", "matches are")
            remark(f"arena: {recorded:,} of {are} recorded; resume with: {_again(root)}")
        raise


def _debugged(bot: str) -> Silent:
    from arena.terminal.debugging import Debugged  # noqa: PLC0415 - few runs debug a bot

    return Debugged(bot)


def _again(root: Path | None) -> str:
    explicit = root is None or any(word.startswith(("-o", "--out")) for word in sys.argv)
    return shlex.join([find_command(), *sys.argv[1:], *([] if explicit else ["-o", str(root)])])


def find_command() -> str:
    """How the command can be typed again: as it was, where the shell does not find it by its name."""
    typed = Path(sys.argv[0])
    return str(typed) if typed.name == "arena" and which("arena") is None else "arena"


def say_where(folder: RunFolder, *, quiet: bool) -> None:
    """Where the results are, and what to do with them next."""
    where, manifest = shlex.quote(str(folder.path)), folder.manifest()
    if manifest.shard:
        remark(f"results of shard {manifest.shard}: {where}\njoin them: arena merge PLAN SHARD... -o DIR", quiet=quiet)
        return
    look = find_command()
    remark(f"results: {where}\nlook deeper: {look} matches {where}\nas a page: {look} report {where}", quiet=quiet)
    if manifest.finished and len(manifest.epochs) == 1 and manifest.epochs[0].beacon is None:
        remark(f"repeat: --seed {shlex.quote(str(manifest.epochs[0].seed))}", quiet=quiet)


def _say_faults(folder: RunFolder, board: Standings, *, quiet: bool) -> None:
    faults = {row.bot: sum(row.faults.values()) for row in board.leaderboard.leaderboard if row.faults}
    for bot in sorted(faults, key=lambda bot: -faults[bot])[:_FAULTY]:
        remark(f"faults of {bot}: {find_command()} stats {shlex.quote(str(folder.path))} --bot {bot}", quiet=quiet)


def say_voids(folder: RunFolder, voids: int) -> None:
    """How many matches of a run are void, if any is, and why the first of them is."""
    if not voids:
        return
    why = next((record.why for record in folder.records(strict=False) if record.reason == "void"), "")
    command = f"arena matches {shlex.quote(str(folder.path))} --void"
    are = plural(voids, "match is", "matches are")
    remark(f"arena: {are} void and unrated: see `{command}`; the first of them: {plain(why, 400)}")


def say_lanes(session: OpenRun, *, quiet: bool, verbose: bool) -> None:
    """Which cores the lanes had, with ``verbose`` or if a lane had no core to itself."""
    if session.pinned is None:
        return
    if verbose:
        pinned = ", ".join("not pinned" if core is None else f"core {core}" for core in session.pinned)
        remark(f"arena: lanes: {pinned or 'none was needed'}")
    elif None in session.pinned:
        remark("arena: not every lane has a core to itself: times are less even than they could be", quiet=quiet)
