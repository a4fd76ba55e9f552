"""One lane: a single-threaded process that plays one match after the other and owns the bots in them.

``arena.tournament.lanes`` starts it with the words PARENT SCRATCH GROVE. It knows no journal and no ratings. When it
ends, no process of any bot is left, unless it was killed by SIGKILL. Then its runner ends the bots; if the runner is
gone too, ``arena.players.guard`` does.
"""

import contextlib
import gc
import os
import signal
import sys
import traceback
from collections.abc import Callable, Sequence
from pathlib import Path
from secrets import token_hex
from types import FrameType

import msgspec

from arena import record as records
from arena.errors import HostError, raised
from arena.fault import Fault
from arena.games import find
from arena.players import guard
from arena.players.bot_player import BotPlayer, leave
from arena.players.command import run
from arena.players.cpu_accounting import CpuAccounting
from arena.players.launch import Launch
from arena.players.lifetime import PATIENCE, adopt_orphans, any_exited, die_with_parent, discard, harden, sweep
from arena.players.local import LocalPlayer
from arena.players.spawn import CannotStart
from arena.record import Record
from arena.referee import Match, Player, play, void
from arena.sandbox import staging
from arena.sandbox.blur import blur
from arena.sandbox.cgroup import Grove
from arena.tournament import cores
from arena.tournament.lane_messages import (
    Check,
    Checked,
    Command,
    Compared,
    DealtMatch,
    Differed,
    Done,
    Errors,
    Friendly,
    Greeted,
    MatchOver,
    Message,
    PlayUnit,
    Preflight,
    Prove,
    Proved,
    Ran,
    Recall,
    Shown,
    Told,
    Trying,
    Up,
    decode_job,
    encode,
)

VOIDS = 2
"""Attempts at a match before it is recorded void."""
WITHDRAWN_AFTER = 8
"""Retirements in a row, within a unit, after which an entrant is withdrawn for the rest of it."""
_AGAIN = 0.1
"""Seconds after which a lane that was asked to stop, and has not begun to, is stopped again."""

Send = Callable[[Message], None]


