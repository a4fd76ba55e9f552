"""Processes that do jobs for this one and send back bytes, in the order of the jobs. Knows no game.

``concurrent.futures`` does the same with two threads, queues and locks, which cost more than the processes themselves
where all jobs together take a second.
"""

import pickle
from collections.abc import Callable, Generator, Iterator
from contextlib import suppress
from multiprocessing.connection import Connection, wait
from multiprocessing.context import BaseContext
from multiprocessing.process import BaseProcess
from struct import Struct as Layout
from traceback import format_exception
from typing import Any, TypeAlias

from arena.errors import HostError

_AHEAD = 2
"""A process has so many jobs at once, so that it need not wait for the next."""
_NUMBER = Layout("<Q")
"""Of a job: all of what asks for it, and the beginning of the answer."""
_DONE, _RAISED = b"\0", b"\1"
"""What follows the number: what the job gave, or an error."""

_NO_MORE = b""
"""In place of a number."""

Do: TypeAlias = Callable[[int], bytes]
"""Does the job with this number."""


def done_by(
    context: BaseContext, begin: Callable[..., Do], arguments: tuple[Any, ...], *, jobs: int, processes: int
) -> Generator[bytes, None, None]:
    """What so many jobs give, in their order. The processes end with the iterator.

    Args:
        context: how processes are started.
        begin: is called in each first, with the ``arguments``; gives what does a job.
        arguments: what a process gets as it is started.
        jobs: their number.
        processes: how many there are.

    Raises:
        HostError: a process was lost.
        Exception: what a job raised, with a note of where, in place of what it gives.
    """
    workers: dict[Connection, BaseProcess] = {}
    left = iter(range(jobs))
    found: dict[int, bytes] = {}
    over = False
    try:
        for _ in range(processes):
            here, there = context.Pipe()
            worker = context.Process(target=_serve, args=(there, begin, arguments))  # type: ignore[attr-defined]
            worker.start()
            there.close()  # only the worker holds it now, so its end is seen
            workers[here] = worker
        for here in [*workers] * _AHEAD:
            _give(here, left)
        for job in range(jobs):
            while job not in found:
                for ready in wait(list(workers)):
                    assert isinstance(ready, Connection)  # noqa: S101 - nothing else is waited for
                    message = ready.recv_bytes()
                    _give(ready, left)
                    found[_NUMBER.unpack_from(message)[0]] = message[_NUMBER.size :]
            answer = found.pop(job)
            if answer[:1] == _RAISED:
                raise pickle.loads(answer[1:])  # noqa: S301 - of a process that this one started
            yield answer[1:]
        over = True
    except (EOFError, ConnectionError):
        raise HostError("expected the processes of self-play to live, got one that was lost") from None
    finally:
        for here, worker in workers.items():
            if over:
                with suppress(OSError):
                    here.send_bytes(_NO_MORE)  # processes hold each other's connections, so to close it tells nothing
            else:
                worker.terminate()
            here.close()
        for worker in workers.values():
            worker.join()


def _give(here: Connection, left: Iterator[int]) -> None:
    """Give the next job to a process, if there is one."""
    for job in left:
        here.send_bytes(_NUMBER.pack(job))
        return


def _serve(there: Connection, begin: Callable[..., Do], arguments: tuple[Any, ...]) -> None:
    """Do jobs until no more come."""
    do = begin(*arguments)
    with suppress(EOFError, ConnectionError):
        while (number := there.recv_bytes()) != _NO_MORE:
            try:
                answer = _DONE + do(_NUMBER.unpack(number)[0])
            except BaseException as error:  # noqa: BLE001 - of any kind: it is raised again where the jobs come from
                answer = _RAISED + _sent(error)
            there.send_bytes(number + answer)


def _sent(error: BaseException) -> bytes:
    """An error as bytes; one that cannot be sent becomes another with its text."""
    error.add_note("".join(format_exception(error)))
    try:
        sent = pickle.dumps(error)
        pickle.loads(sent)  # noqa: S301 - made a line above
    except Exception:  # noqa: BLE001 - errors of others may raise anything here
        return pickle.dumps(RuntimeError(f"{type(error).__name__}: {error}"))
    return sent
