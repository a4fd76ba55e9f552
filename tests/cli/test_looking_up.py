"""Looking things up: games, rules, bots, this machine, schemas, versions, help, and what a shell completes."""

import csv
import json
import os
import pty
import re
import shlex
import shutil
import signal
import subprocess
import sys
from collections import Counter
from collections.abc import Mapping
from io import StringIO
from pathlib import Path
from typing import Any

import msgspec
import pytest
from typer.main import get_command
from typer.testing import CliRunner

from arena import __version__, games
from arena.cli import app
from arena.cli.rules import text_of_rules
from arena.games import find
from arena.terminal.document import document, reflowed
from arena.tournament.settings import COMMON, collect_settings
from arena.wire import Choose, Decide, Hello, Limits, Over, Ready
from tests.cli.command import ARENA, arena, data, records, refusal, started
from tests.documents import help_of, options

GROUPS = {
    "Make a bot": ["new", "check", "bots"],
    "Play": ["run", "play", "selfplay"],
    "Look at results": ["replay", "report", "stats", "matches", "leaderboard", "watch"],
    "Improve a bot": ["compare", "lab", "review"],
    "Host a competition": ["season", "verify", "merge", "export"],
    "Look up": ["docs", "rules", "games", "laws", "doctor", "schema"],
}
COMMANDS = [name for names in GROUPS.values() for name in names if name != "new"]
DEAR = ("check", "review")
"""They try and think for some seconds at least."""


def fault_in(value: Any, schema: Mapping[str, Any], defs: Mapping[str, Any]) -> str | None:
    """Why a value is not what a schema describes, for as much of JSON Schema as is used here, or None."""
    if "$ref" in schema:
        return fault_in(value, defs[schema["$ref"].removeprefix("#/$defs/")], defs)
    for union in ("anyOf", "oneOf"):
        if union in schema:
            faults = [fault_in(value, each, defs) for each in schema[union]]
            return None if None in faults else f"{value!r} is none of {faults}"
    if "enum" in schema:
        return None if value in schema["enum"] else f"{value!r} is not of {schema['enum']}"
    kinds: dict[str, type | tuple[type, ...]] = {
        "object": dict,
        "array": list,
        "string": str,
        "integer": int,
        "number": (int, float),
        "boolean": bool,
        "null": type(None),
    }
    if "type" in schema and not isinstance(value, kinds[schema["type"]]):
        return f"{value!r} is not of type {schema['type']}"
    if isinstance(value, dict):
        if lacking := set(schema.get("required", ())) - value.keys():
            return f"{lacking} is missing"
        others = schema.get("additionalProperties", {})
        inside = [(each, schema.get("properties", {}).get(name, others)) for name, each in value.items()]
    elif isinstance(value, list):
        items = schema.get("items", {})
        inside = [(each, items) for each in value] if items is not False else []
    else:
        return None
    faults = [fault_in(each, described, defs) for each, described in inside if isinstance(described, dict)]
    return next((fault for fault in faults if fault), None)


def test_schemas_hold_for_what_is_written(place: Path, demo: Path) -> None:
    """Each schema is JSON Schema whose references lead somewhere, and holds for real messages, records and files."""
    seat = games.find("dockfight").deal(2, bytes(32), {})
    pending = seat.pending()
    options = next(iter(getattr(pending, "decisions", {0: None}).values()))
    messages = [
        Hello(1, "m", "dockfight", "1", {}, 0, 2, 7, Limits(10, 10)),
        Decide("x", 1, 1, 2, 10, options.options if options else ("stop", "hit"), seat.observe(0), []),
        Over((0, 1), (3, 1), "finished", []),
        Ready(),
        Choose("x", (0,)),
    ]
    bot = {"name": "mine", "command": ["{python}", "mine.py"], "build": [["make"]], "env": {"A": "b"}}
    samples: dict[str, list[Any]] = {
        "wire": [json.loads(msgspec.json.encode(message)) for message in messages],
        "record": records(demo),
        "run": [json.loads((demo / "run.json").read_bytes())],
        "bot": [bot],
        "config": [{}, {"matches": 3, "seats": "3-5", "clocks": {"move": "1s"}, "limits": {"line": 4096}}],
    }
    spoilt: dict[str, Any] = {
        "wire": {"type": "choose", "id": 3, "picks": []},
        "record": records(demo)[0] | {"reason": "bored"},
        "run": samples["run"][0] | {"entrants": "all"},
        "bot": bot | {"command": "python3"},
        "config": {"isolation": "sandbox"},
    }
    for name, values in samples.items():
        schema = data(place, "schema", "--of", name)
        assert schema["$schema"] == "https://json-schema.org/draft/2020-12/schema"
        for each in re.findall(r'"\$ref": "([^"]*)"', json.dumps(schema)):
            assert each.removeprefix("#/$defs/") in schema["$defs"]
        for value in values:
            assert fault_in(value, schema, schema.get("$defs", {})) is None
        assert fault_in(spoilt[name], schema, schema.get("$defs", {})) is not None


