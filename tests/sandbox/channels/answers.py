"""What a bot reads in the answers of calls: about itself, the machine, and processes that are not its own."""

import ctypes
import os
import struct
from collections.abc import Sequence
from functools import partial
from typing import Any

from tests.sandbox.channels.descriptors import status
from tests.sandbox.channels.kernel import Reading, call

_PRCTLS = (2, 3, 7, 16, 21, 23, 25, 27, 30, 34, 37, 39, 40, 42, 52, 62, 66, 68, 0x41555856)
_CLOCKS = range(16)


def _filled(what: str, result: int, room: Any, names: str, found: Reading) -> None:
    """The 64-bit words that a call has filled in."""
    found[f"{what}.result"] = result
    if result >= 0:
        for at, name in enumerate(names.split()):
            found[f"{what}.{name}"] = struct.unpack_from("=q", room.raw, 8 * at)[0]


def answers(others: Sequence[str], found: Reading) -> None:
    """What calls answer, of the bot itself and of ``others``: words such as ``rival 4711``."""
    room = ctypes.create_string_buffer(4096)
    _filled(
        "sysinfo",
        call("sysinfo", room),
        room,
        "uptime load1 load5 load15 total free shared buffer swap freeswap procs high",
        found,
    )
    if "sysinfo.procs" in found:
        found["sysinfo.procs"] = struct.unpack_from("=H", room.raw, 80)[0]
    usage = (
        "utime utime_us stime stime_us maxrss ixrss idrss isrss minflt majflt nswap inblock oublock msgsnd msgrcv "
        "signals voluntary involuntary"
    )
    for who in (0, -1, 1):
        _filled(f"getrusage {who}", call("getrusage", who, room), room, usage, found)
    _filled("times", call("times", room), room, "user system child child_system", found)
    found["uname"] = room.raw[:390].hex() if call("uname", room) == 0 else ""
    for clock in _CLOCKS:
        _filled(f"clock_gettime {clock}", call("clock_gettime", clock, room), room, "s ns", found)
        _filled(f"clock_getres {clock}", call("clock_getres", clock, room), room, "s ns", found)
    for option in _PRCTLS:
        ctypes.memset(room, 0, 64)
        found[f"prctl {option}"] = call("prctl", option, room if option != 23 else 0, 0, 0, 0)
        found[f"prctl {option}.out"] = room.raw[:32].hex()
    for limit in range(16):
        _filled(f"prlimit64 {limit}", call("prlimit64", 0, limit, None, room), room, "soft hard", found)
    found["getcpu"] = call("getcpu", room, None, None) or room.raw[:4].hex()
    found["membarrier"] = call("membarrier", 0, 0, 0)
    found["get_mempolicy"] = call("get_mempolicy", room, None, 0, None, 0)
    found["getgroups"] = call("getgroups", 64, room)
    for name in ("getpid", "getppid", "gettid", "getuid", "getgid", "getpgrp"):
        found[name] = call(name)
    for header in (0, os.getpid()):
        found[f"capget {header and 'self'}"] = call("capget", struct.pack("=Ii", 0x20080522, header), room)
    _of_processes(["0", *others], found)
    child = os.fork()
    if not child:
        os._exit(0)
    os.waitpid(child, 0)
    found["fork"] = child


def _asked(who: str, number: int, found: Reading, name: str, *more: object) -> None:
    found[f"{name} of {who}"] = call(name, number, *more)


def _of_processes(numbers: list[str], found: Reading) -> None:
    """What each call tells of processes with these names: 0 is oneself, others are not to be known."""
    room = ctypes.create_string_buffer(4096)
    for name, number in ((name, int(name.rpartition(" ")[2])) for name in numbers):
        who = name.partition(" ")[0] if " " in name else "self" if number == 0 else name
        one = partial(_asked, who, number, found)
        for asked in ("getsid", "getpgid", "sched_getscheduler"):
            one(asked)
        one("sched_getparam", room)
        one("sched_getattr", room, 56, 0)
        found[f"sched_getattr of {who}.out"] = room.raw[:56].hex()
        one("sched_rr_get_interval", room)
        one("sched_getaffinity", 128, room)
        one("prlimit64", 7, None, room)
        one("get_robust_list", room, room)
        found[f"capget of {who}"] = call("capget", struct.pack("=Ii", 0x20080522, number), room)
        for kind in range(3):
            found[f"getpriority {kind} of {who}"] = call("getpriority", kind, number)
        if number:
            found[f"kill of {who}"] = call("kill", number, 0)
            found[f"tgkill of {who}"] = call("tgkill", number, number, 0)
            for kind in (0, 1, 2, 4, 6):
                clock = (~number << 3) | kind
                _filled(f"clock_gettime {kind} of {who}", call("clock_gettime", clock, room), room, "s ns", found)
                found[f"clock_getres {kind} of {who}"] = call("clock_getres", clock, room)
            for part in ("", "/fd", "/task", "/fdinfo", "/ns", "/net", "/status", "/maps", "/exe"):
                status(f"its{part or '/'} of {who}", f"/proc/{number}{part}", found)
