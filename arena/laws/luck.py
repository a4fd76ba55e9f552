"""Laws of luck: each gain that a game tells has a mean of exactly 0, whatever came before. Knows no game in particular.

Chance is taken out of its hands: at a step of a random match every way that dice, lots and the next cards of hidden
piles can fall is played, each with its own likelihood, and the luck that the game tells is averaged over them.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from contextlib import suppress
from math import isclose, prod
from typing import Any

from msgspec import Struct

from arena.chance import Chance
from arena.game import Chosen, Game, Luck, Pending, State
from arena.laws.table import Table, answers, hold

MATCHES = 2
WAYS = 120
"""A step that can fall in more ways is passed over, ..."""
CHANCES = 6
"""... and after so many events of a match no more are tried."""
_CLOSE = 1e-9


class _TooMany(Exception):
    """A step falls in more ways than can be tried."""


class _Script(Struct):
    """How chance falls this time: for each event in turn the number of the outcome, 0 beyond those that are given."""

    given: list[int]
    odds: list[list[float]] = []
    """Of each event that came, how likely each outcome was."""

    def next(self, odds: list[float]) -> int:
        """The number of the outcome of the next event."""
        at = len(self.odds)
        self.odds.append(odds)
        return self.given[at] if at < len(self.given) else 0

    @property
    def likelihood(self) -> float:
        """Of all that fell."""
        likely = 1.0
        for at, odds in enumerate(self.odds):
            likely *= odds[self.given[at] if at < len(self.given) else 0]
        return likely

    def following(self) -> list[int] | None:
        """The next way for chance to fall, None after the last."""
        given = [self.given[at] if at < len(self.given) else 0 for at in range(len(self.odds))]
        while given:
            given[-1] += 1
            if given[-1] < len(self.odds[len(given) - 1]):
                return given
            given.pop()
        return None


class _Scripted(Chance):
    """Chance that falls as it is told."""

    script: Any = None

    def below(self, n: int) -> int:
        """As told."""
        found: int = self.script.next([1 / n] * n)
        return found

    def roll(self, sides: int = 6) -> int:
        """As told."""
        return 1 + self.below(sides)

    def shuffle(self, items: list[Any]) -> None:
        """Nothing: a pile falls as told when it is drawn from."""

    def copy(self) -> "_Scripted":
        """The same."""
        return self


class _Pile(list[Any]):
    """A hidden pile of which the next card is as told: any of those left, each copy alike."""

    script: _Script

    def pop(self, at: Any = -1) -> Any:
        """The next card."""
        del at
        copies = Counter(self)
        kinds = list(copies)
        card = kinds[self.script.next([copies[kind] / len(self) for kind in kinds])]
        self.remove(card)
        return card


def luck_is_even(table: Table) -> None:
    """The mean of what a game tells as luck is 0 over all outcomes, given all luck before, and within its span."""
    tell, piles = table.game.luck, getattr(table.book, "PILES", ())
    if tell is None:
        return
    found = sum(_luck_of_a_match(table, number, tell, piles) for number in range(MATCHES))
    usual = table.variants == table.game.settle({})
    hold(found or not usual, f"some luck in {MATCHES} random matches that are as they usually are", "none")


def _luck_of_a_match(table: Table, number: int, tell: Callable[..., Sequence[Luck]], piles: Sequence[str]) -> int:
    """How many chance events of a random match were tried."""
    state, dice, tried = table.deal(number), Chance(b"law of luck", number * 1000), 0
    while tried < CHANCES and isinstance(pending := state.pending(), Pending):
        chosen = answers(pending, dice)
        with suppress(_TooMany):
            tried += _luck_of_a_step(table.game, state, chosen, tell, piles)
        state.apply(chosen)
    return tried


def _luck_of_a_step(
    game: Game, state: State, chosen: Chosen, tell: Callable[..., Sequence[Luck]], piles: Sequence[str]
) -> int:
    """Play every way that chance can fall; how many of its events the game tells the luck of."""
    ways: list[tuple[float, Sequence[Luck]]] = []
    given: list[int] | None = []
    while given is not None:
        script = _Script(given)
        here: Any = state.copy()
        here.chance = _Scripted(b"")
        here.chance.script = script
        for name in piles:
            pile = _Pile(getattr(here, name))
            pile.script = script
            setattr(here, name, pile)
        told = tell(state.copy(), chosen, here.apply(chosen))
        ways.append((script.likelihood, told))
        if len(ways) > WAYS or prod(map(len, script.odds)) > WAYS:
            raise _TooMany
        given = script.following()
    hold(isclose(sum(likely for likely, _ in ways), 1), f"{game.name}: all ways that chance can fall", len(ways))
    most = max(len(told) for _, told in ways)
    for at in range(most):
        _even(game, at, ways)
    return most


def _even(game: Game, at: int, ways: Sequence[tuple[float, Sequence[Luck]]]) -> None:
    """The gains of one event, given all gains before it and its span: each has a mean of 0, and none is too great."""
    alike: defaultdict[tuple[Any, ...], list[tuple[float, Luck]]] = defaultdict(list)
    for likely, told in ways:
        if len(told) > at:
            before = tuple((each.gains, each.span) for each in told[:at])
            alike[before, round(told[at].span, 9)].append((likely, told[at]))
    for same in alike.values():
        for seat in range(len(same[0][1].gains)):
            mean = sum(likely * luck.gains[seat] for likely, luck in same)
            hold(abs(mean) < _CLOSE, f"{game.name}: a mean luck of 0 of seat {seat} at event {at}", mean)
        for _, luck in same:
            spread = max(luck.gains) - min(luck.gains)
            hold(spread <= luck.span * (1 + _CLOSE), f"{game.name}: gains at most {luck.span} apart", spread)


LAWS: tuple[Callable[[Table], None], ...] = (luck_is_even,)
