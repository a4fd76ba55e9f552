"""Proves a level of isolation by running the probe in it: what a bot could do there, against what the level promises.

Standard library only; knows the sandbox and the probe, and nothing of bots or matches. Where the level cannot be had,
it says what is missing and how to get it.
"""

import ctypes
import json
import os
import resource
import secrets
import select
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from errno import ENOSYS, EOPNOTSUPP, EPERM
from pathlib import Path
from time import monotonic

from arena.sandbox import attacks as attacks_of
from arena.sandbox import bwrap, channels, landlock, probe, rights, seccomp, starving
from arena.sandbox import canaries as targets
from arena.sandbox.attacks import ATTACKS
from arena.sandbox.canaries import Canaries
from arena.sandbox.probe import ABSENT, POSSIBLE, REFUSED
from arena.sandbox.sandbox import Bounds, Level, Sandbox, Started, enclosed
from arena.sandbox.starving import STARVE
from arena.sandbox.toolchain import folders

_LONG = frozenset(
    {
        "open more files than allowed",
        "write a larger file than allowed",
        "fill its scratch beyond the limit",
        "take more memory than allowed",
        "take more memory, as shared pages",
        "take more memory, as page tables",
        "start more processes than allowed",
    }
)
QUICK = tuple(name for name in ATTACKS if name not in _LONG)
"""What is tried at each start of a run: all but what takes."""
_BY_EVERY_LEVEL = frozenset(
    {
        "open the terminal",
        "use descriptors it was not given",
        "see the house's variables",
        "open more files than allowed",
        "write a larger file than allowed",
        "take more memory than allowed",
    }
)
# these do not count as data of a process; a control group holds them, and the guard of a run ends who takes too many
_BY_NO_LEVEL = frozenset({"take more memory, as page tables"})
# Landlock guards the contents of files, not what is known about them, and not the room on a disk
_NOT_BY_LANDLOCK = frozenset(
    {
        "see that a file is there, and its size",
        "fill its scratch beyond the limit",
    }
)
# pages of pipes are counted by user, in whatever namespace: only root has users for bots
_NOT_BY_A_USER = frozenset() if os.geteuid() == 0 else frozenset({f"{STARVE}pages of pipes"})
TRIED = (*ATTACKS, *starving.NAMES)
"""What is tried, with nothing left out."""
PROMISES: dict[Level, frozenset[str]] = {
    "none": _BY_EVERY_LEVEL,
    "landlock": frozenset(TRIED) - _BY_NO_LEVEL - _NOT_BY_A_USER - _NOT_BY_LANDLOCK,
    "bwrap": frozenset(TRIED) - _BY_NO_LEVEL - _NOT_BY_A_USER,
}
"""Level -> the attacks that it refuses."""

_BOUNDS = Bounds(memory=128 << 20, processes=24, file=1 << 20, descriptors=64, cpu=60)
"""Small, so that going beyond them does no harm."""
_QUICK_SECONDS, _WHOLE_SECONDS = 10.0, 60.0
_SYSCTL = Path("/proc/sys")
_LSM = Path("/sys/kernel/security/lsm")
_SOCKET_FOLDER = 90
"""Bytes that the path of a folder of sockets may have."""
_PUBLIC = tuple(dict.fromkeys((tempfile.gettempdir(), "/tmp", "/var/tmp", "/dev/shm")))  # noqa: S108 - whose privacy is tried
_FILES = [Path(str(module.__file__)) for module in (attacks_of, channels, targets, probe)]
_PROGRAM = {
    "arena/__init__.py": "",
    "arena/sandbox/__init__.py": "",
    **{f"arena/sandbox/{file.name}": file.read_text("utf-8") for file in _FILES},
}
_ENDS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT, signal.SIGALRM)
_CREATE, _REMOVE = 0o1000, 0
_ROOM_FOR_HANDLE = 128
_AT_CWD = -100
_START_OF_STACK = 25
"""Field 28 of proc_pid_stat(5), counted from the third."""


