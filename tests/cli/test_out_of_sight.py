"""What no bot may see it does not: rivals' code, plans, secrets and results, whatever it or its place asks for."""

import json
import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from arena.sandbox import Level
from tests.cli.command import ARENA, AS_STARTED, BOTS, PYTHON, arena, refusal, started
from tests.levels import needed

# a bot that says which of these files it can read, and plays on
SPY = """
import json, os, sys
def seen(path):
    try:
        return bool(open(path).read(1))
    except OSError:
        return False
def walked(top):
    for here, _, files in os.walk(top):
        yield from (os.path.join(here, file) for file in files)
def as_there(path):
    # the folder it starts in may be a copy
    return os.path.normpath(os.path.join(%r, path))
seen_here = sorted({*filter(seen, %r), *filter(seen, walked(%r)), *map(as_there, filter(seen, walked(".")))})
print(json.dumps(seen_here), file=sys.stderr, flush=True)
"""
SECRETS = (
    "plan/secret.json",
    "plan/run.json",
    "elsewhere/old/secret.json",
    "elsewhere/old/run.json",
    "elsewhere/kept/secret.json",
    "link/secret.json",
    "results/now/secret.json",
    "results/now/run.json",
    "results/old/matches.jsonl",
)
CODE = ("bots/rival/bot.py", "bots/byneeds/bot.py", "bots/absent/bot.py", "bots/shared.py", "spy.py", "root.py")


@pytest.fixture
def league(tmp_path: Path) -> Path:
    """A folder as people have it: bots of several authors, one that is the folder itself, a plan, runs, a secret."""
    place = tmp_path / "league"
    files = {**dict.fromkeys(SECRETS, "no bot's business"), "bots/bin/tool": "#!/bin/sh\n", ".git/config": "mine"}
    paths = [str(place / name) for name in (*files, *CODE, "secret.txt")]
    for name in CODE:
        home = (place / name).parent if name.endswith("/bot.py") else place
        files[name] = SPY % (str(home), paths, str(place)) + BOTS["mine.py"]
    for name in ("rival", "byneeds", "absent"):
        needs = 'needs = ["tool"]' if name == "byneeds" else ""
        files[f"bots/{name}/bot.toml"] = f'name = "{name}"\ncommand = ["{{python}}", "-S", "bot.py"]\n{needs}\n'
    files["bot.toml"] = 'name = "root"\ncommand = ["{python}", "-S", "root.py"]\n'
    del files["link/secret.json"]
    for name, text in files.items():
        if not name.startswith("results/now"):
            (place / name).parent.mkdir(parents=True, exist_ok=True)
            (place / name).write_text(text)
    (place / "bots/bin/tool").chmod(0o755)
    (place / "link").symlink_to("plan")
    return place


def seen(place: Path, run: str, bot: str) -> set[str]:
    """Which files of the league a bot has read, of those that were looked for."""
    first = (place / run / "logs" / f"{bot}.log").read_text("utf-8").split("\n")[0]
    return {os.path.relpath(path, place) for path in json.loads(first)} & {
        *SECRETS,
        *CODE,
        "bots/bin/tool",
        ".git/config",
    }


def played(place: Path, level: Level, secret: str, bots: dict[str, str], *words: str) -> dict[str, set[str]]:
    """What each of these bots has seen in a run of theirs."""
    rules = ("-g", "dockfight", "--seats", str(len(bots)), "-n", "1", "-o", "results/now", "-q")
    path = {"PATH": f"{place}/bots/bin:{os.environ['PATH']}"}
    arena(place, "run", *bots.values(), *rules, "--secret-file", secret, "--isolation", level, *words, env=path)
    return {bot: seen(place, "results/now", bot) for bot in bots}


