"""Shuts itself in by Landlock, a seccomp filter and limits, then becomes the bot: run as a script, by its path.

``python -I -S landlock.py PLAN PROGRAM ARGUMENT...``, where PLAN is what ``arena.sandbox.enclosure`` has packed:
``marshal``, compressed, in base64. It imports nothing of arena and little else, for it runs once for each start of a
bot: ``json``, ``signal`` or ``typing`` would each take longer than all it does. Landlock: landlock(7), from ABI 6 on,
which holds signals and abstract sockets too.
"""

from __future__ import annotations

import binascii
import ctypes
import marshal
import os
import resource
import struct
import sys
import zlib
from errno import ENOENT, ENOTDIR
from stat import S_ISDIR

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Never

ABI = 6
"""The least version of Landlock that holds signals."""
_CREATE_RULESET, _ADD_RULE, _RESTRICT_SELF = 444, 445, 446
_ASK_VERSION = 1
_EXECUTE, _WRITE_FILE, _READ_FILE, _READ_DIR, _TRUNCATE = 1 << 0, 1 << 1, 1 << 2, 1 << 3, 1 << 14
_ALL_OF_FILES = (1 << 16) - 1
_NO_TCP = 3
_NO_SIGNALS_NOR_ABSTRACT_SOCKETS = 3
_OF_A_FILE = _EXECUTE | _WRITE_FILE | _READ_FILE | _TRUNCATE
_PATH_BENEATH = 1
_PR_SET_PDEATHSIG, _PR_SET_SECCOMP, _PR_SET_SECUREBITS, _PR_SET_NO_NEW_PRIVS, _PR_CAP_AMBIENT = 1, 22, 28, 38, 47
_NO_SETUID_FIXUP = 1 << 2
_AMBIENT_RAISE = 2
_FILTER = 2
_CAPABILITY_VERSION = 0x2008_0522
_SIGKILL = 9
_UNTOLD = 126
_NEW_USERS = 0x1000_0000
_OF_ITSELF = ("cgroup", "cmdline", "environ", "exe", "fd", "limits", "maps", "stat", "statm", "status")
"""What a process may read of ``/proc`` about itself. Not the network and the mounts, which are the machine's, nor what
counts who else has the same pages or how many sessions there were."""

_libc = ctypes.CDLL(None, use_errno=True)
_support: dict[str, bool] = {}


def abi() -> int:
    """The version of Landlock that this kernel has; 0 if none."""
    return max(0, int(_libc.syscall(_CREATE_RULESET, None, 0, _ASK_VERSION)))


def apart() -> bool:
    """Whether a process of an ordinary user can be counted apart from his others, by a user namespace of its own."""
    if "apart" not in _support:
        # tried by a program of its own: a lane hides its memory, and so may not tell the kernel about its ids
        child = os.posix_spawn(sys.executable, [sys.executable, "-I", "-S", __file__], {})
        _support["apart"] = os.waitpid(child, 0)[1] == 0
    return _support["apart"]


def _count_apart() -> bool:
    """Begin a user namespace of one's own, with the same ids: the kernel counts processes and signals by both."""
    user, group = os.getuid(), os.getgid()
    if _libc.unshare(_NEW_USERS) != 0:
        return False
    try:
        for name, text in (("setgroups", "deny"), ("uid_map", f"{user} {user} 1"), ("gid_map", f"{group} {group} 1")):
            with open(f"/proc/self/{name}", "w", encoding="ascii") as file:  # noqa: PTH123 - pathlib would double the time of a start
                file.write(text)
    except OSError:
        return False
    return True


def _check_call(what: str, result: int) -> int:
    if result < 0:
        sys.exit(f"arena: {what}: {os.strerror(ctypes.get_errno())}")
    return result


def _shut_in(plan: dict[str, Any]) -> None:
    rights = struct.pack("=QQQ", _ALL_OF_FILES, 0 if plan["network"] else _NO_TCP, _NO_SIGNALS_NOR_ABSTRACT_SOCKETS)
    rules = _check_call("landlock_create_ruleset", _libc.syscall(_CREATE_RULESET, rights, len(rights), 0))
    reading = _EXECUTE | _READ_FILE | _READ_DIR
    for allowed, paths in (
        (reading, plan["readable"]),
        (_READ_DIR, plan["listable"]),
        (_READ_FILE | _WRITE_FILE, plan["devices"]),
        (_ALL_OF_FILES, plan["writable"]),
    ):
        for path in paths:
            try:
                opened = os.open(path, os.O_PATH | os.O_CLOEXEC)
            except OSError:
                # a missing path needs no permission
                continue
            beneath = allowed if S_ISDIR(os.fstat(opened).st_mode) else allowed & _OF_A_FILE
            rule = struct.pack("=Qi", beneath, opened)
            _check_call(f"landlock_add_rule {path}", _libc.syscall(_ADD_RULE, rules, _PATH_BENEATH, rule, 0))
            os.close(opened)
    _check_call("no_new_privs", _libc.prctl(_PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))
    _check_call("landlock_restrict_self", _libc.syscall(_RESTRICT_SELF, rules, 0))
    os.close(rules)


