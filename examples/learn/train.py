"""Learn to play a game by playing it, and write down what was learnt for ``bot/bot.py``.

Monte Carlo control (Sutton and Barto, *Reinforcement Learning*, 2018, chapter 5) with a small neural network of
scikit-learn: matches are played through arena's environment of PettingZoo; the network learns what reward each action
led to in the end; the next matches are played by the network, with some random actions so that all are tried.
"""

import argparse
import json
import time
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
from sklearn.neural_network import MLPRegressor

from arena.environments.pettingzoo import ArenaEnv, env

HERE = Path(__file__).parent
REMEMBERED = 16
"""So many rounds of matches are learnt from: the last ones."""
RANDOM_AT_LEAST = 0.1
"""The share of random actions falls from 1 to this."""
HIDDEN = (48,)


class Learner:
    """What is learnt of one game: an estimate of the reward that an option leads to."""

    def __init__(self, sea: ArenaEnv, seed: int) -> None:
        """Nothing is learnt yet."""
        self.encoding = sea.encoding
        self.observed = len(self.encoding.names)
        self.network = MLPRegressor(
            hidden_layer_sizes=HIDDEN, batch_size=256, learning_rate_init=2e-3, alpha=1e-3, random_state=seed
        )
        self.lessons = 0
        self.past: list[tuple[Any, Any]] = []

    def rows(self, seen: dict[str, Any]) -> tuple[Any, Any]:
        """The actions that may be taken, and for each the observation with one column an action."""
        row, actions = seen["observation"], np.flatnonzero(seen["action_mask"])
        rows = np.zeros((len(actions), self.observed + len(self.encoding.actions)), np.float32)
        rows[:, : self.observed] = row
        rows[np.arange(len(actions)), self.observed + actions] = 1
        return actions, rows

    def learn(self, rows: list[Any], rewards: list[float]) -> None:
        """Go over what the last rounds of matches led to."""
        self.past = [*self.past, (np.array(rows), np.array(rewards, np.float32))][-REMEMBERED:]
        self.network.partial_fit(*map(np.concatenate, zip(*self.past, strict=True)))
        self.lessons += 1

    def save(self, sea: ArenaEnv, game: str, path: Path) -> None:
        """Write what the bot needs: the weights of the network by layer, and for which encoding they are."""
        layers = [
            {"weights": [list(map(short, row)) for row in weights], "offsets": list(map(short, offsets))}
            for weights, offsets in zip(self.network.coefs_, self.network.intercepts_, strict=True)
        ]
        learnt = {
            "game": game,
            "seats": len(sea.possible_agents),
            "encoding": self.encoding.fingerprint,
            "layers": layers,
        }
        path.write_text(json.dumps(learnt), encoding="utf-8")


def short(number: float) -> float:
    """Three digits are enough."""
    return float(f"{number:.3g}")


def play(learner: Learner, seas: list[ArenaEnv], dice: Random, *, alone: bool = False) -> tuple[list[Any], list[float]]:
    """Play a match at each table: the actions that were taken, as rows, and the reward that each led to.

    The matches go on side by side, so that the network is asked about many questions at once. The learner has one seat
    a match, and each other one by the toss of a coin; who is no learner plays at random. With ``alone`` the learner has
    the one seat only; then no rows are given, and of each match its reward.
    """
    at_random = 0.0 if alone else max(RANDOM_AT_LEAST, 1 - learner.lessons / 4)
    taken: list[dict[str, list[Any]]] = []
    own = [dice.choice(sea.possible_agents) for sea in seas]
    learners = [{agent for agent in sea.possible_agents if not alone and dice.random() < 1 / 2} for sea in seas]
    for sea in seas:
        sea.reset()
        taken.append({agent: [] for agent in sea.possible_agents})
    going = list(range(len(seas)))
    while going:
        asked = [learner.rows(seas[at].observe(seas[at].agent_selection)) for at in going]
        values: Any = learner.network.predict(np.concatenate([each for _, each in asked])) if learner.lessons else None
        first = 0
        for at, (actions, each) in zip(going, asked, strict=True):
            sea, agent = seas[at], seas[at].agent_selection
            learns = agent == own[at] or agent in learners[at]
            if values is None or not learns or dice.random() < at_random:
                best = dice.randrange(len(actions))
            else:
                best = int(np.argmax(values[first : first + len(actions)]))
            first += len(actions)
            taken[at][agent].append(each[best])
            sea.step(int(actions[best]))
        going = [at for at in going if not over(seas[at])]
    if alone:
        return [], [sea.rewards[agent] for sea, agent in zip(seas, own, strict=True)]
    rows = [row for by_agent in taken for its in by_agent.values() for row in its]
    ends = zip(seas, taken, strict=True)
    return rows, [sea.rewards[agent] for sea, by_agent in ends for agent, its in by_agent.items() for _ in its]


def over(sea: ArenaEnv) -> bool:
    """Whether the match is over."""
    return any(sea.terminations.values()) or any(sea.truncations.values())


def train(*, game: str, seats: int | None, tables: int, minutes: float, lessons: int, seed: int, out: Path) -> float:
    """Learn for so many minutes of one processor, or as many lessons; every third one is put to the test.

    What did best is written down; its mean reward against random players.
    """
    dice = Random(seed)
    seas = [env(game, seats, seed=seed + number) for number in range(tables)]
    learner = Learner(seas[0], seed)
    start, best = time.process_time(), -np.inf
    while learner.lessons < lessons and time.process_time() - start < 60 * minutes:
        learner.learn(*play(learner, seas, dice))
        if learner.lessons % 3 == 0:
            reward = float(np.mean(play(learner, seas, dice, alone=True)[1]))
            spent = time.process_time() - start
            print(f"{learner.lessons} lessons, {spent:.0f} s: {reward:+.2f} against random players", flush=True)
            if reward > best:
                best = reward
                learner.save(seas[0], game, out)
    return float(best)


def main() -> None:
    """Read the options, learn, and say how it went."""
    parser = argparse.ArgumentParser(description="Learn to play a game of arena.")
    parser.add_argument("--game", default="dockfight")
    parser.add_argument("--seats", type=int, help="by default the usual table")
    parser.add_argument("--tables", type=int, default=64, help="matches a lesson")
    parser.add_argument("--minutes", type=float, default=4, help="of one processor")
    parser.add_argument("--lessons", type=int, default=10**9, help="at most")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--out", type=Path, default=HERE / "bot" / "weights.json")
    given = vars(parser.parse_args())
    reward = train(**given)
    print(f"written down: {reward:+.2f} against random players, where 1 is always ahead of all and -1 behind")


if __name__ == "__main__":
    main()
