"""A bot's process: how it is started and limited, how it ended, what is kept of its stderr. Bytes only: no message."""

import errno
import os
import signal
import subprocess
from collections.abc import Mapping, Sequence

from arena.errors import HostError, cure_of
from arena.sandbox.enclosure import NoProgram, Started, enclosed
from arena.sandbox.paths import within
from arena.sandbox.sandbox import Sandbox

_SHORTAGES = frozenset({errno.EMFILE, errno.ENFILE, errno.EAGAIN, errno.ENOMEM, errno.ENOSPC, errno.EDQUOT})

_ECHO = 128
_SIGNALS = frozenset(signal.Signals)
_ORDINARY = 0
"""The number of ``SCHED_OTHER``, where there is one."""


class CannotStart(Exception):
    """The command of a bot does not start: no such program, not executable, no such folder. The text says why."""


def exit_code(popen: "subprocess.Popen[bytes]") -> int | None:
    """The exit status of a child, negative for a signal, or None while it runs; without reaping, where the system can.

    A child that is not reaped keeps its number, so that its group can still be ended by it. macOS before Python 3.13
    cannot look without reaping; there the number could in theory be taken before the group is ended.
    """
    if popen.returncode is not None or not hasattr(os, "waitid"):
        return popen.poll()
    ended = os.waitid(os.P_PID, popen.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT)
    if ended is None:
        return None
    return ended.si_status if ended.si_code == os.CLD_EXITED else -ended.si_status


def ended_by(code: int, *, echoes: bool) -> int | None:
    """The signal that this exit status tells of, if any; ``echoes``: a wrapper exits with 128 and the bot's signal."""
    number = -code if code < 0 else code - _ECHO if echoes else 0
    return number if number in _SIGNALS else None


def how_ended(code: int, *, echoes: bool) -> str:
    """An exit status in words."""
    number = ended_by(code, echoes=echoes)
    if number is None:
        return f"it exited with status {code}"
    return f"it was ended by signal {number} ({signal.Signals(number).name})"


def started(sandbox: Sandbox, argv: Sequence[str], env: Mapping[str, str], *, folder: str, scratch: str) -> Started:
    """How to start ``argv`` in a sandbox (``arena.sandbox.enclosure.enclosed``).

    Raises:
        CannotStart: there is no such program, or a file of the bot's own cannot be read.
        HostError: this machine cannot build the sandbox.
    """
    try:
        return enclosed(sandbox, argv, env, folder=folder, scratch=scratch)
    except NoProgram as error:
        raise _bots(error, argv[0]) from error
    except OSError as error:
        if isinstance(error.filename, str) and within(error.filename, sandbox.private):
            raise _bots(error, argv[0]) from error
        raise _hosts(error) from error


def spawn(how: Started, *, stdin: int, stderr: int) -> "subprocess.Popen[bytes]":
    """Start it in a session of its own, its stdout a pipe.

    Raises:
        CannotStart: the program itself cannot be executed.
        HostError: this machine cannot start it, or what sets up its sandbox.
    """
    try:
        return how.begin(stdin=stdin, stdout=subprocess.PIPE, stderr=stderr, bufsize=0)
    except OSError as error:
        if error.errno in _SHORTAGES or (how.marker is not None and error.errno != errno.E2BIG):
            raise _hosts(error) from error
        raise _bots(error, how.argv[0]) from error
    except ValueError as error:
        raise CannotStart(str(error)) from error


def check_begun(how: Started, code: int | None, output: bytes) -> None:
    """Check that a process that has ended, without a word, came to the program itself.

    Raises:
        HostError: its sandbox could not be set up, which by ``code``, its exit status, was no signal's doing.
    """
    if code is not None and code >= 0 and not how.begun(output):
        reason = output.decode("utf-8", "backslashreplace").strip() or how_ended(code, echoes=how.echoes)
        raise HostError(f"its sandbox cannot be set up: {reason}; {cure_of(0)}")


def reap(popen: "subprocess.Popen[bytes]") -> None:
    """Wait for a child that has exited.

    The kernel says that a process has exited before the last of its threads has cleared up after itself, and reaping
    waits for that without sleeping. Whoever goes before all others would so keep the thread from the core it waits for,
    for 80 ms: thus this is done in the ordinary class of the scheduler (sched(7)).
    """
    policy = os.sched_getscheduler(0) if hasattr(os, "SCHED_RESET_ON_FORK") else _ORDINARY
    if policy == _ORDINARY:
        popen.wait()
        return
    before = os.sched_getparam(0)
    os.sched_setscheduler(0, os.SCHED_OTHER | os.SCHED_RESET_ON_FORK, os.sched_param(0))
    try:
        popen.wait()
    finally:
        os.sched_setscheduler(0, policy, before)


def _bots(error: OSError, program: str) -> CannotStart:
    return CannotStart(f"{error.strerror}: {error.filename or program}")


def _hosts(error: OSError) -> HostError:
    return HostError(f"cannot start a process: {error}; {cure_of(error.errno or 0)}")
