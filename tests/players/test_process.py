"""One subprocess and its clock: what counts as late, what as the host's own absence, and what it costs."""

import ast
import errno
import os
import resource
import select
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from unittest.mock import Mock, patch

import pytest

from arena import wire
from arena.errors import HostError
from arena.fault import Fault
from arena.players import process
from arena.players.bot_player import BotPlayer
from arena.players.ending import end
from arena.players.head_and_tail import ROOM, HeadAndTail
from arena.players.launch import Launch
from arena.players.process import DIGEST, STALL, Process
from arena.players.process_tree import StolenTime, children
from arena.players.spawn import CannotStart, started
from arena.sandbox.sandbox import OPEN
from arena.wire import DEFAULT_LIMITS

ENV = {"PATH": os.defpath}
ECHO, SILENT = ("cat",), ("sleep", "1000")
LONG = 300.0
"""Seconds that no honest answer takes."""


class Clock:
    """A clock that stands still but for jumps: no busy machine can make a test of the deadline fail."""

    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


class Look:
    """The poll of a process, from which the host comes back late, ``then`` by another time from the second one on.

    ``sees`` tells whether it waits to see something.
    """

    def __init__(self, poll: select.poll, clock: Clock, late: float, *, sees: bool, then: float | None = None) -> None:
        self.poll_, self.clock, self.late, self.sees = poll, clock, late, sees
        self.then = late if then is None else then

    def poll(self, _timeout: float) -> list[tuple[int, int]]:
        ready = self.poll_.poll(LONG * 1000 if self.sees else 0)
        self.clock.now += self.late
        self.late = self.then
        return ready


@pytest.fixture
def clock() -> Iterator[Clock]:
    """A clock that jumps when told to."""
    clock = Clock()
    with patch.object(process, "monotonic", clock):
        yield clock


@contextmanager
def running(*argv: str, **limits: int) -> Iterator[Process]:
    """A process, ended afterwards."""
    bot = Process(started(OPEN, argv, ENV, folder="/", scratch=""), lambda _: None, **limits)
    try:
        yield bot
    finally:
        end([bot], patience=0)


def asked(
    bot: Process, clock: Clock, seconds: float = 0.2, *, late: float, sees: bool = False, then: float | None = None
) -> bytes | Fault:
    """What comes of a question of so many seconds, if the host is late from its looks."""
    began = bot.send(b"question\n")
    with patch.object(bot, "_poll", Look(bot._poll, clock, late, sees=sees, then=then)):
        return bot.receive(began + seconds)


def is_late(trouble: bytes | Fault) -> str:
    """The rule of a fault, which is that of who is late."""
    assert isinstance(trouble, Fault)
    assert trouble.kind == "late"
    return trouble.rule


def test_a_line_out_and_a_line_in() -> None:
    """A line is sent, and the next line of output is the answer, without its newline."""
    with running(*ECHO) as bot:
        for line in (b"one", b"two", b"x" * wire.LINE_LIMIT):
            assert bot.receive(bot.send(line + b"\n") + LONG) == line


def test_limits_of_a_process() -> None:
    """A process that is told no limits has those of the host; one that is, has its own, and they are quoted."""
    usual = Process.__init__.__kwdefaults__
    assert usual == {"line": DEFAULT_LIMITS.line, "output": DEFAULT_LIMITS.output, "stray": DEFAULT_LIMITS.stray}
    with running(*ECHO, line=10, stray=1) as bot:
        assert bot.ask(b"x" * 10 + b"\n", LONG) == b"x" * 10
        for sent, rule in (
            (b"x" * 11 + b"\n", "expected a line of at most 10 bytes, got a longer one"),
            (b"\n\nanswer\n", "expected at most 1 stray lines a question, got more"),
        ):
            trouble = bot.ask(sent, LONG)
            assert isinstance(trouble, Fault)
            assert trouble.rule == rule


def test_what_a_question_costs() -> None:
    """An answered question takes one write, one look and one read."""
    with running(*ECHO) as bot:
        bot.receive(bot.send(b"warm\n") + LONG)
        calls: list[str] = []

        def counted(name: str, real: Callable[..., object]) -> Callable[..., object]:
            def call(*told: object) -> object:
                calls.append(name)
                return real(*told)

            return call

        look = Mock(poll=counted("poll", bot._poll.poll))
        with (
            patch.object(os, "write", counted("write", os.write)),
            patch.object(os, "read", counted("read", os.read)),
            patch.object(bot, "_poll", look),
            # on a busy machine an answer may take longer than the first look
            patch.object(process, "_QUICK_MS", int(LONG * 1000)),
        ):
            assert bot.ask(b"question\n", LONG) == b"question"
    assert calls == ["write", "poll", "read"]


