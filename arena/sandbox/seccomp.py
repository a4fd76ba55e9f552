"""The system calls a bot is refused: what namespaces and Landlock leave open, as a seccomp filter. Pure.

A deny-list: an allow-list would break languages nobody has tried here. Refused calls fail as if not permitted; nothing
is killed for trying. The program is classic BPF over ``struct seccomp_data`` (seccomp(2)).
"""

import platform
import struct
from typing import NamedTuple

_X32 = 0x4000_0000
"""Set in the numbers of a second way into the same calls on x86-64."""
_EPERM, _ENOSYS = 1, 38
_KILL, _ERRNO, _ALLOW = 0x8000_0000, 0x0005_0000, 0x7FFF_0000
_LOAD, _EQUAL, _AT_LEAST, _ANY_BIT, _RETURN = 0x20, 0x15, 0x35, 0x45, 0x06
_NR, _ARCH = 0, 4
_ARGUMENTS = 16
"""Where the first argument stands in ``struct seccomp_data``; each takes eight bytes, the low half first."""
_NEW_NAMESPACES = 0x7E02_0080
"""All of clone's CLONE_NEW flags: time, mount, cgroup, uts, ipc, user, pid, net."""
_TIOCSTI, _TIOCLINUX = 0x5412, 0x541C
_SETLK, _SETLKW, _OFD_SETLK, _OFD_SETLKW, _SETLEASE, _NOTIFY = 6, 7, 37, 38, 1024, 1026


class _Machine(NamedTuple):
    arch: int
    """AUDIT_ARCH of the native calls."""
    column: int
    """Which number of ``_CALLS`` is its own."""


_MACHINES = {"x86_64": _Machine(0xC000_003E, 0), "aarch64": _Machine(0xC000_00B7, 1)}

_CALLS: dict[str, tuple[int, int]] = {
    # other processes
    "ptrace": (101, 117),
    "process_vm_readv": (310, 270),
    "process_vm_writev": (311, 271),
    "pidfd_getfd": (438, 438),
    "kcmp": (312, 272),
    "process_madvise": (440, 440),
    "migrate_pages": (256, 238),
    "move_pages": (279, 239),
    # places that bots could meet in
    "shmget": (29, 194),
    "shmat": (30, 196),
    "shmctl": (31, 195),
    "semget": (64, 190),
    "msgget": (68, 186),
    "mq_open": (240, 180),
    "inotify_add_watch": (254, 27),
    "add_key": (248, 217),
    "request_key": (249, 218),
    "keyctl": (250, 219),
    # more of the processor than its share
    "setpriority": (141, 140),
    "ioprio_set": (251, 30),
    "sched_setaffinity": (203, 122),
    "sched_setscheduler": (144, 119),
    "sched_setparam": (142, 118),
    "sched_setattr": (314, 274),
    # other views of the machine
    "unshare": (272, 97),
    "setns": (308, 268),
    "mount": (165, 40),
    "umount2": (166, 39),
    "pivot_root": (155, 41),
    "chroot": (161, 51),
    "open_tree": (428, 428),
    "move_mount": (429, 429),
    "fsopen": (430, 430),
    "fspick": (433, 433),
    "mount_setattr": (442, 442),
    "open_by_handle_at": (304, 265),
    "name_to_handle_at": (303, 264),
    "fanotify_init": (300, 262),
    # parts of the kernel that no bot needs and that have had holes
    "bpf": (321, 280),
    "perf_event_open": (298, 241),
    "userfaultfd": (323, 282),
    "io_uring_setup": (425, 425),
    "io_uring_enter": (426, 426),
    "io_uring_register": (427, 427),
    "memfd_secret": (447, 447),
    "kexec_load": (246, 104),
    "init_module": (175, 105),
    "finit_module": (313, 273),
    "swapon": (167, 224),
    "acct": (163, 89),
    "quotactl": (179, 60),
}
"""Refused whatever their arguments are: the numbers on x86-64 and on 64-bit ARM."""