@dataclass(frozen=True)
class Proof:
    """The result of trying a level."""

    level: Level
    attacks: dict[str, str]
    """Attack -> verdict of ``arena.sandbox.probe``; empty if the level does not even start."""
    why: str = ""
    """If it does not hold: what is missing and how to get it, or which attack succeeded against its promise."""

    @property
    def holds(self) -> bool:
        """Whether the level starts here and refuses all that it promises to."""
        return not self.why


def proven(level: Level, *, whole: bool = False) -> Proof:
    """Try a level with the quick attacks or, much slower, with all of them."""
    if sys.platform != "linux":
        return Proof(
            level, {}, "" if level == "none" else f"expected Linux, got {sys.platform}: only it has such sandboxes"
        )
    if why := missing(level):
        return Proof(level, {}, why)
    try:
        attacks = tried(level, tuple(ATTACKS) if whole else QUICK, _WHOLE_SECONDS if whole else _QUICK_SECONDS)
        if whole:
            attacks |= starving.starved(level)
    except OSError as error:
        why = refused_bwrap(str(error)) if level == "bwrap" else f"expected a probe to start, got {error}"
        return Proof(level, {}, why)
    done = [name for name in attacks if name in PROMISES[level] and attacks[name] not in {REFUSED, ABSENT}]
    return Proof(
        level,
        attacks,
        f"expected these attacks to be refused, got them possible or not tested: {'; '.join(done)}" if done else "",
    )


# --- what is missing, and how to get it


def missing(level: Level) -> str:
    """What this machine clearly lacks for a level; empty if only a trial can show it."""
    if level == "none":
        return ""
    if not seccomp.supported():
        return f"expected x86_64 or aarch64, got {os.uname().machine}: system calls of others are not known here"
    if level == "landlock":
        version = landlock.abi()
        why = missing_landlock(version, error=0 if version else ctypes.get_errno(), release=os.uname().release)
        return why or (missing_rights(rights.lacking(rights.effective())) if os.geteuid() == 0 else "")
    try:
        bwrap.programs()
    except FileNotFoundError as error:
        return missing_program(str(error.filename))
    return ""


def missing_program(name: str) -> str:
    """How to get a program that is not there."""
    package = {"bwrap": "bubblewrap", "prlimit": "util-linux"}[name]
    return f"expected {name}, got none: `apt install {package}` or `dnf install {package}`"


def missing_landlock(version: int, *, error: int, release: str, lsm: Path = _LSM) -> str:
    """Why there is no Landlock, or too old a version, from the version and the error that the kernel gave."""
    if version >= landlock.ABI:
        return ""
    wanted = f"expected Landlock version {landlock.ABI} (Linux 6.12 or later)"
    if version:
        return f"{wanted}, got version {version} of Linux {release}: a newer kernel has it"
    if error == EPERM:
        return f"{wanted}, got it refused: a container's seccomp profile must allow the landlock calls"
    with suppress(OSError):
        if "landlock" not in (listed := lsm.read_text("ascii").strip()).split(","):
            return f"{wanted}, got Linux {release} with lsm={listed}: boot with `lsm=landlock,{listed}`"
    reason = {EOPNOTSUPP: "it is not switched on: boot with `lsm=landlock,...`", ENOSYS: "it is not built in"}
    return f"{wanted}, got none on Linux {release}: {reason.get(error, os.strerror(error))}"


def missing_rights(names: Sequence[str]) -> str:
    """What to do if root may not run bots as other users, because these capabilities are missing."""
    if not names:
        return ""
    return (
        f"expected root to run bots as other users, got it without {', '.join(names)}: start the container as somebody "
        f"else (`docker run --user 1000:1000`), or with {' '.join(f'--cap-add {name}' for name in names)}"
    )


