"""The removal of a person's data from a league: names become placeholders, words go, and all that counts stays.

A file says what is being removed until all is done, so that the same call finishes what was stopped.
"""

import base64
import binascii
import gzip
import os
import re
import shutil
import tomllib
import zlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import Any

import msgspec

from arena.errors import UsageError, nearest
from arena.files import decoder, files, inside, read, remove, write
from arena.identity import bot_of
from arena.leagues.appeal import APPEALS, appealed, write_appeal
from arena.leagues.archive import SITE
from arena.leagues.entries import FOLDER, MIRRORS
from arena.leagues.league import REMOVAL, League, contest_of
from arena.leagues.owners import FILE as OWNERS
from arena.leagues.owners import owners_in
from arena.leagues.placeholders import Removal, choose_placeholders
from arena.leagues.private import SOURCES
from arena.leagues.publish import BADGES, HISTORY, publish, rulings, seasons
from arena.leagues.repository import BARE
from arena.leagues.roster import FILE as ROSTER
from arena.leagues.roster import read_roster
from arena.players import discard_builds
from arena.tournament import (
    SETTINGS_FILE,
    AbsentRun,
    RunFolder,
    find_runs,
    give_up_run,
    remove_words,
    rewrite_run,
    write_standings,
)

_PACKED = re.compile(rb">([A-Za-z0-9+/]{40,}={0,2})<")
_LARGEST = 1 << 28
"""Bytes of a file that is searched for names."""
_decode = decoder(Removal)


def remove_person(name: str, read_league: Callable[..., League], *, give_up: bool, say: Callable[[str], None]) -> str:
    """Remove all that a league keeps of a bot, or of an owner and all bots that are the owner's alone; a report on it.

    Matches, ratings and counts stay, under placeholders.

    Args:
        name: of the bot or owner; case makes no difference.
        read_league: ``league_at`` of its settings.
        give_up: whether to give up the rest of seasons that are not finished.
        say: gets remarks.

    Raises:
        UsageError: it is an anchor, or two persons may be meant, or a season is not finished, or the settings name it
            where only the host can change them.
        LockedError: a season is being played.
        DamagedError, OSError: the league is damaged, or cannot be written.
    """
    league = read_league(removes=True)
    home, stopped = league.folder, _read_stopped(league.folder, name)
    removal = stopped or _plan(league, name)
    if isinstance(removal, str):
        return removal
    with ExitStack() as stack:
        runs = _find_runs(Path(removal.root))
        for folder in runs:
            # a stopped one may have mentions a manifest with the seal of records that are not yet there
            stack.enter_context(folder.hold(strict=stopped is None))
        for folder in [folder for folder in runs if not folder.manifest().finished]:
            if not give_up:
                got = "one that lacks matches: finish it, or give up its rest with --give-up"
                raise UsageError(f"{folder.path}: expected a finished season, got {got}")
            give_up_run(folder)
        write(home, REMOVAL, msgspec.json.encode(removal))
        digests = set[str]()
        for folder in runs:
            digests.update(_rewrite(folder, removal, stack))
        _rewrite_files(home, removal)
        discard_builds(digests)
        pages = _remove_pages(home, removal)
        _publish(read_league(removes=True), runs, pages, say)
        mentions = [file for file in _list_mentions(home, removal) if file != REMOVAL]
        remove(home, REMOVAL)
    return _report(removal, mentions)


def _read_stopped(home: Path, name: str) -> Removal | None:
    try:
        removal = _decode(read(home, REMOVAL))
    except FileNotFoundError:
        return None
    if removal.name.casefold() != name.casefold():
        raise UsageError(f"expected {removal.name!r} first, whose removal was stopped, got {name!r}", option="forget")
    return removal


