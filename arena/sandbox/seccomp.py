"""A filter of system calls around a bot: it refuses what namespaces and Landlock do not refuse. Pure.

It is an allow-list (``arena.sandbox.calls``). A call that is not named there does not exist for a bot, so libraries
fall back to an older one. A dangerous call fails as not permitted. A process is killed only for a call of another
architecture. The program is classic BPF over ``struct seccomp_data`` (seccomp(2)).
"""

import platform
import struct
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from typing import NamedTuple

from arena.sandbox.calls import ALLOWED, LOCKS, MARKS, NETWORK, NUMBERS, QUEUED, REFUSED

_X32 = 0x4000_0000
"""Set in the numbers of x32, a second way into the same calls on x86-64."""
_EPERM, _EINVAL, _ENOTTY, _ENOSYS = 1, 22, 25, 38
_KILL, _ERRNO, _ALLOW = 0x8000_0000, 0x0005_0000, 0x7FFF_0000
_LOAD, _AND, _JUMP, _EQUAL, _AT_LEAST, _ANY_BIT, _RETURN = 0x20, 0x54, 0x05, 0x15, 0x35, 0x45, 0x06
_NR, _ARCH = 0, 4
_ARGUMENTS = 16
"""Where the first argument stands in ``struct seccomp_data``; each takes eight bytes, the low half first."""
_NO_CHILD_OF_A_BOT = 0x7E02_0080 | 0x1000
"""Flags of clone: all new namespaces (time, mount, cgroup, uts, ipc, user, pid, net), and a handle of the process."""
_TIOCSTI, _TIOCLINUX = 0x5412, 0x541C
_IOCTLS = (0x5401, 0x5402, 0x5403, 0x5404, 0x540F, 0x5410, 0x5411, 0x5413, 0x541B, 0x5421, 0x5450, 0x5451, 0x5452)
"""Of terminals: attributes, process group, size. Of all: bytes that wait, waiting or not, closing at exec, signals.
Not: what tells of file systems, or leaves marks on files that are open for reading."""
_FCNTLS = (0, 1, 2, 3, 4, 5, 8, 9, 10, 11, 15, 16, 36, 1025, 1027, 1028, 1030, 1032)
"""Of descriptors and pipes. Not: hints on how long a file lives, which stay with it; watches; leases; larger pipes, of
whose pages a user has so many."""
_LOCKING = (6, 7, 37, 38)
_ADVICE = (0, 1, 2, 3, 4, 8, 9, 10, 11, 14, 15, 16, 17, 18, 19, 22, 23, 24, 25)
"""On memory of one's own. Not: to have pages of files leave memory, or to share equal pages with others (ksm)."""
_PRCTLS = (2, 3, 4, 7, 8, 15, 16, 21, 22, 23, 25, 26, 27, 29, 30, 36, 37, 38, 39, 40, 41, 42, 52, 53, 0x5356_4D41)
"""Of the process: its name, timers, privileges, huge pages, names of memory. Not: its signal when the house dies."""
_RLIMIT_RTTIME = 15
_UNIX, _TYPE, _STREAM, _PACKETS = 1, 0xF, 1, 5
_OF_SOCKETS = 1
"""SOL_SOCKET: the level of the options below."""
_TIMEOUTS = (20, 21, 66, 67)
_TOLD_OF_SOCKETS = (3, 4, 7, 8, 30, 38, 39, *_TIMEOUTS)
"""Type, error, sizes, listening, protocol, family. Not: cookies, which the kernel counts; handles of processes."""
_CLOCKS = range(12)
_OWN_CLOCKS = (0xFFFF_FFF8, 0xFFFF_FFF9, 0xFFFF_FFFA)
"""Of the processor time of this process, without its number."""
_OF_A_THREAD = 0x8000_0004
"""Bits of a clock of a thread's processor time; the kernel has none of another process's threads."""
_SHARED_MEMORY, _KIND_OF_MEMORY = 0x21, 0x2F
"""Memory shared without a file: its numbers, which ``/proc/self/maps`` shows, are counted for all."""
_PIPE_OF_NEWS = 0x80
_LARGE_PAGES = 0x4_0000
"""From a store that the whole machine shares."""


