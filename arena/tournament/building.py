"""Build steps in a lane, so that they too leave no process behind when the runner dies."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from arena.players.build import Run
from arena.players.spawn import CannotStart
from arena.sandbox.sandbox import Sandbox
from arena.tournament.lane_messages import Command, Job, Message, Ran
from arena.tournament.lanes import Lanes


def in_lane(lanes: Lanes, sandbox: Sandbox) -> Run:
    """A function that runs one command in a lane: its exit status, None if out of time, and its output.

    It runs in ``sandbox``, where the folder it starts in may be written to.
    """

    def run(argv: Sequence[str], env: Mapping[str, str], folder: Path, seconds: float) -> tuple[int | None, bytes]:
        ran: list[Ran] = []

        def heard(_job: Job, message: Message) -> None:
            if isinstance(message, Ran):
                ran.append(message)

        inside = replace(sandbox, writable=(str(folder),))
        lanes.run([Command(tuple(argv), dict(env), str(folder), seconds, inside)], heard)
        if ran[0].cannot_start:
            raise CannotStart(ran[0].cannot_start)
        return ran[0].status, ran[0].output

    return run
