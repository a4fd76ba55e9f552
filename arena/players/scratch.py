"""A bot's scratch folder, and how it is removed."""

import contextlib
import os
import subprocess
from pathlib import Path

HOME = "home"
"""The folder in a bot's folder that it may write to."""
_AT_ONCE, _DEEPEST = 500, 16
"""Entries of a bot's folder that are removed at once, and how deep."""


def discard(folder: str | Path, *, leftovers: str | Path | None = None) -> None:
    """Remove a bot's folder with all its contents; files that cannot be removed stay.

    ``leftovers``: only so much of it as takes no time; what is more goes into this folder, to be removed by others.
    """
    with contextlib.suppress(OSError):
        # most bots leave nothing: two quick calls, because this runs at the end of each process
        for path in (f"{folder}/{HOME}", folder):
            os.rmdir(path)  # noqa: PTH106 - likewise
        return
    if leftovers is None:
        # nested deeper than Python, or its descriptors, can follow
        with contextlib.suppress(OSError):
            subprocess.run(["rm", "-rf", "--", str(folder)], stderr=subprocess.DEVNULL, check=False)  # noqa: S607 - POSIX has it
        return
    with contextlib.suppress(OSError):
        _remove_some(folder, within=None, budget=_AT_ONCE, depth=_DEEPEST)
        if os.path.lexists(folder):
            os.rename(folder, f"{leftovers}/gone-{os.path.basename(folder)}")  # noqa: PTH104, PTH119 - likewise


def _remove_some(name: str | Path, *, within: int | None, budget: int, depth: int) -> int:
    """Remove a folder or, of one that is large or deep, a part; how many entries more may be removed."""
    # by descriptors: a process of the bot that lives on could put a link in the place of a folder
    here = os.open(name, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=within)
    try:
        with os.scandir(here) as entries:
            for entry in entries:
                if budget <= 0:
                    return budget
                budget -= 1
                with contextlib.suppress(OSError):
                    if not entry.is_dir(follow_symlinks=False):
                        os.unlink(entry.name, dir_fd=here)
                    elif depth:
                        budget = _remove_some(entry.name, within=here, budget=budget, depth=depth - 1)
    finally:
        os.close(here)
    with contextlib.suppress(OSError):
        os.rmdir(name, dir_fd=within)
    return budget
