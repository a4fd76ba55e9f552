"""Something to begin with: a bot, in each language or as one that ships; or a game or format, an example renamed."""

import os
import re
import sys
from collections.abc import Mapping
from importlib.metadata import entry_points
from importlib.util import find_spec
from keyword import iskeyword
from pathlib import Path
from shlex import quote

from msgspec import Struct

from arena.errors import nearest
from arena.game import Game
from arena.players import BOT_FILE, BotFile, find_bot_shelf, find_shipped_folder, read_bot_file, read_shipped_bots
from arena.starters.sheet import sheet
from arena.starters.typed import beside, program, typed
from arena.starters.types import types_of

_HERE = Path(__file__).parent
_README_OF_BOT = """\
# {name}

A bot for arena in {language}. `{source}` is the bot, `bot.toml` says how it is started.

- `arena check .` tells whether it keeps the protocol,
- `arena run -g {game} .` has it play the bots that ship with arena,
- `arena rules {game}` prints the rules, and `arena games` lists what there is,
- {data}

{last}
"""
_REST = "Write what it picks; the rest may stay. `arena docs protocol` has the messages field by field."
_DATA = "`{game}.md` lists all that a question holds."
_TYPES = " `{types}` has it as types."
_NO_DATA = "the rules tell what a question holds; `-g GAME` when a bot is begun adds a list of it."


def languages() -> dict[str, Path]:
    """The folders of the languages to choose from, in order: ours, and those of other packages, whose code is not run.

    A package whose folder has no bot file and one file ``bot.*`` beside it is left out.
    """
    folders = {}
    for entry in entry_points(group="arena.starters"):
        # a name with a dot would run the package that it is in
        spec = None if "." in entry.value else find_spec(entry.value)
        if spec is not None and spec.submodule_search_locations:
            folders[entry.name] = Path(spec.submodule_search_locations[0])
    folders |= {folder.name: folder for folder in _HERE.iterdir()}
    return {name: place for name, place in sorted(folders.items()) if (place / BOT_FILE).is_file() and _source(place)}


def _source(folder: Path) -> str:
    """The one file of a starter that is the bot."""
    files = [file.name for file in folder.iterdir() if file.name != BOT_FILE and file.stem.lower() == "bot"]
    return files[0] if len(files) == 1 else ""


def write_bot(folder: Path, language: str, game: Game | None) -> BotFile:
    """Write a bot into a folder, which is made if it is not there, and read its bot file; it is named after the folder.

    ``LookupError``: there is no such language, but those named. ``OSError``: a file cannot be written, or is there.
    """
    folders = languages()
    if language not in folders:
        # `python` and `python-typed` have files with the same suffix; `py` means `python`
        endings = {_source(folders[other]).partition(".")[2]: other for other in reversed(folders)}
        aliases = {"golang": "go", "node": "javascript", "bash": "shell"} | endings
        near = nearest(aliases.get(language.lower(), language.lower()), folders)
        raise LookupError(f"expected a language of {', '.join(folders)}, got {language!r}{near}")
    name = suggest_bot_name(Path(os.path.realpath(folder)).name)
    source, files = _source(folders[language]), sorted(folders[language].iterdir())
    texts = {path.name: path.read_text("utf-8") for path in files if path.is_file() and path.name != "__init__.py"}
    types = typed(language) if game is not None else None
    texts["README.md"] = _README_OF_BOT.format(
        name=name,
        language=language.partition("-")[0],
        source=source,
        game=game.name if game else "GAME",
        last=_REST,
        data=(_DATA.format(game=game.name) if game else _NO_DATA)
        + (_TYPES.format(types=types.types) if types is not None else ""),
    )
    texts[BOT_FILE] = texts[BOT_FILE].replace('"starter"', f'"{name}"', 1)
    if game is not None:
        texts[BOT_FILE] = texts[BOT_FILE].replace("\ncommand =", f'\ngames = ["{game.name}"]\ncommand =', 1)
        if types is not None:
            game_types = types_of(game)
            texts[source] = program(types, texts[source], game_types)
            texts |= beside(types, game_types)
        texts[source] = _typed(re.sub(r"\bGAME\b", game.name, texts[source]), game)
        texts[f"{game.name}.md"] = sheet(game)
    write_new_files(folder, texts)
    return read_bot_file(folder)


