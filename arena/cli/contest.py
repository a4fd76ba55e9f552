"""One game of a command: from what is asked for to a run that is set up, played, and told of.

``arena run`` and whatever else plays a whole field go through here; knows no option.
"""

import shlex
import sys
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec import Struct
from msgspec.structs import replace

from arena.cli import field as fields
from arena.cli.debug import Debugged
from arena.cli.failure import Unready, Usage
from arena.cli.field import Cannot
from arena.cli.isolation import Asked
from arena.cli.options import remark
from arena.cli.standings import Board, write_standings
from arena.cli.watch import watcher
from arena.game import Game
from arena.players.botfile import BotFile
from arena.players.launch import Launch
from arena.players.walls import House
from arena.sandbox.box import Level
from arena.tournament.continuing import Continued, known_as
from arena.tournament.folder import Entrant, Manifest, RunFolder
from arena.tournament.journal import Journal
from arena.tournament.lanes import Interrupted, Lanes, LanesFailed
from arena.tournament.outstanding import Shard
from arena.tournament.plan import Settings
from arena.tournament.run import Ended, Runner, agreed, set_up, set_up_part
from arena.tournament.schedule import pad

if TYPE_CHECKING:
    from arena.tournament.executors import Remote


class Plan(Struct, frozen=True):
    """Where a run was planned, which part of it is to be played, and what was kept from the plan until now."""

    folder: RunFolder
    shard: Shard
    beacon: str | None = None
    seed: str | None = None


class Contest(Struct):
    """Who plays, and, once that is known, how each is started and whether anything is left to play."""

    game: Game
    settings: Settings
    field: list[BotFile]
    padded: list[str]
    folder: RunFolder
    plan: Plan | None = None
    """If the run was planned elsewhere."""
    retry: tuple[str, ...] = ()
    """Bots that were withdrawn and may take part again."""
    fillers: tuple[str, ...] = ()
    """Bots whose copies take the seats that too few can fill."""
    finishing: bool = False
    """Whether only what has begun is to be played to its end."""
    journal: Journal | None = None
    """Held from the start if the run is gone on with."""
    was: Continued | None = None
    """The run that is gone on with, as it is to go on."""
    launches: dict[str, Launch] = {}
    entrants: Sequence[Entrant] = ()
    """Who takes part, under the names of the bots."""


def as_before(asked: Asked, contests: Sequence[Contest]) -> Asked:
    """For ``auto`` the level of a run that is gone on with, or was planned: never another one in silence."""
    folders = [contest.plan.folder if contest.plan else contest.folder for contest in contests]
    begun = [folder.manifest().isolation for folder in folders if folder.begun()]
    return Asked(begun[0]) if begun and asked is Asked.auto else asked


def at(contest: Contest, level: Level) -> None:
    """Settle what walls the bots play within."""
    contest.settings = replace(contest.settings, isolation=level)


def go_on(contest: Contest, held: ExitStack) -> None:
    """If there is a run in the folder, take it, and see that it is the one that is asked for.

    Raises:
        Mismatch, Broken, Corrupt, Locked: it is not, it is damaged, or another runner has it.
    """
    folder = contest.folder
    if not folder.begun():
        return
    contest.journal = held.enter_context(Journal.open(folder.journal))
    if contest.plan is not None:
        return
    contest.entrants = entered(contest, {})
    contest.was = agreed(folder, contest.settings, contest.game, contest.entrants, contest.retry)
    manifest = contest.was.manifest
    if manifest.finished and contest.journal.count >= manifest.matches:
        contest.field = []


def start(contest: Contest, crew: Lanes, walls: House, *, keep_going: bool, quiet: bool) -> None:
    """See that everyone who is to play can; with ``keep_going`` those that cannot are withdrawn before they play.

    In what has begun they keep their seats with ``keep_going``, where silence will answer for them.

    Raises:
        Unready: a bot cannot start, or too few of them can.
    """
    if not contest.field:
        return
    field = [bot for bot in contest.field if not _withdrawn(contest, bot.name)]
    launches, cannot = fields.start(crew, contest.settings, contest.game, field, walls)
    # who plays in what has begun is settled
    begun = contest.plan is not None or (contest.was is not None and contest.was.secret is None)
    if not keep_going:
        fields.refuse(cannot)
    for name, why in cannot.items():
        said = "silence plays for it" if begun else "withdrawn"
        remark(f"arena: {said}: {fields.told(name, why)}", quiet=quiet)
    if not begun:
        launches = {name: launch for name, launch in launches.items() if name not in cannot}
        fill(contest, cannot)
    known = [bot.name for bot in contest.field]
    originals = {name: fields.original(name, known) for name in contest.padded}
    contest.entrants = entered(contest, cannot)
    known_to = contest.was.manifest.entrants if contest.was is not None else ()
    named = dict(zip(contest.padded, known_as(known_to, contest.entrants), strict=True))
    contest.launches = {named[name].name: launches[bot] for name, bot in originals.items() if bot in launches}
    wanted = max(contest.settings.seats)
    if not begun and len(contest.launches) < wanted:
        names = {name: fields.told(name, why) for name, why in cannot.items()}
        raise Unready(f"expected at least {wanted} bots that start, got {len(contest.launches)}", names)


def entered(contest: Contest, cannot: Mapping[str, Cannot]) -> list[Entrant]:
    """Everybody of the field and the copies, as entrants; those that cannot start are withdrawn."""
    settings = contest.settings
    return fields.entrants(contest.field, contest.padded, settings.limits, cannot, settings.debug)


