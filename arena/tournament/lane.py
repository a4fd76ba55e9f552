"""One lane: a single-threaded process that plays one match after the other and owns the bots in them.

``arena.tournament.lanes`` starts it with the words PARENT SCRATCH CGROUPS. It knows no journal and no ratings. When it
ends, no process of any bot is left, unless it was killed by SIGKILL. Then its runner ends the bots; if the runner is
gone too, ``arena.players.guard`` does.
"""

import contextlib
import gc
import os
import signal
import sys
import traceback
from collections.abc import Callable, Collection, Sequence
from pathlib import Path
from secrets import token_hex
from types import FrameType

import msgspec

from arena import record as records
from arena.errors import HostError, cure_of, raised
from arena.fault import Fault
from arena.game import Seat
from arena.games import find
from arena.players.bot_player import BotPlayer, leave
from arena.players.cpu_accounting import CpuAccounting
from arena.players.guard import mark
from arena.players.launch import Launch
from arena.players.lifetime import PATIENCE, adopt_orphans, any_exited, die_with_parent, harden, sweep
from arena.players.scratch import discard
from arena.record import Record
from arena.referee import Match, Player, play, void
from arena.sandbox.cgroup import CgroupTree
from arena.tournament.cores import go_first
from arena.tournament.cores import take as take_core
from arena.tournament.lane_messages import (
    VOIDS,
    BotLine,
    Build,
    Check,
    Done,
    Errors,
    Greeting,
    Job,
    MatchOver,
    Message,
    PlayUnit,
    Preflight,
    Prove,
    Recall,
    SeatMessage,
    Up,
    decode_job,
    encode,
    retired_in_a_row,
)
from arena.wire import Over

WITHDRAWN_AFTER = 8
"""Retirements in a row, within a unit, after which an entrant is withdrawn for the rest of it."""
_MOST_WAITING = 8
"""Processes that wait in a lane for their first unit."""
_AGAIN = 0.1
"""Seconds after which a lane that was asked to stop, and has not begun to, is stopped again."""

Send = Callable[[Message], None]