@pytest.mark.parametrize("command", ["games", "docs", "bots"])
def test_tables(place: Path, command: str) -> None:
    """What is looked up is printed as a table of 80 columns, Markdown, CSV or JSON."""
    rows = data(place, command, "--json")
    table = arena(place, command).out.splitlines()
    assert max(map(len, table)) <= 80
    assert len(table) == 2 + sum(max(1, row.get("variants", "").count("; ") + 1) for row in rows)
    assert arena(place, command, "--format", "markdown").out.startswith("| ")
    read = list(csv.DictReader(StringIO(arena(place, command, "--format", "csv").out)))
    assert [list(row.values())[0] for row in read] == [str(list(row.values())[0]) for row in rows]  # noqa: RUF015 - rows of tables are lists in order


def test_rules(place: Path) -> None:
    """`arena rules GAME` prints the game's `rules.md`."""
    for name in games.names():
        page = Path(games.__path__[0]) / name.replace("-", "_") / "rules.md"
        assert arena(place, "rules", name).out == page.read_text("utf-8")


def test_games_and_bots(place: Path) -> None:
    """The games of the shelf and the shipped bots are listed by the names that the other commands take."""
    assert [row["game"] for row in data(place, "games", "--json")] == games.names()
    assert {row["bot"] for row in data(place, "bots", "--json")} >= {"greedy", "random", "random-c", "random-js"}


def test_version(place: Path) -> None:
    """`arena --version` prints name and version, also before a command."""
    assert arena(place, "--version").out == f"arena {__version__}\n"
    assert arena(place, "--version", "games").out == f"arena {__version__}\n"


@pytest.mark.parametrize("words", [("--help",), ("run", "--help-all")], ids=" ".join)
def test_help_without_docstrings(place: Path, words: tuple[str, ...]) -> None:
    """Where the interpreter leaves out docstrings, help is the same."""
    assert arena(place, *words, env={"PYTHONOPTIMIZE": "2"}).out == arena(place, *words).out


def test_the_list_of_commands(place: Path) -> None:
    """The help lists every command in one sentence that is not cut short, within 80 columns."""
    text = arena(place, "--help").out
    groups = {
        title: re.findall(r"^  ([a-z]+) +(\S.*)$", lines, re.MULTILINE)
        for title, lines in re.findall(r"^([A-Z][a-z ]+):\n((?:  .*\n)+)", text, re.MULTILINE)
        if title != "Options"
    }
    assert {title: [name for name, _ in rows] for title, rows in groups.items()} == GROUPS
    listed = [row for rows in groups.values() for row in rows]
    assert all(said.endswith(".") and not said.endswith("..") for _, said in listed)
    assert max(map(len, text.splitlines())) <= 80
    assert "Start with: arena run --game cash-a-catch\n  Your own bot: arena new bot mine\n" in text
    assert {name for name, _ in listed} == {name.split()[0] for name in options()}


@pytest.mark.parametrize("command", ["run", "compare"])
def test_the_short_help(place: Path, command: str) -> None:
    """--help lists what is common in the schema of settings, ten options at most; --help-all lists all."""
    listed: list[set[str]] = [
        set(re.findall(r"^  (?:-\w, )?--([a-z-]+)", arena(place, command, words).out, re.MULTILINE))
        for words in ("--help", "--help-all")
    ]
    common = {collect_settings()[name].option.strip("-") for name in COMMON} & listed[1]
    assert listed[0] == common | {"json", "help"}
    assert len(listed[0]) <= 11
    assert {"limit", "readable", "github"} <= listed[1]


