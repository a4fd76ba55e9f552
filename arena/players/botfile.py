"""A bot file: what ``bot.toml`` says of a bot and how the bot is to be started. Starts nothing.

A TOML file is read as a struct. An error names a wrong type in TOML's words and says what to write instead.
"""

import errno
import json
import os
import re
import shlex
import shutil
import sys
import tomllib
from collections.abc import Iterable
from datetime import date, datetime, time
from difflib import get_close_matches
from pathlib import Path
from typing import Annotated, Any, Literal, TypeVar

import msgspec
from msgspec import Meta, Struct, inspect
from msgspec.inspect import (
    BoolType,
    DictType,
    IntType,
    LiteralType,
    Metadata,
    NoneType,
    StrType,
    StructType,
    Type,
    UnionType,
    VarTupleType,
)

from arena.errors import BotError
from arena.files import kind
from arena.players.limits import KEYS as LIMITS
from arena.players.limits import read as read_limit
from arena.sandbox.paths import SYSTEM, host_path, is_tool, within

_Kind = TypeVar("_Kind")
_BARE = re.compile(r"[A-Za-z0-9_-]+")
_WHOLE = re.compile(r"-?[0-9]{1,9}")
_MOST = 1 << 20
"""Bytes of a file: parsing takes many times that."""
_DOTS = 200
"""In one line: the time that a key takes to be parsed grows with the square of its parts."""
_SHELL = frozenset(["cd", "export", "exec", "source", ".", "ulimit", "&&", "||", "|", ";", "&", "<", ">", ">>"])
"""Words of a command line that tell of a shell."""
_LONGEST = 60
"""Characters of what to write: more would bury what is wrong."""

_GOT = {
    str: "a string",
    bool: "a boolean",
    int: "an integer",
    float: "a float",
    datetime: "a date-time",
    date: "a date",
    time: "a time",
    list: "an array",
    dict: "a table",
}


def load(file: Path) -> dict[str, Any]:
    """The table in a TOML file; a ``ValueError`` without the file's name if it cannot be read, or is not TOML."""
    if (got := kind(file)) != "a file":
        raise ValueError(f"expected a file, got {got}")
    try:
        # a file of the kernel has no size, and reading it may block
        with open(os.open(file, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK), "rb") as opened:  # noqa: PTH123 - for its flags
            data = opened.read(_MOST + 1) or b""
    except OSError as error:
        raise ValueError(f"expected to read it, got: {error.strerror}") from error
    if len(data) > _MOST:
        raise ValueError(f"expected at most {_MOST >> 20} MiB, got more")
    # only this byte ends a line of TOML
    dots = max(line.count(b".") for line in data.split(b"\n"))
    if dots > _DOTS:
        raise ValueError(f"expected at most {_DOTS} dots in a line, got {dots}")
    try:
        return tomllib.loads(data.decode("utf-8-sig").replace("\r\n", "\n"))
    except (ValueError, RecursionError) as error:
        raise ValueError(f"expected TOML, got something else ({error})") from error


def as_struct(table: dict[str, Any], kind: type[_Kind]) -> _Kind:
    """A table as a struct; a ``ValueError`` if a value is of the wrong type: *key: expected ... got ...; write ...*."""
    try:
        return msgspec.convert(table, kind)
    except msgspec.ValidationError as error:
        raise ValueError(_fault_in(table, inspect.type_info(kind), "") or str(error)) from None


def _fault_in(value: Any, kind: Type, key: str) -> str | None:
    kind = _plain(kind)
    if isinstance(kind, StructType | DictType) and isinstance(value, dict):
        for name, inner in value.items():
            due = _type_of(name, kind)
            if due and (fault := _fault_in(inner, due, f"{key}.{name}" if key else name)):
                # a fault in a table is told by that table's own key
                return fault if isinstance(inner, dict) else fault + _remedy(name, inner, due)
        return None
    if isinstance(kind, VarTupleType) and isinstance(value, list) and len(value) >= (kind.min_length or 0):
        faults = (_fault_in(inner, kind.item_type, f"{key}[{place}]") for place, inner in enumerate(value))
        return next((fault for fault in faults if fault), None)
    if isinstance(kind, VarTupleType) and value == []:
        return f"{key}: expected {_words(kind)} that is not empty, got an empty one"
    return None if _fits(value, kind) else f"{key}: expected {_words(kind)}, got {_got(value, kind)}"


