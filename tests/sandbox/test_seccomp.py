"""The filter of system calls, run by an interpreter of its own kind: classic BPF is small."""

import platform
import struct

import pytest

from arena.sandbox import seccomp

pytestmark = pytest.mark.skipif(not seccomp.supported(), reason="expected a processor whose calls are known")

ALLOW, EPERM, ENOSYS, KILL = 0x7FFF_0000, 0x0005_0001, 0x0005_0026, 0x8000_0000
ARCHES = {"x86_64": 0xC000_003E, "aarch64": 0xC000_00B7}
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
            case 0x15:
                at += if_true if value == constant else if_false
            case 0x35:
                at += if_true if value >= constant else if_false
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
    """Calls of another architecture end the process; those of the x32 numbering do not exist."""
    program = seccomp.program()
    strange = next(arch for arch in ARCHES.values() if arch != ARCHES[machine])
    assert verdict(program, strange, READ[machine]) == KILL
    if machine == "x86_64":
        assert verdict(program, ARCHES[machine], 0x4000_0000 | SOCKET[machine]) == ENOSYS


def test_every_call_has_a_number_of_its_own(machine: str) -> None:
    """No number stands twice: it would be of another call."""
    column = sorted(ARCHES).index(machine) == 0
    numbers = [pair[1 if column else 0] for pair in (*seccomp._CALLS.values(), *seccomp._MARKS.values())]
    numbers = [number for number in numbers if number is not None]
    assert len(set(numbers)) == len(numbers)
