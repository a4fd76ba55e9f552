"""The files of the user's cache. A file is used only if it is whole, and only if no other user could write it.

A file is opened beneath the cache folder, or another one of the user's, without following links. It begins with the
SHA-256 of the rest. A file that is missing, damaged, too long or of another user counts as missing. Knows bytes and
names.
"""

import os
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path

from arena.files import cache_folder, opened, remove, write

_DIGEST = sha256().digest_size
_OTHERS_WRITE = 0o022


def store(name: str, data: bytes, *, folder: Callable[[], Path] = cache_folder) -> bool:
    """Store data under a name, as ``journals/x``; returns False if the folder cannot be written."""
    try:
        write(_made(folder, name), name, sha256(data).digest() + data, 0o600)
    except OSError:
        return False
    return True


def load(name: str, *, most: int, folder: Callable[[], Path] = cache_folder) -> bytes | None:
    """The data stored under a name, if the file is whole and has at most ``most`` bytes of data; else None."""
    try:
        descriptor = opened(_made(folder, name), name, os.O_RDONLY)
    except OSError:
        return None
    with open(descriptor, "rb") as file:  # noqa: PTH123 - a descriptor
        about = os.fstat(descriptor)
        if about.st_uid != os.geteuid() or about.st_mode & _OTHERS_WRITE or about.st_size > _DIGEST + most:
            return None
        try:
            digest, data = file.read(_DIGEST), file.read(most)
        except OSError:
            return None
    return data if sha256(data).digest() == digest else None


def discard(name: str) -> bool:
    """Remove the data stored under a name; returns False if the cache cannot be written."""
    try:
        remove(_made(cache_folder, name), name)
    except OSError:
        return False
    return True


def _made(folder: Callable[[], Path], name: str) -> Path:
    """The folder. That of this name in it is made if need be; only the user may enter it."""
    try:
        root = folder()
    except RuntimeError as error:
        # a user without a home, as in a container
        raise FileNotFoundError(str(error)) from None
    (root / name).parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    return root