class Lane:
    """The bots of one lane and the jobs it does for its runner."""

    def __init__(self, send: Send, scratch: Path, grove: Grove | None) -> None:
        self._send = send
        self._scratch = scratch
        self._grove = grove
        self._players: dict[str, BotPlayer] = {}
        self._accounting = CpuAccounting(alone=True)

    def do(self, line: bytes) -> None:
        """Do one job and say when it is done."""
        job = decode_job(line)
        match job:
            case PlayUnit():
                self._play(job)
            case Friendly():
                self._host(job)
            case Preflight():
                self._greet_all(job)
            case Command():
                self._run(job)
            case Check():
                self._check(job)
            case Recall():
                self._recall(job)
            case Prove():
                from arena.sandbox.proving import proven  # noqa: PLC0415 - few lanes prove anything

                proof = proven(job.level, whole=job.whole)
                sweep()
                self._send(Proved(proof.holds, proof.why, proof.attacks))
        self._send(Done())

    def _player(self, name: str, launch: Launch) -> BotPlayer:
        return self._seated(name, launch, lambda bot, text: self._send(Errors(bot, text)))

    def _local(self, name: str) -> LocalPlayer:
        return LocalPlayer(lambda line: self._send(Told(msgspec.Raw(line), name)), _answer)

    def _seated(
        self, name: str, launch: Launch, on_stderr: Callable[[str, bytes], None], *, trial: bool = False
    ) -> BotPlayer:
        show = (lambda mark, text: self._send(Shown(bot=name, mark=mark, text=text))) if launch.shown else None
        return BotPlayer(name, launch, self._scratch, on_stderr, self._accounting, self._grove, show=show, trial=trial)

    def abandon(self) -> None:
        """Kill the groups of all bots at once: for the end of the lane, where there is no time for a sweep."""
        for player in self._players.values():
            player.abandon()

    def _dismiss(self, patience: float = PATIENCE) -> None:
        """End all bots with all their descendants."""
        leave(list(self._players.values()), patience)
        self._players.clear()
        sweep()

    # --- a unit of the schedule

    def _play(self, job: PlayUnit) -> None:
        retirements = dict(job.retirements)
        for dealt in job.matches:
            silent = tuple(
                seat for seat, bot in enumerate(dealt.match.bots) if retirements.get(bot, 0) >= WITHDRAWN_AFTER
            )
            record = self._attempt(msgspec.structs.replace(dealt.match, silent=silent), dealt, job.bots)
            self._send(MatchOver(msgspec.Raw(records.encode(record))))
            for seat, bot in enumerate(record.bots):
                retirements[bot] = retirements.get(bot, 0) + 1 if seat in record.retired else 0
            if record.faults or any_exited():
                self._sweep_the_fallen()
        self._dismiss()
        if any(launch.sandbox.level != "none" for launch in job.bots.values()):
            blur()
        gc.collect()

    def _attempt(self, match: Match, dealt: DealtMatch, bots: dict[str, Launch]) -> Record:
        """Play a match, again with new processes if the machine fails; void after ``VOIDS`` attempts."""
        for _ in range(VOIDS):
            for name in match.bots:
                if name not in self._players and not bots[name].local:
                    self._players[name] = self._player(name, bots[name])
            self._start_together(match)
            players = [self._players.get(name) or self._local(name) for name in match.bots]
            record = self._once(match, dealt.deal, players)
            if record.reason != "void":
                return record
            self._dismiss(patience=0)
        return record

    def _start_together(self, match: Match) -> None:
        """Start all bots that have no process before any is greeted, so that they start side by side."""
        for seat, name in enumerate(match.bots):
            player = self._players.get(name)
            if player is not None and player.process is None and seat not in match.silent:
                # the same error is reported when the bot is greeted
                with contextlib.suppress(CannotStart, HostError):
                    player.start()

    def _once(self, match: Match, deal: bytes, players: Sequence[Player]) -> Record:
        """Play a match; void if the machine fails."""
        self._accounting.begin_match(match.bots)
        try:
            state = find(match.game).deal(len(match.bots), deal, match.variants)
            return self._with_burnt(play(match, state, players))
        except HostError as trouble:
            why = str(trouble)
        except Exception as error:  # noqa: BLE001 - a flaw in a game must not end the run: the match is void
            why = _flaw(error)
        return void(match, why)

    def _host(self, job: Friendly) -> None:
        match = job.dealt.match
        self._players = {name: self._player(name, launch) for name, launch in job.bots.items()}
        players = [self._players.get(name) or self._local(name) for name in match.bots]
        record = self._once(match, job.dealt.deal, players)
        self._send(MatchOver(msgspec.Raw(records.encode(record))))
        self._dismiss()

    def _with_burnt(self, record: Record) -> Record:
        burnt = self._accounting.end_match()
        micros = tuple([round(burnt.get(bot, 0.0) * 1e6) for bot in record.bots]) if burnt else ()
        return msgspec.structs.replace(record, burnt=micros) if any(micros) else record

    def _sweep_the_fallen(self) -> None:
        """End the processes that ended bots left behind, and reap the dead; bots that still play keep their helpers."""
        living = [player for player in self._players.values() if player.process is not None]
        keep = {player.process.pid for player in living if player.process is not None}
        sweep(keep, {player.token for player in living})

    # --- before the first match

    def _greet_all(self, job: Preflight) -> None:
        for name, launch in job.bots.items():
            kept: list[bytes] = []
            player = self._seated(name, launch, lambda _, text, kept=kept: kept.append(text), trial=True)  # type: ignore[misc]  # mypy cannot infer a lambda's default
            self._players[name] = player
            for _ in range(VOIDS):
                try:
                    fault = player.greet(job.hello)
                    break
                except HostError as error:
                    fault = Fault.of("unready", rule=f"expected this machine to start it, got: {error}")
                    self._dismiss(patience=0)
                    self._players[name] = player
            self._dismiss(patience=0 if fault else PATIENCE)
            self._send(Greeted(bot=name, fault=fault, errors=b"".join(kept)))

    def _run(self, job: Command) -> None:
        try:
            ran = Ran(*run(job.argv, job.env, Path(job.folder), job.seconds, job.sandbox))
        except (CannotStart, HostError) as error:
            ran = Ran(None, b"", str(error))
        sweep()
        self._send(ran)

    def _check(self, job: Check) -> None:
        from arena.conformance.trial import Trial  # noqa: PLC0415 - only `arena check` needs it

        trial = Trial(
            job.bot, job.limits, self._scratch, lambda what: self._send(Trying(what)), exit_first=job.exit_first
        )
        try:
            checked = Checked(trial.run(job.tables))
        except HostError as trouble:
            checked = Checked(None, str(trouble))
        except Exception as error:  # noqa: BLE001 - a flaw in a game is reported to its author
            checked = Checked(None, _flaw(error), game_failed=True)
        sweep()
        self._send(checked)

    def _recall(self, job: Recall) -> None:
        """Compare, again with new processes if the house fails."""
        from arena.tournament.recall import compare  # noqa: PLC0415 - only `arena verify` needs it

        why = ""
        for _ in range(VOIDS):
            bots = {
                seat: self._seated(job.dealt.match.bots[seat], launch, lambda _bot, _text: None)
                for seat, launch in job.bots.items()
            }
            self._players.update((str(seat), bot) for seat, bot in bots.items())
            differed: list[Differed] = []
            try:
                compared = compare(job.dealt, job.record, bots, differed.append, stop=job.stop)
            except (HostError, records.Differs) as trouble:
                why = str(trouble)
            else:
                for difference in differed:
                    self._send(difference)
                self._send(compared)
                break
            finally:
                self._dismiss()
        else:
            self._send(Compared(decisions={}, differing={}, why=why))
        gc.collect()


