"""What a bot sees of other runs: of one that plays beside it, of what arena keeps, under other names, by any way."""

import json
import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from arena.sandbox.sandbox import Level
from tests.cli.command import ARENA, AS_STARTED, BOTS, PYTHON, arena, started
from tests.levels import needed

MARK = "none-of-its-business"
# a bot that tells in which files of a folder it finds the mark, or what a secret holds, and which it can link or move
SPY = """
import json, os, sys
top, mark = sys.argv[1:]
def read(path):
    try:
        with open(path, "rb") as file:
            return file.read()
    except OSError:
        return b""
def moved(path):
    for how in (os.link, os.rename, lambda path, to: os.link(path, to, follow_symlinks=False)):
        try:
            how(path, os.environ["TMPDIR"] + "/moved")
            return True
        except OSError:
            pass
def ways(path):
    yield read(path)
    yield read("../" * 30 + path.lstrip("/"))
    for process in ("self", "thread-self", "1", str(os.getppid())):
        yield read("/proc/" + process + "/root" + path)
        yield read("/proc/" + process + "/cwd/" + "../" * 30 + path.lstrip("/"))
    try:
        yield read("/proc/self/fd/%d" % os.open(path, os.O_PATH))
    except OSError:
        pass
def walked(top):
    for here, _, files in os.walk(top):
        yield from (os.path.join(here, file) for file in files)
own = os.path.realpath(".")
marked = [path for path in {*walked(top), *json.load(open("paths.json"))} if not os.path.realpath(path).startswith(own)
    and (moved(path) or any(mark.encode() in data for data in ways(path)))]
print(json.dumps(sorted(marked)), file=sys.stderr, flush=True)
"""

SLOW = """
import sys, time
sys.stdin.readline()
print('{"type":"ready"}', flush=True)
time.sleep(600)
"""


@pytest.fixture
def shown(tmp_path: Path) -> Path:
    """A folder that is shown to all: the home, the cache and the temporary folder of whoever plays lie in it."""
    folder = tmp_path / "shown"
    for name in ("cache", "tmp", "bots/spy", "bots/rival", "plain"):
        (folder / name).mkdir(parents=True)
    (folder / "plain/text").write_text(MARK)
    for name in ("spy", "rival"):
        (folder / f"bots/{name}/bot.py").write_text(f"# {MARK}\n{SPY}{BOTS['mine.py']}")
        (folder / f"bots/{name}/bot.toml").write_text(
            f'name = "{name}"\ncommand = ["{{python}}", "-S", "bot.py", "{folder}", "{MARK}"]\n'
            'build = [["cp", "bot.py", "built.py"]]\n'
        )
        (folder / f"bots/{name}/paths.json").write_text("[]")
    return folder


def look(shown: Path, level: Level, *words: str | Path, paths: tuple[Path, ...] = ()) -> list[str]:
    """In which files, but those of its own, the spy found the mark, in a run that shows the folder to all."""
    (shown / "bots/spy/paths.json").write_text(json.dumps([str(path) for path in paths]))
    place = shown.parent / "mine"
    place.mkdir()
    env = {"XDG_CACHE_HOME": str(shown / "cache"), "TMPDIR": str(shown / "tmp"), "HOME": str(shown)}
    rules = ("-g", "dockfight", "--seats", "2", "-n", "2", "-o", "now", "-q", "--isolation", level)
    bots = (f"{shown}/bots/spy", f"{shown}/bots/rival")
    arena(place, "run", *bots, *rules, "--readable", shown, *words, env=env)
    first = (place / "now/logs/spy.log").read_text("utf-8").split("\n")[0]
    found = [os.path.relpath(path, shown) for path in json.loads(first)]
    return [path for path in found if not path.startswith("bots/spy/")]


@contextmanager
def playing(place: Path, shown: Path, *more: str) -> Iterator[Path]:
    """A run that plays for as long as this lasts, with its folder, scratch and secret; it has the mark in its seed."""
    line = [*ARENA, "run", f"slow={PYTHON} slow.py", "random", "-g", "dockfight", "--seats", "2", "-o", "open"]
    (place / "slow.py").write_text(SLOW)
    env = os.environ | {"TMPDIR": str(shown / "tmp"), "XDG_CACHE_HOME": str(shown / "cache")}
    words = ("--seed", MARK, *(more or ("--isolation", "none")), "-j", "1", "--move-time", "600s")
    with subprocess.Popen([*line, *words], cwd=place, env=env, stderr=subprocess.PIPE, stdout=subprocess.PIPE) as run:
        try:
            while not (place / "open/run.json").exists():
                assert run.poll() is None, run.communicate()
            yield place / "open"
        finally:
            run.terminate()
            run.communicate()


