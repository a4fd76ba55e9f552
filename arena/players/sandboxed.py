"""The sandboxes in which a bot plays and is built, made from its bot file and limits. Starts nothing."""

import os
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TypeAlias

from msgspec import Struct

from arena.files import cache_folder
from arena.identity import bot_of
from arena.players.botfile import BOT_FILE, PYTHON, BotFile, paths_named
from arena.players.content import hard_links, listing, locate_files
from arena.players.entrants import find_bot_shelf
from arena.players.guard import scratch_folders
from arena.sandbox import Level
from arena.sandbox.paths import SYSTEM, everywhere, folders, host_path, is_tool, within
from arena.sandbox.sandbox import Bounds, Sandbox
from arena.wire import DEFAULT_LIMITS, Limits

_BUILD = Bounds(memory=4 << 30, processes=1024, file=1 << 30, descriptors=4096)
"""Compilers take more than bots."""
_ARENA = str(Path(__file__).parents[1])
"""This package, which a bot that arena's own interpreter runs may import: a checkout has it elsewhere."""
_SHELF = str(find_bot_shelf())
"""Where the bots lie that come with arena: in the installed package, so that a checkout shows them too."""


def readable_in(level: Level, *, bare: bool) -> str:
    """What a bot reads at a level, ``bare`` if it is a command line, and what shows it more; empty if it reads all."""
    if level == "none":
        return ""
    files, more = "its own folder", "--readable PATH shows it more"
    if bare:
        files, more = (
            "the files that its command line names",
            f"as a folder with a {BOT_FILE} it reads all of that; {more}",
        )
    return f"{level}: it reads the system's programs, {files} and its toolchain; {more}"


def found_by_steps(level: Level) -> str:
    """What build steps find at a level of isolation, and how they find more."""
    tools = "the toolchains of programs that `build` and `needs` name"
    if level == "none":
        return f"none: steps find {tools}"
    return f"{level}: steps read the system's programs, the bot's folder and {tools}; --readable PATH shows them more"


class HostPolicy(Struct, frozen=True):
    """The settings that the sandboxes of all bots share."""

    level: Level = "none"
    hidden: tuple[str, ...] = ()
    """What no bot may see, wherever it lies: results and secrets."""
    readable: tuple[str, ...] = ()
    """What each may read besides what it needs."""
    games: tuple[str, ...] = ()
    """Where packages lie that bring games: a bot that arena's own interpreter runs may import them."""
    build_network: bool = False
    network: dict[str, tuple[str, ...]] = {}
    """The bots that may reach the network, with the variables of the host's environment that each gets."""


Places: TypeAlias = Sequence[tuple[str, str, str]]
"""Where files of bots lie: name of a bot, a path of its own and where that leads."""


def places_of(bots: Iterable[BotFile]) -> Places:
    """List where the files of these bots lie; files that ship with arena and shared tools are left out."""
    own_paths = [(bot.name, path) for bot in bots if not bot.local for path in locate_files(bot, bot.folder)]
    private = [(name, path, os.path.realpath(path)) for name, path in own_paths if not within(path, [_SHELF, _ARENA])]
    return [place for place in private if not is_tool(Path(place[2]))]


def around(
    bot: BotFile, folder: str, policy: HostPolicy, limits: Limits = DEFAULT_LIMITS, field: Places = ()
) -> Sandbox:
    """Make the sandbox of a bot that is started in ``folder`` within its ``limits``.

    The bot sees its own files, what the host shows to all, and the toolchains of the programs that it names. It sees
    no file of the others of the ``field``, and in its own folder only the files that are part of it; a ``BotError`` if
    that holds what no bot's may.
    """
    mine = locate_files(bot, folder)
    rivals = _rivals(bot, field)
    toolchain = _toolchain(bot, [bot.command[0]], (*map(os.path.realpath, policy.hidden), *rivals), policy.games)
    # the first word of a command line may be an interpreter
    private = tuple(path for path in mine if not within(path, (*toolchain, *SYSTEM)))
    visible = _distinct((*mine, *policy.readable, *toolchain))
    hidden = [*policy.hidden, *_all_apart(rivals, (*mine, *toolchain), visible)]
    if folder == bot.folder:
        passed = [
            f"{path}/{name}"
            for path in mine
            if Path(path).is_dir()
            for name in listing(Path(path), paths=paths_named(bot)).passed
        ]
        # a link out is left out of copies; what it leads to may be the system's own
        hidden += [path for path in passed if within(os.path.realpath(path), map(os.path.realpath, mine))]
    return Sandbox(
        policy.level,
        # files in a bot's own folder are copied with it
        readable=_distinct(path for path in visible if not within(path, private)),
        private=private,
        links_out=folder != bot.folder,
        network=bot_of(bot.name) in policy.network,
        variables=policy.network.get(bot_of(bot.name), ()),
        hidden=_distinct(hidden),
        packages=tuple([path for path in (_ARENA, *policy.games) if path in toolchain]),
        bounds=bounds_of(limits),
    )


