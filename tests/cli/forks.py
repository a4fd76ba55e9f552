"""Starts the command without paying for its imports each time: one process that has them all, and forks.

What it starts is a process of its own like any other, with its own environment, folder and standard streams. Only what
the interpreter reads before the first line of Python, such as ``PYTHONHASHSEED``, cannot be set for it. The lanes of
such a command are forked likewise. Bots and guards are started as ever.
"""

import atexit
import gc
import json
import os
import resource
import signal
import socket
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, NoReturn

ROOT = Path(__file__).parents[2]
_MOST = 1 << 20


def fits(env: Mapping[str, str]) -> bool:
    """Whether the interpreter would be the same in this environment."""
    return _for_python(env) == _BEGUN


def _for_python(env: Mapping[str, str]) -> dict[str, str]:
    return {name: value for name, value in env.items() if name.startswith("PYTHON")}


_BEGUN = _for_python(os.environ)
"""As it was before any test."""


class _Server:
    """The server of this process; it ends when we do, for then its socket ends."""

    def __init__(self) -> None:
        self.cpu = 0.0
        self.socket, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self._process = subprocess.Popen(
            [sys.executable, "-m", "tests.cli.forks", str(theirs.fileno())],
            cwd=ROOT,
            env={name: value for name, value in os.environ.items() if not name.startswith("PYTHON")} | _BEGUN,
            pass_fds=[theirs.fileno()],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
        )
        theirs.close()

    def ended(self) -> bool:
        return self._process.poll() is not None

    def end(self) -> None:
        self.socket.close()
        self._process.wait()


_running: list[_Server] = []


def _server() -> _Server:
    if _running and _running[0].ended():
        # a test that ends whatever it finds among its children has ended this one too
        stop()
    if not _running:
        _running.append(_Server())
    return _running[0]


def measure_cpu() -> float:
    """CPU seconds of the server that runs, and of the commands it has started."""
    return sum(server.cpu for server in _running)


@atexit.register
def stop() -> None:
    """End the server: for tests that may have no other child, and at the end. The next command starts another."""
    while _running:
        _running.pop().end()


def run(words: Sequence[str], cwd: Path, env: Mapping[str, str], timeout: float) -> subprocess.CompletedProcess[bytes]:
    """Run ``arena`` with these words, and what came of it; raises as ``code_of``."""
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        code = code_of(words, cwd, env, timeout, out=out.fileno(), err=err.fileno())
        texts = []
        for file in (out, err):
            file.seek(0)
            texts.append(file.read())
    return subprocess.CompletedProcess(list(words), code, *texts)


def code_of(words: Sequence[str], cwd: Path, env: Mapping[str, str], timeout: float, *, out: int, err: int) -> int:
    """Run ``arena`` with these words and streams; its exit code.

    Raises:
        subprocess.TimeoutExpired: it took longer than ``timeout`` seconds; it is killed.
    """
    running = _server()
    server = running.socket
    with Path(os.devnull).open("rb") as null:
        told = json.dumps({"words": list(words), "cwd": str(cwd), "env": dict(env)}).encode()
        socket.send_fds(server, [told], [null.fileno(), out, err])
        pid = int(server.recv(_MOST))
        server.settimeout(timeout)
        try:
            code, cpu = server.recv(_MOST).split()
            running.cpu = float(cpu)
            return int(code)
        except TimeoutError:
            os.kill(pid, signal.SIGKILL)
            server.settimeout(None)
            server.recv(_MOST)
            raise subprocess.TimeoutExpired(list(words), timeout) from None
        finally:
            server.settimeout(None)


class _Popen(subprocess.Popen[Any]):
    """Starts programs as ever, but a lane as a fork of the command, which has its modules."""

    def _execute_child(self, args: Sequence[str], *more: Any) -> None:
        if not any("'arena.tournament.lane'" in word for word in args):
            super()._execute_child(args, *more)  # type: ignore[misc]  # of subprocess, and in no stub
            return
        passed, (stdin, _, _, stdout) = more[3], more[9:13]
        with suppress(OSError):
            # what the command has not written yet is no message of the lane
            sys.stdout.flush()
        self.pid = os.fork()
        if self.pid == 0:
            _lane(args[-3:], passed, stdin=stdin, stdout=stdout)
        self._child_created = True
        os.close(stdin)
        os.close(stdout)


def _lane(words: Sequence[str], passed: Sequence[int], *, stdin: int, stdout: int) -> NoReturn:
    """What a lane's interpreter does once its modules are there."""
    from arena.tournament import lane  # noqa: PLC0415 - only commands with lanes need it

    signal.set_wakeup_fd(-1)
    os.setsid()
    os.dup2(stdin, 0)
    os.dup2(stdout, 1)
    for descriptor in Path("/proc/self/fd").iterdir():
        if int(descriptor.name) not in {0, 1, 2, *passed}:
            with suppress(OSError):
                os.close(int(descriptor.name))
    sys.stdin, sys.stdout = open(0, closefd=False), open(1, "w", closefd=False)  # noqa: SIM115 - of descriptors
    sys.argv = ["lane", *words]
    lane.main()
    os._exit(0)


def _command(words: list[str], cwd: str, env: dict[str, str], streams: list[int]) -> NoReturn:
    """What ``python -m arena`` does once its modules are there."""
    for stream, descriptor in enumerate(streams):
        os.dup2(descriptor, stream)
    os.closerange(3, 256)
    os.chdir(cwd)
    os.environ.clear()
    os.environ.update(env)
    sys.argv = ["arena", *words]
    subprocess.Popen = _Popen  # type: ignore[misc]  # in this process alone
    from arena.__main__ import main  # noqa: PLC0415 - as the interpreter would

    code: object = 0
    try:
        main()
    except SystemExit as leaving:
        code = leaving.code
    except BaseException:  # noqa: BLE001 - shown as the interpreter would, on a stream that a test reads
        sys.excepthook(*sys.exc_info())
        code = 1
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code if isinstance(code, int) else 0 if code is None else 1)


def serve(ours: socket.socket) -> None:
    """Start what is asked for, one after the other, until nobody asks any more."""
    from arena import formats, games  # noqa: PLC0415 - likewise
    from arena.cli import app  # noqa: F401, PLC0415 - what all of them need
    from arena.numeric import np  # noqa: PLC0415 - what each run computes its table with
    from arena.tournament import lane  # noqa: F401, PLC0415 - for the lanes of commands

    np.zeros(1)
    for name in games.names():
        games.find(name)
    for name in formats.names():
        formats.find(name)
    gc.collect()
    gc.freeze()
    while True:
        told, streams, _, _ = socket.recv_fds(ours, _MOST, 3)
        if not told:
            return
        pid = os.fork()
        if pid == 0:
            _command(**json.loads(told), streams=streams)
        for descriptor in streams:
            os.close(descriptor)
        ours.send(str(pid).encode())
        _, status = os.waitpid(pid, 0)
        spent = sum(
            usage.ru_utime + usage.ru_stime
            for usage in map(resource.getrusage, (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
        )
        ours.send(f"{os.waitstatus_to_exitcode(status)} {spent}".encode())


if __name__ == "__main__":
    serve(socket.socket(fileno=int(sys.argv[1])))
