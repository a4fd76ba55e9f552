"""Policies that map a row of numbers to an action, as bots, and their evaluation by the tables of the arena."""

from collections.abc import Callable, Iterable
from typing import Any, TypeAlias

import numpy as np

from arena.bot import Bot, Decision
from arena.environments.encoding import encoding_of
from arena.environments.environment import Environment
from arena.python_bots import AnyBot, local_bot, several
from arena.report import Leaderboard
from arena.selfplay import play_many

Policy: TypeAlias = Callable[[Any, Any], Any]
"""From a row of numbers and a mask of the actions, both of NumPy, to an action that the mask allows."""


class PolicyBot(Bot[Any]):
    """A bot that plays by a policy: for past selves as opponents, for ``evaluate`` and for runs."""

    def __init__(self, policy: Policy) -> None:
        """``policy`` is shared with all copies of the bot."""
        self._policy = policy

    def __deepcopy__(self, _memo: Any) -> "PolicyBot":
        return PolicyBot(self._policy)

    def decide(self, decision: Decision[Any], /) -> list[int]:
        """One pick after the other; a ``UsageError`` if the policy takes an action that the mask forbids."""
        encoding = encoding_of(decision.game, decision.seats)

        def choose(row: Any, legal: list[int]) -> int:
            mask = np.zeros(encoding.done + 1, np.int8)
            mask[legal] = 1
            return int(self._policy(np.frombuffer(row, np.float32), mask))

        return encoding.picks(decision, decision.observation, seat=decision.seat, choose=choose)


def evaluate(
    policy: Policy, game: str, against: AnyBot | Iterable[AnyBot] = "greedy", *, name: str = "policy", **settings: Any
) -> Leaderboard:
    """Play a policy against others and rate all: who is certainly better than whom is in ``better``.

    Args:
        policy: from a row of numbers and a mask to an action.
        game: the name of the game.
        against: shipped bots by name, functions from ``arena.Decision``, ``Bot``s or ``PolicyBot``s.
        name: what the policy is called in the table.
        settings: any argument of ``arena.play_many``, such as ``matches``, ``seats`` or ``seed``. By default the table
            is the game's usual one, as of ``gym``, with copies of bots where there are too few; and one process
            plays: most networks do not survive to be copied to another one.

    Raises:
        UsageError, BotError: a setting is not right, there is no such bot, or one raised an error.
    """
    usual: dict[str, Any] = {"processes": 1, "seats": Environment(game).seats}
    return play_many(game, [*several(against), local_bot(PolicyBot(policy), name)], **usual | settings)