@pytest.mark.parametrize("first", [("run",), ("compare",), ("selfplay",), ("rules",), ("check",)])
def test_the_game_in_front(place: Path, first: tuple[str, ...]) -> None:
    """GAME is given as the first argument or with -g; both ways are the same, and differing ones are a mistake."""
    command = first[0]
    more = {"run": ("greedy", "random", "-n", "4", "--dry-run", "-q"), "rules": (), "check": ("random", "-q")}.get(
        command, ("greedy", "random", "-n", "4", "--seed", "x", "-q")
    )
    words = (*more, *(("-o", "fronted") if command == "compare" else ()))
    plain = re.compile(r"[\d. -]+")
    said = [
        plain.sub("", arena(place, command, *line).out) for line in (("dockfight", *words), ("-g", "dockfight", *words))
    ]
    assert said[0] == said[1] != ""
    wrong = refusal(place, command, "dockfight", "-g", "lure", *words)
    assert wrong == "--game: expected 'dockfight' as in the first argument, or none, got lure"


def test_a_bot_with_the_name_of_a_game(place: Path) -> None:
    """A first argument that names a game and a bot is refused; beside -g, or as a path, it is the bot."""
    arena(place, "new", "bot", "lure")
    wrong = refusal(place, "run", "lure", "greedy", "-n", "2", "-o", "never")
    assert wrong == "expected a game or a bot, got 'lure', which is both: -g lure is the game, ./lure the bot"
    few = ("greedy", "-n", "2", "--dry-run", "--json")
    for line in (("-g", "dockfight", "lure"), ("dockfight", "./lure")):
        (planned,) = [row for row in data(place, "run", *line, *few) if row["matches"] == 2]
        assert planned["game"] == "dockfight"


def test_variants_of_the_game_in_front(place: Path) -> None:
    """The variants of a settings file count for a game that stands first as for one after -g."""
    (place / "arena.toml").write_text('[variants]\nbell = "nearest"\n')
    for number, line in enumerate((("cash-a-catch",), ("-g", "cash-a-catch"))):
        arena(place, "run", *line, "random", "--seats", "3", "-n", "3", "-q", "-o", f"front-{number}")
        assert json.loads((place / f"front-{number}/run.json").read_text())["variants"] == {"bell": "nearest"}


@pytest.mark.parametrize("command", options())
def test_examples_parse(command: str) -> None:
    """The help of every command, those of groups too, has an example whose options and arguments it takes."""
    words = shlex.split(help_of(command).example.partition(" > ")[0])
    named = command.split()
    assert words[: 1 + len(named)] == ["arena", *named]
    found: Any = get_command(app)
    for name in named:
        found = found.commands[name]
    found.make_context(command, words[1 + len(named) :])


def test_quiet_everywhere(place: Path) -> None:
    """Every command that prints a table takes `-q`, and prints the same table with it."""
    with_tables = [name for name, known in options().items() if "--format" in known]
    assert {"bots", "games", "leaderboard", "run"} <= set(with_tables)
    assert not [name for name in with_tables if not {"-q", "--quiet"} <= set(options()[name])]
    assert arena(place, "games", "-q") == arena(place, "games")


@pytest.mark.parametrize(
    "command",
    [pytest.param(name, marks=pytest.mark.proof if name in DEAR else pytest.mark.long) for name in COMMANDS],
)
def test_examples(place: Path, command: str) -> None:
    """The help of every command has an example that works as it stands."""
    text = CliRunner().invoke(app, [command, "-h"]).stdout
    assert max(map(len, text.splitlines())) <= 80
    if command == "season":
        arena(place, "new", "bot", "bots/minnow")
        (place / "arena.toml").write_text(
            'games = ["dockfight"]\nmatches = 2\nbots = ["bots/*"]\nanchors = ["random"]\n'
        )
    if command == "laws":
        shutil.copy(Path(__file__).parents[1] / "shelf/games/dockfight.py", place / "book.py")
    if command == "merge":
        arena(place, "run", "greedy", "random", "-g", "dockfight", "-n", "4", "--dry-run", "-o", "plan", "-q")
        for part in ("1", "2"):
            arena(place, "run", "--plan", "plan", "--shard", f"{part}/2", "-o", f"part-{part}", "-q")
    example = " ".join(text.partition("Example: ")[2].partition("\n\n")[0].split())
    assert example.startswith(f"arena {command}")
    # fewer matches and a shorter time are the same command
    short = re.sub(r"--for \d+s", "--for 1s", re.sub(r"-n \d+", "-n 4", example.partition(" > ")[0]))
    words = shlex.split(short)[1:]
    until_ended = {"lab": b" v1: the first: ", "watch": b"http://127.0.0.1:"}
    if command not in until_ended:
        # the bot of the example may answer otherwise than the one that sat there
        # nor are all laws tried in so short a time
        assert arena(place, *words, code=None if command == "replay" else 6 if command == "laws" else 0).out
        return
    if command == "lab":
        arena(place, "new", "bot", "mine", "-g", "dockfight")
    # it goes on until somebody ends it
    with subprocess.Popen([*ARENA, *words], cwd=place, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE) as served:
        assert served.stdout is not None
        line = served.stdout.readline()
        served.send_signal(signal.SIGINT)
        assert until_ended[command] in line
        assert served.wait(300) in (0, 130)


