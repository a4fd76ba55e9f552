"""A bot file: what ``bot.toml`` says of a bot and how the bot is to be started. Starts nothing."""

import errno
import os
import re
import shlex
import shutil
import sys
from difflib import get_close_matches
from pathlib import Path
from typing import Annotated, Any, Literal

from msgspec import Meta, Struct

from arena.errors import BotError, nearest
from arena.files import kind, list_names
from arena.limits import KEYS as LIMITS
from arena.limits import read as read_limit
from arena.players.toml import as_struct, load_toml
from arena.sandbox.paths import SYSTEM, host_path, is_tool, within

BOT_FILE = "bot.toml"
_MOST = {"build": (32, "commands"), "needs": (64, "programs"), "env": (256, "variables")}
_WORDS, _CHARACTERS = 1000, 100_000
"""Of a command line at most: a system takes hardly more."""
_SHELL = frozenset(["cd", "export", "exec", "source", ".", "ulimit", "&&", "||", "|", ";", "&", "<", ">", ">>"])
"""Words of a command line that tell of a shell."""
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
    restart: Literal["never", "match", "deal"] = "never"
    """``match``: a fresh process for each match; ``deal``: only where a deal would come again."""
    env: dict[str, str] = {}
    threads: Annotated[int, Meta(ge=1)] = 1
    default: bool = True
    """Of a bot that ships with arena: whether it enters where no bots are named."""
    limits: dict[str, str | int] = {}
    """What it asks for of what the host allows, as ``arena.limits`` reads it."""
    folder: str = ""
    """The resolved folder of the bot; text, so that a bot file travels as JSON."""
    alias: bool = False
    """Entered under a name that is not the one in its file."""
    bare: bool = False
    """Given as a command line: its folder is where that was typed, and not the bot's own."""
    local: bool = False
    """Code in the runner's process: ``command`` says what it is, and nothing is started."""


_KEYS = tuple(field for field in BotFile.__struct_fields__ if field not in ("folder", "alias", "bare", "local"))


def read_bot_file(path: Path) -> BotFile:
    """The bot file at ``path``, or in the folder ``path``; a ``BotError`` if there is none, or it is not right."""
    file = path if is_regular_file(path) else path / BOT_FILE
    if not is_text(str(file)):
        raise BotError(f"{on_one_line(file)}: expected a path in UTF-8, got another")
    if is_in_closed_folder(file):
        raise BotError(f"{file}: expected to read it, got: {os.strerror(errno.EACCES)}")
    odd = file if os.path.isdir(path) else path  # noqa: PTH112 - knows no exception
    if (got := kind(odd)) not in {"none", "a file"}:
        raise BotError(f"{odd}: expected {'a file' if odd == file else f'a folder with a {BOT_FILE}'}, got {got}")
    if not is_regular_file(file):
        near = get_close_matches(path.name, [other.parent.name for other in path.parent.glob(f"*/{BOT_FILE}")], n=1)
        hint = f"; did you mean {str(path.with_name(near[0]))!r}?" if near else "; `arena new bot` begins one"
        raise BotError(f"{path}: expected a folder with a {BOT_FILE}, got none{hint}")
    if file == path and file.suffix != Path(BOT_FILE).suffix:
        raise BotError(f"{path}: expected a folder with a {BOT_FILE}, got a file; NAME=COMMAND LINE enters a program")
    if not file.resolve().is_relative_to(file.parent.resolve()):
        # an error would quote what the link leads to
        raise BotError(f"{file}: expected a link within the bot's folder, got one out of it")
    try:
        table = load_toml(file)
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
    if not is_bot_name(bot.name):
        return f"name: expected 1 to 64 letters, digits, '.', '_' or '-', got {bot.name!r}"
    for key, (most, what) in _MOST.items():
        if (got := len(getattr(bot, key))) > most:
            return f"{key}: expected at most {most} {what}, got {got}"
    for key, lines in (("command", (bot.command,)), ("build", bot.build)):
        for words in lines:
            if len(words) > _WORDS or sum(map(len, words)) > _CHARACTERS:
                return f"{key}: expected at most {_WORDS} words and {_CHARACTERS} characters, got more"
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


def is_bot_name(text: str) -> bool:
    """Whether this may be the name of a bot."""
    return _NAME.fullmatch(text) is not None


def is_regular_file(path: Path) -> bool:
    """Whether there is a regular file; no path is too long or too odd to be asked about."""
    return os.path.isfile(path)  # noqa: PTH113 - knows no exception


def is_in_closed_folder(path: Path) -> bool:
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
            near = nearest(needed, [words[0] for words in INTERPRETERS.values()])
            return f"{bot.name} needs {on_one_line(needed)}, which is not on PATH{started or near or '; install it'}"
    if led_out := _led_out(bot):
        return led_out
    if "/" in program and not bot.build and not os.access(start := argv(bot, bot.folder)[0], os.X_OK):
        if is_regular_file(Path(start)):
            started = _by_interpreter(bot) or f"; `chmod +x {shlex.quote(program)}` allows it"
            return f"{bot.name} needs {on_one_line(program)}, which may not be executed{started}"
        near = nearest(Path(program).name, list_names(Path(start).parent))
        cure = "" if bot.bare else "; `build` makes it, or `command` names another"
        return f"{bot.name} needs {on_one_line(program)}, which is not there{near or cure}"
    if "/" in program and not bot.build and (fault := _fault_in_first_line(Path(start), program, path)):
        return f"{bot.name} needs {fault}"
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
        if is_regular_file(path.parent.parent / "pyvenv.cfg"):
            made = os.path.relpath(path.parent.parent, bot.folder)
            cure = f"`rm {made}/bin/python*; python3 -m venv --copies {made}` makes one of its own with its packages"
            cure += "" if within(true, SYSTEM) else f', and needs = ["{Path(true).name}"] shows its library'
        return on_one_line(f"{bot.name} needs {word}, a link out of its folder, to {true}; {cure}")
    return None


def _fault_in_first_line(start: Path, program: str, path: str) -> str:
    """Why the system cannot start a script, and the cure; nothing of other programs."""
    try:
        with start.open("rb") as file:
            # a program may be anything: of a long first line only the beginning is read
            head = file.read(200)
    except OSError:
        return ""
    first = head.partition(b"\n")[0]
    if not first.startswith(b"#!"):
        if not first.isascii() or b"\0" in head or not head:
            return ""
        start_by = shlex.join((*INTERPRETERS.get(start.suffix, ("python3",)), program))
        return f"a first line in {program}, as #!/usr/bin/env python3; or start it by its interpreter, as {start_by}"
    if first.endswith(b"\r"):
        return f"lines of {program} that end as on Unix; `sed -i 's/\\r$//' {shlex.quote(program)}` makes them so"
    words = os.fsdecode(first[2:]).split() or [""]
    if not os.path.lexists(words[0]):
        return f"{words[0]}, which is not there; correct the first line of {program}"
    needed = next((word for word in words[1:] if word[0] != "-" and "=" not in word), "")
    if Path(words[0]).name == "env" and needed and shutil.which(needed, path=path) is None:
        return f"{needed}, which is not on PATH; install it, or correct the first line of {program}"
    return ""


def _by_interpreter(bot: BotFile) -> str:
    """How to enter a bot whose command line begins with a program's source: by the interpreter."""
    program = bot.command[0]
    start = INTERPRETERS.get(Path(program).suffix)
    if not bot.bare or start is None or not is_regular_file(Path(bot.folder, program)):
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
        words = [path if "/" in word and is_tool(Path(path := f"{folder}/{word}")) else word for word in words]
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