_MARKS: dict[str, tuple[int | None, int | None]] = {
    "chmod": (90, None),
    "fchmod": (91, 52),
    "fchmodat": (268, 53),
    "fchmodat2": (452, 452),
    "chown": (92, None),
    "fchown": (93, 55),
    "lchown": (94, None),
    "fchownat": (260, 54),
    "utime": (132, None),
    "utimes": (235, None),
    "futimesat": (261, None),
    "utimensat": (280, 88),
    "setxattr": (188, 5),
    "lsetxattr": (189, 6),
    "fsetxattr": (190, 7),
    "removexattr": (197, 14),
    "lremovexattr": (198, 15),
    "fremovexattr": (199, 16),
    "setxattrat": (463, 463),
    "removexattrat": (466, 466),
}
"""Change modes, owners, times and attributes of files, which Landlock leaves to whoever owns them."""

_FLOCK, _FCNTL = (73, 32), (72, 25)
_SOCKET, _IOCTL, _CLONE, _CLONE3, _PRLIMIT = (41, 198), (16, 29), (56, 220), (435, 435), (302, 261)


def supported() -> bool:
    """Whether the filter is known for this machine's processor."""
    return platform.machine() in _MACHINES


def program(*, network: bool = False, locks: bool = False, marks: bool = True) -> bytes:
    """The filter as an array of ``struct sock_filter``.

    ``network`` allows sockets, ``locks`` locks on files, ``marks`` changing modes, owners and times of files.

    Raises:
        KeyError: this processor's calls are not known here.
    """
    machine = _MACHINES[platform.machine()]
    steps = [_step(_LOAD, _ARCH), _step(_EQUAL, machine.arch, 1, 0), _step(_RETURN, _KILL), _step(_LOAD, _NR)]
    if machine.column == 0:
        steps += [_step(_AT_LEAST, _X32, 0, 1), _step(_RETURN, _ERRNO | _ENOSYS)]
    refused: list[tuple[int | None, int | None]] = list(_CALLS.values())
    if not network:
        refused.append(_SOCKET)
    if not locks:
        refused.append(_FLOCK)
    if not marks:
        refused += _MARKS.values()
    for numbers in refused:
        number = numbers[machine.column]
        if number is not None:
            steps += _if(number, [_step(_RETURN, _ERRNO | _EPERM)])
    # its flags lie in memory, where no filter can look: libraries fall back to clone
    steps += _if(_CLONE3[machine.column], [_step(_RETURN, _ERRNO | _ENOSYS)])
    steps += _if(_CLONE[machine.column], _refused_if(0, _ANY_BIT, _NEW_NAMESPACES))
    steps += _if(_IOCTL[machine.column], _refused_if(1, _EQUAL, _TIOCSTI, _TIOCLINUX))
    if not locks:
        commands = (_SETLK, _SETLKW, _OFD_SETLK, _OFD_SETLKW, _SETLEASE, _NOTIFY)
        steps += _if(_FCNTL[machine.column], _refused_if(1, _EQUAL, *commands))
    # a process may lower its own limits and nobody else's
    own = [_step(_LOAD, _ARGUMENTS), _step(_EQUAL, 0, 1, 0), _step(_RETURN, _ERRNO | _EPERM), _step(_RETURN, _ALLOW)]
    steps += _if(_PRLIMIT[machine.column], own)
    return b"".join([*steps, _step(_RETURN, _ALLOW)])


def _step(code: int, value: int, if_true: int = 0, if_false: int = 0) -> bytes:
    return struct.pack("=HBBI", code, if_true, if_false, value)


def _if(number: int, steps: list[bytes]) -> list[bytes]:
    """Take these steps, the last of which returns, for one call."""
    return [_step(_EQUAL, number, 0, len(steps)), *steps]


def _refused_if(argument: int, test: int, *values: int) -> list[bytes]:
    """Refuse the call if the low half of an argument passes a test with one of the values; else allow it."""
    steps = [_step(_LOAD, _ARGUMENTS + 8 * argument)]
    for value in values:
        steps += [_step(test, value, 0, 1), _step(_RETURN, _ERRNO | _EPERM)]
    return [*steps, _step(_RETURN, _ALLOW)]
