"""Files in the user's cache of what can be made again: each counts only if it is whole, and nobody else could write it.

A file is opened beneath the cache and no link is followed. It begins with the SHA-256 of the rest, and is nobody's but
the user's. What is missing, damaged, too long or anybody else's is none. Knows bytes and names.
"""

import os
from hashlib import sha256
from pathlib import Path

from arena.beneath import opened, remove, write
from arena.players.build import cache_folder

_DIGEST = sha256().digest_size
_OTHERS_WRITE = 0o022


def keep(name: str, data: bytes) -> bool:
    """Keep data under a name, as ``journals/x``; False where the cache cannot be written."""
    try:
        write(_folder(name), name, sha256(data).digest() + data, 0o600)
    except OSError:
        return False
    return True


def recall(name: str, *, most: int) -> bytes | None:
    """What is kept under a name, if it is whole and has no more than ``most`` bytes."""
    try:
        descriptor = opened(_folder(name), name, os.O_RDONLY)
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


def forget(name: str) -> bool:
    """Remove what is kept under a name; False where the cache cannot be written."""
    try:
        remove(_folder(name), name)
    except OSError:
        return False
    return True


def _folder(name: str) -> Path:
    """The cache, with the folder of this name in it, which only the user may enter."""
    try:
        cache = cache_folder()
    except RuntimeError as error:
        # a user without a home, as in a container
        raise FileNotFoundError(str(error)) from None
    (cache / name).parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    return cache
