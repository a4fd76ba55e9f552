"""What the probe tries from inside a sandbox, one function an attack: it attacks only ``Canaries`` and itself.

Standard library only. It reads nothing else and leaves nothing changed that matters. ``arena.sandbox.probe`` runs it.
"""

import ctypes
import fcntl
import mmap
import os
import resource
import signal
import socket
import struct
import sys
from collections.abc import Callable
from contextlib import suppress
from errno import ENOSYS
from functools import partial
from typing import NamedTuple

MOST_FORKS = 200
_CALLS = {
    "add_key": (248, 217), "bpf": (321, 280), "cachestat": (451, 451), "clone": (56, 220), "io_uring_setup": (425, 425),
    "ioprio_set": (251, 30), "keyctl": (250, 219), "mq_open": (240, 180), "mq_unlink": (241, 181),
    "perf_event_open": (298, 241), "pidfd_getfd": (438, 438), "preadv2": (327, 286), "userfaultfd": (323, 282),
}  # fmt: skip
"""System calls that the C library does not offer everywhere: their numbers on x86-64 and on 64-bit ARM."""
_COLUMN = {"x86_64": 0, "aarch64": 1}
_NEW_USER, _NEW_MOUNTS = 0x1000_0000, 0x0002_0000
_AF_NETLINK, _AF_VSOCK = 16, 40
_SEIZE = 0x4206
_GET_NO_NEW_PRIVILEGES = 39
_USER_MODE_ONLY = 1
_UNLINK, _RINGS = 9, (-3, -4)
"""Of keys: how one is removed, and the keyrings of the session and of the user."""
_NOWAIT = 8
_SET_HINT, _SHORT_LIVED = 1036, 2
_VALUE = 12
"""What semctl(2) is to tell."""
_libc = ctypes.CDLL(None, use_errno=True)
inherited: list[int] = []
"""Descriptors that were open at the start."""


class Canaries(NamedTuple):
    """The targets that the probe attacks. Paths and numbers are those outside of the sandbox."""

    token: str
    """Stands in each of them."""
    private: str
    other: str
    results: str
    own: str
    own_inode: list[int]
    """Of ``own``: device and number."""
    left: list[str]
    """Files to leave in folders that everybody may write to."""
    pid: int
    """A process of the house, ..."""
    began: int
    """... when it was started, in ticks since boot, ..."""
    address: int
    """... and where its stack lies."""
    first_began: int
    """When the house's process 1 was started; 0 where that is not told."""
    pids: str
    """The name of the house's process numbers (a namespace)."""
    tcp: int
    udp: int
    abstract: str
    socket: str
    letterbox: str
    """A socket for datagrams that is a file."""
    shm: int
    """Key of a segment; 0 where there are none."""
    queue: str
    """Name of a message queue; empty where there are none."""
    letters: int
    """Number of a message queue of System V, -1 where there are none; ..."""
    semaphores: int
    """... and of a set of semaphores."""
    handle: str
    """Of ``private``, in hexadecimal; empty where the file system has none."""
    allowed: list[str]
    """Names of environment variables."""
    memory: int
    processes: int
    file: int
    descriptors: int
    attacks: list[str]
    """Which to try, in this order."""


def _bytes(path: str) -> bytes:
    with open(path, "rb") as file:  # noqa: PTH123 - pathlib would lengthen every start of a run
        return file.read()


def called(result: int) -> int:
    """The return value of a call of the C library.

    Raises:
        OSError: it failed.
    """
    if result < 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))
    return result


def call(name: str, *arguments: object) -> int:
    """The return value of a system call of ``_CALLS``.

    Raises:
        OSError: it failed.
    """
    return called(_libc.syscall(ctypes.c_long(_CALLS[name][_COLUMN[os.uname().machine]]), *arguments))


def _any(*ways: Callable[[], object]) -> bool:
    """Whether one of several ways works, all tried; if none does, the last one's error."""
    works = False
    last = OSError()
    for way in ways:
        try:
            way()
            works = True
        except OSError as error:
            last = error
    if not works:
        raise last
    return True


