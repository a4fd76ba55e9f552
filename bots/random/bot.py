"""Picks at random, in any game."""

import random
import sys
from _json import make_scanner  # `import json` would bring `re`, which takes longer than all else of a start


class Plain:
    """How the scanner of `json` reads: strictly, with Python's own numbers and no hooks."""

    strict = True
    parse_int, parse_float, parse_constant = int, float, float
    object_hook = object_pairs_hook = array_hook = None


read = make_scanner(Plain)  # type: ignore[arg-type]  # any object with these names will do

for line in sys.stdin:
    message, _ = read(line, 0)
    if message["type"] == "hello":
        dice = random.Random(message["seed"])
        print('{"type": "ready", "name": "random"}', flush=True)
    elif message["type"] == "decide":
        size = dice.randint(message["least"], message["most"])
        picks = dice.sample(range(message["count"]), size)
        print(f'{{"type": "choose", "id": "{message["id"]}", "picks": {picks}}}', flush=True)