@pytest.mark.long
@pytest.mark.skipif(sys.platform == "win32", reason="needs a terminal of the kind that Linux and macOS have")
@pytest.mark.parametrize(
    ("settings", "coloured"), [({"TERM": "xterm"}, True), ({"TERM": "dumb"}, False)], ids=["xterm", "dumb"]
)
def test_terminals(place: Path, settings: dict[str, str], coloured: bool) -> None:
    """On a terminal a table is drawn while the run goes on; a dumb one gets no control sequence."""
    master, slave = pty.openpty()
    words = [*ARENA, "run", "-g", "dockfight", "-n", "8", "-o", "drawn", "-j", "1", "greedy", "random"]
    env = os.environ | settings | {"NO_COLOR": "1"}
    run = subprocess.Popen(words, cwd=place, env=env, stdin=slave, stdout=subprocess.DEVNULL, stderr=slave)
    os.close(slave)
    heard = b""
    try:
        while piece := os.read(master, 65536):
            heard += piece
    except OSError:
        pass  # the other end of the terminal is closed
    os.close(master)
    assert run.wait(timeout=300) == 0
    assert (b"\x1b[" in heard) == coloured
    assert (b"dockfight: provisional" in heard) == coloured
    assert not re.search(rb"\x1b\[3\dm", heard)
    assert b"results: drawn" in heard


@pytest.mark.parametrize("game", ["cash-a-catch", pytest.param("fish-food", marks=pytest.mark.long), "lure"])
def test_rules_at_a_terminal(game: str) -> None:
    """At a terminal of 80 columns the rules are drawn: no line is too long, no letter lost, and no table has bars."""
    text = text_of_rules(find(game))
    lines = document(text, 80, styled=False)
    assert all(len(line) <= 80 for line in lines)
    written = re.sub(r"^```.*$", "", text, flags=re.MULTILINE)
    assert Counter(filter(str.isalnum, "".join(lines))) == Counter(filter(str.isalnum, written))
    assert not [line for line in lines if line.startswith(("#", "|", "```"))]
    assert document(text, 40, styled=False) == reflowed(text, 40)


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
        ("arena docs tu", ["tutorial"]),
        ("arena stats res", ["results/demo", "results/all/lure"]),
        ("arena run ./", []),
        ("arena run l", ["lure"]),
        ("arena run lure l", []),
        ("arena run greedy l", []),
        ("arena compare lure gr", ["greedy"]),
        ("arena rules d", ["dockfight"]),
        ("arena run --help", ["--help", "--help-all"]),
    ],
)
def test_what_is_completed(tmp_path: Path, line: str, found: list[str]) -> None:
    """Games, pages, languages, bots, runs in `results` are completed in every command; other paths are the shell's."""
    for run in ("results/demo", "results/all/lure", "results/none"):
        (tmp_path / run).mkdir(parents=True)
        if run != "results/none":
            (tmp_path / run / "run.json").touch()
    words = {"COMP_WORDS": line, "COMP_CWORD": str(line.count(" ")), "_ARENA_COMPLETE": "complete_bash"}
    assert sorted(arena(tmp_path, env=words).out.split()) == sorted(found)


def test_a_match_by_its_plain_number(place: Path) -> None:
    """A match is named by its number with or without the mark that a shell takes for a remark."""
    assert arena(place, "replay", "results/demo", "1").out == arena(place, "replay", "results/demo", "#1").out
