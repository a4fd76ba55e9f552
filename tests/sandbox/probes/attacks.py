"""The probe with all attacks: those of a proof, and those that only tests try. Standard library only."""

import ctypes
import fcntl
import mmap
import os
import resource
import signal
import struct
from collections.abc import Callable
from contextlib import suppress
from errno import ENOSYS

from arena.sandbox import probe
from arena.sandbox.attacks import ATTACKS, map_memory
from arena.sandbox.canaries import Canaries, any_of, apart, began, check_call, content, libc, reach
from tests.sandbox.probes.channels import CHANNELS, call, code

_NEW_USER = 0x1000_0000
_SEIZE = 0x4206
_USER_MODE_ONLY = 1
# bwrap sets PWD; Python may settle LC_CTYPE for itself
_VARIABLES = {"PATH", "LANG", "HOME", "TMPDIR", "PWD", "LC_CTYPE"}
inherited: list[int] = []


def _open_by_handle(c: Canaries) -> bool:
    if not c.more["handle"]:
        raise OSError(ENOSYS, "the file system has no handles")
    folder = os.open(os.path.dirname(c.code), os.O_RDONLY)  # noqa: PTH120 - as above
    opened = check_call(libc.open_by_handle_at(folder, bytes.fromhex(c.more["handle"]), os.O_RDONLY))
    return c.more["token"].encode() in os.read(opened, 4096)


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


def _write_large(c: Canaries) -> None:
    path = f"{os.environ['TMPDIR']}/large-{c.token}"
    file = os.open(path, os.O_WRONLY | os.O_CREAT)
    try:
        os.pwrite(file, b"!", c.more["file"])
    finally:
        os.unlink(path)  # noqa: PTH108 - as above


def _fill(c: Canaries) -> None:
    paths = [f"{os.environ['TMPDIR']}/fill-{c.token}-{number}" for number in range(5)]
    try:
        for path in paths:
            with open(path, "wb") as file:  # noqa: PTH123 - as above
                file.write(bytes(c.more["file"] // 4 + 4096))
    finally:
        for path in paths:
            with suppress(OSError):
                os.unlink(path)  # noqa: PTH108 - as above


def _open_descriptors() -> list[int]:
    descriptors = []
    for descriptor in range(3, 1024):
        with suppress(OSError):
            fcntl.fcntl(descriptor, fcntl.F_GETFD)
            descriptors.append(descriptor)
    return descriptors


MORE: dict[str, Callable[[Canaries], object]] = {
    "write the copy of its code that it runs": lambda _: os.open(code(), os.O_WRONLY),
    "change times or modes of the host's files": lambda c: any_of(
        lambda: os.utime(c.other),
        lambda: os.chmod(c.other, 0o644),  # noqa: PTH101 - as above
    ),
    "see that a file is there, and its size": lambda c: os.stat(c.other).st_size > 0,  # noqa: PTH116 - as above
    "open a file by its handle": _open_by_handle,
    "read the host's command line": lambda c: c.token.encode() in content(f"/proc/{c.pid}/cmdline"),
    "open a handle of a process (pidfd)": lambda _: os.pidfd_open(os.getpid()),
    # the kernel checks the opening; the content is never read
    "read the environment of process 1": lambda c: (
        os.open("/proc/1/environ", os.O_RDONLY) and began(1) == c.more["first_began"]
    ),
    # the end of the child releases the lock again
    "trace the host (ptrace)": lambda c: apart(lambda: check_call(libc.ptrace(_SEIZE, reach(c), None, None))),
    "take a descriptor of the host": lambda c: call("pidfd_getfd", os.pidfd_open(reach(c)), 0, 0),
    "change the host's limits": _change_limits,
    "change the host's priority": _change_priority,
    "change the host's cores": lambda c: os.sched_setaffinity(reach(c), os.sched_getaffinity(reach(c))),
    "raise its own priority": _raise_priority,
    "widen its own cores": _widen_cores,
    **CHANNELS,
    "set up io_uring": lambda _: call("io_uring_setup", 1, ctypes.create_string_buffer(120)),
    "load into the kernel (bpf)": _bpf,
    "count events (perf_event_open)": _perf,
    "handle page faults (userfaultfd)": lambda _: call("userfaultfd", os.O_CLOEXEC | _USER_MODE_ONLY),
    "make a user namespace (clone)": _clone,
    "say what runs at a crash (core_pattern)": lambda _: os.open("/proc/sys/kernel/core_pattern", os.O_WRONLY),
    "open the terminal": lambda _: os.open("/dev/tty", os.O_RDWR | os.O_NOCTTY),
    "use descriptors it was not given": lambda _: bool(inherited),
    "see the host's variables": lambda _: bool(os.environ.keys() - _VARIABLES),
    "write a larger file than allowed": _write_large,
    "fill its scratch beyond the limit": _fill,
    "take more memory, as shared pages": lambda c: map_memory(c, mmap.MAP_SHARED),
    # one byte is read of what each table covers, which has entries of eight bytes
    "take more memory, as page tables": lambda c: mmap.mmap(
        -1, c.memory * mmap.PAGESIZE // 8, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS, mmap.PROT_READ
    )[:: mmap.PAGESIZE**2 // 8],
    "stop a process of the host": _stop,
}
"""What is tried, in plain words -> how: it is refused by False or an ``OSError``. The dangerous ones stand last."""


def main() -> None:
    """Try the attacks that ``argv[1]`` names and print the verdicts."""
    inherited.extend(_open_descriptors())
    ATTACKS.update(MORE)
    probe.main()
