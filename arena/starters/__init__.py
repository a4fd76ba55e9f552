"""Bots to begin with: one folder for each language, copied for one game or for any game."""

import os
import re
from pathlib import Path

from arena.game import Game
from arena.players.botfile import FILE, BotFile, nearest, read
from arena.starters.sheet import sheet
from arena.starters.typed import beside, program, typed
from arena.starters.types import types_of

_HERE = Path(__file__).parent
_README = """\
# {name}

A bot for arena in {language}. `{source}` is the bot, `bot.toml` says how it is started.

- `arena check .` tells whether it keeps the protocol,
- `arena run -g {game} .` has it play the bots that ship with arena,
- `arena rules {game}` prints the rules, and `arena games` lists what there is,
- {data}

Write what it picks; the rest may stay. protocol.md, which comes with arena, has the messages field by field.
"""
_DATA = "`{game}.md` lists all that a question holds."
_TYPES = " `{types}` has it as types."
_NO_DATA = "the rules tell what a question holds; `-g GAME` when a bot is begun adds a list of it."


def languages() -> list[str]:
    """The names to choose from, in order."""
    return sorted(folder.name for folder in _HERE.iterdir() if (folder / FILE).is_file())


def write(folder: Path, language: str, game: Game | None) -> BotFile:
    """Write a bot into a folder, which is made if it is not there, and read its bot file; it is named after the folder.

    ``LookupError``: there is no such language, but those named. ``OSError``: a file cannot be written, or is there.
    """
    if language not in languages():
        # `python` and `python-typed` have files with the same suffix; `py` means `python`
        files = [file for other in languages()[::-1] for file in (_HERE / other).iterdir() if file.name != FILE]
        endings = {file.suffix[1:]: file.parent.name for file in files if file.stem.lower() == "bot"}
        meant = {"golang": "go", "node": "javascript", "bash": "shell"} | endings
        near = nearest(meant.get(language.lower(), language.lower()), languages())
        raise LookupError(f"expected a language of {', '.join(languages())}, got {language!r}{near}")
    name = legal(Path(os.path.realpath(folder)).name)
    texts = {path.name: path.read_text("utf-8") for path in sorted((_HERE / language).iterdir()) if path.is_file()}
    (source,) = (file for file in texts if file != FILE and Path(file).stem.lower() == "bot")
    types = typed(language) if game is not None else None
    texts["README.md"] = _README.format(
        name=name,
        language=language.partition("-")[0],
        source=source,
        game=game.name if game else "GAME",
        data=(_DATA.format(game=game.name) if game else _NO_DATA)
        + (_TYPES.format(types=types.types) if types is not None else ""),
    )
    texts[FILE] = texts[FILE].replace('"starter"', f'"{name}"', 1)
    if game is not None:
        texts[FILE] = texts[FILE].replace("\ncommand =", f'\ngames = ["{game.name}"]\ncommand =', 1)
        if types is not None:
            game_types = types_of(game)
            texts[source] = program(types, texts[source], game_types)
            texts |= beside(types, game_types)
        texts[source] = _typed(re.sub(r"\bGAME\b", game.name, texts[source]), game)
        texts[f"{game.name}.md"] = sheet(game)
    folder.mkdir(parents=True, exist_ok=True)
    for file, text in texts.items():
        with (folder / file).open("x", encoding="utf-8") as written:
            written.write(text)
    return read(folder)


def legal(name: str) -> str:
    """A name that a bot may have, as near to this one as can be."""
    return re.sub(r"[^A-Za-z0-9._-]+", "-", name).strip("-")[:64] or "bot"


def _typed(source: str, game: Game) -> str:
    seen = game.observation
    other_name = "" if seen.__name__ == "Observation" else " as Observation"
    return source.replace(
        "from typing import Any as Observation\n\nfrom arena.bot import Bot, Decision\n",
        f"from arena.bot import Bot, Decision\nfrom {seen.__module__} import {seen.__name__}{other_name}\n",
    )
