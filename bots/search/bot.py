"""Thinks before it answers: information-set Monte Carlo tree search over imagined matches, in any game.

It imagines tables that agree with all it has learnt, plays each of them on for every answer, and gives the answer that
does best. In games for which ``greedy`` has a page, it assumes that everyone plays by that page after its own answer.
In other games everyone learns within the tree and answers at random beyond it. ``arena.search`` is the search;
``guides/`` tells it about each game: how everyone answers, how far to play on, and who is ahead there.
"""

from __future__ import annotations

import gc
import importlib.util
import sys
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, Any

from arena import games
from arena.bot import Bot, Decision, Hello
from arena.players.entrants import find_bot_shelf
from arena.search import Guide, Search, Timing

if TYPE_CHECKING:
    from collections.abc import Sequence
    from types import ModuleType


class Searcher(Bot[Any]):
    """A search for the game that is played, and a clock for the match."""

    name = "search"

    def __init__(self) -> None:
        self._game = ""
        self._search: Search | None = None

    def begin(self, hello: Hello, /) -> None:
        """Get ready while nobody waits for an answer: load the guide to the game, and collect garbage."""
        self._timing = Timing(hello.limits)
        if hello.game != self._game:
            self._game, self._search = hello.game, search(hello.game)
        if not gc.isenabled():
            gc.collect()

    def decide(self, decision: Decision[Any], /) -> Sequence[int]:
        """Search for as long as the clock allows; where the game is not installed, the first options."""
        if self._search is None:
            return range(decision.least)
        begun = monotonic()
        deadline = begun + self._timing.allot(decision.time) / 1000
        picks = self._search.picks(
            decision, decision.observation, seat=decision.seat, deadline=deadline, rng=decision.rng
        )
        ended = monotonic()
        overrun, pause = 1000 * (ended - deadline), 1000 * self._search.pause
        self._timing.charge(used=1000 * (ended - begun), overrun=overrun, pause=pause)
        return picks


def search(game: str) -> Search | None:
    """The search for a game, or None with a line on stderr."""
    try:
        return Search(games.find(game), guide(game))
    except LookupError:
        print(f"search: no game {game!r} is installed here, so it takes the first options", file=sys.stderr)
        return None


def guide(game: str) -> Guide:
    """The guide to a game: that of its page here or of its package, or else made from greedy's answers, if any."""
    page = module(find_bot_shelf() / "greedy", game)
    told = module(Path(__file__).parent / "guides", game)
    if page is None:
        own = games.find(game)
        made: Guide = own.guide() if own.guide else Guide(policy=own.greedy)
        return made
    if told is None:
        return Guide(policy=page.decide)
    found: Guide = told.guide(page)
    return found


def module(folder: Path, game: str) -> ModuleType | None:
    """The page of a game in a folder as a new module; None if there is none."""
    path = folder / f"{game.replace('-', '_')}.py"
    spec = importlib.util.spec_from_file_location(f"{folder.name}_{path.stem}", path)
    if not path.is_file() or spec is None or spec.loader is None:
        return None
    page = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(page)
    return page


if __name__ == "__main__":
    gc.disable()  # a collection would take time while the referee waits
    Searcher().run()
