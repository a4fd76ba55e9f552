"""Every game as an environment of Gymnasium for one seat, held against Gymnasium's own checks, and evaluated."""

import subprocess
import sys
from random import Random
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env

import arena
from arena import environments, games
from arena.environments import Environment, PolicyBot
from arena.environments.gymnasium import GymEnv
from arena.errors import BotError, UsageError
from arena.extras import install


def first(_row: Any, mask: Any) -> Any:
    """The policy of the first action."""
    return np.flatnonzero(mask)[0]


def played(whole: Any, dice: Random) -> list[tuple[bytes, float]]:
    """The rest of a match by random actions: each row and reward."""
    turns, over = [], False
    while not over:
        action = dice.choice(np.flatnonzero(whole.action_masks()).tolist())
        row, reward, ended, capped, info = whole.step(action)
        assert whole.observation_space.contains(row)
        assert (info["action_mask"] == whole.action_masks()).all()
        turns.append((row.tobytes(), reward))
        over = ended or capped
    assert reward == environments.single_picks.rank_utility(info["ranks"])[whole.seat]
    return turns


@pytest.mark.parametrize("name", games.names())
def test_their_checks(name: str) -> None:
    """Gymnasium makes each game by its name with the versions of rules and encoding, and its own checks pass."""
    made: Any = gymnasium.make(f"arena/{name}-v{games.find(name).version}")
    assert made.spec.id == made.unwrapped.encoding.name
    # its checker knows no masks: where a random action is forbidden, the match ends, which is checked as well
    check_env(made.unwrapped, skip_render_check=True)
    made.reset(seed=1)
    assert played(made.unwrapped, Random(1))


def test_seeds() -> None:
    """The same seed gives the same match, and the same next one; the learner sits elsewhere from match to match."""
    matches, seats = [], set()
    for _ in range(2):
        whole, dice = GymEnv("dockfight", ["random", "greedy"]), Random(1)
        whole.reset(seed=7)
        turns = []
        for _ in range(8):
            turns.append(played(whole, dice))
            seats.add(whole.seat)
            whole.reset()
        matches.append(turns)
    assert matches[0] == matches[1]
    assert seats == {0, 1, 2}
    fixed = GymEnv("dockfight", seat=2)
    fixed.reset(seed=1)
    assert fixed.seat == 2


def test_opponents() -> None:
    """A function, a bot and a past self are opponents as they are in runs: they are greeted, asked and told the end."""
    heard: list[Any] = []

    class Listening(arena.Bot[Any]):
        def begin(self, hello: Any, /) -> None:
            heard.append(hello.seat)

        def decide(self, decision: arena.Decision[Any], /) -> range:
            assert decision.observation.seat == decision.seat
            return range(decision.least)

        def over(self, over: Any, /) -> None:
            heard.append(over.ranks)

    def asked(decision: arena.Decision[Any]) -> range:
        heard.append(decision.game)
        return range(decision.least)

    whole = GymEnv("lure", [Listening, asked], seat=0, seats=3)
    for match in range(6):
        whole.reset(seed=match)
        *_, (_, reward) = played(whole, Random(match))
    assert {type(one) for one in heard} == {int, tuple, str}
    whole = GymEnv("dockfight", PolicyBot(first), seats=2)
    whole.reset(seed=1)
    taken: list[list[int]] = []

    def noted(row: Any, mask: Any) -> Any:
        taken.append(np.flatnonzero(mask).tolist())
        return first(row, mask)

    whole.opponents.clear()
    whole.add(PolicyBot(noted))
    whole.reset()
    played(whole, Random(1))
    assert taken
    assert -1 <= reward <= 1


@pytest.mark.long
def test_search_is_an_opponent() -> None:
    """The shipped ``search`` answers by its clock."""
    whole = GymEnv("catch-of-the-day", "search", seats=4)
    whole.reset(seed=1)
    whole.step(np.flatnonzero(whole.action_masks())[0])


def test_mistakes() -> None:
    """What is no game, seat, opponent or action is said; an action that the mask forbids ends the match at -1."""
    for wrong, error, said in (
        (lambda: GymEnv("chess"), UsageError, "expected a game of"),
        (lambda: GymEnv("lure", seat=9), UsageError, r"expected seat='random' or a seat from 0 to 3, got 9"),
        (lambda: GymEnv("lure", []), BotError, "expected an opponent, got none"),
        (lambda: GymEnv("lure", "grandmaster"), BotError, "expected Python code or a bot .* got 'grandmaster'"),
        (lambda: GymEnv("lure").step(0), UsageError, "expected a reset"),
    ):
        with pytest.raises(error, match=said):
            wrong()
    whole = GymEnv("dockfight")
    whole.reset(seed=1)
    with pytest.raises(UsageError, match=r"expected an action from 0 to \d+, got 'hit'"):
        whole.step("hit")
    for action in (whole.encoding.done + 1, -1, 2**70, 0.5):
        with pytest.raises(UsageError, match=r"expected an action from 0 to \d+, got "):
            whole.step(action)
    _, reward, ended, capped, info = whole.step(whole.encoding.done)
    assert (reward, ended, capped) == (-1.0, True, False)
    assert not info["action_mask"].any()
    assert not whole.action_masks().any()
    with pytest.raises(UsageError, match="expected a reset"):
        whole.step(0)
    with pytest.raises(UsageError, match="expected a seed that is a whole number from 0, got -1"):
        whole.reset(seed=-1)
    with pytest.raises(UsageError, match="expected render_mode='ansi' or render_mode='human', got 'rgb_array'"):
        GymEnv("lure", render_mode="rgb_array")


def test_rendering_and_many(capsys: pytest.CaptureFixture[str]) -> None:
    """Gymnasium makes an environment that shows its table in words, and many of them by its own call."""
    name = GymEnv("lure").encoding.name
    made = gymnasium.make(name, render_mode="human", disable_env_checker=True)
    made.reset(seed=1)
    made.step(np.flatnonzero(made.get_wrapper_attr("action_masks")())[0])
    assert "in the middle" in capsys.readouterr().out
    many: Any = gymnasium.make_vec(name, num_envs=3, opponents="random", seats=3)
    rows, _ = many.reset(seed=1)
    assert rows.shape[0] == 3
    many.close()


def test_it_is_light() -> None:
    """``arena.environments`` loads neither Gymnasium nor NumPy; without the extra there is one clear line."""
    code = (
        "import sys, arena, arena.environments, arena.environments.encoding\n"
        "assert not {'numpy', 'gymnasium', 'arena.selfplay'} & set(sys.modules)\n"
        "sys.modules['gymnasium'] = None\n"
        "try:\n    arena.task('lure').make_gym()\n"
        "except Exception as error:\n    print(type(error).__name__, error)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    said = f"expected Gymnasium to be installed ({install('pettingzoo')}), got no gymnasium\n"
    assert done.stdout == f"UsageError {said}"
    assert Environment is environments.Environment
