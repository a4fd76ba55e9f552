"""The command line: one file a command, each reads its arguments, calls one function and prints.

The only room that knows typer.
"""

import gc
import io
import os
import re
import sys
from collections.abc import Iterable
from contextlib import suppress
from importlib import import_module
from typing import TYPE_CHECKING, Any

import typer
from typer.core import TyperGroup

from arena.cli import failure
from arena.cli.command import GroupedHelp

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer

    app: typer.Typer

_GROUPS = {
    "Make a bot": "new check bots",
    "Play": "run play selfplay",
    "Look at results": "replay report stats matches leaderboard watch",
    "Improve a bot": "compare review",
    "Host a competition": "season verify merge export",
    "Look up": "docs rules games laws doctor schema",
}
"""As the help lists them; each is a function, or a group of some, of the same name in a module of that name."""
_COMMANDS = " ".join(_GROUPS.values()).split()


def __getattr__(name: str) -> typer.Typer:
    """``app``, the whole command line, for whoever asks: a run needs only its own command, which saves a third."""
    if name != "app":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return _app(_COMMANDS)


class _Grouped(TyperGroup):
    def format_commands(self, ctx: Any, formatter: Any) -> None:  # noqa: ARG002 - as in typer
        longest = max(map(len, self.commands))
        for title, names in _GROUPS.items():
            commands = [(name, self.commands[name]) for name in names.split() if name in self.commands]
            if commands:
                with formatter.section(title):
                    said = [(name, one.get_short_help_str(formatter.width - 6 - longest)) for name, one in commands]
                    formatter.write_dl([(name.ljust(longest), words) for name, words in said])


def _app(names: Iterable[str]) -> typer.Typer:
    app = typer.Typer(
        name="arena",
        cls=_Grouped,
        epilog="\b\nStart with: arena run --game cash-a-catch\nYour own bot: arena new bot mine",
        no_args_is_help=True,
        pretty_exceptions_enable=False,
        rich_markup_mode=None,
        context_settings={"help_option_names": ["-h", "--help"]},
    )
    app.callback()(_general_options)
    for name in names:
        command = getattr(import_module(f"arena.cli.{name}"), name)
        if isinstance(command, typer.Typer):
            app.add_typer(command)
            continue
        # the list of commands has room for what stands before the first mark
        said = re.split("[.,;:]", str(command.__doc__), maxsplit=1)[0]
        app.command(short_help=f"{said}.", cls=GroupedHelp)(command)
    return app


def _general_options(
    *,
    version: bool = typer.Option(False, "--version", help="Print the version and exit."),  # noqa: FBT003 - typer's way
) -> None:
    """Tournaments of bots: any language, hidden information, leaderboards one can trust."""
    # `arena --version` alone never gets here: arena.__main__ answers it; this is for `arena --version run`
    if version:
        from arena import __version__  # noqa: PLC0415 - only then

        typer.echo(f"arena {__version__}")
        raise typer.Exit


def main() -> None:
    """Run the command line and leave with an exit code by convention."""
    _open_streams()
    try:
        app = _asked()
        gc.freeze()
        gc.enable()
        code = app(standalone_mode=False, prog_name="arena")
    except typer.Exit as leaving:
        code = leaving.exit_code
    except typer.Abort:
        code = failure.report(KeyboardInterrupt())
    except SystemExit as leaving:
        # the reader of the output has gone, as with `| head`; typer calls that a failure, but it is none
        code = 0 if isinstance(leaving.__context__, BrokenPipeError) else leaving.code
    except BaseException as error:  # noqa: BLE001 - known failures are reported; `report` raises the others again
        code = failure.report(error)
    code = _said_all(code or 0)
    # the interpreter ends sooner if it need not look for garbage
    gc.freeze()
    sys.exit(code)


def _asked() -> typer.Typer:
    """The command line with the command that the first word names, or with all of them."""
    if "_ARENA_COMPLETE" in os.environ:
        from arena.cli.completion import complete  # noqa: PLC0415 - only where a shell asks

        complete(app := _app(_COMMANDS))
        return app
    return _app([name for name in _COMMANDS if name in sys.argv[1:2]] or _COMMANDS)


def _said_all(code: int | str) -> int | str:
    """The exit code, after all output is written; what cannot be written, the interpreter must not try again."""
    try:
        sys.stdout.flush()
    except OSError as error:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        if not isinstance(error, BrokenPipeError):
            code = code or failure.report(error)
    return code


class _Words(io.FileIO):
    """Standard error. No run ends because its remarks cannot be written."""

    def write(self, data: "ReadableBuffer", /) -> int:
        """As ``io.FileIO``; what cannot be written is dropped."""
        with suppress(OSError):
            if (written := super().write(data)) is not None:
                return written
        return memoryview(data).nbytes


def _open_streams() -> None:
    """Open the standard streams that are closed, so that no file of a run is opened as one of them."""
    null = os.open(os.devnull, os.O_RDWR)
    while null <= 2:  # noqa: PLR2004 - stdin, stdout, stderr
        os.set_inheritable(null, True)  # noqa: FBT003 - as in os
        null = os.open(os.devnull, os.O_RDWR)
    os.close(null)
    sys.stdin = sys.stdin or open(os.devnull, encoding="utf-8")  # noqa: PTH123, SIM115 - lives as long as we do
    sys.stdout = sys.stdout or open(os.devnull, "w", encoding="utf-8")  # noqa: PTH123, SIM115 - likewise
    if sys.stderr is sys.__stderr__:
        encoding = sys.stderr.encoding if sys.stderr else "utf-8"
        words = io.BufferedWriter(_Words(2, "w", closefd=False))
        sys.stderr = io.TextIOWrapper(words, encoding, "backslashreplace", line_buffering=True)
