"""Reports: from results to values, and from values to tables, Markdown, CSV and JSON. Callers pass in all else."""


def __getattr__(name: str) -> object:
    from arena.lazy import import_name  # noqa: PLC0415 - only who asks for a public name needs it

    return import_name(name, room=__name__)
