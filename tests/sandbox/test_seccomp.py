"""The filter of system calls, run by an interpreter of its own kind: classic BPF is small."""

import platform
import resource
import struct

import pytest

from arena.sandbox import seccomp
from arena.sandbox.calls import ALLOWED, LOCKS, MARKS, NETWORK, NUMBERS, QUEUED, REFUSED

pytestmark = pytest.mark.skipif(not seccomp.supported(), reason="expected a processor whose calls are known")

ALLOW, KILL = 0x7FFF_0000, 0x8000_0000
EPERM, EINVAL, ENOTTY, ENOSYS = 0x0005_0001, 0x0005_0016, 0x0005_0019, 0x0005_0026
ARCHES = {"x86_64": 0xC000_003E, "aarch64": 0xC000_00B7}
COLUMNS = {"x86_64": 0, "aarch64": 1}
READ = {"x86_64": 0, "aarch64": 63}
SOCKET = {"x86_64": 41, "aarch64": 198}
FCNTL = {"x86_64": 72, "aarch64": 25}
FLOCK = {"x86_64": 73, "aarch64": 32}
IOCTL = {"x86_64": 16, "aarch64": 29}
CLONE = {"x86_64": 56, "aarch64": 220}
CLONE3, PRLIMIT = {"x86_64": 435, "aarch64": 435}, {"x86_64": 302, "aarch64": 261}
UNSHARE = {"x86_64": 272, "aarch64": 97}


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


def test_plain_calls_pass(machine: str) -> None:
    """What every program does is allowed: reading, starting threads and processes, limiting itself."""
    program, arch = seccomp.program(), ARCHES[machine]
    threads = 0x3D0F00
    for number, first in ((READ[machine], 0), (CLONE[machine], threads), (CLONE[machine], 17), (PRLIMIT[machine], 0)):
        assert verdict(program, arch, number, first) == ALLOW
    assert verdict(program, arch, FCNTL[machine], 3, 2) == ALLOW
    assert verdict(program, arch, IOCTL[machine], 0, 0x5401) == ALLOW


def test_what_is_refused(machine: str) -> None:
    """Sockets, locks, namespaces, other processes' limits and typing into a terminal fail as if not permitted."""
    program, arch = seccomp.program(), ARCHES[machine]
    for number, arguments in (
        (SOCKET[machine], (1,)),
        (FLOCK[machine], (3, 2)),
        (FCNTL[machine], (3, 6)),
        (FCNTL[machine], (3, 37)),
        (UNSHARE[machine], (0,)),
        (CLONE[machine], (0x1000_0011,)),
        (CLONE[machine], (0x2000_0011,)),
        (CLONE[machine], (0x1011,)),
        (PRLIMIT[machine], (1234,)),
        (IOCTL[machine], (0, 0x5412)),
    ):
        assert verdict(program, arch, number, *arguments) == EPERM, number
    assert verdict(program, arch, CLONE3[machine], 0) == ENOSYS


def test_a_build_may_lock_files_and_perhaps_use_the_network(machine: str) -> None:
    """Locks and sockets open separately, and nothing else with them."""
    arch = ARCHES[machine]
    locks, network = seccomp.program(locks=True), seccomp.program(network=True)
    assert verdict(locks, arch, FLOCK[machine], 3, 2) == verdict(locks, arch, FCNTL[machine], 3, 6) == ALLOW
    assert verdict(locks, arch, SOCKET[machine], 2) == EPERM
    assert verdict(network, arch, SOCKET[machine], 2) == ALLOW
    assert verdict(network, arch, FLOCK[machine], 3, 2) == EPERM
    for program in (locks, network):
        assert verdict(program, arch, UNSHARE[machine], 0) == EPERM


def test_modes_of_files_can_be_left_alone(machine: str) -> None:
    """Where a bot owns what it must not change, it can be refused to change modes, owners and times."""
    arch, fchmod = ARCHES[machine], {"x86_64": 91, "aarch64": 52}[machine]
    assert verdict(seccomp.program(), arch, fchmod, 3, 0) == ALLOW
    assert verdict(seccomp.program(marks=False), arch, fchmod, 3, 0) == EPERM


