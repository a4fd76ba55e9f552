"""Whatever a bot writes, and wherever it is shown: no control byte but newline, and no line a CI runner obeys."""

import json
import re
from io import StringIO
from pathlib import Path
from typing import Any, get_args

import pytest
from rich.console import Console
from typer.testing import CliRunner

from arena.cli import app
from arena.fault import Fault
from arena.record import Record
from arena.report.document import OutputFormat
from arena.terminal.live_table import LiveTable
from arena.tournament.folder import RunFolder
from arena.tournament.lanes import Lanes
from tests.cli.command import PYTHON, arena, change

NASTY = "\x1b[31m\x1b]52;c;ZXZpbA==\x07\r\x00\x7f\x9b2J\u202e\u2028 ##[error]boo\n::error::boo\n" + " ::error::boo" * 60
"""Colours, the clipboard, overprinting, text from right to left; commands, and words that become one by a break."""
LOUD = f"""
import json, sys
NASTY = {NASTY!r}
sys.stderr.buffer.write((NASTY + "\\n").encode() + b"\\xff\\n")
sys.stderr.flush()
asked = 0
for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "hello":
        print(json.dumps({{"type": "ready", "name": NASTY, "version": NASTY}}), flush=True)
    elif message["type"] == "decide":
        choice = {{"type": "choose", "id": message["id"], "picks": [0]}}
        says = [
            json.dumps(choice | {{"type": NASTY}}),
            NASTY,
            "::error::boo" + " ::error::boo" * 60,
            json.dumps(choice | {{"id": NASTY}}),
            json.dumps(choice | {{"picks": [NASTY]}}),
            '{{"::error::boo ##[error]boo":1,"::error::boo ##[error]boo":1}}',
            json.dumps(choice | {{"picks": [99]}}),
        ][asked % 7]
        asked += 1
        sys.stdout.buffer.write(says.encode() + b"\\n")
        sys.stdout.flush()
"""
RUN = ("-g", "dockfight", "--seats", "2", "-n", "4", "-j", "1", "--max-faults", "5000", "--seed", "loud")


def assert_safe(text: str) -> None:
    """Printable lines, none of which is a command."""
    for line in text.split("\n"):
        assert line.isprintable(), ascii(line)
        assert not line.lstrip().startswith("::"), line
        assert "##[" not in line, line


