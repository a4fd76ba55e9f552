"""``arena docs``: each document and its sections, at a terminal and in a pipe; links lead where a reader can go."""

import ast
import json
import os
import pty
import re
import subprocess
from pathlib import Path

import pytest
from typer.testing import CliRunner

from arena import games
from arena.cli import _app
from arena.cli.docs import pages
from arena.terminal.document import document
from arena.terminal.pages import find, with_commands
from tests.cli.command import ARENA, arena, data, refusal
from tests.documents import ROOT, anchors, blocks, links

APP = _app(["docs"])
PAGES = pages()
NAMES = list(PAGES)


def printed(*words: str) -> str:
    """What the command prints to a pipe, without a process of its own."""
    ended = CliRunner().invoke(APP, ["docs", *words])
    assert ended.exit_code == 0, ended.output
    return ended.stdout


def test_the_list(place: Path) -> None:
    """It has a line of 80 columns for each document for users, in the order of `docs/README.md`, then the games."""
    lines = arena(place, "docs").out.splitlines()[2:]
    assert [line.split()[0] for line in lines] == NAMES
    assert max(map(len, lines)) <= 80
    assert [row["page"] for row in data(place, "docs", "--json")] == NAMES
    assert NAMES[-len(games.names()) :] == games.names()
    files = {path.stem for path in (ROOT / "docs").glob("*.md")} - {"README"}
    assert set(NAMES) == files | {"readme", "protocol", "security", "changelog", *games.names()}


def test_pages() -> None:
    """A pipe gets the file as it is, by its name in any of the ways that a file is named."""
    for name, page in PAGES.items():
        text = (ROOT / page.path).read_text("utf-8").rstrip()
        assert printed(name) == text + "\n"
        assert json.loads(printed(name, "--json"))["text"] == text
    assert printed("README") == printed("readme.md") == printed("readme")
    assert printed("docs/tutorial.md") == printed("tutorial")


def test_links_at_a_terminal() -> None:
    """A link to a page becomes the command that shows that page or section; of any other the words stay."""
    followed = set()
    for page in PAGES.values():
        shown = with_commands(page, PAGES)
        assert links(shown) == []
        for language in ("", "console", "json", "python", "sh", "text", "toml"):
            assert blocks(shown, language) == blocks(page.text, language)
        followed |= {*re.findall(r"`arena docs ([\w-]+(?:#[\w-]+)?)`", shown)}
    assert {"protocol#the-bot-file", "tutorial", "readme", "lure"} <= followed
    assert all(printed(name).startswith("#") for name in followed)


def test_code_at_a_terminal() -> None:
    """What a bot author's pages ask to save can be copied from a terminal of 80 columns: it is still Python."""
    for name in ("readme", "tutorial", "better", "protocol", "languages", "search"):
        for code in blocks(PAGES[name].text, "python"):
            drawn = "\n".join(document(f"```python\n{code}```", 80, styled=False))
            # a docstring has other ends of lines
            shown, written = (ast.dump(ast.parse(text)).replace("\\n", " ") for text in (drawn, code))
            assert shown == written, name


def test_sections() -> None:
    """A section begins with its heading and ends before the next one that is no part of it."""
    text = printed("protocol#messages")
    assert re.findall(r"^##+ (.*)$", text, re.MULTILINE)[:2] == ["Messages", "Host to bot: `hello`"]
    assert len(re.findall(r"^## ", text, re.MULTILINE)) == 1
    for name, page in PAGES.items():
        for anchor in anchors(page.text):
            section = find(f"{name}#{anchor}", PAGES).text
            assert anchors(section.partition("\n")[0]) == {anchor}
            assert section in page.text


@pytest.mark.parametrize(
    ("words", "text"),
    [
        (("docs", "tutrial"), "expected a page that `arena docs` lists, got 'tutrial'; did you mean 'tutorial'?"),
        (("docs", "x"), "expected a page that `arena docs` lists, got 'x'"),
        (
            ("docs", "protocol#fault"),
            "expected a section of `arena docs protocol`, got 'fault'; did you mean 'faults'?",
        ),
        (("protocol",), "expected a command, got 'protocol'; did you mean `arena docs protocol`?"),
        (("lure",), "expected a command, got 'lure'; did you mean `arena docs lure`?"),
    ],
)
def test_mistakes(place: Path, words: tuple[str, ...], text: str) -> None:
    """An unknown page or section gets the nearest one, and a page in the place of a command its command."""
    assert refusal(place, *words) == text


@pytest.mark.parametrize("command", [("docs", "protocol"), ("docs", "commands"), ("rules", "lure")])
def test_at_a_terminal(place: Path, command: tuple[str, ...]) -> None:
    """A page is drawn in the width of the terminal, and goes through the pager that the environment names."""
    (place / "pager").write_text('#!/bin/sh\necho "LESS=$LESS"\nexec cat\n')
    (place / "pager").chmod(0o755)
    ours, theirs = pty.openpty()
    env = os.environ | {"PAGER": str(place / "pager"), "COLUMNS": "72", "TERM": "xterm", "NO_COLOR": "1"}
    with subprocess.Popen([*ARENA, *command], cwd=place, env=env, stdin=theirs, stdout=theirs, stderr=theirs) as shown:
        os.close(theirs)
        drawn = b""
        try:
            while piece := os.read(ours, 65536):
                drawn += piece
        except OSError:
            pass  # the other end of the terminal is closed
        os.close(ours)
        assert shown.wait(timeout=300) == 0
    first, *lines = re.sub(r"\x1b\[[\d;]*m", "", drawn.decode()).split("\r\n")
    assert first == f"LESS={os.environ.get('LESS', '-FRX')}"
    assert len(lines) > 100
    assert max(map(len, lines)) <= 72
    assert not [line for line in lines if line.startswith(("## ", "|", "```")) or "](" in line]
