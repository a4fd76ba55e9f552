"""The filter of system calls, run by an interpreter of its own kind: classic BPF is small."""

import platform
import resource
import struct

import pytest

from arena.sandbox import seccomp
from arena.sandbox.seccomp import ALLOWED, LOCKS, MARKS, NETWORK, NUMBERS, QUEUED, REFUSED

pytestmark = pytest.mark.skipif(not seccomp.supported(), reason="expected a processor whose calls are known")

ALLOW, KILL = 0x7FFF_0000, 0x8000_0000
EPERM, EINVAL, ENOTTY, ENOSYS = 0x0005_0001, 0x0005_0016, 0x0005_0019, 0x0005_0026
ARCHES = {"x86_64": 0xC000_003E, "aarch64": 0xC000_00B7}
COLUMNS = {"x86_64": 0, "aarch64": 1}
BY_HEART = {
    "read": (0, 63),
    "socket": (41, 198),
    "fcntl": (72, 25),
    "flock": (73, 32),
    "ioctl": (16, 29),
    "clone": (56, 220),
    "clone3": (435, 435),
    "prlimit64": (302, 261),
    "unshare": (272, 97),
    "fchmod": (91, 52),
}
"""Numbers of some calls, as the kernel's own headers have them."""


def verdict(program: bytes, arch: int, number: int, *arguments: int) -> int:
    """What a program returns for one call, as the kernel would run it."""
    padded = [*arguments, *[0] * (6 - len(arguments))]
    data = struct.pack("=IIQ6Q", number, arch, 0, *padded)
    at = value = 0
    while True:
        code, if_true, if_false, constant = struct.unpack_from("=HBBI", program, 8 * at)
        at += 1
        match code:
            case 0x20:
                (value,) = struct.unpack_from("=I", data, constant)
            case 0x05:
                at += constant
            case 0x15:
                at += if_true if value == constant else if_false
            case 0x35:
                at += if_true if value >= constant else if_false
            case 0x54:
                value &= constant
            case 0x45:
                at += if_true if value & constant else if_false
            case 0x06:
                return int(constant)
            case _:
                raise AssertionError(f"expected a step that is known, got {code:#x}")