@pytest.fixture(scope="module")
def loud(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a loud bot, ``run`` in which it played, and what the run said."""
    here = tmp_path_factory.mktemp("loud")
    (here / "loud.py").write_text(LOUD, "utf-8")
    said = arena(here, "run", *RUN, "-o", "run", "greedy", f"loud={PYTHON} loud.py")
    (here / "said.txt").write_text(said.out + said.err, "utf-8")
    return here


def printed(*words: str, code: int = 0) -> str:
    """What a command prints on both streams."""
    ended = CliRunner().invoke(app, [*words])
    assert ended.exit_code == code, ended.output
    return ended.output


@pytest.mark.long
def test_a_run(loud: Path) -> None:
    """What a run says, its leaderboard file, and its dry run."""
    assert_safe((loud / "said.txt").read_text("utf-8"))
    assert_safe((loud / "run" / "leaderboard.md").read_text("utf-8"))
    said = arena(loud, "run", *RUN, "--dry-run", "greedy", f"loud={PYTHON} loud.py")
    assert_safe(said.out + said.err)


@pytest.mark.parametrize("form", get_args(OutputFormat))
def test_tables(loud: Path, form: str) -> None:
    """Leaderboard and matches in every format."""
    run = str(loud / "run")
    assert_safe(printed("leaderboard", run, "--format", form))
    assert_safe(printed("leaderboard", run, run, "--format", form))
    found = printed("matches", run, "--fault", "--format", form)
    assert_safe(found)
    assert "garbled" in found


def test_matches_told(loud: Path) -> None:
    """Every match replayed, whole and as a seat saw it; what the bot wrote is there, spelled out."""
    run = str(loud / "run")
    for number in range(4):
        for seat in ([], ["--seat", "0"], ["--seat", "1"]):
            text = printed("replay", run, f"#{number}", *seat)
            assert_safe(text)
            # folded between words, and one of these stands at the beginning of a line
            assert seat or re.search(r"^ *\\x3a:error::boo", text, re.MULTILINE)
    assert_safe(printed("verify", run) + printed("export", run))


@pytest.mark.parametrize("form", get_args(OutputFormat))
def test_a_check(loud: Path, form: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """What a check finds wrong with a loud bot, in every format, its lines and its stderr among it."""
    monkeypatch.chdir(loud)
    found = printed(
        "check", f"loud={PYTHON} loud.py", "-g", "dockfight", "--seats", "2", "-q", "--format", form, code=1
    )
    assert_safe(found)
    assert "boo" in found
    if form == "json":
        failed = next(each["failure"] for each in json.loads(found)["sentences"] if "failure" in each)
        assert failed["stderr"][0] == NASTY.split("\n", maxsplit=1)[0]


def test_a_journal_of_strangers(loud: Path, tmp_path: Path) -> None:
    """A journal may come from anywhere: its words are no more believed than a bot's."""
    run = tmp_path / "run"
    run.mkdir()
    for name in ("run.json", "matches.jsonl"):
        (run / name).write_bytes((loud / "run" / name).read_bytes())

    def spoil(match: dict[str, Any]) -> None:
        match |= {"reason": "void", "why": NASTY, "variants": {NASTY: NASTY}}

    name = change(run, 0, spoil)
    assert_safe(printed("replay", str(run), name))
    found = printed("verify", str(run), code=1)
    assert "boo" in found
    assert_safe(found)
    assert_safe(printed("matches", str(run)))


TOML = json.dumps(NASTY.replace("\x7f", ""))
BROKEN = {
    "crash": 'name = "x"\ncommand = ["{python}", "-S", "-c", "raise SystemExit(open(\'words\').read())"]',
    "build": 'name = "x"\ncommand = ["./x"]\nbuild = [["sh", "-c", "cat words >&2; exit 3"]]',
    "build step": f'name = "x"\ncommand = ["./x"]\nbuild = [["sh", "-c", "exit 3", {TOML}]]',
    "program": f'name = "x"\ncommand = [{TOML.replace("/", "")}]',
    "needs": f'name = "x"\ncommand = ["sh"]\nneeds = [{TOML}]',
    "arguments": f'name = "x"\ncommand = ["sh", "-c", "exit 3", {TOML}]',
    "games": f'name = "x"\ncommand = ["sh"]\ngames = [{TOML}]',
    "name": f'name = {TOML}\ncommand = ["sh"]',
    "key": f'name = "x"\ncommand = ["sh"]\n{TOML} = 1',
    "environment": f'name = "x"\ncommand = ["sh"]\nenv = {{{TOML} = "="}}',
}


@pytest.mark.parametrize("broken", BROKEN)
def test_failures_before_the_first_match(tmp_path: Path, broken: str) -> None:
    """A bot that cannot be entered, built or started, by `run` and by `check`, and as the note of who played on."""
    (tmp_path / "x").mkdir()
    (tmp_path / "x" / "bot.toml").write_text(BROKEN[broken].replace("\\u0000", ""), "utf-8")
    (tmp_path / "x" / "words").write_text(NASTY, "utf-8")
    env = {"XDG_CACHE_HOME": str(tmp_path / "cache")}
    said = arena(tmp_path, "run", *RUN, "-v", "greedy", "./x", code=2, env=env)
    assert "boo" in said.err
    assert_safe(said.err)
    if broken in {"needs", "program", "build", "build step", "games"}:
        assert_safe(arena(tmp_path, "check", "./x", "-g", "dockfight", code=2, env=env).err)
    if broken in {"crash", "needs", "build step"}:
        words = ("run", *RUN, "-o", "kept", "--keep-going", "greedy", "random", "./x")
        said = arena(tmp_path, *words, env=env)
        assert_safe(said.out + said.err)
        for form in get_args(OutputFormat):
            found = printed("leaderboard", str(tmp_path / "kept"), "--format", form)
            assert_safe(found)
            assert form == "csv" or "x was withdrawn" in found


def test_the_live_table(loud: Path) -> None:
    """The table that is drawn while a run goes on counts faults and quotes nobody."""
    stream = StringIO()
    manifest = RunFolder(loud / "run").manifest()
    table = LiveTable(stream)
    table.begin(manifest, Lanes(1))
    fault = Fault(seat=1, kind="garbled", decision=0, rule=NASTY, hint=NASTY, line=NASTY)
    table.played(Record("e0b0r0", "dockfight", "1", ("greedy", "loud"), (0, 1), (1, 0), "finished", (fault,)))
    Console(file=stream, width=80).print(table._table())
    assert "greedy" in stream.getvalue()
    assert "boo" not in stream.getvalue()


def test_the_loud_bot_is_loud() -> None:
    """The words of these tests break every rule they are held to."""
    for line in (*NASTY.split("\n"), "\x7f", "a ##[error]"):
        with pytest.raises(AssertionError):
            assert_safe(line)
