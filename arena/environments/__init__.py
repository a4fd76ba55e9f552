"""Games as environments: a match in this process, without processes and clocks; for learners and for search.

``gym`` gives one seat of a game as an environment of Gymnasium, ``vector`` many at once, ``evaluate`` the arena's table
of a policy, and ``PolicyBot`` a bot that plays by one. ``arena.environments.pettingzoo`` and
``arena.environments.openspiel`` give any game as an environment of PettingZoo and as a game of OpenSpiel. Importing
this imports none of them, nor NumPy.
"""


def __getattr__(name: str) -> object:
    from arena.lazy import import_name  # noqa: PLC0415 - only who asks for a public name needs it

    return import_name(name, room=__name__)
