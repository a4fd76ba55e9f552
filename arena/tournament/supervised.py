"""Build steps in a lane, so that they too leave no process behind when the runner dies."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from arena.players.build import Run
from arena.tournament.jobs import Command, Job, Message, Ran
from arena.tournament.lanes import Lanes


def supervised(lanes: Lanes) -> Run:
    """A function that runs one command in a lane: its exit status, None if out of time, and its output."""

    def run(argv: Sequence[str], env: Mapping[str, str], folder: Path, seconds: float) -> tuple[int | None, bytes]:
        ran: list[Ran] = []

        def heard(_job: Job, message: Message) -> None:
            if isinstance(message, Ran):
                ran.append(message)

        lanes.run([Command(tuple(argv), dict(env), str(folder), seconds)], heard)
        return ran[0].status, ran[0].output

    return run