def _plan(league: League, name: str) -> Removal | str:
    """What is to be removed; or a remark that there is nothing of this name."""
    runs = _find_runs(league.root)
    whose = _list_owners(league, runs)
    key = name.casefold()
    same = [bot for bot in whose if bot.casefold() == key]
    owners = sorted({owner for names in whose.values() for owner in names if owner.casefold() == key})
    theirs = [bot for bot, names in whose.items() if {owner.casefold() for owner in names} == {key}]
    if owners and any(whose[bot] and bot not in theirs for bot in same):
        got = f"one that is the bot of {' and '.join(whose[same[0]])}, too: remove the bot first, or change its owner"
        raise UsageError(f"expected the name of one person, got {got}", option="forget")
    bots = sorted({*same, *theirs})
    names = {*whose, *[owner for names in whose.values() for owner in names]}
    if not bots and not owners:
        return f"Nothing in the league has the name {name!r}{nearest(name, names)}.\n"
    if house := sorted(league.host_bots.intersection(bots)):
        raise UsageError(f"expected the name of a person's bot, got the anchor {house[0]!r}", option="forget")
    roster = read_roster(league.folder)
    folders = [entry.folder for entry in (roster.bots if roster else ()) if entry.bot in bots]
    for folder in folders:
        if folder in {os.path.normpath(text) for text in league.spec.bots}:
            raise UsageError(f"{SETTINGS_FILE}: bots: expected others than {folder!r}, got it: take it out first")
    fields = [[entrant.name for entrant in run.manifest().entrants] for run in runs]
    of_bots, of_owners = choose_placeholders(fields, bots=bots, owners=owners, used=[*names])
    others = [other for other in names.difference(of_bots, of_owners) if key in other.casefold()]
    others += [other for other in names.difference(of_bots, of_owners, others) if any(bot in other for bot in of_bots)]
    removal = Removal(
        name=name,
        bots=of_bots,
        owners=of_owners,
        root=str(league.root),
        folders=tuple(folders),
        others=tuple(others),
    )
    # what cannot be changed is found before anything is
    _change_owners(league.folder, removal)
    _change_settings(league.folder, removal)
    return removal


def _find_runs(root: Path) -> list[RunFolder]:
    with suppress(AbsentRun):
        return [*find_runs(root).values()]
    return []


def _list_owners(league: League, runs: Sequence[RunFolder]) -> dict[str, tuple[str, ...]]:
    """All bots that the league has or had, each with its owners as they are known last."""
    roster, owners = read_roster(league.folder), league.owners
    bots: dict[str, tuple[str, ...]] = {}
    bots |= {bot_of(entrant.name): (entrant.owner,) for run in runs for entrant in run.manifest().entrants}
    for season in seasons(league.folder):
        bots = {**{entry.bot: () for entry in season.probation}, **bots}
        bots |= {bot: tuple(owner.split(", ")) for bot, owner in season.owners().items()}
    for entry in roster.bots if roster else ():
        bots.setdefault(entry.bot, ())
        if entry.owner:
            bots[entry.bot] = (entry.owner,) if owners is None else tuple(entry.owner.split(", "))
    for bot in owners.accounts if owners else ():
        bots.setdefault(next((other for other in bots if other.casefold() == bot.casefold()), bot), ())
    bound = {bot: owners.of(bot) if owners else () for bot in bots}
    return {bot: tuple(filter(None, bound[bot] or names)) for bot, names in bots.items()}


def _rewrite(folder: RunFolder, removal: Removal, stack: ExitStack) -> list[str]:
    """Remove from a run what there is; the contents that its bots had."""
    manifest = removal.change_manifest(folder.manifest())
    gone = [entrant for entrant in manifest.entrants if removal.forgets(entrant.name)]

    def mentions(line: bytes) -> bool:
        return removal.find_names(line.decode("utf-8", "replace"))

    stack.enter_context(rewrite_run(folder, manifest, removal.change_record, mentions=mentions))
    for entrant in gone:
        remove_words(folder, removal.find_name(entrant.name))
    return [entrant.digest for entrant in gone]


def _rewrite_files(home: Path, removal: Removal) -> None:
    """Remove from the league's own files what there is, and the bots with their versions."""
    if past := seasons(home):
        write(home, HISTORY, b"".join(msgspec.json.encode(removal.change_season(season)) + b"\n" for season in past))
    if (roster := read_roster(home)) is not None:
        rest = [entry for entry in roster.bots if entry.bot not in removal.bots]
        roster = removal.change(msgspec.structs.replace(roster, bots=tuple(rest)))
        write(home, ROSTER, msgspec.json.format(msgspec.json.encode(roster), indent=1) + b"\n")
    for name, data in ((OWNERS, _change_owners(home, removal)), (SETTINGS_FILE, _change_settings(home, removal))):
        if data is not None:
            write(home, name, data)
    for folder in removal.folders:
        for place in (folder, f"{MIRRORS}/{Path(folder).name}{BARE}", f"{SOURCES}/{Path(folder).name}"):
            _remove_folder(home, place)
    with suppress(FileNotFoundError):
        for version in sorted(inside(home, FOLDER).iterdir()):
            for folder in removal.folders:
                _remove_folder(home, f"{FOLDER}/{version.name}/{Path(folder).name}")
            with suppress(OSError):
                version.rmdir()


def _change_owners(home: Path, removal: Removal) -> bytes | None:
    """The file of owners as it is to be; None if it stays as it is.

    Raises:
        UsageError: it has a line that cannot be changed here.
    """
    if (owners := owners_in(home)) is None:
        return None
    text = read(home, OWNERS).decode()
    for bot in removal.bots:
        line = rf"""(?im)^["']?{re.escape(bot)}["']?[ \t]*=[ \t]*(\[[^]]*\]|.*)[^\n]*\n?"""
        text = re.sub(line, "", text)
    rest = {*map(str.lower, owners.accounts)}.difference(map(str.lower, removal.bots))
    return _check_toml(home, OWNERS, removal.rename(text), holds=lambda table: {*map(str.lower, table)} == rest)