_LICENSE = "MIT License, Copyright (c) 2026 The fish-arena authors."
_TO_CHANGE = {
    "": "`decide` gets each question, and returns its picks.",
    "greedy": "`decide` says what the search expects everybody to answer.",
    "guides": "`guide` says how far the search plays on, and who is ahead there.",
}
"""By the folder of a page."""


def write_copy(folder: Path, source: str, game: Game | None) -> BotFile:
    """Copy a shipped bot with its pages, or only with that of a game, into a folder, and read it as ``write_bot`` does.

    ``LookupError``: no such bot with pages ships with arena, or it has no page for the game.
    """
    bots = {
        bot.name: bot for bot in read_shipped_bots() if {path.stem for path in Path(bot.folder).rglob("*.py")} - {"bot"}
    }
    if source not in bots:
        raise LookupError(f"expected a shipped bot of {', '.join(bots)}, got {source!r}{nearest(source, bots)}")
    name, texts = suggest_bot_name(Path(os.path.realpath(folder)).name), _texts(Path(bots[source].folder))
    if "find_bot_shelf()" in texts["bot.py"]:
        # the search asks greedy's pages what others do: its author wants to change these too
        texts |= {
            f"greedy/{file}": text for file, text in _texts(find_bot_shelf() / "greedy").items() if file[:4] != "bot."
        }
        program = texts["bot.py"].replace("from arena.players.entrants import find_bot_shelf\n", "")
        texts["bot.py"] = program.replace("find_bot_shelf() /", "Path(__file__).parent /").replace(
            f'"{source}"', f'"{name}"'
        )
    pages = {file: Path(file).stem.replace("_", "-") for file in texts if Path(file).stem != "bot"}
    if game is not None:
        if game.name not in pages.values():
            games = ", ".join(dict.fromkeys(pages.values()))
            raise LookupError(f"expected a game that {source} has a page for ({games}), got {game.name!r}")
        texts = {file: text for file, text in texts.items() if pages.get(file, game.name) == game.name}
    first = f"# From arena's bot {source}, version {bots[source].version}. {_LICENSE}\n# To be changed: "
    changes: dict[str, None] = {}
    for file in [file for file in texts if file in pages and file.endswith(".py")]:
        where = file.rpartition("/")[0]
        changes[f"- `{file if game else f'{where}/*.py'.lstrip('/')}`: {_TO_CHANGE[where]}"] = None
        texts[file] = f"{first}{_TO_CHANGE[where]}\n{texts[file]}"
    about = texts[BOT_FILE].replace(f'"{source}"', f'"{name}"', 1).replace("\ndefault = false", "")
    about = re.sub(r"(?<=\nversion = ).*", '"0.1"' + (f'\ngames = ["{game.name}"]' if game else ""), about, count=1)
    texts[BOT_FILE] = f"{first}README.md says what, and how to measure it.\n{about}"
    played, data = (game.name, " " + _DATA.format(game=game.name)) if game else ("GAME", "")
    texts["README.md"] = _README_OF_BOT.format(
        name=name,
        language="python",
        source="bot.py",
        game=played,
        data=f"`arena selfplay {played} . {source} -n 300` measures a change.{data}",
        last="\n".join([f"It plays as `{source}` does until you change it:", "", *changes]),
    )
    if game:
        texts[f"{game.name}.md"] = sheet(game)
    write_new_files(folder, texts)
    return read_bot_file(folder)


def _texts(place: Path) -> dict[str, str]:
    files = (path for path in sorted(place.rglob("*")) if path.is_file() and "__pycache__" not in path.parts)
    return {path.relative_to(place).as_posix(): path.read_text("utf-8") for path in files}


