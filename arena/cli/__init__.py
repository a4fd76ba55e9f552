"""The command line: one file a command, each reads its arguments, calls one function and prints.

The only room that knows typer and rich; it may know all others.
"""

import os
import sys

import typer

from arena.cli import failure
from arena.cli.bots import bots
from arena.cli.check import check
from arena.cli.doctor import doctor
from arena.cli.export import export
from arena.cli.games import games, rules
from arena.cli.leaderboard import leaderboard
from arena.cli.matches import matches
from arena.cli.replay import replay
from arena.cli.run import run
from arena.cli.schema import schema
from arena.cli.verify import verify

app = typer.Typer(
    name="arena",
    help="Tournaments of bots: any language, hidden information, leaderboards one can trust.",
    epilog="Start with: arena run --game cash-a-catch",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
)
for command in (run, check, leaderboard, matches, replay, verify, export, games, rules, bots, schema, doctor):
    app.command()(command)


@app.callback()
def options(
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
    try:
        code = app(standalone_mode=False)
    except typer.Exit as leaving:
        code = leaving.exit_code
    except typer.Abort:
        code = failure.report(KeyboardInterrupt())
    except BrokenPipeError:
        # the reader of our output has gone, as `| head` does: nobody is left to tell
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        code = 0
    except BaseException as error:  # noqa: BLE001 - known failures become words, the rest is raised again there
        code = failure.report(error)
    sys.exit(code or 0)
