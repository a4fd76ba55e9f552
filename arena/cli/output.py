"""The options for the format and the amount of output, and for the file that settings come from."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from arena.cli.config import PENDING, ConfigFile, Trust
from arena.cli.options import OptionGroup, option
from arena.errors import UsageError
from arena.report.document import OutputFormat
from arena.terminal import remark, sayer


def _say(context: typer.Context, quiet: bool) -> bool:
    for text in context.meta.pop(PENDING, ()):
        remark(text, quiet=quiet)
    return quiet


@dataclass(frozen=True, kw_only=True)
class SettingsOptions(OptionGroup):
    """The file that settings come from."""

    config: ConfigFile = None
    trust: Trust = False


@dataclass(frozen=True, kw_only=True)
class FormatOptions(OptionGroup):
    """The output format of a table."""

    format_: Annotated[OutputFormat, option("--format: Output format.", show_default=True)] = "table"
    json: Annotated[bool, option("--json: The same as --format json.")] = False

    @property
    def form(self) -> OutputFormat:
        """How to print."""
        return "json" if self.json else self.format_


@dataclass(frozen=True, kw_only=True)
class QuietOptions(OptionGroup):
    """How much is written to stderr."""

    quiet: Annotated[bool, option("-q --quiet: Only the result: no progress, no remarks.", callback=_say)] = False

    @property
    def say(self) -> Callable[[str], None]:
        """A function that prints remarks of the library."""
        return sayer(quiet=self.quiet)


@dataclass(frozen=True, kw_only=True)
class PlainOutputOptions(QuietOptions, FormatOptions):
    """How results and remarks are printed."""


@dataclass(frozen=True, kw_only=True)
class OutputOptions(PlainOutputOptions, SettingsOptions):
    """The same, for a command that reads settings."""


Verbose = Annotated[bool, option("-v --verbose: Say more on stderr.")]


def write_page(where: str, *, page: str) -> None:
    """Write a page to a file and say where, or to standard output for ``-``.

    Raises:
        UsageError: it cannot be written there.
    """
    if where == "-":
        typer.echo(page, nl=False)
        return
    try:
        Path(where).write_text(page, encoding="utf-8")
    except OSError as error:
        raise UsageError(f"expected to write {where}, got {error.strerror or error}") from error
    typer.echo(where)