def test_other_ways_into_the_kernel_are_shut(machine: str) -> None:
    """Calls of another architecture, and those of the x32 numbering, end the process."""
    program = seccomp.program()
    strange = next(arch for arch in ARCHES.values() if arch != ARCHES[machine])
    assert verdict(program, strange, READ[machine]) == KILL
    if machine == "x86_64":
        assert verdict(program, ARCHES[machine], 0x4000_0000 | READ[machine]) == KILL


def number_of(name: str, machine: str) -> int | None:
    """The number of a call on a processor."""
    return NUMBERS[name][COLUMNS[machine]]


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
SET_HINT, SET_FILE_HINT, NOTIFY = 1036, 1038, 1026


def test_what_would_leave_a_mark(machine: str) -> None:
    """Pages of files are neither asked for nor sent away, hints stay on no file, file systems tell nothing."""
    program, arch = seccomp.program(), ARCHES[machine]
    for name, arguments, wanted in (
        ("preadv2", (3, 0, 1, 0, 0, 0), ALLOW),
        ("preadv2", (3, 0, 1, 0, 0, 8), EPERM),
        ("preadv2", (3, 0, 1, 0, 0, 0x80), EPERM),
        ("madvise", (0, 4096, 4), ALLOW),
        ("madvise", (0, 4096, ADVICE_COLD), EPERM),
        ("madvise", (0, 4096, ADVICE_PAGE_OUT), EPERM),
        ("madvise", (0, 4096, ADVICE_MERGE), EPERM),
        ("fcntl", (3, SET_HINT), EINVAL),
        ("fcntl", (3, SET_FILE_HINT), EINVAL),
        ("fcntl", (3, NOTIFY), EINVAL),
        ("fcntl", (3, 1030), ALLOW),
        ("ioctl", (3, 0x541B), ALLOW),
        ("ioctl", (3, 0x4008_6602), ENOTTY),
        ("ioctl", (3, 0xC020_660B), ENOTTY),
        ("prctl", (15,), ALLOW),
        ("prctl", (67,), EINVAL),
        ("prctl", (1,), EINVAL),
        ("pidfd_open", (1,), EPERM),
    ):
        number = number_of(name, machine)
        assert number is not None
        assert verdict(program, arch, number, *arguments) == wanted, (name, arguments)


def test_the_mark_of_a_run_stays(machine: str) -> None:
    """A process lowers its own limits, but for the one by which it is known as one of a run, and no other's."""
    program, arch = seccomp.program(), ARCHES[machine]
    known, files, other = resource.RLIMIT_RTTIME, resource.RLIMIT_NOFILE, 4711
    for name, arguments, wanted in (
        ("prlimit64", (0, files, 1, 0), ALLOW),
        ("prlimit64", (0, known, 1, 0), EPERM),
        ("prlimit64", (other, files, 1, 0), EPERM),
        ("setrlimit", (files, 1), ALLOW),
        ("setrlimit", (known, 1), EPERM),
    ):
        number = number_of(name, machine)
        # newer processors have one of them
        assert number is None or verdict(program, arch, number, *arguments) == wanted, (name, arguments)


def test_a_pair_of_sockets_leads_nowhere_else(machine: str) -> None:
    """Pairs of streams and of packets are allowed, as event loops need them; all others carry addresses."""
    arch, pair = ARCHES[machine], number_of("socketpair", machine)
    assert pair is not None
    unix, inet, stream, datagram, raw, sequence, close_on_exec = 1, 2, 1, 2, 3, 5, 0x80000
    for family, kind, wanted in (
        (unix, stream | close_on_exec, ALLOW),
        (unix, sequence, ALLOW),
        (unix, datagram, EPERM),
        (unix, datagram | close_on_exec, EPERM),
        # the kernel makes a pair of datagrams of it
        (unix, raw, EPERM),
        (unix, 4, EPERM),
        (inet, stream, EPERM),
    ):
        assert verdict(seccomp.program(), arch, pair, family, kind) == wanted, (family, kind)
        assert verdict(seccomp.program(network=True), arch, pair, family, kind) == ALLOW