SAYS = (
    (b"answer\n", b"answer"),
    (b"answer\r\n", b"answer"),
    (b" \n\nanswer\nmore\n", b"answer"),
    (b"x" * 447 + b"\n", b"x" * 447),
    (b"x" * 448 + b"\n", b"x" * 448),
    (b"x" * 70_000 + b"\n", "garbled"),
    (b"half", "gone"),
    (b"", "gone"),
)


@pytest.mark.parametrize(("says", "heard"), SAYS)
def test_asking_is_sending_and_receiving(tmp_path: Path, says: bytes, heard: bytes | str) -> None:
    """Whatever a bot says, ``ask`` is ``send`` and ``receive``, the next line of its output included."""
    (tmp_path / "says").write_bytes(says)
    for asked in (True, False):
        with running("sh", "-c", f"read line; cat {tmp_path / 'says'}") as bot:
            got = bot.ask(b"question\n", LONG) if asked else bot.receive(bot.send(b"question\n") + LONG)
            assert (got.kind if isinstance(got, Fault) else got) == heard
            after = bot.ask(b"question\n", LONG) if asked else bot.receive(bot.send(b"question\n") + LONG)
            assert (after.kind if isinstance(after, Fault) else after) == (b"more" if b"more" in says else "gone")


@pytest.mark.parametrize("argv", [SILENT, ECHO])
def test_away(clock: Clock, argv: tuple[str, ...]) -> None:
    """A deadline that passes while the host does not look, or oversleeps, is its own trouble, answered or not."""
    with running(*argv) as bot:
        began = bot.send(b"question\n")
        clock.now += 0.4
        with pytest.raises(HostError, match="away"):
            bot.receive(began + 0.2)
    with running(*argv) as bot, pytest.raises(HostError, match="away"):
        asked(bot, clock, late=0.4, sees=argv == ECHO)


def test_away_early(clock: Clock) -> None:
    """An absence that leaves time for the answer is nobody's trouble."""
    with running(*ECHO) as bot:
        began = bot.send(b"question\n")
        clock.now += 0.4
        assert bot.receive(began + LONG) == b"question"


def test_a_little_late_to_look(clock: Clock) -> None:
    """What is there when the host looks at the deadline counts, though the host comes a little late."""
    with running(*ECHO) as bot:
        assert asked(bot, clock, STALL / 4, late=STALL / 2, sees=True) == b"question"


def test_nobody_is_late_unseen(clock: Clock) -> None:
    """Nobody is late before the host has looked after the deadline."""
    with running(*ECHO) as bot, patch.object(process, "STALL", 60.0):
        began = bot.send(b"question\n")
        select.select([bot._out], [], [], LONG)
        clock.now += 1
        looks = Mock(wraps=bot._poll)
        # the answer that waits in the pipe is found, and the deadline is not stretched for another
        with patch.object(bot, "_poll", looks):
            assert bot.receive(began + 0.5) == b"question"
            assert looks.poll.call_count == 1
            assert is_late(bot.receive(began + 0.5))


class Thief:
    """Burns a share of every question."""

    def __init__(self, clock: Clock, share: float) -> None:
        self.clock, self.share, self.began = clock, share, 0.0
        self.used = 0.0

    def begin(self, first: float) -> None:
        self.began = self.clock.now - first

    def look(self) -> None:
        """See nothing."""

    def stolen(self, _away: float) -> StolenTime:
        return StolenTime(self.share * (self.clock.now - self.began), 0.0)


@pytest.mark.parametrize(
    ("share", "limits", "said"),
    [
        (0.0, 1.0, ""),
        (0.1, 10 / 9, ""),
        (0.25, 4 / 3, ", with 0.1 s given"),
        (0.5, 2.0, ", with 0.2 s given"),
        (0.8, 4.0, ", with 0.6 s"),
    ],
)
def test_what_others_burn_is_given_back(clock: Clock, share: float, limits: float, said: str) -> None:
    """The deadline moves by what others burn, and by what they burn of that, up to four limits in all."""
    with running(*SILENT) as bot:
        bot.watch = Thief(clock, share)
        began = clock.now
        rule = is_late(asked(bot, clock, late=0.01))
    assert rule.startswith(f"expected an answer in time, got none: it was idle{said}")
    # what would be told as 0.0 s is not told
    assert ("given back" in rule) is bool(said)
    assert limits * 0.2 < clock.now - began < limits * 0.2 + 0.03


