"""What a bot wrote when it failed, and the cure that belongs to it."""

import re
from pathlib import Path

from msgspec.structs import replace

from arena.errors import nearest
from arena.fault import Fault
from arena.files import list_names
from arena.players.launch import Launch

CURES = {
    "raised": "correct that: a bot must run until its input ends",
    "library": "install it for the interpreter in its command, or do without it",
    "beside": "{file} lies beside it, but a bot that is a command line has only the files that it names: a bot of "
    "several files needs a folder with a bot.toml",
    "no-file": "its folder has no {file}",
}
"""By what the error tells; the words in braces are of the case."""
_RAISED = re.compile(r"(?:Uncaught )?[\w.$]*(?:Error|Exception|Interrupt)\b[^:]*(?:: |$)|panic: |Exception in thread ")
"""How a line begins in which Python, JavaScript, Go or Java tells of an error."""
_AT_LINE = re.compile(r"[\w./+-]+(?:: |:|: line |\()\d+[:,)].*\w|error(?:\[\w+\])?: ")
"""How one begins in which a compiler or a shell does."""
_PLACE = re.compile(r"([\w.-]+\.\w+)(?:\", line |:)(\d+)")
_THEIRS = ("node:", "/lib/python", "<frozen")
"""Parts of the paths of files that are not the bot's own."""
_QUOTES = str.maketrans("\u2018\u2019", "''")
_EXITS = frozenset({"exited", "exited-in-game"})
"""Causes of a fault that only follows from what ended the process."""
_LONGEST = 300
_OTHERS = re.compile(r"""(?<!\w)b?['"`].*|(?<=got): .*|(?<![\w.])/.*""", re.DOTALL)
"""What in a reason others may have written: from a quotation, what a system answered, or a path of a machine on."""
_NEVER_RAN = re.compile(r"yntax ?[eE]rror|IndentationError|not found|No such file|can't open")
"""Parts of errors that say nothing of the game that was asked for."""
_LACKING = re.compile(
    r"(?:No module named|Cannot find (?:module|package)|no required module provides) ?['\"]?([\w./@-]*)"
    r"|ImportError|is not in std"
)
"""How Python, JavaScript and Go tell that a library is not there."""
_NO_FILE = re.compile(r"(?:can't open file|[Cc]annot find module|cannot open|can't open) ['\"]?([^'\":\n]+\.\w+)")
"""How interpreters tell that the program is not there."""
_THROWN = re.compile(
    r"^terminat\w+ (?:called after throwing an instance of|(?:due to|with) uncaught exception of type) "
    r"'?([^'\n]+)'?(?:\n\s*what\(\):\s*(.*))?",
    re.MULTILINE,
)
"""How C++ tells of an exception that nobody catches."""


def cause_in(written: str) -> str:
    """The error of which a program or a compiler wrote, with its place; empty where none is to be seen."""
    if thrown := _THROWN.search(written):
        return ": ".join(filter(None, thrown.groups()))
    lines = [line for line in written.split("\n") if line.strip()]
    raised = next((line for line in reversed(lines) if _RAISED.match(line)), "")
    if not raised:
        return next((line for line in lines if _AT_LINE.match(line)), "").strip()
    places = [match for line in lines if not any(part in line for part in _THEIRS) for match in _PLACE.finditer(line)]
    # Python names the innermost call last, others first
    place = places[-1 if '", line ' in written else 0] if places else None
    return f"{raised} ({place[1]}, line {place[2]})" if place and place[1] not in raised else raised


def conceal(reason: str) -> str:
    """A reason fit for everybody: where others' words or a path of this machine begin, it ends in ``...``."""
    return _OTHERS.sub(" ...", reason).replace("  ...", " ...").strip()


def explain(fault: Fault, written: str, *, launch: Launch, exit_status: int | None = None) -> Fault:
    """A fault that also tells what the bot wrote of it; an exit only follows from that, and is told by it.

    Args:
        fault: of a bot that is not ready, or that is checked.
        written: its stderr.
        launch: how it was started, which tells what lies beside it.
        exit_status: with which it has exited, if it did so by itself.
    """
    exited = exit_status is not None and fault.cause in _EXITS
    # coreutils quote so, and output is ASCII
    written = written.translate(_QUOTES)
    lines = written.rstrip().split("\n")
    error = cause_in(written) or (lines[-1].strip() if exited and exit_status else "")
    if not error:
        return fault
    if not exited:
        return replace(fault, rule=f"{fault.rule} (it wrote: {error[:_LONGEST]})")
    hint = _find_cure(error, launch)
    if not hint:
        in_game = fault.cause == "exited-in-game" and not _NEVER_RAN.search(error)
        hint = fault.hint if in_game else CURES["raised"]
    return replace(fault, rule=f"{error[:_LONGEST]} (it exited with status {exit_status})", hint=hint)


def _find_cure(error: str, launch: Launch) -> str:
    """The cure of an error; empty if none is known."""
    missing, lacking = _NO_FILE.search(error), _LACKING.search(error)
    programs = [path for word in launch.argv if (path := Path(launch.folder, word)).is_relative_to(launch.folder)]
    for program in programs:
        if missing is not None and program.name == Path(missing[1]).name:
            return CURES["no-file"].format(file=program.name) + nearest(program.name, list_names(program.parent))
    if lacking is None:
        return ""
    name = (lacking[1] or "").rpartition("/")[2].partition(".")[0]
    files = [file for folder in {program.parent for program in programs} for file in list_names(folder)]
    beside = [file for file in files if file.partition(".")[0] == name]
    return CURES["beside"].format(file=beside[0]) if launch.bare and beside else CURES["library"]
