"""What the pages of greedy answer stays as it is when they get faster: digests of picks over many positions."""

from hashlib import sha256
from typing import Any

import msgspec
import pytest

from arena.chance import Chance
from arena.game import Outcome
from arena.games import find, names
from arena.laws.table import pick
from tests.shelf.test_greedy import decider, tables, told

DECISIONS = 150
"""Of each table, about."""
WILD = 4
"""One in so many answers is a random one, so that the pages see more than what they lead to."""

DIGESTS = {
    "cash-a-catch": "d2a93c268e6b4514",
    "catch-of-the-day": "2fb7798923b37304",
    "dockfight": "9cc237be002f08eb",
    "fish-food": "4fdf43231e648333",
    "lure": "802a48afe508a9e2",
}
"""By game. Whoever changes what a page answers, and its version in ``bot.toml`` with it, writes the new one here."""


SLOW = {"catch-of-the-day", "lure"}


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=pytest.mark.long) if name in SLOW else name for name in names()]
)
def test_the_same_answers(name: str) -> None:
    """At every table the pages answer as they did, wherever the match has got to; to tuples as to lists."""
    picks, decide = sha256(), decider(find(name))
    for game, seats, variants in (each.values for each in tables() if each.values[0].name == name):
        dice, asked, number = Chance(b"answers"), 0, 0
        while asked < DECISIONS:
            state = game.deal(seats, number.to_bytes(32, "big"), variants)
            number += 1
            while asked < DECISIONS and not isinstance(pending := state.pending(), Outcome):
                chosen = {}
                for seat, decision in pending.decisions.items():
                    if decision.forced:
                        chosen[seat] = decision.silence
                        continue
                    asked += 1
                    answer = decide(told(state, seat, decision))
                    rows = {"options": decision.options, "observation": state.observe(seat)}
                    plain: dict[str, Any] = msgspec.to_builtins(rows, str_keys=True)
                    assert decide(plain | {"least": decision.least, "most": decision.most}) == answer
                    picks.update(f"{answer}".encode())
                    chosen[seat] = pick(decision, dice) if dice.below(WILD) == 0 else decision.take(answer)
                state.apply(chosen)
    assert picks.hexdigest()[:16] == DIGESTS[name]