class Lane:
    """The bots of one lane and the jobs it does for its runner."""

    def __init__(self, send: Send, scratch: Path, cgroups: CgroupTree | None) -> None:
        self._send = send
        self._scratch = scratch
        self._cgroups = cgroups
        self._players: dict[str, BotPlayer] = {}
        self._accounting = CpuAccounting(alone=True)

    def do(self, line: bytes) -> None:
        """Do one job and send its answer."""
        job = decode_job(line)
        self._dismiss(but=self._fit(job))
        match job:
            case PlayUnit():
                done = self._play(job)
            case Preflight():
                done = self._greet(job)
            case Build() | Check() | Recall():
                from arena.tournament import lane_jobs  # noqa: PLC0415 - few lanes do them

                if isinstance(job, Build):
                    done = lane_jobs.build(job)
                elif isinstance(job, Check):
                    done = lane_jobs.check(job, self._scratch, self._send, _flaw)
                else:
                    done = lane_jobs.recall(job, self._seat_all, self._dismiss)
            case Prove():
                from arena.sandbox.proving import proven  # noqa: PLC0415 - few lanes prove anything

                done = Done.of(proven(job.level, job.bounds, full=job.whole))
        self._sweep_the_fallen()
        gc.collect()
        self._send(done)

    def _errors(self, bot: str, text: bytes) -> None:
        self._send(Errors(bot, text))

    def _local(self, name: str) -> Player:
        from arena.players.local import LocalPlayer  # noqa: PLC0415 - few bots play in the runner

        return LocalPlayer(lambda line: self._send(SeatMessage(msgspec.Raw(line), name)), _answer)

    def _seated(self, name: str, launch: Launch, on_stderr: Callable[[str, bytes], None]) -> BotPlayer:
        show = (lambda mark, text: self._send(BotLine(bot=name, mark=mark, text=text))) if launch.shown else None
        return BotPlayer(name, launch, self._scratch, on_stderr, self._accounting, self._cgroups, show=show)

    def abandon(self) -> None:
        """Kill the groups of all bots at once: for the end of the lane, where there is no time for a sweep."""
        for player in self._players.values():
            player.abandon()

    def dismiss(self) -> None:
        """End all bots as the protocol says, for an end of the lane that has time."""
        self._dismiss()

    def _dismiss(self, patience: float = PATIENCE, *, but: Collection[str] = ()) -> None:
        if self._players.keys() <= {*but}:
            return
        leave([player for name, player in self._players.items() if name not in but], patience)
        self._players = {name: player for name, player in self._players.items() if name in but}
        self._sweep_the_fallen()

    def _fit(self, job: Job) -> Collection[str]:
        """The bots whose processes play on in a unit: it has no deal that they have seen. Others may wait for one."""
        if isinstance(job, Preflight):
            return self._players.keys() - {job.name} if len(self._players) < _MOST_WAITING else ()
        if not isinstance(job, PlayUnit) or job.states:
            return ()
        deals = {match.deal for match in job.matches}
        players = self._players.items()
        return [name for name, one in players if job.bots.get(name) == one.launch and one.deals.isdisjoint(deals)]

    def _end_unit(self) -> None:
        """End all bots but those that may play on in another unit."""
        self._dismiss(but=[name for name, player in self._players.items() if player.launch.lasting])
        for player in self._players.values():
            player.end_unit()

    # --- a unit of the schedule

    def _play(self, job: PlayUnit) -> Done:
        retirements = job.retirements
        for match in job.matches:
            silent = tuple(seat for seat, bot in enumerate(match.bots) if retirements.get(bot, 0) >= WITHDRAWN_AFTER)
            record = self._attempt(msgspec.structs.replace(match, silent=silent), job)
            notes = {name: kept for name, player in self._players.items() if (kept := player.notes.end())}
            self._send(MatchOver(msgspec.Raw(records.encode(record)), notes))
            retirements = retired_in_a_row(retirements, record.bots, [record.bots[seat] for seat in record.retired])
            if record.faults or any_exited():
                self._sweep_the_fallen()
        self._end_unit()
        return Done.of(retirements)

    def _attempt(self, match: Match, job: PlayUnit) -> Record:
        """Play a match, again with new processes if the machine fails; void after the last attempt."""
        for _ in range(job.attempts):
            for name in match.bots:
                if name not in self._players and name in job.bots and not job.bots[name].local:
                    self._players[name] = self._seated(name, job.bots[name], self._errors)
            for name in self._players.keys() & {*match.bots}:
                self._players[name].deals.add(match.deal)
            self._start_together(match)
            players = [self._players.get(name) or self._local(name) for name in match.bots]
            record = self._once(match, players, job.states.get(match.id))
            if record.reason != "void":
                return record
            self._dismiss(patience=0)
        return record

    def _start_together(self, match: Match) -> None:
        """Start all processes that the match needs before any bot is greeted, so that they start side by side."""
        for seat, name in enumerate(match.bots):
            if name in self._players and seat not in match.silent:
                self._players[name].start_ahead()

    def _once(self, match: Match, players: Sequence[Player], saved: msgspec.Raw | None) -> Record:
        self._accounting.begin_match(match.bots)
        try:
            game = find(match.game)
            deal = None if saved else game.deal(len(match.bots), match.deal, match.variants)
            record = play(match, deal or msgspec.json.decode(saved or b"", type=game.state), players)
        except HostError as trouble:
            return void(match, str(trouble))
        except Exception as error:  # noqa: BLE001 - a flaw in a game must not end the run: the match is void
            return void(match, _flaw(error))
        burnt = self._accounting.end_match()
        micros = tuple([round(burnt.get(bot, 0.0) * 1e6) for bot in record.bots]) if burnt else ()
        return msgspec.structs.replace(record, burnt=micros) if any(micros) else record

    def _sweep_the_fallen(self) -> None:
        """End the processes that ended bots left behind, and reap the dead; bots that still play keep their helpers."""
        living = [player for player in self._players.values() if player.process is not None]
        keep = {player.process.pid for player in living if player.process is not None}
        sweep(keep, {player.token for player in living})

    # --- other jobs

    def _greet(self, job: Preflight) -> Done:
        written: list[bytes] = []
        for _ in range(VOIDS):
            player = self._seated(job.name, job.bot, lambda _, text: written.append(text))
            self._players[job.name] = player
            try:
                fault = player.greet(job.hello) or self._greet_again(player, job)
                break
            except HostError as error:
                trouble, fault = str(error), None
                self._dismiss(patience=0)
        else:
            return Done(failed=f"expected this machine to start {job.name}, got: {trouble}")
        exit_status = player.process.exit_status() if player.process is not None else None
        self._dismiss(patience=0) if fault else self._end_unit()
        return Done.of(Greeting(fault=fault, exit_status=exit_status, errors=b"".join(written)))

    @staticmethod
    def _greet_again(player: BotPlayer, job: Preflight) -> Fault | None:
        """End a match without a question, and open another: a `ready` that came before `hello` was none to it."""
        if job.bot.fresh:
            return None
        everyone = (0,) * job.hello.seats
        player.close(Over(ranks=everyone, scores=everyone, reason="finished", events=[]))
        return player.greet(job.hello)

    def _seat_all(self, job: Recall) -> dict[Seat, BotPlayer]:
        bots = {
            seat: self._seated(job.match.bots[seat], launch, lambda _bot, _text: None)
            for seat, launch in job.bots.items()
        }
        self._players.update((str(seat), bot) for seat, bot in bots.items())
        return bots