def _plain(kind: Type) -> Type:
    """The kind without what is no matter of TOML: that a key may be left out, and remarks for the schema."""
    if isinstance(kind, Metadata):
        return _plain(kind.type)
    if isinstance(kind, UnionType):
        kinds = [part for part in kind.types if not isinstance(part, NoneType)]
        return _plain(kinds[0]) if len(kinds) == 1 else kind
    return kind


def _type_of(name: str, kind: StructType | DictType) -> Type | None:
    if isinstance(kind, DictType):
        return kind.value_type
    return next((field.type for field in kind.fields if field.encode_name == name), None)


def _fits(value: Any, kind: Type) -> bool:
    match kind:
        case UnionType():
            return any(_fits(value, part) for part in kind.types)
        case StrType():
            return isinstance(value, str)
        case BoolType():
            return isinstance(value, bool)
        case IntType():
            return isinstance(value, int) and not isinstance(value, bool) and value >= _least(kind, value)
        case LiteralType():
            return value in kind.values
    return False


def _least(kind: IntType, value: int) -> int:
    return value if kind.ge is None else kind.ge


def _words(kind: Type, *, several: bool = False) -> str:
    match kind:
        case UnionType():
            return " or ".join(_words(part, several=several) for part in kind.types)
        case StrType():
            return "strings" if several else "a string"
        case BoolType():
            return "true or false"
        case IntType():
            bound = "" if kind.ge is None else f" from {kind.ge}"
            return f"integers{bound}" if several else f"an integer{bound}"
        case LiteralType():
            return f"one of {', '.join(map(repr, kind.values))}"
        case VarTupleType():
            return f"{'arrays' if several else 'an array'} of {_words(kind.item_type, several=True)}"
        case DictType():
            return f"a table of {_words(kind.value_type, several=True)}"
    return "a table"


def _got(value: Any, kind: Type) -> str:
    if (isinstance(value, str) and isinstance(kind, LiteralType)) or (type(value) is int and isinstance(kind, IntType)):
        return repr(value)
    return next((words for kind, words in _GOT.items() if isinstance(value, kind)), "something else")


def _remedy(name: str, value: Any, kind: Type) -> str:
    """What to write, where it is clear what was meant; else what it may look like, where the kind says so."""
    example = _example(kind)
    meant = _meant(value, _plain(kind)) if example is None else example
    text = json.dumps(meant, ensure_ascii=False)
    if meant is None or len(text) > _LONGEST:
        return ""
    key = name if _BARE.fullmatch(name) else json.dumps(name, ensure_ascii=False)
    return f"; {'write' if example is None else 'for instance'} {key} = {text}"


def _example(kind: Type) -> Any:
    if isinstance(kind, UnionType):
        return next((example for part in kind.types if (example := _example(part)) is not None), None)
    schema = (kind.extra_json_schema or {}) if isinstance(kind, Metadata) else {}
    return next(iter(schema.get("examples") or schema.get("enum") or ()), None)


def _meant(value: Any, kind: Type) -> Any:
    match kind:
        case StrType() if isinstance(value, bool):
            return str(value).lower()
        case StrType() if isinstance(value, str | int | float | date):
            return str(value)
        case IntType() if isinstance(value, str) and _WHOLE.fullmatch(value) and int(value) >= _least(kind, int(value)):
            return int(value)
        case BoolType() if isinstance(value, str) and value in {"true", "false"}:
            return value == "true"
        case VarTupleType():
            return _array(value, kind)
    return None


def _array(value: Any, kind: VarTupleType) -> list[Any] | None:
    """The array that a text or an array of texts stands for; one that may not be empty is a command line."""
    inner = _plain(kind.item_type)
    if isinstance(value, list):
        words = [item for item in value if isinstance(item, str) and item.split() == [item]]
        if words and words == value and isinstance(inner, VarTupleType):
            return [words]
        meant = [_meant(item, inner) for item in value]
    elif not isinstance(value, str) or not value:
        return None
    elif kind.min_length:
        try:
            meant = [*shlex.split(value)]
        except ValueError:
            return None
    else:
        meant = [_meant(value, inner)]
    return meant if meant and None not in meant else None


