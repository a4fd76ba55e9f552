"""The sins of ``bot.py`` against limits and sandboxes: what a bot takes for itself, and what it reaches for outside."""

import ctypes
import fcntl
import os
import resource
import signal
import socket
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import partial
from typing import Any, NamedTuple, Never

Targets = dict[str, Any]
"""What a test tells the bot of its house, by way of the padding in its sight."""

_MOST_PROCESSES = 256
_MOST_MEMORY = 1 << 30
_NEW_USER = 0x1000_0000
_SEIZE = 0x4206
_IPC_CREAT, _IPC_RMID = 0o1000, 0
_HOARD = 24 << 20
_kept: list[bytearray] = []
_libc = ctypes.CDLL(None, use_errno=True)


def _only_if(*, bounded: bool) -> None:
    """Refuse to do what would harm the machine: as the superuser, or without the limit that is to be tried."""
    if os.getuid() == 0 or not bounded:
        sys.exit("expected a sandbox around this sin, got none")


# --- more than its share


def fork_bomb() -> Never:
    """Multiply without end, each in a session of its own."""
    _only_if(bounded=0 < resource.getrlimit(resource.RLIMIT_NPROC)[0] <= _MOST_PROCESSES)
    while True:
        with suppress(OSError):
            if os.fork() == 0:
                os.setsid()


def memory_bomb() -> Never:
    """Take memory without end."""
    if not 0 < resource.getrlimit(resource.RLIMIT_DATA)[0] <= _MOST_MEMORY:
        sys.exit("expected a limit of memory, got none")
    held = []
    while True:
        held.append(b"x" * (8 << 20))


def hoard_together() -> Never:
    """Take little memory in each of four processes, and keep it."""
    for _ in range(2):
        os.fork()
    _kept.append(bytearray(os.urandom(1 << 20)) * (_HOARD >> 20))
    while True:
        signal.pause()


def spin() -> Never:
    """Use the processor and nothing else."""
    while True:
        pass


def write_beyond() -> None:
    """Write behind the largest place that a file may have."""
    signal.signal(signal.SIGXFSZ, signal.SIG_DFL)
    file = os.open(f"{os.environ['HOME']}/large", os.O_WRONLY | os.O_CREAT, 0o600)
    os.pwrite(file, b"!", resource.getrlimit(resource.RLIMIT_FSIZE)[0])


def open_many() -> int:
    """How many files can be open at once, of the 5000 that are tried."""
    opened: list[int] = []
    with suppress(OSError):
        while len(opened) < 5000:
            opened.append(os.open(os.devnull, os.O_RDONLY))
    for descriptor in opened:
        os.close(descriptor)
    return len(opened)


def fill(places: Sequence[str]) -> dict[str, int]:
    """How many bytes go into each of these folders, of the eight files of up to a MiB that are tried."""
    filled = dict.fromkeys(places, 0)
    for place in places:
        for number in range(8):
            with suppress(OSError):
                file = os.open(f"{place}/fill-{number}", os.O_WRONLY | os.O_CREAT, 0o600)
                for _ in range(16):
                    filled[place] += os.write(file, bytes(1 << 16))
    return filled


def many_files(count: int) -> tuple[int, str]:
    """How many empty files can be made in the scratch, of so many that are tried, and where they are."""
    scratch, made = os.environ["TMPDIR"], 0
    with suppress(OSError):
        while made < count:
            os.close(os.open(f"{scratch}/{made}", os.O_WRONLY | os.O_CREAT, 0o600))
            made += 1
    return made, scratch


def keep_note(places: Sequence[str]) -> dict[str, list[str]]:
    """In which of these folders a note of an earlier life is found, and in which there is one now."""
    notes = [f"{os.path.expandvars(place)}/note" for place in places]
    found = [note for note in notes if os.path.exists(note)]  # noqa: PTH110 - a bot may be old-fashioned
    for note in notes:
        with suppress(OSError):
            os.close(os.open(note, os.O_WRONLY | os.O_CREAT, 0o600))
    return {"before": found, "after": [note for note in notes if os.path.exists(note)]}  # noqa: PTH110 - likewise


# --- the host and the neighbour


def _called(result: int) -> None:
    if result != 0:
        raise OSError(ctypes.get_errno(), "refused")


def _open(path: str, how: int = os.O_RDONLY) -> None:
    # to read a byte proves more than to open; what is opened for writing is left as it is
    file = os.open(path, how)
    if how == os.O_RDONLY:
        os.read(file, 1)
    os.close(file)


def _own(what: Callable[[], object]) -> object:
    """Something that would change this process, done in a child: its exit status tells."""
    child = os.fork()
    if child == 0:
        try:
            what()
        except OSError:
            os._exit(1)
        os._exit(0)
    if os.waitpid(child, 0)[1]:
        raise PermissionError
    return None


