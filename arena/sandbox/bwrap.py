"""The command line of bubblewrap (bwrap(1), 0.8 or later): a sandbox with its own processes, network, files and user.

It holds only those files of the machine that are named: the system's programs, a bot's folder and toolchain, all
read-only, and a small file system in memory. As root it has no user namespace: root mounts, whatever folders a bot's
user may enter, and ``setpriv`` then becomes that user. Each mount and each program on the way takes time at each start,
so there are few of them.
"""

import os
import shutil
from collections.abc import Mapping
from functools import cache, lru_cache
from pathlib import Path
from typing import NamedTuple

from arena.sandbox.paths import SYSTEM, within

PROGRAM = "bwrap"
TMP = "/tmp"  # noqa: S108 - the path within the sandbox, in memory and its own
_INSIDE = 1000
"""The user id that a bot sees; nobody has it there."""
DEVICES = ("/dev/null", "/dev/random", "/dev/urandom")
"""No terminals, which the kernel counts for all; no ``/dev/zero``, by which pages can be shared without a limit."""
_DEV = [
    *(word for device in ("/dev/null", "/dev/urandom") for word in ("--dev-bind", device, device)),
    *("--symlink", "urandom", "/dev/random"),
    *("--symlink", "/proc/self/fd", "/dev/fd"),
    *(
        word
        for number, name in enumerate(("stdin", "stdout", "stderr"))
        for word in ("--symlink", f"/proc/self/fd/{number}", f"/dev/{name}")
    ),
    # memory with a name is bounded with the scratch
    *("--symlink", TMP, "/dev/shm"),  # noqa: S108 - in the sandbox
]
_APART = ["--unshare-ipc", "--unshare-pid", "--unshare-uts", "--unshare-cgroup-try"]
_BENDS_NOTHING = frozenset({"PATH", "HOME", "TMPDIR", "ARENA_PROCESS", "PYTHONDONTWRITEBYTECODE"})
"""Variables that no program between bwrap and the bot acts upon."""


class View(NamedTuple):
    """The parts of the machine that are shown, at their own paths, and what may be used of it."""

    etc: tuple[str, ...]
    """Where they are there."""
    more: tuple[str, ...]
    writable: tuple[str, ...]
    masked: tuple[str, ...]
    """What lies in something shown and is not to be seen."""
    placed: tuple[tuple[str, str], ...]
    """Paths, and where what is to be shown there is instead."""
    size: int
    """Bytes of what it writes, where the host has made no file system for that."""
    network: bool
    variables: tuple[str, ...] = ()
    """Names of variables that are passed on from the environment in which the sandbox is begun."""


TOLD_BY_THE_KERNEL = (
    "/proc/cpuinfo",
    "/proc/filesystems",
    "/proc/version",
    "/proc/sys/kernel/osrelease",
    "/proc/sys/kernel/pid_max",
    "/proc/sys/vm/overcommit_memory",
    "/sys/devices/system/cpu/online",
    "/sys/devices/system/cpu/possible",
    "/sys/devices/system/cpu/present",
    "/sys/kernel/mm/transparent_hugepage/enabled",
    "/sys/kernel/mm/transparent_hugepage/hpage_pmd_size",
)
"""What programs look up at their start, for levels that list what may be read."""


@cache
def program(name: str) -> str:
    """The path of a program that starts bots; a ``FileNotFoundError`` if it is not there."""
    # never from a PATH that a bot could have set
    path = shutil.which(name, path="/usr/bin:/bin:/usr/local/bin:/usr/sbin:/sbin")
    if path is None:
        raise FileNotFoundError(2, f"{name}: not found", name)
    return path


