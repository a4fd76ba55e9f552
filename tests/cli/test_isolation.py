"""`--isolation`: the sandbox around bots, proved before a run, never weaker in silence; what `doctor` tells of it."""

import csv
import errno
import json
import sys
import venv
from io import StringIO
from pathlib import Path

import pytest
from typer.testing import CliRunner

from arena.cli import app
from arena.cli.failure import code_of
from arena.errors import HostError, UsageError
from arena.sandbox import LEVELS, Level
from arena.sandbox.attacks import ATTACKS
from arena.sandbox.proof import Proof
from arena.tournament import isolation
from arena.tournament.lanes import Lanes
from tests.cli.command import BOTS, PYTHON, arena, data, refusal
from tests.levels import needed, unavailable

RUN = ("run", "greedy", "random", "-g", "dockfight", "-n", "2", "--seats", "2", "-j", "1")
SPY = """
import sys
def seen(path):
    try:
        return open(path).read(1) and "read"
    except OSError as error:
        return type(error).__name__
told = [seen(path) for path in ("walled/secret.json", "rival/bot.py", "spy.py", "/etc/passwd")]
print(*told, file=sys.stderr, flush=True)
""" + BOTS["mine.py"]


@pytest.mark.long
def test_relative_interpreters(tmp_path: Path, walled: Level) -> None:
    """An interpreter given by a path from the current folder has its environment, also behind ``env``, for all."""
    venv.create(tmp_path / "nv", symlinks=True)
    code = "import sys; print(sys.prefix, file=sys.stderr)\n" + SPY
    (tmp_path / "bot.py").write_text(code, "utf-8")
    (tmp_path / "nv/bot.py").write_text(code, "utf-8")
    words = ("-g", "dockfight", "-n", "2", "--seats", "2", "-o", "walled", "-j", "1", "--isolation", walled)
    arena(tmp_path, "run", "np=nv/bin/python bot.py", "env=/usr/bin/env A=b nv/bin/python bot.py", *words)
    arena(tmp_path / "nv", "run", "within=bin/python bot.py", "random", *words)
    for log in ("walled/logs/np.log", "walled/logs/env.log", "nv/walled/logs/within.log"):
        assert (tmp_path / log).read_text("utf-8").splitlines()[0] == str(tmp_path / "nv")


def test_a_bot_that_imports_arena(tmp_path: Path, walled: Level) -> None:
    """A bot in Python finds ``arena`` in its sandbox, though it may not list the checkout that arena lies in."""
    bot = tmp_path / "bot"
    bot.mkdir()
    (bot / "bot.toml").write_text('name = "importer"\ncommand = ["{python}", "bot.py"]\n')
    (bot / "bot.py").write_text("""
import arena
class Mine(arena.Bot):
    def decide(self, decision):
        return range(decision.least)
Mine().run()
""")
    words = ("-g", "dockfight", "-n", "2", "--seats", "2", "-o", "walled", "-j", "1", "--isolation", walled)
    arena(tmp_path, "run", "./bot", "random", *words, "--strict")


def test_bots_see_neither_results_nor_each_other(tmp_path: Path, walled: Level) -> None:
    """In a sandbox a bot reads its own file, and neither the run's secret, nor a rival's code, nor the machine's."""
    (tmp_path / "spy.py").write_text(SPY, "utf-8")
    (tmp_path / "rival").mkdir()
    (tmp_path / "rival/bot.py").write_text(SPY, "utf-8")
    rival = f"rival={sys.executable} -S rival/bot.py"
    words = ("run", f"spy={PYTHON} spy.py", rival, "-g", "dockfight", "-n", "2", "--seats", "2", "-o", "walled")
    said = arena(tmp_path, *words, "--isolation", walled, "-j", "1")
    assert "isolation" not in said.err
    secret, rivals, own, machine = (tmp_path / "walled/logs/spy.log").read_text("utf-8").split("\n")[0].split()
    assert own == "read"
    for told in (secret, rivals, machine):
        assert told in ("FileNotFoundError", "PermissionError")
    assert json.loads((tmp_path / "walled/run.json").read_bytes())["isolation"] == walled


@pytest.mark.long
def test_a_run_goes_on_within_the_sandbox_it_began_with(tmp_path: Path) -> None:
    """``auto`` takes the level of a run that is resumed; another one asked for by name is refused."""
    walled: Level = "landlock" if unavailable("bwrap") else "bwrap"
    needed(walled)
    auto = {"ARENA_ISOLATION": "auto"}
    arena(tmp_path, *RUN, "-o", "old", "--isolation", walled, "-q")
    said = arena(tmp_path, *RUN, "-o", "old", "-n", "4", "-q", env=auto)
    assert "4 matches" in said.out
    assert json.loads((tmp_path / "old/run.json").read_bytes())["isolation"] == walled
    said = arena(tmp_path, *RUN, "-o", "old", "-n", "6", "--isolation", "none", code=2)
    assert f"expected --isolation {walled}, got none" in said.err


@pytest.mark.long
def test_the_level_is_said(tmp_path: Path) -> None:
    """``auto`` says which level it took, from the environment too, and an option is stronger than the environment."""
    said = arena(tmp_path, *RUN, env={"ARENA_ISOLATION": "auto"})
    assert said.err.startswith("arena: isolation: ")
    assert not arena(tmp_path, *RUN, "--isolation", "none", env={"ARENA_ISOLATION": "auto"}).err.startswith(
        "arena: iso"
    )


