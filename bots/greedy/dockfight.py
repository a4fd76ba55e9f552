"""The greedy bot's page for Dockfight: collect what is near a set, and pay for what wins.

Reads decoded messages of the protocol and nothing else. It looks one question ahead: HIT while the next card is
expected to bring more than a bust would lose; then make the move that leaves it best off.
"""

from __future__ import annotations

from collections import Counter

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
    if (frank or len(banked) >= BURN) and value_of(move, observation, banked) >= WIN:
        return False
    left = out_of_sight(observation)
    bust = worth(observation["livewell"], observation, frank=False)
    expected = 0.0
    for day in DAYS:
        after = bust if day in cast else worth([*banked, day], observation, frank=frank)
        expected += after * left[day] / sum(left.values())
    return expected > worth(banked, observation, frank=frank)


def value_of(move: Any, observation: dict[str, Any], livewell: list[int]) -> float:
    """What we have after this move and BUILD."""
    frank = observation["frank"] == observation["seat"]
    if move == "none":
        return worth(livewell, observation, frank=frank)
    rest = livewell.copy()
    for day in cheapest(move, observation, livewell):
        rest.remove(day)
    if move == "swipe":
        return worth(rest, observation, frank=True)
    spoiled = SPOILED * (len(observation["stringers"][move["opponent"]]) - 1)
    return worth([*rest, move["day"]], observation, frank=frank) + spoiled


def cheapest(move: Any, observation: dict[str, Any], livewell: list[int]) -> list[int]:
    """The three cards of the LIVEWELL that are missed least if they pay for this move."""
    gained = [] if move == "swipe" else [move["day"]]
    left, burned = livewell, list[int]()
    for _ in range(BURN):
        without = {day: remove(day, left) for day in left}
        best = max(without, key=lambda day: worth(without[day] + gained, observation, frank=False))
        left = without[best]
        burned.append(best)
    return burned


def remove(day: int, cards: list[int]) -> list[int]:
    """The cards without one of this Day."""
    at = cards.index(day)
    return cards[:at] + cards[at + 1 :]


def worth(livewell: list[int], observation: dict[str, Any], *, frank: bool) -> float:
    """Points for a LIVEWELL about to BUILD, with or without Fisherman Frank."""
    seat = observation["seat"]
    sets, points = len(observation["stringers"][seat]), 0.0
    for day in set(livewell):
        built, left = divmod(livewell.count(day), 3)
        rebuilt = min(left, observation["broken_hauls"][seat].count(day))
        sets += built + rebuilt
        points += (0.0, SINGLE, PAIR)[left - rebuilt]
    if frank and sets >= ENOUGH:
        return WIN
    return points + SET * sets + (FRANK if frank and sets == ENOUGH - 1 else 0.0)


def out_of_sight(observation: dict[str, Any]) -> dict[int, int]:
    """How many of each Day we do not know the place of."""
    seat = observation["seat"]
    known = Counter(observation["livewell"] + observation["cast"])
    for other in range(observation["seats"]):
        known.update(observation["shown"][other] if other != seat else [])
        known.update(observation["stringers"][other] * 3 + observation["broken_hauls"][other] * 2)
    copies, discarded = COPIES[observation["seats"]], observation["discard_pile"]
    return {day: copies - known[day] - discarded[day - 1] for day in DAYS}
