"""The command line of bubblewrap (bwrap(1), 0.8 or later): a sandbox with its own processes, network, files and user.

It holds only those files of the machine that are named: the system's programs, a bot's folder and toolchain, all
read-only, and two small file systems in memory. Limits are set inside, where the sandbox counts processes.
"""

import os
import shutil
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from stat import S_IROTH
from typing import NamedTuple

from arena.sandbox import idmapped
from arena.sandbox.paths import SYSTEM, within

PROGRAM = "bwrap"
TMP = "/tmp"  # noqa: S108 - the path within the sandbox, in memory and its own
_INSIDE = 1000
"""The user id that a bot sees; nobody has it there."""
DEVICES = ("/dev/null", "/dev/full", "/dev/random", "/dev/urandom")
"""No terminals, which the kernel counts for all; no ``/dev/zero``, by which pages can be shared without a limit."""
_DEV = [
    *("--size", "4096", "--tmpfs", "/dev"),
    *(word for device in DEVICES for word in ("--dev-bind", device, device)),
    *("--symlink", "/proc/self/fd", "/dev/fd"),
    *(
        word
        for number, name in enumerate(("stdin", "stdout", "stderr"))
        for word in ("--symlink", f"/proc/self/fd/{number}", f"/dev/{name}")
    ),
    # memory with a name is bounded with the scratch
    *("--symlink", TMP, "/dev/shm"),  # noqa: S108 - in the sandbox
]


class View(NamedTuple):
    """The parts of the machine that are shown, at their own paths, and what may be used of it."""

    etc: Sequence[str]
    """Where they are there."""
    more: Sequence[str]
    writable: Sequence[str]
    masked: Sequence[str]
    """What lies in something shown and is not to be seen."""
    placed: Mapping[str, str]
    """Where what is to be shown at a path is instead."""
    tmp: str | None
    """A file system for what the bot writes, where the house has made one."""
    size: int
    """Bytes of what it writes there elsewhere."""
    limits: Mapping[str, tuple[int, int]]
    network: bool


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
"""What programs look up at their start. Nothing that counts since the machine was started, as ``/proc/vmstat`` does: a
process can count it up to a number that says something to the next one."""
_SETTLED = frozenset(
    (
        *("cmdline", "config.gz", "consoles", "devices", "dma", "execdomains", "iomem", "ioports", "kallsyms", "misc"),
        *("acpi", "bus", "crypto", "driver", "dynamic_debug", "key-users", "keys", "mtrr", "partitions"),
        *("sysvipc", "tty"),
    )
)
"""Of ``/proc`` what is settled when the machine starts, or belongs to the bot's own namespaces."""


@cache
def programs() -> tuple[str, str, str]:
    """The paths of bwrap, prlimit and env; a ``FileNotFoundError`` if one of them is not there."""
    paths = []
    for name in (PROGRAM, "prlimit", "env"):
        # never from a PATH that a bot could have set
        path = shutil.which(name, path="/usr/bin:/bin:/usr/local/bin:/usr/sbin:/sbin")
        if path is None:
            raise FileNotFoundError(2, f"{name}: not found", name)
        paths.append(path)
    return paths[0], paths[1], paths[2]


