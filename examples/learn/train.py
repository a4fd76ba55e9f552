"""Learn to play a game by playing it, and write down what was learnt for ``bot/bot.py``.

MaskablePPO of sb3-contrib (Huang and Ontanon, "A closer look at invalid action masking in policy gradient algorithms",
FLAIRS 2022) with its default settings, in arena's environment of Gymnasium.
"""

import argparse
import json
import time
from collections.abc import Sequence
from copy import deepcopy
from pathlib import Path
from typing import Any

import numpy as np
import torch
from sb3_contrib import MaskablePPO
from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.env_util import make_vec_env

from arena.environments import PolicyBot, evaluate, gym
from arena.environments.policies import Policy

HERE = Path(__file__).parent
ROLLOUT, TABLES = 2048, 8
"""Steps between two updates, MaskablePPO's default, and at how many tables they are taken in turns."""


class Clock(BaseCallback):  # type: ignore[misc]  # it carries no types
    """Ends the training after so many seconds of the processor, and adds past selves to the opponents."""

    def __init__(self, seconds: float, selves: int) -> None:
        """``selves``: how many past selves become opponents, at even distances."""
        super().__init__()
        self.start, self.seconds, self.selves, self.added = time.process_time(), seconds, selves, 0

    def _on_step(self) -> bool:
        spent = time.process_time() - self.start
        if spent * (self.selves + 1) > self.seconds * (self.added + 1) and self.added < self.selves:
            self.training_env.env_method("add", PolicyBot(acting(deepcopy(self.model.policy))))
            self.added += 1
        return bool(spent < self.seconds)


def learn(
    game: str, against: Sequence[str], *, seconds: float, seed: int, seats: int | None = None, selves: int = 0
) -> Any:
    """What MaskablePPO has learnt after so many seconds of one processor, which has ``policy`` and ``num_timesteps``.

    All settings have their defaults; the network answers for eight tables at once, which takes hardly more time than
    for one, and an update has as many steps as by default.
    """
    torch.set_num_threads(1)
    torch.distributions.Distribution.set_default_validate_args(False)  # checks of each answer, a tenth of the time
    tables = make_vec_env(lambda: gym(game, against, seats=seats), TABLES, seed=seed)
    model = MaskablePPO("MlpPolicy", tables, seed=seed, n_steps=ROLLOUT // TABLES)
    model.learn(10**9, callback=Clock(seconds, selves))
    return model


def trained(game: str, *, seconds: float, seed: int) -> tuple[Policy, int]:
    """What ``baselines.py`` measures: the policy that met random players alone, and how many steps it took."""
    model = learn(game, ["random"], seconds=seconds, seed=seed)
    return acting(model.policy, best=True), model.num_timesteps


def acting(policy: Any, *, best: bool = False) -> Policy:
    """A function from a row and a mask to an action: drawn as the network has it, or the best one."""
    if not best:
        return lambda row, mask: policy.predict(row, action_masks=mask)[0]
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
    parser.add_argument("--matches", type=int, default=240, help="of the evaluation")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--out", type=Path, default=HERE / "bot" / "weights.json")
    given = parser.parse_args()
    world = gym(given.game, given.against, seats=given.seats)
    model = learn(
        given.game, given.against, seconds=given.seconds, seed=given.seed, seats=given.seats, selves=given.selves
    )
    encoding, seats = world.encoding.fingerprint, world.seats
    save(model.policy, {"game": given.game, "seats": seats, "encoding": encoding}, given.out)
    print(f"{model.num_timesteps} steps in {world.encoding.name}")
    policy = acting(model.policy, best=True)
    print(evaluate(policy, given.game, given.against, matches=given.matches, seats=seats, seed="learnt"))


if __name__ == "__main__":
    main()
