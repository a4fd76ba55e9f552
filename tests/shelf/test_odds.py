"""Every game on the shelf imagines by the true odds; and each kind of wrong odds is found."""

import importlib
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from random import Random
from typing import Any, NamedTuple

import pytest
from msgspec.structs import replace

from arena import games
from arena.chance import Chance
from arena.game import Game
from arena.games.fish_food import odds as fish_food_odds
from arena.games.fish_food.observation import Observation
from arena.games.fish_food.odds import Hypothesis
from arena.games.fish_food.rules import FishFood
from arena.games.lure import odds as lure_odds
from arena.laws import GameSetup, LawBroken
from arena.laws.odds import (
    Scenario,
    Script,
    TooManyWays,
    every_way,
    imagined_worlds_have_the_true_odds,
    scripted,
    what_is_true_is_one_more_draw,
)
from tests.shelf import toy
from tests.shelf.games import fish_food
from tests.shelf.walk import book_of, scenarios_of, setups, shelf

SCENARIOS = [
    pytest.param(game, scenario, id=f"{game.name}-{name.replace(' ', '-')}")
    for game in shelf()
    for name, scenario in scenarios_of(game).items()
]


@pytest.mark.long
@pytest.mark.parametrize(("game", "scenario"), SCENARIOS)
def test_odds(game: Game, scenario: Scenario) -> None:
    """What is imagined lies where it does as often as in all ways to play, by all that a seat has learnt."""
    imagined_worlds_have_the_true_odds(game, scenario)


USUAL = [setup for setup in setups() if setup.seats == setup.game.usual_seats]


@pytest.mark.proof
@pytest.mark.parametrize("table", [pytest.param(table, id=table.name) for table in USUAL])
def test_truth_is_one_more_draw_over_a_thousand_matches(table: GameSetup) -> None:
    """The law that is held at every table holds over many more matches, too."""
    what_is_true_is_one_more_draw(table, 1000)


def test_every_way_is_played_with_its_likelihood() -> None:
    """All orders of a pile come once, equal cards not told apart, and likelihoods add up to 1."""

    def shuffled(script: Script) -> tuple[str, ...]:
        pile = ["net", "net", "stun"]
        chance = scripted(script)
        chance.shuffle(pile)
        return *pile, str(chance.below(2))

    found = list(every_way(shuffled, 8))
    assert len({way for _, way in found}) == len(found) == 6
    assert [likely for likely, _ in found] == pytest.approx([1 / 6] * 6)
    with pytest.raises(TooManyWays):
        list(every_way(shuffled, 7))


def _prefers_low_cards(observation: toy.Sight, chance: Chance) -> toy.ToyState:
    """Of two worlds the one in which the other seat holds less."""
    worlds = [toy.imagine(observation, chance) for _ in range(2)]
    return min(worlds, key=lambda world: sum(map(sum, world.hands)))


def _forgets_discards(observation: toy.Sight, chance: Chance) -> toy.ToyState:
    """Imagines by an observation that has lost one card of those that lie open."""
    lost = replace(observation, discards=observation.discards[1:])
    return toy.imagine(lost, chance)


@pytest.mark.parametrize("wrong", [_prefers_low_cards, _forgets_discards])
def test_wrong_odds_are_found(wrong: Callable[[toy.Sight, Chance], toy.ToyState]) -> None:
    """A game that imagines some worlds too often, or has forgotten what was seen, is found out by both laws."""
    game = replace(toy.GAME, imagine=wrong)
    with pytest.raises(LawBroken, match=r"^expected seat \d to imagine .* got "):
        imagined_worlds_have_the_true_odds(game, toy.SCENARIOS["dealt"])
    with pytest.raises(LawBroken, match=r"^expected .* as often in truth as in worlds of 400 matches, got "):
        what_is_true_is_one_more_draw(GameSetup(game, 2, game.resolve_variants({}), book_of(toy.GAME)), 400)


def test_a_scenario_too_wild_to_compare_is_refused() -> None:
    """A scenario in which chance falls in too many ways is not played, and that is an error."""
    scenario = toy.SCENARIOS["dealt"]._replace(start=_whole_deck)
    with pytest.raises(LawBroken, match=r"^expected a scenario that is played in at most 30000 ways, got more$"):
        imagined_worlds_have_the_true_odds(toy.GAME, scenario)


