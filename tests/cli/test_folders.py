"""A bot's folder as people have it: what is in it beside the bot, what of that belongs to the bot, and who sees it."""

import os
import re
import subprocess
import sys
from pathlib import Path
from shutil import which

import pytest

from arena.players.botfile import read_bot_file
from arena.players.content import digest_bot
from arena.sandbox import Level
from tests.cli.command import arena, bot_folder, refusal

WORDS = ("-g", "dockfight", "--seats", "2", "-q")
PYTHON = Path(sys._base_executable).resolve()  # type: ignore[attr-defined]  # typeshed leaves it out
SPY = """
import os, sys
for name in ("bot.py", "passwd", "other", "secret", "chain", "sub/up", ".venv", ".git", "within"):
    print(name, "is there" if os.path.lexists(name) else "is not there", file=sys.stderr)
    try:
        print("read", name, len(open(name).read()), file=sys.stderr)
    except OSError:
        pass
sys.exit("that is all")
"""


def venv(folder: Path, *how: str) -> None:
    """A real virtual environment in a folder, without packages."""
    subprocess.run([PYTHON, "-m", "venv", "--without-pip", *how, folder / ".venv"], check=True, timeout=300)


def lived_in(tmp_path: Path) -> Path:
    """A bot's folder with all that tools and people leave there, next to another bot and to a run's secret."""
    folder = bot_folder(tmp_path / "mine")
    other = bot_folder(tmp_path / "other", "private = 1", name="other")
    (tmp_path / "results").mkdir()
    (tmp_path / "results" / "secret.json").write_text("{}")
    venv(folder)
    subprocess.run([which("git") or "git", "init", "-q", folder], check=True, timeout=300)
    os.mkfifo(folder / ".git" / "fsmonitor.ipc")
    for name in ("target/CACHEDIR.TAG", "node_modules/x/cli.js", "sub/a", "__pycache__/bot.pyc"):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(name)
    with (folder / "target" / "large").open("wb") as file:
        file.truncate(1 << 40)
    links = {
        "passwd": "/etc/passwd",
        "other": "../other",
        "secret": str(tmp_path / "results" / "secret.json"),
        "chain": "other",
        "sub/up": f"../../{other.name}/bot.py",
        "within": "sub/a",
    }
    for name, target in links.items():
        (folder / name).symlink_to(target)
    return folder


def test_what_belongs_to_a_bot_is_listed(tmp_path: Path) -> None:
    """A folder with all that is taken; ``check -v`` lists what belongs to the bot, and why the rest does not."""
    folder = lived_in(tmp_path)
    said = arena(tmp_path, "check", "./mine", *WORDS, "-v")
    listed = said.out.splitlines()
    assert listed[:2] == ["what belongs to mine: its command and, with SHA-256", digest_bot(read_bot_file(folder))]
    files = [line.split()[1] for line in listed if re.fullmatch(r" +[0-9,]+  \S+", line)]
    assert files == ["bot.py", "bot.toml", "node_modules/x/cli.js", "sub/a", "within"]
    left_out = [line.partition("left out  ")[2] for line in listed if "left out" in line]
    assert left_out[:5] == [
        ".git: version control",
        ".venv: a virtual environment",
        "__pycache__: a cache",
        "chain: a link out of the folder, to other",
        "other: a link out of the folder, to ../other",
    ]
    assert left_out[-1] == "target: a cache"
    assert "17 of 17 rules pass" in said.out
    assert max(map(len, listed)) <= 80
    (folder / "more").mkdir()
    for number in range(30):
        (folder / "more" / f"\x1b[31m{number:02}").touch()
    listed = arena(tmp_path, "check", "./mine", *WORDS, "-v").out.splitlines()
    assert "               and 15 more" in listed
    assert "\x1b" not in "".join(listed)


def test_what_a_sandbox_shows_of_it(tmp_path: Path, walled: Level) -> None:
    """In a sandbox a bot finds no link out of its folder, nor what it leads to, nor what a tool has made there."""
    folder = lived_in(tmp_path)
    (folder / "bot.py").write_text(SPY)
    said = arena(tmp_path, "check", "./mine", *WORDS, "--isolation", walled, "-v", code=1)
    told = [line.partition("stderr | ")[2] for line in said.out.splitlines() if "stderr | " in line]
    assert [line for line in told if "read" in line] == [f"read bot.py {len(SPY)}", "read within 5"]
    assert [line.split()[0] for line in told if line.endswith("is there")] == ["bot.py", "within"]


def test_a_command_in_a_virtual_environment(tmp_path: Path) -> None:
    """A Python that is a link out of the folder is refused in one line, with the command that makes a real one."""
    folder = bot_folder(tmp_path / "mine")
    (folder / "bot.toml").write_text('name = "mine"\ncommand = [".venv/bin/python", "bot.py"]\n')
    venv(folder)
    told = refusal(tmp_path, "check", "./mine", *WORDS)
    assert "mine needs .venv/bin/python, a link out of its folder, to " in told
    assert "`rm .venv/bin/python*; python3 -m venv --copies .venv` makes one of its own" in told
    assert (
        arena(tmp_path, "run", "./mine", "random", "-g", "dockfight", "-n", "2", code=2).err.count("venv --copies") == 1
    )


@pytest.mark.long
def test_the_cure_is_one(tmp_path: Path, walled: Level) -> None:
    """What the line says makes the bot play in every sandbox."""
    folder = bot_folder(tmp_path / "mine")
    (folder / "bot.toml").write_text(
        f'name = "mine"\ncommand = [".venv/bin/python", "bot.py"]\nneeds = ["{PYTHON.name}"]\n'
    )
    venv(folder)
    venv(folder, "--clear", "--copies")
    env = {"PATH": f"{PYTHON.parent}:{os.environ['PATH']}"}
    said = arena(tmp_path, "check", "./mine", *WORDS, "--isolation", walled, env=env)
    assert "17 of 17 rules pass" in said.out


@pytest.mark.long
def test_a_slow_start_and_a_silent_one(tmp_path: Path) -> None:
    """A bot that computes when its time to start ends is told to take longer; one that does not is told to flush."""
    heavy, silent, start = "heavy=sh -c 'while :; do :; done'", "silent=sleep 60", ("--start-time", "900ms")
    said = arena(tmp_path, "run", "-g", "dockfight", heavy, silent, *start, code=2).err.splitlines()
    told = {line.split()[2]: line for line in said if "cannot start" in line}
    # how long it waited, and so the time that is told, follows from what else the machine does
    longer = r"`--start-time [0-9]+s`, or `start` of \[clocks\] in arena.toml, gives it longer"
    assert re.search(rf"got none[^;]*; it used [0-9.]+ s of the processor in [0-9.]+ s, .*: {longer}$", told["heavy"])
    assert "it may keep `ready` in a buffer" in told["silent"]
    mend = arena(tmp_path, "check", heavy, *WORDS, *start, code=1).out
    assert re.search(longer, " ".join(mend.split()))
