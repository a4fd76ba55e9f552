"""A machine in trouble: no lower sandbox than when it is well, no bot blamed, its name and exit 3; then on again."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from tests.cli.command import ARENA, BOTS, bot_folder, started
from tests.levels import USER, as_user, needed

pytestmark = [pytest.mark.long, pytest.mark.skipif(sys.platform != "linux", reason="sandboxes are of Linux")]

AUTO = {"ARENA_ISOLATION": "auto"}
SPY = """
try:
    open({!r}, "w")
except OSError:
    pass
"""
RUN = ("run", "./spy", "greedy", "-g", "dockfight", "--seats", "2", "-n", "2", "-o", "out", "-q")
CHECK = ("check", "./spy", "-g", "dockfight", "--seats", "2", "-q")
BUILD = 'build = [["sh", "-c", "cp bot.py made.py"]]'
MOUNT = 'mount -t tmpfs -o "$0" none "$1"; shift; exec "$@"'
SIGNALS = """
import signal, sys
from arena.cli import main
signal.signal(signal.SIGALRM, lambda *_: None)
signal.setitimer(signal.ITIMER_REAL, 0.005, 0.005)
try:
    main()
finally:
    signal.setitimer(signal.ITIMER_REAL, 0)
"""
PROGRAM = """
import sys, arena
try:
    with arena.open_run("dockfight", ["./spy", "greedy"], matches=2, seats="2", out="out") as run:
        sys.exit(len(list(run.play())))
except (arena.HostError, OSError) as error:
    sys.exit(sys.stderr.write(str(error)) and 3)
"""
NO_ROOM = "No space left on device"


def with_room(options: str, place: Path) -> list[str]:
    """Words before a command that sees a small file system at a place, which nobody else sees."""
    place.mkdir(exist_ok=True)
    words = ["unshare", "--mount", "sh", "-c", MOUNT, options, str(place)]
    if subprocess.run([*words, "true"], capture_output=True, timeout=60, check=False).returncode:
        pytest.skip("expected to mount a file system, got no right to")
    return words


def without_rights() -> list[str]:
    """Words before a command that finds no sandbox, for root without capabilities lacks the permission to make one."""
    if os.geteuid() != 0:
        pytest.skip("expected root")
    return ["setpriv", "--bounding-set", "-all"]


@contextmanager
def open_place() -> Iterator[Path]:
    """A folder outside of pytest's own, which are closed to other users."""
    with TemporaryDirectory() as name:
        yield Path(name)


def give_away(place: Path) -> None:
    """Let the user of ``as_user`` have a folder with all that it holds."""
    for path in (place, *place.rglob("*")):
        path.chmod(0o777)
        if os.geteuid() == 0:
            os.chown(path, USER, USER)


@pytest.fixture
def spied(tmp_path: Path) -> Path:
    """A folder with a bot that leaves a file outside of its own folder, where it may."""
    needed("bwrap")
    bot_folder(tmp_path / "spy", SPY.format(str(tmp_path / "SPY")) + BOTS["mine.py"], name="spy")
    return tmp_path


def check_closed(place: Path, words: Sequence[str], name: str, *, env: dict[str, str] | None = None) -> None:
    """A command in trouble ends with exit 3 and the trouble's name; it blames no bot, and lets none out."""
    said = started(place, *words, code=3, env=AUTO | (env or {}))
    assert name in said.err
    assert "cannot start" not in said.err
    assert not (place / "SPY").exists()


@pytest.mark.parametrize("options", ["size=16k", "nr_inodes=4"])
def test_a_full_temporary_folder(options: str, spied: Path) -> None:
    """Without room or inodes in the temporary folder nothing is played; with room the same command plays."""
    words = with_room(options, spied / "small")
    check_closed(spied, [*words, *ARENA, *RUN], NO_ROOM, env={"TMPDIR": str(spied / "small")})
    started(spied, *ARENA, *RUN, env=AUTO)
    assert json.loads((spied / "out/run.json").read_bytes())["isolation"] == "bwrap"
    assert not (spied / "SPY").exists()


