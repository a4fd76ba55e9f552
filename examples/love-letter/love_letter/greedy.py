"""How ``greedy`` plays Love Letter: the play that most likely puts another seat out, weighed against what it risks.

Knows the message of a question alone, and no rules: ``decide`` gets it as decoded JSON.
"""

from collections.abc import Mapping, Sequence
from typing import Any

GUARD, PRIEST, BARON, HANDMAID, PRINCE, KING, COUNTESS, PRINCESS = range(1, 9)
BOX = (0, 5, 2, 2, 2, 2, 1, 1, 1)
QUIET = (0, 0.02, 0.12, 0, 0.2, 0, 0, 0.06, -2)
"""What it is worth to have played a card, by its number, whatever comes of it."""
FEAR = 0.3
"""What a high card that is given away would have been worth at the end, as a part of its number in eight."""


def decide(message: Mapping[str, Any]) -> list[int]:
    """The index of the best option."""
    seen = message["observation"]
    unseen = list(BOX)
    for card in [*seen["face_up"], *seen["hand"], *seen["knows"]]:
        unseen[card] -= 1
    for turn in seen["turns"]:
        unseen[turn["card"]] -= 1
        if turn["card"] == PRINCE:
            unseen[turn["met"]] -= 1
        elif turn["out"] is not None:
            unseen[turn["kept"] if turn["out"] == turn["seat"] else turn["met"]] -= 1
    plays = [(play.get("card", GUARD), play.get("target"), play.get("guess", 0)) for play in message["options"]]
    return [best(plays, hand=seen["hand"], knows=seen["knows"], unseen=unseen, seat=seen["seat"])]


def best(
    plays: Sequence[tuple[int, int | None, int]],
    *,
    hand: Sequence[int],
    knows: Sequence[int],
    unseen: Sequence[int],
    seat: int,
) -> int:
    """The index of the best play; ``unseen`` is how often each card may lie anywhere that is not known."""
    total = max(sum(unseen[1:]), 1)
    odds = [max(count, 0) / total for count in unseen]
    values = []
    for card, target, guess in plays:
        kept = hand[1] if hand[0] == card else hand[0]
        value = QUIET[card] - FEAR * (card - kept) / PRINCESS
        if target is not None:
            held = knows[target]
            met = [float(other == held) for other in range(len(BOX))] if held else odds
            value += _gain(card, guess, kept, met) if target != seat else _loss(kept)
        values.append(value)
    return values.index(max(values))


def _gain(card: int, guess: int, kept: int, met: Sequence[float]) -> float:
    """What comes of it, where ``met`` is how likely the target holds each card: 1 puts it out."""
    if card == GUARD:
        return met[guess]
    if card == BARON:
        return sum(met[1:kept]) - sum(met[kept + 1 :])
    if card == PRINCE:
        return met[PRINCESS] + 0.1 * met[COUNTESS]
    if card == KING:
        return FEAR * sum(likely * (other - kept) for other, likely in enumerate(met)) / PRINCESS
    return 0.1 * (max(met) < 1)


def _loss(kept: int) -> float:
    """Of a Prince at oneself."""
    return -2.0 if kept == PRINCESS else 0.1 - FEAR * kept / PRINCESS