_MACHINES = {"x86_64": (0xC000_003E, 0), "aarch64": (0xC000_00B7, 1)}
"""AUDIT_ARCH of the native calls, and which number of ``NUMBERS`` is the machine's own."""


def supported() -> bool:
    """Whether the filter is known for this machine's processor."""
    return platform.machine() in _MACHINES


def program(*, network: bool = False, locks: bool = False, marks: bool = True, queued: bool = True) -> bytes:
    """The filter as an array of ``struct sock_filter``; ``KeyError`` on a processor whose calls are not known here.

    ``network`` allows sockets, ``locks`` locks on files, ``marks`` changing modes, owners and times of files,
    ``queued`` signals that wait.
    """
    arch, column = _MACHINES[platform.machine()]
    return _assembled(arch=arch, column=column, network=network, locks=locks, marks=marks, queued=queued)


@cache
def _assembled(*, arch: int, column: int, network: bool, locks: bool, marks: bool, queued: bool) -> bytes:
    verdicts = (
        (ALLOWED, True),
        (REFUSED, False),
        (NETWORK, network),
        (LOCKS, locks),
        (MARKS, marks),
        (QUEUED, queued),
    )
    calls: dict[int, list[bytes]] = {}
    for groups, allowed in verdicts:
        for number in _numbers(groups.values(), column):
            calls.setdefault(number, [_step(_RETURN, _ALLOW if allowed else _ERRNO | _EPERM)])
    for name, decision in _by_arguments(network=network, locks=locks, queued=queued).items():
        of_this_machine = NUMBERS[name][column]
        if of_this_machine is not None:
            calls[of_this_machine] = decision
    steps = [_step(_LOAD, _ARCH), _step(_EQUAL, arch, 1, 0), _step(_RETURN, _KILL), _step(_LOAD, _NR)]
    if column == 0:
        steps += [_step(_AT_LEAST, _X32, 0, 1), _step(_RETURN, _KILL)]
    return b"".join([*steps, *_search(_ranges(calls))])


class _Range(NamedTuple):
    """Calls with the same verdict, up to the next range."""

    first: int
    steps: list[bytes]
    """The last one returns."""


def _ranges(calls: Mapping[int, list[bytes]]) -> list[_Range]:
    unknown = [_step(_RETURN, _ERRNO | _ENOSYS)]
    ranges = [_Range(0, calls.get(0, unknown))]
    for first in sorted({edge for number in calls for edge in (number, number + 1)}):
        steps = calls.get(first, unknown)
        if steps != ranges[-1].steps:
            ranges.append(_Range(first, steps))
    return ranges


def _search(ranges: Sequence[_Range]) -> list[bytes]:
    """Steps that find the range of a call by binary search: the kernel tries each call there is, which takes time."""
    if len(ranges) == 1:
        return ranges[0].steps
    half = len(ranges) // 2
    below, above = _search(ranges[:half]), _search(ranges[half:])
    # a test skips 255 steps at most, a jump any number
    return [_step(_AT_LEAST, ranges[half].first, 0, 1), _step(_JUMP, len(below)), *below, *above]


def _numbers(groups: Iterable[str], column: int) -> Iterable[int]:
    for names in groups:
        for name in names.split():
            number = NUMBERS[name][column]
            if number is not None:
                yield number


