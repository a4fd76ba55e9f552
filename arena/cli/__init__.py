"""The command line: one file a command, each reads its arguments, calls one function and prints.

The only room that knows typer.
"""

import gc
import os
import sys
from collections.abc import Iterable
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer
from typer.core import TyperGroup

from arena.cli.command import GroupedHelp
from arena.terminal.streams import open_streams

if TYPE_CHECKING:
    app: typer.Typer

_GROUPS = {
    title: dict(line.split(": ", 1) for line in lines)
    for title, *lines in map(str.splitlines, Path(__file__).with_name("commands.txt").read_text("utf-8").split("\n\n"))
}
"""Commands as the help lists them, without a look at them. Each is a function or a group in a module of its name."""
_LINES = {name: line for group in _GROUPS.values() for name, line in group.items()}


def __getattr__(name: str) -> typer.Typer:
    """``app``, the whole command line, for whoever asks: a run needs only its own command, which saves a third."""
    if name != "app":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return _app(_LINES)


class _Grouped(TyperGroup):
    def list_commands(self, ctx: Any) -> list[str]:  # noqa: ARG002 - as in typer
        return list(_LINES)

    def format_commands(self, ctx: Any, formatter: Any) -> None:  # noqa: ARG002 - as in typer
        for title, lines in _GROUPS.items():
            with formatter.section(title):
                formatter.write_dl([(name.ljust(max(map(len, _LINES))), line) for name, line in lines.items()])


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
        else:
            app.command(short_help=_LINES[name], cls=GroupedHelp)(command)
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
    open_streams()
    try:
        app = _load_app()
        gc.freeze()
        gc.enable()
        code = app(standalone_mode=False, prog_name="arena")
    except typer.Exit as leaving:
        code = leaving.exit_code
    except typer.Abort:
        code = _report(KeyboardInterrupt())
    except SystemExit as leaving:
        # the reader of the output has gone, as with `| head`; typer calls that a failure, but it is none
        code = 0 if isinstance(leaving.__context__, BrokenPipeError) else leaving.code
    except BaseException as error:  # noqa: BLE001 - known failures are reported; `report` raises the others again
        code = _report(error)
    code = _said_all(code or 0)
    # the interpreter ends sooner if it need not look for garbage
    gc.freeze()
    sys.exit(code)


def _report(error: BaseException) -> int:
    from arena.cli.failure import report  # noqa: PLC0415 - it knows settings, which the help of all commands needs not

    return report(error)


def _load_app() -> typer.Typer:
    """The command line with the command that the first word names, if it names one: options before it take no value."""
    if "_ARENA_COMPLETE" in os.environ:
        from arena.cli.completion import complete  # noqa: PLC0415 - only where a shell asks

        complete(app := _app(_LINES))
        return app
    first = next((word for word in sys.argv[1:] if not word.startswith("-")), "")
    return _app({first} & _LINES.keys())


def _said_all(code: int | str) -> int | str:
    """The exit code, after all output is written; what cannot be written, the interpreter must not try again."""
    try:
        sys.stdout.flush()
    except OSError as error:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        if not isinstance(error, BrokenPipeError):
            code = code or _report(error)
    return code
