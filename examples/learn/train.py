"""Learn to play a game by playing it, and write down what was learnt for ``bot/bot.py``.

MaskablePPO of sb3-contrib (Huang and Ontanon, "A closer look at invalid action masking in policy gradient algorithms",
FLAIRS 2022) with its default settings, in arena's environment of Gymnasium.
"""

import argparse
import json
import time
from pathlib import Path
from typing import Any

import numpy as np
import torch
from sb3_contrib import MaskablePPO
from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.env_util import make_vec_env

import arena
from arena.environments.policies import Policy

HERE = Path(__file__).parent
ROLLOUT, TABLES = 2048, 8
"""Steps between two updates, MaskablePPO's default, and at how many tables they are taken in turns."""


class Clock(BaseCallback):  # type: ignore[misc]  # it carries no types
    """Ends the training after so many seconds of the processor, and adds past selves to the opponents."""

    def __init__(self, task: arena.Task, seconds: float, selves: int) -> None:
        """``selves``: how many past selves become opponents, at even distances."""
        super().__init__()
        self.task = task
        self.start, self.seconds, self.selves, self.added = time.process_time(), seconds, selves, 0

    def _on_step(self) -> bool:
        spent = time.process_time() - self.start
        if spent * (self.selves + 1) > self.seconds * (self.added + 1) and self.added < self.selves:
            self.training_env.env_method("add", self.task.snapshot(self.model))
            self.added += 1
        return bool(spent < self.seconds)


def learn(task: arena.Task, *, seconds: float, seed: int, selves: int = 0) -> Any:
    """What MaskablePPO has learnt after so many seconds of one processor, which has ``policy`` and ``num_timesteps``.

    All settings have their defaults; the network answers for eight tables at once, which takes hardly more time than
    for one, and an update has as many steps as by default.
    """
    torch.set_num_threads(1)
    torch.distributions.Distribution.set_default_validate_args(False)  # checks of each answer, a tenth of the time
    tables = make_vec_env(task.make_gym, TABLES, seed=seed)
    model = MaskablePPO("MlpPolicy", tables, seed=seed, n_steps=ROLLOUT // TABLES)
    model.learn(10**9, callback=Clock(task, seconds, selves))
    return model


def trained(game: str, *, seconds: float, seed: int) -> tuple[Policy, int]:
    """What ``baselines.py`` measures: the policy that met random players alone, and how many steps it took."""
    model = learn(arena.task(game), seconds=seconds, seed=seed)
    return acting(model.policy), model.num_timesteps


def acting(policy: Any) -> Policy:
    """A function from a row and a mask to the best action: in less time than ``predict`` takes."""
    network = torch.nn.Sequential(*layers_of(policy))

    def choose(row: Any, mask: Any) -> int:
        with torch.inference_mode():
            values = network(torch.from_numpy(row)).numpy()
        return int(np.where(mask, values, -np.inf).argmax())

    return choose


def layers_of(policy: Any) -> list[Any]:
    """The network from a row to the values of the actions."""
    return [*policy.mlp_extractor.policy_net, policy.action_net]


def save(policy: Any, learnt: dict[str, Any], path: Path) -> None:
    """Write what the bot needs: for which encoding it is, and the network by layer, three digits of each weight."""
    learnt["layers"] = [
        {
            "weights": [[float(f"{weight:.3g}") for weight in row] for row in layer.weight.T.tolist()],
            "offsets": layer.bias.tolist(),
        }
        for layer in layers_of(policy)
        if isinstance(layer, torch.nn.Linear)
    ]
    path.write_text(json.dumps(learnt), encoding="utf-8")


def main() -> None:
    """Read the options, learn, and say how it went."""
    parser = argparse.ArgumentParser(description="Learn to play a game of arena.")
    parser.add_argument("--game", default="dockfight")
    parser.add_argument("--seats", type=int, help="by default the usual table")
    parser.add_argument("--against", nargs="+", default=["random"], help="bots that play without a process")
    parser.add_argument("--selves", type=int, default=0, help="past selves that become opponents")
    parser.add_argument("--seconds", type=float, default=36, help="of one processor")
    parser.add_argument("--deals", type=int, default=40, help="of the measurement")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--out", type=Path, default=HERE / "bot" / "weights.json")
    given = parser.parse_args()
    task = arena.task(given.game, given.against, seats=given.seats)
    model = learn(task, seconds=given.seconds, seed=given.seed, selves=given.selves)
    facts = {"game": task.game, "seats": task.seats, "encoding": task.encoding.fingerprint}
    save(model.policy, facts, given.out)
    print(f"{model.num_timesteps} steps in {task.encoding.name}")
    print(task.measure(acting(model.policy), deals=given.deals, seed="learnt"))


if __name__ == "__main__":
    main()
