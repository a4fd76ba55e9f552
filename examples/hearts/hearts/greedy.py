"""How ``greedy`` plays Hearts: it passes on what is dear and high, stays below a trick, and gets rid of the worst.

Knows the message of a question alone, as decoded JSON.
"""

from collections.abc import Mapping
from typing import Any


def decide(message: Mapping[str, Any]) -> list[int]:
    """The indexes of the best options."""
    seen, options = message["observation"], message["options"]
    worst = sorted(range(len(options)), key=lambda place: -_danger(options[place]))
    if message["least"] > 1:
        return worst[: message["least"]]
    trick = seen["plays"][len(seen["plays"]) // seen["seats"] * seen["seats"] :]
    if not trick:
        return worst[-1:]
    led = trick[0]["card"]["suit"]
    if options[0]["suit"] != led:
        return worst[:1]
    best = max([play["card"]["rank"] for play in trick if play["card"]["suit"] == led])
    below = [place for place in worst if options[place]["rank"] < best]
    return below[:1] or worst[-1:]


def _danger(card: Mapping[str, Any]) -> int:
    queen = card["suit"] == "S" and card["rank"] == 12  # noqa: PLR2004 - the queen
    return int(card["rank"] + 20 * queen + 3 * (card["suit"] == "H"))