@pytest.fixture(params=sorted(ARCHES))
def machine(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Each processor in turn, whichever this one is."""
    name = str(request.param)
    monkeypatch.setattr(platform, "machine", lambda: name)
    return name


def test_other_ways_into_the_kernel_are_shut(machine: str) -> None:
    """Calls of another architecture, and those of the x32 numbering, end the process."""
    program = seccomp.program()
    strange = next(arch for arch in ARCHES.values() if arch != ARCHES[machine])
    assert verdict(program, strange, number_of("read", machine) or 0) == KILL
    if machine == "x86_64":
        assert verdict(program, ARCHES[machine], 0x4000_0000) == KILL


def number_of(name: str, machine: str) -> int | None:
    """The number of a call on a processor."""
    return NUMBERS[name][COLUMNS[machine]]


def test_numbers_known_by_heart(machine: str) -> None:
    """Some numbers are held against the kernel's own."""
    assert {name: number_of(name, machine) for name in BY_HEART} == {
        name: pair[COLUMNS[machine]] for name, pair in BY_HEART.items()
    }


def test_every_call_has_a_number_of_its_own(machine: str) -> None:
    """No number stands twice: it would be of another call."""
    numbers = [pair[COLUMNS[machine]] for pair in NUMBERS.values()]
    numbers = [number for number in numbers if number is not None]
    assert len(set(numbers)) == len(numbers)


def test_every_call_stands_in_one_group() -> None:
    """Each name has one verdict, and a number; each group has its reason."""
    groups = [group for each in (ALLOWED, REFUSED, NETWORK, LOCKS, MARKS, QUEUED) for group in each.items()]
    names = [name for _, group in groups for name in group.split()]
    assert len(set(names)) == len(names)
    assert set(names) < NUMBERS.keys()
    assert all(reason for reason, _ in groups)


def test_what_is_named_nowhere_does_not_exist(machine: str) -> None:
    """A call that nobody has thought of fails as if the kernel were older, whatever its number is."""
    program, arch = seccomp.program(), ARCHES[machine]
    known = {pair[COLUMNS[machine]] for pair in NUMBERS.values()}
    strange = [number for number in range(600) if number not in known]
    assert len(strange) > 100
    assert {verdict(program, arch, number) for number in strange} == {ENOSYS}


def test_every_call_has_its_verdict(machine: str) -> None:
    """What is allowed passes, what is refused is not permitted; so it is of all calls of the group."""
    arch = ARCHES[machine]
    strict = seccomp.program(marks=False, queued=False)
    open_to_all = seccomp.program(network=True, locks=True, marks=True, queued=True)
    for groups, closed, opened in (
        (ALLOWED, ALLOW, ALLOW),
        (REFUSED, EPERM, EPERM),
        *((groups, EPERM, ALLOW) for groups in (NETWORK, LOCKS, MARKS, QUEUED)),
    ):
        for name in " ".join(groups.values()).split():
            number = number_of(name, machine)
            if number is not None:
                assert verdict(strict, arch, number) == closed, name
                assert verdict(open_to_all, arch, number) == opened, name


ADVICE_COLD, ADVICE_PAGE_OUT, ADVICE_MERGE = 20, 21, 12
SET_HINT, SET_FILE_HINT, NOTIFY, LARGER_PIPE = 1036, 1038, 1026, 1031
RUN, FILES, OTHER = resource.RLIMIT_RTTIME, resource.RLIMIT_NOFILE, 4711
UNIX, INET, STREAM, DATAGRAM, RAW, SEQUENCE, CLOSE_ON_EXEC = 1, 2, 1, 2, 3, 5, 0x80000
COOKIE, PEER_HANDLE, TYPE, TIMEOUT, FILTER = 57, 77, 3, 20, 26
SHARED, PRIVATE, ANONYMOUS, LARGE = 0x1, 0x2, 0x20, 0x4_0000
THREAD_CLOCK, PROCESS_CLOCK, OWN_CLOCK = ~4711 << 3 & 0xFFFF_FFFF | 6, ~4711 << 3 & 0xFFFF_FFFF | 2, 0xFFFF_FFFA
THREAD = 0x3D0F00
DONE = 0x0005_0000
"""As if it had worked."""
Call = tuple[str, tuple[int, ...]]
VERDICTS: list[tuple[dict[str, bool], int, list[Call]]] = [
    # what every program does: reading, starting threads and processes, limiting itself
    ({}, ALLOW, [("read", (0,)), ("clone", (THREAD,)), ("clone", (17,)), ("prlimit64", (0,))]),
    ({}, ALLOW, [("fcntl", (3, 2)), ("fcntl", (3, 1030)), ("ioctl", (0, 0x5401)), ("ioctl", (3, 0x541B))]),
    # sockets, locks, namespaces, other processes' limits and typing into a terminal
    ({}, EPERM, [("socket", (1,)), ("flock", (3, 2)), ("fcntl", (3, 6)), ("fcntl", (3, 37)), ("unshare", (0,))]),
    ({}, EPERM, [("clone", (0x1000_0011,)), ("clone", (0x2000_0011,)), ("clone", (0x1011,))]),
    ({}, EPERM, [("prlimit64", (1234,)), ("ioctl", (0, 0x5412))]),
    ({}, ENOSYS, [("clone3", (0,))]),
    # a build may lock files, and perhaps use the network: separately, and nothing else with them
    ({"locks": True}, ALLOW, [("flock", (3, 2)), ("fcntl", (3, 6))]),
    ({"locks": True}, EPERM, [("socket", (2,)), ("unshare", (0,))]),
    ({"network": True}, ALLOW, [("socket", (2,))]),
    ({"network": True}, EPERM, [("flock", (3, 2)), ("unshare", (0,))]),
    # where a bot owns what it must not change, modes, owners and times can be left alone
    ({}, ALLOW, [("fchmod", (3, 0))]),
    ({"marks": False}, EPERM, [("fchmod", (3, 0))]),
    # pages of files are neither asked for nor sent away, hints stay on no file, file systems tell nothing
    ({}, ALLOW, [("preadv2", (3, 0, 1, 0, 0, 0)), ("madvise", (0, 4096, 4))]),
    ({}, EPERM, [("preadv2", (3, 0, 1, 0, 0, 8)), ("preadv2", (3, 0, 1, 0, 0, 0x80))]),
    ({}, EPERM, [("madvise", (0, 4096, advice)) for advice in (ADVICE_COLD, ADVICE_PAGE_OUT, ADVICE_MERGE)]),
    ({}, EINVAL, [("fcntl", (3, what)) for what in (SET_HINT, SET_FILE_HINT, NOTIFY, LARGER_PIPE)]),
    ({}, ENOTTY, [("ioctl", (3, 0x4008_6602)), ("ioctl", (3, 0xC020_660B))]),
    ({}, ALLOW, [("prctl", (15,))]),
    ({}, EINVAL, [("prctl", (67,)), ("prctl", (1,))]),
    ({}, EPERM, [("pidfd_open", (1,))]),
    # a process lowers its own limits, but for the one by which it is known as one of a run, and no other's
    ({}, ALLOW, [("prlimit64", (0, FILES, 1, 0)), ("setrlimit", (FILES, 1))]),
    ({}, EPERM, [("prlimit64", (0, RUN, 1, 0)), ("prlimit64", (OTHER, FILES, 1, 0)), ("setrlimit", (RUN, 1))]),
    # pairs of streams and of packets, as event loops need them; of raw sockets the kernel makes a pair of datagrams
    ({}, ALLOW, [("socketpair", (UNIX, STREAM | CLOSE_ON_EXEC)), ("socketpair", (UNIX, SEQUENCE))]),
    ({}, EPERM, [("socketpair", (UNIX, kind)) for kind in (DATAGRAM, DATAGRAM | CLOSE_ON_EXEC, RAW, 4)]),
    ({}, EPERM, [("socketpair", (INET, STREAM))]),
    ({"network": True}, ALLOW, [("socketpair", (INET, STREAM)), ("socketpair", (UNIX, DATAGRAM))]),
    # options of sockets, clocks, sessions and memory by their arguments: none counts for all processes
    ({}, ALLOW, [("getsockopt", (3, 1, TYPE)), ("setsockopt", (3, 1, TIMEOUT))]),
    ({}, EPERM, [("getsockopt", (3, 1, COOKIE)), ("getsockopt", (3, 1, PEER_HANDLE)), ("getsockopt", (3, 6, TYPE))]),
    ({}, EPERM, [("setsockopt", (3, 1, FILTER)), ("setsockopt", (3, 1, 7)), ("sendmsg", (3,))]),
    ({}, ALLOW, [("mmap", (0, 4096, 3, PRIVATE | ANONYMOUS)), ("mmap", (0, 4096, 3, SHARED, 3))]),
    ({}, EPERM, [("mmap", (0, 4096, 3, SHARED | ANONYMOUS | more)) for more in (0, 0x8000)]),
    ({}, EPERM, [("mmap", (0, 4096, 3, PRIVATE | ANONYMOUS | LARGE))]),
    ({}, ALLOW, [("getsid", (0,)), ("getpriority", (0, 0))]),
    ({}, EPERM, [("getsid", (1,)), ("getpgid", (1,)), ("getpriority", (0, 1)), ("getpriority", (2, 0))]),
    ({}, DONE, [("setsid", ())]),
    ({}, ALLOW, [("clock_gettime", (clock,)) for clock in (1, 11, OWN_CLOCK, THREAD_CLOCK)]),
    ({}, EINVAL, [("clock_gettime", (12,)), ("clock_gettime", (PROCESS_CLOCK,)), ("clock_getres", (PROCESS_CLOCK,))]),
    ({}, EINVAL, [("clock_nanosleep", (PROCESS_CLOCK,)), ("timer_create", (PROCESS_CLOCK,))]),
    ({}, EPERM, [("inotify_init1", (0,)), ("memfd_create", (0, 0))]),
    # where bots share what a user may have of signals that wait, they can be refused
    ({}, ALLOW, [(name, (1,)) for name in ("timer_create", "rt_sigqueueinfo", "rt_tgsigqueueinfo")]),
    ({"queued": False}, EPERM, [(name, (1,)) for name in ("timer_create", "rt_sigqueueinfo", "rt_tgsigqueueinfo")]),
]
"""How a program is made, its verdict, and the calls that it is of."""
ONLY_OLDER = {"setrlimit"}
"""Newer processors do not have them."""


@pytest.mark.parametrize(("how", "wanted", "calls"), VERDICTS)
def test_calls_are_told_by_their_arguments(machine: str, how: dict[str, bool], wanted: int, calls: list[Call]) -> None:
    """A call is refused for arguments by which it would leave a mark, tell of others or reach them; others pass."""
    program = seccomp.program(**how)
    for name, arguments in calls:
        number = number_of(name, machine)
        assert number is not None or name in ONLY_OLDER
        assert number is None or verdict(program, ARCHES[machine], number, *arguments) == wanted, (name, arguments)
