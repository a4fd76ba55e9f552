"""All ways in which chance can fall, each with its likelihood. Knows no game."""

from collections import Counter
from collections.abc import Callable, Iterator, MutableSequence
from math import prod
from typing import Any, TypeVar

from msgspec import Struct

from arena.chance import Chance

Result = TypeVar("Result")


class TooManyWays(Exception):
    """Chance falls in more ways than are to be tried."""


class Script(Struct):
    """How chance falls this time: the number of the outcome of each event in turn; 0 where no number is given."""

    given: list[int]
    most: int
    """Ways in which chance may fall."""
    odds: list[list[float]] = []
    """For each event that came, how likely each outcome was."""

    def next(self, odds: list[float]) -> int:
        """The number of the outcome of the next event; ``TooManyWays`` if there are more ways than may be."""
        event = len(self.odds)
        self.odds.append(odds)
        if prod(map(len, self.odds)) > self.most:
            raise TooManyWays
        return self.given[event] if event < len(self.given) else 0

    def next_kind(self, items: MutableSequence[Any]) -> Any:
        """One of these items, each copy equally likely; equal ones are one outcome."""
        copies = Counter(items)
        kinds = list(copies)
        return kinds[self.next([copies[kind] / len(items) for kind in kinds])]

    @property
    def likelihood(self) -> float:
        """The likelihood of all outcomes that fell."""
        likely = 1.0
        for event, odds in enumerate(self.odds):
            likely *= odds[self.given[event] if event < len(self.given) else 0]
        return likely

    def following(self) -> list[int] | None:
        """The next way for chance to fall, None after the last."""
        given = [self.given[event] if event < len(self.given) else 0 for event in range(len(self.odds))]
        while given:
            given[-1] += 1
            if given[-1] < len(self.odds[len(given) - 1]):
                return given
            given.pop()
        return None


class Scripted(Chance):
    """Chance that falls as a script tells."""

    script: Any = None

    def below(self, n: int) -> int:
        """As told."""
        if n > self.script.most:
            raise TooManyWays
        outcome: int = self.script.next([1 / n] * n)
        return outcome

    def roll(self, sides: int = 6) -> int:
        """As told."""
        return 1 + self.below(sides)

    def shuffle(self, items: MutableSequence[Any]) -> None:
        """Into an order as told; orders that look alike are one."""
        left = list(items)
        for place in range(len(left) - 1, -1, -1):
            items[place] = self.script.next_kind(left)
            left.remove(items[place])

    def copy(self) -> "Scripted":
        """The same."""
        return self


def every_way(play: Callable[[Script], Result], most: int) -> Iterator[tuple[float, Result]]:
    """Play once for each of at most ``most`` ways in which chance can fall: how likely it is, and what came of it."""
    given: list[int] | None = []
    while given is not None:
        script = Script(given, most)
        result = play(script)
        yield script.likelihood, result
        given = script.following()


def scripted(script: Script) -> Scripted:
    """Chance that falls as this script tells."""
    chance = Scripted(b"")
    chance.script = script
    return chance
