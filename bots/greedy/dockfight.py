"""The greedy bot's page for Dockfight: collect what is near a set, and pay for what wins.

Reads decoded messages of the protocol and nothing else. It looks one question ahead: HIT while the next card is
expected to bring more than a bust would lose; then make the move that leaves it best off.
"""

from __future__ import annotations

from functools import cache

TYPE_CHECKING = False
if TYPE_CHECKING:  # types are for who reads this: the module takes longer to import than a page
    from typing import Any

COPIES = {2: 6, 3: 8, 4: 16, 5: 16, 6: 16}
BURN = 3  # cards that pay for a move
ENOUGH = 3  # sets that win with Fisherman Frank

# What cards are worth, in points of our own. A second copy adds more than the first: the pair is one short of a set.
SINGLE, PAIR, SET, WIN = 1.0, 3.0, 9.0, 100.0
FRANK = 4.0  # Fisherman Frank, when one set is missing
SPOILED = 6.0  # cutting an opponent, for each set he has beyond the first


def decide(message: dict[str, Any]) -> list[int]:
    """Answer a ``decide`` message with the indexes of the picks."""
    observation, options = message["observation"], message["options"]
    if observation["step"] == "hit":
        return [options.index("hit" if wants_to_hit(observation) else "stop")]
    if observation["step"] == "move":
        values = [value_of(move, observation, observation["livewell"]) for move in options]
        return [values.index(max(values))]
    left, picks = list(options), list[int]()
    for day in cheapest(observation["move"], observation, observation["livewell"]):
        picks.append(left.index(day))
        left[picks[-1]] = None
    return picks


def wants_to_hit(observation: dict[str, Any]) -> bool:
    """Whether one more card is expected to gain more than a bust would lose."""
    livewell, cast, seat = observation["livewell"], observation["cast"], observation["seat"]
    frank, broken = observation["frank"] == seat, observation["broken_hauls"][seat]
    sets, points = counted(livewell, observation)
    after: dict[tuple[int, int] | None, float] = {None: value(sets, points, frank=False)}  # None: a bust
    for day in cast:
        more, better = gained(livewell.count(day), broken.count(day))
        sets += more
        points += better
    banked, move = [*livewell, *cast], "none" if frank else "swipe"
    if sets >= ENOUGH and (frank or len(banked) >= BURN) and value_of(move, observation, banked) >= WIN:
        return False
    left, expected = out_of_sight(observation), 0.0
    unknown = sum(left)
    for day, cards in enumerate(left, 1):
        held = None if day in cast else (livewell.count(day), broken.count(day) if broken else 0)
        if held and held not in after:
            more, better = gained(*held)
            after[held] = value(sets + more, points + better, frank=frank)
        expected += after[held] * cards / unknown
    return expected > value(sets, points, frank=frank)


def value_of(move: Any, observation: dict[str, Any], livewell: list[int]) -> float:
    """What we have after this move and BUILD."""
    frank, rest, spoiled = observation["frank"] == observation["seat"], list(livewell), 0.0
    if move != "none":
        for day in cheapest(move, observation, livewell):
            rest.remove(day)
    if move not in ("none", "swipe"):
        rest.append(move["day"])
        spoiled = SPOILED * (len(observation["stringers"][move["opponent"]]) - 1)
    return value(*counted(rest, observation), frank=frank or move == "swipe") + spoiled


def cheapest(move: Any, observation: dict[str, Any], livewell: list[int]) -> list[int]:
    """The three cards of the LIVEWELL that are missed least if they pay for this move."""
    bought = 0 if move == "swipe" else move["day"]
    broken = observation["broken_hauls"][observation["seat"]]
    left, burned = list(livewell), list[int]()
    loss = {day: missed(left.count(day) + (day == bought), broken.count(day)) for day in set(left)}
    for _ in range(BURN):
        day = min(left, key=loss.__getitem__)
        left.remove(day)
        burned.append(day)
        loss[day] = missed(left.count(day) + (day == bought), broken.count(day))
    return burned


@cache
def missed(cards: int, broken: int) -> float:
    """Points that go with the last of so many cards of one Day."""
    sets, points = gained(cards - 1, broken)
    return points + SET * sets


def value(sets: int, points: float, *, frank: bool) -> float:
    """Points for so many sets and the cards left over."""
    if frank and sets >= ENOUGH:
        return WIN
    return points + SET * sets + (FRANK if frank and sets == ENOUGH - 1 else 0.0)


def counted(livewell: list[int], observation: dict[str, Any]) -> tuple[int, float]:
    """Sets after BUILD, and points for the cards left over."""
    seat = observation["seat"]
    broken, sets, points = observation["broken_hauls"][seat], len(observation["stringers"][seat]), 0.0
    for day in set(livewell):
        more, left = laid(livewell.count(day), broken.count(day) if broken else 0)
        sets += more
        points += left
    return sets, points


@cache
def laid(cards: int, broken: int) -> tuple[int, float]:
    """Sets that cards of one Day BUILD, with BROKEN HAULS of it, and points for those left over."""
    built, left = divmod(cards, 3)
    rebuilt = min(left, broken)
    return built + rebuilt, (0.0, SINGLE, PAIR)[left - rebuilt]


@cache
def gained(cards: int, broken: int) -> tuple[int, float]:
    """Sets and points that one more card of a Day brings to so many of it."""
    (sets, points), (more, better) = laid(cards, broken), laid(cards + 1, broken)
    return more - sets, better - points


def out_of_sight(observation: dict[str, Any]) -> list[int]:
    """How many of each Day we do not know the place of."""
    seat, copies = observation["seat"], COPIES[observation["seats"]]
    left = [copies - discarded for discarded in observation["discard_pile"]]
    known = [*observation["livewell"], *observation["cast"]]
    for other, shown in enumerate(observation["shown"]):
        known += shown if other != seat else ()
    for cards, zones in ((1, [known]), (3, observation["stringers"]), (2, observation["broken_hauls"])):
        for day in [day for days in zones for day in days]:
            left[day - 1] -= cards
    return left
