"""Every game as an environment of PettingZoo, held against PettingZoo's own tests."""

import copy
import pickle
import subprocess
import sys
from collections.abc import Callable
from random import Random
from typing import Any

import numpy as np
import pytest
from pettingzoo import AECEnv
from pettingzoo.test import api_test, seed_test

from arena import games
from arena.environments.environment import Environment
from arena.environments.pettingzoo import ArenaEnv, env
from arena.errors import UsageError
from arena.extras import install

pytestmark = [
    # an observation with an action mask in it, as all its classic games have, PettingZoo expects of these alone
    pytest.mark.filterwarnings("ignore:Observation is not a NumPy array"),
    pytest.mark.filterwarnings("ignore:Observation space for each agent probably should be"),
]
TABLES = [
    pytest.param(name, seats, id=f"{name}-{seats}")
    for name in games.names()
    for game in [games.find(name)]
    for seats in dict.fromkeys((game.seats[0], game.usual_seats, game.seats[-1]))
]


@pytest.mark.long
@pytest.mark.parametrize(("game", "seats"), TABLES)
def test_their_tests(game: str, seats: int) -> None:
    """PettingZoo's api_test and seed_test pass at the least, the usual and the most seats."""
    api_test(env(game, seats), num_cycles=60)
    seed_test(lambda: env(game, seats), num_cycles=40)


def test_somebody_is_asked() -> None:
    """A deal that is over before anybody is asked is dealt again."""
    whole = env("fish-food", variants={"mode": "simple"})
    for seed in range(20):
        whole.reset(seed=seed)
        assert whole.observe(whole.agent_selection)["action_mask"].any()


@pytest.mark.long
@pytest.mark.parametrize("game", games.names())
def test_to_the_end(game: str) -> None:
    """A match ends by itself; observations stay in bounds; details have the game's struct; rewards are even."""
    whole = ArenaEnv(game, seed=1)
    whole.reset()
    dice = Random(1)
    rewards: dict[str, float] = {}
    for agent in whole.agent_iter():
        seen, reward, terminated, truncated, info = whole.last()
        assert info == {}
        assert whole.observation_space(agent).contains(seen)
        details = whole.details(agent)
        assert type(details["observation"]) is games.find(game).observation
        assert bool(details["options"]) == bool(seen["action_mask"].any())
        assert whole.state().shape == (len(whole.possible_agents) * len(whole.encoding.names),)
        if terminated or truncated:
            rewards[agent] = reward
            whole.step(None)
            continue
        whole.step(dice.choice(np.flatnonzero(seen["action_mask"]).tolist()))
    assert set(rewards) == set(whole.possible_agents)
    assert sum(rewards.values()) == pytest.approx(0)
    assert max(rewards.values()) > 0 or not any(rewards.values())


@pytest.mark.long
@pytest.mark.parametrize("game", games.names())
def test_each_number_is_named(game: str) -> None:
    """``describe`` has a line for each number, no two numbers have one name, and bounds are in order."""
    whole = ArenaEnv(game)
    space = whole.observation_space("seat_0")["observation"]
    encoding = whole.encoding
    assert space.shape == (len(encoding.names),)
    assert len(set(encoding.names)) == len(encoding.names)
    assert (space.low <= space.high).all()
    for at, name in enumerate(encoding.names):
        assert whole.describe()[at].startswith(f"{at}: {name}, ")


def test_a_row_of_picks() -> None:
    """Several picks are as many actions in order, ended by ``done`` or by the last that may be: then one answer."""
    whole = ArenaEnv("lure", seats=2)
    whole.reset(seed=5)
    table = Environment("lure", 2)
    table.reset(5)
    dice = Random(3)
    rows: list[int] = []
    while whole.agents and not any(whole.terminations.values()):
        agent, decision = whole.agent_selection, table.decision
        assert whole.possible_agents.index(agent) == table.seat
        picks: list[int] = []
        while True:
            mask = whole.observe(agent)["action_mask"]
            assert mask[whole.done] == (decision.least <= len(picks) and decision.least < decision.most)
            actions = [whole.encoding.action(option, table.seat) for option in decision.options]
            left = [place for place in range(len(actions)) if place not in picks]
            assert set(np.flatnonzero(mask[: whole.done])) == {actions[place] for place in left}
            action = dice.choice(np.flatnonzero(mask).tolist())
            picks += [next(place for place in left if actions[place] == action)] if action != whole.done else []
            whole.step(action)
            if action == whole.done or len(picks) == decision.most:
                break
            assert whole.agent_selection == agent
        rows.append(len(picks))
        table.step(picks)
    assert table.result is not None
    assert table.result.ranks == whole._table.standing().ranks
    assert len(set(rows)) > 1


