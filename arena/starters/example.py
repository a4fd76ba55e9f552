"""A game to begin with: the example of the docs under a name of its own, with view, tests and rules in words."""

import re
import sys
from importlib.util import find_spec
from keyword import iskeyword
from pathlib import Path

from msgspec import Struct

_NAME = "night-nets"
_LEFT_OUT = {"README.md", "goldens", "__pycache__", ".pytest_cache", ".mypy_cache", ".ruff_cache", "dist"}
"""Goldens are of the example's own name; the game writes its own."""
_README = """\
# {title}

A game for arena in a package of its own. It begins with the rules of an example: scout one ground in secret, cast at
one in secret, share what swims there. Change them step by step; the laws tell what a change has broken.

- `pip install -e . pytest` installs it for the Python that runs arena; then `arena games` lists it,
- `python tests/test_{module}.py` writes the goldens: read one, it is a match in words,
- `pytest` tells whether it keeps the laws of arena,
- `arena run -g {name}` has bots play it, and `arena play {name}` seats you.

| file | what is in it |
|---|---|
| `{module}/__init__.py` | what is printed on the box: name, seats, variants |
| `{module}/rules.py` | the rules: options, events, what a seat sees, the state |
| `{module}/view.py` | how the table looks |
| `{module}/rules.md` | how to play, for people |
| `RULINGS.md` | what the rules leave open: question, ruling, test |
| `tests/book.py` | what is in the box, and who may know what |
| `tests/test_{module}.py` | the laws, the rulings, the goldens |

"Adding a game" in the docs of arena explains each part.
"""


class NewGame(Struct, frozen=True, kw_only=True):
    """The names of a game that was begun."""

    name: str
    """What every command calls it, as ``reef-race``."""
    module: str
    """The Python package, as ``reef_race``."""
    title: str
    """For people, as ``Reef Race``."""


def named(folder: Path) -> NewGame:
    """The names of a game that is begun in this folder; ``LookupError`` if it gives none, or one that Python knows."""
    name = re.sub(r"[^a-z0-9]+", "-", folder.resolve().name.lower()).strip("-")
    module = name.replace("-", "_")
    if not module.isidentifier() or iskeyword(module):
        raise LookupError(f"expected a folder named as a game, as reef-race, got {folder.name!r}")
    if module in sys.stdlib_module_names or module == "book" or find_spec(module) is not None:
        raise LookupError(f"expected a name that no module of Python has, got {module!r}")
    return NewGame(name=name, module=module, title=name.replace("-", " ").title())


def write_game(folder: Path) -> NewGame:
    """Write a game into a folder, which is made if it is not there; it is named after the folder."""
    game = named(folder)
    source = _example()
    texts = {
        path.relative_to(source): path.read_text("utf-8")
        for path in sorted(source.rglob("*"))
        if path.is_file() and not _LEFT_OUT.intersection(path.relative_to(source).parts)
    }
    state = game.title.replace(" ", "")
    while any(re.search(rf"\b{state}\b", text) for text in texts.values()):
        state += "State"
    names = {_NAME: game.name, "night_nets": game.module, "Night Nets": game.title, "NightNets": state}

    def renamed(text: str) -> str:
        return re.sub("|".join(names), lambda match: names[match[0]], text)

    written = {Path(renamed(str(path))): renamed(text) for path, text in texts.items()}
    written[Path("README.md")] = _README.format(title=game.title, module=game.module, name=game.name)
    for path, text in written.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        with (folder / path).open("x", encoding="utf-8") as file:
            file.write(text)
    return game


def _example() -> Path:
    package = Path(__file__).resolve().parents[1]
    installed = package / "example"
    return installed if installed.is_dir() else package.parent / "examples" / _NAME
