"""The greedy bot's page for Lure."""

import importlib.util
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest

from arena.chance import Chance
from arena.game import Decision, Outcome, State
from arena.games.lure import GAME
from tests.shelf.walk import pick

PAGE = Path(__file__).parents[2] / "bots" / "greedy" / "lure.py"


def page() -> Callable[[dict[str, Any]], list[int]]:
    """The page's ``decide``, loaded from its file as the bot itself does."""
    spec = importlib.util.spec_from_file_location("greedy_lure", PAGE)
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


def wins(seats: int, matches: int) -> float:
    """The share of matches won by greedy among random seats, each seat in turn; a shared win counts in part."""
    decide = page()
    won = 0.0
    for number in range(matches):
        greedy = number % seats
        state = GAME.deal(seats, number.to_bytes(32, "little"), GAME.settle({}))
        dice = Chance(b"random seats", number * 10_000)
        while not isinstance(pending := state.pending(), Outcome):
            chosen = {seat: pick(decision, dice) for seat, decision in pending.decisions.items() if seat != greedy}
            if decision := pending.decisions.get(greedy):
                picks = decide(told(state, greedy, decision))
                assert decision.fault_in(picks) is None
                chosen[greedy] = decision.take(picks)
            state.apply(chosen)
        won += (pending.ranks[greedy] == 0) / pending.ranks.count(0)
    return won / matches


@pytest.mark.parametrize("seats", GAME.seats)
def test_greedy_beats_random(seats: int) -> None:
    """In every seat its answers are legal, and against random seats it wins at least two matches of three."""
    assert wins(seats, 4 * seats) >= 2 / 3


def test_the_page_is_short() -> None:
    """A page is read as a tutorial: 120 lines at most."""
    assert len(PAGE.read_text(encoding="ascii").splitlines()) <= 120