def _change_settings(home: Path, removal: Removal) -> bytes | None:
    """As ``_change_owners``, the settings, which name whoever is disqualified."""
    text = read(home, SETTINGS_FILE).decode()
    out = {bot: other for bot, other in removal.bots.items() if bot in tomllib.loads(text).get("disqualified", {})}
    before, header, lines = text.partition("[disqualified]")
    for bot, other in out.items():
        lines = re.sub(rf"""(?m)^([ \t]*)["']?{re.escape(bot)}["']?(?=[ \t]*=)""", rf"\g<1>{other}", lines)
    changed = f"{before}{header}{lines}"
    placed = {*out.values()}
    return _check_toml(home, SETTINGS_FILE, changed, holds=lambda table: placed <= {*table.get("disqualified", ())})


def _check_toml(home: Path, name: str, text: str, *, holds: Callable[[dict[str, Any]], bool]) -> bytes | None:
    with suppress(tomllib.TOMLDecodeError):
        if holds(tomllib.loads(text)):
            return text.encode() if text.encode() != read(home, name) else None
    raise UsageError(f"{home / name}: expected a line of its own for each bot, got others: change it by hand first")


def _remove_folder(home: Path, name: str) -> None:
    """Remove a folder of the league, or the link in its place; one that lies elsewhere stays."""
    if Path(name).is_absolute() or ".." in Path(name).parts:
        return
    if (home / name).is_symlink():
        remove(home, name)
    else:
        shutil.rmtree(inside(home, name), ignore_errors=True)


def _remove_pages(home: Path, removal: Removal) -> list[str]:
    """Remove all that is written from results and names a bot or owner; the names of the pages of appeals."""
    names = [name for part in (SITE, BADGES) for name in files(home, part)]
    # what a picture shows is not to be searched
    gone = [name for name in names if name.endswith(".png") or _mentions(home, name, removal)]
    for name in [*gone, "leaderboard.md", "leaderboard.json"]:
        remove(home, name)
    return [name for name in gone if name.startswith(f"{APPEALS}/")]


def _mentions(home: Path, name: str, removal: Removal) -> bool:
    """Whether a file, its name or what it packs has one of the names."""
    data = b"" if (home / name).is_symlink() or (home / name).stat().st_size > _LARGEST else (home / name).read_bytes()
    texts = [name.encode(), data]
    for packed in _PACKED.findall(data):
        with suppress(binascii.Error, OSError, EOFError, zlib.error):
            texts.append(gzip.decompress(base64.b64decode(packed)))
    return any(removal.find_names(text.decode("utf-8", "replace")) for text in texts)


def _publish(league: League, runs: Sequence[RunFolder], pages: Sequence[str], say: Callable[[str], None]) -> None:
    """Write again what was removed and follows from results."""
    for folder in runs:
        write_standings(folder)
    ruled = {(ruling.run, ruling.match): ruling for ruling in rulings(league)} if pages else {}
    for page in pages:
        run, _, match = Path(page).stem.rpartition("-")
        # the run of an appeal may be gone
        with suppress(UsageError):
            write_appeal(league, *appealed(league, f"{run}/{match}"), ruling=ruled.get((run, match)))
    contests = [contest_of(league, game, ()) for game in league.games]
    if all(contest.folder.begun() for contest in contests):
        publish(league, contests, say)


def _list_mentions(home: Path, removal: Removal) -> Iterator[str]:
    """The files of a league's folder that name a bot or owner, but for what git keeps."""
    for here, folders, names in os.walk(home):
        folders[:] = sorted(folder for folder in folders if folder != ".git")
        for name in sorted(names):
            file = os.path.relpath(Path(here, name), home)
            with suppress(OSError):
                if _mentions(home, file, removal):
                    yield file


def _report(removal: Removal, mentions: Sequence[str]) -> str:
    lines = [f"{owner} is now {other}." for owner, other in removal.owners.items()]
    for bot, other in removal.bots.items():
        lines.append(
            f"{bot} is now {other}: its matches, ratings and counts stay; its files, versions and words are gone."
        )
    if mentions:
        lines.append(f"Still named, for you to change: {', '.join(mentions)}.")
    paths = "".join(f" --path {folder}" for folder in removal.folders)
    rewrites = f", from which `git filter-repo --invert-paths{paths}` takes files" if paths else ""
    lines.append(
        f"Not reached: forks, caches, what was sent or downloaded, and the history of the repository{rewrites}; "
        "a branch of results begins again with `git checkout --orphan`."
    )
    return "\n".join([*lines, ""])
