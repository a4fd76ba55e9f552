"""Bots whose files are changed by somebody while they are started or play: what is played is what was entered."""

import json
import os
import signal
import subprocess
from pathlib import Path
from time import sleep

import pytest

from arena.sandbox import Level
from tests.cli.command import ARENA, BOTS, arena, bot_folder, records
from tests.levels import needed

RULES = ("-g", "dockfight", "--seats", "2", "-n", "24", "-o", "run", "-j", "1", "-q")


@pytest.mark.long
@pytest.mark.parametrize("level", ["landlock", "bwrap"])
def test_edited_while_it_plays(tmp_path: Path, level: Level) -> None:
    """In a sandbox a bot plays on as it was entered, whatever is done to its folder: later processes too."""
    needed(level)
    bot = bot_folder(tmp_path / "bot")
    line = [*ARENA, "run", "./bot", "random", *RULES, "--isolation", level]
    with subprocess.Popen(line, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as run:
        journal = tmp_path / "run/matches.jsonl"
        while not journal.exists() or b"\n" not in journal.read_bytes():
            assert run.poll() is None, run.communicate()
            sleep(0.002)
        # until it goes on, no further unit is begun
        os.kill(run.pid, signal.SIGSTOP)
        begun = len(journal.read_bytes().splitlines())
        (bot / "bot.py").write_text(BOTS["crash.py"])
        (bot / "more.py").write_text("")
        os.kill(run.pid, signal.SIGCONT)
        _, err = run.communicate()
    assert run.returncode == 0, err
    played = records(tmp_path / "run")
    assert begun < len(played) == 24
    assert [record for record in played if record.get("faults")] == []


@pytest.mark.long
@pytest.mark.parametrize("how", ["edited", "gone"])
def test_edited_without_a_sandbox(tmp_path: Path, how: str) -> None:
    """At none a bot plays from its own folder: that its files changed while it played is told at the end of the run."""
    bot = bot_folder(tmp_path / "bot")
    change = "open('bot.py', 'a').write('# another')" if how == "edited" else "os.remove('bot.toml')"
    (bot / "bot.py").write_text(BOTS["mine.py"].replace("first, answer = False,", f"{change}; first, answer = False,"))
    (bot / "bot.py").write_text("import os\n" + (bot / "bot.py").read_text())
    words = ["2" if word == "24" else word for word in RULES if word != "-q"]
    said = arena(tmp_path, "run", "./bot", "random", *words)
    told = (
        "expected the files of mine to stay as they are while matches are played at none, got others: nobody can tell"
    )
    assert said.err.count(told) == 1
    other = ["other" if word == "run" else word for word in words]
    assert "expected the files" not in arena(tmp_path, "run", "greedy", "random", *other).err


@pytest.mark.long
def test_edited_while_it_is_built(tmp_path: Path) -> None:
    """A bot that is changed while it is built is not started under the digest of either version."""
    bot = bot_folder(tmp_path / "bot")
    step = ["{python}", "-c", f"import pathlib; pathlib.Path({str(bot / 'notes.txt')!r}).write_text('changed')"]
    with (bot / "bot.toml").open("a") as file:
        file.write(f"build = {json.dumps([step])}\n")
    said = arena(tmp_path, "run", "./bot", "random", *RULES, code=2, env={"XDG_CACHE_HOME": str(tmp_path / "cache")})
    assert said.err == "arena: expected the files of mine to stay as they are while bots start, got others\n"
    assert not (tmp_path / "run").exists()


@pytest.mark.parametrize("built", [False, True])
def test_a_bot_that_writes_to_its_own_files(tmp_path: Path, built: bool) -> None:
    """At none a bot that is another after its start is refused before the first match; one that is built has a copy."""
    more = 'build = [["{python}", "-c", ""]]' if built else ""
    bot_folder(tmp_path / "bot", "open('log.txt', 'a').write('hi')\n" + BOTS["mine.py"], more=more)
    words = ["2" if word == "24" else word for word in RULES]
    env = {"XDG_CACHE_HOME": str(tmp_path / "cache")}
    said = arena(tmp_path, "run", "./bot", "random", *words, code=0 if built else 2, env=env)
    why = "arena: expected the files of mine to stay as they are while bots start, got others; "
    assert said.err == ("" if built else f"{why}what a bot writes belongs into its HOME\n")
    assert (tmp_path / "run").exists() == built