def test_an_answer_in_the_time_given_back(clock: Clock) -> None:
    """Who answers in time that was given back has answered in time."""
    with running(*ECHO) as bot:
        bot.watch = Thief(clock, 0.5)
        began = bot.send(b" \n")
        looks = Look(bot._poll, clock, 0.01, sees=False)

        def poll(timeout: float) -> list[tuple[int, int]]:
            if clock.now > began + 0.3:
                os.write(bot._in, b"answer\n")
                select.select([bot._out], [], [], LONG)
            return looks.poll(timeout)

        with patch.object(bot, "_poll", Mock(poll=poll)):
            assert bot.receive(began + 0.2) == b"answer"
    assert began + 0.3 < clock.now < began + 0.4


@pytest.mark.usefixtures("clock")
def test_quick_answers_are_not_watched() -> None:
    """Whoever answers at once costs no reading of the others, before or after."""
    with running(*ECHO) as bot:
        bot.watch = Mock(spec=Thief)
        for _ in range(3):
            assert bot.receive(bot.send(b"question\n") + LONG) == b"question"
            assert not bot.slow
        assert bot.watch.method_calls == []


class Absence(Thief):
    """Gives back what the host is away for, or finds that the bot itself kept it away."""

    def stolen(self, away: float) -> StolenTime:
        return StolenTime(0.0, away * self.share)


@pytest.mark.parametrize(("seconds", "away", "until"), [(0.2, 0.4, (0.55, 0.7)), (0.02, 8.0, (8.0, 8.1))])
def test_an_absence_is_given_back(clock: Clock, seconds: float, away: float, until: tuple[float, float]) -> None:
    """What the host is away for through no doing of the bot's is added to its time, and nobody's match is void.

    So it is however short a bot's time is and though the machine stands still for seconds.
    """
    with running(*SILENT) as bot:
        bot.watch = Absence(clock, 1.0)
        began = clock.now
        assert is_late(asked(bot, clock, seconds, late=away, then=0.004))
    assert until[0] < clock.now - began < until[1]


def test_an_absence_beyond_measure(clock: Clock) -> None:
    """A host that was away for longer than can be given back blames nobody."""
    with running(*SILENT) as bot:
        bot.watch = Absence(clock, 1.0)
        with pytest.raises(HostError, match="away"):
            asked(bot, clock, late=60.0)


@pytest.mark.parametrize("argv", [SILENT, ECHO])
def test_an_absence_of_the_bots_own_doing(clock: Clock, argv: tuple[str, ...]) -> None:
    """Whose own processes keep the host from looking is late, though an answer has come by then."""
    with running(*argv) as bot:
        bot.watch = Absence(clock, 0.0)
        assert is_late(asked(bot, clock, late=0.4, sees=argv == ECHO))


@pytest.mark.parametrize(("used", "said"), [(0.19, "computing"), (0.01, "idle")])
def test_late_and_busy_or_idle(clock: Clock, used: float, said: str) -> None:
    """Who is late is told whether it was computing."""
    with running(*SILENT) as bot:
        bot.watch = thief = Thief(clock, 0.0)
        thief.used = used
        assert is_late(asked(bot, clock, late=0.01)) == f"expected an answer in time, got none: it was {said}"


def test_digesting_is_no_absence(clock: Clock) -> None:
    """The time that stray lines take to read is their sender's, not an absence of the host that excuses it."""
    with running(*ECHO) as bot:
        line = b"x" * wire.LINE_LIMIT
        began = bot.send(line + b"\n")
        assert bot.receive(began + LONG) == line
        clock.now += wire.LINE_LIMIT * DIGEST
        assert wire.LINE_LIMIT * DIGEST > STALL
        assert bot.stray(line) is None
        with patch.object(bot, "_poll", Look(bot._poll, clock, STALL / 2, sees=False)):
            assert is_late(bot.receive(clock() + STALL / 4))


def test_a_wall_clock_that_jumps() -> None:
    """Setting the wall clock forward or back makes nobody late."""
    jumps = iter(range(10**9))
    with running(*ECHO) as bot, patch.object(time, "time", lambda: next(jumps) % 2 * 3600.0):
        assert bot.receive(bot.send(b"question\n") + LONG) == b"question"


NO_CLOCKS = {
    "process_tree.py": {"clock_gettime"},
    "guard.py": {"sleep"},
    "memory.py": {"process_time", "sleep"},
    "toml.py": {"date", "datetime", "time"},
}
"""What tells how long a process has run, which nobody can set; a wait; and the types of what stands in a file."""


def test_no_wall_clock_where_bots_are_timed() -> None:
    """Whatever times or waits for bots reads the monotonic clock only."""
    root = Path(process.__file__).parents[1]
    timing = [*(root / "players").glob("*.py"), root / "referee.py", *(root / "tournament").glob("lane*.py")]
    assert len(timing) > 8
    for path in timing:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Import):
                assert not {alias.name for alias in node.names} & {"time", "datetime"}, path
            elif isinstance(node, ast.ImportFrom) and node.module in ("time", "datetime"):
                allowed = {"monotonic", "perf_counter", "perf_counter_ns"} | NO_CLOCKS.get(path.name, set())
                assert {alias.name for alias in node.names} <= allowed, path


