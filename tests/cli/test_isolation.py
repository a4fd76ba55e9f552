"""`--isolation`: the sandbox around bots, proved before a run, kept when it goes on, and never weaker in silence."""

import json
import sys
import venv
from pathlib import Path

import pytest

from arena.errors import UsageError
from arena.sandbox.sandbox import Level, Proof
from arena.tournament import isolation
from arena.tournament.lanes import Lanes
from tests.cli.command import BOTS, PYTHON, arena, refusal
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
        isolation, "prove", lambda _lanes, level: Proof(level, {}, "" if level == "none" else "an unknown processor")
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


def test_other_words(tmp_path: Path) -> None:
    """Neither an unknown level nor a path that is not there is passed over."""
    assert "expected one of auto, none, landlock, bwrap, got 'bwarp'" in refusal(tmp_path, *RUN, "--isolation", "bwarp")
    assert "--readable: expected a file or folder, got 'no'" in refusal(tmp_path, *RUN, "--readable", "no")
