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

from arena.sandbox.calls import ALLOWED, LOCKS, MARKS, NETWORK, NUMBERS, REFUSED

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

Others tell of file systems, or leave marks on files that are open for reading.
"""
_FCNTLS = (0, 1, 2, 3, 4, 5, 8, 9, 10, 11, 15, 16, 36, 1025, 1027, 1028, 1030, 1031, 1032, 1033, 1034)
"""Of descriptors, pipes and memory files. Not: hints on how long a file lives, which stay with it; watches; leases."""
_LOCKING = (6, 7, 37, 38)
_ADVICE = (0, 1, 2, 3, 4, 8, 9, 10, 11, 14, 15, 16, 17, 18, 19, 22, 23, 24, 25)
"""On memory of one's own. Not: to have pages of files leave memory, or to share equal pages with others (ksm)."""
_PRCTLS = (2, 3, 4, 7, 8, 15, 16, 21, 22, 23, 25, 26, 27, 29, 30, 36, 37, 38, 39, 40, 41, 42, 52, 53, 0x5356_4D41)
"""Of the process itself: its name, timers, privileges, huge pages, names of its memory.

Not: what signal it gets when the house dies.
"""
_RLIMIT_RTTIME = 15
_UNIX, _TYPE, _DATAGRAM = 1, 0xF, 2


class _Machine(NamedTuple):
    arch: int
    """AUDIT_ARCH of the native calls."""
    column: int
    """Which number of ``NUMBERS`` is its own."""


_MACHINES = {"x86_64": _Machine(arch=0xC000_003E, column=0), "aarch64": _Machine(arch=0xC000_00B7, column=1)}


def supported() -> bool:
    """Whether the filter is known for this machine's processor."""
    return platform.machine() in _MACHINES


def program(*, network: bool = False, locks: bool = False, marks: bool = True) -> bytes:
    """The filter as an array of ``struct sock_filter``.

    ``network`` allows sockets, ``locks`` locks on files, ``marks`` changing modes, owners and times of files.

    Raises:
        KeyError: this processor's calls are not known here.
    """
    return _assembled(_MACHINES[platform.machine()], network=network, locks=locks, marks=marks)


@cache
def _assembled(machine: _Machine, *, network: bool, locks: bool, marks: bool) -> bytes:
    verdicts = (
        (ALLOWED, True),
        (REFUSED, False),
        (NETWORK, network),
        (LOCKS, locks),
        (MARKS, marks),
    )
    calls: dict[int, list[bytes]] = {}
    for groups, allowed in verdicts:
        for number in _numbers(groups.values(), machine.column):
            calls.setdefault(number, [_step(_RETURN, _ALLOW if allowed else _ERRNO | _EPERM)])
    for name, decision in _by_arguments(network=network, locks=locks).items():
        of_this_machine = NUMBERS[name][machine.column]
        if of_this_machine is not None:
            calls[of_this_machine] = decision
    steps = [_step(_LOAD, _ARCH), _step(_EQUAL, machine.arch, 1, 0), _step(_RETURN, _KILL), _step(_LOAD, _NR)]
    if machine.column == 0:
        steps += [_step(_AT_LEAST, _X32, 0, 1), _step(_RETURN, _KILL)]
    return b"".join([*steps, *_search(_ranges(calls))])


class _Range(NamedTuple):
    """Calls with the same verdict, up to the next range."""

    first: int
    steps: list[bytes]
    """The last one returns."""


def _ranges(calls: Mapping[int, list[bytes]]) -> list[_Range]:
    """The ranges of all possible numbers, unnamed ones among them."""
    unknown = [_step(_RETURN, _ERRNO | _ENOSYS)]
    found = [_Range(0, calls.get(0, unknown))]
    for first in sorted({at for number in calls for at in (number, number + 1)}):
        steps = calls.get(first, unknown)
        if steps != found[-1].steps:
            found.append(_Range(first, steps))
    return found


def _search(ranges: Sequence[_Range]) -> list[bytes]:
    """Steps that find the range of a call by binary search.

    The kernel asks the filter about each call there is when a process loads it: one by one that takes a millisecond.
    """
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


def _by_arguments(*, network: bool, locks: bool) -> dict[str, list[bytes]]:
    """Calls whose arguments decide: name -> the steps, the last of which returns."""
    return {
        # its flags lie in memory, which no filter can read; libraries then use clone
        "clone3": [_step(_RETURN, _ERRNO | _ENOSYS)],
        "clone": [*_if_any(0, _ANY_BIT, [_NO_CHILD_OF_A_BOT], _EPERM), _step(_RETURN, _ALLOW)],
        "ioctl": [*_if_any(1, _EQUAL, [_TIOCSTI, _TIOCLINUX], _EPERM), *_only(1, _IOCTLS, _ENOTTY)],
        "fcntl": [
            *([] if locks else _if_any(1, _EQUAL, _LOCKING, _EPERM)),
            *_only(1, (*_FCNTLS, *(_LOCKING if locks else ())), _EINVAL),
        ],
        "madvise": _only(2, _ADVICE, _EPERM),
        "prctl": _only(0, _PRCTLS, _EINVAL),
        # flags: to read only what is in memory, or not to leave it there
        "preadv2": _only(5, (0,), _EPERM),
        "pwritev2": _only(5, (0,), _EPERM),
        # a process may lower its own limits only, and not the limit by which the guard knows it
        "prlimit64": [*_if_any(1, _EQUAL, [_RLIMIT_RTTIME], _EPERM), *_only(0, (0,), _EPERM)],
        "setrlimit": [*_if_any(0, _EQUAL, [_RLIMIT_RTTIME], _EPERM), _step(_RETURN, _ALLOW)],
        # a stream reaches only its other end, a datagram any address
        "socketpair": [_step(_RETURN, _ALLOW)] if network else _pairs(),
    }


def _pairs() -> list[bytes]:
    return [
        _step(_LOAD, _ARGUMENTS),
        _step(_EQUAL, _UNIX, 1, 0),
        _step(_RETURN, _ERRNO | _EPERM),
        _step(_LOAD, _ARGUMENTS + 8),
        _step(_AND, _TYPE),
        _step(_EQUAL, _DATAGRAM, 0, 1),
        _step(_RETURN, _ERRNO | _EPERM),
        _step(_RETURN, _ALLOW),
    ]


def _step(code: int, value: int, if_true: int = 0, if_false: int = 0) -> bytes:
    return struct.pack("=HBBI", code, if_true, if_false, value)


def _if_any(argument: int, test: int, values: Iterable[int], error: int) -> list[bytes]:
    """Fail with an error if the low half of an argument passes a test with one of the values."""
    steps = [_step(_LOAD, _ARGUMENTS + 8 * argument)]
    for value in values:
        steps += [_step(test, value, 0, 1), _step(_RETURN, _ERRNO | error)]
    return steps


def _only(argument: int, values: Iterable[int], error: int) -> list[bytes]:
    """Allow the call if the low half of an argument is one of the values, else fail with an error."""
    steps = [_step(_LOAD, _ARGUMENTS + 8 * argument)]
    for value in values:
        steps += [_step(_EQUAL, value, 0, 1), _step(_RETURN, _ALLOW)]
    return [*steps, _step(_RETURN, _ERRNO | error)]
