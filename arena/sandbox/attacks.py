"""What the probe tries from inside a sandbox, one function an attack: it attacks only ``Canaries`` and itself.

Standard library only. It reads nothing else and leaves nothing changed that matters.
"""

import ctypes
import mmap
import os
import resource
import signal
import struct
from collections.abc import Callable
from contextlib import suppress
from errno import ENOSYS
from functools import partial

from arena.sandbox.canaries import Canaries, Span, any_of, apart, began, call, called, content, libc, reach
from arena.sandbox.channels import CHANNELS, code

MOST_FORKS = 200
_NEW_USER, _NEW_MOUNTS = 0x1000_0000, 0x0002_0000
_SEIZE = 0x4206
_GET_NO_NEW_PRIVILEGES = 39
_USER_MODE_ONLY = 1
inherited: list[int] = []


def _append(path: str, text: str) -> None:
    with open(path, "ab") as file:  # noqa: PTH123 - as above
        file.write(f"\n#{text}\n".encode())


def _open_by_handle(c: Canaries) -> bool:
    if not c.handle:
        raise OSError(ENOSYS, "the file system has no handles")
    folder = os.open(os.path.dirname(c.own), os.O_RDONLY)  # noqa: PTH120 - as above
    opened = called(libc.open_by_handle_at(folder, bytes.fromhex(c.handle), os.O_RDONLY))
    return c.token.encode() in os.read(opened, 4096)


def _read_memory_file(c: Canaries) -> None:
    if began(c.pid) != c.began:
        raise ProcessLookupError
    os.pread(os.open(f"/proc/{c.pid}/mem", os.O_RDONLY), 8, c.address)


def _read_memory_by_call(c: Canaries) -> None:
    word = ctypes.create_string_buffer(8)
    here, there = Span(ctypes.addressof(word), 8), Span(c.address, 8)
    one = ctypes.c_ulong(1)
    called(libc.process_vm_readv(reach(c), ctypes.byref(here), one, ctypes.byref(there), one, ctypes.c_ulong(0)))


def _change_limits(c: Canaries) -> None:
    process = reach(c)
    resource.prlimit(process, resource.RLIMIT_NOFILE, resource.prlimit(process, resource.RLIMIT_NOFILE))


def _change_priority(c: Canaries) -> None:
    process = reach(c)
    best_effort = 2 << 13 | 4
    any_of(
        lambda: os.setpriority(os.PRIO_PROCESS, process, 10),
        lambda: os.sched_setscheduler(process, os.SCHED_BATCH, os.sched_param(0)),
        lambda: call("ioprio_set", 1, process, best_effort),
    )


def _stop(c: Canaries) -> None:
    os.kill(reach(c), signal.SIGSTOP)
    os.kill(c.pid, signal.SIGCONT)


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
        if libc.unshare(_NEW_MOUNTS) == 0:
            called(libc.mount(b"none", b"/", None, ctypes.c_ulong(private), None))
        called(libc.mount(b"none", target, b"tmpfs", ctypes.c_ulong(0), None))
        called(libc.umount2(target, detach))

    return apart(mounts)


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
    "read a private file of the house": lambda c: c.token.encode() in content(c.private),
    "read another bot's code": lambda c: c.token.encode() in content(c.other),
    "write to the results": lambda c: _append(c.results, c.token),
    "write its own code": lambda c: _append(c.own, c.token),
    "write the copy of its code that it runs": lambda _: os.open(code(), os.O_WRONLY),
    "change times or modes of the house's files": lambda c: any_of(
        lambda: os.utime(c.other),
        lambda: os.chmod(c.other, 0o644),  # noqa: PTH101 - as above
    ),
    "see that a file is there, and its size": lambda c: os.stat(c.other).st_size > 0,  # noqa: PTH116 - as above
    "leave a file in /tmp, /var/tmp or /dev/shm": lambda c: any_of(
        *(partial(_append, file, c.token) for file in c.left)
    ),
    "open a file by its handle": _open_by_handle,
    "see the house's processes in /proc": lambda c: began(c.pid) == c.began,
    "read the house's command line": lambda c: c.token.encode() in content(f"/proc/{c.pid}/cmdline"),
    "read the house's environment": lambda c: c.token.encode() in content(f"/proc/{c.pid}/environ"),
    "open a handle of a process (pidfd)": lambda _: os.pidfd_open(os.getpid()),
    # the kernel checks the opening; the content is never read
    "read the environment of process 1": lambda c: (
        os.open("/proc/1/environ", os.O_RDONLY) and began(1) == c.first_began
    ),
    "read the house's memory": lambda c: any_of(partial(_read_memory_file, c), partial(_read_memory_by_call, c)),
    # the end of the child releases the lock again
    "trace the house (ptrace)": lambda c: apart(lambda: called(libc.ptrace(_SEIZE, reach(c), None, None))),
    "take a descriptor of the house": lambda c: call("pidfd_getfd", os.pidfd_open(reach(c)), 0, 0),
    "change the house's limits": _change_limits,
    "change the house's priority": _change_priority,
    "change the house's cores": lambda c: os.sched_setaffinity(reach(c), os.sched_getaffinity(reach(c))),
    "raise its own priority": _raise_priority,
    "widen its own cores": _widen_cores,
    **CHANNELS,
    "set up io_uring": lambda _: call("io_uring_setup", 1, ctypes.create_string_buffer(120)),
    "load into the kernel (bpf)": _bpf,
    "count events (perf_event_open)": _perf,
    "handle page faults (userfaultfd)": lambda _: call("userfaultfd", os.O_CLOEXEC | _USER_MODE_ONLY),
    "make a user namespace (unshare)": lambda _: apart(lambda: called(libc.unshare(_NEW_USER))),
    "make a user namespace (clone)": _clone,
    "mount a file system": _mount,
    "say what runs at a crash (core_pattern)": lambda _: os.open("/proc/sys/kernel/core_pattern", os.O_WRONLY),
    "get rights from setuid programs": lambda _: called(libc.prctl(_GET_NO_NEW_PRIVILEGES, 0, 0, 0, 0)) == 0,
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
    "kill a process of the house": lambda c: os.kill(reach(c), signal.SIGKILL),
}
"""What is tried, in plain words -> how: it is refused by False or an ``OSError``. The dangerous ones stand last."""
