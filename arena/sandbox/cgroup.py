"""Control groups: one for each bot, that bounds, freezes and ends all its processes. Linux only.

Which groups may be made is for ``arena.sandbox.delegation`` to find out. Only version 2 is used: see the kernel's
*Control Group v2* (*Core Interface Files*, *Memory*, *PID*). A group holds a bot only while the bot cannot write to
``/sys/fs/cgroup``: the sandbox's business.
"""

import contextlib
import os
import re
import signal
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from time import monotonic, sleep

FREEZING = 0.05
"""Seconds within which a group must be frozen."""
CONTROLLERS = ("memory", "pids")
"""The controllers of version 2 that groups are given."""
SHARED = "cpu"
"""The controller of version 2 that divides the processor between groups by their weights."""
WEIGHT = b"10000"
"""The weight of the host's own group, which is the most; each bot's group has the usual 100."""
HOST_GROUP = "host"
"""The name of the group in a tree that the host itself stepped into."""
_DYING = 1.0
_EMPTYING = 0.5
_LOOK = 0.0002
_ENTER = 'while [ "$1" != -- ]; do echo $$ >"$1" || exit 125; shift; done; shift; exec "$@"'
_PART = 4096
"""Bytes that are read of a file at once: few have more."""
_serial = count()


class Group:
    """The control group of one bot; an ``OSError`` if it is gone, or may not be made.

    Into each of the files ``entries`` a starting process writes its own number before it becomes the bot.
    """

    def __init__(self, folders: Mapping[str, Path]) -> None:
        """Take the folder for each thing offered."""
        self._folders = tuple(dict.fromkeys(folders.values()))
        # as text, because files are opened at each start of a bot
        self._at = {offer: str(folder) for offer, folder in folders.items()}
        self.entries = tuple(f"{folder}/cgroup.procs" for folder in self._folders)
        freezer = self._at.get("freeze")
        self._freezer, self._frozen = (f"{freezer}/cgroup.freeze", f"{freezer}/cgroup.events") if freezer else ("", "")

    def make(self, *, memory: int, processes: int) -> None:
        """Make the folders and set the limits: ``memory`` in bytes with swap, ``processes`` with their threads."""
        for made in self._folders:
            made.mkdir(0o755)
        if folder := self._at.get("processes"):
            write(f"{folder}/pids.max", str(processes).encode())
        if folder := self._at.get("memory"):
            write(f"{folder}/memory.max", str(memory).encode())
            with contextlib.suppress(OSError):  # a kernel without swap has no such file
                write(f"{folder}/memory.swap.max", b"0")
            with contextlib.suppress(OSError):  # from Linux 4.19: all processes of a bot are killed together
                write(f"{folder}/memory.oom.group", b"1")

    def entering(self, argv: Sequence[str]) -> tuple[str, ...]:
        """The command that enters the group and then becomes ``argv``."""
        return ("/bin/sh", "-c", _ENTER, "sh", *self.entries, "--", *argv)

    def freeze(self, patience: float = FREEZING) -> bool:
        """Stop all its processes, where that is offered; whether they stood still within ``patience`` seconds."""
        if not self._freezer:
            return False
        write(self._freezer, b"1")
        until = monotonic() + patience
        while b"frozen 1" not in read(self._frozen):
            if monotonic() > until:
                return False
            sleep(_LOOK)
        return True

    def thaw(self) -> None:
        """Let its processes run again."""
        if self._freezer:
            write(self._freezer, b"0")

    def struck(self) -> bool:
        """Whether the group's own limit of memory killed a process, and not the machine's or that of a group above."""
        folder = self._at.get("memory")
        if folder is None:
            return False
        events = _counts(f"{folder}/memory.events")
        return bool(events.get("oom", 0) and events.get("oom_kill", 0))

    def kill(self, patience: float = _DYING) -> bool:
        """SIGKILL to all its processes, frozen or not, until none is left; whether so within ``patience`` seconds."""
        until = monotonic() + patience
        victims: set[int] = set()
        while True:
            with contextlib.suppress(OSError):
                if "kill" in self._at:
                    write(f"{self._at['kill']}/cgroup.kill", b"1")
                elif self._processes() - victims:
                    victims |= self._kill_each()
            if not self._processes():
                return True
            if monotonic() > until:
                return False
            sleep(_LOOK)

    def _kill_each(self) -> set[int]:
        # frozen, so that none is born between the listing and the signal
        self.freeze()
        victims = self._processes()
        for pid in victims:
            with contextlib.suppress(OSError):
                os.kill(pid, signal.SIGKILL)
        self.thaw()
        return victims

    def _processes(self) -> set[int]:
        pids: set[int] = set()
        for top in self._folders:
            for folder in _tree(top):
                with contextlib.suppress(OSError):
                    pids.update(map(int, read(f"{folder}/cgroup.procs").split()))
        # a process outside this process namespace has number 0 here, and a signal to 0 goes to our own process group
        return pids - {0}

    def remove(self, patience: float = _EMPTYING) -> bool:
        """Remove the empty group; returns whether it was gone within ``patience`` seconds."""
        until = monotonic() + patience
        while True:
            # all of them, also if one is not empty yet
            if not [folder for folder in self._folders if not _removed(folder)]:
                return True
            if monotonic() > until:
                return False
            sleep(_LOOK)


