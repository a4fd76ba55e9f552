"""``--junit-xml`` and ``--github``: what a command has found, written where CI looks for it.

A step of GitHub Actions gets a summary, annotations and outputs.
"""

import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from secrets import token_hex
from typing import Annotated

import typer

from arena.cli.failure import code_of, words_of
from arena.cli.options import OptionGroup, option
from arena.errors import NotReadyError, UsageError
from arena.players.botfile import BOT_FILE
from arena.report.ci import SUMMARY, Case, StepReport, annotation, junit, output, summary
from arena.tournament.steps import of_failure

_SUMMARY, _OUTPUT = "GITHUB_STEP_SUMMARY", "GITHUB_OUTPUT"
_MOST = 10
"""GitHub shows no more annotations of one kind from a step."""


def _into_step(context: typer.Context, value: bool) -> bool:
    if value and not context.resilient_parsing:
        if lacking := [name for name in (_SUMMARY, _OUTPUT) if not os.environ.get(name)]:
            raise UsageError(
                f"expected a step of GitHub Actions, which sets {' and '.join(lacking)}, got none", option="github"
            )
        context.with_resource(_also_failures(context.command_path))
    return value


def _into_file(context: typer.Context, value: Path | None) -> Path | None:
    if value is not None and not context.resilient_parsing:
        if value.is_dir() or not value.absolute().parent.is_dir():
            raise UsageError(f"expected a file in a folder that is there, got {value}", option="junit_xml")
        context.with_resource(_also_unready(value, str(context.command_path)))
    return value


GitHub = Annotated[
    bool,
    option(
        "--github: Write the summary, annotations and outputs of a GitHub Actions step.",
        callback=_into_step,
        rich_help_panel="CI",
    ),
]


@dataclass(frozen=True, kw_only=True)
class GateOptions(OptionGroup):
    """What CI needs: a file and a step."""

    title = "CI"
    junit_xml: Annotated[
        Path | None,
        option(
            "--junit-xml FILE: Also write the result as JUnit XML: one test case for each bot or rule.",
            callback=_into_file,
        ),
    ] = None
    github: GitHub = False


@contextmanager
def _also_failures(command: str) -> Iterator[None]:
    """A failure that ends a command is told like any other result."""
    try:
        yield
    except Exception as error:
        if code_of(error) is not None:
            tell(of_failure(command=command, error=error, text=words_of(error)))
        raise


@contextmanager
def _also_unready(path: Path, name: str) -> Iterator[None]:
    """Bots that cannot start are failed cases as well."""
    try:
        yield
    except NotReadyError as error:
        unready = [
            Case(group="start", name=bot, failed="cannot start", kind="unready", more=why)
            for bot, why in error.bots.items()
        ]
        write_cases(path, name, unready)
        raise


def write_cases(path: Path, name: str, cases: Sequence[Case], seconds: float = 0.0) -> None:
    """Write test cases to a file.

    Raises:
        UsageError: it cannot be written.
    """
    try:
        path.write_bytes(junit(name, cases, seconds))
    except OSError as error:
        raise UsageError(
            f"expected a file that can be written, got {path}: {error.strerror}", option="junit_xml"
        ) from error


def tell(step: StepReport) -> None:
    """Tell the step that this command runs in.

    Annotations go to standard error, where GitHub looks for them as well: standard output is for data. The summary is
    cut where there is no more room.

    Raises:
        UsageError: a file of the step cannot be written.
    """
    for note in step.annotations[:_MOST]:
        line = annotation(note.level, note.text, title=note.title, file=place_of(note.bot) if note.bot else None)
        sys.stderr.write(f"{line}\n")
    path = Path(os.environ[_SUMMARY])
    used = path.stat().st_size if path.is_file() else 0
    _append(_SUMMARY, summary(f"{step.summary}\n", SUMMARY - used))
    outputs = (output(name, value=str(value), delimiter=f"end-{token_hex(16)}") for name, value in step.outputs.items())
    _append(_OUTPUT, "".join(outputs))


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
