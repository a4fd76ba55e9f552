"""Takes what looks best now: a page for each game, here or in its package, else the first options."""

import os
import sys
from _json import make_scanner  # `import json` would bring `re`, which takes longer than all else of a start
from importlib import import_module

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


class Plain:
    """How the scanner of `json` reads: strictly, with Python's own numbers and no hooks."""

    strict = True
    parse_int, parse_float, parse_constant = int, float, float
    object_hook = object_pairs_hook = array_hook = None


read = make_scanner(Plain)  # type: ignore[arg-type]  # any object with these names will do

here = os.path.dirname(os.path.abspath(__file__))  # noqa: PTH100, PTH120 - pathlib would make the start a fifth longer
sys.path.insert(0, here)
pages = {name[:-3] for name in os.listdir(here) if name.endswith(".py")} - {"bot"}  # noqa: PTH208 - as above


def elsewhere(game: str) -> "Any":
    """How a game of another package says that it is played; packages are looked for here alone, for that takes time."""
    import site  # noqa: PLC0415 - see above
    from importlib.metadata import entry_points  # noqa: PLC0415 - likewise

    site.main()
    for entry in entry_points(group="arena.games", name=game):
        try:
            return entry.load().greedy
        except ImportError:  # it is not shown in this sandbox
            return None
    return None


for line in sys.stdin:
    message, _ = read(line, 0)
    if message["type"] == "hello":
        page = message["game"].replace("-", "_")
        if not pages:
            sys.exit(f"greedy: expected a page for each game beside {__file__}, got none")
        decide = import_module(page).decide if page in pages else elsewhere(message["game"])
        if decide is None:
            print(f"greedy: no {page}.py, so it takes the first options", file=sys.stderr)
        print('{"type": "ready", "name": "greedy"}', flush=True)
    elif message["type"] == "decide":
        picks = list(decide(message) if decide else range(message["least"]))
        print(f'{{"type": "choose", "id": "{message["id"]}", "picks": {picks}}}', flush=True)