def _flaw(error: Exception) -> str:
    frame = traceback.extract_tb(error.__traceback__)[-1]
    return f"{raised(error)} ({Path(frame.filename).name}:{frame.lineno})"


def _answer() -> bytes:
    line = sys.stdin.buffer.readline()
    if not line:
        raise SystemExit(0)
    return line.rstrip(b"\n")


def _write_all(data: bytes) -> None:
    view = memoryview(data)
    while view:
        view = view[os.write(1, view) :]


class _End:
    """How far the end of this process has come."""

    due = False
    begun = False


def _stop(_number: int, _frame: FrameType | None) -> None:
    """Raise the end from wherever the lane is; and again a moment later, if a clean-up turned it into another error."""
    if _End.begun:
        # at its end the runner closes the pipe, and a moment later sends SIGTERM: that must not interrupt the sweep
        return
    _End.due = True
    signal.signal(signal.SIGALRM, _stop)
    signal.setitimer(signal.ITIMER_REAL, _AGAIN)
    raise SystemExit(0)


def main() -> None:
    """Serve the runner until its pipe ends or SIGTERM comes; then leave no process behind."""
    signal.signal(signal.SIGTERM, _stop)
    # only the runner acts on Ctrl-C; bots would inherit SIG_IGN, but they do not inherit a function
    for number in (signal.SIGINT, signal.SIGHUP, signal.SIGQUIT):
        signal.signal(number, lambda _number, _frame: None)
    scratch: Path | None = None
    lane: Lane | None = None
    try:
        die_with_parent(int(sys.argv[1]))
        adopt_orphans()
        harden()
        mark(Path(sys.argv[2]).name)
        # named before it is made, so that it is removed even if the lane ends in between
        scratch = Path(sys.argv[2], f"lane-{token_hex(8)}")
        scratch.mkdir(0o700)
        core = take_core()
        go_first()
        gc.collect()
        gc.freeze()
        cgroups = msgspec.json.decode(sys.argv[3], type=CgroupTree | None)
        lane = Lane(lambda message: _write_all(encode(message) + b"\n"), scratch, cgroups)
        _write_all(encode(Up(core)) + b"\n")
        for line in sys.stdin.buffer:
            lane.do(line)
        lane.dismiss()
    except (SystemExit, BrokenPipeError):
        pass
    except OSError as error:
        sys.stderr.write(f"arena: a lane ends: {error}; {cure_of(error.errno or 0)}\n")
    except Exception:  # noqa: BLE001 - the runner goes on with another lane; the traceback is for people
        if not _End.due:
            traceback.print_exc()
    finally:
        # set first, and without a call: Python handles signals at the end of calls
        _End.begun = True
        try:
            signal.setitimer(signal.ITIMER_REAL, 0)
            if lane is not None:
                lane.abandon()
            sweep()
        finally:
            if scratch is not None:
                discard(scratch)
            # where neither runner nor guard is left, the last lane removes the run's own folder
            with contextlib.suppress(OSError):
                Path(sys.argv[2]).rmdir()
            os._exit(0)


if __name__ == "__main__":
    main()
