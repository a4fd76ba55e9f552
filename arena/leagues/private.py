"""Private entries: each bot of a league lies in a private repository of its own, and the host pulls them.

Only git gets the host's token. What plays is kept in the folder ``entries``, which the league does not publish; the
folder ``sources``, which it does, gets the files of the bots from the day on that the settings name.
"""

import os
import re
import shutil
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from urllib.parse import quote

from arena.errors import ArenaError, UsageError
from arena.files import inside, make
from arena.leagues.entries import BOTS, MIRRORS, UNREAD, place_of
from arena.leagues.league import League, clock, moment_of
from arena.leagues.owners import FILE as OWNERS
from arena.leagues.repository import BARE, TOKEN, fetch
from arena.leagues.roster import Entry, read_roster
from arena.players import copy
from arena.words import plural

SOURCES = "sources"
"""Where the files of private bots lie from the day on that they are published."""
_NAME = re.compile(r"[A-Za-z0-9._-]{1,64}")


def pull_bots(league: League, read_league: Callable[[], League], say: Callable[[str], None]) -> None:
    """Pull the repository of each bot that has an owner, and keep the files of the versions that a roster names.

    A repository that cannot be read stays as it was pulled last, and is marked.

    Args:
        league: whose settings name the repositories.
        read_league: reads it as it is now.
        say: is told what cannot be read.

    Raises:
        UsageError: the settings name none, or nobody owns a bot, or no repository at all can be read.
        arena.files.Linked: a folder is a link.
        OSError: there is no room for them.
    """
    address, token = league.spec.repositories, os.environ.pop(TOKEN, "")
    if address is None or league.owners is None:
        lacks = "repositories in the table [entries] of arena.toml" if address is None else f"an {OWNERS}"
        raise UsageError(f"expected {lacks}, got none", option="pull")
    roster = read_roster(league.folder)
    entries = {entry.folder: entry for entry in (roster.bots if roster else ())}
    mirrors, names, unread = make(league.folder, MIRRORS), [*league.owners.accounts], 0
    for bot, accounts in league.owners.accounts.items():
        if not _NAME.fullmatch(bot) or not bot.strip("."):
            raise UsageError(f"{league.folder / OWNERS}: expected a name that a bot may have, got {bot!r}")
        where = address.replace("{bot}", quote(bot)).replace("{owner}", quote(accounts[0], safe=""))
        try:
            _pull(league.folder, bot, where, entry=entries.get(f"{BOTS}/{bot}"), token=token)
        except ArenaError as error:
            unread += 1
            say(f"{bot}: expected a repository with a commit at {where}, got: {error}")
    if names and unread == len(names):
        raise UsageError(f"expected a repository that can be read, got none; see the token in {TOKEN}", option="pull")
    say(f"{len(names) - unread} of {plural(len(names), 'repository')} read; play a season: arena season")
    # of who has left nothing stays
    gone = [path for path in mirrors.glob(f"*{BARE}") if path.stem not in names]
    for path in (*gone, *[path for path in inside(league.folder, SOURCES).glob("*/") if path.name not in names]):
        shutil.rmtree(path)
    bots = {bot.name: bot for bot in read_league().bots}
    for entry in entries.values():
        if entry.plays is not None and not entry.out and entry.bot not in bots:
            say(f"{entry.bot}: expected the version that plays, got none")
    day = moment_of(league.spec, "sources")
    if day is not None and clock() >= day:
        for name in bots.keys() & {*names}:
            shutil.rmtree(inside(league.folder, f"{SOURCES}/{name}"), ignore_errors=True)
            copy(Path(bots[name].folder), to=make(league.folder, SOURCES) / name)


def _pull(league: Path, bot: str, where: str, *, entry: Entry | None, token: str) -> None:
    """Put what a repository has now in the place of what was pulled last; if it cannot be read, mark that."""
    # what is kept need not be there still
    commits = [
        version.commit
        for version in (entry.versions if entry is not None else ())
        if version.commit and not inside(league, place_of(bot, content=version.content)).is_dir()
    ]
    mirror = inside(league, f"{MIRRORS}/{bot}{BARE}")
    with TemporaryDirectory(dir=mirror.parent) as desk:
        new = Path(desk, mirror.name)
        new.mkdir()
        try:
            fetch(new, where, commits=commits, token=token)
        except ArenaError:
            mirror.mkdir(exist_ok=True)
            (mirror / UNREAD).touch()
            raise
        shutil.rmtree(mirror, ignore_errors=True)
        new.rename(mirror)
