"""The project's Markdown as data: its code blocks, links and names, and what the commands shown in it really print.

Knows Markdown and the command line; knows nothing of what arena does.
"""

import os
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

from msgspec import Struct
from typer.core import TyperGroup
from typer.main import get_command
from typer.testing import CliRunner

from arena.cli import app

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
_HELP = re.compile(r"^## `arena ([a-z ]+)`\n.*?^```text\n(.*?)^```$", re.MULTILINE | re.DOTALL)
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
    return command.startswith(("arena ", "python3 ")) or " | arena " in command


def run(command: str, folder: Path) -> Ended:
    """Run a command as a shell would, at 80 columns; ``arena`` and ``python3`` are those of this interpreter."""
    # where both are installed: what a script of ours would lead to nobody could tell, who puts a sandbox around a bot
    programs = Path(sys.executable).parent
    env = {**os.environ, "PATH": f"{programs}{os.pathsep}{os.environ['PATH']}", "COLUMNS": "80"}
    ended = subprocess.run(
        ["/bin/sh", "-c", command],
        cwd=folder,
        env=env,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=60,
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
            "--help",
        ]
        for name, command in commands.items()
    }


def help_of(command: str) -> str:
    """What ``arena COMMAND --help`` prints at 80 columns."""
    shown = CliRunner().invoke(app, [*command.split(), "--help"], prog_name="arena", terminal_width=80)
    return "\n".join(line.rstrip() for line in shown.output.strip().splitlines()) + "\n"


def with_help(page: str) -> str:
    """The page of commands with the help texts as they are; a command without a section gets one at the end."""
    lacking = [name for name in options() if f"## `arena {name}`\n" not in page]
    page += "".join(f"\n## `arena {name}`\n\n```text\n```\n" for name in lacking)
    return _HELP.sub(lambda found: found[0].removesuffix(found[2] + "```") + help_of(found[1]) + "```", page)