def test_what_is_forbidden() -> None:
    """An action that the mask forbids ends the match at -1 for who took it; what is no action is refused."""
    whole = env("dockfight", 2)
    for early in (lambda: whole.step(0), whole.last):
        with pytest.raises(UsageError, match="expected a reset"):
            early()
    whole.reset(seed=1)
    for wrong in (whole.done + 1, -1, None):
        with pytest.raises(UsageError, match=f"expected an action from 0 to {whole.done}, got {wrong}"):
            whole.step(wrong)
    agent = whole.agent_selection
    whole.step(whole.done)
    rewards = {}
    for each in whole.agent_iter():
        seen, rewards[each], terminated, _, _ = whole.last()
        assert terminated
        assert not seen["action_mask"].any()
        assert not whole.details(each)["options"]
        whole.step(None)
    assert rewards == {each: -1 if each == agent else 0 for each in whole.possible_agents}
    with pytest.raises(UsageError, match="expected a game of"):
        env("chess")
    with pytest.raises(UsageError, match="expected render_mode='ansi' or render_mode='human', got 'rgb_array'"):
        env("lure", render_mode="rgb_array")
    with pytest.raises(UsageError, match="expected a seed that is a whole number from 0, got 'x'"):
        env("lure", seed="x")  # type: ignore[arg-type]
    with pytest.raises(UsageError, match=r"expected a seed that is a whole number from 0, got 1\.5"):
        whole.reset(seed=1.5)  # type: ignore[arg-type]  # as a caller might


def played(whole: AECEnv) -> list[tuple[Any, ...]]:
    """The rest of a match by the last legal action each time: who acts, its numbers and its reward."""
    turns = []
    for agent in whole.agent_iter():
        seen, reward, terminated, truncated, _ = whole.last()
        turns.append((agent, seen["observation"].tobytes(), reward))
        whole.step(None if terminated or truncated else np.flatnonzero(seen["action_mask"])[-1])
    return turns


def test_seeds() -> None:
    """All resets after one with a seed follow from it, as those of Gymnasium; a seed may be NumPy's."""
    one, other, third = env("catch-of-the-day"), env("catch-of-the-day"), env("catch-of-the-day", seed=np.int64(7))
    for whole, seed in ((one, 7), (other, np.int64(7)), (third, None)):
        whole.reset(seed=seed)
    assert played(one) == played(other) != played(third)
    one.reset()
    other.reset()
    third.reset(seed=7)
    assert played(one) == played(other) != played(third)


@pytest.mark.parametrize("copied", [copy.deepcopy, lambda whole: pickle.loads(pickle.dumps(whole))])  # noqa: S301
def test_copies(copied: Callable[[AECEnv], AECEnv]) -> None:
    """A copy, also by pickle, continues in the same way without the original: this match, and the next."""
    whole = env("dockfight", seed=1)
    copied(whole).reset()
    whole.reset()
    for _ in range(10):
        whole.step(np.flatnonzero(whole.last()[0]["action_mask"])[0])
    before, other = whole.observe(whole.agent_selection)["observation"].tobytes(), copied(whole)
    turns = played(other)
    assert whole.observe(whole.agent_selection)["observation"].tobytes() == before
    assert played(whole) == turns
    whole.reset()
    other.reset()
    assert played(whole) == played(other) != turns


def test_rendering(capsys: pytest.CaptureFixture[str]) -> None:
    """``render`` gives the table in words; in the mode ``human`` it prints them, and so does each step."""
    text, human = env("lure", render_mode="ansi"), env("lure", render_mode="human")
    for whole in (text, human):
        whole.reset(seed=1)
        whole.step(0)
    words = str(text.render())
    assert "in the middle" in words
    assert capsys.readouterr().out == f"{words}\n"
    assert human.render() is None
    assert capsys.readouterr().out == f"{words}\n"


def test_a_missing_extra() -> None:
    """Without the extra there is one clear line, and importing arena.environments needs none of it."""
    code = (
        "import sys; sys.modules['pettingzoo'] = None\n"
        "import arena.environments.environment\n"
        "assert 'numpy' not in sys.modules\n"
        "try:\n    import arena.environments.pettingzoo\n"
        "except Exception as error:\n    print(type(error).__name__, error)\n"
    )
    done: Any = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    said = f"UsageError expected PettingZoo to be installed ({install('pettingzoo')}), got no pettingzoo\n"
    assert done.stdout == said
