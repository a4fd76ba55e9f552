"""``--github``: what a command has found, told to the step of GitHub Actions that it runs in."""

import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from secrets import token_hex
from typing import Annotated

import typer

from arena.cli.failure import code_of, words_of
from arena.errors import NotReadyError, UsageError
from arena.library.standings import Board
from arena.players.botfile import FILE as BOT_FILE
from arena.report import combine, render_combined
from arena.report.github import SUMMARY, Level, annotation, fenced, output, summary

_SUMMARY, _OUTPUT = "GITHUB_STEP_SUMMARY", "GITHUB_OUTPUT"
_MOST = 10
"""GitHub shows no more annotations of one kind from a step."""


def _open(context: typer.Context, value: bool) -> bool:
    if value and not context.resilient_parsing:
        if lacking := [name for name in (_SUMMARY, _OUTPUT) if not os.environ.get(name)]:
            raise UsageError(
                f"expected a step of GitHub Actions, which sets {' and '.join(lacking)}, got none", option="github"
            )
        context.with_resource(_also_failures(context.command_path))
    return value


GitHub = Annotated[
    bool,
    typer.Option(
        "--github", help="Write summary, annotations and outputs of a step of GitHub Actions.", callback=_open
    ),
]


@contextmanager
def _also_failures(command: str) -> Iterator[None]:
    """A failure that ends a command is told like any other result."""
    try:
        yield
    except Exception as error:
        if code_of(error) is not None:
            text = words_of(error)
            for why in list(error.bots.values())[:_MOST] if isinstance(error, NotReadyError) else [text]:
                annotate("error", why, title=command)
            summarise(f"### {command} failed\n\n{fenced(text)}")
            put({"verdict": "failed"})
        raise


def annotate(level: Level, text: str, *, title: str, file: str | None = None) -> None:
    """Put an annotation on standard error, where GitHub looks for them as well: standard output is for data."""
    sys.stderr.write(annotation(level, text, title=title, file=file) + "\n")


def summarise(text: str) -> None:
    """Append Markdown to the summary of the step, as far as there is room.

    Raises:
        UsageError: its file cannot be written.
    """
    path = Path(os.environ[_SUMMARY])
    used = path.stat().st_size if path.is_file() else 0
    _append(_SUMMARY, summary(text + "\n", SUMMARY - used))


def put(values: Mapping[str, object]) -> None:
    """Set outputs of the step.

    Raises:
        UsageError: their file cannot be written.
    """
    _append(_OUTPUT, "".join(output(name, str(value), f"end-{token_hex(16)}") for name, value in values.items()))


def _append(name: str, text: str) -> None:
    try:
        with Path(os.environ[name]).open("a", encoding="utf-8") as file:
            file.write(text)
    except OSError as error:
        raise UsageError(
            f"{name}: expected a file that can be written, got {os.environ[name]}: {error.strerror}"
        ) from error


def place_of(folder: str) -> str | None:
    """The bot file in a folder, as it is called in the repository that is worked on; None if it is not in there."""
    file = Path(folder, BOT_FILE).resolve()
    root = Path(os.environ.get("GITHUB_WORKSPACE") or Path.cwd()).resolve()
    return str(file.relative_to(root)) if file.is_file() and file.is_relative_to(root) else None


def tell(boards: Sequence[Board], root: Path, voids: int, *, strict: bool) -> None:
    """Tell of a run: its leaderboards, whom there is something to say against, who leads."""
    blamed = [
        (board, bot, why, next((each.entered for each in board.entrants if each.name == bot), ""))
        for board in boards
        for bot, why in board.blamed().items()
    ]
    level: Level = "error" if strict else "warning"
    for board, bot, why, entered in blamed[:_MOST]:
        annotate(level, why, title=f"{bot} at {board.leaderboard.game}", file=place_of(entered) if entered else None)
    parts = [f"### {board.leaderboard.game}\n\n{board.markdown()}" for board in boards]
    leaders = [row.bot for row in boards[0].leaderboard.leaderboard if row.rank == 1]
    if len(boards) > 1:
        entrants = list(dict.fromkeys(row.bot for board in boards for row in board.leaderboard.leaderboard))
        combined = combine({board.leaderboard.game: board.shares() for board in boards}, entrants)
        leaders = [each.bot for each in combined if each.rank == 1]
        parts.append(f"### All games\n\n{render_combined(combined, 'markdown')}")
    summarise("\n".join(parts))
    gates = voids or blamed
    put(
        {
            "verdict": "failed" if strict and gates else "played",
            "run": root,
            "leader": ", ".join(leaders),
            "matches": sum(board.leaderboard.matches for board in boards),
            "voids": voids,
        }
    )