def _by_arguments(*, network: bool, locks: bool, queued: bool) -> dict[str, list[bytes]]:
    clock = (
        (_Among(0, _CLOCKS),),
        (_Among(0, _OWN_CLOCKS),),
        (_Among(0, (_OF_A_THREAD,), mask=_OF_A_THREAD),),
    )
    own = _only((_Among(0, (0,)),), error=_EPERM)
    calls = {
        # its flags lie in memory, which no filter can read; libraries then use clone
        "clone3": [_step(_RETURN, _ERRNO | _ENOSYS)],
        "clone": [*_if_any(0, _ANY_BIT, [_NO_CHILD_OF_A_BOT], _EPERM), _step(_RETURN, _ALLOW)],
        "ioctl": [*_if_any(1, _EQUAL, [_TIOCSTI, _TIOCLINUX], _EPERM), *_only((_Among(1, _IOCTLS),), error=_ENOTTY)],
        "fcntl": [
            *([] if locks else _if_any(1, _EQUAL, _LOCKING, _EPERM)),
            *_only((_Among(1, (*_FCNTLS, *(_LOCKING if locks else ()))),), error=_EINVAL),
        ],
        "mmap": [
            *_if_all((_Among(3, (_SHARED_MEMORY,), mask=_KIND_OF_MEMORY),), _ERRNO | _EPERM),
            *_if_any(3, _ANY_BIT, [_LARGE_PAGES], _EPERM),
            _step(_RETURN, _ALLOW),
        ],
        # of these a machine has so many
        "pipe2": [*_if_any(1, _ANY_BIT, [_PIPE_OF_NEWS], _EINVAL), _step(_RETURN, _ALLOW)],
        "madvise": _only((_Among(2, _ADVICE),), error=_EPERM),
        "prctl": _only((_Among(0, _PRCTLS),), error=_EINVAL),
        # flags: to read only what is in memory, or not to leave it there
        "preadv2": _only((_Among(5, (0,)),), error=_EPERM),
        "pwritev2": _only((_Among(5, (0,)),), error=_EPERM),
        # a process may lower its own limits only, and not the limit by which the guard knows it
        "prlimit64": [*_if_any(1, _EQUAL, [_RLIMIT_RTTIME], _EPERM), *own],
        "setrlimit": [*_if_any(0, _EQUAL, [_RLIMIT_RTTIME], _EPERM), _step(_RETURN, _ALLOW)],
        # of another process these would tell that it is there, and what it does
        "getsid": own,
        "getpgid": own,
        "getpriority": _only((_Among(0, (0,)), _Among(1, (0,))), error=_EPERM),
        # it says that it worked and does nothing: /proc numbers sessions, and counts those of all
        "setsid": [_step(_RETURN, _ERRNO)],
        "clock_gettime": _only(*clock, error=_EINVAL),
        "clock_getres": _only(*clock, error=_EINVAL),
        "clock_nanosleep": _only(*clock, error=_EINVAL),
    }
    if queued:
        calls["timer_create"] = _only(*clock, error=_EINVAL)
    if not network:
        # these reach only their other end; of others, raw ones too, the kernel makes what reaches any address
        calls["socketpair"] = _only((_Among(0, (_UNIX,)), _Among(1, (_STREAM, _PACKETS), mask=_TYPE)), error=_EPERM)
        calls["getsockopt"] = _only((_Among(1, (_OF_SOCKETS,)), _Among(2, _TOLD_OF_SOCKETS)), error=_EPERM)
        calls["setsockopt"] = _only((_Among(1, (_OF_SOCKETS,)), _Among(2, _TIMEOUTS)), error=_EPERM)
    return calls


def _step(code: int, value: int, if_true: int = 0, if_false: int = 0) -> bytes:
    return struct.pack("=HBBI", code, if_true, if_false, value)


def _if_any(argument: int, test: int, values: Iterable[int], error: int) -> list[bytes]:
    """Fail with an error if the low half of an argument passes a test with one of the values."""
    steps = [_step(_LOAD, _ARGUMENTS + 8 * argument)]
    for value in values:
        steps += [_step(test, value, 0, 1), _step(_RETURN, _ERRNO | error)]
    return steps


class _Among(NamedTuple):
    """The low half of an argument, as far as the mask goes, is one of the values."""

    argument: int
    values: Sequence[int]
    mask: int = 0xFFFF_FFFF


def _if_all(case: Sequence[_Among], verdict: int) -> list[bytes]:
    """Return the verdict if all of these hold; else go on behind these steps."""
    steps = [_step(_RETURN, verdict)]
    for among in reversed(case):
        tests = [_step(_LOAD, _ARGUMENTS + 8 * among.argument)]
        if among.mask != _Among._field_defaults["mask"]:
            tests.append(_step(_AND, among.mask))
        # a match skips the other tests, and the jump that follows them
        tests += [_step(_EQUAL, among.values[-left], left, 0) for left in range(len(among.values), 0, -1)]
        steps = [*tests, _step(_JUMP, len(steps)), *steps]
    return steps


def _only(*cases: Sequence[_Among], error: int) -> list[bytes]:
    """Allow the call if everything in one of the cases holds, else fail with an error."""
    return [*(step for case in cases for step in _if_all(case, _ALLOW)), _step(_RETURN, _ERRNO | error)]