FILE = "bot.toml"
STEPS = 32
"""Build steps at most."""
PYTHON = "{python}"
"""Stands in commands and build steps for the interpreter that arena runs in."""
INTERPRETERS = {
    ".awk": ("awk", "-f"),
    ".jar": ("java", "-jar"),
    ".js": ("node",),
    ".lua": ("lua",),
    ".php": ("php",),
    ".pl": ("perl",),
    ".py": ("python3",),
    ".rb": ("ruby",),
    ".sh": ("sh",),
}
"""What starts a program of one file, by the end of the file's name."""
_NAME = re.compile(r"[A-Za-z0-9._-]{1,64}")
_WRITTEN = {"name": '"mine"', "command": '["python3", "mine.py"]'}
_REQUIRED = tuple(_WRITTEN)

CommandLine = Annotated[tuple[str, ...], Meta(min_length=1)]


class BotFile(Struct, frozen=True):
    """A bot as its file describes it. ``folder``, ``alias``, ``bare`` and ``local`` are not keys of the file."""

    name: str
    """1 to 64 letters, digits, dots, underscores and hyphens."""
    command: CommandLine
    """Program and arguments, no shell. A program with a slash in it is found from the bot's folder, others on PATH."""
    version: str = ""
    owner: str = ""
    language: str = ""
    games: tuple[str, ...] = ()
    """The games it plays; empty: any."""
    build: tuple[CommandLine, ...] = ()
    """Commands run one after the other in a copy of the folder before the bot is first started."""
    needs: tuple[str, ...] = ()
    """Names of programs looked for on PATH besides those that ``command`` and ``build`` begin with."""
    restart: Literal["never", "match"] = "never"
    """``match``: a fresh process for each match."""
    env: dict[str, str] = {}
    threads: Annotated[int, Meta(ge=1)] = 1
    default: bool = True
    """Of a bot that ships with arena: whether it enters where no bots are named."""
    limits: dict[str, str | int] = {}
    """What it asks for of what the house allows, as ``arena.players.limits`` reads it."""
    folder: str = ""
    """The resolved folder of the bot; text, so that a bot file travels as JSON."""
    alias: bool = False
    """Entered under a name that is not the one in its file."""
    bare: bool = False
    """Given as a command line: its folder is where that was typed, and not the bot's own."""
    local: bool = False
    """Code in the runner's process: ``command`` says what it is, and nothing is started."""


_KEYS = tuple(field for field in BotFile.__struct_fields__ if field not in ("folder", "alias", "bare", "local"))


def read(path: Path) -> BotFile:
    """The bot file at ``path``, or in the folder ``path``; a ``BotError`` if there is none, or it is not right."""
    file = path if is_file(path) else path / FILE
    if not is_text(str(file)):
        raise BotError(f"{on_one_line(file)}: expected a path in UTF-8, got another")
    if is_closed(file):
        raise BotError(f"{file}: expected to read it, got: {os.strerror(errno.EACCES)}")
    odd = file if os.path.isdir(path) else path  # noqa: PTH112 - knows no exception
    if (got := kind(odd)) not in {"none", "a file"}:
        raise BotError(f"{odd}: expected {'a file' if odd == file else f'a folder with a {FILE}'}, got {got}")
    if not is_file(file):
        near = get_close_matches(path.name, [other.parent.name for other in path.parent.glob(f"*/{FILE}")], n=1)
        hint = f"; did you mean {str(path.with_name(near[0]))!r}?" if near else "; `arena new bot` begins one"
        raise BotError(f"{path}: expected a folder with a {FILE}, got none{hint}")
    if file == path and file.suffix != Path(FILE).suffix:
        raise BotError(f"{path}: expected a folder with a {FILE}, got a file; NAME=COMMAND LINE enters a program")
    if not file.resolve().is_relative_to(file.parent.resolve()):
        # an error would quote what the link leads to
        raise BotError(f"{file}: expected a link within the bot's folder, got one out of it")
    try:
        table = load(file)
        _hold_keys(table)
        bot = as_struct({**table, "folder": str(file.parent.resolve())}, BotFile)
    except ValueError as error:
        raise BotError(f"{file}: {error}") from error
    if reason := fault_in(bot):
        raise BotError(f"{file}: {reason}")
    return bot


