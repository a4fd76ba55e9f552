"""The greedy bot has a page for every game on the shelf, and plays better than chance at every table."""

import importlib.util
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest

from arena.chance import Chance
from arena.game import Decision, Game, Outcome, State
from arena.games import find, names
from arena.laws.table import pick

PAGES = Path(__file__).parents[2] / "bots" / "greedy"
LONGEST_PAGE = 120
BETTER = 1.5
"""How many times its even share of first places greedy takes at least."""
_ASKS_NOBODY = "simple"


def tables() -> list[Any]:
    """Every seat count of every game, in each mode that asks its players."""
    found = []
    for name in names():
        game = find(name)
        for mode in game.variants.get("mode", ("",)):
            if mode != _ASKS_NOBODY:
                variants = game.settle({"mode": mode} if mode else {})
                found += [pytest.param(game, seats, variants, id=f"{name}-{seats}{mode}") for seats in game.seats]
    return found


def page(game: Game) -> Path:
    """The file of a game's page."""
    return PAGES / f"{game.name.replace('-', '_')}.py"


def decider(game: Game) -> Callable[[dict[str, Any]], list[int]]:
    """The page's ``decide``, loaded from its file as the bot itself does."""
    spec = importlib.util.spec_from_file_location(f"greedy_{page(game).stem}", page(game))
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


@pytest.mark.parametrize(("game", "seats", "variants"), tables())
def test_greedy_beats_random(game: Game, seats: int, variants: dict[str, str]) -> None:
    """In every seat its answers are legal, and among random seats it wins far more than its share."""
    decide = decider(game)
    won = 0.0
    matches = 6 * seats
    for number in range(matches):
        greedy = number % seats
        state = game.deal(seats, number.to_bytes(32, "little"), variants)
        dice = Chance(b"random seats", number * 10_000)
        while not isinstance(pending := state.pending(), Outcome):
            chosen = {seat: pick(decision, dice) for seat, decision in pending.decisions.items() if seat != greedy}
            if decision := pending.decisions.get(greedy):
                picks = decide(told(state, greedy, decision))
                assert decision.fault_in(picks) is None
                chosen[greedy] = decision.take(picks)
            state.apply(chosen)
        won += (pending.ranks[greedy] == 0) / pending.ranks.count(0)
    assert won / matches >= BETTER / seats


@pytest.mark.parametrize("name", names())
def test_a_page_is_short(name: str) -> None:
    """A page is read as a tutorial: 120 lines at most."""
    assert len(page(find(name)).read_text(encoding="ascii").splitlines()) <= LONGEST_PAGE
