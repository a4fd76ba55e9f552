"""The matches of a run as columns of numbers: every table, list and chart is a function of these."""


def __getattr__(name: str) -> object:
    from arena.lazy import import_name  # noqa: PLC0415 - only who asks for a public name needs it

    return import_name(name, room=__name__)
