"""The level of isolation of a run: the option, the proof of it on this machine, and the reason if there is none."""

import os
import sys
import warnings
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Final, TypeAlias

import msgspec
from msgspec import Struct

from arena import games
from arena.errors import HostError, UsageError, cure_of
from arena.files import read
from arena.players.botfile import BotFile
from arena.players.content import hard_links, runs_in
from arena.players.entrants import is_shipped
from arena.players.guard import scratch_folders
from arena.players.sandboxed import HostPolicy, bounds_of
from arena.sandbox import LEVELS, Level, landlock
from arena.sandbox.paths import everywhere, too_wide
from arena.sandbox.paths import within as inside
from arena.sandbox.proof import Proof
from arena.sandbox.sandbox import Bounds
from arena.tournament.lane_messages import Done, Prove, encode
from arena.tournament.lanes import Lanes
from arena.tournament.settings import IsolationChoice
from arena.wire import DEFAULT_LIMITS, Limits

_IN_WORDS: dict[Level, str] = {
    "none": "bots run with your rights, for this machine proves no sandbox: see `arena doctor`",
    "landlock": "files, signals and sockets are closed to bots, but they see which processes run",
    "bwrap": "bots have files, processes and a network of their own",
}
BEST: Final = ("auto", "sandboxed")
"""The choices that take the best level that proves itself; the second one stops where that is ``none``."""
Proofs: TypeAlias = dict[Level, Proof]
"""For each level of isolation, what a bot could do there."""
_VISIBILITY_FILE = "shown.json"
"""In the scratch folder of a run: what it shows."""


class NoSandbox(UserWarning):
    """Bots of others play with the rights of whoever started them, because ``auto`` has found no sandbox."""


class _Visibility(Struct, frozen=True, kw_only=True):
    shown: Sequence[str]
    hidden: Sequence[str]


def host_policy(
    choice: IsolationChoice,
    lanes: Lanes,
    say: Callable[[str], None],
    *,
    limits: Limits = DEFAULT_LIMITS,
    bots: Iterable[BotFile] = (),
    least: Level | None = None,
    unsaid: bool = False,
    secret: Sequence[Path] = (),
    readable: Sequence[str] = (),
    build_network: bool = False,
    network: Sequence[str] = (),
) -> HostPolicy:
    """The settings of all bots' sandboxes, at a level proved just now within the ``limits`` of the run.

    Whoever starts other ``bots`` than those that ship with arena is warned if ``auto`` finds no sandbox. ``secret`` are
    paths that no bot may see. Nor may a bot see other runs that lie in something readable, nor any other name of these.
    ``auto`` is at least the level ``least``. A run folder may be anybody's: a level from there is ``unsaid``, for
    nobody asked for it, and may not be lower than what ``auto`` would be.

    Raises:
        UsageError: a level is asked for by name that this machine lacks, or is unsaid and too low; or no such path.
        HostError: nobody can tell now whether this machine has a level.
    """
    bounds = bounds_of(limits)
    if unsaid and _below(find_isolation_level(choice), best := _best(lanes, bounds)[0]):
        text = f"expected {choice} by name, because the run began at it and this machine has {best}; got auto"
        raise UsageError(text, option="isolation")
    level = _level(choice, lanes, say, bounds)
    if level == "none" and choice == "auto" and (strangers := [bot.name for bot in bots if not is_shipped(bot)]):
        text = f"isolation: none: no sandbox is to be had here, so these bots have your rights: {', '.join(strangers)}"
        warnings.warn(text, NoSandbox, stacklevel=2)
    if least is not None and choice in BEST and _below(level, least):
        level = _level(least, lanes, say, bounds)
    paths = []
    for text in readable:
        path = Path(os.path.realpath(text))
        if not text or not path.exists():
            raise UsageError(f"expected a file or folder, got {text!r}", option="readable")
        paths.append(str(path))
    hidden = everywhere(os.path.realpath(path) for path in (*secret, Path("results")))
    if lost := [path for path in paths if inside(path, hidden)]:
        raise UsageError(f"expected what is no result or secret, got {lost[0]}", option="readable")
    secrets: tuple[str, ...] = ()
    packages = _packages() if level != "none" else ()
    if level != "none":
        secrets = everywhere(run for path in (*paths, *packages) for run in runs_in(path))
        secrets += tuple(link for path in (*paths, *packages) for link in hard_links((*hidden, *secrets), within=path))
    hidden = tuple(dict.fromkeys((*hidden, *secrets)))
    if level != "none" and paths:
        lanes.keep(_VISIBILITY_FILE, encode(_Visibility(shown=paths, hidden=hidden)))
    policy = HostPolicy(level, hidden=hidden, readable=tuple(paths), games=packages, build_network=build_network)
    if not network:
        return policy
    from arena.tournament.network import permit  # noqa: PLC0415 - few bots may reach it

    return permit(policy, network, [bot.name for bot in bots], say)


