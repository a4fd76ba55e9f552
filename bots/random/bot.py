"""Picks at random, in any game."""

import json
import random
import sys

for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "hello":
        dice = random.Random(message["seed"])
        print(json.dumps({"type": "ready", "name": "random"}), flush=True)
    elif message["type"] == "decide":
        size = dice.randint(message["least"], message["most"])
        picks = dice.sample(range(message["count"]), size)
        print(json.dumps({"type": "choose", "id": message["id"], "picks": picks}), flush=True)
