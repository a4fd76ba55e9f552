"""Plants the targets of a probe's attacks, removes them again, and checks what a probe says it could do to them."""

import ctypes
import os
import secrets
import select
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from time import monotonic
from typing import NamedTuple

from arena.sandbox import attacks as attacks_of
from arena.sandbox import canaries as targets
from arena.sandbox import probe
from arena.sandbox.canaries import Canaries, libc
from arena.sandbox.probe import POSSIBLE, REFUSED
from arena.sandbox.sandbox import Bounds

BOUNDS = Bounds(memory=128 << 20, processes=24, file=1 << 20, descriptors=64, cpu=60)
"""Small, so that going beyond them does no harm."""
_SOCKET_FOLDER = 90
"""Bytes that the path of a folder of sockets may have."""
PUBLIC = tuple(dict.fromkeys((tempfile.gettempdir(), "/tmp", "/var/tmp", "/dev/shm")))  # noqa: S108 - whose privacy is tried
_FILES = [Path(str(module.__file__)) for module in (attacks_of, targets, probe)]
PROGRAM = {
    "__main__.py": probe.MAIN,
    "arena/__init__.py": "",
    "arena/sandbox/__init__.py": "",
    **{f"arena/sandbox/{file.name}": file.read_text("utf-8") for file in _FILES},
}
"""The files of the probe."""
_ENDS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT, signal.SIGALRM)
_CREATE, _REMOVE = 0o1000, 0
_ROOM_FOR_HANDLE = 128
_AT_CWD = -100
_START_OF_STACK = 25
"""Field 28 of proc_pid_stat(5), counted from the third."""


class House(NamedTuple):
    """What arena checks itself, whatever the probe reports: the probe may have changed only a copy."""

    process: "subprocess.Popen[bytes]"
    udp: socket.socket

    def heard(self, token: str) -> bool:
        """Whether the token came by UDP."""
        with suppress(BlockingIOError):
            return self.udp.recv(4096) == token.encode()
        return False

    def lost_its_process(self) -> bool:
        """Whether the process was killed."""
        end = monotonic() + 1
        while (code := self.process.poll()) is None and monotonic() < end:
            select.select([], [], [], 0.002)
        return code == -signal.SIGKILL


def witnessed(claims: dict[str, str], c: Canaries, house: House) -> dict[str, str]:
    """The verdicts, corrected by what arena can check itself."""
    mark = f"#{c.token}\n".encode()
    sights = {
        "write to the results": lambda: mark in Path(c.results).read_bytes(),
        "write its own code": lambda: mark in Path(c.own).read_bytes(),
        "leave a file in /tmp, /var/tmp or /dev/shm": lambda: any(Path(path).exists() for path in c.left),
        "send UDP to this machine": lambda: house.heard(c.token),
        "kill a process of the house": house.lost_its_process,
    }
    seen = {name: REFUSED for name, sight in sights.items() if claims.get(name) == POSSIBLE and not sight()}
    return {**claims, **seen}


@contextmanager
def planted(attacks: tuple[str, ...], program: Mapping[str, str] = PROGRAM) -> Iterator[tuple[Canaries, House]]:
    """Set up all targets of the probe, a ``program`` of these files, and remove them again."""
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
        for name, text in program.items():
            _file(root, f"own/{name}", text)
        own = f"{root}/own/__main__.py"
        # where the house cannot write, as on a read-only system, a bot cannot either
        public = [folder for folder in PUBLIC if Path(folder).is_dir() and os.access(folder, os.W_OK)]
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
            memory=BOUNDS.memory,
            processes=BOUNDS.processes,
            file=BOUNDS.file,
            descriptors=BOUNDS.descriptors,
            attacks=list(attacks),
        )
        stack.callback(signal.pthread_sigmask, signal.SIG_BLOCK, _ENDS)
        signal.pthread_sigmask(signal.SIG_SETMASK, mask)
        yield canaries, House(process, udp)


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
    key = 1 + secrets.randbelow((1 << 31) - 1)
    segment = libc.shmget(key, ctypes.c_size_t(4096), _CREATE | 0o666)
    if segment < 0:
        return 0
    stack.callback(libc.shmctl, segment, _REMOVE, None)
    return key


def _of_system_v(stack: ExitStack, kind: str, *size: int) -> int:
    """The number of a message queue (msg) or set of semaphores (sem) that is open to all; -1 where there are none."""
    private_key = 0
    number = int(getattr(libc, f"{kind}get")(private_key, *size, _CREATE | 0o666))
    if number >= 0:
        control = getattr(libc, f"{kind}ctl")
        words = (number, 0, _REMOVE) if kind == "sem" else (number, _REMOVE, None)
        stack.callback(lambda: control(*words))
    return number


def _queue(stack: ExitStack, name: str) -> str:
    try:
        queue = targets.call("mq_open", name.encode(), os.O_CREAT | os.O_RDWR, 0o666, None)
    except (OSError, KeyError):
        return ""
    stack.callback(targets.call, "mq_unlink", name.encode())
    os.fchmod(queue, 0o666)
    os.close(queue)
    return name


def _handle(path: str) -> str:
    handle = ctypes.create_string_buffer(_ROOM_FOR_HANDLE.to_bytes(4, sys.byteorder), 8 + _ROOM_FOR_HANDLE)
    mount = ctypes.c_int()
    if libc.name_to_handle_at(_AT_CWD, path.encode(), handle, ctypes.byref(mount), 0) != 0:
        return ""
    return handle.raw[: 8 + int.from_bytes(handle.raw[:4], sys.byteorder)].hex()