@pytest.mark.parametrize("line", [CHECK, ("play", "dockfight", "./spy"), ("season", "-q"), ("doctor",)])
def test_every_command_is_closed(line: tuple[str, ...], spied: Path) -> None:
    """Whatever starts bots or tries sandboxes tells of a full temporary folder and goes no further."""
    (spied / "arena.toml").write_text('games = ["dockfight"]\nbots = ["spy"]\nanchors = ["random"]\n')
    words = with_room("size=16k", spied / "small")
    check_closed(spied, [*words, *ARENA, *line], NO_ROOM, env={"TMPDIR": str(spied / "small")})


@pytest.mark.parametrize(
    ("limit", "name"),
    [
        ("--nproc=3", "raise `ulimit -u`"),
        ("--nproc=6", "Resource temporarily unavailable"),
        ("--nofile=10", "raise `ulimit -n`"),
        ("--nofile=14", "Too many open files"),
        ("--fsize=4000", "raise `ulimit -f`"),
    ],
)
def test_too_little_for_a_run(limit: str, name: str) -> None:
    """With too few processes or descriptors, or files too small for a run, it ends with what is too little."""
    line = as_user("prlimit", limit, *ARENA, *RUN)
    needed("bwrap")
    with open_place() as place:
        bot_folder(place / "spy", SPY.format(str(place / "SPY")) + BOTS["mine.py"], name="spy")
        give_away(place)
        check_closed(place, line, name, env={"HOME": str(place)})


def test_a_build_without_room(spied: Path) -> None:
    """A build that fails where its folder has no room is told as this machine's trouble, whatever its steps say."""
    bot_folder(spied / "spy", BOTS["mine.py"], name="spy", more='build = [["sh", "-c", "head -c 9M /dev/zero > x"]]')
    words = with_room("size=8m", spied / "small")
    check_closed(
        spied, [*words, *ARENA, *RUN], f"build step 1: {NO_ROOM}", env={"XDG_CACHE_HOME": str(spied / "small")}
    )


def test_a_build_without_processes() -> None:
    """A build that fails where its user may start no more processes is told as this machine's trouble."""
    forks = "for i in 1 2 3 4 5 6 7 8 9; do sleep 5 & done; wait"
    line = as_user("prlimit", "--nproc=14", *ARENA, *RUN)
    needed("bwrap")
    with open_place() as place:
        bot_folder(place / "spy", BOTS["mine.py"], name="spy", more=f'build = [["sh", "-c", "{forks}"]]')
        give_away(place)
        check_closed(place, line, "build step 1: Resource temporarily unavailable", env={"HOME": str(place)})


def test_room_that_somebody_else_takes(spied: Path) -> None:
    """Where a file of another program leaves 24 KiB in the temporary folder, the next run at auto stops."""
    words = with_room("size=256k", spied / "small")
    fill = ["sh", "-c", 'head -c 232k /dev/zero > "$TMPDIR/theirs"; exec "$@"', "sh"]
    check_closed(spied, [*words, *fill, *ARENA, *RUN], NO_ROOM, env={"TMPDIR": str(spied / "small")})


def test_a_removed_folder(spied: Path) -> None:
    """In a current folder that is gone nothing is played, and that is said."""
    words = ["sh", "-c", 'mkdir gone; cd gone; rmdir ../gone; exec "$@"', "sh", *ARENA, *RUN]
    place = [str(spied / word) if word in {"./spy", "out"} else word for word in words]
    said = started(spied, *place, code=2, env=AUTO)
    assert said.err == "arena: expected a current folder, got one that was removed\n"
    assert not (spied / "SPY").exists()


