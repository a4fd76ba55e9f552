"""The rare jobs of a lane, which load what no match needs: to build a bot, to check one, to ask some again."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import msgspec

from arena.errors import BotError, HostError, cure_of
from arena.game import Seat
from arena.players.botfile import BotFile
from arena.players.building import BuildError, prepare
from arena.players.lifetime import sweep
from arena.players.serving import run_command
from arena.referee import Player
from arena.retelling import Differs
from arena.tournament.lane_messages import VOIDS, Build, Check, Done, Message, NotBuilt, Recall, Trying
from arena.tournament.recall import compare


def check(job: Check, scratch: Path, send: Callable[[Message], None], flaw_in: Callable[[Exception], str]) -> Done:
    """Try a bot; the findings. ``flaw_in`` tells what is wrong with a game."""
    from arena.conformance.recital import Recital  # noqa: PLC0415 - of these jobs it alone needs that

    trial = Recital(job.bot, job.limits, scratch, lambda what: send(Trying(what)), exit_first=job.exit_first)
    try:
        lines = bytes(job.transcripts)
        return Done.of(trial.try_at(job.tables) if lines == b"[]" else trial.try_lines(lines, job.ruled_out))
    except HostError as trouble:
        return Done(failed=f"this machine is too busy to tell how {job.name} does: {trouble}")
    except Exception as error:  # noqa: BLE001 - a flaw in a game is reported to its author
        return Done(failed=f"expected a game that can be played to its end, got {flaw_in(error)}")


def build(job: Build) -> Done:
    """Build a bot; its folder, or why it cannot be built."""

    def run(argv: Sequence[str], env: Mapping[str, str], folder: Path, seconds: float) -> tuple[int | None, bytes]:
        try:
            return run_command(argv, env, folder, seconds, replace(job.sandbox, writable=(str(folder),)))
        finally:
            sweep()

    try:
        bot = msgspec.json.decode(job.bot, type=BotFile)
        return Done.of(
            (prepare(bot, run=run, cache=Path(job.cache), within=Path(job.within), seconds=job.seconds), None)
        )
    except BuildError as error:
        return Done.of(("", NotBuilt(why=error.why, step=error.step, output=tuple(error.output))))
    except BotError as error:
        return Done.of(("", NotBuilt(why=str(error))))
    except HostError as error:
        return Done(failed=f"expected this machine to build {job.name}, got: {error}")
    except OSError as error:
        return Done(failed=f"expected this machine to build {job.name}, got: {error}; {cure_of(error.errno or 0)}")


def recall(job: Recall, seat_all: Callable[[Recall], Mapping[Seat, Player]], dismiss: Callable[[], None]) -> Done:
    """Compare answers, again with new processes if the host fails."""
    why = ""
    for _ in range(VOIDS):
        bots = seat_all(job)
        try:
            return Done.of(compare(job.match, job.record, bots, stop=job.stop, first=job.first, last=job.last))
        except (HostError, Differs) as trouble:
            why = str(trouble)
        finally:
            dismiss()
    return Done(failed=why)