def _hold_keys(table: dict[str, Any]) -> None:
    for key in table:
        if key not in _KEYS:
            raise ValueError(f"expected a known key, got {key!r}{nearest(key, _KEYS)}")
    for key in _REQUIRED:
        if key not in table:
            raise ValueError(f"{key}: expected a value, got none; write {key} = {_WRITTEN[key]}")


def fault_in(bot: BotFile) -> str | None:
    """The first value that no operating system would accept, as *key: expected ... got ...*, or None."""
    if not is_name(bot.name):
        return f"name: expected 1 to 64 letters, digits, '.', '_' or '-', got {bot.name!r}"
    if len(bot.build) > STEPS:
        return f"build: expected at most {STEPS} commands, got {len(bot.build)}"
    for key, lines in (("command", (bot.command,)), ("build", bot.build)):
        for words in lines:
            if not words[0] or any("\0" in word for word in words):
                return f"{key}: expected a program and arguments without NUL, got {list(words)}"
    if reason := _fault_in_surroundings(bot):
        return reason
    for key, limit in bot.limits.items():
        if key not in LIMITS:
            return f"limits: expected a known key, got {key!r}{nearest(key, LIMITS)}"
        try:
            read_limit(key, limit)
        except ValueError as error:
            return f"limits.{key}: {error}"
    return None


def _fault_in_surroundings(bot: BotFile) -> str | None:
    for program in bot.needs:
        # a bot may name a tool, but no folder: the owner of the machine decides which folders are shown
        if not program or "/" in program or program in (".", "..") or "\0" in program:
            return f"needs: expected names of programs on PATH, got {program!r}"
    for variable, value in bot.env.items():
        if not variable or "=" in variable or "\0" in variable + value:
            return f"env: expected a name without '=' and text without NUL, got {variable!r}"
        if variable == "PATH":
            return "env: expected no PATH, which is that of whoever runs the bot, got one; `needs` names programs on it"
    return None


def is_name(text: str) -> bool:
    """Whether this may be the name of a bot."""
    return _NAME.fullmatch(text) is not None


def is_file(path: Path) -> bool:
    """Whether there is a regular file; no path is too long or too odd to be asked about."""
    return os.path.isfile(path)  # noqa: PTH113 - knows no exception


def is_closed(path: Path) -> bool:
    """Whether this user may not look into the folder that a path is in: nobody can say what is there."""
    try:
        path.stat()
    except PermissionError:
        return True
    except (OSError, ValueError):
        # nothing is there, or nothing can have such a name
        return False
    return False


def is_text(path: str) -> bool:
    """Whether a path is text, and not bytes of some other encoding."""
    try:
        path.encode()
    except UnicodeEncodeError:
        return False
    return True


def nearest(word: str, known: Iterable[str]) -> str:
    """``; did you mean ...?`` if one known word is similar, or is the only one that begins so; else an empty text."""
    words = list(known)
    begun = [whole for whole in words if word and whole.startswith(word)]
    near = get_close_matches(word, words, n=1) or (begun if len(begun) == 1 else [])
    return f"; did you mean {near[0]!r}?" if near else ""


def on_one_line(text: object) -> str:
    """A path or text from outside, for a message: control characters are escaped, so that it forges no line."""
    plain = os.fsencode(str(text)).decode("utf-8", "backslashreplace")
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode("ascii") for c in plain)


def missing(bot: BotFile) -> str | None:
    """Why this machine cannot run the bot, in plain words, or None if all its programs are there."""
    if bot.local:
        return None
    path = host_path()
    program = bot.command[0]
    for needed in (*bot.needs, *(step[0] for step in bot.build), program):
        if "/" not in needed and PYTHON not in needed and shutil.which(needed, path=path) is None:
            started = (_by_interpreter(bot) or _by_shell(bot)) if needed == program else ""
            return f"{bot.name} needs {needed}, which is not on PATH{started or '; install it'}"
    if led_out := _led_out(bot):
        return led_out
    if "/" in program and not bot.build and not os.access(start := argv(bot, bot.folder)[0], os.X_OK):
        if is_file(Path(start)):
            started = _by_interpreter(bot) or f"; `chmod +x {shlex.quote(program)}` allows it"
            return f"{bot.name} needs {program}, which may not be executed{started}"
        return f"{bot.name} needs {program}, which is not there; `build` makes it, or `command` names another"
    if "/" in program and not bot.build and (starts := _interpreter(Path(start))) and not os.path.lexists(starts):
        return f"{bot.name} needs {starts}, which is not there; correct the first line of {program}"
    return None


