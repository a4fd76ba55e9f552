"""Values as pages: one HTML file each, which holds its style, its script and its data. Knows no game and no file.

Markup is made with htpy, which escapes all text; no text of a bot becomes markup, style or script. Only ``serving``
uses the network, and only that of this machine.
"""


def __getattr__(name: str) -> object:
    from arena.lazy import import_name  # noqa: PLC0415 - only who asks for a public name needs it

    return import_name(name, room=__name__)
