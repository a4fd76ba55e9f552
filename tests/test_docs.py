"""The documents are true: what they show runs, what they name exists, what they link to is there."""

import json
import os
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from typer.core import TyperGroup
from typer.main import get_command

from arena import __version__, games
from arena.cli import _LINES, app
from arena.formats.schedule import Audit
from arena.players.entrants import read_shipped_bots
from arena.report.render import Leaderboard, LeaderboardRow
from arena.report.seats import SeatRow
from arena.report.times import BotFaults, BotTimes
from arena.tournament.folder import Entrant, Epoch, Manifest
from tests.documents import (
    COMMANDS_PAGE,
    DOCUMENTS,
    ROOT,
    Shown,
    blocks,
    command_lines,
    masked,
    name_of,
    options,
    run,
    runs,
    scripts,
    shown_in,
    spans,
    with_help,
)

TEXTS = {name_of(path): path.read_text(encoding="utf-8") for path in DOCUMENTS}
OURS = {name: text for name, text in TEXTS.items() if not name.startswith("arena/")}
"""The documents that speak of arena; those of the games speak of their rules."""


def shown(document: str) -> list[Shown]:
    """The commands of a document that the tests run, in order."""
    consoles = blocks(TEXTS[document], "console")
    return [shown for console in consoles for shown in shown_in(console) if runs(shown.command)]


DEAR = {"docs/hosting.md", "docs/sharing.md", "docs/tutorial.md"}
"""Where whole seasons, a run in parts and bots that search are shown."""
SHOWING = [
    pytest.param(name, marks=pytest.mark.proof if name in DEAR else pytest.mark.long) for name in TEXTS if shown(name)
]
CHEAP = {"ARENA_ISOLATION": "none", "ARENA_LANES": "1", "ARENA_MATCHES": "96"}
"""For commands that do not say otherwise: what is shown looks the same but for numbers."""
FOLLOWS_PLAY = ("arena matches", "arena replay", "arena stats")
"""Their output changes with every bot's play: it is run, and not compared."""
BOTS_OF_OTHER_LANGUAGES = ("random-c", "random-js")
"""Not every machine can run them."""
FILE = re.compile(r"(?:[\w.-]+/)*[\w-]+\.(?:py|md|toml|json|jsonl|torn)|(?:[\w.-]+/)+")
ELSEWHERE = {
    "run.json",
    "matches.jsonl",
    "matches.torn",
    "secret.json",
    "leaderboard.md",
    "logs/",
    "notes/",
    "arena.toml",
}
ELSEWHERE |= {"arena-lab.json", "bots/", "leaderboard.json", "history.jsonl", "site/"}
"""What a run, a lab or a season makes, and what a folder may hold."""


