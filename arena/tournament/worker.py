"""A unit played for a runner on another machine: the task that a worker gets, and the host process that plays it.

A worker may be a thread of a larger program, which can neither receive signals nor adopt orphans. So each worker keeps
one host (``arena.tournament.worker PARENT``). The host holds one lane and ends with the worker, even if the worker is
killed. Knows no executor and no journal. The keys of a unit come with its task and go to the host by pipe alone.
"""

import os
import socket
import subprocess
import sys
import threading
from contextlib import suppress

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from arena.errors import BotError, HostError, Interrupted, words_of
from arena.games import find
from arena.interpreter import __version__, isolated
from arena.players.botfile import BotFile
from arena.players.content import BUILT, digest_bot
from arena.players.launch import Launch
from arena.players.lifetime import die_with_parent
from arena.tournament.isolation import prove, trouble_of
from arena.tournament.lane_messages import Done, Job, PlayUnit, Up, encode
from arena.tournament.lanes import Lanes
from arena.tournament.roster import keep_files, preflight

_UP, _DONE = encode(Up(None)) + b"\n", b'{"type":"done"'
_hosts = threading.local()
"""As ``host`` the host of each thread, if it has one."""


class _Sent(Struct):
    """The part of a task that every version can read."""

    arena: str


class Task(_Sent):
    """A unit for a worker on another machine, with the conditions that are checked there before it is played."""

    digests: dict[str, str]
    """For each bot, ``likeness`` of how it is started."""
    job: PlayUnit


def play_task(task: bytes) -> bytes:
    """Play a unit: from a ``Task`` to the messages of the lane, a line each.

    The last is ``Done``, failed if this worker cannot play it; without it the lane was lost on the way.
    Nothing is raised: an executor would log the arguments, which are secret.
    """
    try:
        theirs = msgspec.json.decode(task, type=_Sent).arena
        if theirs != __version__:
            return _unfit(f"expected arena {theirs}, got {__version__}")
        host: _Host | None = getattr(_hosts, "host", None)
        _hosts.host = host = host or _Host()
        answer = host.do(task)
    except (OSError, msgspec.MsgspecError) as error:
        return _unfit(f"expected to play a unit, got {type(error).__name__}: {error}")
    if not host.up:
        _hosts.host = None
    return answer


class _Host:
    """The host process as its worker sees it. It ends when this object is deleted, for instance with its thread."""

    def __init__(self) -> None:
        self._popen = popen = subprocess.Popen(
            isolated("arena.tournament.worker", str(os.getpid())),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            # Ctrl-C at a terminal is for the worker
            start_new_session=True,
        )
        assert popen.stdin  # noqa: S101 - both are pipes, which only the type checker cannot see
        assert popen.stdout  # noqa: S101 - likewise
        self._stdin, self._stdout = popen.stdin, popen.stdout
        self._first = next(self._stdout, b"")
        self.up = self._first == _UP

    def do(self, task: bytes) -> bytes:
        """Have a unit played; its messages, up to the end of the unit or of the host."""
        if not self.up:
            return self._first or _unfit("expected a host process that starts, got one that ended at once")
        with suppress(BrokenPipeError):
            self._stdin.write(task + b"\n")
            self._stdin.flush()
        lines = []
        for line in self._stdout:
            lines.append(line)
            if line.startswith(_DONE):
                break
        else:
            self.up = False
        return b"".join(lines)

    def __del__(self) -> None:
        with suppress(BrokenPipeError):
            self._stdin.close()
        self._stdout.close()
        self._popen.wait()


class Worker:
    """The work of the host: checks that units are played here as on the runner's machine, and has them played."""

    def __init__(self, lanes: Lanes) -> None:
        self._lanes = lanes
        self._proved: set[tuple[str, ...]] = set()
        self._launches: dict[str, tuple[Launch, Launch]] = {}
        """By digest: as it was told, and as it is started here."""

    def do(self, task: Task) -> bool:
        """Play a unit and send its messages; False, without ``Done``, if its lane was lost meanwhile.

        Raises:
            LanesFailed: this machine cannot run lanes.
        """
        if why := self._lack(task):
            _write(_unfit(why))
            return True
        lost: list[Job] = []
        bots = {name: self._keep(launch, task.digests[name]) for name, launch in task.job.bots.items()}
        for _, message in self._lanes.messages([replace(task.job, bots=bots)], lost.append):
            _write(encode(message) + b"\n")
        return not lost

    def _keep(self, launch: Launch, digest: str) -> Launch:
        """The launch with a copy of the bot's files here, made once."""
        source, copy = self._launches.get(digest, (None, launch))
        if source != launch:
            copy = keep_files(launch, self._lanes.room())
            self._launches[digest] = launch, copy
        return copy

    def _lack(self, task: Task) -> str:
        """How this worker differs from the runner's machine; empty if not. Tried once for each bot, level and game."""
        match = task.job.matches[0]
        try:
            game = find(match.game)
        except LookupError as error:
            return str(error)
        if game.version != match.version:
            return f"expected {game.name} version {match.version}, got {game.version}"
        for name, launch in task.job.bots.items():
            level = launch.sandbox.level
            if level != "none" and (level,) not in self._proved:
                proof = prove(self._lanes, level, launch.sandbox.bounds)
                if not proof.holds:
                    return trouble_of(proof) if proof.lack is None else f"expected isolation {level}, got: {proof.why}"
            self._proved.add((level,))
            bot = (game.name, level, name, task.digests[name], *launch.argv)
            if bot not in self._proved:
                if why := _differs(launch, task.digests[name]):
                    return f"bot {name}: {why}"
                seats = len(match.bots)
                for failed in preflight(self._lanes, game, {name: launch}, match.variants, seats=seats).values():
                    return f"bot {name} cannot start: {failed.why}"
            self._proved.add(bot)
        return ""


def likeness(launch: Launch) -> str:
    """The digest of a bot as it is started: equal wherever the same files are started in the same way."""
    return digest_bot(BotFile("", launch.argv, folder=launch.folder, bare=launch.bare), BUILT)


def _differs(launch: Launch, fingerprint: str) -> str:
    try:
        digest_here = likeness(launch)
    except BotError as error:
        return str(error)
    return (
        "" if digest_here == fingerprint else f"expected the files that the runner has in {launch.folder}, got others"
    )


def _unfit(why: str) -> bytes:
    where = f"worker on {socket.gethostname()}, process {os.getpid()}"
    return encode(Done(failed=f"{where}: {why}")) + b"\n"


def _write(data: bytes) -> None:
    sys.stdout.buffer.write(data)
    sys.stdout.buffer.flush()


def _serve(lanes: Lanes) -> None:
    worker = Worker(lanes)
    _write(_UP)
    alive = True
    while alive:
        # one task at a time: nothing waits in a buffer. The pipe may never end: other processes may hold it
        lanes.wait_for(sys.stdin.fileno())
        if not (line := sys.stdin.buffer.readline()):
            break
        try:
            alive = worker.do(msgspec.json.decode(line, type=Task))
        except HostError as error:
            _write(_unfit(str(error)))


def main() -> None:
    """Serve a worker until its pipe or the worker itself ends."""
    die_with_parent(int(sys.argv[1]))
    with suppress(Interrupted, BrokenPipeError):
        try:
            with Lanes(1) as lanes:
                _serve(lanes)
        except BrokenPipeError:
            raise
        except (HostError, OSError, MemoryError) as error:
            _write(_unfit(words_of(error)))
    # an ordinary exit would flush output that a lost worker has not read
    os._exit(0)


if __name__ == "__main__":
    main()