def paths_named(bot: BotFile) -> tuple[str, ...]:
    """The paths that the words of a bot's command and environment name, alone or after ``=`` or ``:``, in its folder.

    None of a bot that is built: what it starts its steps make.
    """
    words = () if bot.build else (*bot.command, *bot.env.values())
    texts = dict.fromkeys(text for word in words for text in (word, *re.split("[=:]", word)) if text)
    paths = [os.path.normpath(os.path.join(bot.folder, text)) for text in texts]  # noqa: PTH118 - not to follow links
    return tuple([f"{os.path.realpath(folder)}/{name}" for folder, name in map(os.path.split, paths)])


def _led_out(bot: BotFile) -> str | None:
    """Why a file that the command names is no part of the bot, which a link out of its folder is not, and the cure."""
    for word in () if bot.bare or bot.build else bot.command["/" not in bot.command[0] :]:
        path = Path(os.path.normpath(os.path.join(bot.folder, word)))  # noqa: PTH118 - not to follow links
        true = os.path.realpath(path)
        if within(true, [bot.folder]) or not within(str(path), [bot.folder]):
            continue
        cure = "put a copy of the file there"
        if is_file(path.parent.parent / "pyvenv.cfg"):
            made = os.path.relpath(path.parent.parent, bot.folder)
            cure = f"`python3 -m venv --clear --copies {made}` makes one of its own"
            cure += "" if within(true, SYSTEM) else f', and needs = ["{Path(true).name}"] shows its library'
        return on_one_line(f"{bot.name} needs {word}, a link out of its folder, to {true}; {cure}")
    return None


def _interpreter(program: Path) -> str:
    """The path in the first line of a script; nothing of other programs."""
    try:
        with program.open("rb") as file:
            # a program may be anything: of a long first line only the beginning is read
            first = file.read(200).partition(b"\n")[0]
    except OSError:
        return ""
    return os.fsdecode(first[2:].split()[0]) if first.startswith(b"#!/") else ""


def _by_interpreter(bot: BotFile) -> str:
    """How to enter a bot whose command line begins with a program's source: by the interpreter."""
    program = bot.command[0]
    start = INTERPRETERS.get(Path(program).suffix)
    if not bot.bare or start is None or not is_file(Path(bot.folder, program)):
        return ""
    return on_one_line(f'; enter it as "{bot.name}={shlex.join((*start, *bot.command))}"')


def _by_shell(bot: BotFile) -> str:
    """How to enter a command line that only a shell understands: by that shell."""
    sets_variable = "=" in bot.command[0] or (bot.name.isupper() and len(bot.command) > 1)
    if bot.bare and (sets_variable or _SHELL.intersection(bot.command)):
        return "; no shell reads a command line: NAME=\"sh -c '...'\" starts one"
    return ""


def argv(bot: BotFile, folder: str) -> tuple[str, ...]:
    """The words that start the bot in ``folder``, its prepared folder."""
    program, *words = (filled(word) for word in bot.command)
    if bot.bare:
        # an interpreter behind `env` has to be found wherever the bot's files are put
        words = [there if "/" in word and is_tool(Path(there := f"{folder}/{word}")) else word for word in words]
    return (os.path.join(folder, program) if "/" in program else program, *words)  # noqa: PTH118 - a Path would fold `./`


def filled(word: str) -> str:
    """A word of a command with the interpreter's path in its place."""
    return word.replace(PYTHON, sys.executable)


def environment(bot: BotFile, tmpdir: str) -> dict[str, str]:
    """The whole environment of the bot. Only PATH comes from the caller's, so no token or setting leaks."""
    return {
        "LC_ALL": "C.UTF-8",
        # a bot's folder may be read-only, and must not change while it is hashed
        "PYTHONDONTWRITEBYTECODE": "1",
        **bot.env,
        "PATH": host_path(),
        "HOME": tmpdir,
        "TMPDIR": tmpdir,
    }
