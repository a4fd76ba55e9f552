"""Plays what ``train.py`` has learnt: the option of the highest estimated reward. Needs arena, and no NumPy."""

import json
from pathlib import Path
from typing import Any

from arena.bot import Bot, Decision, Hello
from arena.environments.encoding import Encoding, encoding_of

LEARNT = json.loads((Path(__file__).parent / "weights.json").read_text(encoding="utf-8"))
SEATS: int = LEARNT["seats"]
OBSERVED: int = LEARNT["observed"]
LAYERS: list[dict[str, Any]] = LEARNT["layers"]


class Learnt(Bot[Any]):
    """One seat."""

    encoding: Encoding

    def begin(self, hello: Hello) -> None:
        """Make the encoding that the training had."""
        if (hello.game, hello.seats) != (LEARNT["game"], SEATS):
            raise ValueError(f"expected {LEARNT['game']} with {SEATS} seats, got {hello.game} with {hello.seats}")
        self.encoding = encoding_of(hello.game, hello.seats, hello.variants)
        numbers = self.encoding.observed + self.encoding.words
        if (OBSERVED, len(LAYERS[0]["weights"])) != (self.encoding.observed, numbers):
            raise ValueError(f"expected weights for {numbers} numbers, got {len(LAYERS[0]['weights'])}: train it again")

    def decide(self, decision: Decision[Any]) -> list[int]:
        """The best option, and further ones as long as they are better than to be done."""
        seen = self.encoding.encode(decision.observation)
        first = LAYERS[0]["offsets"]
        for at in range(OBSERVED):
            if seen[at]:
                first = [sum_ + seen[at] * weight for sum_, weight in zip(first, LAYERS[0]["weights"][at], strict=True)]
        kinds = [self.encoding.option(option) for option in decision.options]
        values = {kind: value(first, kind) for kind in {0, *kinds}}
        best = sorted(range(len(kinds)), key=lambda at: -values[kinds[at]])
        more = [at for at in best[decision.least : decision.most] if values[kinds[at]] > values[0]]
        return best[: decision.least] + more


def value(first: list[float], kind: int) -> float:
    """The estimated reward of an option of a kind, from the sums of the first layer without it."""
    sums: list[float] = [
        sum_ + weight for sum_, weight in zip(first, LAYERS[0]["weights"][OBSERVED + kind], strict=True)
    ]
    for layer in LAYERS[1:]:
        inputs = [max(0.0, sum_) for sum_ in sums]
        sums = [
            offset + sum(each * weights[at] for each, weights in zip(inputs, layer["weights"], strict=True))
            for at, offset in enumerate(layer["offsets"])
        ]
    return sums[0]


if __name__ == "__main__":
    Learnt().run()
