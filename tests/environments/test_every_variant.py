"""Every value of a variant of every game, those of the examples too, goes through each adapter."""

import pickle
from collections.abc import Iterator
from random import Random
from typing import Any

import pytest

from arena import games
from arena.environments.gymnasium import GymEnv
from arena.environments.pettingzoo import env
from arena.errors import UsageError
from tests.example_games import NAMES, install, tables

pyspiel = pytest.importorskip("pyspiel", reason="OpenSpiel comes as no wheel for this Python and machine")
from arena.environments.openspiel import register  # noqa: E402 - only where OpenSpiel is

STEPS = 12
MIXED = """
from msgspec.structs import replace
from arena.games.dockfight import GAME as OURS


def deal(seats, seed, variants):
    return OURS.deal(seats, seed, OURS.resolve_variants({}))


GAME = replace(OURS, name="mixed", variants={"goal": ("3", "5", "all"), "dice": ("1", "2")}, only_with={}, deal=deal)
"""


@pytest.fixture(scope="module", autouse=True)
def _installed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """The examples are installed, and a game whose variants mix numbers and words."""
    site = install(tmp_path_factory.mktemp("site"))
    (site / "mixed.py").write_text(MIXED)
    info = site / "mixed-1.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: mixed\nVersion: 1\n")
    (info / "entry_points.txt").write_text("[arena.games]\nmixed = mixed:GAME\n")
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(site)
        register()
        yield


def spiel(name: str, seats: int, variants: dict[str, str]) -> Any:
    """As OpenSpiel loads it from its own text for these parameters."""
    given: dict[str, Any] = {variant: int(value) if value.isdecimal() else value for variant, value in variants.items()}
    if name == "mixed":
        given = {variant: value if variant == "goal" else int(value) for variant, value in variants.items()}
    return pyspiel.load_game(f"arena_{name.replace('-', '_')}", {"players": seats, **given})


@pytest.mark.parametrize("name", [*games.names(), *NAMES, "mixed"])
def test_every_variant_goes_through(name: str) -> None:
    """In PettingZoo, Gymnasium and OpenSpiel some steps are made; what OpenSpiel saves and pickles, it loads."""
    dice = Random(1)
    for seats, variants in tables(games.find(name)):
        zoo = env(name, seats, variants=variants, seed=1)
        one = GymEnv(name, seats=seats, variants=variants, opponents=["random"])
        if variants.get("events") == "off":  # there nobody has anything to decide
            with pytest.raises(UsageError, match="expected a match in which the learner is asked, got none"):
                one.reset(seed=1)
            with pytest.raises(UsageError, match="expected a match in which somebody is asked, got none"):
                zoo.reset()
            continue
        zoo.reset()
        one.reset(seed=1)
        for _ in range(STEPS):
            row, _, ended, cut, _ = zoo.last()
            zoo.step(None if ended or cut else dice.choice(row["action_mask"].nonzero()[0]))
            if not zoo.agents:
                break
        for _ in range(STEPS):
            row, _, ended, _, _ = one.step(dice.choice(one.action_masks().nonzero()[0]))
            assert one.observation_space.contains(row)
            if ended:
                one.reset()
        game = spiel(name, seats, variants)
        assert str(pyspiel.load_game(str(game))) == str(game)
        assert game.table.variants == games.find(name).resolve_variants(variants)
        state = game.new_initial_state()
        for _ in range(STEPS):
            if not state.is_terminal():
                state.apply_action(dice.choice(state.legal_actions()))
        for back in (
            pyspiel.deserialize_game_and_state(pyspiel.serialize_game_and_state(game, state))[1],
            pickle.loads(pickle.dumps(state)),  # noqa: S301 - of this test
        ):
            assert str(back.get_game()) == str(game)
            assert str(back) == str(state)


@pytest.mark.parametrize("value", ["'3'", "'5'", "all"])
def test_a_variant_of_numbers_and_words(value: str) -> None:
    """Where only some values look like numbers, these stand in quotes."""
    game = pyspiel.load_game(f"arena_mixed(goal={value},dice=2)")
    assert game.table.variants == {"goal": value.strip("'"), "dice": "2"}
    assert f"goal={value}" in str(game)
    assert game.get_parameters()["goal"] == value


@pytest.mark.long
@pytest.mark.parametrize("name", NAMES)
@pytest.mark.filterwarnings("ignore:Observation is not a NumPy array")
@pytest.mark.filterwarnings("ignore:Observation space for each agent probably should be")
def test_their_tests_on_the_examples(name: str) -> None:
    """PettingZoo's and OpenSpiel's own suites pass on the games of the examples, at each number of seats."""
    from pettingzoo.test import api_test, seed_test  # noqa: PLC0415 - it takes seconds

    for seats in games.find(name).seats:
        api_test(env(name, seats), num_cycles=60)
        seed_test(lambda seats=seats: env(name, seats), num_cycles=40)
        pyspiel.random_sim_test(spiel(name, seats, {}), num_sims=2, serialize=True, verbose=False)
