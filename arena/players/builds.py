"""Where bots lie that are built: in a cache, a folder for each content."""

import os
import platform
import sys
from collections.abc import Collection, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from tempfile import mkdtemp

from arena.files import cache_folder
from arena.players.botfile import BotFile
from arena.players.content import digest_bot
from arena.players.scratch import discard


def usable_cache() -> Path | None:
    """The folder of the cache, where this user may build bots in it; None if not, or the user has none."""
    with suppress(OSError, RuntimeError):
        builds = _find_builds(cache := cache_folder())
        builds.mkdir(parents=True, exist_ok=True)
        if os.access(builds, os.R_OK | os.W_OK | os.X_OK):
            return cache
    return None


def find_start_folder(bot: BotFile, cache: Path) -> Path:
    """The folder to start the bot in: its own, or one for this content, which is there if the bot is built."""
    if not bot.build:
        return Path(bot.folder)
    # machines with other interpreters or processors may share the home folder, and could not run this build
    return _find_builds(cache) / f"{digest_bot(bot)}-{sys.implementation.cache_tag}-{platform.machine()}"


def discard_builds(digests: Collection[str]) -> None:
    """Remove what was built of these contents, where this user has a cache."""
    if (cache := usable_cache()) is not None:
        for built in _find_builds(cache).iterdir():
            if built.name.partition("-")[0] in digests:
                discard(str(built))


def _find_builds(cache: Path) -> Path:
    return cache / "builds"


@contextmanager
def desk(cache: Path) -> Iterator[Path]:
    """A folder for what is half built, which is removed at the end, however deeply nested."""
    _find_builds(cache).mkdir(parents=True, exist_ok=True)
    desk = mkdtemp(prefix=".building-", dir=_find_builds(cache))
    try:
        yield Path(desk)
    finally:
        discard(desk)
