"""One player of Lure: what lies before and behind the screen, and what may be asked of it.

Knows no seat, no table and no step. Numbers in brackets are rulings.
"""

from typing import Final

from msgspec import Struct

from arena.game import Decision
from arena.games.lure.cards import BOOST_VP, D6, D6S, EXTRA_DIE, SPECIAL_DICE, Die, Fish, Lure
from arena.games.lure.events import ADJUSTMENTS, DONE, Option
from arena.structs import set_by_python


def _cast_of(resting: tuple[Die, ...]) -> Decision:
    dice = (D6,) * D6S + tuple(die for die in SPECIAL_DICE if die not in resting)
    return Decision(dice, 1, len(dice))


CAST: Final = {resting: _cast_of(resting) for resting in ((), ("d12",), ("d20",), SPECIAL_DICE)}
"""The question for dice, by the special dice that rest: made once."""


@set_by_python
class Player(Struct, gc=False):
    """What lies before and behind a player's screen."""

    lures: list[Lure] = []
    """Behind the screen, in the order of ``LURES``."""
    score_pile: list[Fish] = []
    boosts: int = 0
    resting: tuple[Die, ...] = ()
    chosen: tuple[Die, ...] = ()
    """Dice chosen while lures are not: d6s, then special dice (33)."""
    dice: tuple[Die, ...] = ()
    """Dice of the last cast that was revealed."""
    rolled: tuple[int, ...] = ()
    """Numbers of these dice as everyone sees them; none if they were not rolled."""
    played: tuple[Lure, ...] = ()
    numbers: tuple[int, ...] = ()
    """Numbers of the dice as adjusted; only their owner knows them until the group is done (34)."""
    adjusts: int = 0
    drawn: list[list[Lure]] = []
    """By pile of the table: the lures drawn of it, held or played (39)."""

    def roll(self) -> tuple[int, ...]:
        """All numbers that count: dice and Extra Dice (5, 6)."""
        numbers = self.numbers
        for lure in self.played:
            if lure in EXTRA_DIE:
                numbers += (EXTRA_DIE[lure],)
        return numbers

    def vp(self) -> int:
        """Victory points of fish and Boosts."""
        return sum([fish.vp for fish in self.score_pile]) + BOOST_VP * self.boosts

    def copy(self) -> "Player":
        """The same things, independent."""
        return Player(
            self.lures.copy(),
            self.score_pile.copy(),
            self.boosts,
            self.resting,
            self.chosen,
            self.dice,
            self.rolled,
            self.played,
            self.numbers,
            self.adjusts,
            [lures.copy() for lures in self.drawn],
        )


def adjustments(player: Player) -> Decision:
    """Done, then for each die +1 and -1 where still in its range (7)."""
    options: list[Option] = [DONE]
    numbers = player.numbers
    for index, die in enumerate(player.dice):
        options += ADJUSTMENTS[index, die, numbers[index]]
    return Decision(tuple(options))
