"""What goes wrong, as one line on stderr and an exit code by convention. No traceback for a mistake of a user or a bot.

Codes: 0 ok, 1 a gate failed, 2 usage or environment, 3 runner trouble, 4 journal, 5 locked, 128 + n signal n.
"""

import errno
import shlex
import sys

import typer

from arena.players.botfile import BotError, nearest
from arena.players.process import HouseTrouble
from arena.tournament.folder import Broken
from arena.tournament.journal import Corrupt, Locked
from arena.tournament.lanes import Interrupted, LanesFailed
from arena.tournament.plan import Mismatch

USAGE, TROUBLE, JOURNAL, LOCKED = 2, 3, 4, 5
# typer carries its own copy of click and shows of it only this class: its ancestor is that of all usage errors
_ClickError = next(kind for kind in typer.BadParameter.__mro__ if kind.__name__ == "ClickException")


class Usage(Exception):
    """What was asked for cannot be done: *expected ... got ...*."""


class Unready(Exception):
    """Bots that cannot start; the text has their command and stderr."""


def code_of(error: BaseException) -> int | None:
    """The exit code of a known failure, or None."""
    match error:
        case Usage() | Unready() | BotError() | Mismatch() | LookupError():
            return USAGE
        case Broken() | Corrupt():
            return JOURNAL
        case Locked():
            return LOCKED
        case Interrupted():
            return 128 + error.number
        case KeyboardInterrupt():
            return 130
        case LanesFailed() | HouseTrouble() | OSError():
            return TROUBLE
    return None


def words_of(error: BaseException) -> str:
    """What to tell of a known failure."""
    match error:
        case KeyboardInterrupt():
            return "interrupted"
        case Interrupted():
            return f"stopped by {error}"
        case OSError() if error.errno == errno.ENOSPC:
            return f"the disk is full: {error}"
        case LookupError() if isinstance(error, KeyError | IndexError):
            return repr(error)
    return str(error)


def report(error: BaseException) -> int:
    """Tell of a failure on stderr; its exit code. A flaw of arena itself is raised again."""
    if isinstance(error, _ClickError):
        return _usage(error)
    if isinstance(error, KeyError | IndexError):
        raise error
    code = code_of(error)
    if code is None:
        raise error
    sys.stderr.write(f"arena: {words_of(error)}\n")
    return code


def _usage(error: BaseException) -> int:
    """A mistake on the command line that typer found, in arena's own words."""
    context = getattr(error, "ctx", None)
    command = context.command_path if context is not None else "arena"
    known: list[str] = []
    if context is not None:
        known = [option for parameter in context.command.params for option in parameter.opts]
        known += list(getattr(context.command, "commands", {}))
    option = getattr(error, "option_name", None)
    message = getattr(error, "format_message", error.__str__)()
    if message.startswith("No such option"):
        message = f"expected an option of `{command}`, got {option!r}{nearest(str(option), known)}"
    elif message.startswith("No such command"):
        word = message.partition("'")[2].rpartition("'")[0] or shlex.join(sys.argv[1:2])
        message = f"expected a command, got {word!r}{nearest(word, known)}"
    sys.stderr.write(f"arena: {message.rstrip('.')}; see `{command} --help`\n")
    return USAGE