def write_new_files(folder: Path, texts: Mapping[str, str] | Mapping[Path, str]) -> None:
    """Write new files into a folder, by their names in it; ``OSError``: one is there, or it cannot be written."""
    for file, text in texts.items():
        path = folder / file
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("x", encoding="utf-8") as written:
            written.write(text)


def suggest_bot_name(name: str) -> str:
    """A name that a bot may have, as near to this one as can be."""
    return re.sub(r"[^A-Za-z0-9._-]+", "-", name).strip("-")[:64] or "bot"


def _typed(source: str, game: Game) -> str:
    observation = game.observation
    name = observation.__name__ + ("" if observation.__name__ == "Observation" else " as Observation")
    return source.replace(
        "from typing import Any as Observation\n\nfrom arena.bot import Bot, Decision\n",
        f"from arena.bot import Bot, Decision\nfrom {observation.__module__} import {name}\n",
    )


_LEFT_OUT = {"goldens", "__pycache__", ".pytest_cache", ".mypy_cache", ".ruff_cache", "dist"}
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


class Names(Struct, frozen=True, kw_only=True):
    """The names of a game or format that is begun."""

    name: str
    """What every command calls it, as ``reef-race``."""
    module: str
    """The Python package, as ``reef_race``."""
    title: str
    """For people, as ``Reef Race``."""


_EXAMPLES = {"game": ("example", "night-nets"), "format": ("example_format", "king-of-the-hill")}
"""Of each kind the example that is renamed: its folder in the package, and its name."""
_NEXT = {
    "game": """\
{name}: a game in the package {module}, with the rules of an example
install it: pip install -e {path} pytest
try its laws: cd {path} && python tests/test_{module}.py && pytest
let it play: arena run -g {name}""",
    "format": """\
{name}: a format in the package {module}, which plays as an example does
install it: pip install -e {path} pytest
try it: cd {path} && pytest
let it play: arena run -g dockfight --schedule {name}""",
}


def _spell_names(name: str) -> Names:
    return Names(name=name, module=name.replace("-", "_"), title=name.replace("-", " ").title())


def derive_names(folder: Path, kind: str) -> Names:
    """The names of what is begun in this folder; ``LookupError`` if it gives none, or one that Python knows."""
    names = _spell_names(re.sub(r"[^a-z0-9]+", "-", folder.resolve().name.lower()).strip("-"))
    module = names.module
    if not module.isidentifier() or iskeyword(module):
        raise LookupError(f"expected a folder named as a {kind}, as reef-race, got {folder.name!r}")
    if module in sys.stdlib_module_names or module == "book" or find_spec(module) is not None:
        raise LookupError(f"expected a name that no module of Python has, got {module!r}")
    return names


def write_package(folder: Path, kind: str) -> str:
    """Write a game or format into a folder, which is made if it is not there, named after it; what to do next."""
    new = derive_names(folder, kind)
    place, name = _EXAMPLES[kind]
    source, old = find_shipped_folder(place, checkout=f"examples/{name}"), _spell_names(name)
    texts = {
        path.relative_to(source): path.read_text("utf-8")
        for path in sorted(source.rglob("*"))
        if path.is_file() and not _LEFT_OUT.intersection(path.relative_to(source).parts)
    }
    if kind == "game":
        texts[Path("README.md")] = _README.format(title=new.title, module=new.module, name=new.name)
    main = new.title.replace(" ", "")
    while any(re.search(rf"\b{main}\b", text) for text in texts.values()):
        main += "State" if kind == "game" else "Format"
    names = {old.name: new.name, old.module: new.module, old.title: new.title, old.title.replace(" ", ""): main}

    def renamed(text: str) -> str:
        return re.sub("|".join(names), lambda match: names[match[0]], text)

    write_new_files(folder, {Path(renamed(str(path))): renamed(text) for path, text in texts.items()})
    path = quote(str(folder) if "/" in str(folder) else f"./{folder}")
    return _NEXT[kind].format(name=new.name, module=new.module, path=path)