@pytest.fixture(scope="module")
def reader(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of someone who has saved the programs shown, and played the run of the README."""
    folder = tmp_path_factory.mktemp("docs") / "reader"
    folder.mkdir()
    for text in TEXTS.values():
        for name, script in scripts(text).items():
            (folder / name).write_text(script, encoding="utf-8")
    (demo,) = (each for each in shown("README.md") if each.command.endswith("-o results/demo --seed demo"))
    ended = run(demo.command, folder, CHEAP)
    assert ended.exit_code == 0, ended.output
    return folder


@pytest.mark.parametrize("document", SHOWING)
def test_commands_do_what_is_shown(document: str, reader: Path) -> None:
    """Each command of a console block runs, with the exit code shown, and prints the lines shown but for numbers."""
    # a table with bots of strangers says first that they played without a sandbox
    how = CHEAP | {"ARENA_ISOLATION": "auto"} if document in DEAR else CHEAP
    for each in shown(document):
        ended = run(each.command, reader, how)
        assert ended.exit_code == each.exit_code, f"{document}: {each.command}\n{ended.output}"
        if each.command.startswith(FOLLOWS_PLAY):
            continue
        assert each.lines or not ended.output, f"{document}: {each.command}: expected its output below it, got none"
        printed = {masked(line) for line in ended.output.splitlines()}
        for line in each.lines:
            if not any(bot in line for bot in BOTS_OF_OTHER_LANGUAGES):
                assert masked(line) in printed, f"{document}: {each.command}: {line}\n{ended.output}"


def test_the_first_two_commands() -> None:
    """The README opens with the two commands that set up, play and test, and nothing stands before them."""
    assert re.match(r"# .*\n\n```console\n\$ make demo\n\$ make test\n```\n", TEXTS["README.md"])
    targets = re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE)
    named = {word for text in OURS.values() for word in re.findall(r"(?:`|\$ )make ([a-z]+)", text)}
    assert named <= set(targets)


def test_a_bot_in_fifteen_lines() -> None:
    """The bot of the README is whole in 15 lines."""
    assert len(scripts(TEXTS["README.md"])["mine.py"].splitlines()) == 15


@pytest.mark.parametrize("document", TEXTS)
def test_data_blocks(document: str) -> None:
    """Each JSON block is a value, or one a line; each TOML block is a document."""
    for block in blocks(TEXTS[document], "json"):
        try:
            json.loads(block)
        except json.JSONDecodeError:
            for line in block.splitlines():
                json.loads(line)
    for block in blocks(TEXTS[document], "toml"):
        tomllib.loads(block)


@pytest.mark.long
def test_every_command_and_option_is_documented() -> None:
    """The page of commands has each option in the words of its help: `python -m tests.renew_docs` writes it."""
    page = COMMANDS_PAGE.read_text(encoding="utf-8")
    assert page == with_help(page)
    shared = page.partition("\n## Shared options\n")[2].partition("\n## ")[0]
    for command, known in options().items():
        section = shared + page.partition(f"## `arena {command}`\n")[2].partition("\n## ")[0]
        for option in known:
            assert re.search(rf"(?<![\w-]){option}(?![\w-])", section), f"{command} {option}"


def test_each_command_is_listed_by_what_its_help_begins_with() -> None:
    """`arena --help` imports no command: its line of each is the meaning that the command's own help begins with."""
    group = get_command(app)
    assert isinstance(group, TyperGroup)
    assert set(group.commands) == set(_LINES)
    for name, line in _LINES.items():
        assert str(group.commands[name].help).startswith(line.rstrip("."))
    words = "import sys, arena.cli as c; sys.argv = ['arena', '--help']\ntry: c.main()\nfinally: print(*sys.modules)"
    said = subprocess.run([sys.executable, "-c", words], capture_output=True, text=True, check=True, timeout=300)
    shown, modules = said.stdout.rstrip().rsplit("\n", 1)
    listed = dict(re.findall(r"^  (\w+) {2,}(\S.*)$", shown.partition("\nMake a bot:")[2], re.MULTILINE))
    assert listed == _LINES
    loaded = set(modules.split())
    assert "arena.cli" in loaded
    assert not loaded & {*(f"arena.cli.{name}" for name in _LINES), "arena.tournament", "arena.formats", "numpy"}
    assert "importlib.metadata" not in loaded


@pytest.mark.parametrize("document", OURS)
def test_commands_and_options_named_exist(document: str) -> None:
    """A command or option of arena that a document names is one."""
    known = options()
    every = {option for some in known.values() for option in some} | {
        "--help",
        "--version",
        "--install-completion",
        "--show-completion",
    }
    groups = {name.split()[0] for name in known if " " in name}
    for words in command_lines(TEXTS[document]):
        name = " ".join(words[: 2 if words and words[0] in groups else 1])
        if re.fullmatch("[a-z ]+", name) and name not in groups:
            assert name in known, f"{document}: arena {name}"
        for word in words:
            if word.startswith("-"):
                assert word in known.get(name, every), f"{document}: arena {' '.join(words)}"
    for span in spans(TEXTS[document]):
        if re.match(r"--?[a-z]", span):
            assert span.split()[0].rstrip(",").partition("=")[0] in every, f"{document}: {span}"


@pytest.mark.parametrize("document", OURS)
def test_files_named_exist(document: str) -> None:
    """A file or folder that a document names is in the repository, or is one that a reader or a run makes."""
    saved = {name for text in TEXTS.values() for name in scripts(text)}
    there = {*_names_under(ROOT), *ELSEWHERE, *saved}
    for span in spans(TEXTS[document]):
        if FILE.fullmatch(span):
            assert span in there or ((ROOT / document).parent / span).exists(), f"{document}: {span}"


def _names_under(folder: Path) -> Iterator[str]:
    """Each file below by its path and by its name alone, each folder with a slash; not what is set up here."""
    for here, folders, files in os.walk(folder):
        folders[:] = [name for name in folders if name == ".ci" or not name.startswith((".", "__"))]
        inside = Path(here).relative_to(folder)
        yield from (f"{(inside / name).as_posix()}/" for name in folders)
        yield from (name for file in files for name in (file, (inside / file).as_posix()))


@pytest.mark.parametrize(
    ("document", "before", "struct"),
    [
        ("docs/results.md", "prints the JSON Schema.\n", Manifest),
        ("docs/results.md", "An entrant:\n", Entrant),
        ("docs/results.md", "An epoch:\n", Epoch),
        ("docs/results.md", "unless it says otherwise:\n", Audit),
        ("docs/commands.md", "With `--json`:\n", Leaderboard),
        ("docs/commands.md", "The fields of a row:\n", LeaderboardRow),
        ("docs/stats.md", "The fields of a bot:\n", BotTimes),
        ("docs/stats.md", "The fields of a bot and kind:\n", BotFaults),
        ("docs/stats.md", "The fields of a seat:\n", SeatRow),
    ],
)
def test_lists_of_fields(document: str, before: str, struct: Any) -> None:
    """A list of fields has those that are written, no more and no less, in their order."""
    rows = TEXTS[document].partition(before)[2].lstrip().partition("\n\n")[0].splitlines()
    assert [row.split("`")[1] for row in rows] == list(struct.__struct_fields__)


def test_the_changelog_has_this_version() -> None:
    """The newest section of the changelog is that of the version."""
    newest = re.findall(r"^## (\S+)", TEXTS["CHANGELOG.md"], re.MULTILINE)[0]
    assert newest == __version__


@pytest.mark.parametrize("game", games.names())
def test_reference_leaderboards(game: str) -> None:
    """The page of results has a leaderboard of each game with a row of each bot that enters it by default."""
    table = TEXTS["results/README.md"].partition(f"/{game}: {game}, ")[2].partition("results/")[0]
    for bot in read_shipped_bots():
        absent = not bot.default or (bot.games and game not in bot.games)
        assert f"| {bot.name} " in table or absent, bot.name
