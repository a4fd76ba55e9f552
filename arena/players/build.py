"""Builds a bot in a cache, keyed by its content. Knows bot files and commands; knows no message or match."""

import os
import platform
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import mkdtemp
from time import monotonic
from typing import TypeAlias

from msgspec.structs import replace

from arena.errors import BotError
from arena.players.botfile import BotFile, environment, filled, on_one_line
from arena.players.content import BUILT, contents, copy, digest
from arena.players.launch import run_command
from arena.players.lifetime import discard
from arena.players.spawn import CannotStart
from arena.sandbox.paths import variables

SECONDS = 300.0
"""The time limit of one build step."""
ALL_SECONDS = 600.0
"""The time limit of all build steps of a bot together."""
_LINES_SHOWN = 20


RunStep: TypeAlias = Callable[[Sequence[str], Mapping[str, str], Path, float], tuple[int | None, bytes]]


def cache_folder() -> Path:
    """The folder of arena's cache: ``$XDG_CACHE_HOME/arena`` or ``~/.cache/arena``."""
    named = Path(os.environ.get("XDG_CACHE_HOME", ""))
    return (named if named.is_absolute() else Path.home() / ".cache") / "arena"


def prepared(bot: BotFile, cache: Path | None = None) -> Path:
    """The folder to start the bot in: its own, or one for this content, which is there if the bot is built."""
    if not bot.build:
        return Path(bot.folder)
    # machines with other interpreters or processors may share the home folder, and could not run this build
    return _builds(cache) / f"{digest(bot)}-{sys.implementation.cache_tag}-{platform.machine()}"


def _builds(cache: Path | None = None) -> Path:
    return (cache or cache_folder()) / "builds"


@contextmanager
def desk(cache: Path | None = None) -> Iterator[Path]:
    """A folder for what is half built, which is removed at the end, however deeply nested."""
    _builds(cache).mkdir(parents=True, exist_ok=True)
    desk = mkdtemp(prefix=".building-", dir=_builds(cache))
    try:
        yield Path(desk)
    finally:
        discard(desk)


def prepare(
    bot: BotFile,
    *,
    run: RunStep = run_command,
    cache: Path | None = None,
    seconds: float = SECONDS,
    within: Path | None = None,
) -> str:
    """The folder to start the bot in: its own, or a built copy, which is made once for each content.

    Steps run in a copy that only becomes visible when all of them have succeeded; of two builders of the same bot, the
    first to finish is believed. Steps have their own scratch folder, the environment of the bot, and ``seconds`` each,
    together no more than ``ALL_SECONDS``. ``within`` is a ``desk`` of the caller, who outlives this process.
    ``BotError``: a step failed, with its exit status and the last lines of its output, or they made too much;
    ``OSError``: the cache cannot be written.
    """
    folder = prepared(bot, cache)
    if bot.build and not folder.is_dir():
        if within is not None:
            _build(bot, Path(mkdtemp(dir=within)), folder, run, seconds)
        else:
            with desk(cache) as own:
                _build(bot, own, folder, run, seconds)
    return str(folder)


def _build(bot: BotFile, desk: Path, built: Path, run: RunStep, seconds: float) -> None:
    made, scratch = desk / "bot", desk / "scratch"
    scratch.mkdir()
    copy(Path(bot.folder), to=made)
    if digest(replace(bot, folder=str(made))) != built.name.partition("-")[0]:
        raise BotError(f"{bot.name}: expected files that stay as they are while they are copied, got others")
    env = environment(bot, str(scratch))
    env = variables([*(step[0] for step in bot.build), *bot.needs], env["PATH"]) | env
    until = monotonic() + ALL_SECONDS
    for number, step in enumerate(bot.build, 1):
        what = f"{bot.name}: build step {number} ({on_one_line(' '.join(step))})"
        most = max(0.0, min(seconds, until - monotonic()))
        try:
            status, output = run([filled(word) for word in step], env, made, most)
        except CannotStart as error:
            raise BotError(f"{what}: expected a program that starts, got: {error}") from error
        if status != 0:
            got = f"none in {most:g} s" if status is None else str(status)
            raise BotError(f"{what}: expected exit status 0, got {got}{_last_lines(output)}")
    try:
        contents(made, BUILT)
    except BotError as error:
        raise BotError(f"{bot.name}: build: {error}") from error
    try:
        made.rename(built)
    except OSError:
        if not built.is_dir():
            raise


def _last_lines(output: bytes) -> str:
    """The last lines of a step's output, printable, none of which looks like a line of arena's own."""
    lines = output.decode("utf-8", "backslashreplace").split("\n")
    shown = ["".join(c if c.isprintable() else " " for c in line).rstrip() for line in lines]
    return "".join(f"\n  | {line}" for line in [line for line in shown if line][-_LINES_SHOWN:])
