"""Measures from outside how much memory each bot's processes have together, and ends a bot that has too much.

The kernel holds each process to a limit of data (RLIMIT_DATA), which counts neither page tables, nor what waits in
pipes and sockets, nor a bot's processes together. The guard of a run looks at all that some times a second, as far as
``/proc`` tells it (proc_pid_status(5), proc_pid_smaps(5), proc_pid_fd(5)). Memory that is shared without a file, which
a sandbox refuses, is not counted. Standard library only; elsewhere than on Linux no bot is found.
"""

import os
import signal
from collections.abc import Iterable, Iterator
from contextlib import suppress
from time import monotonic, process_time, sleep

from arena.players.process_tree import children, halted, read_proc, with_descendants

INTERVAL = 0.1
SHARE = 10
"""A look costs at most one part in so many of a processor's time, and so does the counting of one bot's pages."""
ROOM = 64 << 20
"""Bytes that a bot may have besides its data and a file in memory: for what is charged to it of programs and pipes."""
_TOKEN = b"ARENA_PROCESS="
_PRIVATE = b"RssAnon", b"VmSwap"
_LIMITS = b"Max data size", b"Max file size"
_PIPE = 64 << 10
_SOCKET = 320 << 10
"""Bytes that a socket holds at most: a buffer of the usual size, filled by single bytes."""
_AGAIN = 0.02
"""Seconds between two looks that must agree: for a moment a process that starts another shares its memory with it."""


def struck_note(run: str, pid: int) -> str:
    """The file that says that a process, which a lane started or adopted, was ended for its memory."""
    return f"{run}/struck-{pid}"


class Scales:
    """The memory of the bots of one run, which ``runner`` directs and whose scratch folder is ``run``."""

    def __init__(self, run: str, runner: int) -> None:
        self._run = run
        self._runner = runner
        self._exact_from: dict[bytes, float] = {}
        """By bot, from when on its pages may be counted again."""
        self._counted = 0.0
        """Seconds of the processor that counting took in the look at hand."""

    def watch(self) -> None:
        """Look at all bots now, and again at each signal SIGALRM."""
        signal.signal(signal.SIGALRM, lambda *_: self._look_and_wait())
        self._look_and_wait()

    def _look_and_wait(self) -> None:
        used = process_time()
        self._counted = 0.0
        self.look()
        signal.setitimer(signal.ITIMER_REAL, max(INTERVAL, SHARE * (process_time() - used - self._counted)))

    def look(self) -> None:
        """End each bot that has more memory than its limits and ``ROOM``, and leave a note for each of its heads."""
        for bot, heads in self._bots():
            if greedy := self._too_much(bot, with_descendants(heads)):
                sleep(_AGAIN)
                if self._too_much(bot, greedy & with_descendants(heads)):
                    self._strike(heads, greedy)

    def _bots(self) -> Iterator[tuple[bytes, list[int]]]:
        run = os.fsencode(self._run)
        for lane in children(self._runner):
            if run not in read_proc(f"/proc/{lane}/cmdline").split(b"\0"):
                continue
            bots: dict[bytes, list[int]] = {}
            for head in children(lane):
                marks = [word for word in read_proc(f"/proc/{head}/environ").split(b"\0") if word.startswith(_TOKEN)]
                bots.setdefault(marks[0] if marks else b"%d" % head, []).append(head)
            yield from bots.items()

    def _too_much(self, bot: bytes, pids: set[int]) -> set[int]:
        tables = 0
        private = [0]
        for pid in pids:
            sizes = _sizes(pid, "status")
            tables += sizes.get(b"VmPTE", 0)
            private.append(sum([sizes.get(name, 0) for name in _PRIVATE]))
        most = tables + sum(private) + _SOCKET * sum(map(_descriptors, pids))
        # most bots have less than any limit would be
        if most <= ROOM or not 0 < (limit := max(map(_limit, pids), default=0)) < most:
            return set()
        # processes share pages, but no tables
        if tables + max(private) > limit:
            return pids
        began, used = monotonic(), process_time()
        if began < self._exact_from.get(bot, 0.0):
            return set()
        size = tables + self._exactly(pids)
        # to count each page once takes long, and longer the more tables a bot has: it is for that bot alone to wait
        took = process_time() - used
        self._counted += took
        self._exact_from = {other: begins for other, begins in self._exact_from.items() if begins > began}
        if size <= limit:
            self._exact_from[bot] = began + max(SHARE * took, INTERVAL)
        return pids if size > limit else set()

    def _exactly(self, pids: Iterable[int]) -> int:
        private = alone = 0
        buffers: dict[str, int] = {}
        for pid in pids:
            parts, sizes = _sizes(pid, "smaps_rollup"), _sizes(pid, "status")
            size = sum([sizes.get(name, 0) for name in _PRIVATE])
            if parts:
                private += parts.get(b"Pss_Anon", 0) + parts.get(b"SwapPss", 0)
            elif os.geteuid() == 0:
                # without the right to trace, what processes share cannot be told from what each has
                alone = max(alone, size)
            else:
                # a process of the same user can be read, unless it hides
                private += size
            buffers |= _buffers(pid)
        return private + alone + sum(buffers.values())

    def _strike(self, heads: Iterable[int], pids: Iterable[int]) -> None:
        for pid in heads:
            with suppress(OSError):
                os.close(os.open(struck_note(self._run, pid), os.O_CREAT | os.O_WRONLY | os.O_CLOEXEC, 0o600))
        # one that is started meanwhile would live on, and hold the pipe on which the lane waits for an answer
        for pid in {*heads, *pids, *halted(heads)}:
            with suppress(OSError):
                os.kill(pid, signal.SIGKILL)


def _buffers(pid: int) -> dict[str, int]:
    folder, buffers = f"/proc/{pid}/fd", dict[str, int]()
    with suppress(OSError):
        for name in os.listdir(folder):  # noqa: PTH208 - a plain listing
            with suppress(OSError):
                link = os.readlink(f"{folder}/{name}")  # noqa: PTH115 - likewise
                if link.startswith(("socket:", "pipe:")):
                    buffers[link] = _SOCKET if link[0] == "s" else _PIPE
    return buffers


def _limit(pid: int) -> int:
    """The most that a process's bot may have, by the limits of the process; 0 if it has no such limits."""
    limits = [line.split()[3] for line in read_proc(f"/proc/{pid}/limits").split(b"\n") if line.startswith(_LIMITS)]
    return sum(map(int, limits)) + ROOM if limits and all(map(bytes.isdigit, limits)) else 0


def _descriptors(pid: int) -> int:
    """How many descriptors a process has; before Linux 6.2 the size of the folder does not tell."""
    with suppress(OSError):
        folder = f"/proc/{pid}/fd"
        return os.stat(folder).st_size or len(os.listdir(folder))  # noqa: PTH116, PTH208 - this runs often
    return 0


def _sizes(pid: int | str, name: str) -> dict[bytes, int]:
    lines = [line.split() for line in read_proc(f"/proc/{pid}/{name}").split(b"\n") if line.endswith(b" kB")]
    return {words[0][:-1]: int(words[1]) << 10 for words in lines}
