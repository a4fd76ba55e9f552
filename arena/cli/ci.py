"""``--junit-xml`` and ``--github``: what a command has found, written where CI looks for it.

A step of GitHub Actions gets a summary, annotations and outputs.
"""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from arena.cli.failure import code_of, words_of
from arena.cli.options import OptionGroup, option
from arena.errors import NotReadyError, UsageError
from arena.report.ci import Case
from arena.tournament.steps import STEP, of_failure, tell, write_cases


def _into_step(context: typer.Context, value: bool) -> bool:
    if value and not context.resilient_parsing:
        if lacking := [name for name in STEP if not os.environ.get(name)]:
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