COOKIE, PEER_HANDLE, TYPE, TIMEOUT, FILTER = 57, 77, 3, 20, 26
SHARED, PRIVATE, ANONYMOUS, LARGE = 0x1, 0x2, 0x20, 0x4_0000
THREAD_CLOCK, PROCESS_CLOCK, OWN_CLOCK = ~4711 << 3 & 0xFFFF_FFFF | 6, ~4711 << 3 & 0xFFFF_FFFF | 2, 0xFFFF_FFFA
LARGER_PIPE = 1031
DONE = 0x0005_0000
"""As if it had worked."""


def test_what_tells_of_others(machine: str) -> None:
    """Options of sockets, clocks, sessions and memory are allowed by their arguments: none counts for all processes."""
    program, arch = seccomp.program(), ARCHES[machine]
    for name, arguments, wanted in (
        ("getsockopt", (3, 1, TYPE), ALLOW),
        ("getsockopt", (3, 1, COOKIE), EPERM),
        ("getsockopt", (3, 1, PEER_HANDLE), EPERM),
        ("getsockopt", (3, 6, TYPE), EPERM),
        ("setsockopt", (3, 1, TIMEOUT), ALLOW),
        ("setsockopt", (3, 1, FILTER), EPERM),
        ("setsockopt", (3, 1, 7), EPERM),
        ("sendmsg", (3,), EPERM),
        ("mmap", (0, 4096, 3, PRIVATE | ANONYMOUS), ALLOW),
        ("mmap", (0, 4096, 3, SHARED, 3), ALLOW),
        ("mmap", (0, 4096, 3, SHARED | ANONYMOUS), EPERM),
        ("mmap", (0, 4096, 3, SHARED | ANONYMOUS | 0x8000), EPERM),
        ("mmap", (0, 4096, 3, PRIVATE | ANONYMOUS | LARGE), EPERM),
        ("getsid", (0,), ALLOW),
        ("getsid", (1,), EPERM),
        ("getpgid", (1,), EPERM),
        ("getpriority", (0, 0), ALLOW),
        ("getpriority", (0, 1), EPERM),
        ("getpriority", (2, 0), EPERM),
        ("setsid", (), DONE),
        ("clock_gettime", (1,), ALLOW),
        ("clock_gettime", (11,), ALLOW),
        ("clock_gettime", (12,), EINVAL),
        ("clock_gettime", (OWN_CLOCK,), ALLOW),
        ("clock_gettime", (THREAD_CLOCK,), ALLOW),
        ("clock_gettime", (PROCESS_CLOCK,), EINVAL),
        ("clock_getres", (PROCESS_CLOCK,), EINVAL),
        ("clock_nanosleep", (PROCESS_CLOCK,), EINVAL),
        ("timer_create", (PROCESS_CLOCK,), EINVAL),
        ("fcntl", (3, LARGER_PIPE), EINVAL),
        ("inotify_init1", (0,), EPERM),
        ("memfd_create", (0, 0), EPERM),
    ):
        number = number_of(name, machine)
        assert number is not None
        assert verdict(program, arch, number, *arguments) == wanted, (name, arguments)


def test_queued_signals_can_be_refused(machine: str) -> None:
    """Where bots share what a user may have of signals that wait, they have none."""
    shared, arch = seccomp.program(queued=False), ARCHES[machine]
    for name in ("timer_create", "rt_sigqueueinfo", "rt_tgsigqueueinfo"):
        number = number_of(name, machine)
        assert number is not None
        assert verdict(seccomp.program(), arch, number, 1) == ALLOW
        assert verdict(shared, arch, number, 1) == EPERM
