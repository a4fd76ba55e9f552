"""Laws of luck: each gain that a game tells has a mean of exactly 0, whatever came before.

The law decides what chance gives. At a step of a random match it plays every way in which dice, lots and the next cards
of hidden piles can fall. It averages the luck that the game tells over them, each with its likelihood.
"""

from collections import defaultdict
from collections.abc import MutableSequence, Sequence
from contextlib import suppress
from math import isclose
from typing import Any

from arena.chance import Chance
from arena.game import Chosen, Game, Luck, Pending, State, TellLuck
from arena.laws.odds import Script, Scripted, TooManyWays, every_way
from arena.laws.table import GameSetup, answers, hold, silence

MATCHES = 2
WAYS = 120
"""A step that can fall in more ways is skipped, unless the book allows more (``WAYS``), ..."""
CHANCES = 3
"""... and after this many events of a match no more are tried."""
_CLOSE = 1e-9


class _Unshuffled(Scripted):
    """A hidden pile falls as told when a card is drawn from it."""

    def shuffle(self, items: MutableSequence[Any]) -> None:
        """Does nothing."""


class _Pile(list[Any]):
    """A hidden pile whose next card is as told: any of the cards left, each copy equally likely."""

    script: Script

    def pop(self, place: Any = -1) -> Any:
        """The next card."""
        del place
        card = self.script.next_kind(self)
        self.remove(card)
        return card


def luck_is_even(setup: GameSetup) -> None:
    """The mean of what a game tells as luck is 0 over all outcomes, given all luck before, and within its span."""
    tell = setup.game.luck
    if tell is None:
        return
    events = sum(_luck_of_a_match(setup, number, tell) for number in setup.numbers(MATCHES))
    least = setup.seats == min(setup.game.seats) and setup.variants == setup.game.resolve_variants({})
    hold(events or not least, f"some luck in {MATCHES} matches of the fewest seats", "none")


def _luck_of_a_match(setup: GameSetup, number: int, tell: TellLuck) -> int:
    state, dice, tried = setup.deal(number), Chance(b"law of luck", number * 1000), 0
    while tried < CHANCES and isinstance(pending := state.pending(), Pending):
        choices = answers(pending, dice) if number else silence(pending)
        with suppress(TooManyWays):
            tried += _luck_of_a_step(setup, state, choices, tell)
        state.apply(choices)
    return tried


def _luck_of_a_step(setup: GameSetup, state: State, choices: Chosen, tell: TellLuck) -> int:
    """Play every way that chance can fall; returns of how many events the game tells the luck."""

    def step(script: Script) -> Sequence[Luck]:
        here: Any = state.copy()
        here.chance = _Unshuffled(b"")
        here.chance.script = script
        for name in getattr(setup.book, "PILES", ()):
            pile = _Pile(getattr(here, name))
            pile.script = script
            setattr(here, name, pile)
        return tell(state.copy(), choices, here.apply(choices))

    ways = list(every_way(step, getattr(setup.book, "WAYS", WAYS)))
    total, name = sum(likely for likely, _ in ways), setup.game.name
    hold(isclose(total, 1), f"{name}: likelihoods that add up to 1", total)
    most = max(len(lucks) for _, lucks in ways)
    for event in range(most):
        _even(setup.game, event, ways)
    return most


def _even(game: Game, event: int, ways: Sequence[tuple[float, Sequence[Luck]]]) -> None:
    """The gains of one event, given all gains before it and its span: their mean is 0, and none is too great."""
    alike: defaultdict[tuple[Any, ...], list[tuple[float, Luck]]] = defaultdict(list)
    for likely, lucks in ways:
        if len(lucks) > event:
            before = tuple((earlier.gains, earlier.span) for earlier in lucks[:event])
            alike[before, round(lucks[event].span, 9)].append((likely, lucks[event]))
    for same in alike.values():
        for seat in range(len(same[0][1].gains)):
            mean = sum(likely * luck.gains[seat] for likely, luck in same)
            hold(abs(mean) < _CLOSE, f"{game.name}: a mean luck of 0 of seat {seat} at event {event}", mean)
        for _, luck in same:
            spread = max(luck.gains) - min(luck.gains)
            hold(spread <= luck.span * (1 + _CLOSE), f"{game.name}: gains at most {luck.span} apart", spread)