def _flaw(error: Exception) -> str:
    """What an error of a game says, and where it was raised."""
    frame = traceback.extract_tb(error.__traceback__)[-1]
    return f"{raised(error)} ({Path(frame.filename).name}:{frame.lineno})"


def _answer() -> bytes:
    """A line from the runner during a job."""
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

    asked = False
    begun = False


def _stop(_number: int, _frame: FrameType | None) -> None:
    """Raise the end from wherever the lane is; and again a moment later, if a clean-up turned it into another error."""
    if _End.begun:
        # at its end the runner closes the pipe, and a moment later sends SIGTERM: that must not interrupt the sweep
        return
    _End.asked = True
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
        guard.mark(Path(sys.argv[2]).name)
        # named before it is made, so that it is removed even if the lane ends in between
        scratch = Path(sys.argv[2], f"lane-{token_hex(8)}")
        scratch.mkdir(0o700)
        core = cores.take()
        cores.go_first()
        gc.collect()
        gc.freeze()
        staging.near(scratch.parent)
        grove = msgspec.json.decode(sys.argv[3], type=Grove | None)
        lane = Lane(lambda message: _write_all(encode(message) + b"\n"), scratch, grove)
        _write_all(encode(Up(core)) + b"\n")
        for line in sys.stdin.buffer:
            lane.do(line)
    except (SystemExit, BrokenPipeError):
        pass
    except Exception:  # noqa: BLE001 - the runner goes on with another lane; the traceback is for people
        if not _End.asked:
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
            staging.end()
            if scratch is not None:
                discard(scratch)
            # where neither runner nor guard is left, the last lane removes the run's own folder
            with contextlib.suppress(OSError):
                Path(sys.argv[2]).rmdir()
            os._exit(0)


if __name__ == "__main__":
    main()
