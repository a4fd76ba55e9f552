"""The greedy bot's page for Dockfight: collect what is near a set, and pay for what wins.

Reads decoded messages of the protocol and nothing else. It looks one question ahead: HIT while the next card is
expected to bring more than a bust would lose; then make the move that leaves it best off.
"""

from __future__ import annotations

from functools import cache

TYPE_CHECKING = False
if TYPE_CHECKING:  # types are for who reads this: the module takes longer to import than a page
    from typing import Any

DAYS = range(1, 13)
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
    picks: list[int] = []
    for day in cheapest(observation["move"], observation, observation["livewell"]):
        picks.append(next(at for at, option in enumerate(options) if option == day and at not in picks))
    return picks


def wants_to_hit(observation: dict[str, Any]) -> bool:
    """Whether one more card is expected to gain more than a bust would lose."""
    cast, frank = observation["cast"], observation["frank"] == observation["seat"]
    banked = observation["livewell"] + cast
    move = "none" if frank else "swipe"
    sets, points = counted(banked, observation)
    if sets >= ENOUGH and (frank or len(banked) >= BURN) and value_of(move, observation, banked) >= WIN:
        return False
    left, broken = out_of_sight(observation), observation["broken_hauls"][observation["seat"]]
    unknown, bust = sum(left.values()), worth(observation["livewell"], observation, frank=False)
    expected, after = 0.0, {}
    for day in DAYS:
        gained = () if day in cast else (banked.count(day), broken.count(day))
        if gained and gained not in after:
            (had, before), (have, then) = laid(*gained), laid(gained[0] + 1, gained[1])
            after[gained] = value(sets - had + have, points - before + then, frank=frank)
        expected += (after[gained] if gained else bust) * left[day] / unknown
    return expected > value(sets, points, frank=frank)


def value_of(move: Any, observation: dict[str, Any], livewell: list[int]) -> float:
    """What we have after this move and BUILD."""
    frank = observation["frank"] == observation["seat"]
    if move == "none":
        return worth(livewell, observation, frank=frank)
    rest = list(livewell)
    for day in cheapest(move, observation, livewell):
        rest.remove(day)
    if move == "swipe":
        return worth(rest, observation, frank=True)
    spoiled = SPOILED * (len(observation["stringers"][move["opponent"]]) - 1)
    return worth([*rest, move["day"]], observation, frank=frank) + spoiled


def cheapest(move: Any, observation: dict[str, Any], livewell: list[int]) -> list[int]:
    """The three cards of the LIVEWELL that are missed least if they pay for this move."""
    held = livewell if move == "swipe" else [*livewell, move["day"]]
    broken = observation["broken_hauls"][observation["seat"]]
    left, burned = list(livewell), list[int]()
    loss = {}
    for day in dict.fromkeys(left):
        have = [value(*laid(cards, broken.count(day)), frank=False) for cards in range(held.count(day) + 1)]
        loss[day] = [have[cards] - have[cards - 1] for cards in range(len(have) - 1, 0, -1)]
    for _ in range(BURN):
        day = min(dict.fromkeys(left), key=lambda day: loss[day][burned.count(day)])
        left.remove(day)
        burned.append(day)
    return burned


def worth(livewell: list[int], observation: dict[str, Any], *, frank: bool) -> float:
    """Points for a LIVEWELL about to BUILD, with or without Fisherman Frank."""
    return value(*counted(livewell, observation), frank=frank)


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


def out_of_sight(observation: dict[str, Any]) -> dict[int, int]:
    """How many of each Day we do not know the place of."""
    seat, copies = observation["seat"], COPIES[observation["seats"]]
    left = [copies - discarded for discarded in observation["discard_pile"]]
    for day in observation["livewell"] + observation["cast"]:
        left[day - 1] -= 1
    for other in range(observation["seats"]):
        gone = (observation["shown"][other] if other != seat else [], 1)
        for days, cards in (gone, (observation["stringers"][other], 3), (observation["broken_hauls"][other], 2)):
            for day in days:
                left[day - 1] -= cards
    return dict(zip(DAYS, left, strict=True))