def _whole_deck(chance: Chance) -> toy.ToyState:
    state = toy.deal(2, bytes(32), toy.GAME.resolve_variants({}))
    chance.shuffle(state.deck)
    return state


class Flaw(NamedTuple):
    """Something wrong in how a game imagines, and which scenario or else how many matches of which variants show it."""

    game: str
    scenario: str = ""
    variants: Mapping[str, str] = {}
    patched: str = ""
    """What is replaced: a name of a module."""
    by: Any = None


def _one_way(_hands: object, _laid: object) -> int:
    return 1


def _like_a_known_one(known: Hypothesis, who: int, card: int) -> Iterator[tuple[Hypothesis, float]]:
    ways = list(_shown(known, who, card))
    return iter(ways[:1] if known.hands[who][card] else ways)


def _never_the_known(known: Hypothesis, move: str, seat: int) -> Iterator[tuple[Hypothesis, float]]:
    ways = list(_ways(known, move, seat))
    return iter(ways[-1:] if move[1:2] == "<" else ways)


_shown, _ways = fish_food_odds._remove_card, fish_food_odds._ways


def _whoever_played_what(seen: Observation, chance: Chance) -> FishFood:
    world: Any = games.find("fish-food").imagine(seen, chance)
    return fish_food.redeal(world, seen.seat, Random(chance.word()))


def _closes_soon(observation: Any, chance: Chance) -> Any:
    while True:
        world: Any = games.find("cash-a-catch").imagine(observation, chance)
        if "market closed" in world.deck[:3] or "market closed" not in world.deck:
            return world


def _with_the_put_back_on_top(observation: Any, chance: Chance) -> Any:
    world: Any = games.find("catch-of-the-day").imagine(observation, chance)
    if world.assigned:
        others = [card for kept in world.kept for card in kept]
        world.set_aside.sort(key=lambda card: card in others)
    return world


FLAWS = {
    "all ways to have laid cards count once": Flaw(
        "dockfight", "a round in which one hits", patched="arena.games.dockfight.imagine._ways", by=_one_way
    ),
    "a card like a known one is taken for it": Flaw(
        "fish-food", "robbed whole", patched="arena.games.fish_food.odds._remove_card", by=_like_a_known_one
    ),
    "a robber takes no card that somebody knows": Flaw(
        "fish-food", "robbed, and robbed again", patched="arena.games.fish_food.odds._ways", by=_never_the_known
    ),
    "after a robbery it does not matter who played what": Flaw("fish-food", "robbed whole", by=_whoever_played_what),
    "after a reshuffle it does not matter who played what": Flaw("fish-food", "reshuffled", by=_whoever_played_what),
    "of all that can have happened only the likeliest counts": Flaw(
        "lure", "reshuffled, and played again", patched="arena.games.lure.odds.HYPOTHESES", by=1
    ),
    "the market closes among the last three": Flaw("cash-a-catch", "nobody rings", by=_closes_soon),
    "what was put back lies on top": Flaw(
        "catch-of-the-day", variants={"mode": "advanced"}, by=_with_the_put_back_on_top
    ),
}


@pytest.fixture
def nothing_kept(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """What was weighed with a flaw is not kept for others."""
    monkeypatch.setattr(fish_food_odds, "_weighed", {})
    lure_odds._weigh_hypotheses.cache_clear()
    yield
    lure_odds._weigh_hypotheses.cache_clear()


@pytest.mark.usefixtures("nothing_kept")
@pytest.mark.parametrize("name", FLAWS)
def test_planted_flaws_are_found(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """In each game the laws find what is wrong with its odds."""
    flaw = FLAWS[name]
    right = game = games.find(flaw.game)
    if flaw.patched:
        module, _, what = flaw.patched.rpartition(".")
        monkeypatch.setattr(importlib.import_module(module), what, flaw.by)
    else:
        game = replace(game, imagine=flaw.by)
    table = GameSetup(game, game.usual_seats, game.resolve_variants(flaw.variants), book_of(right))
    law = partial(what_is_true_is_one_more_draw, table, 200)
    if flaw.scenario:
        law = partial(imagined_worlds_have_the_true_odds, game, scenarios_of(right)[flaw.scenario])
    with pytest.raises(LawBroken, match=r"^expected .* got "):
        law()
