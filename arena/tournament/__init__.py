"""Many matches: who sits where, what is secret, and the file that remembers what was played.

Data flows one way: schedule, lane, referee, record, journal. Knows neither the command line nor reports.
"""


def __getattr__(name: str) -> object:
    from arena.lazy import import_name  # noqa: PLC0415 - only who asks for a public name needs it

    return import_name(name, room=__name__)
