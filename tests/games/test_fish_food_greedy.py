"""The greedy bot's page for Fish Food."""

import importlib.util
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest

from arena.chance import Chance
from arena.game import Decision, Outcome, State
from arena.games.fish_food import GAME
from tests.shelf.walk import pick


def page() -> Callable[[dict[str, Any]], list[int]]:
    """The page's ``decide``, loaded from its file as the bot itself does."""
    file = Path(__file__).parents[2] / "bots" / "greedy" / "fish_food.py"
    spec = importlib.util.spec_from_file_location("greedy_fish_food", file)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    decide: Callable[[dict[str, Any]], list[int]] = module.decide
    return decide


def told(state: State, seat: int, decision: Decision) -> dict[str, Any]:
    """What a ``decide`` message tells, as a bot decodes it."""
    message = {
        "least": decision.least,
        "most": decision.most,
        "count": len(decision.options),
        "options": decision.options,
        "observation": state.observe(seat),
        "events": [],
    }
    decoded: dict[str, Any] = msgspec.json.decode(msgspec.json.encode(message))
    return decoded


@pytest.mark.parametrize("mode", ["standard", "beginner"])
@pytest.mark.parametrize("seats", [2, 3, 4, 5, 6])
def test_greedy_beats_random(seats: int, mode: str) -> None:
    """In every seat its answers are legal, and against random seats it wins more than half of its matches."""
    decide = page()
    wins = 0
    matches = 6 * seats
    for number in range(matches):
        greedy = number % seats
        state = GAME.deal(seats, number.to_bytes(32, "little"), GAME.settle({"mode": mode}))
        dice = Chance(b"random seats", number * 10_000)
        while not isinstance(pending := state.pending(), Outcome):
            chosen = {seat: pick(decision, dice) for seat, decision in pending.decisions.items() if seat != greedy}
            if decision := pending.decisions.get(greedy):
                picks = decide(told(state, greedy, decision))
                assert decision.fault_in(picks) is None
                chosen[greedy] = decision.take(picks)
            state.apply(chosen)
        wins += pending.ranks[greedy] == 0
    assert wins > matches / 2
