"""Plants the targets of a probe's attacks, removes them again, and checks what a probe says it could do to them."""

import os
import secrets
import select
import shutil
import signal
import socket
import subprocess
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from functools import partial
from pathlib import Path
from time import monotonic
from types import MappingProxyType
from typing import Any

from arena.sandbox import attacks as attacks_of
from arena.sandbox import canaries as targets
from arena.sandbox import probe
from arena.sandbox.canaries import Canaries
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
_START_OF_STACK = 25
"""Field 28 of proc_pid_stat(5), counted from the third."""


def witnessed(claims: dict[str, str], c: Canaries, witness: "subprocess.Popen[bytes]") -> dict[str, str]:
    """The verdicts, corrected by what arena can check itself: the probe may have changed only a copy.

    ``witness`` stands for a process of the host.
    """
    mark = f"#{c.token}\n".encode()
    sights: dict[str, Callable[[], bool]] = {
        "write to the results": lambda: mark in Path(c.results).read_bytes(),
        "write its own code": lambda: mark in Path(c.code).read_bytes(),
        "leave a file in /tmp, /var/tmp or /dev/shm": lambda: any(Path(path).exists() for path in c.drops),
        "kill a process of the host": partial(_is_killed, witness),
    }
    corrections = {name: REFUSED for name, sight in sights.items() if claims.get(name) == POSSIBLE and not sight()}
    return {**claims, **corrections}


def _is_killed(process: "subprocess.Popen[bytes]") -> bool:
    end = monotonic() + 1
    while (code := process.poll()) is None and monotonic() < end:
        select.select([], [], [], 0.002)
    return code == -signal.SIGKILL


@contextmanager
def planted(
    attacks: tuple[str, ...],
    program: Mapping[str, str] = PROGRAM,
    more: Mapping[str, Any] = MappingProxyType({}),
) -> Iterator[tuple[Canaries, "subprocess.Popen[bytes]"]]:
    """Set up all targets of the probe, a ``program`` of these files, and remove them again; a process is one of them.

    ``more`` is what the probe is told besides.
    """
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
        code = f"{root}/own/__main__.py"
        # where the host cannot write, as on a read-only system, a bot cannot either
        public = [folder for folder in PUBLIC if Path(folder).is_dir() and os.access(folder, os.W_OK)]
        drops = [f"{folder}/arena-probe-{token}.left" for folder in public]
        for path in drops:
            stack.callback(Path(path).unlink, missing_ok=True)
        process = _process(stack, token)
        stat = Path(f"/proc/{process.pid}/stat").read_bytes().rpartition(b")")[2].split()
        tcp = _listening(stack, socket.AF_INET, ("127.0.0.1", 0))
        _listening(stack, socket.AF_UNIX, f"\0arena-probe-{token}")
        sockets = _short(stack, root)
        _listening(stack, socket.AF_UNIX, str(sockets / "socket"))
        (sockets / "socket").chmod(0o666)
        canaries = Canaries(
            token=token,
            private=files["results/secret"],
            other=files["other/bot.py"],
            results=files["results/matches.jsonl"],
            code=code,
            drops=drops,
            pid=process.pid,
            began=targets.began(process.pid),
            address=int(stat[_START_OF_STACK]),
            pids=targets.pids(),
            tcp=tcp.getsockname()[1],
            abstract=f"arena-probe-{token}",
            socket=str(sockets / "socket"),
            memory=BOUNDS.memory,
            processes=BOUNDS.processes,
            descriptors=BOUNDS.descriptors,
            attacks=list(attacks),
            more=dict(more),
        )
        stack.callback(signal.pthread_sigmask, signal.SIG_BLOCK, _ENDS)
        signal.pthread_sigmask(signal.SIG_SETMASK, mask)
        yield canaries, process


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


def _listening(stack: ExitStack, family: int, address: str | tuple[str, int]) -> socket.socket:
    made = stack.enter_context(socket.socket(family))
    made.bind(address)
    made.listen()
    return made
