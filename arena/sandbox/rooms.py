"""For root only: file systems in memory for what bots write, bounded in bytes and in files. Linux, by mount(2).

They are mounted in a mount namespace of this process alone: no other process sees them, and they disappear with it.
"""

import ctypes
import os

_NEW_MOUNTS = 0x0002_0000
_RECURSIVE, _SLAVE = 16384, 1 << 19
_BARE = 1 << 1 | 1 << 2 | 1 << 10
"""No set-user-id programs, no devices, no times of reading."""
_DETACH = 2
_libc = ctypes.CDLL(None, use_errno=True)
_apart: set[int] = set()
"""This process, once it has a namespace."""


def begin(folder: str, size: int, *, files: int) -> None:
    """Mount one over an empty folder, until ``leave``; everybody may write to it. ``OSError``: this root may not."""
    if os.getpid() not in _apart:
        _call("unshare", _libc.unshare(_NEW_MOUNTS))
        _call("mount", _libc.mount(b"none", b"/", None, _RECURSIVE | _SLAVE, None))
        _apart.add(os.getpid())
    options = f"mode=1777,size={size},nr_inodes={files}".encode()
    _call("mount", _libc.mount(b"arena", folder.encode(), b"tmpfs", _BARE, options))


def leave(folder: str) -> None:
    """Remove one with all its contents, when no process uses it any more."""
    _libc.umount2(folder.encode(), _DETACH)


def _call(what: str, result: int) -> None:
    if result < 0:
        number = ctypes.get_errno()
        raise OSError(number, f"{what}: {os.strerror(number)}")