def _drop_to(uid: int, capability: int) -> None:
    """Become an unused user with one capability left, to reach what Landlock allows: it may lie in root's home."""
    # this keeps capabilities; access(2), by which compilers choose where to write, looks at them too
    _check_call("keep capabilities", _libc.prctl(_PR_SET_SECUREBITS, _NO_SETUID_FIXUP, 0, 0, 0))
    os.setgroups([])
    os.setresgid(uid, uid, uid)
    os.setresuid(uid, uid, uid)
    bit = 1 << capability
    header = struct.pack("=Ii", _CAPABILITY_VERSION, 0)
    _check_call("capset", _libc.capset(header, struct.pack("=6I", bit, bit, bit, 0, 0, 0)))
    _check_call("raise a capability", _libc.prctl(_PR_CAP_AMBIENT, _AMBIENT_RAISE, capability, 0, 0))


def _limit(limits: dict[str, int], *, counted_alone: bool) -> None:
    for name, value in limits.items():
        kind = getattr(resource, f"RLIMIT_{name.upper()}")
        if name == "nproc" and not counted_alone:
            # the kernel counts all of a user's processes, so those that exist are added to the limit
            value += _tasks_of(os.getuid())  # noqa: PLW2901 - the one limit that depends on the machine
        hard = resource.getrlimit(kind)[1]
        soft = value if hard == resource.RLIM_INFINITY else min(value, hard)
        # a second above the soft limit of processor time, at which the kernel sends the signal that names the cause
        top = soft + 1 if name == "cpu" and hard == resource.RLIM_INFINITY else soft
        resource.setrlimit(kind, (soft, top))


def _tasks_of(user: int) -> int:
    tasks = 0
    for name in os.listdir("/proc"):  # noqa: PTH208 - pathlib would double the time of a start
        if name.isdigit():
            try:
                status = os.stat(f"/proc/{name}/task")  # noqa: PTH116 - likewise
            except OSError:
                continue
            if status.st_uid == user:
                tasks += status.st_nlink - 2
    return tasks


def _filter_calls(program: bytes) -> None:
    class Program(ctypes.Structure):
        _fields_ = (("length", ctypes.c_ushort), ("steps", ctypes.c_char_p))

    filters = Program(len(program) // 8, program)
    _check_call("seccomp", _libc.prctl(_PR_SET_SECCOMP, _FILTER, ctypes.byref(filters), 0, 0))


def _become(command: list[str], env: dict[str, str]) -> OSError:
    """Why none of the programs of this name can be started. ``os.execvpe`` would import a module, now out of reach."""
    why = OSError()
    folders = [""] if "/" in command[0] else env.get("PATH", os.defpath).split(os.pathsep)
    for folder in folders:
        try:
            os.execve(os.path.join(folder, command[0]), command, env)  # noqa: PTH118, S606 - becoming the bot is the point
        except OSError as error:
            # an error of rights says more than the error that another folder has no such program
            if why.errno in {None, ENOENT, ENOTDIR}:
                why = error
    return why


def main() -> Never:
    """Enter the sandbox, then become the program; without words, only try whether processes can be counted apart."""
    if len(sys.argv) == 1:
        os._exit(0 if _count_apart() else 1)
    plan = marshal.loads(zlib.decompress(binascii.a2b_base64(sys.argv[1])))  # noqa: S302 - the host's own words
    command = sys.argv[2:]
    _limit(plan["limits"], counted_alone=plan["uid"] is not None or (plan["apart"] and _count_apart()))
    if plan["uid"] is not None:
        _drop_to(plan["uid"], plan["kept"])
    # after the change of user, which would undo it
    _check_call("die with the host", _libc.prctl(_PR_SET_PDEATHSIG, _SIGKILL, 0, 0, 0))
    if os.getppid() != plan["host"]:
        os._exit(_UNTOLD)
    plan["readable"] += [f"/proc/{os.getpid()}/{name}" for name in _OF_ITSELF]
    _shut_in(plan)
    marker, begun = plan["marker"]
    os.set_inheritable(marker, False)  # noqa: FBT003 - it takes no keyword
    _filter_calls(plan["filter"])
    os.write(marker, begun)
    passed = {name: os.environ[name] for name in plan["variables"] if name in os.environ}
    error = _become(command, plan["env"] | passed)
    sys.stderr.write(f"arena: cannot start {command[0]}: {error.strerror}\n")
    os._exit(_UNTOLD)


if __name__ == "__main__":
    main()