def _apart(way: Callable[[], object]) -> bool:
    """Whether something works that would change the process, tried in a child."""
    child = os.fork()
    if not child:
        code = 1
        with suppress(OSError):
            way()
            code = 0
        os._exit(code)
    return os.waitpid(child, 0)[1] == 0


def began(pid: int) -> int:
    """When a process was started, in ticks since boot: with its number it identifies it (proc_pid_stat(5), field 22).

    Raises:
        OSError: it cannot be seen.
    """
    return int(_bytes(f"/proc/{pid}/stat").rpartition(b")")[2].split()[19])


def pids() -> str:
    """The name of the namespace of this process's number; empty if the system does not tell."""
    try:
        return os.readlink("/proc/self/ns/pid")  # noqa: PTH115 - as above
    except OSError:
        return ""


def _reach(c: Canaries) -> int:
    """The number of the canary process. In another namespace this would be the number of another process.

    Raises:
        OSError: it has no number here.
    """
    if pids() not in {"", c.pids}:
        raise ProcessLookupError
    return c.pid


# --- files


def _append(path: str, text: str) -> None:
    with open(path, "ab") as file:  # noqa: PTH123 - as above
        file.write(f"\n#{text}\n".encode())


def _open_by_handle(c: Canaries) -> bool:
    if not c.handle:
        raise OSError(ENOSYS, "the file system has no handles")
    folder = os.open(os.path.dirname(c.own), os.O_RDONLY)  # noqa: PTH120 - as above
    found = called(_libc.open_by_handle_at(folder, bytes.fromhex(c.handle), os.O_RDONLY))
    return c.token.encode() in os.read(found, 4096)


# --- the house's processes


class _Span(ctypes.Structure):
    _fields_ = (("start", ctypes.c_void_p), ("length", ctypes.c_size_t))


def _read_memory_file(c: Canaries) -> None:
    if began(c.pid) != c.began:
        raise ProcessLookupError
    os.pread(os.open(f"/proc/{c.pid}/mem", os.O_RDONLY), 8, c.address)


def _read_memory_by_call(c: Canaries) -> None:
    word = ctypes.create_string_buffer(8)
    here, there = _Span(ctypes.addressof(word), 8), _Span(c.address, 8)
    one = ctypes.c_ulong(1)
    called(_libc.process_vm_readv(_reach(c), ctypes.byref(here), one, ctypes.byref(there), one, ctypes.c_ulong(0)))


def _change_limits(c: Canaries) -> None:
    process = _reach(c)
    resource.prlimit(process, resource.RLIMIT_NOFILE, resource.prlimit(process, resource.RLIMIT_NOFILE))


def _change_priority(c: Canaries) -> None:
    process = _reach(c)
    best_effort = 2 << 13 | 4
    _any(
        lambda: os.setpriority(os.PRIO_PROCESS, process, 10),
        lambda: os.sched_setscheduler(process, os.SCHED_BATCH, os.sched_param(0)),
        lambda: call("ioprio_set", 1, process, best_effort),
    )


def _stop(c: Canaries) -> None:
    os.kill(_reach(c), signal.SIGSTOP)
    os.kill(c.pid, signal.SIGCONT)


# --- more of the processor than its share


def _raise_priority(_: Canaries) -> None:
    before = os.getpriority(os.PRIO_PROCESS, 0)
    os.setpriority(os.PRIO_PROCESS, 0, before - 5)
    os.setpriority(os.PRIO_PROCESS, 0, before)


def _widen_cores(_: Canaries) -> bool:
    # a lane's bots begin with one core, and so does this, if it may change its cores
    cores = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {min(cores)})
    os.sched_setaffinity(0, range(os.cpu_count() or 1))
    wider = len(os.sched_getaffinity(0)) > 1
    os.sched_setaffinity(0, cores)
    if not wider and len(cores) == 1:
        raise OSError(ENOSYS, "there is one core")
    return wider


# --- ways to talk