@pytest.mark.parametrize("number", [errno.EMFILE, errno.ENFILE, errno.EAGAIN, errno.ENOMEM, errno.ENOSPC])
def test_a_machine_that_is_full(number: int, tmp_path: Path) -> None:
    """A shortage of descriptors, processes or memory is the host's trouble, and leaves no scratch folder."""
    with (
        patch.object(subprocess, "Popen", side_effect=OSError(number, os.strerror(number))),
        pytest.raises(HostError, match="cannot start a process"),
    ):
        BotPlayer("bot", Launch(argv=SILENT, env=ENV, folder="/"), tmp_path, print).greet(hello())
    assert list(tmp_path.iterdir()) == []


@pytest.mark.skipif(sys.version_info < (3, 11, 4), reason="older Pythons lose pipes themselves (gh-87474)")
def test_no_descriptors_left(tmp_path: Path) -> None:
    """With no descriptor to be had no bot is blamed, and none is lost over the attempt."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    before = descriptors()
    gaps = [os.dup(0) for _ in range(max(before) + 1 - len(before))]
    try:
        # three pipes and one more for the news of a failed start
        for left in range(8):
            full = descriptors()
            resource.setrlimit(resource.RLIMIT_NOFILE, (max(full) + left, hard))
            try:
                with pytest.raises(HostError):
                    Process(started(OPEN, SILENT, ENV, folder=str(tmp_path), scratch=""), print)
            finally:
                resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
            assert descriptors() == full
    finally:
        for gap in gaps:
            os.close(gap)


def test_no_scratch_folder(tmp_path: Path) -> None:
    """A disk that is full when a bot is to start is the host's trouble."""
    with pytest.raises(HostError, match="scratch"):
        BotPlayer("bot", Launch(argv=SILENT, env=ENV, folder="/"), tmp_path / "nowhere", print).greet(hello())


def test_commands_that_do_not_start(tmp_path: Path) -> None:
    """A command that cannot be started is the bot's trouble: it is unready, and its command is to be checked."""
    (tmp_path / "plain").write_text("no program", "ascii")
    script = tmp_path / "script"
    script.write_text("#!/no/such/interpreter\n", "ascii")
    script.chmod(0o755)
    for argv, folder in (
        (("/no/such/program",), "/"),
        (("no-such-program-on-path",), "/"),
        ((str(tmp_path / "plain"),), "/"),
        ((str(script),), "/"),
        (SILENT, "/no/such/folder"),
        (("sleep", "1\0"), "/"),
    ):
        with pytest.raises(CannotStart):
            Process(started(OPEN, argv, ENV, folder=folder, scratch=""), print)
        trouble = BotPlayer("bot", Launch(argv=argv, env=ENV, folder=folder), tmp_path, print).greet(hello())
        assert trouble is not None
        assert (trouble.kind, trouble.hint) == ("unready", "check its command")
        assert trouble.rule.startswith("expected the bot to start, got: ")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["plain", "script"]


@pytest.mark.long
def test_thousands_of_bots() -> None:
    """Bots come and go without a descriptor, a zombie or memory left behind."""

    def cycles(count: int) -> tuple[list[int], int]:
        for _ in range(count):
            with running("true") as bot:
                bot.send(b"question\n")
        return descriptors(), int(Path("/proc/self/statm").read_text("ascii").split()[1])

    bystanders = set(children())
    before, pages = cycles(50)
    after, grown = cycles(400)
    assert after == before
    assert (grown - pages) * resource.getpagesize() < 2 << 20
    assert set(children()) == bystanders


def test_stderr_is_kept_in_part() -> None:
    """Of stderr the first and the last bytes are kept within a fixed room, and how much is missing is said."""
    kept = HeadAndTail(room=10)
    for piece in (b"0123456", b"789abc", b"d" * 100, b"the very end"):
        kept.add(piece)
    assert kept.text() == b"0123456789\n[... 105 bytes left out ...]\ne very end"
    assert kept.total == 125
    whole = HeadAndTail()
    whole.add(b"x" * 2 * ROOM)
    assert whole.text() == b"x" * 2 * ROOM


def descriptors() -> list[int]:
    """The open descriptors of this process, and the one that looks for them."""
    return sorted(int(path.name) for path in Path("/proc/self/fd").iterdir())


def hello() -> wire.Hello:
    """A greeting with time enough."""
    return wire.Hello(1, "f00d", "asking", "1", {}, 0, 2, 1, wire.Limits(start=int(LONG * 1000), move=1000))