def refused_bwrap(said: str, sysctl: Path = _SYSCTL) -> str:
    """Why bwrap does not start, from its message and the kernel's settings, and what to do."""

    def setting(path: str) -> str:
        with suppress(OSError):
            return (sysctl / path).read_text("ascii").strip()
        return ""

    start = f"expected bwrap to start, got {said}"
    if "nknown option" in said:
        return f"{start}: bubblewrap 0.8 or later is needed"
    if setting("user/max_user_namespaces") == "0":
        return f"{start}: user namespaces are switched off; `sudo sysctl -w user.max_user_namespaces=10000`"
    if setting("kernel/unprivileged_userns_clone") == "0":
        return f"{start}: user namespaces are for root only; `sudo sysctl -w kernel.unprivileged_userns_clone=1`"
    if setting("kernel/apparmor_restrict_unprivileged_userns") == "1":
        return (
            f"{start}: AppArmor refuses user namespaces, as on Ubuntu 24.04 and GitHub's runners; in a CI job "
            "`sudo sysctl -w kernel.apparmor_restrict_unprivileged_userns=0`, on your own machine the AppArmor profile "
            "bwrap-userns-restrict (docs/isolation.md)"
        )
    if "ermission" in said or "permitted" in said:
        return (
            f"{start}: most containers refuse namespaces; run arena outside of one, or allow them "
            "(`docker run --security-opt seccomp=unconfined --security-opt apparmor=unconfined`)"
        )
    return start


# --- the trial


def tried(level: Level, attacks: tuple[str, ...], seconds: float = _WHOLE_SECONDS) -> dict[str, str]:
    """Run the probe at a level, with a time limit; returns the verdict of each attack.

    Raises:
        OSError: it does not start there, or comes to no end.
    """
    with _planted(attacks) as (canaries, house):
        own = Path(canaries.own)
        env = {"PATH": os.defpath, "LANG": "C.UTF-8"}
        sandbox = Sandbox(level, folders([sys.executable], os.defpath), private=(str(own.parent),), bounds=_BOUNDS)
        words = (sys.executable, "-I", "-S", str(own.parent), json.dumps(canaries._asdict()))
        scratch = own.parent.parent / "scratch"
        scratch.mkdir()
        said = _run(enclosed(sandbox, words, env, folder=str(own.parent), scratch=str(scratch)), seconds)
        return _witnessed(json.loads(said), canaries, house)


def _run(started: Started, seconds: float) -> bytes:
    """The output of a command, whose session ends with it.

    Raises:
        OSError: it does not start, fails, or runs out of time.
    """
    try:
        return _heard(started, seconds)
    finally:
        started.leave()


def _heard(started: Started, seconds: float) -> bytes:
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as errors:
        user = started.user
        try:
            popen = subprocess.Popen(
                started.argv,
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=errors,
                start_new_session=True,
                env=started.env,
                cwd=started.folder,
                pass_fds=started.files,
                user=user,
                group=user,
                extra_groups=None if user is None else [],
            )
        finally:
            for descriptor in started.files:
                os.close(descriptor)
        watch = os.pidfd_open(popen.pid)
        try:
            for name, value in started.limits.items():
                kind = getattr(resource, f"RLIMIT_{name.upper()}")
                hard = resource.prlimit(popen.pid, kind)[1]
                most = value if hard == resource.RLIM_INFINITY else min(value, hard)
                resource.prlimit(popen.pid, kind, (most, most))
            waiting = select.poll()
            waiting.register(watch, select.POLLIN)
            ended = bool(waiting.poll(seconds * 1000))
        finally:
            os.close(watch)
            # not reaped yet: the number still names its own group
            os.killpg(popen.pid, signal.SIGKILL)
            status = popen.wait()
        out.seek(0)
        errors.seek(0)
        told = errors.read(2000).decode("utf-8", "replace").strip()
        if not ended:
            raise TimeoutError(f"no end within {seconds:.0f} s {told}".rstrip())
        said = out.read()
        if status or not said:
            raise ChildProcessError(told or f"exit status {status}")
        return said


class _House:
    """What arena checks itself, whatever the probe reports: the probe may have changed only a copy."""

    def __init__(self, process: "subprocess.Popen[bytes]", udp: socket.socket) -> None:
        self.process, self.udp = process, udp

    def heard(self, token: str) -> bool:
        with suppress(BlockingIOError):
            return self.udp.recv(4096) == token.encode()
        return False

    def bereft(self) -> bool:
        end = monotonic() + 1
        while (code := self.process.poll()) is None and monotonic() < end:
            select.select([], [], [], 0.002)
        return code == -signal.SIGKILL


