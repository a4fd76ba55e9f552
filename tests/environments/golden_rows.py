"""Rows, actions and fingerprints that a published name stands for: ``golden_rows.json``, by the name.

``python -m tests.environments.golden_rows`` adds names that are new. What is there is never written again: rows or
actions that change have a new name, from ``arena.environments.encoding.VERSION`` or the version of the game.
"""

import json
from hashlib import sha256
from pathlib import Path
from random import Random
from typing import Any

from arena import games
from arena.environments.encoding import encoding_of
from arena.environments.environment import Environment
from arena.environments.single_picks import SinglePicks

PATH = Path(__file__).with_suffix(".json")


def golden_of(name: str) -> dict[str, Any]:
    """What the name of a game as an environment stands for, at its usual table.

    ``first`` has the columns of the first question that are not 0, ``rows`` a digest of all rows and actions.
    """
    table, dice, digest = Environment(name), Random(1), sha256()
    encoding = encoding_of(name, table.seats, table.variants)
    match, first = SinglePicks(table, encoding), dict[str, float]()
    match.reset("golden")
    while table.seat is not None:
        row, legal = match.row(table.seat), match.legal()
        first = first or {name: round(value, 6) for name, value in zip(encoding.names, row, strict=True) if value}
        digest.update(row.tobytes() + repr((table.seat, legal)).encode())
        match.act(dice.choice(legal))
    return {
        "seats": table.seats,
        "fingerprint": encoding.fingerprint,
        "first": {name: value for name, value in first.items() if not name.startswith("offered: ")},
        "rows": digest.hexdigest()[:16],
    }


def read_goldens() -> dict[str, dict[str, Any]]:
    """What each name stands for."""
    goldens: dict[str, dict[str, Any]] = json.loads(PATH.read_text("utf-8")) if PATH.exists() else {}
    return goldens


if __name__ == "__main__":
    new = {encoding_of(name, games.find(name).usual_seats).name: golden_of(name) for name in games.names()}
    PATH.write_text(json.dumps(new | read_goldens(), indent=1, sort_keys=True) + "\n", "utf-8")
