"""What a terminal has and a pipe has not: colours, a bar, a bold result; and silence on demand."""

import re
import sys
from io import StringIO
from pathlib import Path

import pytest
import typer.main
from msgspec.structs import replace

from arena import cli
from arena.errors import UsageError
from arena.report.bracket import Bracket, BracketPlace, BracketStage, SatTogether, Seated, bracket_sections
from arena.report.document import Document, sentences
from arena.terminal import is_colourful, is_drawable, print_result
from arena.terminal.playing import find_command
from tests.cli.test_live_table import field, frame, match
from tests.report.records import board_of, record

CODE = re.compile(r"\x1b\[[0-9;]*m")


class _Terminal(StringIO):
    def isatty(self) -> bool:
        return True


@pytest.fixture(autouse=True)
def _terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.delenv("NO_COLOR", raising=False)


def _printed(text: str, form: str, monkeypatch: pytest.MonkeyPatch) -> str:
    out = _Terminal()
    monkeypatch.setattr(sys, "stdout", out)
    print_result(text, form=form)
    return out.getvalue()


def test_only_a_terminal_has_colours(monkeypatch: pytest.MonkeyPatch) -> None:
    """A pipe, a dumb terminal and NO_COLOR have none; only a dumb terminal and a pipe cannot be drawn upon."""
    assert is_colourful(_Terminal())
    assert not is_drawable(StringIO())
    monkeypatch.setenv("NO_COLOR", "1")
    assert (is_drawable(_Terminal()), is_colourful(_Terminal())) == (True, False)
    monkeypatch.setenv("NO_COLOR", "")
    assert is_colourful(_Terminal())
    monkeypatch.setenv("TERM", "dumb")
    assert not is_drawable(_Terminal())


def test_no_terminal_gets_a_file(monkeypatch: pytest.MonkeyPatch) -> None:
    """A terminal refuses the bytes of a file."""
    monkeypatch.setattr(sys, "stdout", _Terminal())
    with pytest.raises(UsageError, match="expected a file for npz, got a terminal"):
        print_result(b"", form="npz")


def test_the_result_stands_out(monkeypatch: pytest.MonkeyPatch) -> None:
    """The first sentence is bold, headings are faint, who is certainly first is green, faults are red; not in data."""
    board = board_of([replace(record({"a": 0, "b": 1}), id=f"e0b{number}r0") for number in range(24)], ["a", "b"])
    text = str(board) + "\n"
    shown = _printed(text, "table", monkeypatch)
    assert CODE.sub("", shown) == text
    assert shown.startswith("\x1b[1ma won, for certain.\x1b[0m\n")
    assert re.search(r"^\x1b\[2m# bot .*faults\x1b\[0m$", shown, re.MULTILINE)
    assert "\x1b[32m1 a\x1b[0m " in shown
    assert "\x1b[31m3 late\x1b[0m" in _printed("b lost.\nb 3 late\n", "table", monkeypatch)
    assert _printed(text, "json", monkeypatch) == text
    monkeypatch.setenv("NO_COLOR", "1")
    assert _printed(text, "table", monkeypatch) == text


def test_a_bar_grows(monkeypatch: pytest.MonkeyPatch) -> None:
    """While a run is played a bar of colours shows how much of it is; without colours the figures say it alone."""
    monkeypatch.setattr("tests.cli.test_live_table.StringIO", _Terminal)
    manifest = field(2)
    records = [match(number, *(entrant.name for entrant in manifest.entrants)) for number in range(2)]
    monkeypatch.setenv("COLORTERM", "")
    assert any("\x1b[48;5;59m" in line for line in frame(manifest, records, (80, 24), monkeypatch))
    monkeypatch.setenv("NO_COLOR", "1")
    assert not any(CODE.search(line) for line in frame(manifest, records, (80, 24), monkeypatch))


def test_every_command_can_be_quiet() -> None:
    """Each command takes -q, also one that has nothing to be quiet about."""

    def walk(command: object) -> list[object]:
        inner = getattr(command, "commands", {})
        return [leaf for each in inner.values() for leaf in walk(each)] if inner else [command]

    leaves = walk(typer.main.get_command(cli.app))
    assert len(leaves) > 20
    assert [leaf.name for leaf in leaves if not any("-q" in param.opts for param in leaf.params)] == []  # type: ignore[attr-defined]


def test_a_hint_can_be_typed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the shell does not find arena by its name, hints name it by its path, as it was typed."""
    monkeypatch.setattr(sys, "argv", [".venv/bin/arena", "run"])
    monkeypatch.setenv("PATH", str(tmp_path))
    assert find_command() == ".venv/bin/arena"
    (tmp_path / "arena").touch(mode=0o755)
    assert find_command() == "arena"
    monkeypatch.setattr(sys, "argv", ["/somewhere/arena/__main__.py", "run"])
    (tmp_path / "arena").unlink()
    assert find_command() == "arena"


def test_a_figure_keeps_its_unit() -> None:
    """No line of a document ends between a figure and its unit."""
    for most in range(20, 60):
        lines = sentences(["lure, at two seats, in 34.4 s. Each took 5 % of 20 ms, or 3 min."], "table", most)
        assert [line for line in lines if re.search(r"\d$", line)] == []
        assert len(lines) > 1


def test_rounds_are_folded() -> None:
    """A bracket shows its final, and all its rounds with --rounds and in Markdown."""

    def stage(title: str, tables: int) -> BracketStage:
        won, lost = Seated(bot="a", points=1.0, matches=2), Seated(bot="b", points=0.0, matches=2)
        bots = [(replace(won, bot=f"a{n}"), replace(lost, bot=f"b{n}")) for n in range(4)]
        return BracketStage(title=title, tables=tuple([SatTogether(bots=pair, blocks=2) for pair in bots[:tables]]))

    stages = (stage("stage 1", 4), stage("stage 2", 2), stage("final", 1))
    bracket = Bracket(schedule="knockout", places=(BracketPlace(place=1, bot="a"),), stages=stages)

    def text(form: str, *, rounds: bool) -> str:
        return Document(sections=bracket_sections(bracket, rounds=rounds)).written(form)  # type: ignore[arg-type]

    assert text("table", rounds=True).count("blocks: ") == 7
    short = text("table", rounds=False)
    assert short.count("blocks: ") == 1
    assert "final, 2 blocks: " in short
    assert "Rounds: 6 lines, with `arena leaderboard RUN --rounds`." in short
    assert text("markdown", rounds=False) == text("markdown", rounds=True)