@dataclass(frozen=True, slots=True)
class CgroupTree:
    """The groups that this process may make, proved. Plain data: it can be encoded and sent to other processes.

    ``folders``: ``memory``, ``processes``, ``freeze``, ``kill``, if offered -> the folder of its groups. ``host`` is
    the group that ``delegated`` put its caller into, if there is one.
    """

    folders: dict[str, str] = field(default_factory=dict)
    host_group: str = ""

    @property
    def offers(self) -> frozenset[str]:
        """What the groups can do here; ``kill`` is in one stroke, for one by one they can be killed everywhere."""
        return frozenset(self.folders)

    def group(self, name: str, *, memory: int, processes: int) -> Group:
        """A new group of the calling process, which may be any process that has this tree.

        ``name`` is for readers only: two groups may have the same. ``memory`` is in bytes, swap included, of all its
        processes together; ``processes`` counts threads too. ``OSError``: the kernel would not; nothing of it is left.
        """
        plain = re.sub(r"[^A-Za-z0-9_-]", "_", name)[:60]
        group = self._open_group(f"{os.getpid()}-{next(_serial)}-{plain}")
        try:
            group.make(memory=memory, processes=processes)
        except OSError:
            group.remove(0)
            raise
        return group

    def _open_group(self, name: str) -> Group:
        folders = {offer: Path(folder) / name for offer, folder in self.folders.items()}
        return Group(folders)

    def clear(self, maker: int | None = None) -> bool:
        """End and remove all groups, or those that the dead process ``maker`` made; returns whether all are gone."""
        prefix = "" if maker is None else f"{maker}-"
        folders = {Path(folder) for folder in self.folders.values()}
        names = {child.name for folder in folders for child in children(folder)} - {HOST_GROUP}
        groups = [self._open_group(name) for name in sorted(names) if name.startswith(prefix)]
        return not [group for group in groups if not (group.kill() and group.remove())]

    def remove(self) -> bool:
        """End and remove all groups, and return to the former group of this process; returns whether none is left."""
        self.clear()
        if self.host_group:
            step_back(Path(self.host_group))
        tops = {Path(folder) for folder in self.folders.values()}
        for folder in tops:
            remove_empty(folder)
        return not any(folder.exists() for folder in tops)


def step_back(host_group: Path) -> None:
    """Leave the group that ``delegated`` entered, if this process is in it; else remove only empty groups."""
    with contextlib.suppress(OSError):
        if os.getpid() in map(int, read(host_group / "cgroup.procs").split()):
            limits = b" ".join(b"-" + controller.encode() for controller in CONTROLLERS)
            for folder in (host_group.parent, host_group.parent.parent):
                for controllers in (limits, b"-" + SHARED.encode()):
                    with contextlib.suppress(OSError):
                        write(folder / "cgroup.subtree_control", controllers)
            write(host_group.parent.parent / "cgroup.procs", b"0")
    remove_empty(host_group)


# --- folders and files


def children(folder: Path) -> list[Path]:
    """The folders in a folder; none where there is no such folder."""
    try:
        return [Path(entry.path) for entry in os.scandir(folder) if entry.is_dir(follow_symlinks=False)]
    except OSError:
        return []


def _tree(top: Path) -> list[Path]:
    return [inner for child in children(top) for inner in _tree(child)] + [top]


def remove_empty(top: Path) -> None:
    """Remove ``top`` with all folders in it, but for those that hold a process."""
    for folder in _tree(top):
        with contextlib.suppress(OSError):
            folder.rmdir()


def _removed(top: Path) -> bool:
    with contextlib.suppress(OSError):
        # few groups have others in them
        top.rmdir()
        return True
    remove_empty(top)
    return not top.exists()


def write(path: Path | str, data: bytes) -> None:
    """Write to a file of the kernel in one call; ``OSError`` if none is there, or the kernel would not."""
    descriptor = os.open(path, os.O_WRONLY | os.O_CLOEXEC)
    try:
        os.write(descriptor, data)
    finally:
        os.close(descriptor)


def read(path: Path | str) -> bytes:
    """The whole of a file of the kernel; an ``OSError`` if there is no such file."""
    # without a file object, because this stands between two turns
    descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        parts = []
        while part := os.read(descriptor, _PART):
            parts.append(part)
        return b"".join(parts)
    finally:
        os.close(descriptor)


def _counts(path: str) -> dict[str, int]:
    words = read(path).decode("ascii").split()
    return {key: int(value) for key, value in zip(words[::2], words[1::2], strict=True)}