def _connect(family: int, address: str | tuple[str, int]) -> None:
    with socket.socket(family) as talk:
        talk.connect(address)


def _share_memory(c: Canaries) -> None:
    if not c.shm:
        raise OSError(ENOSYS, "there are no segments")
    segment = called(_libc.shmget(c.shm, ctypes.c_size_t(0), 0))
    _libc.shmat.restype = ctypes.c_ssize_t
    _libc.shmdt(ctypes.c_void_p(called(_libc.shmat(segment, None, 0))))


def _open_queue(c: Canaries) -> None:
    if not c.queue:
        raise OSError(ENOSYS, "there are no message queues")
    os.close(call("mq_open", c.queue.encode(), os.O_RDONLY, 0, None))


def _use(number: int, how: Callable[[], int]) -> None:
    if number < 0:
        raise OSError(ENOSYS, "there is none")
    called(how())


def _send_by_pair(c: Canaries) -> None:
    for end in socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM):
        with end:
            end.sendto(c.token.encode(), c.letterbox)


def _in_memory(_: Canaries) -> bool:
    file = os.open(_shared(), os.O_RDONLY)
    room = ctypes.create_string_buffer(64)
    span = _Span(ctypes.addressof(room), 1)
    none = ctypes.c_long(0)
    return _any(
        lambda: call("preadv2", file, ctypes.byref(span), 1, none, none, _NOWAIT),
        lambda: call("cachestat", file, struct.pack("=QQ", 0, mmap.PAGESIZE), room, 0),
    )


def _code() -> str:
    """The file that the probe runs, at its present path."""
    return f"{sys.argv[0]}/__main__.py"


def _same_files(c: Canaries) -> bool:
    found = os.stat(_code())  # noqa: PTH116 - as above
    return [found.st_dev, found.st_ino] == c.own_inode


def _put_key(c: Canaries, ring: int) -> None:
    key = call("add_key", b"user", f"arena-{c.token}".encode(), b"1", ctypes.c_size_t(1), ring)
    call("keyctl", _UNLINK, key, ring)


def _shared() -> str:
    """A file that every Python bot on this machine reads."""
    return os.path.realpath(sys.executable)


def _lock(how: Callable[[int, int], object]) -> None:
    how(os.open(_shared(), os.O_RDONLY), fcntl.LOCK_SH | fcntl.LOCK_NB)


def _watch(_: Canaries) -> None:
    opened = 0x20
    called(_libc.inotify_add_watch(called(_libc.inotify_init1(os.O_CLOEXEC)), _shared().encode(), opened))


# --- doors of the kernel


def _bpf(_: Canaries) -> None:
    create_map, array = 0, struct.pack("=5I", 2, 4, 8, 1, 0)
    call("bpf", create_map, array, len(array))


def _perf(_: Canaries) -> None:
    software, task_clock, user_only = 1, 1, 1 << 5 | 1 << 6
    wanted = struct.pack("=IIQQQQQ", software, 112, task_clock, 0, 0, 0, user_only).ljust(112, b"\0")
    call("perf_event_open", wanted, 0, -1, -1, ctypes.c_ulong(0))


def _clone(_: Canaries) -> None:
    child = call("clone", ctypes.c_ulong(_NEW_USER | signal.SIGCHLD), None, None, None, None)
    if not child:
        os._exit(0)
    os.waitpid(child, 0)


def _mount(_: Canaries) -> bool:
    target = os.environ["TMPDIR"].encode()
    private, detach = 1 << 18 | 1 << 14, 2

    def mounts() -> None:
        # if this process may, it mounts in a namespace of its own, which nobody else sees
        if _libc.unshare(_NEW_MOUNTS) == 0:
            called(_libc.mount(b"none", b"/", None, ctypes.c_ulong(private), None))
        called(_libc.mount(b"none", target, b"tmpfs", ctypes.c_ulong(0), None))
        called(_libc.umount2(target, detach))

    return _apart(mounts)


# --- more than its bounds