@pytest.mark.long
def test_nobody_sees_more_than_is_shown(league: Path, walled: Level) -> None:
    """A bot reads its own files alone: as a command line, by a tool that it needs, as the folder around all others."""
    (league.parent / "secret.txt").write_text("a secret")
    bots = {
        "bare": f"bare={PYTHON} spy.py",
        "shared": f"shared={PYTHON} bots/shared.py",
        "byneeds": "./bots/byneeds",
        "rival": "./bots/rival",
        "root": ".",
    }
    assert played(league, walled, "../secret.txt", bots) == {
        "bare": {"spy.py"},
        "shared": {"bots/shared.py"},
        "byneeds": {"bots/byneeds/bot.py", "bots/bin/tool"},
        "rival": {"bots/rival/bot.py"},
        "root": {"root.py", "bots/absent/bot.py", "bots/bin/tool"},
    }


@pytest.mark.long
def test_what_is_readable_shows_no_secret(league: Path, walled: Level) -> None:
    """Even of a folder that is shown to all nobody reads a rival's code, a secret, a plan, or a run."""
    (league / "secret.txt").write_text("a secret")
    bots = {"bare": f"bare={PYTHON} spy.py", "rival": "./bots/rival"}
    common = {*CODE, "bots/bin/tool", ".git/config"}
    assert played(league, walled, "secret.txt", bots, "--readable", ".", "--readable", "elsewhere") == {
        "bare": common - {"bots/rival/bot.py"},
        "rival": common - {"spy.py"},
    }


@pytest.mark.long
def test_part_of_a_plan(league: Path, walled: Level) -> None:
    """A bot that plays a part of a plan sees neither the plan nor its secret, though both lie in its own folder."""
    rules = ("-g", "dockfight", "--seats", "2", "-n", "2", "--dry-run", "-q")
    arena(league, "run", ".", "./bots/rival", *rules, "-o", "bots/plan", "--isolation", walled)
    shard = ("--plan", "bots/plan", "--shard", "1/1", "-o", "part", "-q")
    arena(league, "run", ".", "./bots/rival", *shard, "--isolation", walled)
    assert seen(league, "part", "root") == {*CODE, "bots/bin/tool"} - {"bots/rival/bot.py"}


@pytest.mark.long
def test_no_bot_lies_among_secrets(league: Path) -> None:
    """A bot whose folder holds the file of the secret, or lies among results, is refused."""
    needed("landlock")
    rules = ("-g", "dockfight", "--seats", "2", "-n", "2", "--isolation", "landlock")
    (league / "secret.txt").write_text("a secret")
    why = arena(league, "run", ".", "./bots/rival", *rules, "--secret-file", "secret.txt", code=2).err
    assert f"bot root cannot start: expected no secret among its files, got {league}/secret.txt\n" in why
    why = arena(league, "run", ".", "./bots/rival", *rules, "-o", "bots", code=2).err
    hidden = f"expected its files outside of {league}/bots, which no bot may see, got {league}/bots/rival\n"
    assert f"bot rival cannot start: {hidden}" in why
    why = refusal(league, "run", ".", "./bots/rival", *rules, "--readable", "results/old")
    assert why == f"--readable: expected what is no result or secret, got {league}/results/old"


# --- of other runs: that play beside it, that arena keeps, under other names, by any way

MARK = "none-of-its-business"
# a bot that tells in which files of a folder it finds the mark, or what a secret holds, and which it can link or move
LOOKER = """
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
for line in sys.stdin:
    if '"decide"' in line:
        time.sleep(600)
    if '"hello"' in line:
        print('{"type":"ready"}', flush=True)
"""


@pytest.fixture
def shown(tmp_path: Path) -> Path:
    """A folder that is shown to all: the home, the cache and the temporary folder of whoever plays lie in it."""
    folder = tmp_path / "shown"
    for name in ("cache", "tmp", "bots/spy", "bots/rival", "plain"):
        (folder / name).mkdir(parents=True)
    (folder / "plain/text").write_text(MARK)
    for name in ("spy", "rival"):
        (folder / f"bots/{name}/bot.py").write_text(f"# {MARK}\n{LOOKER}{BOTS['mine.py']}")
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
