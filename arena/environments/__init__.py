"""Games as environments: a match in this process, without processes and clocks; for learners and for search.

``arena.environments.pettingzoo`` and ``arena.environments.openspiel`` give any game as an environment of PettingZoo and
as a game of OpenSpiel. Importing this imports neither of them, nor NumPy.
"""

from arena.environments.environment import Environment

__all__ = ["Environment"]
