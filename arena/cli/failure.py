"""Errors as one line on stderr and an exit code by convention. No traceback for a mistake of a user or a bot.

Codes: 0 ok, 1 a gate failed, 2 usage or environment, 3 runner trouble, 4 journal, 5 locked, 6 undecided, 128 + n
signal n.
"""

import errno
import re
import sys
from typing import Any

import typer

from arena import errors
from arena.errors import BotError, DamagedError, HostError, Interrupted, LockedError, UsageError, nearest
from arena.escape import some
from arena.files import Linked
from arena.terminal import remark
from arena.tournament.settings import collect_settings

USAGE, TROUBLE, JOURNAL, LOCKED, UNDECIDED = 2, 3, 4, 5, 6
# typer has its own copy of click and exports only this class of it; the base of all usage errors is its ancestor
_ClickError = next(kind for kind in typer.BadParameter.__mro__ if kind.__name__ == "ClickException")
_VALUE = re.compile(r"'(.*)' is not |(\S+) is not in the range", re.DOTALL)
_OPTIONS_ALONE = ("help", "version")
"""Options of `arena` itself that other programs have as commands."""
_ASKED_FOR = (errno.ENAMETOOLONG, errno.ELOOP)
"""Errors of paths that no machine can open: the user has to name another path."""
_HOSTS = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO)
"""Errors of disks that are full or fail: another name would not help the user."""
_OF_UNTIL = {"--decide": "decided", "--margin": "equal=M", "--sprt": "sprt=A,B", "--alpha": "decided,alpha=A"}
"""What `--until` of `arena compare` says in place of options that testers of bots know."""
NAMES = "arena.names"
"""Under this a context holds how to name, by parameter, the defaults that are from a settings file."""


def code_of(error: BaseException) -> int | None:
    """The exit code of a known failure, or None."""
    match error:
        case UsageError() | BotError() | LookupError():
            why = error.__cause__
            return TROUBLE if isinstance(why, OSError) and why.errno in _HOSTS else USAGE
        case DamagedError() | Linked():
            return JOURNAL
        case LockedError():
            return LOCKED
        case Interrupted():
            return 128 + error.number
        case KeyboardInterrupt():
            return 130
        case OSError() if error.errno in _ASKED_FOR or (error.errno == errno.ENOENT and error.filename is None):
            return USAGE
        case HostError() | OSError() | MemoryError():
            return TROUBLE
    return None


def words_of(error: BaseException) -> str:
    """What to tell of a known failure."""
    match error:
        case KeyboardInterrupt():
            return "interrupted"
        case Interrupted():
            return f"stopped by {error}"
        case UsageError() if error.option:
            part = f" {error.part}" if error.part else ""
            return f"{_option(error.option)}{part}: {error.text}"
    return errors.words_of(error)


def _option(field: str) -> str:
    """The option that sets a field of a ``RunSpec``, or another one of that name."""
    return collect_settings()[field].option if field in collect_settings() else f"--{field.replace('_', '-')}"


def report(error: BaseException) -> int:
    """Tell of a failure on stderr; its exit code. A flaw of arena itself is raised again."""
    if isinstance(error, _ClickError):
        return _usage(error)
    # an unknown game is a mistake of the user; a failed look-up in a list or table is a flaw of arena
    code = None if isinstance(error, KeyError | IndexError) else code_of(error)
    if code is None:
        raise error
    remark(f"arena: {words_of(error)}")
    return code


def _usage(error: BaseException) -> int:
    if type(error).__name__ == "NoArgsIsHelpError":
        sys.stderr.write(f"{error}\n")
        return USAGE
    context = getattr(error, "ctx", None)
    command = context.command_path if context is not None else _command()
    words = _words_of_usage(error, context, command)
    # the message has named the right word already
    more = "" if words.endswith(("?", "remark")) else f"; see `{command} --help`"
    remark(f"arena: {words}{more}")
    return USAGE


def _command() -> str:
    """The command, where the parser does not name it: the first word, for `arena` itself takes no values."""
    return f"arena {sys.argv[1]}" if sys.argv[1:] and sys.argv[1].isidentifier() else "arena"