ATTEMPTS: dict[str, Callable[[Targets], object]] = {
    "read the neighbour's code": lambda it: _open(it["code"]),
    "read the results": lambda it: _open(it["results"]),
    "write to the results": lambda it: _open(it["results"], os.O_WRONLY | os.O_APPEND),
    "write to the neighbour's code": lambda it: _open(it["code"], os.O_WRONLY | os.O_APPEND),
    "write to its own code": lambda _: _open(os.path.abspath(__file__), os.O_WRONLY | os.O_APPEND),  # noqa: PTH100 - likewise
    "read the host's command line": lambda it: _open(f"/proc/{it['house']}/cmdline"),
    "read the host's environment": lambda it: _open(f"/proc/{it['house']}/environ"),
    "open the host's memory": lambda it: os.close(os.open(f"/proc/{it['house']}/mem", os.O_RDWR)),
    "open the neighbour's input": lambda it: os.close(os.open(f"/proc/{it['neighbour']}/fd/0", os.O_WRONLY)),
    "read the neighbour's environment": lambda it: _open(f"/proc/{it['neighbour']}/environ"),
    "trace the neighbour": lambda it: _called(_libc.ptrace(_SEIZE, it["neighbour"], None, None)),
    "limit the neighbour": lambda it: resource.prlimit(it["neighbour"], resource.RLIMIT_NOFILE, (0, 0)),
    "slow the neighbour": lambda it: os.setpriority(os.PRIO_PROCESS, it["neighbour"], 19),
    "move the neighbour": lambda it: os.sched_setaffinity(it["neighbour"], os.sched_getaffinity(0)),
    "hasten itself": lambda _: os.setpriority(os.PRIO_PROCESS, 0, -5),
    "become root": lambda _: _own(lambda: os.setuid(0)),
    "become root of a namespace": lambda _: _own(lambda: _called(_libc.unshare(_NEW_USER))),
    "say what runs at a crash": lambda _: os.close(os.open("/proc/sys/kernel/core_pattern", os.O_WRONLY)),
    "open the terminal": lambda _: os.close(os.open("/dev/tty", os.O_RDWR | os.O_NOCTTY)),
    "stop the house": lambda it: os.kill(it["house"], signal.SIGSTOP),
    "stop the neighbour": lambda it: os.kill(it["neighbour"], signal.SIGSTOP),
    "kill the neighbour": lambda it: os.kill(it["neighbour"], signal.SIGKILL),
    "kill the neighbour's group": lambda it: os.killpg(it["neighbour"], signal.SIGKILL),
    "kill the house": lambda it: os.kill(it["house"], signal.SIGKILL),
}
"""What is tried, in plain words -> how; it is refused by an ``OSError``. The worst stands last."""


def attempt(targets: Targets) -> dict[str, str]:
    """Try what is asked for, in a sandbox all there is: ``done``, or the error's name."""
    wanted = targets.get("attempts")
    if wanted is None:
        _only_if(bounded=True)
    found = {}
    for name, how in ATTEMPTS.items():
        if wanted is None or name in wanted:
            try:
                how(targets)
                found[name] = "done"
            except OSError as error:
                found[name] = type(error).__name__
    return found


def kill_everybody() -> str:
    """Kill whatever can be killed: how that ended."""
    _only_if(bounded=True)
    try:
        os.kill(-1, signal.SIGKILL)
    except OSError as error:
        return type(error).__name__
    return "done"


# --- meeting places


class Place(NamedTuple):
    """Where a word can be left, and looked for, by two bots who agreed on it."""

    leave: Callable[[], object]
    find: Callable[[], object]


class Meeting:
    """The places for one word; ``shared`` is a file that both may read. What was left is taken away by ``clear``."""

    def __init__(self, word: str, shared: str) -> None:
        self.files = [f"{folder}/arena-{word}" for folder in ("/tmp", "/var/tmp", "/dev/shm")]  # noqa: S108 - that is the sin
        self.key = int(word[:7], 16)
        self.shared = shared
        self.kept: list[object] = []
        at = self.files[0] + ".socket"
        self.places = {
            **{path: Place(partial(self._write, path), partial(_open, path)) for path in self.files},
            "socket": Place(partial(self._listen, at), partial(self._connect, at)),
            "abstract socket": Place(partial(self._listen, "\0" + word), partial(self._connect, "\0" + word)),
            "shared memory": Place(partial(self._segment, _IPC_CREAT | 0o666), partial(self._segment, 0)),
            "lock": Place(partial(self._lock, fcntl.LOCK_EX), self._is_locked),
        }
        self.files.append(at)

    def leave(self) -> None:
        """Leave the word wherever that is possible."""
        for place in self.places.values():
            with suppress(OSError):
                place.leave()

    def find(self) -> list[str]:
        """Where the word was left."""
        found = []
        for name, place in self.places.items():
            with suppress(OSError):
                place.find()
                found.append(name)
        return found

    def clear(self) -> None:
        """Take away what was left."""
        for path in self.files:
            with suppress(OSError):
                os.unlink(path)  # noqa: PTH108 - a bot may be old-fashioned
        with suppress(OSError):
            _called(_libc.shmctl(self._segment(0), _IPC_RMID, None))

    def _write(self, path: str) -> None:
        file = os.open(path, os.O_WRONLY | os.O_CREAT, 0o644)
        os.write(file, b"!")
        os.close(file)

    def _listen(self, address: str) -> None:
        listener = socket.socket(socket.AF_UNIX)
        self.kept.append(listener)
        listener.bind(address)
        listener.listen()

    def _connect(self, address: str) -> None:
        with socket.socket(socket.AF_UNIX) as talk:
            talk.connect(address)

    def _segment(self, flags: int) -> int:
        segment = int(_libc.shmget(self.key, ctypes.c_size_t(4096), flags))
        if segment < 0:
            raise OSError(ctypes.get_errno(), "refused")
        return segment

    def _lock(self, how: int) -> None:
        file = os.open(self.shared, os.O_RDONLY)
        self.kept.append(file)
        fcntl.flock(file, how | fcntl.LOCK_NB)

    def _is_locked(self) -> None:
        try:
            self._lock(fcntl.LOCK_SH)
        except BlockingIOError:
            return
        raise FileNotFoundError
