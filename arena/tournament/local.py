"""Bots that play in the runner's process: each is made once for each job of a lane, as a process would be."""

import traceback
from collections.abc import Callable, Collection, Mapping
from pathlib import Path
from typing import TypeAlias

from arena.errors import raised
from arena.players.local import Conversation, Raised
from arena.tournament.lane_messages import Job, encode

Factory: TypeAlias = Callable[[], Conversation]
"""Makes one that answers for a bot, new from the start."""


class LocalBots:
    """The lives of all bots that play here, by the job that they play in."""

    def __init__(self, factories: Mapping[str, Factory]) -> None:
        """``factories`` by the name of the entrant."""
        self._factories = factories
        self._lives: list[tuple[Job, dict[str, Conversation]]] = []

    def answer(self, job: Job, bot: str, line: bytes, doing: Collection[Job]) -> bytes:
        """What a bot says to a message of the house, empty if nothing; ``doing`` are the jobs in lanes."""
        try:
            return self._life(job, bot, doing)(line) or b""
        except (Exception, SystemExit) as error:  # noqa: BLE001 - whatever a bot's code raises is the bot's fault
            frame = traceback.extract_tb(error.__traceback__)[-1]
            return encode(Raised(error=raised(error), where=f"{Path(frame.filename).name}:{frame.lineno}"))

    def _life(self, job: Job, bot: str, doing: Collection[Job]) -> Conversation:
        lives = next((lives for known, lives in self._lives if known is job), None)
        if lives is None:
            # forget the bots of jobs that no lane does any more
            self._lives = [(known, there) for known, there in self._lives if any(known is job for job in doing)]
            lives = {}
            self._lives.append((job, lives))
        if bot not in lives:
            lives[bot] = self._factories[bot]()
        return lives[bot]
