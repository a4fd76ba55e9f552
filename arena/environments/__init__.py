"""Games as environments: a table in this process, without processes and clocks, and what others know as environments.

``arena.environments.table`` is the table that self-play runs on; ``arena.environments.pettingzoo`` gives any game as an
environment of PettingZoo. Importing this imports neither PettingZoo nor NumPy.
"""
