"""Processes that do jobs for this one and send back bytes, in the order of the jobs. Knows no game.

``concurrent.futures`` does the same with two threads, queues and locks, which cost more than the processes themselves
where all jobs together take a second.
"""

import multiprocessing
import os
import pickle
import signal
import subprocess
import sys
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import suppress
from multiprocessing.connection import Connection, Pipe, wait
from struct import Struct as Layout
from traceback import format_exception
from typing import TypeAlias

from arena.errors import HostError, raised
from arena.players import die_with_parent

_AHEAD = 2
"""A process has so many jobs at once, so that it need not wait for the next."""
_NUMBER = Layout("<Q")
"""Of a job: stands before the job, and before what it gives."""
_DONE, _RAISED = b"\0", b"\1"
"""What follows the number: what the job gave, or an error."""
_NO_MORE = b""
"""In place of a number."""

DoJob: TypeAlias = Callable[[bytes], bytes]
Begin: TypeAlias = Callable[[], DoJob]
"""Is called once in each process, before its first job."""


Worker: TypeAlias = tuple[Callable[[], object], Callable[[], object]]
"""A process that does jobs: what kills it, whatever it does about signals, and what waits for its end."""
Start: TypeAlias = Callable[[Connection, Connection], Worker]
"""Starts a process that gets jobs, with this process's end of a pipe and its own."""


def copied(begin: Begin) -> Start:
    """Processes that are copies of this one: they know all that it knows. Only while it has no other thread."""
    parent = os.getpid()

    def start(here: Connection, child_end: Connection) -> Worker:
        copy = multiprocessing.get_context("fork").Process(target=_copy, args=(here, child_end, parent, begin))
        copy.start()
        return copy.kill, copy.join

    return start


def _copy(here: Connection, child_end: Connection, parent: int, begin: Begin) -> None:
    here.close()  # of the process that was copied
    _serve(child_end, parent, begin)


def start_fresh(begin: Begin) -> Start:
    """Processes that know what ``begin`` knows once it is unpickled there, and where this one looks for modules.

    ``multiprocessing`` would run the script of this process again in each of them, up to this very call.
    """
    path = [folder for folder in sys.path if isinstance(folder, str)]
    # until it is ready, Ctrl-C ends it without a word, too
    code = f"import signal, sys; signal.signal(signal.SIGINT, signal.SIG_DFL); sys.path[:] = {path!r}"
    flags = ["-B"] if sys.dont_write_bytecode else []
    parent, packed = os.getpid(), pickle.dumps(begin)

    def start(here: Connection, child_end: Connection) -> Worker:
        number = child_end.fileno()
        call = f"{code}; from arena.selfplay import pool; pool.load(descriptor={number}, parent={parent})"
        words = [sys.executable, "-P", *flags, "-c", call]
        worker = subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=_stdout(), pass_fds=[number])
        here.send_bytes(packed)
        return worker.kill, worker.wait

    return start


def load(*, descriptor: int, parent: int) -> None:
    """Do jobs in a process that ``start_fresh`` has started, from the pipe with this ``descriptor``."""
    child_end = Connection(descriptor)
    with suppress(EOFError, ConnectionError):
        _serve(child_end, parent, pickle.loads(child_end.recv_bytes()))  # noqa: S301 - of the process that started this one


