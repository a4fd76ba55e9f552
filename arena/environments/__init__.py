"""Games as environments: a match in this process, without processes and clocks; for learners and for search.

``gym`` gives one seat of a game as an environment of Gymnasium, ``vector`` many at once, ``evaluate`` the arena's table
of a policy, and ``PolicyBot`` a bot that plays by one. ``arena.environments.pettingzoo`` and
``arena.environments.openspiel`` give any game as an environment of PettingZoo and as a game of OpenSpiel. Importing
this imports none of them, nor NumPy.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from arena.environments.environment import Environment

if TYPE_CHECKING:
    from arena.environments.gymnasium import gym
    from arena.environments.policies import PolicyBot, evaluate
    from arena.environments.vectorized import vector

__all__ = ["Environment", "PolicyBot", "evaluate", "gym", "vector"]
_HOMES = {"PolicyBot": "policies", "evaluate": "policies", "gym": "gymnasium", "vector": "vectorized"}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
