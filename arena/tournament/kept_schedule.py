"""Schedules that were drawn once, kept in the cache of whoever runs arena, so that a long run is gone on with at once.

What is kept follows from the secret and can be drawn again at any time: a file that is missing, damaged or anybody
else's is drawn anew. A results folder holds none of it, so nothing of a stranger's is ever believed.
"""

import os
from collections.abc import Iterable
from hashlib import sha256
from pathlib import Path

from arena.beneath import opened, remove, write
from arena.players.build import cache_folder
from arena.tournament.schedule import Drawn

FEWEST = 10_000
"""Shorter schedules, in blocks, are drawn as fast as they are read."""
MOST = 25_000_000
"""Of longer ones no file is made."""
_DIGEST = sha256().digest_size


def keep(parts: Iterable[Drawn]) -> None:
    """Keep these schedules as far as they are drawn whole; where the cache cannot be written, nothing is kept."""
    for part in parts:
        if part.whole and FEWEST <= len(part) <= MOST:
            places = part.places()
            try:
                write(_folder(), part.identity.hex(), sha256(places).digest() + places, 0o600)
            except OSError:
                return


def recall(parts: Iterable[Drawn]) -> None:
    """Give these schedules what is kept of them."""
    for part in parts:
        if len(part) < FEWEST:
            continue
        try:
            descriptor = opened(_folder(), part.identity.hex(), os.O_RDONLY)
        except OSError:
            continue
        with open(descriptor, "rb") as file:  # noqa: PTH123 - a descriptor
            if os.fstat(descriptor).st_uid != os.geteuid():
                continue
            digest, places = file.read(_DIGEST), file.read()
        if sha256(places).digest() == digest:
            part.take(places)


def forget(parts: Iterable[Drawn]) -> None:
    """Remove what is kept of these schedules: their run is finished."""
    for part in parts:
        if len(part) >= FEWEST:
            try:
                remove(_folder(), part.identity.hex())
            except OSError:
                return


def _folder() -> Path:
    folder = cache_folder() / "schedules"
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    return folder