def _packages() -> tuple[str, ...]:
    """The packages that bring games from folders of their own, as one does that is installed to be worked on.

    Those among the interpreter's own packages are seen with it.
    """
    paths = [os.path.realpath(path) for path in games.elsewhere()]
    return tuple(
        [path for path in paths if not inside(path, [os.path.realpath(sys.prefix)]) and not too_wide(Path(path))]
    )


def check_unshown(folder: Path) -> None:
    """Check that no run that plays shows this folder to its bots, who would see the secret of a run that begins there.

    A run looks once, when it starts, for what it hides: so a later one begins elsewhere. This holds for the runs of one
    user with one temporary folder.

    Raises:
        UsageError: one does.
    """
    path = os.path.realpath(folder)
    for scratch in map(Path, scratch_folders()):
        with suppress(OSError, msgspec.MsgspecError):
            if scratch.lstat().st_uid == os.geteuid():
                other = msgspec.json.decode(read(scratch, _VISIBILITY_FILE), type=_Visibility)
                around = next((part for part in other.shown if inside(path, [part])), None)
                if around is not None and not inside(path, other.hidden):
                    text = f"expected a folder that no run shows to its bots now, got {folder}: another run plays"
                    raise UsageError(f"{text} with --readable {around}", option="out")


def proofs_here() -> tuple[Proofs, bool]:
    """Try with a probe what bots could do at each level; and whether a control group bounds all their memory."""
    with Lanes(1) as lanes:
        proofs: Proofs = {level: prove(lanes, level, bounds_of(DEFAULT_LIMITS), full=True) for level in LEVELS}
        return proofs, lanes.cgroups is not None and "memory" in lanes.cgroups.offers


def landlock_here() -> str:
    """Which Landlock this kernel has."""
    version = landlock.abi()
    return f"version {version}" if version else "not in this kernel, or switched off"


def find_isolation_level(choice: IsolationChoice) -> Level:
    """The level that the option names; the lowest where it names none."""
    match choice:
        case "auto" | "sandboxed":
            return "none"
        case _:
            return choice


def _level(choice: IsolationChoice, lanes: Lanes, say: Callable[[str], None], bounds: Bounds) -> Level:
    if choice == "none":
        return "none"
    if choice not in BEST:
        proof = prove(lanes, find_isolation_level(choice), bounds)
        if not proof.holds:
            _check_lacking(proof)
            raise UsageError(f"expected {choice}, which this machine does not have: {proof.why}", option="isolation")
        return proof.level
    best, lacking = _best(lanes, bounds)
    if best == "none" and choice == "sandboxed":
        raise no_sandbox()
    words = _IN_WORDS[best]
    if best == "landlock":
        if os.geteuid() != 0 and not landlock.apart():
            words += " and share what your user may have"
        words += f". For bwrap: {lacking}"
    say(f"isolation: {best}: {words}")
    return best


def _best(lanes: Lanes, bounds: Bounds) -> tuple[Level, str]:
    """The level that ``auto`` stands for here and now, and what the highest one lacks; raises as ``best_of``."""
    walled = [level for level in reversed(LEVELS) if level != "none"]
    return best_of(prove(lanes, level, bounds) for level in walled)


def best_of(proofs: Iterable[Proof]) -> tuple[Level, str]:
    """The best level of these, the highest first, or else ``none``; and what the first of them lacks.

    Raises:
        HostError: nobody can tell now whether this machine has a level: a lower one is taken only for what it lacks.
    """
    lacking = ""
    for proof in proofs:
        if proof.holds:
            return proof.level, lacking
        _check_lacking(proof)
        lacking = lacking or proof.why
    return "none", lacking


def _check_lacking(proof: Proof) -> None:
    if proof.lack is None:
        raise HostError(trouble_of(proof))


def trouble_of(proof: Proof) -> str:
    """Why nobody can tell now whether this machine has a level, and what to do."""
    cure = "try again, or name a lower level by --isolation" if proof.attacks else cure_of(proof.errno)
    return f"isolation {proof.level}: {proof.why}; {cure}"


def no_sandbox() -> UsageError:
    """What stops those who play in a sandbox or not at all."""
    text = "expected a sandbox around bots, got a machine that has none: see `arena doctor`; none by name plays without"
    return UsageError(text, option="isolation")


def _below(level: Level, other: Level) -> bool:
    return LEVELS.index(level) < LEVELS.index(other)


def prove(lanes: Lanes, level: Level, bounds: Bounds, *, full: bool = False) -> Proof:
    """Try the probe at a level in a lane: what it could do, and whether the level refuses what it promises to."""
    (done,) = [message for _, message in lanes.messages([Prove(level, bounds, full)]) if isinstance(message, Done)]
    return done.value(Proof)