@pytest.mark.parametrize("trouble", ["a temporary folder that is read-only", "signals"])
def test_what_is_no_hindrance(trouble: str, spied: Path) -> None:
    """A temporary folder that is read-only is passed over, and signals that have a handler interrupt no proof."""
    words, env = list(ARENA), dict(AUTO)
    if trouble == "signals":
        words = [sys.executable, "-c", SIGNALS]
    else:
        words = [*with_room("ro", spied / "small"), *ARENA]
        env["TMPDIR"] = str(spied / "small")
    started(spied, *words, *RUN, "--strict", env=env)
    assert json.loads((spied / "out/run.json").read_bytes())["isolation"] == "bwrap"
    assert not (spied / "SPY").exists()


def test_from_python(spied: Path) -> None:
    """A program that plays matches itself, in lanes of its own, gets the trouble as an error of the host."""
    words = [*with_room("size=16k", spied / "small"), sys.executable, "-c", PROGRAM]
    check_closed(spied, words, NO_ROOM, env={"TMPDIR": str(spied / "small")})


def test_a_worker(spied: Path) -> None:
    """A worker of another machine that has no room answers with its trouble in place of a match."""
    host = [sys.executable, "-m", "arena.tournament.worker", str(os.getpid())]
    words = [*with_room("nr_inodes=2", spied / "small"), *host]
    said = started(spied, *words, env={"TMPDIR": str(spied / "small")}, stdin=subprocess.DEVNULL)
    assert NO_ROOM in said.out
    assert said.err == ""


def test_hard_limits_below_those_of_bots(spied: Path) -> None:
    """Hard limits below arena's own hold for bots too, and are no fault of theirs: the sandbox is no lower."""
    lower = ["--nofile=128", "--fsize=2000000", "--data=200000000", "--cpu=600", "--nproc=60", "--sigpending=30"]
    started(spied, "prlimit", *lower, *ARENA, *RUN, "--strict", env=AUTO)
    assert json.loads((spied / "out/run.json").read_bytes())["isolation"] == "bwrap"


@pytest.mark.parametrize("home", ["HOME=/root", "XDG_CACHE_HOME=/root/.cache", "-u HOME"])
def test_no_home(home: str) -> None:
    """Without a home, or with another's, a bot is built for this run, which is said once; all else is as it was."""
    if home == "-u HOME" and os.geteuid() != 0:
        pytest.skip("expected root, who can be a user without a name")
    needed("bwrap")
    line = as_user("env", *home.split(), *ARENA, "run", "./made", "random", *RUN[3:-1], "--strict")
    with open_place() as place:
        bot_folder(place / "made", BOTS["mine.py"], name="made", more=BUILD)
        give_away(place)
        said = started(place, *line, env=AUTO)
    assert said.err.count("bots are built for this run alone") == 1


def test_none_is_said(spied: Path) -> None:
    """Where auto comes down to none, who plays that does not ship with arena is named, with -q too; tables note it."""
    said = started(spied, *without_rights(), *ARENA, *RUN, env=AUTO)
    assert said.err == "arena: isolation: none: no sandbox is to be had here, so these bots have your rights: spy\n"
    assert "Played without a sandbox, with the rights of who started the run: spy." in said.out
    told = json.loads(started(spied, *ARENA, "leaderboard", "out", "--json").out)
    assert [note for note in told["notes"] if note.endswith("who started the run: spy.")]
    ours = ("run", "random", "greedy", *RUN[3:-3], "-o", "ours")
    assert started(spied, *without_rights(), *ARENA, *ours, "-q", env=AUTO).err == ""


def test_a_league_is_never_open(tmp_path: Path) -> None:
    """A new league is sandboxed, and a season takes auto so: without a sandbox both stop, unless none is named."""
    started(tmp_path, *ARENA, "new", "league", "harbour", "-g", "dockfight")
    place = tmp_path / "harbour"
    assert 'isolation = "sandboxed"' in (place / "arena.toml").read_text()
    season = (*without_rights(), sys.executable, "-m", "arena", "season", "-q")
    for choice in ("sandboxed", "auto"):
        said = started(place, *season, "--isolation", choice, code=2)
        assert "--isolation: expected a sandbox around bots, got a machine that has none" in said.err
    assert not (place / "leaderboard.md").exists()
