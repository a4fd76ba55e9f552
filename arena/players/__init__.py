"""Players, which answer for seats: bot files, builds, subprocesses. Knows messages; no rules, records or schedule."""


def __getattr__(name: str) -> object:
    from arena.lazy import import_name  # noqa: PLC0415 - only who asks for a public name needs it

    return import_name(name, room=__name__)
