"""``arena check`` as its user sees it."""

import json
import re
import shlex
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pytest
import typer
from typer.testing import CliRunner

from arena.cli import failure
from arena.cli.check import check
from arena.conformance.findings import AT_TABLES, TEXT, CheckResult, Failure, Findings, Line, Sentence
from arena.report.conformance import MOST_CHARACTERS, CheckedBot, as_data, as_lines, cases
from tests.conformance.court import HERE

NASTY = "\x1b[31m\u202e\u00e9\n::error::"
Arena = Callable[..., "Ended"]


class Ended(NamedTuple):
    code: int | None
    out: str


@pytest.fixture
def arena_check() -> Arena:
    """Runs the command; its exit code and what it printed."""
    app = typer.Typer()
    app.command()(check)

    def run(*words: str) -> Ended:
        ended = CliRunner().invoke(app, [*words])
        if isinstance(ended.exception, Exception):
            return Ended(failure.code_of(ended.exception), ended.stdout)
        return Ended(ended.exit_code, ended.stdout)

    return run


def sinner(sin: str) -> str:
    """A bot with one sin, as it is typed."""
    return f"x={shlex.join([sys.executable, '-S', str(HERE / 'sinner.py'), sin])}"


def findings(**words: Any) -> Findings:
    """Findings in which the first sentence failed and the others were not tried."""
    broken = Failure(**{"where": "lure, seat 0 of 2", "rule": "expected 1, got 2", "hint": "correct it", **words})
    results = [CheckResult(number, "skipped", "not tried: 1 failed") for number in AT_TABLES]
    return Findings((CheckResult(1, "failed", failure=broken), *results[1:]), 0, 0, 0.1)


@pytest.mark.long
def test_all_holds(arena_check: Arena) -> None:
    """For a conforming bot every sentence is one line that begins with ok and its number; the exit code is 0."""
    ended = arena_check("random", "--game", "dockfight", "--seats", "2-3")
    assert ended.code == 0
    *sentences, summary = ended.out.splitlines()
    assert [re.sub(r" \(.*\)$", "", line) for line in sentences] == [
        f"ok   {sentence.value:>2}. {TEXT[sentence]}" for sentence in AT_TABLES
    ]
    assert summary.startswith("random: 17 of 17 rules pass (2 matches, ")
    assert max(map(len, ended.out.splitlines())) <= 80


@pytest.mark.long
def test_one_fails(arena_check: Arena) -> None:
    """Of a failure the cause and the cure are told; with -v the lines and the bot's stderr; the exit code is 1."""
    brief = arena_check(sinner("crashes"), "-g", "dockfight", "--seats", "2")
    told = brief.out.partition("FAIL  5. runs until its input ends\n")[2].partition("ok    6. ")[0]
    assert re.sub(r"\d+", "N", " ".join(told.split())) == (
        "dockfight, seat N of N, question N: ZeroDivisionError: division by zero (sinner.py, line N) (it exited with "
        "status N) fix: correct that: a bot must run until its input ends"
    )
    ended = arena_check(sinner("crashes"), "-g", "dockfight", "--seats", "2", "-v")
    assert ended.code == brief.code == 1
    shown = ended.out.partition("FAIL  5. runs until its input ends\n")[2].partition("ok    6. ")[0].splitlines()
    assert [line.split()[0] for line in shown[:2]] == ["dockfight,", "(sinner.py,"]
    assert "fix: correct that" in ended.out
    assert [line.partition("|")[0].strip() for line in shown if " | " in line][:6] == ["got", "sent"] * 3
    assert shown[-1].strip() == "stderr | ZeroDivisionError: division by zero"
    assert "(not tried: 5 failed)" in ended.out


def test_quiet_says_only_what_is_wrong(arena_check: Arena) -> None:
    """With --quiet, sentences that hold or were not tried are left out."""
    ended = arena_check("random", "-q", "-g", "dockfight", "--seats", "2")
    assert ended.out.startswith("random: 17 of 17")


