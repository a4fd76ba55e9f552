"""The shelf: one folder a game, found by its name. Knows no game in particular.

A game is a folder here whose package has a ``GAME``; other packages add theirs through the entry-point group
``arena.games`` (name -> ``Game``).
"""

import importlib
import importlib.util
import pkgutil
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from arena.game import Game

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

_GROUP = "arena.games"


class UnknownGame(LookupError):
    """There is no game of this name: ``expectation`` says which there are, and the text also how to get others."""

    def __init__(self, name: str) -> None:
        self.expectation = f"expected a game of {', '.join(names())}, got {name!r}"
        super().__init__(f"{self.expectation}; install the package that has it")


@cache
def _built_in() -> dict[str, str]:
    modules = (module.name for module in pkgutil.iter_modules(__path__) if module.ispkg)
    return {name.replace("_", "-"): f"{__name__}.{name}" for name in sorted(modules)}


def names() -> list[str]:
    """The names of all games that can be played, those of this package first; others are loaded to see if they can."""
    ours = _built_in()
    return [*ours, *(name for name, entries in _elsewhere().items() if name not in ours and not _fault(name, entries))]


def faults() -> list[str]:
    """What is wrong with games of other packages, a line for each that cannot be played."""
    return [fault for name, entries in _elsewhere().items() if (fault := _fault(name, entries))]


@cache
def find(name: str) -> Game:
    """The game of this name.

    Raises:
        UnknownGame: there is no such game.
        LookupError: it cannot be played, and the message says of which package it is and why.
    """
    if name in _built_in():
        game: Game = importlib.import_module(_built_in()[name]).GAME
        return game
    entries = _elsewhere().get(name)
    if not entries:
        raise UnknownGame(name)
    if fault := _fault(name, entries):
        raise LookupError(fault)
    loaded: Game = entries[0].load()
    return loaded


def _elsewhere() -> "dict[str, tuple[EntryPoint, ...]]":
    # a fifth of the start of a lane, which mostly finds its game here
    from importlib.metadata import entry_points  # noqa: PLC0415 - see above

    entries = entry_points(group=_GROUP)
    return {name: tuple(entries.select(name=name)) for name in sorted(entries.names)}


@cache
def _fault(name: str, entries: "tuple[EntryPoint, ...]") -> str:
    """Why no game of another package can be played under this name; empty if one can."""
    first = entries[0]
    where = f"game {name!r} of {_package(first)} (entry point {first.value}): expected"
    if name in _built_in():
        return f"{where} a name that no game of arena has, got {name!r}"
    if len(entries) > 1:
        return f"{where} one package with this game, got {' and '.join(sorted(map(_package, entries)))}"
    try:
        game = first.load()
    except (Exception, SystemExit) as error:  # noqa: BLE001 - whatever another package raises is reported as its fault
        return f"{where} it to load, got {type(error).__name__}: {' '.join(str(error).split())}"
    if wrong := _wrong_in(game, name):
        return f"{where} {wrong}"
    return ""


def _wrong_in(game: object, name: str) -> str:
    """What breaks the contract, as far as it shows without playing, as *... got ...*; empty if nothing does."""
    if not isinstance(game, Game):
        return f"an arena.game.Game, got {type(game).__name__}"
    if game.name != name:
        return f"a Game of this name, got the name {game.name!r}"
    seats: object = game.seats
    if not isinstance(seats, range) or seats.step != 1 or game.usual_seats not in seats:
        return f"seats to be a range with the usual seats in it, got {seats} and {game.usual_seats!r}"
    variants: object = game.variants
    if not isinstance(variants, dict) or not all(
        isinstance(variant, tuple) and variant for variant in variants.values()
    ):
        return f"variants to be a dict of tuples of values, got {variants!r}"
    for part in ("deal", "imagine", "greedy", "guide"):
        if not callable(getattr(game, part)) and (part in {"deal", "imagine"} or getattr(game, part) is not None):
            return f"{part} to be a function, got {getattr(game, part)!r}"
    for part in ("state", "observation", "option", "event"):
        try:
            msgspec.json.Decoder(getattr(game, part))
        except TypeError as error:
            return f"{part} to be a type that msgspec can read, got {' '.join(str(error).split())}"
    return ""


def _package(entry: "EntryPoint") -> str:
    return entry.dist.name if entry.dist is not None else "an unnamed package"


def elsewhere() -> list[str]:
    """Where the packages of other packages' games lie, as absolute paths; those that are not found are left out."""
    modules = dict.fromkeys(entry.module.partition(".")[0] for entries in _elsewhere().values() for entry in entries)
    paths = []
    for module in modules:
        try:
            spec = importlib.util.find_spec(module)
        except (ImportError, ValueError):
            continue
        if spec is not None:
            places = spec.submodule_search_locations or ([spec.origin] if spec.has_location and spec.origin else [])
            paths += [str(Path(place).absolute()) for place in places]
    return paths


def folder_of(game: Game) -> str:
    """The package a game lives in, which also holds its ``rules.md``."""
    return game.state.__module__.rpartition(".")[0]


def rules_of(game: Game) -> str | None:
    """How a game is played, as Markdown; None if its package does not say."""
    from importlib import resources  # noqa: PLC0415 - no match needs it

    try:
        return resources.files(folder_of(game)).joinpath("rules.md").read_text("utf-8").rstrip()
    except (FileNotFoundError, ValueError):
        return None