def _open_many(c: Canaries) -> None:
    opened: list[int] = []
    try:
        while len(opened) < c.descriptors + 8:
            opened.append(os.open("/dev/null", os.O_RDONLY))
    finally:
        for descriptor in opened:
            os.close(descriptor)


def _write_large(c: Canaries) -> None:
    path = f"{os.environ['TMPDIR']}/large-{c.token}"
    file = os.open(path, os.O_WRONLY | os.O_CREAT)
    try:
        os.pwrite(file, b"!", c.file)
    finally:
        os.unlink(path)  # noqa: PTH108 - as above


def _fill(c: Canaries) -> None:
    paths = [f"{os.environ['TMPDIR']}/fill-{c.token}-{number}" for number in range(5)]
    try:
        for path in paths:
            with open(path, "wb") as file:  # noqa: PTH123 - as above
                file.write(bytes(c.file // 4 + 4096))
    finally:
        for path in paths:
            with suppress(OSError):
                os.unlink(path)  # noqa: PTH108 - as above


def _map(c: Canaries, flags: int) -> None:
    # reserved and never touched: so no other process lacks memory
    mmap.mmap(-1, c.memory + (64 << 20), flags | mmap.MAP_ANONYMOUS).close()


def _fork_many(c: Canaries) -> None:
    children: list[int] = []
    waiting, ending = os.pipe()
    try:
        while len(children) < min(2 * c.processes + 8, MOST_FORKS):
            child = os.fork()
            if not child:
                # the child ends when this pipe ends, however its parent ends
                os.close(ending)
                os.read(waiting, 1)
                os._exit(0)
            children.append(child)
    finally:
        os.close(ending)
        for child in children:
            os.waitpid(child, 0)


ATTACKS: dict[str, Callable[[Canaries], object]] = {
    "read a private file of the house": lambda c: c.token.encode() in _bytes(c.private),
    "read another bot's code": lambda c: c.token.encode() in _bytes(c.other),
    "write to the results": lambda c: _append(c.results, c.token),
    "write its own code": lambda c: _append(c.own, c.token),
    "write the copy of its code that it runs": lambda _: os.open(_code(), os.O_WRONLY),
    "change times or modes of the house's files": lambda c: _any(
        lambda: os.utime(c.other),
        lambda: os.chmod(c.other, 0o644),  # noqa: PTH101 - as above
    ),
    "see that a file is there, and its size": lambda c: os.stat(c.other).st_size > 0,  # noqa: PTH116 - as above
    "leave a file in /tmp, /var/tmp or /dev/shm": lambda c: _any(*(partial(_append, at, c.token) for at in c.left)),
    "open a file by its handle": _open_by_handle,
    "see the house's processes in /proc": lambda c: began(c.pid) == c.began,
    "read the house's command line": lambda c: c.token.encode() in _bytes(f"/proc/{c.pid}/cmdline"),
    "read the house's environment": lambda c: c.token.encode() in _bytes(f"/proc/{c.pid}/environ"),
    "open a handle of a process (pidfd)": lambda _: os.pidfd_open(os.getpid()),
    # the kernel checks the opening; the content is never read
    "read the environment of process 1": lambda c: (
        os.open("/proc/1/environ", os.O_RDONLY) and began(1) == c.first_began
    ),
    "read the house's memory": lambda c: _any(partial(_read_memory_file, c), partial(_read_memory_by_call, c)),
    # the end of the child releases the lock again
    "trace the house (ptrace)": lambda c: _apart(lambda: called(_libc.ptrace(_SEIZE, _reach(c), None, None))),
    "take a descriptor of the house": lambda c: call("pidfd_getfd", os.pidfd_open(_reach(c)), 0, 0),
    "change the house's limits": _change_limits,
    "change the house's priority": _change_priority,
    "change the house's cores": lambda c: os.sched_setaffinity(_reach(c), os.sched_getaffinity(_reach(c))),
    "raise its own priority": _raise_priority,
    "widen its own cores": _widen_cores,
    "connect by TCP to this machine": lambda c: _connect(socket.AF_INET, ("127.0.0.1", c.tcp)),
    "send UDP to this machine": lambda c: socket.socket(type=socket.SOCK_DGRAM).sendto(
        c.token.encode(), ("127.0.0.1", c.udp)
    ),
    "connect to an abstract socket": lambda c: _connect(socket.AF_UNIX, "\0" + c.abstract),
    "connect to a socket that is a file": lambda c: _connect(socket.AF_UNIX, c.socket),
    "make a socket to the machine's host (vsock)": lambda _: socket.socket(_AF_VSOCK),
    "make a socket to the kernel (netlink)": lambda _: socket.socket(_AF_NETLINK, socket.SOCK_RAW),
    "send to a socket that is a file, by a pair": _send_by_pair,
    "share memory (System V)": _share_memory,
    "use a message queue (System V)": lambda c: _use(
        c.letters, lambda: int(_libc.msgsnd(c.letters, struct.pack("=q", 1) + b"!", ctypes.c_size_t(1), 0))
    ),
    "use semaphores (System V)": lambda c: _use(c.semaphores, lambda: int(_libc.semctl(c.semaphores, 0, _VALUE, 0))),
    "open a message queue (POSIX)": _open_queue,
    "put a key into the kernel's keyring": lambda c: _any(*(partial(_put_key, c, ring) for ring in _RINGS)),
    "lock a file that others read (flock)": lambda _: _lock(fcntl.flock),
    "lock a file that others read (fcntl)": lambda _: _lock(fcntl.lockf),
    "watch who opens a file (inotify)": _watch,
    "read the files of its other processes": _same_files,
    "see which pages of a file are in memory": _in_memory,
    "have pages of a file forgotten (fadvise)": lambda _: os.posix_fadvise(
        os.open(_shared(), os.O_RDONLY), 0, 0, os.POSIX_FADV_DONTNEED
    ),
    "leave a hint at a shared file (fcntl)": lambda _: fcntl.fcntl(
        os.open(_shared(), os.O_RDONLY), _SET_HINT, struct.pack("=Q", _SHORT_LIVED)
    ),
    "set up io_uring": lambda _: call("io_uring_setup", 1, ctypes.create_string_buffer(120)),
    "load into the kernel (bpf)": _bpf,
    "count events (perf_event_open)": _perf,
    "handle page faults (userfaultfd)": lambda _: call("userfaultfd", os.O_CLOEXEC | _USER_MODE_ONLY),
    "make a user namespace (unshare)": lambda _: _apart(lambda: called(_libc.unshare(_NEW_USER))),
    "make a user namespace (clone)": _clone,
    "mount a file system": _mount,
    "say what runs at a crash (core_pattern)": lambda _: os.open("/proc/sys/kernel/core_pattern", os.O_WRONLY),
    "get rights from setuid programs": lambda _: called(_libc.prctl(_GET_NO_NEW_PRIVILEGES, 0, 0, 0, 0)) == 0,
    "open the terminal": lambda _: os.open("/dev/tty", os.O_RDWR | os.O_NOCTTY),
    "use descriptors it was not given": lambda _: bool(inherited),
    "see the house's variables": lambda c: bool(os.environ.keys() - c.allowed),
    "open more files than allowed": _open_many,
    "write a larger file than allowed": _write_large,
    "fill its scratch beyond the limit": _fill,
    "take more memory than allowed": lambda c: _map(c, mmap.MAP_PRIVATE),
    "take more memory, as shared pages": lambda c: _map(c, mmap.MAP_SHARED),
    # one byte is read of what each table covers, which has entries of eight bytes
    "take more memory, as page tables": lambda c: mmap.mmap(
        -1, c.memory * mmap.PAGESIZE // 8, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS, mmap.PROT_READ
    )[:: mmap.PAGESIZE**2 // 8],
    "start more processes than allowed": _fork_many,
    "stop a process of the house": _stop,
    "kill a process of the house": lambda c: os.kill(_reach(c), signal.SIGKILL),
}
"""What is tried, in plain words -> how: it is refused by False or an ``OSError``. The dangerous ones stand last."""