def command(
    view: View, env: Mapping[str, str], folder: str, filters: bytes, *, tmp: str, user: int | None
) -> tuple[list[str], tuple[int, ...]]:
    """The words that stand before a bot's own command, and the descriptors that they need.

    ``folder`` is where it starts, ``filters`` its seccomp filter, ``tmp`` a file system for what it writes, if the
    host has made one. As root it becomes ``user``. ``OSError``: bwrap or setpriv is not there.
    """
    env = {**env, "HOME": TMP, "TMPDIR": TMP}
    words = [program(PROGRAM), *_APART, "--die-with-parent", "--new-session", "--hostname", "bot"]
    clears = not view.variables  # else that environment holds these and a mark, which is set below too
    words += ["--clearenv"] * clears
    if user is None:
        words += ["--unshare-user", "--disable-userns", "--uid", str(_INSIDE), "--gid", str(_INSIDE)]
    if not view.network:
        words.append("--unshare-net")
    words += _of_the_system(view.etc)
    words += ["--bind", tmp, TMP] if tmp else ["--size", str(view.size), "--perms", "1777", "--tmpfs", TMP]
    # what root has made, nobody else can write to
    words += _of_the_bot(view, folder, closed=user is None)
    descriptor = _file("filter", filters)
    words += ["--seccomp", str(descriptor), "--chdir", folder]
    bent = user is not None and not _BENDS_NOTHING.issuperset(name for name in env if env[name] != "C.UTF-8")
    if not bent:
        words += [word for name, value in env.items() for word in ("--setenv", name, value)]
    words.append("--")
    if user is not None:
        words += [program("setpriv"), "--reuid", str(user), "--regid", str(user), "--clear-groups"]
        words += ["--inh-caps=-all", "--"]
    if bent:
        # only now: a preloaded library would otherwise run in setpriv, as root
        words += [program("env"), *["-i"] * clears, "--", *(f"{name}={value}" for name, value in env.items())]
    return words, (descriptor,)


@lru_cache(maxsize=256)
def _of_the_bot(view: View, folder: str, *, closed: bool) -> list[str]:
    placed = dict(view.placed)
    places = [(path, "--ro-bind") for path in view.more] + [(path, "--bind") for path in view.writable]
    places += [(path, "--tmpfs" if Path(path).is_dir() else "hide") for path in view.masked]
    places += [(path, "--private") for path in placed]
    # what bwrap itself makes on the way is root's alone
    around = sorted({str(folder) for path, _ in places for folder in Path(path).parents[:-1]})
    words = [word for path in around if not within(path, SYSTEM) for word in ("--dir", path)]
    empty = ["/"]
    # deeper paths later: each is mounted over the one that it lies in
    for path, how in sorted(places, key=lambda place: place[0].count("/")):
        if how == "--tmpfs":
            words += ["--perms", "0555", "--size", "4096", "--tmpfs", path]
            empty.insert(0, path)
        elif how == "hide":
            words += ["--ro-bind", "/dev/null", path]
        elif how == "--private":
            words += ["--ro-bind", placed[path], path]
        else:
            words += [how, path, path]
    visible = [*view.more, *view.writable]
    if not within(folder, visible) or within(folder, view.masked):
        words += ["--dir", folder]
    return words + [word for path in empty if closed for word in ("--remount-ro", path)]


def _file(name: str, data: bytes) -> int:
    made = os.memfd_create(name, 0)
    try:
        os.write(made, data)
        os.lseek(made, 0, os.SEEK_SET)
    except OSError:
        os.close(made)
        raise
    return made


@cache
def _of_the_system(etc: tuple[str, ...]) -> list[str]:
    words = list[str]()
    for folder in map(Path, SYSTEM):
        if folder.is_symlink():
            words += ["--symlink", str(folder.readlink()), str(folder)]
        elif folder.is_dir():
            words += ["--ro-bind", str(folder), str(folder)]
    words += ["--dir", "/etc", "--dir", "/dev"]
    for path in etc:
        # a link to what is there takes no mount
        if Path(path).is_symlink() and within(os.path.realpath(path), SYSTEM):
            words += ["--symlink", os.path.realpath(path), path]
        else:
            words += ["--ro-bind-try", path, path]
    return [*words, "--proc", "/proc", *_DEV]
