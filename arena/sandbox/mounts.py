"""Other paths of a file or folder, where its file system is mounted twice. Linux; knows paths.

A bind mount shows the same folder at two paths, without a link. A file that is to be hidden must be hidden at each
path.
"""

import os
import re
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path

from msgspec import Struct

from arena.sandbox.toolchain import within

_MOUNTS = Path("/proc/self/mountinfo")
_OCTAL = re.compile(r"\\([0-7]{3})")


class _Mount(Struct, frozen=True, kw_only=True):
    """A line of proc_pid_mountinfo(5): which folder of a device is mounted where."""

    device: str
    root: str
    point: str


def everywhere(paths: Iterable[str]) -> tuple[str, ...]:
    """These paths, which have no link in them, and all other paths of the same files."""
    mounts = _mounts()
    return tuple(dict.fromkeys(place for path in paths for place in (path, *_others(path, mounts))))


def _others(path: str, mounts: list[_Mount]) -> Iterator[str]:
    around = [mount for mount in mounts if within(path, [mount.point])]
    if not around:
        return
    # of two mounts at the same place, the later one covers the other
    _, at = max((len(mount.point), number) for number, mount in enumerate(around))
    home = around[at]
    inside = _joined(home.root, os.path.relpath(path, home.point))
    for mount in mounts:
        if mount.device != home.device or mount is home:
            continue
        if within(inside, [mount.root]):
            place = _joined(mount.point, os.path.relpath(inside, mount.root))
            if not os.path.lexists(path) or _same(path, place):
                yield place
        elif within(mount.root, [inside]):
            yield mount.point


def _joined(folder: str, inside: str) -> str:
    return os.path.normpath(f"{folder}/{inside}").replace("//", "/")


def _same(one: str, other: str) -> bool:
    with suppress(OSError):
        return Path(one).samefile(other)
    return False


def _mounts() -> list[_Mount]:
    try:
        lines = os.fsdecode(_MOUNTS.read_bytes()).splitlines()
    except OSError:
        return []
    fields = [line.split(" ") for line in lines]
    return [
        _Mount(device=each[2], root=_unescaped(each[3]), point=_unescaped(each[4]))
        for each in fields
        if len(each) > 4  # noqa: PLR2004 - the fields that are read
    ]


def _unescaped(text: str) -> str:
    return _OCTAL.sub(lambda found: chr(int(found[1], 8)), text)