def _words_of_usage(error: BaseException, context: Any, command: str) -> str:
    """What is wrong with a command line, by an error of its parser; ``command`` is as typed, like ``arena run``."""
    message = str(getattr(error, "message", "")) or str(error)
    option = getattr(error, "option_name", None)
    parameter = getattr(error, "param", None)
    match type(error).__name__:
        case "NoSuchOption":
            return _no_such_option(str(option), context, command)
        case "BadOptionUsage" if "not take a value" in message:
            return f"{option}: expected no value, got one"
        case "BadOptionUsage":
            return f"{option}: expected a value, got none"
        case "MissingParameter":
            source = _source_of(parameter, context)
            cures = {"MATCH": "; write 1 or '#1': to a shell # begins a remark", "RUN": ", and results/ has none"}
            return f"expected {source}, got none{cures.get(source, '')}"
        case "BadParameter" if parameter is not None and (match := _VALUE.match(message)):
            got = match[2] if match[1] is None else match[1]
            return f"{_source_of(parameter, context)}: {_expected(parameter.type, got)}"
    if match := re.match(r"No such command ['\"](.*?)['\"]\.", message, re.DOTALL):
        from arena.cli.docs import pages  # noqa: PLC0415 - it takes long to load

        word = f"--{match[1]}" if match[1] in _OPTIONS_ALONE else f"docs {match[1]}" if match[1] in pages() else ""
        near = f"; did you mean `arena {word}`?" if word else nearest(match[1], context.command.list_commands(context))
        return f"expected a command, got {match[1]!r}{near}"
    if match := re.fullmatch(r"Got unexpected extra arguments?(?:\(s\))? \((.*)\)", message, re.DOTALL):
        return f"expected no further arguments, got {match[1]!r}"
    if closed := re.fullmatch(r"\w+ '(.*)' is not readable\.", message, re.DOTALL):
        message = f"{_source_of(parameter, context)}: expected what can be read, got {closed[1]!r}: Permission denied"
    return message.rstrip(".")


def _no_such_option(option: str, context: Any, command: str) -> str:
    options = [name for param in context.command.params for name in param.opts] if context is not None else []
    if option in _OF_UNTIL and command == "arena compare":
        return f"expected --until {_OF_UNTIL[option]}, got {option!r}"
    return f"expected an option of `{command}`, got {option!r}{nearest(option, options)}"


def named_in(error: UsageError, context: Any) -> str:
    """The words of an error about an option's value, naming the key or the variable that the value is from."""
    parameter = next((param for param in context.command.params if error.option and param.name == error.option), None)
    if parameter is None:
        return words_of(error)
    source = _source_of(parameter, context)
    part = f"{' ' if source in (parameter.envvar, _option(error.option)) else '.'}{error.part}" if error.part else ""
    return f"{source}{part}: {error.text}"


def _source_of(parameter: Any, context: Any) -> str:
    """A value by where it is from: a variable, a key of a file, an option's longest name, an argument in the help."""
    source = getattr(context and context.get_parameter_source(parameter.name), "name", "")
    if source == "ENVIRONMENT":
        return str(parameter.envvar)
    if source == "DEFAULT_MAP":
        return str(context.meta[NAMES][parameter.name])
    if parameter.param_type_name == "option":
        return str(max(parameter.opts, key=len))
    return str(parameter.metavar or parameter.name).strip("[].")


def _expected(kind: Any, value: str) -> str:
    if choices := [str(getattr(choice, "value", choice)) for choice in getattr(kind, "choices", ())]:
        return f"expected {some(choices, 60, 'see --help')}, got {value!r}{nearest(value, choices)}"
    if getattr(kind, "name", "") == "boolean":
        return f"expected true or false, got {value!r}"
    if getattr(kind, "name", "") == "path":
        return f"expected a folder, got {value!r}"
    least, most = getattr(kind, "min", None), getattr(kind, "max", None)
    span = f" from {least}" if least is not None else ""
    span += f" to {most}" if most is not None else ""
    return f"expected a whole number{span}, got {value!r}"
