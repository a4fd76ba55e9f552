"""System calls by name, for programs in a sandbox: their numbers come in a file that the lane has written."""

import ctypes
import json
import os
import sys
from typing import Any

Reading = dict[str, float | str]
"""What -> a number or a text."""
libc = ctypes.CDLL(None, use_errno=True)
libc.syscall.restype = ctypes.c_long


def _told() -> dict[str, Any]:
    with open(sys.argv[1], encoding="ascii") as file:
        told: dict[str, Any] = json.load(file)
    return told


TOLD = _told()
"""``numbers`` of calls by name, ``paths`` of files of the kernel, ``ioctls``: numbers that a bot may use."""


def call(name: str, *arguments: object) -> int:
    """What a system call returned, or minus the number of its error."""
    words = [ctypes.c_long(each) if isinstance(each, int) else each for each in arguments]
    result = int(libc.syscall(ctypes.c_long(TOLD["numbers"][name]), *words))
    return result if result != -1 else -ctypes.get_errno()


def called(name: str, *arguments: object) -> int:
    """What a system call returned."""
    result = call(name, *arguments)
    if result < 0:
        raise OSError(-result, os.strerror(-result), name)
    return result
