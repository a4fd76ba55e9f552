"""What the search is told of Lure: how greedy answers, straight from the state, each answer thought out once."""

from __future__ import annotations

from functools import cache
from operator import attrgetter
from typing import TYPE_CHECKING, Any

from arena.games.lure.cards import Fish, can_catch
from arena.search import Guide

if TYPE_CHECKING:
    from collections.abc import Sequence
    from types import ModuleType

FEW_ROLLS = 20
"""A cast with an Adjust is tried on this many rolls, not on greedy's 60: one answer must not take all of the time."""
LIMIT = 50_000
"""How many answers are cached; more would take memory for answers that seldom come again."""


def guide(greedy: ModuleType) -> Guide:
    """Greedy plays on to the end of the round, and the estimate judges."""
    setattr(greedy, "chance", chance(greedy))  # noqa: B010 - of this page alone
    return Guide(quick=quick(greedy), phase=attrgetter("round"), estimate=estimate, scale=6.0)


def chance(greedy: Any) -> Any:
    """Greedy's ``chance`` with the same rolls, made once for all fish."""

    @cache
    def rolls(dice: tuple[str, ...], lures: tuple[str, ...]) -> list[list[tuple[int, tuple[int, ...]]]]:
        extra, adjusts, luck, found = greedy.extra_dice(lures), "adjust" in lures, 1, []
        for _ in range(FEW_ROLLS if adjusts else greedy.ROLLS):
            roll: tuple[int, ...] = ()
            for die in dice:
                luck = luck * 48271 % 2147483647
                roll += (1 + luck % int(die[1:]),)
            tries = [roll, *(greedy.adjusted(roll, dice) if adjusts else [])]
            found.append([(sum(numbers) + sum(extra), (*numbers, *extra)) for numbers in tries])
        return found

    @cache
    def chance(catch: int, requirement: Any, dice: tuple[str, ...], lures: tuple[str, ...]) -> float:
        fish = Fish("", catch, requirement, 0)
        found = rolls(dice, lures)
        caught = 0
        for tries in found:
            for total, numbers in tries:
                if total >= catch and can_catch(fish, total, numbers):
                    caught += 1
                    break
        return caught / len(found)

    return chance


def quick(greedy: Any) -> Any:
    """What greedy answers."""
    known: dict[Any, tuple[int, ...]] = {}

    def quick(state: Any, seat: int, decision: Any) -> tuple[int, ...]:
        player, step = state.players[seat], state.step
        fish = tuple([each.name for each in state.fish])
        guess = (seat + state.round) % len(greedy.LEFT)
        if step == "dice":
            key: Any = fish, player.resting, len(state.players), guess
        elif step == "lures":
            key = fish, tuple(player.lures), player.chosen, len(state.players), guess
        else:
            key = fish, player.numbers, player.dice, player.played, player.adjusts
        picks = known.get(key)
        if picks is None:
            if len(known) > LIMIT:
                known.clear()
            picks = known[key] = answer(state, seat, decision)
        return picks

    def answer(state: Any, seat: int, decision: Any) -> tuple[int, ...]:
        player = state.players[seat]
        see = {
            "seat": seat,
            "seats": len(state.players),
            "round": state.round,
            "step": state.step,
            "fish": [{"catch": each.catch, "requirement": each.requirement, "vp": each.vp} for each in state.fish],
            "chosen": player.chosen,
            "numbers": player.numbers,
            "dice": [each.dice for each in state.players],
            "played": [each.played for each in state.players],
            "adjusts": player.adjusts,
        }
        options: Sequence[Any] = decision.options
        if state.step == "adjust":
            options = [
                option if isinstance(option, str) else {"at": option.at, "number": option.number, "by": option.by}
                for option in options
            ]
        return tuple(greedy.decide({"options": list(options), "observation": see}))

    return quick


LURE = 0.7  # points of a lure in the hand
RESTING = {"d12": 0.6, "d20": 1.0}  # points that a die would bring in the next round


def estimate(state: Any) -> list[float]:
    """Victory points, lures, and the dice that rest in the next round."""
    return [
        player.vp() + LURE * len(player.lures) - sum([RESTING[die] for die in player.resting])
        for player in state.players
    ]