def command(
    view: View, env: Mapping[str, str], folder: str, program: bytes, *, user: int | None
) -> tuple[list[str], tuple[int, ...]]:
    """The words that stand before a bot's own command, and the descriptors that they need.

    ``folder`` is where it starts, ``program`` its seccomp filter. As root, bwrap is started as ``user``, and paths are
    reached by way of ``arena.sandbox.idmapped``. ``OSError``: bwrap or prlimit is not there, or a path cannot be
    staged.
    """
    bwrap, prlimit, env_program = programs()
    words = [bwrap, "--unshare-all", "--unshare-user", "--disable-userns", "--die-with-parent", "--new-session"]
    if view.network:
        words.append("--share-net")
    words += ["--hostname", "bot", "--uid", str(_INSIDE), "--gid", str(_INSIDE), "--clearenv"]
    words += _system()
    for path in view.etc:
        words += ["--ro-bind-try", path, path]
    told, folders = _of_the_kernel()
    words += ["--proc", "/proc", *told]
    words += _DEV
    if view.tmp is None:
        words += ["--size", str(view.size), "--perms", "1777", "--tmpfs", TMP]
    else:
        words += ["--bind", view.tmp, TMP]
    places = [(path, "--ro-bind") for path in view.more] + [(path, "--bind") for path in view.writable]
    places += [(path, "--tmpfs" if Path(path).is_dir() else "hide") for path in view.masked]
    places += [(path, "--private") for path in view.placed]
    closed = [*folders, "/dev", "/"]
    # deeper paths later: each is mounted over the one that it lies in
    for path, how in sorted(places, key=lambda place: place[0].count("/")):
        if how == "--tmpfs":
            words += ["--perms", "0555", "--size", "4096", "--tmpfs", path]
            closed.insert(0, path)
        elif how == "hide":
            words += ["--ro-bind", "/dev/null", path]
        elif how == "--private":
            words += ["--ro-bind", view.placed[path], path]
        else:
            reader = user if how == "--ro-bind" else None
            source = idmapped.reachable(path, reader=reader) if user is not None else path
            words += [how, source, path]
    shown = [*view.more, *view.writable]
    if not within(folder, shown) or within(folder, view.masked):
        words += ["--dir", folder]
    for path in closed:
        words += ["--remount-ro", path]
    filters = _file("filter", program)
    try:
        memory = _file("memory", _memory())
    except OSError:
        os.close(filters)
        raise
    words += ["--ro-bind-data", str(memory), "/proc/meminfo", "--seccomp", str(filters), "--chdir", folder, prlimit]
    words += [f"--{name}={soft}:{hard}" for name, (soft, hard) in view.limits.items()]
    # only now: a preloaded library would otherwise run in prlimit, before there are limits
    words += [env_program, "-i", "--"]
    words += [f"{name}={value}" for name, value in {**env, "HOME": TMP, "TMPDIR": TMP}.items()]
    return words, (filters, memory)


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
def _memory() -> bytes:
    """What ``/proc/meminfo`` says to bots: how much memory there is, as if all were free, whatever others use."""
    size = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") >> 10
    names = {
        "MemTotal": size,
        "MemFree": size,
        "MemAvailable": size,
        "Buffers": 0,
        "Cached": 0,
        "SwapTotal": 0,
        "SwapFree": 0,
    }
    return "".join(f"{f'{name}:':<15}{size:>9} kB\n" for name, size in names.items()).encode()


@cache
def _of_the_kernel() -> tuple[list[str], list[str]]:
    """Words that hide all of ``/proc`` that anybody may read, is about no process and may count; and its folders.

    What is settled when the machine starts stays, for each mount takes time. A hidden folder has what is shown of it.
    """
    words, folders = list[str](), list[str]()
    for entry in sorted(os.scandir("/proc"), key=lambda entry: entry.name):
        if entry.is_symlink() or entry.name.isdigit() or entry.name in _SETTLED or entry.path in TOLD_BY_THE_KERNEL:
            continue
        if entry.is_dir():
            folders.append(entry.path)
            words += ["--perms", "0555", "--size", "4096", "--tmpfs", entry.path]
            for path in TOLD_BY_THE_KERNEL:
                if within(path, [entry.path]):
                    words += ["--ro-bind-try", path, path]
        elif entry.stat().st_mode & S_IROTH:
            words += ["--ro-bind", "/dev/null", entry.path]
    return words, folders


@cache
def _system() -> list[str]:
    words = list[str]()
    for folder in map(Path, SYSTEM):
        if folder.is_symlink():
            words += ["--symlink", str(folder.readlink()), str(folder)]
        elif folder.is_dir():
            words += ["--ro-bind", str(folder), str(folder)]
    return words