def _witnessed(claims: dict[str, str], c: Canaries, house: _House) -> dict[str, str]:
    """The verdicts, corrected by what arena can check itself."""
    mark = f"#{c.token}\n".encode()
    sights = {
        "write to the results": lambda: mark in Path(c.results).read_bytes(),
        "write its own code": lambda: mark in Path(c.own).read_bytes(),
        "leave a file in /tmp, /var/tmp or /dev/shm": lambda: any(Path(path).exists() for path in c.left),
        "send UDP to this machine": lambda: house.heard(c.token),
        "kill a process of the house": house.bereft,
    }
    seen = {name: REFUSED for name, sight in sights.items() if claims.get(name) == POSSIBLE and not sight()}
    return {**claims, **seen}


@contextmanager
def _planted(attacks: tuple[str, ...]) -> Iterator[tuple[Canaries, _House]]:
    """Set up all targets of the probe, and remove them again."""
    with ExitStack() as stack:
        # a signal that ends this process waits until all is written down, and again until all is removed
        mask = signal.pthread_sigmask(signal.SIG_BLOCK, ())
        stack.callback(signal.pthread_sigmask, signal.SIG_SETMASK, mask)
        signal.pthread_sigmask(signal.SIG_BLOCK, _ENDS)
        token = secrets.token_hex(8)
        root = Path(tempfile.mkdtemp(prefix="arena-probe-"))
        stack.callback(shutil.rmtree, root, ignore_errors=True)
        # readable for all, as a repository is, except the private files
        root.chmod(0o755)
        files = {name: _file(root, name, token) for name in ("other/bot.py", "results/matches.jsonl", "results/secret")}
        Path(files["results/secret"]).chmod(0o600)
        own = _file(root, "own/__main__.py", probe.MAIN)
        for name, text in _PROGRAM.items():
            _file(root, f"own/{name}", text)
        # where the house cannot write, as on a read-only system, a bot cannot either
        public = [folder for folder in _PUBLIC if Path(folder).is_dir() and os.access(folder, os.W_OK)]
        left = [f"{folder}/arena-probe-{token}.left" for folder in public]
        for path in left:
            stack.callback(Path(path).unlink, missing_ok=True)
        process = _process(stack, token)
        stat = Path(f"/proc/{process.pid}/stat").read_bytes().rpartition(b")")[2].split()
        first_began = 0
        with suppress(OSError):
            first_began = targets.began(1)
        udp = _bound(stack, socket.AF_INET, socket.SOCK_DGRAM, ("127.0.0.1", 0))
        udp.settimeout(0)
        tcp = _bound(stack, socket.AF_INET, socket.SOCK_STREAM, ("127.0.0.1", 0))
        _bound(stack, socket.AF_UNIX, socket.SOCK_STREAM, f"\0arena-probe-{token}")
        sockets = _short(stack, root)
        _bound(stack, socket.AF_UNIX, socket.SOCK_STREAM, str(sockets / "socket"))
        (sockets / "socket").chmod(0o666)
        _bound(stack, socket.AF_UNIX, socket.SOCK_DGRAM, str(sockets / "letterbox"))
        (sockets / "letterbox").chmod(0o666)
        canaries = Canaries(
            token=token,
            private=files["results/secret"],
            other=files["other/bot.py"],
            results=files["results/matches.jsonl"],
            own=own,
            own_inode=[Path(own).stat().st_dev, Path(own).stat().st_ino],
            left=left,
            pid=process.pid,
            began=targets.began(process.pid),
            address=int(stat[_START_OF_STACK]),
            first_began=first_began,
            pids=targets.pids(),
            tcp=tcp.getsockname()[1],
            udp=udp.getsockname()[1],
            abstract=f"arena-probe-{token}",
            socket=str(sockets / "socket"),
            letterbox=str(sockets / "letterbox"),
            shm=_segment(stack),
            queue=_queue(stack, f"arena-probe-{token}"),
            letters=_of_system_v(stack, "msg"),
            semaphores=_of_system_v(stack, "sem", 1),
            handle=_handle(files["results/secret"]),
            # bwrap sets PWD; Python may settle LC_CTYPE for itself
            allowed=["PATH", "LANG", "HOME", "TMPDIR", "PWD", "LC_CTYPE"],
            memory=_BOUNDS.memory,
            processes=_BOUNDS.processes,
            file=_BOUNDS.file,
            descriptors=_BOUNDS.descriptors,
            attacks=list(attacks),
        )
        stack.callback(signal.pthread_sigmask, signal.SIG_BLOCK, _ENDS)
        signal.pthread_sigmask(signal.SIG_SETMASK, mask)
        yield canaries, _House(process, udp)