def fill(contest: Contest, cannot: Collection[str]) -> None:
    """Have copies of the ``fillers`` take the seats for which there are too few bots, without those that cannot play.

    Raises:
        Unready: nobody is left to be copied.
    """
    if not contest.fillers:
        return
    names = [bot.name for bot in contest.field]
    playing = [name for name in names if name not in cannot and not _withdrawn(contest, name)]
    fillers = [name for name in contest.fillers if name in playing] or playing
    lacking = max(contest.settings.seats) - len(playing)
    if not fillers:
        raise Unready(f"expected a bot that plays {contest.game.name} and starts, got none", {})
    contest.padded = [*names, *pad(fillers, len(fillers) + lacking)[len(fillers) :]]


def _withdrawn(contest: Contest, bot: str) -> bool:
    if contest.was is None or bot in contest.retry:
        return False
    name = contest.was.names[bot]
    return any(entrant.withdrawn for entrant in contest.was.manifest.entrants if entrant.name == name)


def play_all(
    contests: Sequence[Contest], root: Path, held: ExitStack, crew: Lanes, away: "Remote | None" = None, *, quiet: bool
) -> tuple[list[Board], int]:
    """Play one after the other, each to its leaderboard, which is also written beside its journal.

    Matches are played in the lanes of ``crew``, or by the workers that are ``away``.

    Returns:
        The leaderboards, and how many matches of all are void.
    """
    boards = []
    voids = 0
    for contest in contests:
        with told_how_to_go_on(contest.folder, root):
            ended = play(contest, held, crew, away, quiet=quiet)
            voids += ended.voids
            board = write_standings(contest.folder)
        boards.append(board)
        say_where(contest.folder, ended.manifest, quiet=quiet)
    return boards, voids


def play(contest: Contest, held: ExitStack, crew: Lanes, away: "Remote | None" = None, *, quiet: bool) -> Ended:
    """Play what is lacking, and say how it goes."""
    folder, settings = contest.folder, contest.settings
    make(folder)
    if contest.journal is None:
        contest.journal = held.enter_context(Journal.open(folder.journal))
    if contest.finishing:
        runner = Runner(folder, folder.manifest(), contest.journal, contest.launches)
    elif contest.plan is not None:
        planned = contest.plan
        manifest, secrets = set_up_part(folder, planned.folder, planned.shard, planned.beacon, planned.seed)
        runner = Runner(folder, manifest, contest.journal, contest.launches, secrets, planned.folder.outcomes())
    else:
        manifest = set_up(folder, settings, contest.game, contest.entrants, contest.retry)
        if len(manifest.epochs) == 1 and manifest.matches > settings.matches:
            remark(f"arena: -n {settings.matches} rounded up to {manifest.matches} matches: whole blocks", quiet=quiet)
        if contest.was is not None and contest.was.secret is not None:
            _say_further(contest.was.manifest, manifest, quiet=quiet)
        runner = Runner(folder, manifest, contest.journal, contest.launches)
    watch = Debugged(settings.debug) if settings.debug else watcher(quiet=quiet)
    try:
        ended = runner.play(crew, watch, away)
    finally:
        watch.end()
    if ended.again:
        remark(f"arena: void matches that the same command plays again: {ended.again}")
    return ended


def make(folder: RunFolder) -> None:
    """Make a results folder, if it is not there.

    Raises:
        Usage: it cannot be made.
    """
    try:
        folder.path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise Usage(f"--out: expected a folder that can be made, got {folder.path}: {error.strerror}") from error


def _say_further(was: Manifest, manifest: Manifest, *, quiet: bool) -> None:
    if len(manifest.epochs) < len(was.epochs):
        # those that it was to be for cannot start
        return
    epoch = manifest.epochs[-1]
    new = [name for name in epoch.entrants if not any(name in before.entrants for before in was.epochs[:-1])]
    entered = f"; new: {', '.join(new)}" if new else ""
    remark(f"arena: {epoch.matches} matches more{entered}", quiet=quiet)


@contextmanager
def told_how_to_go_on(folder: RunFolder, root: Path | None) -> Iterator[None]:
    """After a signal or a failing disk, say what is recorded and which command goes on; its results are in ``root``."""
    try:
        yield
    except (Interrupted, LanesFailed, OSError):
        if folder.begun():
            manifest = folder.manifest()
            recorded = sum(1 for _ in folder.outcomes())
            given = root is None or any(word.startswith(("-o", "--out")) for word in sys.argv)
            again = ["arena", *sys.argv[1:], *([] if given else ["-o", str(root)])]
            remark(f"arena: {recorded} of {manifest.matches} matches are recorded; go on with: {shlex.join(again)}")
        raise


def say_where(folder: RunFolder, manifest: Manifest, *, quiet: bool) -> None:
    """Where the results are, and what to do with them next."""
    where = shlex.quote(str(folder.path))
    if manifest.shard:
        remark(f"results of shard {manifest.shard}: {where}\njoin them: arena merge PLAN SHARD... -o DIR", quiet=quiet)
        return
    remark(f"results: {where}\nlook deeper: arena matches {where}", quiet=quiet)
    if len(manifest.epochs) == 1 and manifest.epochs[0].beacon is None:
        remark(f"repeat: --seed {shlex.quote(str(manifest.epochs[0].seed))}", quiet=quiet)


def say_lanes(crew: Lanes, *, quiet: bool, verbose: bool) -> None:
    """Which cores the lanes had, if that is asked for or was not as it should be."""
    if verbose:
        pinned = ", ".join("not pinned" if core is None else f"core {core}" for core in crew.cores)
        remark(f"arena: lanes: {pinned or 'none was needed'}")
    elif None in crew.cores:
        remark("arena: not every lane has a core to itself: times are less even than they could be", quiet=quiet)
