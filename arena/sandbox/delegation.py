"""Which control groups were handed to this process, proven by use; and removes what killed hosts left in them.

Only groups below this process's own are ever made or touched, and only where its own was delegated to it (*Control
Group v2*, *Delegation*). To be able to write proves that for an ordinary user. The superuser may write anywhere, so it
must besides stand at the top of all that it sees (a container, or a machine without a service manager), or in a group
that systemd marked as delegated. Elsewhere than on Linux none is found.
"""

import contextlib
import errno
import os
import re
import signal
import subprocess
from collections.abc import Iterator
from itertools import count
from pathlib import Path, PurePosixPath

from arena.sandbox.cgroup import (
    CONTROLLERS,
    FREEZING,
    HOST_GROUP,
    SHARED,
    WEIGHT,
    CgroupTree,
    children,
    read,
    remove_empty,
    step_back,
    write,
)

_FILES = {"memory": "memory.max", "processes": "pids.max", "freeze": "cgroup.freeze", "kill": "cgroup.kill"}
"""What a group may offer -> the file that shows it."""
_TREE = re.compile(r"arena\.(\d+)\.(\d+)\.(\d+)\.\d+")
_ENTER = 'for file; do echo $$ >"$file" || exit 1; done; echo in; read -r _'
_serial = count()


def delegated() -> CgroupTree | None:
    """The groups that this process may use, or None. One is made, entered, frozen and removed as a proof.

    Call it once, before other processes are started: the caller may have to step into a group of its own, which its
    children inherit (a group with processes in it has no controllers to give). If it is not alone in its group then
    there are no limits, but all else. What hosts that were killed left behind is
    removed. Close with ``CgroupTree.remove``.
    """
    try:
        tops = sorted(set(own_groups()), reverse=True)
        me = f"arena.{_namespace()}.{os.getpid()}.{_started(os.getpid())}"
    except (OSError, ValueError):
        return None
    _remove_leftovers(tops)
    name = f"{me}.{next(_serial)}"
    for top in tops:
        tree = _made(top, name)
        if _proven(tree):
            return tree
        tree.remove()
    return None


def _made(top: Path, name: str) -> CgroupTree:
    tree = top / name
    host_group = ""
    try:
        tree.mkdir(0o755)
        host_group = _hand_down(top, tree)
        sample = tree / "sample"
        sample.mkdir(0o755)
        offers = [offer for offer, file in _FILES.items() if (sample / file).exists()]
        sample.rmdir()
    except OSError:
        offers = []
    if offers:
        return CgroupTree(dict.fromkeys(offers, str(tree)), host_group=host_group)
    if host_group:
        step_back(Path(host_group))
    remove_empty(tree)
    return CgroupTree()


def _proven(tree: CgroupTree) -> bool:
    if not tree.folders:
        return False
    try:
        group = tree.group("proof", memory=1 << 26, processes=16)
    except OSError:
        return False
    try:
        with subprocess.Popen(
            ("/bin/sh", "-c", _ENTER, "sh", *group.entries),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        ) as process:
            assert process.stdout  # noqa: S101 - it is a pipe, which only the type checker cannot see
            entered = process.stdout.readline() == b"in\n"
            freezable = "freeze" not in tree.offers or group.freeze(10 * FREEZING)
            group.thaw()
            group.struck()
            ended = group.kill()
            process.kill()
            return entered and freezable and ended and process.wait() == -signal.SIGKILL
    except (OSError, KeyError, ValueError):
        return False
    finally:
        group.kill()
        group.remove()


# --- where this process stands


def own_groups(process: Path = Path("/proc/self")) -> Iterator[Path]:
    """The folder of this process's own group, at each place where it was handed to it."""
    home = "/.."
    for line in (process / "cgroup").read_text("utf-8").splitlines():
        number, _, group = line.split(":", 2)
        home = group if number == "0" else home
    for line in (process / "mountinfo").read_text("utf-8").splitlines():
        mount, _, system = line.partition(" - ")
        if system.split(" ")[0] != "cgroup2":
            continue
        root, point = mount.split(" ")[3:5]
        path = PurePosixPath(home)
        if ".." in path.parts or not path.is_relative_to(root):
            continue
        folder = Path(point) / path.relative_to(root)
        if _is_ours(folder, is_top=str(path) == root):
            yield folder


def _is_ours(folder: Path, *, is_top: bool) -> bool:
    if not os.access(folder, os.W_OK) or not os.access(folder / "cgroup.procs", os.W_OK):
        return False
    if is_top or os.geteuid() != 0:
        return True
    for space in ("trusted", "user"):
        with contextlib.suppress(OSError):
            return os.getxattr(folder, f"{space}.delegate") == b"1"
    return False


def _hand_down(top: Path, tree: Path) -> str:
    """Let groups in ``tree`` have the controllers that ``top`` has; the folder of the group stepped into, if needed."""
    had = read(top / "cgroup.controllers").decode().split()
    controllers = " ".join(f"+{controller}" for controller in CONTROLLERS if controller in had).encode()
    if not controllers:
        return ""
    host_group = tree / HOST_GROUP
    aside = False
    try:
        try:
            write(top / "cgroup.subtree_control", controllers)
        except OSError as error:
            if error.errno != errno.EBUSY:
                raise
            host_group.mkdir(0o755)
            write(host_group / "cgroup.procs", b"0")
            aside = True
            write(top / "cgroup.subtree_control", controllers)
        write(tree / "cgroup.subtree_control", controllers)
        if SHARED in had:
            _share_processor(top, tree, host_group if aside else None)
    except OSError:
        # another process is in our group, or a controller is missing: go without limits
        if aside:
            step_back(host_group)
        return ""
    return str(host_group) if aside else ""


def _share_processor(top: Path, tree: Path, host_group: Path | None) -> None:
    """Divide the processor between arena and each bot, however many processes a bot starts.

    Each bot's group counts once, and the host a hundred times. A kernel may refuse the controller: one that also
    divides real time does so while a process outside of the root group has such a class (*Control Group v2*, *CPU*).
    """
    with contextlib.suppress(OSError):
        for folder in (top, tree):
            write(folder / "cgroup.subtree_control", b"+" + SHARED.encode())
        if host_group is not None:
            write(host_group / "cpu.weight", WEIGHT)


# --- what killed hosts left behind


def _remove_leftovers(tops: list[Path]) -> None:
    leftovers: dict[str, set[Path]] = {}
    for top in tops:
        for folder in children(top):
            match = _TREE.fullmatch(folder.name)
            # a process number is valid only within one process namespace
            if match and int(match[1]) == _namespace() and _started(int(match[2])) != int(match[3]):
                leftovers.setdefault(folder.name, set()).add(folder)
    for folders in leftovers.values():
        offered = {
            offer: str(folder) for folder in folders for offer, file in _FILES.items() if (folder / file).exists()
        }
        CgroupTree(offered, host_group=str(next(iter(folders)) / HOST_GROUP)).remove()
        for folder in folders:
            remove_empty(folder)


def _namespace() -> int:
    return Path("/proc/self/ns/pid").stat().st_ino


def _started(pid: int) -> int:
    """When a living process started, in ticks since boot, or -1 (proc_pid_stat(5), fields 3 and 22)."""
    try:
        fields = read(f"/proc/{pid}/stat").rpartition(b")")[2].split()
    except OSError:
        return -1
    return -1 if fields[0] in {b"Z", b"X"} else int(fields[19])
