"""``--isolation``: from what is asked for to the level that this machine has just proved, or a plain word why not."""

import os
from collections.abc import Sequence
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from arena.cli.failure import Usage
from arena.cli.options import remark
from arena.players.content import runs_in
from arena.players.walls import House
from arena.sandbox.box import LEVELS, Level
from arena.sandbox.toolchain import within
from arena.tournament.jobs import Job, Message, Prove, Proved
from arena.tournament.lanes import Lanes


class Asked(StrEnum):
    """The values of ``--isolation``: ``auto``, or a level of ``arena.sandbox.box``."""

    auto = "auto"
    none = "none"
    landlock = "landlock"
    bwrap = "bwrap"


Isolation = Annotated[
    Asked,
    typer.Option(
        "--isolation", envvar="ARENA_ISOLATION", help="Walls around bots; auto: the best that this machine proves."
    ),
]
BuildNetwork = Annotated[
    bool,
    typer.Option(
        "--build-network/--no-build-network",
        envvar="ARENA_BUILD_NETWORK",
        help="Let build steps reach the network. Default: not.",
        show_default=False,
    ),
]
AsRun = Annotated[
    Asked,
    typer.Option("--isolation", envvar="ARENA_ISOLATION", help="Walls around bots; auto: those of the run."),
]
Readable = Annotated[
    list[str] | None,
    typer.Option(
        "--readable",
        envvar="ARENA_READABLE",
        metavar="PATH",
        help="What bots may read besides, repeatable.",
        show_default=False,
    ),
]

_LEVELS: dict[Asked, Level] = {Asked(level): level for level in LEVELS}
_IN_WORDS: dict[Level, str] = {
    "none": "bots run with your rights, for this machine proves no walls: see `arena doctor`",
    "landlock": "files, signals and sockets are closed to bots",
    "bwrap": "bots have files, processes and a network of their own",
}


def settled(
    asked: Asked,
    crew: Lanes,
    *,
    secret: Sequence[Path] = (),
    readable: Sequence[str] = (),
    build_network: bool = False,
    quiet: bool = False,
) -> House:
    """The walls that all bots get, proved just now; ``secret`` is what no bot may see: results, a plan, a secret.

    Nor may it see what is there of other runs in something that is readable.

    Raises:
        Usage: a level is asked for by name that this machine does not prove; or no such path.
    """
    level = _level(asked, crew, quiet=quiet)
    shown = []
    for text in readable:
        path = Path(text).resolve()
        if not path.exists():
            raise Usage(f"--readable: expected a file or folder, got {text!r}")
        shown.append(str(path))
    hidden = [os.path.realpath(path) for path in (*secret, Path("results"))]
    if lost := [path for path in shown if within(path, hidden)]:
        raise Usage(f"--readable: expected what is no result or secret, got {lost[0]}")
    if level != "none":
        hidden += [run for path in shown for run in runs_in(path)]
    return House(level, tuple(dict.fromkeys(hidden)), tuple(shown), build_network)


def level_of(asked: Asked) -> Level:
    """The level that is asked for by name; the lowest if none is."""
    return _LEVELS.get(asked, "none")


def _level(asked: Asked, crew: Lanes, *, quiet: bool) -> Level:
    if asked is Asked.none:
        return "none"
    if asked is not Asked.auto:
        level = _LEVELS[asked]
        proof = prove(crew, level)
        if not proof.holds:
            raise Usage(f"--isolation: expected {level}, which this machine does not have: {proof.why}")
        return level
    best: Level = next((level for level in reversed(LEVELS) if level == "none" or prove(crew, level).holds), "none")
    remark(f"arena: isolation: {best}: {_IN_WORDS[best]}", quiet=quiet)
    return best


def prove(crew: Lanes, level: Level, *, whole: bool = False) -> Proved:
    """Have a probe tried at a level in a lane: what it could do there, and whether that is what the level promises."""
    heard: list[Proved] = []

    def hear(_job: Job, message: Message) -> None:
        if isinstance(message, Proved):
            heard.append(message)

    crew.run([Prove(level, whole)], hear)
    return heard[0]
