"""Runs that are killed or stopped, or whose disk or clock fails: nothing is left behind, nothing recorded is lost.

Every test starts the real command with real bots, whose folder's path marks their processes.
"""

import json
import os
import pty
import random
import re
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from time import monotonic, sleep

import msgspec
import pytest

from arena.players.lifetime import adopt_orphans, sweep
from arena.players.process_tree import children, with_descendants
from arena.sandbox import LEVELS, Level
from arena.tournament.folder import RunFolder
from tests.hostile.house import lacking
from tests.levels import needed, unavailable

BOTS = Path(__file__).parents[2] / "bots"
MATCHES = 32
PATIENCE = 300.0
"""Seconds that nothing here takes, however busy the machine is; bots that nobody ends stay for longer."""


class Tournament:
    """One tournament in a folder of its own; its command may be started again and again."""

    def __init__(self, folder: Path, isolation: str = "auto") -> None:
        self.folder = folder
        self.out = folder / "run"
        self.scratch = folder / "tmp"
        self.scratch.mkdir(exist_ok=True)
        self.env = {**os.environ, "TMPDIR": str(self.scratch)}
        self.bot = folder / "bots" / "marked"
        if not self.bot.exists():
            shutil.copytree(BOTS / "random", self.bot)
        line = f"{sys.executable} {self.bot / 'bot.py'}"
        names = [f"{name}={line}" for name in ("ann", "bob", "cid", "dee")]
        options = ["-g", "dockfight", "--seats", "2", "-n", str(MATCHES), "--seed", "killed", "-j", "2"]
        options += ["-o", str(self.out), "--isolation", isolation]
        self.command = [sys.executable, "-m", "arena", "run", *options, *names]

    def start(self, *by: str, **streams: int) -> subprocess.Popen[bytes]:
        """Start the command in the folder, in a session of its own."""
        pipes = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE} | streams
        return subprocess.Popen([*by, *self.command], cwd=self.folder, env=self.env, start_new_session=True, **pipes)  # type: ignore[call-overload,no-any-return]  # streams are descriptors

    def finish(self) -> bytes:
        """Run the command to its end; the export."""
        subprocess.run(self.command, cwd=self.folder, env=self.env, check=True, capture_output=True, timeout=300)
        words = [sys.executable, "-m", "arena", "export", str(self.out)]
        return subprocess.run(words, check=True, capture_output=True, timeout=300).stdout

    def recorded(self) -> int:
        """How many matches the journal holds."""
        try:
            return (self.out / "matches.jsonl").read_bytes().count(b"\n")
        except FileNotFoundError:
            return 0

    def reach(self, matches: int, runner: subprocess.Popen[bytes]) -> None:
        """Wait until so many matches are recorded, or the runner is done."""
        end = monotonic() + PATIENCE
        while self.recorded() < matches and runner.poll() is None:
            assert monotonic() < end, "expected the run to go on, got none of it"
            sleep(0.001)

    def alive(self) -> list[str]:
        """The command lines of processes that name this tournament's folder, or a copy there: its lanes' bots."""
        found = []
        for entry in Path("/proc").iterdir():
            if entry.name.isdigit():
                try:
                    line = (entry / "cmdline").read_bytes()
                except OSError:
                    continue
                house = any(word.startswith(b"arena") or word.endswith(b"/guard.py") for word in line.split(b"\0"))
                if os.fsencode(self.folder) in line and not house:
                    found.append(line.replace(b"\0", b" ").decode())
        return found

    def assert_all_gone(self) -> None:
        """No process of any bot stays alive: it is ended, and not waited for."""
        end = monotonic() + PATIENCE
        while alive := self.alive():
            assert monotonic() < end, f"expected no process of a bot, got {alive}"
            sleep(0.01)


pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc")


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """The export of the uninterrupted tournament."""
    return Tournament(tmp_path_factory.mktemp("whole")).finish()


@pytest.fixture
def tournament(tmp_path: Path) -> Iterator[Tournament]:
    """A tournament; whatever is left of it at the end of a test is a failure."""
    before = set(children())
    made = Tournament(tmp_path)
    yield made
    made.assert_all_gone()
    # lanes of a killed runner may have become children of this process: other tests of it must not meet them
    sweep(before)


def kill_and_go_on(tournament: Tournament, dice: random.Random, kills: int) -> bytes:
    """SIGKILL the runner or one of its lanes' bots at drawn moments; the export of what then finishes."""
    for _ in range(kills):
        runner = tournament.start()
        tournament.reach(min(MATCHES - 1, tournament.recorded() + dice.randrange(12)), runner)
        runner.kill()
        runner.communicate()
        tournament.assert_all_gone()
    return tournament.finish()


