"""Public names of a room, each imported when it is first used (PEP 562).

The ``__init__.pyi`` of a room lists them. That is the one list, for type checkers and at run time: the way of SPEC 1 of
Scientific Python and of its ``lazy_loader``.
"""

import sys
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any


@cache
def read_stub(room: str) -> dict[str, str]:
    """By public name of a package, the module that holds it: of lines ``from MODULE import NAME as NAME`` alone."""
    stub = Path(sys.modules[room].__path__[0], "__init__.pyi").read_text("utf-8")
    return {words[3]: words[1] for words in map(str.split, stub.splitlines())}


def import_name(name: str, *, room: str) -> Any:
    """A public name of a package, from its module; ``AttributeError`` if its stub does not list it."""
    if name not in read_stub(room):
        raise AttributeError(f"module {room!r} has no attribute {name!r}")
    value = getattr(import_module(read_stub(room)[name]), name)
    setattr(sys.modules[room], name, value)
    return value