def bounds_of(limits: Limits) -> Bounds:
    """What a process may use within these limits of a bot."""
    return Bounds(
        memory=limits.memory,
        processes=limits.processes,
        file=limits.file,
        descriptors=limits.descriptors,
        cpu=-(-limits.cpu // 1000),
    )


def for_build(bot: BotFile, policy: HostPolicy, field: Places = ()) -> Sandbox:
    """The sandbox of a bot's build steps, but for the copy of its folder that they may write to."""
    rivals = _rivals(bot, field)
    toolchain = _toolchain(bot, [step[0] for step in bot.build], (*map(os.path.realpath, policy.hidden), *rivals))
    visible = _distinct((*policy.readable, *toolchain))
    hidden = [*policy.hidden, *_all_apart(rivals, toolchain, visible)]
    return Sandbox(
        policy.level,
        readable=visible,
        hidden=_distinct(hidden),
        network=policy.build_network,
        bounds=_BUILD,
        locks=True,
    )


def out_of_sight(bot: BotFile, policy: HostPolicy) -> str | None:
    """Why a bot could not see all of its own files in a sandbox, in plain words; None if it can."""
    if policy.level == "none":
        return None
    for path in map(os.path.realpath, locate_files(bot, bot.folder)):
        for hidden in map(os.path.realpath, policy.hidden):
            if within(path, [hidden]):
                return f"expected its files outside of {hidden}, which no bot may see, got {path}"
            if within(hidden, [path]) and Path(hidden).is_file():
                return f"expected no secret among its files, got {hidden}"
        for link in hard_links(policy.hidden, within=path):
            return f"expected no secret among its files, got {link}"
    return None


def _rivals(bot: BotFile, field: Places) -> list[str]:
    """List where the files of the others lie, which this bot does not name itself, their builds and their copies."""
    mine = locate_files(bot, bot.folder)
    theirs = {leads for name, path, leads in field if name != bot.name and path not in mine}
    paths = () if bot.bare else (os.path.realpath(Path(bot.folder, word)) for word in bot.command)
    rivals = theirs.difference(path for path in paths if Path(path).is_file())
    return sorted(everywhere({*rivals, *_list_stores(bot.folder)}))


def _list_stores(folder: str) -> Iterator[str]:
    """List where files of all bots are kept: builds, copies, and versions of the bots of the league around a folder."""
    with suppress(RuntimeError):
        yield os.path.realpath(cache_folder())
    yield from map(os.path.realpath, scratch_folders())
    yield from [f"{above}/entries" for above in [*Path(folder).parents][:3] if (above / "roster.json").is_file()]


def _all_apart(rivals: Iterable[str], needed: Iterable[str], visible: Iterable[str]) -> list[str]:
    needed, visible = [list(map(os.path.realpath, paths)) for paths in (needed, visible)]
    return [path for rival in rivals for path in _apart(rival, needed, visible)]


def _apart(rival: str, needed: Sequence[str], visible: Sequence[str]) -> Iterator[str]:
    """List what to hide of another bot's folder: all but what this bot needs in there."""
    inside = [path for path in needed if path != rival and within(path, [rival])]
    if not inside:
        yield rival
    elif within(rival, visible):
        with os.scandir(rival) as entries:
            paths = [entry.path for entry in entries]
        for path in paths:
            if path not in inside:
                yield from _apart(path, inside, visible)


def _toolchain(
    bot: BotFile, programs: Sequence[str], apart: Sequence[str], games: Sequence[str] = ()
) -> tuple[str, ...]:
    """The folders of these programs, of those it needs, and of arena's own interpreter with arena, if it is named.

    A bot names tools, and the PATH of whoever runs it says where they lie: no path of a bot's shows anything. But a
    command line was typed by whoever runs it. ``apart`` are paths without links in them, where no toolchain is.
    """
    path = host_path()
    tools = [word for word in (*programs, *bot.needs) if "/" not in word and PYTHON not in word]
    directories = path.split(os.pathsep)
    # a word before the program of a command line, such as `env`, starts the program
    for word in dict.fromkeys((*programs, *(bot.command if bot.bare else ()))):
        if "/" in word and bot.bare:
            typed = os.path.join(bot.folder, word)  # noqa: PTH118 - to be followed link by link
            if word in programs or is_tool(Path(typed)):
                tools.append(typed)
        elif str(Path(word).parent) in directories:
            tools.append(word)
    ours = sys.executable in programs or any(PYTHON in word for word in (*programs, *bot.command))
    needed = folders([*tools, *([sys.executable] if ours else [])], path, apart)
    # rustup's own folder is where a variable says, if it is there
    visible = tuple([folder for folder in needed if os.path.exists(folder)])  # noqa: PTH110 - knows no exception
    ours |= within(sys.prefix, visible)
    if ours:
        for path in (_ARENA, _SHELF, *games):
            visible = visible if within(path, visible) else (*visible, path)
    return visible


def _distinct(paths: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(paths))
