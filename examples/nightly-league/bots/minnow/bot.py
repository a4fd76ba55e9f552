"""A bot: Python and its standard library. Write `choose`; the rest may stay as it is."""

import json
import random
import sys
from typing import Any


def choose(question: dict[str, Any], dice: random.Random) -> list[int]:
    """Pick between `least` and `most` different ones of `options`, by index. Here: any.

    `arena rules GAME` tells what they mean, and what stands in `question["observation"]` and `question["events"]`.
    An answer has `question["time"]` milliseconds. Look at things with `print(..., file=sys.stderr)`.
    """
    options = question["options"]
    size = dice.randint(question["least"], question["most"])
    return dice.sample(range(len(options)), size)


def main() -> None:
    """Answer line by line until the input ends."""
    dice = random.Random()
    for line in sys.stdin:
        message = json.loads(line)
        if message["type"] == "hello":
            # a match begins: its seed lets equal questions get equal answers
            dice.seed(message["seed"])
            answer: dict[str, Any] = {"type": "ready"}
        elif message["type"] == "decide":
            # a `note` beside `picks`, any JSON of 1 KiB, is shown by `arena replay`
            answer = {"type": "choose", "id": message["id"], "picks": choose(message, dice)}
        else:
            continue  # "over", with `ranks` and `scores`, or something of a later version
        print(json.dumps(answer), flush=True)


if __name__ == "__main__":  # `arena selfplay` calls `choose` itself
    main()
