"""What box a bot plays in, and what box it is built in: from its bot file and limits to folders. Starts nothing."""

import sys
from collections.abc import Iterable, Sequence
from contextlib import suppress
from pathlib import Path

from msgspec import Struct

from arena.players.botfile import PYTHON, BotError, BotFile, environment, filled
from arena.players.content import found, own
from arena.players.limits import HOUSE
from arena.sandbox.box import Bounds, Box, Level
from arena.sandbox.toolchain import SYSTEM, folders, within
from arena.wire import Limits

_BUILD = Bounds(memory=4 << 30, processes=1024, file=1 << 30, descriptors=4096)
"""Compilers take more than bots."""
_ARENA = str(Path(__file__).parents[1])
"""This package, which a bot that arena's own interpreter runs may import: a checkout has it elsewhere."""


class House(Struct, frozen=True):
    """What holds for the boxes of all bots."""

    level: Level = "none"
    hidden: tuple[str, ...] = ()
    """Whatever no bot may see, wherever it lies: results above all."""
    readable: tuple[str, ...] = ()
    """Whatever each may read besides what it needs."""
    build_network: bool = False


def around(bot: BotFile, folder: str, house: House, limits: Limits = HOUSE, field: Sequence[BotFile] = ()) -> Box:
    """The box of a bot that is started in ``folder`` within its ``limits``.

    It sees nothing of the others of the ``field``.
    """
    mine = own(bot, folder)
    others = {path for other in field if other.name != bot.name for path in own(other, other.folder)}
    toolchain = _toolchain(bot, [bot.command[0]])
    # of a command line's words the first may be an interpreter
    private = tuple(path for path in mine if not within(path, (*toolchain, *SYSTEM)))
    strangers = sorted(path for path in others - set(mine) if not within(path, toolchain))
    return Box(
        house.level,
        # what lies in a bot's own folder is copied with it
        readable=_distinct(path for path in (*house.readable, *toolchain) if not within(path, private)),
        private=private,
        # what was built is whole: caches too are the work of its steps
        hidden=_distinct((*house.hidden, *strangers, *(_passed_over(private) if folder == bot.folder else ()))),
        bounds=Bounds(
            memory=limits.memory,
            processes=limits.processes,
            file=limits.file,
            descriptors=limits.descriptors,
            cpu=-(-limits.cpu // 1000),
        ),
    )


def for_build(bot: BotFile, house: House) -> Box:
    """The box of a bot's build steps, but for the copy of its folder that they may write to."""
    return Box(
        house.level,
        readable=_distinct((*house.readable, *_toolchain(bot, [step[0] for step in bot.build]))),
        hidden=house.hidden,
        network=house.build_network,
        bounds=_BUILD,
        locks=True,
    )


def _toolchain(bot: BotFile, programs: Sequence[str]) -> tuple[str, ...]:
    """The folders that these programs, those it needs, and the interpreters named in its command lie in."""
    words = [*programs, *bot.needs, *(word for word in bot.command if "{" in word)]
    named = [filled(word) for word in words]
    found = folders(
        [word for word in named if "/" not in word or Path(word).is_absolute()], environment(bot, "")["PATH"]
    )
    ours = within(sys.prefix, found) or any(PYTHON in word for word in words)
    return (*found, _ARENA) if ours and not within(_ARENA, found) else found


def _passed_over(paths: Sequence[str]) -> list[str]:
    """What lies in a bot's folders and is no part of the bot: nobody copies it."""
    passed = []
    for path in paths:
        # what is wrong with a folder is told where the bot enters
        with suppress(BotError):
            passed += [f"{path}/{name}" for name in found(Path(path)).passed]
    return passed


def _distinct(paths: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(paths))