def _file(root: Path, name: str, text: str) -> str:
    path = root / name
    path.parent.mkdir(parents=True, exist_ok=True)
    for folder in path.parents:
        if folder == root:
            break
        folder.chmod(0o755)
    path.write_text(text, "utf-8")
    path.chmod(0o644)
    return str(path)


def _process(stack: ExitStack, token: str) -> "subprocess.Popen[bytes]":
    """A process that waits until its input ends: at the latest with this process."""
    process = subprocess.Popen(
        ["/bin/sh", "-c", "read -r end", token],
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        env={"ARENA_CANARY": token},
        start_new_session=True,
    )
    stack.callback(process.__exit__, None, None, None)
    stack.callback(process.kill)
    return process


def _short(stack: ExitStack, root: Path) -> Path:
    """A folder whose path leaves room for the name of a socket (unix(7): 108 bytes): this one if it does."""
    if len(os.fsencode(root)) <= _SOCKET_FOLDER:
        return root
    short = Path(tempfile.mkdtemp(prefix="arena-probe-", dir="/tmp"))
    stack.callback(shutil.rmtree, short, ignore_errors=True)
    short.chmod(0o755)
    return short


def _bound(stack: ExitStack, family: int, kind: int, address: str | tuple[str, int]) -> socket.socket:
    made = stack.enter_context(socket.socket(family, kind))
    made.bind(address)
    if kind == socket.SOCK_STREAM:
        made.listen()
    return made


def _segment(stack: ExitStack) -> int:
    """The key of a segment of shared memory; 0 where the kernel has none."""
    libc = ctypes.CDLL(None, use_errno=True)
    key = 1 + secrets.randbelow((1 << 31) - 1)
    segment = libc.shmget(key, ctypes.c_size_t(4096), _CREATE | 0o666)
    if segment < 0:
        return 0
    stack.callback(libc.shmctl, segment, _REMOVE, None)
    return key


def _of_system_v(stack: ExitStack, kind: str, *size: int) -> int:
    """The number of a message queue (msg) or set of semaphores (sem) that is open to all; -1 where there are none."""
    libc = ctypes.CDLL(None, use_errno=True)
    private_key = 0
    found = int(getattr(libc, f"{kind}get")(private_key, *size, _CREATE | 0o666))
    if found >= 0:
        control = getattr(libc, f"{kind}ctl")
        words = (found, 0, _REMOVE) if kind == "sem" else (found, _REMOVE, None)
        stack.callback(lambda: control(*words))
    return found


def _queue(stack: ExitStack, name: str) -> str:
    """The name of a message queue; empty where the kernel has none."""
    try:
        queue = targets.call("mq_open", name.encode(), os.O_CREAT | os.O_RDWR, 0o666, None)
    except (OSError, KeyError):
        return ""
    stack.callback(targets.call, "mq_unlink", name.encode())
    os.fchmod(queue, 0o666)
    os.close(queue)
    return name


def _handle(path: str) -> str:
    """The handle of a file (open_by_handle_at(2)), as hexadecimal; empty where the file system gives none."""
    handle = ctypes.create_string_buffer(_ROOM_FOR_HANDLE.to_bytes(4, sys.byteorder), 8 + _ROOM_FOR_HANDLE)
    mount = ctypes.c_int()
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.name_to_handle_at(_AT_CWD, path.encode(), handle, ctypes.byref(mount), 0) != 0:
        return ""
    return handle.raw[: 8 + int.from_bytes(handle.raw[:4], sys.byteorder)].hex()
