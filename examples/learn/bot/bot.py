"""Plays what ``train.py`` has learnt: always the action that the network likes best. Needs arena, and no NumPy."""

import json
from array import array
from math import tanh
from pathlib import Path
from typing import Any

from arena.bot import Bot, Decision, Hello
from arena.environments.encoding import Encoding, encoding_of

LEARNT = json.loads((Path(__file__).parent / "weights.json").read_text(encoding="utf-8"))


class Learnt(Bot[Any]):
    """One seat."""

    encoding: Encoding

    def begin(self, hello: Hello) -> None:
        """Make the encoding that the training had."""
        if (hello.game, hello.seats) != (LEARNT["game"], LEARNT["seats"]):
            learnt = f"{LEARNT['game']} with {LEARNT['seats']} seats"
            raise ValueError(f"expected {learnt}, got {hello.game} with {hello.seats}")
        self.encoding = encoding_of(hello.game, hello.seats, hello.variants, fingerprint=LEARNT["encoding"])

    def decide(self, decision: Decision[Any]) -> list[int]:
        """One pick after the other."""
        return self.encoding.picks(decision, decision.observation, seat=decision.seat, choose=best)


def best(row: "array[float]", legal: list[int]) -> int:
    """The legal action that the network gives the greatest value."""
    values = list(row)
    for number, layer in enumerate(LEARNT["layers"]):
        inputs = [tanh(value) for value in values] if number else values
        values = layer["offsets"]
        for value, weights in zip(inputs, layer["weights"], strict=True):
            if value:
                values = [sum_ + value * weight for sum_, weight in zip(values, weights, strict=True)]
    return max(legal, key=values.__getitem__)


if __name__ == "__main__":
    Learnt().run()
