"""What a shell completes, by the script that the command prints for it."""

import os
import shlex
from pathlib import Path

import pytest

from tests.cli.command import ARENA, arena, started

_PRESS_TAB = """
%s
COMP_WORDS=(%s); COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); _arena_completion arena; printf '%%s\\n' "${COMPREPLY[@]}"
"""


@pytest.mark.long
def test_the_script_for_bash(tmp_path: Path) -> None:
    """The script that is printed for bash completes a game after `arena run --game c`."""
    # the shell is told by who starts the command
    asked = f"{shlex.join(ARENA)} --show-completion; true"
    script = started(tmp_path, "/bin/bash", "-c", asked).out
    (tmp_path / "arena").write_text(f'#!/bin/sh\nexec {" ".join(ARENA)} "$@"\n')
    (tmp_path / "arena").chmod(0o755)
    env = {"PATH": f"{tmp_path}:{os.environ['PATH']}"}
    said = started(tmp_path, "/bin/bash", "-c", _PRESS_TAB % (script, "arena run --game c"), env=env)
    assert said.out.split() == ["cash-a-catch", "catch-of-the-day"]


@pytest.mark.parametrize(
    ("line", "found"),
    [
        ("arena play lure gr", ["greedy"]),
        ("arena new bot mine -g l", ["lure"]),
        ("arena new bot mine --lang py", ["python", "python-typed"]),
        ("arena stats res", ["results/demo", "results/all/lure"]),
        ("arena run ./", []),
    ],
)
def test_what_is_completed(tmp_path: Path, line: str, found: list[str]) -> None:
    """Games, languages, shipped bots, runs in `results` are completed in every command; other paths are the shell's."""
    for run in ("results/demo", "results/all/lure", "results/none"):
        (tmp_path / run).mkdir(parents=True)
        if run != "results/none":
            (tmp_path / run / "run.json").touch()
    words = {"COMP_WORDS": line, "COMP_CWORD": str(line.count(" ")), "_ARENA_COMPLETE": "complete_bash"}
    assert arena(tmp_path, env=words).out.split() == found