@pytest.mark.long
def test_a_runner_killed_while_it_starts_leaves_nothing(tournament: Tournament, whole: bytes) -> None:
    """SIGKILL in the first moments, before or while bots are started, leaves nothing and spoils nothing."""
    for wait in (0.1, 0.3):
        runner = tournament.start()
        sleep(wait)  # the moment itself is what is tried, not something waited for
        runner.kill()
        runner.communicate()
        tournament.assert_all_gone()
    assert tournament.finish() == whole


@pytest.mark.long
def test_time_played_survives_a_kill(tournament: Tournament, whole: bytes) -> None:
    """After SIGKILL of the runner no bot is left, and the same command ends with the same export.

    The time of the session that was killed counts in the tables of the run.
    """
    runner = tournament.start()
    tournament.reach(1, runner)
    tournament.reach(MATCHES // 2, runner)
    runner.kill()
    runner.communicate()
    tournament.assert_all_gone()
    seconds = [json.loads(line)["seconds"] for line in (tournament.out / "matches.jsonl").read_bytes().splitlines()]
    folder = RunFolder(tournament.out)
    before = folder.manifest().seconds + folder.untold_seconds()
    # each of two lanes plays one match after the other; the clock of files has ticks
    assert before > sum(seconds) / 2 - 0.05
    runner = tournament.start()
    tournament.reach(MATCHES, runner)
    runner.communicate()
    told = json.loads((tournament.out / "run.json").read_bytes())["seconds"]
    # a session is timed from before its first match to after its last one
    last = json.loads((tournament.out / "matches.jsonl").read_bytes().splitlines()[-1])["seconds"]
    assert told > before + last
    assert tournament.finish() == whole


CLINGING = """
import atexit, os, sys, time
if os.fork() == 0:
    os.setsid()
    time.sleep(6000)
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        os.execve(sys.executable, [sys.executable, "-S", "-c", "import time; time.sleep(6000)", __file__], {})
    os._exit(0)
atexit.register(time.sleep, 6000)
"""
"""Makes a bot stay when its input has ended, and leave two more: one in a session of his own; one who has also cleared
his environment, and whose parent has ended."""


NEXT_RUN = "from arena.tournament.lanes import Lanes\nwith Lanes(1): pass"


@pytest.mark.parametrize(
    ("level", "guarded"),
    [
        pytest.param("none", False, marks=pytest.mark.long, id="none-the guard is killed too"),
        pytest.param("landlock", True, marks=pytest.mark.long),
        pytest.param("none", True, marks=pytest.mark.proof),
        pytest.param("landlock", False, marks=pytest.mark.proof, id="landlock-the guard is killed too"),
    ],
)
def test_nobody_of_a_run_survives(level: Level, guarded: bool, tmp_path: Path) -> None:
    """After SIGKILL of runner and lanes at once, bots and scratch go by themselves, or with the next run."""
    if why := unavailable(level):
        pytest.skip(why)
    assert lacking(level) == ""
    tournament = Tournament(tmp_path, level)
    program = tournament.bot / "bot.py"
    program.write_text(CLINGING + program.read_text("utf-8"), "utf-8")
    # it is to go on until it is killed, however late that is
    tournament.command[tournament.command.index("-n") + 1] = str(100 * MATCHES)
    # what a failure leaves is swept up in the end
    adopt_orphans()
    before = set(children())
    runner = tournament.start()
    try:
        tournament.reach(3, runner)
        house = {pid: Path(f"/proc/{pid}/cmdline").read_bytes() for pid in children(runner.pid)}
        (guard,) = (pid for pid, line in house.items() if b"guard.py" in line)
        lanes = [pid for pid, line in house.items() if b"arena.tournament.lane" in line]
        assert lanes
        while not any("-c import time" in line for line in tournament.alive()):
            assert runner.poll() is None
            sleep(0.01)
        # they do nothing more, whoever goes first
        for pid in lanes:
            os.kill(pid, signal.SIGSTOP)
        assert tournament.alive()
        assert [path.is_dir() for path in tournament.scratch.iterdir()].count(True) == 1
        for pid in (*(() if guarded else (guard,)), runner.pid, *lanes):
            os.kill(pid, signal.SIGKILL)
        runner.communicate()
        if not guarded:
            end = monotonic() + PATIENCE
            while level == "none" and len(tournament.alive()) < len(lanes):
                assert monotonic() < end, "expected bots that nobody has ended"
                sleep(0.01)
            subprocess.run([sys.executable, "-c", NEXT_RUN], env=tournament.env, check=True)
        tournament.assert_all_gone()
        end = monotonic() + PATIENCE
        while left := [path for path in tournament.scratch.iterdir() if path.is_dir()]:
            assert monotonic() < end, left
            sleep(0.01)
    finally:
        sweep(before)


@pytest.mark.parametrize(
    ("number", "code"),
    [
        (signal.SIGTERM, 143),
        pytest.param(signal.SIGINT, 130, marks=pytest.mark.proof),
        pytest.param(signal.SIGHUP, 129, marks=pytest.mark.proof),
    ],
)
@pytest.mark.long_cases("15-143")
def test_a_signal_ends_the_run_in_order(tournament: Tournament, whole: bytes, number: int, code: int) -> None:
    """SIGTERM, SIGINT and SIGHUP end the run before its end, with their exit codes and the command that goes on."""
    runner = tournament.start()
    tournament.reach(5, runner)
    runner.send_signal(number)
    _, errors = runner.communicate(timeout=300)
    assert runner.returncode == code
    assert tournament.recorded() < MATCHES
    said = errors.decode()
    assert re.search(r"\d+ of 32 matches are recorded; resume with: arena run .*-o", said)
    assert "Traceback" not in said
    tournament.assert_all_gone()
    assert tournament.finish() == whole


@pytest.mark.long
def test_ctrl_c_on_a_terminal(tournament: Tournament) -> None:
    """Ctrl-C on a terminal, where the live table is drawn, ends the run in order and takes the table away."""
    master, slave = pty.openpty()
    take_terminal = (
        "import fcntl, os, sys, termios; fcntl.ioctl(0, termios.TIOCSCTTY, 0); os.execv(sys.argv[1], sys.argv[1:])"
    )
    runner = tournament.start(sys.executable, "-c", take_terminal, stdin=slave, stdout=slave, stderr=slave)
    os.close(slave)
    end = monotonic() + PATIENCE
    while tournament.recorded() < 5:
        assert monotonic() < end
        os.set_blocking(master, False)
        try:
            os.read(master, 65536)
        except BlockingIOError:
            sleep(0.001)
    os.set_blocking(master, True)
    os.write(master, b"\x03")
    heard = b""
    try:
        while data := os.read(master, 65536):
            heard += data
    except OSError:
        pass  # the other end of the terminal is closed
    os.close(master)
    assert runner.wait(timeout=300) == 130
    assert b"resume with" in heard
    assert b"Traceback" not in heard


@pytest.mark.proof
@pytest.mark.timeout(1200)
@pytest.mark.parametrize("level", LEVELS)
def test_fifty_kills_leave_no_orphan_and_the_same_export(
    tmp_path: Path, whole: bytes, level: Level, record_property: Callable[[str, object], None]
) -> None:
    """Fifty SIGKILLs at each level leave 0 processes, and each time the export equals the uninterrupted one."""
    needed(level)
    dice = random.Random(50)
    for number in range(10):
        folder = tmp_path / str(number)
        folder.mkdir()
        assert kill_and_go_on(Tournament(folder, level), dice, 5) == whole
    record_property("orphans", "0 of 50")
    record_property("exports that differ", "0 of 10")


# --- runs whose lane and bots somebody outside stops and continues

MOVE = 0.3
"""Seconds; the bot thinks for 50 ms."""
THINKS = """
import json, sys, time
for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "hello":
        print('{"type":"ready"}', flush=True)
    elif message["type"] == "decide":
        until = time.process_time() + 0.05
        while time.process_time() < until:
            pass
        answer = {"type": "choose", "id": message["id"], "picks": list(range(message["least"]))}
        print(json.dumps(answer), flush=True)
"""
TRIES = 4


def send(pids: Iterable[int], number: int) -> None:
    """Send a signal to all of these that live."""
    for pid in pids:
        with suppress(ProcessLookupError):
            os.kill(pid, number)


@pytest.mark.long
@pytest.mark.parametrize("level", ["none", "bwrap"])
@pytest.mark.parametrize("seconds", [1.5 * MOVE, 2.5])
def test_stopped_together(level: Level, seconds: float, tmp_path: Path) -> None:
    """However long lane and bots were stopped together, and whoever goes on first: no honest answer is late.

    A lane that stands still for more than a second is continued by the runner, and its bots with it.
    """
    needed(level)
    bot, run, chance = tmp_path / "thinks.py", tmp_path / "run", random.Random(f"{level} {seconds}")
    bot.write_text(THINKS, "utf-8")
    options = ["-g", "dockfight", "-n", "1000", "-j", "1", "--isolation", level, "--move-time", f"{MOVE * 1000:.0f}ms"]
    words = [sys.executable, "-P", "-m", "arena", "run", *options, "-o", str(run), f"thinks={sys.executable} {bot}"]
    with subprocess.Popen([*words, "random"], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE) as command:
        try:
            journal, until = run / "matches.jsonl", monotonic() + PATIENCE
            while not (journal.exists() and journal.stat().st_size) and monotonic() < until:
                sleep(0.05)
            (lane,) = [pid for pid in children(command.pid) if b"arena.tournament.lane" in told(pid)]
            for number in range(TRIES):
                sleep(chance.uniform(0.1, 0.5))
                bots = sorted(with_descendants([lane]) - {lane})
                in_turn = [lane, *bots] if number % 2 else [*bots, lane]
                send(in_turn, signal.SIGSTOP)
                sleep(seconds)
                send(in_turn, signal.SIGCONT)
            sleep(2 * MOVE)
        finally:
            command.send_signal(signal.SIGINT)
            _, said = command.communicate(timeout=300)
    records = [msgspec.json.decode(line) for line in journal.read_bytes().splitlines()]
    assert records, said
    assert [record["faults"] for record in records if record.get("faults")] == []
    assert {record["reason"] for record in records} == {"finished"}


def told(pid: int) -> bytes:
    """The command line of a process."""
    return Path(f"/proc/{pid}/cmdline").read_bytes()


# --- over a disk that fails and under a wall clock that jumps: injected between the host and its C library

SOURCE = Path(__file__).with_name("shim.c")
CLOCKS = "import time; print([time.time() for _ in range(50) if not time.sleep(0.002)])"


@pytest.fixture(scope="module")
def shim(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The shim, compiled."""
    made, compiler = tmp_path_factory.mktemp("shim") / "shim.so", shutil.which("cc")
    if compiler is None:
        pytest.skip("expected a C compiler, got none")
    subprocess.run([compiler, "-shared", "-fPIC", "-O1", "-o", str(made), str(SOURCE), "-ldl"], check=True)
    return made


def disturbed(tournament: Tournament, shim: Path, **told: str) -> subprocess.CompletedProcess[bytes]:
    """The command, run to its end with the shim in the runner and its lanes."""
    env = {**os.environ, "LD_PRELOAD": str(shim), **told}
    return subprocess.run(
        tournament.command, cwd=tournament.folder, env=env, capture_output=True, timeout=300, check=False
    )


@pytest.mark.parametrize(
    ("call", "count"), [("write", 1), pytest.param("write", 7, marks=pytest.mark.proof), ("fdatasync", 7)]
)
@pytest.mark.long_cases("fdatasync-7", "write-1")
def test_a_disk_that_fails(tmp_path: Path, shim: Path, whole: bytes, call: str, count: int) -> None:
    """An error of the disk stops the run in one line; nothing that was safe is lost, and the same command goes on."""
    # the shim is in the way of bubblewrap too, and a run goes on at the level it began with
    tournament = Tournament(tmp_path, "none")
    ended = disturbed(tournament, shim, SHIM_FAIL=f"{call}:{count}", SHIM_FILE="/matches.jsonl")
    assert ended.returncode == 3, ended.stderr
    assert b"Input/output error" in ended.stderr
    assert b"Traceback" not in ended.stderr
    assert b"resume with: arena run" in ended.stderr
    assert tournament.recorded() == count - 1
    tournament.assert_all_gone()
    assert tournament.finish() == whole


@pytest.mark.long
def test_a_wall_clock_that_jumps(tmp_path: Path, shim: Path, whole: bytes) -> None:
    """An hour ahead and back every 50 ms: nobody is late, nothing is void, the times told are those that passed."""
    words = [sys.executable, "-c", CLOCKS]
    env = {**os.environ, "LD_PRELOAD": str(shim), "SHIM_JUMP": "10"}
    seen = json.loads(subprocess.run(words, env=env, check=True, capture_output=True).stdout)
    assert max(seen) - min(seen) > 7000
    tournament = Tournament(tmp_path, "none")
    began = monotonic()
    ended = disturbed(tournament, shim, SHIM_JUMP="50")
    passed = monotonic() - began
    assert ended.returncode == 0, ended.stderr
    run = json.loads((tournament.out / "run.json").read_bytes())
    assert 0 < run["seconds"] < passed
    records = [json.loads(line) for line in (tournament.out / "matches.jsonl").read_bytes().splitlines()]
    assert len(records) == MATCHES
    for record in records:
        assert (record["reason"], record.get("faults", [])) == ("finished", [])
        assert 0 < sum(record["micros"]) / 1e6 <= record["seconds"] < passed
    assert tournament.finish() == whole
