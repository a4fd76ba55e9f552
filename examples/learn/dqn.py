"""Deep Q-learning of OpenSpiel, in a game of arena as OpenSpiel has it.

``DQN`` of ``open_spiel.python.pytorch`` (Mnih and others, "Human-level control through deep reinforcement learning",
Nature 2015; Lanctot and others, "OpenSpiel", 2019) as its defaults have it, but for what ``SETTINGS`` says: the default
explores at random for a million steps, more than there is time for.
"""

import time
from random import Random

import numpy as np
import pyspiel
import torch
from open_spiel.python import rl_environment
from open_spiel.python.pytorch.dqn import DQN

from arena.environments.openspiel import register
from arena.environments.policies import Policy

SETTINGS = {"optimizer_str": "adam", "learning_rate": 1e-3, "epsilon_decay_duration": 10_000}


def trained(game: str, *, seconds: float, seed: int) -> tuple[Policy, int]:
    """A policy after so many seconds of one processor against random players, and how many steps it took.

    The agent holds another seat in each match; the policy takes the action of the greatest value.
    """
    torch.set_num_threads(1)
    torch.manual_seed(seed)
    np.random.seed(seed)  # noqa: NPY002 - what the agent draws from
    register()
    begun, dice, steps = time.process_time(), Random(seed), 0
    table = rl_environment.Environment(pyspiel.load_game(f"arena_{game.replace('-', '_')}"))
    table.seed(seed)
    width, actions = table.observation_spec()["info_state"][0], table.action_spec()["num_actions"]
    agent = DQN(0, width, actions, seed=seed, **SETTINGS)
    while time.process_time() - begun < seconds:
        agent.player_id, now = dice.randrange(table.num_players), table.reset()
        while not now.last():
            acting = now.observations["current_player"]
            if acting == agent.player_id:
                action, steps = int(agent.step(now).action), steps + 1
            else:
                action = dice.choice(now.observations["legal_actions"][acting])
            now = table.step([action])
        agent.step(now)
    return lambda row, mask: agent.act_epsilon_greedy(row, np.flatnonzero(mask).tolist(), 0.0)[0], steps
