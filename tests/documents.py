"""The project's Markdown as data: its code blocks, links and names, and what the commands shown in it really print."""

import os
import re
import shlex
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator, Mapping
from itertools import pairwise
from pathlib import Path
from textwrap import fill
from typing import Any

from msgspec import Struct
from typer import Context
from typer.core import TyperGroup
from typer.main import get_command
from typer.testing import CliRunner

from arena.cli import app
from arena.report.render import COLUMNS, LeaderboardRow

ROOT = Path(__file__).parents[1]
README = ROOT / "README.md"
COMMANDS_PAGE = ROOT / "docs" / "commands.md"
DOCUMENTS = sorted(
    path
    for pattern in ("*.md", "docs/**/*.md", "results/README.md", "arena/games/*/*.md", "examples/**/*.md")
    for path in ROOT.glob(pattern)
)

_BLOCK = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_SCRIPT = re.compile(r"`(\w+\.py)`:\n\n```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_OF_A_COMMAND = re.compile(
    r"^## `arena ([a-z ]+)`\n.*?^Example: .*?(?:\n\n|\Z)(?:- `.*?(?:\n\n|\Z))?", re.MULTILINE | re.DOTALL
)
_FIELDS = re.compile(r"(^The fields of a row:\n\n)- `.*?\n(?!- )", re.MULTILINE | re.DOTALL)
_SHARED = re.compile(r"(^## Shared options\n.*?)^- `.*?\n(?!- )", re.MULTILINE | re.DOTALL)
_VARIABLE = re.compile(r"  \[env var: \w+\]|(\[)env var: \w+; ")
_WIDTH = 130
_LINK = re.compile(r"\]\(([^)\s]+)\)")
_HEADING = re.compile(r"^#+ (.*)$", re.MULTILINE)
_SPAN = re.compile(r"`([^`\n]+)`")
_PROGRESS = re.compile(r"arena: (.* decisions/s|not every lane has a core|isolation: ).*\n")
"""What is only said on a slow or busy machine, or differs between machines."""
_HASH = re.compile(r"\b[0-9a-f]{64}\b")
_NUMBER = re.compile(r"-?\d[\d,.]*")
_TIME = re.compile(r"\b0 (?:ms|s|min|h|hours?|days?)\b")
_RULE = re.compile(r"-{3,}")


class Shown(Struct):
    """A command in a document, and the lines printed below it."""

    command: str
    lines: list[str]
    exit_code: int = 0
    """What an ``echo $?`` after it shows."""


class Ended(Struct, frozen=True):
    """What a command really did."""

    exit_code: int
    output: str
    """Both streams, as they come together on a terminal."""


def name_of(document: Path) -> str:
    """Where a document lies in the repository."""
    return document.relative_to(ROOT).as_posix()


def blocks(text: str, language: str) -> list[str]:
    """The fenced blocks of one language, in order."""
    return [block for found, block in _BLOCK.findall(text) if found == language]


def prose(text: str) -> str:
    """A document without its fenced blocks."""
    return _BLOCK.sub("", text)


def scripts(text: str) -> dict[str, str]:
    """The Python programs that a document asks its reader to save, by file name."""
    return dict(_SCRIPT.findall(text))


def shown_in(block: str) -> list[Shown]:
    """The commands of a console block."""
    found: list[Shown] = []
    for line in block.splitlines():
        if line.startswith("$ "):
            found.append(Shown(line[2:], []))
        else:
            found[-1].lines.append(line)
    for before, after in pairwise(found):
        if after.command == "echo $?" and after.lines:
            before.exit_code = int(after.lines[0])
    return found


def runs(command: str) -> bool:
    """Whether a command shown is one that the tests run."""
    return command.startswith(("arena ", "python3 ", "printf ")) or " | arena " in command


def run(command: str, folder: Path, settings: Mapping[str, str] | None = None) -> Ended:
    """Run a command as a shell would, at 80 columns; ``arena`` and ``python3`` are those of this interpreter.

    ``settings`` are variables of the environment.
    """
    # where both are installed: what a script of ours would lead to nobody could tell, who puts a sandbox around a bot
    programs = Path(sys.executable).parent
    env = {**os.environ, **(settings or {}), "PATH": f"{programs}{os.pathsep}{os.environ['PATH']}", "COLUMNS": "80"}
    ended = subprocess.run(
        ["/bin/sh", "-c", command],
        cwd=folder,
        env=env,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=300,
        check=False,
    )
    return Ended(ended.returncode, _PROGRESS.sub("", ended.stdout))


def masked(line: str) -> str:
    """A line with numbers, hashes, spaces and rules made alike: what should stay when times and ratings move."""
    plain = _NUMBER.sub("0", _HASH.sub("0", _RULE.sub("---", " ".join(line.split()))))
    return _TIME.sub("0 s", plain)