@pytest.mark.long
def test_json_is_one_object(arena_check: Arena) -> None:
    """With --json all of it is one object, which holds each line whole and as it was."""
    ended = arena_check(sinner("short-buffer"), "-g", "dockfight", "--seats", "2", "--json")
    assert ended.code == 1
    data = json.loads(ended.out)
    assert data["holds"] is False
    assert [sentence["number"] for sentence in data["sentences"]] == [sentence.value for sentence in AT_TABLES]
    (broken,) = [sentence for sentence in data["sentences"] if sentence["status"] == "failed"]
    assert broken["number"] == Sentence.LONG
    assert json.loads(broken["failure"]["lines"][-1]["text"])["padding"]


@pytest.mark.parametrize(
    "words",
    [
        ["nobody-of-this-name"],
        ["random", "--game", "no-such-game"],
        ["random", "--game", "dockfight", "--seats", "9"],
        ["random", "--move-time", "soon"],
        ["x=no-such-program-anywhere"],
        [".", "--game", "cash-a-catch"],
    ],
)
def test_what_cannot_be_tried(
    arena_check: Arena, words: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No such bot, program, game, seats or time, or a game that the bot file does not name: the exit code is 2."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "bot.toml").write_text('name = "x"\ncommand = ["sh"]\ngames = ["dockfight"]\n', "utf-8")
    assert arena_check(*words).code == 2


def test_bots_words_are_escaped() -> None:
    """Whatever a bot writes reaches the terminal as printable ASCII, and JSON as ASCII."""
    said = (Line(sent=False, text=NASTY.encode() + b"\xff"),)
    nasty = findings(rule=NASTY, lines=said, errors=(NASTY + "\n").encode() + b"\xfe\n", also=(NASTY,))
    for text in ("\n".join(as_lines("x", nasty)), json.dumps(as_data("x", nasty))):
        assert all(" " <= char <= "~" or char == "\n" for char in text)
    assert not any(line.startswith("::") for line in as_lines("x", nasty))


def test_long_lines_are_cut() -> None:
    """A line beyond 2,000 characters keeps its head and tail for machines, and is whole with -v."""
    text = "a" * 5000 + "z" * 5000
    long = findings(lines=(Line(sent=False, text=text.encode()),))
    (case, *_) = cases([CheckedBot(name="x", folder="", findings=long, error=None)])
    cut = case.more.splitlines()[-1]
    assert len(cut) < MOST_CHARACTERS + 100
    assert re.search(r"got: a+ \[\.\.\. 8,000 characters: -v shows them \.\.\.\] z+$", cut)
    assert any(text in line for line in as_lines("x", long, verbose=True))


def test_the_offending_line_is_for_machines_too() -> None:
    """A test case names the line that broke a sentence, what the bot could read and what it was held to."""
    lines = (Line(sent=True, text=b"ask"), Line(sent=False, text=b"\x1boops"))
    told = findings(lines=lines, isolation="bwrap: it reads", limits="memory=1MiB")
    (case, *_) = cases([CheckedBot(name="x", folder="", findings=told, error=None)])
    assert case.more.splitlines()[1:] == [
        "fix: correct it",
        "isolation: bwrap: it reads",
        "limits: memory=1MiB; --limit KEY=VALUE or the bot file sets them",
        r"got: \x1boops",
    ]
    shown = "\n".join(as_lines("x", findings(isolation="bwrap: it reads", limits="memory=1MiB"), verbose=True))
    assert "         isolation: bwrap: it reads\n" in shown
    (silent, *_) = cases([CheckedBot(name="x", folder="", findings=findings(lines=lines[:1]), error=None)])
    assert "got: " not in silent.more


def test_many_places_are_counted() -> None:
    """Of many other places where a sentence fails, three are named and the rest counted."""
    lines = as_lines("x", findings(also=tuple(f"table {n}" for n in range(9))), verbose=True)
    assert [line.strip() for line in lines if "also: " in line] == [
        *(f"also: table {n}" for n in range(3)),
        "also: 6 more",
    ]
