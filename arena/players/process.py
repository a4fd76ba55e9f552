"""One bot's subprocess: a line out, a line in by a deadline. Bytes only: no JSON, no rules, no schedule.

Everything is non-blocking around one ``poll``. The deadline is absolute, so a bot cannot stretch it by writing, or by
not reading. ``arena.players.lifetime`` ends processes and their descendants.
"""

import os
import select
import signal
import subprocess
from collections.abc import Callable, Sequence
from math import ceil
from time import monotonic

from arena.errors import HostError
from arena.fault import Fault
from arena.players.process_tree import Watch
from arena.players.spawn import check_begun, ended_by, exit_code, how_ended, reap, spawn
from arena.sandbox.enclosure import Started

STDERR_LIMIT = 1 << 20
"""Bytes of stderr read during one question; what is beyond stays in the pipe until the next one."""
CHUNK = 65_536
_EXCERPT, _SETTING_UP = 400, 2.0
"""Of what fails to set up a sandbox: bytes of stderr told, seconds until it ends."""
_ANSWER = 448
"""Bytes that are read of an answer at first: more room would cost more than the read itself."""
_SPACE = ord(" ")
QUICK = 0.005
"""Seconds after which a question that is not answered is watched; to watch every one would cost too much."""
_QUICK_MS = ceil(QUICK * 1000)
GIVEN_BACK = 3
"""Limits that may be given back of a question at most: as much as three others can burn."""
GIVEN_BACK_BUSY = 20
"""Limits that may be given back besides of what nobody in the lane had."""
STANDSTILL = 10.0
"""Seconds of that which may be given back however short the limit is: a whole machine may stand still for as long."""
STALL = 0.05
"""Seconds the host may be away before a missed deadline is not simply the bot's doing."""
_IDLE = 0.5
"""The share of its time that a bot must have computed for, to be called computing when it is late."""
DIGEST = 2e-6
"""Seconds that a byte of a stray line may have cost to read: the bot's doing, and no absence of the host."""
_STRUCK: dict[int, str] = {signal.SIGXCPU: "processor time", signal.SIGXFSZ: "file size"}
"""What a limit is of whose signal ended a bot."""
_OVERSLEPT = 0.005
"""Seconds that a wait may take longer than it was to, and the host was not away."""
SLICE = 0.05
"""Seconds of one wait at most: a longer absence of the host shows at its end. A wait is half as long at least, by lot,
so that nobody knows when the host looks."""
COMPUTING = ": it was computing"
IDLE = ": it was idle"
_IN = select.POLLIN
_GONE = select.POLLHUP | select.POLLERR


