"""Asks the kernel by itself for what bwrap asks it for, to tell what is refused from trouble of the moment.

``python -I -S namespaces.py``, run as a script when bwrap has failed, exits with one of the statuses below. As root it
makes the mounts of arena's own first, and needs no namespace of users.
"""

from __future__ import annotations

import ctypes
import fcntl
import os
import signal
import socket
import struct
from errno import EACCES, EINVAL, ENODEV, ENOSPC, ENOSYS, EPERM, EROFS

GRANTED, REFUSED, UNKNOWN, TROUBLE = 0, 10, 11, 12
"""All of it is there; something may not be done here; this kernel has no such thing; anything else went wrong."""
_MOUNTS, _USERS, _OTHERS = 0x0002_0000, 0x1000_0000, 0x0400_0000 | 0x0800_0000 | 0x2000_0000 | 0x4000_0000
_RECURSIVE, _SLAVE = 16384, 1 << 19
_BARE = 1 << 1 | 1 << 2 | 1 << 3
_SET_FLAGS, _IS_UP = 0x8914, 1
_MOST = "/proc/sys/user/max_user_namespaces"
_libc = ctypes.CDLL(None, use_errno=True)


def _check_call(result: int) -> None:
    if result < 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))


def _write(path: str, text: str) -> None:
    opened = os.open(path, os.O_WRONLY)
    os.write(opened, text.encode())
    os.close(opened)


def _mount() -> None:
    _check_call(_libc.mount(b"none", b"/", None, _RECURSIVE | _SLAVE, None))
    _check_call(_libc.mount(b"arena", b"/dev", b"tmpfs", _BARE, b"size=4096"))


def _enter_user_namespace() -> None:
    user, group = os.getuid(), os.getgid()
    try:
        _check_call(_libc.unshare(_USERS))
    except OSError as error:
        if error.errno == ENOSPC and os.read(os.open(_MOST, os.O_RDONLY), 16).strip() == b"0":
            raise PermissionError(EPERM, os.strerror(EPERM)) from error
        raise
    _write("/proc/self/setgroups", "deny")
    _write("/proc/self/uid_map", f"{user} {user} 1")
    _write("/proc/self/gid_map", f"{group} {group} 1")


def _set_up() -> None:
    _mount()
    _check_call(_libc.mount(b"proc", b"/proc", b"proc", _BARE, None))
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as link:
        fcntl.ioctl(link, _SET_FLAGS, struct.pack("16sh22x", b"lo", _IS_UP))


def _in_child() -> None:
    """The first process of the new namespace of processes: only it may mount their ``/proc``."""
    child = os.fork()
    if not child:
        number = 0
        try:
            _set_up()
        except OSError as error:
            number = error.errno or ENOSYS
        os._exit(number)
    status = os.waitpid(child, 0)[1]
    if status:
        number = os.WEXITSTATUS(status) if os.WIFEXITED(status) else ENOSPC
        raise OSError(number, os.strerror(number))


def main() -> None:
    """Try it, and exit with what came of it."""
    signal.alarm(10)
    try:
        if os.geteuid() == 0:
            _check_call(_libc.unshare(_MOUNTS))
            _mount()
        else:
            _enter_user_namespace()
        _check_call(_libc.unshare(_MOUNTS | _OTHERS))
        if os.geteuid() != 0:
            _write(_MOST, "1")
        _in_child()
    except OSError as error:
        verdicts = {EPERM: REFUSED, EACCES: REFUSED, EROFS: REFUSED, ENOSYS: UNKNOWN, EINVAL: UNKNOWN, ENODEV: UNKNOWN}
        os._exit(verdicts.get(error.errno or 0, TROUBLE))
    os._exit(GRANTED)


if __name__ == "__main__":
    main()
