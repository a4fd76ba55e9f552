"""Typed starters: for each language that has types, those of a game as a file beside the bot, and how it is built.

``bot.*`` here are programs; ``json.*`` read JSON for languages that cannot; ``game.*`` is made from the game.
"""

from collections.abc import Callable, Iterable
from pathlib import Path

from msgspec import Struct

from arena.starters.typed import cpp, go, java, rust, typescript
from arena.starters.types import Types

_HERE = Path(__file__).parent


class Typed(Struct, frozen=True, kw_only=True):
    """A language in which a starter has the types of its game."""

    bot: str = ""
    """The file here that is the bot; none: the plain starter with ``changes``."""
    changes: tuple[tuple[str, str], ...] = ()
    """Texts of the plain starter, each with its replacement."""
    types: str
    lines: Callable[[Types], Iterable[str]]
    json: str = ""
    """The file that reads JSON, copied as it is, if the language has none in its library."""
    finish: Callable[[str, Types], str] = lambda program, _: program

    def write(self, types: Types) -> str:
        """The file with the types of the game."""
        return "\n".join(self.lines(types)) + "\n"


_LANGUAGES = {
    "typescript": Typed(changes=typescript.CHANGES, types="game.ts", lines=typescript.lines),
    "go": Typed(changes=go.CHANGES, types="game.go", lines=go.lines),
    "rust": Typed(bot="bot.rs", types="game.rs", lines=rust.lines, json="json.rs"),
    "java": Typed(bot="Bot.java", types="Game.java", lines=java.lines, finish=java.finished, json="Json.java"),
    "c++": Typed(bot="bot.cpp", types="game.hpp", lines=cpp.lines, json="json.hpp"),
}


def typed(language: str) -> Typed | None:
    """The typed starter of a language, if it has one."""
    return _LANGUAGES.get(language)


def program(language: Typed, plain: str, types: Types) -> str:
    """The program of the bot; ``plain`` is the program for any game."""
    for old, new in language.changes:
        plain = plain.replace(old, new)
    return language.finish(_text(language.bot) if language.bot else plain, types)


def beside(language: Typed, types: Types) -> dict[str, str]:
    """The files beside the bot: those types, and what reads JSON; by name."""
    return {language.types: language.write(types)} | ({language.json: _text(language.json)} if language.json else {})


def _text(name: str) -> str:
    return (_HERE / name).read_text("utf-8")
