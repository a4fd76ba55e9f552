"""Plays what ``train.py`` has learnt: the option of the highest estimated reward. Needs arena, and no NumPy."""

import json
from pathlib import Path
from typing import Any

from arena.bot import Bot, Decision, Hello
from arena.environments.encoding import Encoding, encoding_of

LEARNT = json.loads((Path(__file__).parent / "weights.json").read_text(encoding="utf-8"))
SEATS: int = LEARNT["seats"]
LAYERS: list[dict[str, Any]] = LEARNT["layers"]


class Learnt(Bot[Any]):
    """One seat."""

    encoding: Encoding
    seat: int

    def begin(self, hello: Hello) -> None:
        """Make the encoding that the training had."""
        if (hello.game, hello.seats) != (LEARNT["game"], SEATS):
            raise ValueError(f"expected {LEARNT['game']} with {SEATS} seats, got {hello.game} with {hello.seats}")
        self.encoding = encoding_of(hello.game, hello.seats, LEARNT["encoding"])
        self.seat = hello.seat

    def decide(self, decision: Decision[Any]) -> list[int]:
        """One pick after the other, until no more picks are the better choice."""
        actions = [self.encoding.action(option, self.seat) for option in decision.options]
        picks: list[int] = []
        while len(picks) < decision.most and len(picks) < len(actions):
            left = {action: place for place, action in reversed([*enumerate(actions)]) if place not in picks}
            if decision.least < decision.most and len(picks) >= decision.least:
                left[self.encoding.done] = -1
            picked = [actions[pick] for pick in picks]
            seen = self.encoding.encode(decision.observation, seat=self.seat, offered=[*left], picked=picked)
            first = LAYERS[0]["offsets"]
            for number, weights in zip(seen, LAYERS[0]["weights"], strict=False):
                if number:
                    first = [sum_ + number * weight for sum_, weight in zip(first, weights, strict=True)]
            best = max(left, key=lambda action: value(first, len(seen) + action))
            if best == self.encoding.done:
                break
            picks.append(left[best])
        return picks


def value(first: list[float], column: int) -> float:
    """The estimated reward of an action, from the sums of the first layer without its column."""
    sums: list[float] = [sum_ + weight for sum_, weight in zip(first, LAYERS[0]["weights"][column], strict=True)]
    for layer in LAYERS[1:]:
        inputs = [max(0.0, sum_) for sum_ in sums]
        sums = [
            offset + sum(each * weights[at] for each, weights in zip(inputs, layer["weights"], strict=True))
            for at, offset in enumerate(layer["offsets"])
        ]
    return sums[0]


if __name__ == "__main__":
    Learnt().run()
