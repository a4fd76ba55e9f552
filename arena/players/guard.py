"""The guard of a run: when the runner and all lanes have ended, it ends the bots and removes the scratch folders.

``python -I -S guard.py FOLDER`` waits until no process holds the lock of the run's scratch folder, then cleans up: so
even SIGKILL of runner and lanes leaves nothing behind. If the guard is killed too, the next run does its work. With the
word ``looks`` it looks at the memory of the bots meanwhile (``arena.players.memory``). Standard library only.
"""

import fcntl
import os
import resource
import signal
import sys
from collections.abc import Iterator
from contextlib import suppress
from time import monotonic, sleep

# not pathlib, except where paths are handed out: the guard mostly waits for nothing, and is to start quickly
TYPE_CHECKING = False
if TYPE_CHECKING:
    from pathlib import Path

ALIVE = "alive"
"""The file in a run's scratch folder that is locked for as long as anybody of the run lives."""
PREFIX = "arena-"
LOOKS = "looks"
"""The word with which the guard looks at the memory of bots."""
TOKEN = "ARENA_PROCESS"  # noqa: S105 - the name of a variable, not a secret
"""In a bot's environment: begins with the name of the run's scratch folder, and a dot."""
_PATIENCE = 5.0
_QUIET = 2
"""Looks in a row that must find no process."""
_LOOK = 0.005
_SESSION, _PARENT = 3, 1
"""Fields of proc_pid_stat(5), counted from the third."""


def mark(run: str) -> None:
    """Mark this process, and all that it starts, as one of a run: by a limit that no process can take off.

    It is one of processor time in real-time classes, too high to strike. A process may clear its environment, but only
    lower its limits; in a sandbox not even this one. Where there is no such limit, or it is lower, nothing is done.
    """
    if hasattr(resource, "RLIMIT_RTTIME"):
        with suppress(ValueError, OSError):
            resource.setrlimit(resource.RLIMIT_RTTIME, (_limit_of(run), _limit_of(run)))


def _limit_of(run: str) -> int:
    return 1 << 62 | int.from_bytes(run.encode()[-7:], "big")


def has_mark(pid: int, run: str) -> bool:
    """Whether a process has the ``mark`` of a run."""
    with suppress(OSError):
        return str(_limit_of(run)).encode() in _read_file(f"/proc/{pid}/limits")
    return False


def begin() -> "tuple[Path, int]":
    """A new scratch folder for a run, and a descriptor that holds its lock: lanes inherit it, bots never do."""
    import tempfile  # noqa: PLC0415 - as above
    from pathlib import Path  # noqa: PLC0415 - as above

    folder = Path(tempfile.mkdtemp(prefix=PREFIX))
    made = folder / f".{ALIVE}"
    lock = os.open(made, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
    fcntl.flock(lock, fcntl.LOCK_SH)
    # renamed once it is locked: no other run takes the folder for that of a dead run
    made.rename(folder / ALIVE)
    return folder, lock


def clear_leftovers() -> None:
    """Clean up after runs of this user of which no process is left, not even the guard."""
    for folder in scratch_folders():
        with suppress(OSError):
            if os.lstat(folder).st_uid == os.geteuid():
                clear(folder, wait=False)


def scratch_folders() -> list[str]:
    """The scratch folders of all runs, of any user."""
    import tempfile  # noqa: PLC0415 - as above

    with suppress(OSError), os.scandir(tempfile.gettempdir()) as listing:
        folders = [
            entry.path for entry in listing if entry.name.startswith(PREFIX) and entry.is_dir(follow_symlinks=False)
        ]
        return [folder for folder in folders if _lives(folder)]
    return []


def _lives(folder: "str | Path") -> bool:
    return os.path.exists(f"{folder}/{ALIVE}")  # noqa: PTH110 - see the imports


def clear(folder: "str | Path", *, wait: bool) -> None:
    """End the bots of a run and remove its scratch folder, if the run has no process left; or ``wait`` for that.

    ``OSError``: it has no lock, or its lock is held and ``wait`` is not set.
    """
    lock = os.open(f"{folder}/{ALIVE}", os.O_RDWR | os.O_NOFOLLOW | os.O_CLOEXEC)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
        if _lives(folder):
            end_bots(os.path.basename(folder))  # noqa: PTH119 - see the imports
            _remove(folder)
    finally:
        os.close(lock)


def _remove(folder: "str | Path") -> None:
    import subprocess  # noqa: PLC0415 - as above

    # bots may have nested folders deeper than Python, or its descriptors, can follow
    subprocess.run(("/bin/rm", "-rf", "--", str(folder)), stderr=subprocess.DEVNULL, check=False)


def end_bots(run: str) -> None:
    """Kill all processes with a run's token or ``mark``, with sessions and descendants; none where Linux is not."""
    until = monotonic() + _PATIENCE
    quiet = 0
    while quiet < _QUIET and monotonic() < until:
        living = _family(f"{TOKEN}={run}.".encode(), str(_limit_of(run)).encode())
        quiet = 0 if living else quiet + 1
        # a stopped process starts no other process, so none is missed
        for number in (signal.SIGSTOP, signal.SIGKILL):
            for pid in living:
                with suppress(ProcessLookupError, PermissionError):
                    os.kill(pid, number)
        sleep(_LOOK)


def _family(token: bytes, limit: bytes) -> set[int]:
    """Processes that have a token or a limit, share a session with one that has, or descend from one."""
    parents, sessions = {}, {}
    marked = set()
    for pid, fields, variables, limits in _processes():
        # processes in state Z have ended already
        if fields[0] != b"Z":
            parents[pid], sessions[pid] = int(fields[_PARENT]), int(fields[_SESSION])
            if limit in limits or any(variable.startswith(token) for variable in variables.split(b"\0")):
                marked.add(pid)
    # each bot leads a session of its own: nobody else is in it
    led = {sessions[pid] for pid in marked} & marked
    family = marked | {pid for pid, session in sessions.items() if session in led}
    while more := {pid for pid, parent in parents.items() if parent in family} - family:
        family |= more
    return family - {os.getpid()}


def _processes() -> Iterator[tuple[int, list[bytes], bytes, bytes]]:
    with suppress(OSError):
        for name in os.listdir("/proc"):  # noqa: PTH208 - a plain listing
            if name.isdigit():
                with suppress(OSError):
                    fields = _read_file(f"/proc/{name}/stat").rpartition(b")")[2].split()
                    variables = limits = b""
                    with suppress(OSError):
                        limits = _read_file(f"/proc/{name}/limits")
                        variables = _read_file(f"/proc/{name}/environ")
                    yield int(name), fields, variables, limits


def _read_file(path: str) -> bytes:
    with open(path, "rb") as file:  # noqa: PTH123 - see the imports
        return file.read()


def main() -> None:
    """Wait for the end of a run, and hold its bots to their memory meanwhile; then clean up after it."""
    # signals are for the run, which this process outlives
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT):
        signal.signal(number, signal.SIG_IGN)
    if LOOKS in sys.argv[2:] and sys.platform == "linux":
        # last, so that nothing there stands in for a module of the standard library
        sys.path.append(os.path.abspath(f"{__file__}/../../.."))  # noqa: PTH100 - see the imports
        from arena.players.memory import Scales  # noqa: PLC0415 - it is found only now

        Scales(sys.argv[1], os.getppid()).watch()
    with suppress(OSError):
        clear(sys.argv[1], wait=True)


if __name__ == "__main__":
    main()