def links(text: str) -> list[str]:
    """The targets of a document's links that lead into the repository."""
    return [link for link in _LINK.findall(prose(text)) if "://" not in link]


def anchors(text: str) -> set[str]:
    """The anchors of a document's headings, as GitHub makes them."""
    headings = _HEADING.findall(prose(text))
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def spans(text: str) -> list[str]:
    """What stands in backticks."""
    return _SPAN.findall(prose(text))


def command_lines(text: str) -> Iterator[list[str]]:
    """The words of every ``arena`` command a document shows, in a block or in backticks, up to a pipe."""
    lines = [shown.command for block in blocks(text, "console") for shown in shown_in(block)]
    lines += [line for language in ("sh", "") for block in blocks(text, language) for line in block.splitlines()]
    for line in [*lines, *spans(text)]:
        if line.startswith("arena "):
            words = shlex.split(line.partition(" #")[0])
            yield words[1 : next((at for at, word in enumerate(words) if word in {"|", ">", "--"}), None)]


def options() -> dict[str, list[str]]:
    """The options of each command, by its name; one of a group is named with it, as in ``new bot``."""
    group = get_command(app)
    assert isinstance(group, TyperGroup)
    commands: dict[str, Any] = {}
    for name, command in group.commands.items():
        inside = command.commands if isinstance(command, TyperGroup) else {}
        commands |= {f"{name} {one}": each for one, each in inside.items()} or {name: command}
    return {
        name: [
            *(
                option
                for parameter in command.params
                for option in (*parameter.opts, *parameter.secondary_opts)
                if option[0] == "-"
            ),
            "-h",
            *command.get_help_option_names(Context(command)),
        ]
        for name, command in commands.items()
    }


class Help(Struct):
    """What ``arena COMMAND --help`` says, but for the variables of options."""

    meaning: str
    example: str
    options: dict[str, str]
    """The text of each argument and option, by its label, such as ``-g, --game GAME``."""


def help_of(command: str) -> Help:
    """The help of a command, printed so wide that no line is broken."""
    wide: dict[str, Any] = {"terminal_width": 2000, "max_content_width": 2000}
    whole = "--help-all" if "--help-all" in options()[command] else "--help"
    shown = CliRunner().invoke(app, [*command.split(), whole], prog_name="arena", **wide).output
    head, _, rest = _VARIABLE.sub(r"\1", shown).partition("  Example: ")
    example, *lines = rest.splitlines()
    said = Help(" ".join(head.partition("\n")[2].split()), example, {})
    label = ""
    for line in lines:
        if line.startswith("   "):
            said.options[label] = line.strip()
        elif line.startswith("  "):
            label, _, text = line.strip().partition("  ")
            said.options[label] = text.strip()
    # it is told in the head of the page
    said.options.pop("-h, --help, --help-all", None)
    return said


def with_help(page: str) -> str:
    """The page of commands with the options as the help has them now; a shared option stands once."""
    helps = {command: help_of(command) for command in options()}
    page += "".join(
        f"\n## `arena {command}`\n\nExample: \n" for command in helps if f"## `arena {command}`\n" not in page
    )
    uses = Counter(option for said in helps.values() for option in said.options.items() if option[0][0] == "-")
    best: dict[str, str] = {}
    for (label, text), count in uses.items():
        if count > 1 and count > uses[label, best.get(label, "")]:
            best[label] = text
    shared = list(best.items())
    page = _SHARED.sub(lambda found: found[1] + _list(shared), page)
    meanings = {field: meaning for column in COLUMNS for field, meaning in column.fields.items()}
    fields = _list([(field, meanings[field]) for field in LeaderboardRow.__struct_fields__])
    page = _FIELDS.sub(lambda found: found[1] + fields, page)
    return _OF_A_COMMAND.sub(lambda found: _section(found[1], helps[found[1]], shared), page).rstrip() + "\n"


def _section(command: str, said: Help, shared: list[tuple[str, str]]) -> str:
    """The generated part of a command's section: meaning, example, the names of shared options, and its own options."""
    own = [option for option in said.options.items() if option not in shared]
    flags = [re.findall(r"--[a-z-]+", label)[0] for label, text in said.options.items() if (label, text) in shared]
    names = ", ".join(f"`{flag}`" for flag in flags if flag != "--help")
    parts = [
        f"## `arena {command}`\n\n",
        fill(said.meaning, _WIDTH, break_on_hyphens=False) + "\n\n",
        f"Example: `{said.example}`\n",
        fill(f"Shared options: {names}.", _WIDTH, break_on_hyphens=False) + "\n" if names else "",
        "\n",
        _list(own) + "\n" if own else "",
    ]
    return "".join(parts)


def _list(options: list[tuple[str, str]]) -> str:
    """A list of options, or of fields, and their meanings."""
    return "".join(f"- `{label}`: {text}\n" for label, text in options)