@pytest.mark.long
def test_what_plays_beside_it(shown: Path, walled: Level) -> None:
    """Of a run that plays meanwhile, of the rival's copy, and of what arena keeps, a bot sees nothing by any way.

    Not though all of it lies in a folder that is shown, and the bot knows the paths.
    """
    with playing(shown, shown) as other:
        copies = [path for path in (shown / "tmp").rglob("*") if path.is_file()]
        found = look(shown, walled, paths=(other / "secret.json", other / "run.json", *copies))
    assert found == ["plain/text"]


@pytest.mark.long
def test_what_begins_later(shown: Path, walled: Level) -> None:
    """While a folder is shown to bots no other run begins in it; beside it one does."""
    rules = ("random*2", "-g", "dockfight", "--seats", "2", "-n", "2", "-q")
    env = {"TMPDIR": str(shown / "tmp"), **AS_STARTED}
    words = ("--isolation", walled, "--readable", str(shown))
    with playing(shown.parent, shown, *words) as first:
        said = arena(shown, "run", *rules, "-o", "later", code=2, env=env).err
        assert said == (
            "arena: --out: expected a folder that no run shows to its bots now, got later: another run plays with "
            f"--readable {shown}\n"
        )
        assert not (shown / "later").exists()
        arena(shown, "run", *rules, "-o", shown.parent / "beside", env=env)
    assert first.exists()
    arena(shown, "run", *rules, "-o", "later", env=env)


@pytest.mark.long
def test_other_names_of_secrets(shown: Path, walled: Level) -> None:
    """A hard link to a secret, and the new file that a killed writer left, are hidden as the secret is."""
    secret = shown.parent / "secret.txt"
    secret.write_text(MARK)
    old = shown / "old"
    old.mkdir()
    (old / "secret.json").write_text(json.dumps({"0": MARK}))
    (shown / "half").mkdir()
    shutil.copyfile(old / "secret.json", shown / "half/.secret.json.new")
    (shown / "backup.txt").hardlink_to(secret)
    (shown / "harmless.txt").hardlink_to(old / "secret.json")
    found = look(shown, walled, "--secret-file", secret, paths=(secret, old / "secret.json"))
    assert found == ["plain/text"]


@pytest.mark.long
def test_a_folder_mounted_twice(shown: Path, walled: Level) -> None:
    """What is hidden is hidden at each path at which its file system is mounted."""
    if os.geteuid():
        pytest.skip("expected root, who may mount")
    elsewhere = shown.parent / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "secret.txt").write_text(MARK)
    (shown / "again").mkdir()
    (shown / "bots/spy/paths.json").write_text("[]")
    # the mount is in a namespace of its own, and goes with it
    script = 'mount --bind "$1" "$2" && shift 2 && exec "$@"'
    words = ("run", f"{shown}/bots/spy", f"{shown}/bots/rival", "-g", "dockfight", "--seats", "2", "-n", "2", "-q")
    hidden = ("--secret-file", str(elsewhere / "secret.txt"), "--readable", str(shown), "--isolation", walled)
    line = ["unshare", "-m", "sh", "-c", script, "sh", str(elsewhere), str(shown / "again"), *ARENA, *words, *hidden]
    started(shown.parent, *line, "-o", "now", env={"XDG_CACHE_HOME": str(shown / "cache")})
    first = (shown.parent / "now/logs/spy.log").read_text("utf-8").split("\n")[0]
    assert not [path for path in json.loads(first) if "again" in path]


@pytest.mark.long
def test_no_bot_brings_a_link_to_a_secret(shown: Path) -> None:
    """A bot with a hard link to the file of the secret in its folder is refused."""
    needed("landlock")
    secret = shown.parent / "secret.txt"
    secret.write_text(MARK)
    link = shown / "bots/spy/data.bin"
    link.hardlink_to(secret)
    rules = ("-g", "dockfight", "--seats", "2", "-n", "2", "--isolation", "landlock", "--secret-file", secret)
    why = arena(shown.parent, "run", f"{shown}/bots/spy", f"{shown}/bots/rival", *rules, code=2).err
    assert f"bot spy cannot start: expected no secret among its files, got {link}" in why
