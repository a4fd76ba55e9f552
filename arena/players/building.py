"""How a bot is built: its steps in a copy of its files, which becomes visible when all have succeeded."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from tempfile import mkdtemp
from time import monotonic
from typing import TypeAlias

from msgspec.structs import replace

from arena.errors import BotError, HostError
from arena.players.botfile import BotFile, environment, filled, on_one_line
from arena.players.builds import desk, find_start_folder
from arena.players.content import BUILT, copy, digest_bot, listing
from arena.players.scratch import discard
from arena.players.serving import run_command
from arena.players.shortage import holds, lacks_processes, lacks_room
from arena.players.spawn import CannotStart
from arena.sandbox.paths import variables

SECONDS = 300.0
"""The time limit of one build step."""
ALL_SECONDS = 600.0
"""The time limit of all build steps of a bot together."""
_LINES_SHOWN = 20
RunStep: TypeAlias = Callable[[Sequence[str], Mapping[str, str], Path, float], tuple[int | None, bytes]]


class BuildError(BotError):
    """A bot cannot be built: ``why``, of which ``step`` if one failed, and the last lines of its ``output``."""

    def __init__(self, bot: str, *, why: str, step: str = "", output: Sequence[str] = ()) -> None:
        super().__init__(f"{bot}: {step}{': ' * bool(step)}{why}{_quote(output)}")
        self.why = why
        self.step = step
        self.output = output


def prepare(
    bot: BotFile,
    *,
    cache: Path,
    run: RunStep = run_command,
    seconds: float | None = None,
    within: Path | None = None,
) -> str:
    """The folder to start the bot in: its own, or a built copy, which is made once for each content.

    Steps run in a copy that only becomes visible when all of them have succeeded; of two builders of the same bot, the
    first to finish is believed. Steps have their own scratch folder, the environment of the bot, and ``seconds`` each,
    by default ``SECONDS``, together no more than ``ALL_SECONDS``. ``within`` is a ``desk`` of the caller, who outlives
    this process. ``BuildError``: a step failed, with its exit status and last lines of output, or made too much;
    ``HostError``: one failed while this machine had no room or processes to spare; ``OSError``: the cache cannot be
    written.
    """
    folder = find_start_folder(bot, cache)
    if bot.build and not folder.is_dir():
        if within is not None:
            _build(bot, Path(mkdtemp(dir=within)), folder, run, seconds)
        else:
            with desk(cache) as workspace:
                _build(bot, workspace, folder, run, seconds)
    return str(folder)


def _build(bot: BotFile, desk: Path, built: Path, run: RunStep, seconds: float | None) -> None:
    made, scratch = desk / "bot", desk / "scratch"
    scratch.mkdir()
    copy(Path(bot.folder), to=made)
    if digest_bot(replace(bot, folder=str(made))) != built.name.partition("-")[0]:
        raise BuildError(bot.name, why="expected files that stay as they are while they are copied, got others")
    env = environment(bot, str(scratch))
    env = variables([*(step[0] for step in bot.build), *bot.needs], env["PATH"]) | env
    until = monotonic() + ALL_SECONDS
    for number, step in enumerate(bot.build, 1):
        what = f"build step {number} ({on_one_line(' '.join(step))})"
        most = max(0.0, min(SECONDS if seconds is None else seconds, until - monotonic()))
        try:
            status, output = run([filled(word) for word in step], env, made, most)
        except CannotStart as error:
            raise BuildError(bot.name, why=f"expected a program that starts, got: {error}", step=what) from error
        if status != 0:
            got = f"none in {most:g} s" if status is None else str(status)
            if lack := _lacks(desk, made=(made, scratch)):
                raise HostError(f"exit status {got} of build step {number}: {lack}{_quote(_last_lines(output))}")
            raise BuildError(bot.name, why=f"expected exit status 0, got {got}", step=what, output=_last_lines(output))
    try:
        listing(made, BUILT)
    except BotError as error:
        raise BuildError(bot.name, why=f"build: {error}") from error
    try:
        made.rename(built)
    except OSError:
        if not built.is_dir():
            raise


def _lacks(desk: Path, *, made: Iterable[Path]) -> str | None:
    """What this machine lacks for a step of a build that has failed; None where the bot itself has used it up."""
    lack = lacks_room(desk)
    if lack is None:
        return lacks_processes()
    for folder in made:
        discard(folder)
    return lacks_room(desk) or (None if holds(desk, size=BUILT.size, files=BUILT.files) else lack)


def _last_lines(output: bytes) -> list[str]:
    """The last lines of a step's output, printable."""
    lines = output.decode("utf-8", "backslashreplace").split("\n")
    rows = ["".join(c if c.isprintable() else " " for c in line).rstrip() for line in lines]
    return [line for line in rows if line][-_LINES_SHOWN:]


def _quote(lines: Iterable[str]) -> str:
    """The lines of another program, none of which looks like a line of arena's own."""
    return "".join(f"\n  | {line}" for line in lines)
