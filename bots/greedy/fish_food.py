"""The greedy bot's page for Fish Food: win the own encounters cheaply, spoil those of whoever is dangerous.

Reads decoded messages of the protocol and nothing else. It looks at one encounter only: whom the creature attacks, by
how much it would be won as things stand, and which card, or which two, would turn that round.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:  # types are for who reads this: the module takes longer to import than a page
    from typing import Any

MODIFIERS = {"Fish Food": 1, "Caught in the Net": -1, "Sunken Treasure": 2, "School of Fish": 4}
SMALL_MODIFIERS = ("Fish Food", "Caught in the Net", "Sunken Treasure")
COST = {
    "School of Fish": 0.6,
    "Fish Food": 0.8,
    "Caught in the Net": 1.0,
    "Sunken Treasure": 1.3,
    "Stun": 1.6,
    "Lost at Sea": 1.8,
    "Swim Away": 2.1,
    "Switcheroo": 2.3,
}
"""What a card is worth in the hand, in points of our own; what is worth least is discarded first."""
CREATURES = (7, 7, 7, 5, 4, 3, 3, 2, 1, 1)
"""Copies of the creatures of size 1, 2, ... 10."""

WIN_SIZE, LAST_STEP, SMALL = 6.0, 9, 2  # points for our own encounter; sizes at which the next step decides
WIN_GAME, STOP_WINNER, STOP_LEADER, STOP_OTHER, KNOCK_OUT = 100.0, 50.0, 3.0, 0.5, 10.0
LEADING = 7
COMFORT = 4  # cards beyond these are cheaper: above the hand limit they would be lost anyway


def decide(message: dict[str, Any]) -> list[int]:
    """Answer a ``decide`` message with the indexes of the picks."""
    see, options = message["observation"], message["options"]
    if see["step"] == "play":
        spare = max(0, len(see["hand"]) - COMFORT)
        costs = {card: COST[card] - 0.2 * spare for card in see["hand"]}
        stakes = points(see, see["attacked"], 0), points(see, see["attacked"], -1)
        by, fighting = lead(see, see["attacked"]), ("creature", see["attacked"])
        values = [
            0.0
            if option == "pass" or (option["card"] in MODIFIERS and option["target"] not in fighting)
            else value(see, option, by, stakes, costs)
            for option in options
        ]
        return [values.index(max(values))]
    if see["step"] == "take the bait":
        return [1 if wants_bait(see) else 0]
    cheapest_first = sorted(range(len(options)), key=lambda at: COST[options[at]])
    return cheapest_first[: message["least"]]


def wants_bait(see: dict[str, Any]) -> bool:
    """Whether the next creature is probably not bigger than we are, and we would survive it if it is."""
    size: int = see["sizes"][see["seat"]]
    left = [copies - gone for copies, gone in zip(CREATURES, see["encounter_discards"], strict=False)]
    return size > SMALL and 2 * sum(left[:size]) > sum(left)


def lead(see: dict[str, Any], seat: int) -> int:
    """By how much this seat would be bigger than the creature as things stand; it loses below 0."""
    by: int = see["sizes"][seat] + see["modifiers"][seat] - see["encounter"] - see["creature_modifier"]
    return by


def points(see: dict[str, Any], seat: int, by: int) -> float:
    """What it is worth to us if this seat ends the encounter with this lead."""
    size: int = see["sizes"][seat]
    if seat == see["seat"]:
        won = WIN_GAME if size == (LAST_STEP if by >= 0 else 1) else WIN_SIZE
        return won if by >= 0 else -won
    opponents: int = see["seats"] - see["sizes"].count(0) - 1
    share: float = opponents**-0.5
    if by >= 0:
        stake = STOP_WINNER if size == LAST_STEP else STOP_LEADER if size >= LEADING else STOP_OTHER
        return -stake * share
    return (KNOCK_OUT if size == 1 else STOP_OTHER) * share


def value(
    see: dict[str, Any], play: dict[str, Any], by: int, stakes: tuple[float, float], costs: dict[str, float]
) -> float:
    """What playing this card gains, above 0 if it is better than to pass.

    ``by`` is the lead now. ``stakes`` are the points if the encounter is won and if it is lost. ``costs`` tells what we
    give up by playing each card of the hand.
    """
    me, attacked, card, target, now = see["seat"], see["attacked"], play["card"], play["target"], stakes[by < 0]
    if card in MODIFIERS:
        sign = 1 if target == attacked else -1
        by += sign * MODIFIERS[card]
        gain = stakes[by < 0] - now
        if gain == 0:
            # With a second card like it, played on the same target?
            rest = list(see["hand"])
            rest.remove(card)
            second = [other for other in rest if other in SMALL_MODIFIERS]
            gain = max([stakes[by + sign * MODIFIERS[other] < 0] - now - costs[other] for other in second], default=0.0)
        return gain - costs[card]
    if card == "Lost at Sea":
        return WIN_SIZE + float(see["hands"][target])
    if card == "Stun":
        # Before we win the game: who still has cards could turn it round.
        winning = attacked == me and by >= 0 and see["sizes"][me] == LAST_STEP
        return float(winning * see["hands"][target])
    if card == "Swim Away":
        return -now - costs[card]
    return points(see, target, lead(see, target)) - now - costs[card]
