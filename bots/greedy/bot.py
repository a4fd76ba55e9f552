"""Takes what looks best now: a page for each game, and the first options in a game that has none."""

import os
import sys
from _json import make_scanner  # `import json` would bring `re`, which takes longer than all else of a start
from importlib import import_module


class Plain:
    """How the scanner of `json` reads: strictly, with Python's own numbers and no hooks."""

    strict = True
    parse_int, parse_float, parse_constant = int, float, float
    object_hook = object_pairs_hook = array_hook = None


read = make_scanner(Plain)  # type: ignore[arg-type]  # any object with these names will do

here = os.path.dirname(os.path.abspath(__file__))  # noqa: PTH100, PTH120 - pathlib would make the start a fifth longer
sys.path.insert(0, here)
pages = {name[:-3] for name in os.listdir(here) if name.endswith(".py")} - {"bot"}  # noqa: PTH208 - as above

for line in sys.stdin:
    message, _ = read(line, 0)
    if message["type"] == "hello":
        page = message["game"].replace("-", "_")
        if not pages:
            sys.exit(f"greedy: expected a page for each game beside {__file__}, got none")
        if page not in pages:
            print(f"greedy: no {page}.py, so it takes the first options", file=sys.stderr)
        decide = import_module(page).decide if page in pages else None
        print('{"type": "ready", "name": "greedy"}', flush=True)
    elif message["type"] == "decide":
        picks = decide(message) if decide else list(range(message["least"]))
        print(f'{{"type": "choose", "id": "{message["id"]}", "picks": {picks}}}', flush=True)
