"""Self-play: bots in Python that answer in this process, many matches on all cores. No messages, no clocks."""


def __getattr__(name: str) -> object:
    from arena.lazy import import_name  # noqa: PLC0415 - only who asks for a public name needs it

    return import_name(name, room=__name__)