class Process:
    """A running bot. ``pid`` leads its own session, and so its own process group."""

    __slots__ = (
        "_answered",
        "_deaf",
        "_echoes",
        "_err",
        "_err_open",
        "_err_polled",
        "_ever_heard",
        "_first_errors",
        "_given_back",
        "_how",
        "_in",
        "_inbox",
        "_keep",
        "_line_limit",
        "_out",
        "_out_open",
        "_outbox",
        "_output_bytes",
        "_output_limit",
        "_poll",
        "_popen",
        "_short",
        "_skipping",
        "_stderr",
        "_stderr_bytes",
        "_stdin",
        "_stdout",
        "_stray",
        "_stray_limit",
        "at_fault",
        "away",
        "began",
        "looked",
        "pid",
        "slow",
        "tap",
        "watch",
    )

    def __init__(
        self,
        how: Started,
        keep: Callable[[bytes], object],
        *,
        line: int = 65_536,
        output: int = 1 << 20,
        stray: int = 64,
    ) -> None:
        """Start the bot; ``keep`` is handed its stderr.

        Limits: ``line`` bytes of a line; for each question ``output`` bytes, and ``stray`` lines that answer nothing.
        """
        self._popen = spawn(how, stdin=subprocess.PIPE, stderr=subprocess.PIPE)
        self._how = how
        self._echoes = how.echoes
        self._first_errors = b""
        assert self._popen.stdin  # noqa: S101 - all three are pipes, which only the type checker cannot see
        assert self._popen.stdout  # noqa: S101 - likewise
        assert self._popen.stderr  # noqa: S101 - likewise
        self.pid = self._popen.pid
        self._stdin, self._stdout, self._stderr = self._popen.stdin, self._popen.stdout, self._popen.stderr
        self._in = self._stdin.fileno()
        self._out = self._stdout.fileno()
        self._err = self._stderr.fileno()
        for descriptor in (self._in, self._out, self._err):
            os.set_blocking(descriptor, False)
        self._poll = select.poll()
        self._poll.register(self._out, _IN)
        self._poll.register(self._err, _IN)
        self._outbox = b""
        self._inbox = bytearray()
        self.away = 0.0
        """Seconds of the question at hand in which the host did not look when it would."""
        self.watch: Watch | None = None
        """Measures for how long the bot did not get the core, once a question has taken ``QUICK`` seconds."""
        self.tap: Callable[[str, bytes], object] | None = None
        """Is handed each line to the bot after ``->`` and each from it after ``<-``, to be shown."""
        self.slow = False
        """Whether the question at hand was not answered in its first ``QUICK`` seconds."""
        self.began = self.looked = self._given_back = 0.0
        """On the monotonic clock: when the question at hand ``began``, and when the host last ``looked``."""
        self._output_bytes = 0
        self._stderr_bytes = 0
        self._stray = 0
        self._ever_heard = self._skipping = self._deaf = False
        self.at_fault = b""
        """Of the last fault that had a line, the first 200 bytes of that line as they were."""
        self._out_open = self._err_open = self._err_polled = True
        self._answered = [(self._out, _IN)]
        """What ``poll`` gives if the bot has answered and nothing else is to be told."""
        self._short = min(_ANSWER, line)
        self._keep = keep
        self._line_limit, self._output_limit, self._stray_limit = line, output, stray

    # --- a question

    def send(self, line: bytes) -> float:
        """Begin a question with ``line``, newline included; what the pipe will not take now goes out in ``receive``.

        Returns when it began, on the monotonic clock: before the first byte.
        """
        began = self.began = self.looked = monotonic()
        self.away = 0.0
        self.slow = False
        self._stray = self._output_bytes = self._stderr_bytes = 0
        if not self._err_polled and self._err_open:
            self._poll.register(self._err, _IN)
            self._err_polled = True
        if self.tap is not None:
            self.tap("->", line[:-1])
        if self._outbox:
            self._outbox += line
            return began
        try:
            sent = os.write(self._in, line)
        except OSError as error:
            self._unsent(line, error)
            return began
        if sent < len(line):
            self._unsent(line[sent:])
        return began

    def ask(self, line: bytes, seconds: float) -> bytes | Fault:
        """``send``, and ``receive`` with a deadline ``seconds`` later; in short where one line comes at once."""
        odd = self._inbox or self._outbox or self._skipping or self._deaf or self.tap is not None
        if odd or (self._err_open and not self._err_polled) or seconds < 2 * QUICK:
            return self.receive(self.send(line) + seconds)
        # as ``send`` does it, without its call
        began = self.began = self.looked = monotonic()
        self.away = 0.0
        self.slow = False
        self._stray = self._output_bytes = self._stderr_bytes = 0
        try:
            sent = os.write(self._in, line)
        except OSError as error:
            self._unsent(line, error)
            return self.receive(began + seconds)
        if sent < len(line):
            self._unsent(line[sent:])
            return self.receive(began + seconds)
        start = monotonic()
        ready = self._poll.poll(_QUICK_MS)
        now = self.looked = monotonic()
        if (overslept := now - start - QUICK) > _OVERSLEPT:
            self.away += overslept
        if ready == self._answered:
            data = self._read(_ANSWER)
            size = len(data)
            # a line that has to be looked at more closely waits in the inbox
            if 1 < size < self._short and data.find(b"\n") == size - 1 and data[-2] > _SPACE:
                now = monotonic()
                if now - self.looked <= STALL and now <= began + seconds:
                    self.looked = now
                    return data[:-1]
            self._inbox += data
        else:
            self._take_in(ready)
        return self.receive(began + seconds)

    def _unsent(self, rest: bytes, error: OSError | None = None) -> None:
        if error is not None and not isinstance(error, BlockingIOError):
            # a closed input is no fault in itself: the answer, the end of output or the deadline decides
            self._deaf = True
            return
        self._outbox = rest
        self._poll.register(self._in, select.POLLOUT)

    def receive(self, deadline: float) -> bytes | Fault:
        """Read the next line without its newline; or return why there is none by ``deadline`` (on the monotonic clock).

        Time that the bot did not get moves the deadline, and so does time that it does not get after that: by
        ``GIVEN_BACK`` limits at most for time that bots of the lane used, and for other time by ``GIVEN_BACK_BUSY``
        limits or ``STANDSTILL`` seconds, whichever is more. Blank lines are skipped.

        May be called again within the same question for the line after. A line counts if it is there when the host
        looks at the deadline, even a little late. It does not count if the bot's own processes kept the host from
        looking for more than ``STALL`` seconds. If the host itself was away for longer than can be given back, or
        nobody can tell why, that is a ``HostError``.
        """
        looked = False
        promised = deadline
        while True:
            line = self._next_line() if self._inbox else None
            now = monotonic()
            if now - self.looked > STALL:
                self.away += now - self.looked
                self.looked = now
            if now > deadline:
                deadline = self._extended(promised)
                if late := self._too_late(now - deadline, answered=line is not None, looked=looked):
                    return late
            if line is not None:
                self.looked = now
                return line
            if self._output_bytes > self._output_limit:
                rule = f"expected at most {self._output_limit} bytes of output a question, got more"
                return Fault.of("much-output", rule=rule)
            if not self._out_open:
                return self._gone()
            if not self.slow and now - self.began >= QUICK:
                self._watch_from(now)
            until = max(now, min(deadline, now + (SLICE * (0.5 + os.urandom(1)[0] / 512) if self.slow else QUICK)))
            wait = ceil((until - now) * 1000)
            ready = self._poll.poll(wait)
            self.looked = monotonic()
            looked = True
            if (overslept := self.looked - now - wait / 1000) > _OVERSLEPT:
                self.away += overslept
            if self.slow and not ready and self.watch is not None:
                self.watch.look()
            self._take_in(ready)

    def _take_in(self, ready: Sequence[tuple[int, int]]) -> None:
        for descriptor, event in ready:
            if descriptor == self._out:
                self._inbox += self._read(CHUNK)
            elif descriptor == self._err:
                self._hear_errors()
            else:
                self._send_more(broken=bool(event & _GONE))

    def _watch_from(self, now: float) -> None:
        self.slow = True
        if self.watch is not None:
            self.watch.begin(now - self.began)

    def _extended(self, deadline: float) -> float:
        self._given_back = 0.0
        if self.watch is None:
            if self.away > STALL:
                raise HostError(f"the host was away for {self.away:.1f} s during a question")
            return deadline
        if not self.slow:
            self._watch_from(monotonic())
        bots, outside = self.watch.stolen(self.away)
        limit = deadline - self.began
        most = max(GIVEN_BACK_BUSY * limit, STANDSTILL)
        if outside > most and self.away > GIVEN_BACK * limit:
            raise HostError(f"the host was away for {self.away:.1f} s during a question of {limit:.1f} s")
        self._given_back = min(bots, GIVEN_BACK * limit) + min(outside, most)
        return deadline + self._given_back

    def stray(self, line: bytes) -> Fault | None:
        """Count a line that is no answer; the fault once there are too many of them in one question."""
        self._stray += 1
        self.looked += min(monotonic() - self.looked, len(line) * DIGEST)
        if self._stray > self._stray_limit:
            rule = f"expected at most {self._stray_limit} stray lines a question, got more"
            return Fault.of("stray-lines", rule=rule, line=self._at_fault(line))
        return None

    def _at_fault(self, line: bytes | bytearray) -> bytes:
        self.at_fault = bytes(line[:200])
        return self.at_fault

    def _next_line(self) -> bytes | Fault | None:
        inbox = self._inbox
        while (end := inbox.find(b"\n")) >= 0:
            line = bytes(inbox[:end])
            del inbox[: end + 1]
            if end > self._line_limit:
                return self._too_long(line)
            if line.endswith(b"\r"):
                line = line[:-1]
            if line and not line.isspace():
                if self.tap is not None:
                    self.tap("<-", line)
                return line
            if fault := self.stray(line):
                return fault
        if len(inbox) > self._line_limit:
            return self._too_long(bytes(inbox[:200]))
        return None

    def _too_long(self, line: bytes) -> Fault:
        if self.tap is not None:
            self.tap("<-", line)
        if len(self._inbox) > self._line_limit:
            # the rest of the long line is dropped as it comes: it must not be read as further lines
            self._inbox.clear()
            self._skipping = True
        rule = f"expected a line of at most {self._line_limit} bytes, got a longer one"
        return Fault.of("long-line", rule=rule, line=self._at_fault(line))

    def _read(self, most: int) -> bytes:
        try:
            data = os.read(self._out, most)
        except BlockingIOError:
            return b""
        except OSError:
            data = b""
        if not data:
            self._out_open = False
            self._poll.unregister(self._out)
            return b""
        self._output_bytes += len(data)
        self._ever_heard = True
        if self._skipping:
            _, newline, data = data.partition(b"\n")
            self._skipping = not newline
        return data

    def hear_errors(self) -> None:
        """Read what waits of its stderr, between two questions."""
        if self._err_polled:
            self._hear_errors()

    def _hear_errors(self) -> None:
        try:
            data = os.read(self._err, CHUNK)
        except BlockingIOError:
            return
        except OSError:
            data = b""
        self._keep(data)
        if not self._ever_heard:
            self._first_errors = (self._first_errors + data)[:_EXCERPT]
        self._stderr_bytes += len(data)
        if not data:
            self._err_open = False
        if not data or self._stderr_bytes > STDERR_LIMIT:
            self._poll.unregister(self._err)
            self._err_polled = False

    def _send_more(self, *, broken: bool) -> None:
        if not broken:
            try:
                self._outbox = self._outbox[os.write(self._in, self._outbox[:CHUNK]) :]
            except BlockingIOError:
                return
            except OSError:
                broken = True
        if broken:
            self._outbox = b""
            self._deaf = True
        if not self._outbox:
            self._poll.unregister(self._in)

    # --- why nothing came

    def _too_late(self, seconds: float, *, answered: bool, looked: bool) -> Fault | None:
        """The fault if it is late by this time; None if the host has not looked yet, or is late itself."""
        if not answered:
            return self._late() if looked and seconds > 0 else None
        if seconds > STALL and self.away > STALL:
            rule = "expected an answer in time, got one after its own processes had kept the host from running"
            return Fault.of("core-taken", rule=rule)
        return None

    def _late(self) -> Fault:
        if self.exited():
            return self._gone()
        back = f"{self._given_back:.1f}"
        computing = self.watch.used > _IDLE * self.waited if self.watch is not None and self.slow else None
        busy = "" if computing is None else COMPUTING if computing else IDLE
        activity = busy + (f", with {back} s given back for what it went without" if back != "0.0" else "")
        if self._inbox:
            rule = f"expected a whole line in time, got {len(self._inbox)} bytes without a newline{activity}"
            return Fault.of("no-newline", rule=rule, line=self._at_fault(self._inbox))
        rule = f"expected an answer in time, got none{activity}"
        if self._outbox:
            return Fault.of("question-not-read", rule=rule, bytes=len(self._outbox))
        if self._deaf:
            return Fault.of("input-closed", rule=rule)
        if self._stderr_bytes > STDERR_LIMIT:
            return Fault.of("errors-not-read", rule=rule, bytes=STDERR_LIMIT)
        if computing:
            return Fault.of("computing", rule=rule)
        return Fault.of("no-answer" if self._ever_heard else "never-heard", rule=rule)

    @property
    def waited(self) -> float:
        """Seconds since the question, without those that are given back."""
        return max(monotonic() - self.began - self._given_back, 1e-9)

    def _gone(self) -> Fault:
        status = self.status(0.1)
        self._check_begun()
        cut = f" after {len(self._inbox)} bytes without a newline" if self._inbox else ""
        end = "none in time, for its children hold the output open" if self._out_open else "the end of output"
        struck = _STRUCK.get(ended_by(exit_code(self._popen) or 0, echoes=self._echoes) or 0)
        if struck is not None:
            return Fault.of("limit", rule=f"expected at most its share of {struck}, got more: {status}")
        rule = f"expected a line, got {end}{cut}: {status}"
        return Fault.of("exited", rule=rule, line=self._at_fault(self._inbox))

    def _check_begun(self) -> None:
        if not (self._ever_heard or self._how.begun()):
            self.status(_SETTING_UP)
            if self._err_open:
                self._hear_errors()
            check_begun(self._how, exit_code(self._popen), self._first_errors)

    # --- its life

    def status(self, patience: float = 0.0) -> str:
        """Say how it ended, or that it runs, waiting for its exit. It is not reaped: its number names its group."""
        code = self._wait(patience)
        return "it is still running" if code is None else how_ended(code, echoes=self._echoes)

    def exit_status(self, patience: float = 0.0) -> int | None:
        """The status that it exits with within so many seconds; None if it does not, or a signal ends it."""
        code = self._wait(patience)
        return None if code is None or ended_by(code, echoes=self._echoes) else code

    def _wait(self, patience: float) -> int | None:
        end = monotonic() + patience
        while (code := exit_code(self._popen)) is None and monotonic() < end:
            select.select([], [], [], 0.001)
        return code

    def exited(self) -> bool:
        """Whether the process has exited."""
        return exit_code(self._popen) is not None

    def say_goodbye(self) -> None:
        """Close its input: the word for a bot to exit."""
        if not self._stdin.closed:
            if self._outbox:
                self._poll.unregister(self._in)
                self._outbox = b""
            self._stdin.close()

    def close(self) -> None:
        """Reap an ended process, keep the rest of its stderr and give back its descriptors."""
        reap(self._popen)
        self.say_goodbye()
        for _ in range(STDERR_LIMIT // CHUNK):
            if not self._err_open:
                break
            try:
                data = os.read(self._err, CHUNK)
            except OSError:
                break
            if not data:
                break
            self._keep(data)
        self._stdout.close()
        self._stderr.close()