def done_by(start: Start, *, jobs: Iterable[bytes], processes: int) -> Generator[bytes, None, None]:
    """What the jobs give, in their order. The processes end with the iterator.

    ``start`` is ``copied`` or ``start_fresh``. ``jobs`` are read as processes have time for them. Each is short: two
    must fit into the buffer of a pipe, which may have 8 KiB, or a process could wait for this one while this one waits
    for it.

    Raises what a job raised, with a note of where; or ``HostError``: a process was lost.
    """
    workers: dict[Connection, Worker] = {}
    queue = enumerate(jobs)
    total = done = 0
    answers: dict[int, bytes] = {}
    over = False
    try:
        for _ in range(processes):
            begin_worker(start, workers)
        for here in [*workers] * _AHEAD:
            total += _give(here, queue)
        while done < total:
            while done not in answers:
                for ready in wait(list(workers)):
                    assert isinstance(ready, Connection)  # noqa: S101 - nothing else is waited for
                    message = ready.recv_bytes()
                    total += _give(ready, queue)
                    answers[_NUMBER.unpack_from(message)[0]] = message[_NUMBER.size :]
            answer = answers.pop(done)
            done += 1
            yield _unpack_answer(answer)
        over = True
    except (EOFError, ConnectionError):
        raise HostError("expected the processes of self-play to live, got one that was lost") from None
    finally:
        for here, (kill, _) in workers.items():
            if over:
                with suppress(OSError):
                    here.send_bytes(_NO_MORE)  # copies hold the connections of others, so to close it tells nothing
            else:
                kill()
            here.close()
        for _, wait_for in workers.values():
            wait_for()


def begin_worker(start: Start, workers: dict[Connection, Worker]) -> Connection:
    """Start one process more, which is added to ``workers`` by this process's end of its pipe."""
    here, child_end = Pipe()
    workers[here] = start(here, child_end)
    child_end.close()  # only the worker holds it now, so its end is seen
    return here


def ask_worker(here: Connection, job: bytes) -> None:
    """Give a process one job, whose ``read_answer`` is waited for before the next."""
    here.send_bytes(_NUMBER.pack(0) + job)


def read_answer(here: Connection) -> bytes:
    """What the job gives that a process was asked for; raises what it raised, or ``EOFError``: the process is lost."""
    return _unpack_answer(here.recv_bytes()[_NUMBER.size :])


def _unpack_answer(answered: bytes) -> bytes:
    if answered[:1] == _RAISED:
        raise pickle.loads(answered[1:])  # noqa: S301 - of a process that this one started
    return answered[1:]


def _give(here: Connection, queue: Iterator[tuple[int, bytes]]) -> bool:
    for number, job in queue:
        here.send_bytes(_NUMBER.pack(number) + job)
        return True
    return False


def _serve(child_end: Connection, parent: int, begin: Begin) -> None:
    # a copy has what its parent does about signals; by default, Ctrl-C, which reaches all, ends it without a word
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, (signal.SIGINT, signal.SIGTERM))
    die_with_parent(parent)
    do = None
    with suppress(EOFError, ConnectionError):
        while (message := child_end.recv_bytes()) != _NO_MORE:
            head, job = message[: _NUMBER.size], message[_NUMBER.size :]
            try:
                do = do or begin()
                answer = _DONE + do(job)
            except BaseException as error:  # noqa: BLE001 - of any kind: it is raised again where the jobs come from
                answer = _RAISED + _sent(error)
            _flush()  # what was printed in a job is there before its result, which may end this process
            child_end.send_bytes(head + answer)


def _flush() -> None:
    for stream in filter(None, (sys.stdout, sys.stderr, sys.__stdout__)):
        # a program may have closed one, or put anything in its place
        with suppress(AttributeError, OSError, ValueError):
            stream.flush()


def _sent(error: BaseException) -> bytes:
    """An error as bytes; one that cannot be sent becomes another with its text."""
    error.add_note("".join(format_exception(error)))
    # packages such as tblib have all this sent, too, and it can be anything; the note tells of it
    error.__traceback__ = error.__cause__ = error.__context__ = None
    try:
        sent = pickle.dumps(error)
        pickle.loads(sent)  # noqa: S301 - made a line above
    except Exception:  # noqa: BLE001 - errors of others may raise anything here
        return pickle.dumps(RuntimeError(raised(error)))
    return sent


def _stdout() -> int | None:
    """Where this process prints now, for one that it starts; None where that is no file."""
    try:
        return sys.stdout.fileno()
    except (AttributeError, OSError):  # io.UnsupportedOperation is an OSError
        return None
