"""Games as environments: a match in this process, without processes and clocks; for learners and for search.

``arena.task`` gives the environments of Gymnasium, what a policy is measured by and the bot that it
becomes; ``Environment`` is one match. ``arena.environments.pettingzoo`` and ``arena.environments.openspiel`` give any
game as an environment of PettingZoo and as a game of OpenSpiel. Importing this imports none of them, nor NumPy.
"""


def __getattr__(name: str) -> object:
    from arena.lazy import import_name  # noqa: PLC0415 - only who asks for a public name needs it

    return import_name(name, room=__name__)
