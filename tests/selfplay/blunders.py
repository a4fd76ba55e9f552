"""A bot that plays as greedy but, in five kinds of situation a game, often gives an answer that is clearly bad."""

from collections.abc import Callable, Iterator
from functools import cache
from typing import Any
from zlib import crc32

from arena import bot, wire
from arena.game import Decision
from arena.games import find
from arena.selfplay.players import message
from tests.shelf.test_greedy import loaded

OFTEN = 2
"""Of so many such situations it blunders in one."""
Blunder = tuple[str, list[int]]
"""Its kind, and the picks."""


class Blunderer(bot.Bot[Any]):
    """Answers for any game on the shelf."""

    name = "mine"

    def decide(self, decision: bot.Decision[Any], /) -> list[int]:
        """The picks of greedy, or a blunder."""
        told, picks = answered(decision.game, decision, decision.observation)
        return told[1] if told else picks


def answered(game: str, decision: Decision, observation: Any) -> tuple[Blunder | None, list[int]]:
    """The blunder at a question, if there is one, and what greedy answers."""
    page = _page(game)
    asked = message(decision, observation)
    picks = page.decide(asked)
    if crc32(wire.encode(observation)) % OFTEN:
        return None, picks
    found = next((told for told in _KINDS[game](asked["observation"], asked["options"], picks, page)), None)
    return found, picks


@cache
def _page(game: str) -> Any:
    return loaded(find(game))


def _cash_a_catch(see: dict[str, Any], options: Any, picks: list[int], page: Any) -> Iterator[Blunder]:
    step, seat = see["step"], see["seat"]
    if step == "auction":
        gain = page.gain(see["boards"][seat], see["lot"])
        if picks and gain >= 14:
            yield "lets a dear lot go", []
        if not picks and gain <= 0 and see["money"][seat] >= 15:
            yield "rings for a poor lot", [0]
    if step == "throw away":
        yield "throws the dearest kind away", [len(options) - 1]
    if step in ("sale", "end phase sale") and len(picks) == len(options) and see["deck"] < 6 * see["seats"]:
        yield "keeps its fish in the last sale", []
    if step == "fish thief" and picks:
        yield "steals nothing", []


def _catch_of_the_day(see: dict[str, Any], options: Any, _: list[int], page: Any) -> Iterator[Blunder]:
    if see["step"] == "choice":
        values = page.outlooks(see, page.gains(see, "choice"))
        yield "picks the worst pair", list(page.PAIRS[values.index(min(values))])
    elif see["step"] == "select":
        values = [max(page.outlooks(see, page.gains(see, card))) for card in options]
        poor = [pick for pick, value in enumerate(values) if max(values) - value > 0.3]
        # the cards that are seldom poor come first
        for pick in sorted(poor, key=lambda pick: (options[pick] in page.FISH, values[pick])):
            yield f"selects {options[pick]}", [pick]


def _dockfight(see: dict[str, Any], options: Any, picks: list[int], page: Any) -> Iterator[Blunder]:
    step, took = see["step"], options[picks[0]]
    if step == "hit" and took == "hit" and len(see["cast"]) == 1:
        yield "stops at once", [options.index("stop")]
    if step == "hit" and took == "stop":
        left = page.out_of_sight(see)
        if sum(left[day - 1] for day in see["cast"]) > sum(left) / 3:
            yield "hits where it busts", [options.index("hit")]
    if step == "move" and took == "none" and "swipe" in options and len(see["stringers"][see["seat"]]) < 2:
        yield "swipes Frank too early", [options.index("swipe")]
    if step == "burn":
        held, what = see["livewell"], "swipe" if see["move"] == "swipe" else "cut"
        best = sorted(range(len(options)), key=lambda pick: -held.count(options[pick]))[:3]
        yield f"burns its best cards to {what}", best


def _fish_food(see: dict[str, Any], options: Any, picks: list[int], page: Any) -> Iterator[Blunder]:
    seat, attacked = see["seat"], see["attacked"]
    if see["step"] == "take the bait" and picks == [1]:
        yield "refuses the bait", [0]
    if see["step"] != "play":
        return
    by = page.lead(see, seat)
    if attacked == seat and picks != [0] and by < 0:
        yield "passes and loses", [0]
    for pick, play in enumerate(options):
        if play == "pass" or picks != [0]:
            continue
        card, own = play["card"], play["target"] == seat
        if attacked == seat and by >= 0 and card == "Swim Away":
            yield "swims away from what it beats", [pick]
        elif attacked == seat and by >= 0 and card in page.MODIFIERS and not own and by < page.MODIFIERS[card]:
            yield "feeds what it beats", [pick]
        elif attacked != seat and card == "Switcheroo" and own and by < 0:
            yield "turns the creature on itself", [pick]


def _lure(see: dict[str, Any], options: Any, picks: list[int], page: Any) -> Iterator[Blunder]:
    step = see["step"]
    if step == "dice" and len(picks) > 2:
        yield "casts one die", [0]
    if step == "lures":
        dice, every = tuple(see["chosen"]), list(range(len(options)))
        best = page.worth(see, dice, tuple(sorted(options[pick] for pick in picks)))
        if len(options) > 2 and not picks:
            yield "wastes its lures", every
        if picks and best - page.worth(see, dice, ()) > 2:
            yield "keeps its lures", []
    if step == "adjust":
        numbers, dice = tuple(see["numbers"]), tuple(see["dice"][see["seat"]])
        now = page.best_catch(see, numbers, dice, 0)
        if picks != [0]:
            yield "does not adjust", [0]
        for pick, option in enumerate(options[1:], 1):
            after = (*numbers[: option["at"]], option["number"] + option["by"], *numbers[option["at"] + 1 :])
            if page.best_catch(see, after, dice, 0) < now:
                yield "adjusts its catch away", [pick]


_KINDS: dict[str, Callable[[dict[str, Any], Any, list[int], Any], Iterator[Blunder]]] = {
    "cash-a-catch": _cash_a_catch,
    "catch-of-the-day": _catch_of_the_day,
    "dockfight": _dockfight,
    "fish-food": _fish_food,
    "lure": _lure,
}