def test_a_level_that_is_not_there(monkeypatch: pytest.MonkeyPatch) -> None:
    """A level asked for by name that this machine does not prove ends it with what is missing; auto goes lower."""
    monkeypatch.setattr(
        isolation, "prove", lambda _lanes, level, _bounds: Proof(level, {}, "an unknown processor", "kernel")
    )
    said: list[str] = []
    with Lanes(1) as lanes:
        for level in ("landlock", "bwrap"):
            with pytest.raises(UsageError) as caught:
                isolation.host_policy(level, lanes, said.append)
            assert str(caught.value) == (
                f"isolation: expected {level}, which this machine does not have: an unknown processor"
            )
        assert said == []
        assert isolation.host_policy("auto", lanes, said.append).level == "none"
    assert said == [
        "isolation: none: bots run with your rights, for this machine proves no sandbox: see `arena doctor`"
    ]


@pytest.mark.parametrize("failed", ["landlock", "bwrap"])
def test_trouble_lowers_no_level(failed: Level, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where a level cannot be tried now, nothing is played: neither ``auto``, nor by name, and the cure is told."""
    proofs = {
        "landlock": Proof("landlock", {}, "an old kernel", "kernel"),
        "bwrap": Proof("bwrap", {}, NOTHING, "program"),
        failed: Proof(failed, {}, "expected to try it, got no space left", errno=errno.ENOSPC),
    }
    monkeypatch.setattr(isolation, "prove", lambda _lanes, level, _bounds: proofs[level])
    with Lanes(1) as lanes:
        for choice in ("auto", failed):
            with pytest.raises(HostError, match="expected to try it, got no space left; free some room"):
                isolation.host_policy(choice, lanes, print)


def test_other_words(tmp_path: Path) -> None:
    """Neither an unknown level nor a path that is not there is passed over."""
    assert "sandboxed, none, landlock, bwrap, got 'bwarp'" in refusal(tmp_path, *RUN, "--isolation", "bwarp")
    assert "--readable: expected a file or folder, got 'no'" in refusal(tmp_path, *RUN, "--readable", "no")


# --- `arena doctor`

NOTHING = "expected bwrap, got none: `apt install bubblewrap` or `dnf install bubblewrap`"


def pretend(monkeypatch: pytest.MonkeyPatch, proofs: dict[Level, Proof], code: int = 0) -> str:
    """What it prints on a machine of which these are the proofs."""
    monkeypatch.setattr(isolation, "prove", lambda _lanes, level, *_bounds, **_how: proofs[level])
    ended = CliRunner().invoke(app, ["doctor"])
    assert (ended.exit_code == 0) == (code == 0)
    assert code in (0, code_of(ended.exception or Exception()))
    return ended.stdout


@pytest.mark.long
def test_the_matrix(tmp_path: Path) -> None:
    """The table has a row for each attack and fits 80 columns; the level that auto picks is the best that holds."""
    said = arena(tmp_path, "doctor").out
    assert max(map(len, said.splitlines())) <= 80
    known = data(tmp_path, "doctor", "--json")
    assert known["levels"].keys() == set(LEVELS)
    assert known["auto"] == next(level for level in reversed(LEVELS) if known["levels"][level]["holds"])
    assert list(known["levels"]["none"]["attacks"]) == list(ATTACKS)
    for name in ATTACKS:
        assert any(line.startswith(name) for line in said.splitlines()), name


@pytest.mark.long
def test_other_forms(tmp_path: Path) -> None:
    """As CSV it is one table of what was looked at and what was found; as Markdown there are two tables."""
    rows = list(csv.DictReader(StringIO(arena(tmp_path, "doctor", "--format", "csv").out)))
    assert {"what": "none: kill a process of the host", "found": "possible"} in rows
    assert {"isolation: none", "isolation: auto picks", "arena"} <= {row["what"] for row in rows}
    assert arena(tmp_path, "doctor", "--format", "markdown").out.count("|:--") >= 2


def test_a_level_that_does_not_start(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of a level that does not start the column is blank, and below stands what is missing and how to get it."""
    told = {"kill a process of the host": "refused", "read another bot's code": "absent"}
    said = pretend(
        monkeypatch,
        {
            "none": Proof("none", dict.fromkeys(told, "possible"), ""),
            "landlock": Proof("landlock", told, ""),
            "bwrap": Proof("bwrap", {}, NOTHING, "program"),
        },
    )
    lines = [line.split() for line in said.splitlines()]
    assert ["kill", "a", "process", "of", "the", "host", "YES", "-"] in lines
    assert ["isolation:", "auto", "picks", "landlock"] in lines
    assert " ".join(said.split()).endswith(f"bwrap: {NOTHING}")
    assert max(map(len, said.splitlines())) <= 80


def test_a_level_that_does_not_hold(monkeypatch: pytest.MonkeyPatch) -> None:
    """Below a level whose promise the probe broke, or could not settle, none is picked; its marks show it, and why."""
    broken = {"kill a process of the host": "possible", "read another bot's code": "unclear"}
    said = pretend(
        monkeypatch,
        {
            "none": Proof("none", broken, ""),
            "landlock": Proof("landlock", broken, "expected these to be refused, got them done"),
            "bwrap": Proof("bwrap", {}, NOTHING, "program"),
        },
        code=3,
    )
    lines = [line.split() for line in said.splitlines()]
    assert ["kill", "a", "process", "of", "the", "host", "YES", "YES"] in lines
    assert ["read", "another", "bot's", "code", "?", "?"] in lines
    assert ["isolation:", "auto", "picks", "none", "of", "them", "now"] in lines
    assert "landlock: expected these to be refused, got them done\n" in said
