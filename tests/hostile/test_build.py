"""Build steps are bots' programs too: hostile ones end within their sandbox, and honest toolchains work in it."""

import os
import secrets
import shutil
import socket
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from tempfile import mkdtemp

import pytest

from arena.errors import BotError
from arena.players.botfile import BotFile
from arena.players.building import prepare
from arena.players.lifetime import sweep
from arena.players.process_tree import children
from arena.players.sandboxed import HostPolicy as Walls
from arena.players.sandboxed import for_build
from arena.players.serving import run_command
from arena.sandbox import Level
from arena.sandbox.sandbox import Bounds
from tests.cli.command import BOTS
from tests.hostile.house import BOT, MARK, House, at, eventually_none, put_down
from tests.levels import USER, as_user, needed
from tests.toolchains import leave_out

MIB = 1 << 20
walled = at("bwrap", of=("landlock", "bwrap"))


def built(house: House, *steps: Sequence[str], seconds: float = 20.0, **files: str) -> Path:
    """The folder that these steps make of a bot's folder with these files; none of their processes may be left."""
    source = house.place / "bot"
    source.mkdir()
    for name, text in files.items():
        (source / name.replace("_", ".")).write_text(text, "ascii")
    mark = secrets.token_hex(8)
    bot = BotFile("builder", ("./bot",), build=tuple(map(tuple, steps)), env={MARK: mark}, folder=str(source))
    sandbox = replace(for_build(bot, Walls(house.level)), bounds=Bounds(processes=64, file=MIB))

    def run(argv: Sequence[str], env: Mapping[str, str], folder: Path, seconds: float) -> tuple[int | None, bytes]:
        return run_command(argv, env, folder, seconds, replace(sandbox, writable=(str(folder),)))

    bystanders = set(children())
    try:
        return Path(prepare(bot, run=run, cache=house.place / "cache", seconds=seconds))
    finally:
        try:
            sweep(bystanders)
            assert eventually_none(mark)
        finally:
            put_down(mark)
        assert list(house.place.glob("cache/builds/.*")) == []


def shell(*lines: str) -> tuple[str, str, str]:
    """A step of shell."""
    return ("sh", "-c", "\n".join(lines))


@walled
def test_writes_and_reads_outside(house: House) -> None:
    """A build reads no file and no process of the host's, and changes nothing but its copy."""
    secret = house.place / "secret"
    secret.write_text("the host's\n", "ascii")
    beside = house.place / "cache" / "builds" / "beside"
    word = f"/var/tmp/{secrets.token_hex(8)}"  # noqa: S108 - where a build must not write
    copy = built(
        house,
        shell(
            f"for file in {secret} /proc/{os.getpid()}/environ /etc/shadow; do cat $file >>got 2>/dev/null; done",
            f"for file in {secret} {beside} {word}; do (echo here >$file) 2>/dev/null; done",
            "echo whole >>got",
        ),
    )
    assert (copy / "got").read_text("ascii") == "whole\n"
    assert secret.read_text("ascii") == "the host's\n"
    assert not beside.exists()
    assert not Path(word).exists()
    assert (copy / "got").stat().st_uid == os.geteuid()


@walled
def test_calls_home(house: House) -> None:
    """A build that opens a socket is refused, as long as builds get no network."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
        call = f"import socket; socket.create_connection(('127.0.0.1', {port}))"
        with pytest.raises(BotError, match=r"build step 1 .* expected exit status 0, got 1"):
            built(house, ("{python}", "-c", call))
        listener.settimeout(0)
        with pytest.raises(BlockingIOError):
            listener.accept()


@walled
def test_leaves_a_daemon(house: House) -> None:
    """A build that leaves a daemon is believed, for its steps succeeded, but the daemon goes."""
    copy = built(house, shell("setsid sleep 1000 >/dev/null 2>&1 &", "echo done >left"))
    assert (copy / "left").read_text("ascii") == "done\n"


@walled
def test_fills_the_disk(house: House) -> None:
    """A build that writes a larger file than it may fails, and its copy goes with all that is in it."""
    with pytest.raises(BotError, match="expected exit status 0"):
        built(house, shell("exec head -c 5000000 /dev/zero >large"))
    assert list(house.place.glob("cache/builds/*")) == []


@at(of=("landlock", "bwrap"))
def test_multiplies_and_never_ends(house: House) -> None:
    """A build that only multiplies is ended at its limit of time."""
    bomb = BOT.with_name("trespass.py").read_text("ascii")
    with pytest.raises(BotError, match=r"got none in 0\.5 s"):
        built(house, ("{python}", "-c", "import trespass; trespass.fork_bomb()"), seconds=0.5, trespass_py=bomb)


@walled
def test_compiles(house: House) -> None:
    """A compiler and its passes, and what links, work in the sandbox of a build."""
    if shutil.which("cc") is None:
        leave_out("expected a C compiler, got none")
    program = '#include <stdio.h>\nint main(void) { puts("hi"); }\n'
    copy = built(house, ("cc", "-O1", "-o", "bot", "bot.c"), bot_c=program)
    assert subprocess.run([copy / "bot"], stdout=subprocess.PIPE, check=True).stdout == b"hi\n"


@pytest.mark.long
@pytest.mark.parametrize("level", ["none", "landlock", "bwrap"])
def test_modes_of_what_a_user_owns(level: Level) -> None:
    """In a sandbox an ordinary user's build step sets modes of what it makes, and of nothing else of the user's."""
    needed(level)
    # the folders of pytest are for nobody else
    home = Path(mkdtemp())
    try:
        key, folder = home / "key", home / "digger"
        folder.mkdir()
        key.write_text("secret")
        key.chmod(0o600)
        step = f"chmod 0666 {key}; touch made && chmod 0700 made"
        (folder / "bot.py").write_text(BOTS["mine.py"])
        (folder / "bot.toml").write_text(
            f'name = "digger"\nbuild = [["sh", "-c", "{step}"]]\ncommand = ["{{python}}", "-S", "bot.py"]\n'
        )
        if os.geteuid() == 0:
            for path in (home, key, folder, *folder.iterdir()):
                os.chown(path, USER, USER)
        options = ["-g", "dockfight", "-n", "1", "-j", "1", "-o", str(home / "run"), "--isolation", level]
        words = as_user(sys.executable, "-P", "-m", "arena", "run", *options, str(folder), "random")
        env = {**os.environ, "HOME": str(home), "TMPDIR": str(home), "XDG_CACHE_HOME": str(home / "cache")}
        done = subprocess.run(words, cwd=home, env=env, capture_output=True, text=True, timeout=300, check=False)
        assert done.returncode == 0, done.stderr
        (made,) = home.glob("cache/arena/builds/*/made")
        assert made.stat().st_mode & 0o777 == 0o700
        assert key.stat().st_mode & 0o777 == (0o666 if level == "none" else 0o600)
    finally:
        shutil.rmtree(home)
