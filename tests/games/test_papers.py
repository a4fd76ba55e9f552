"""What every game's box and papers say alike: seats and variants, and the messages that rules.md explains."""

import re
from pathlib import Path
from typing import Any, get_args, get_type_hints

import msgspec
import pytest

from arena import games
from arena.chance import Chance
from arena.game import Game

BOXES: dict[str, tuple[range, int, dict[str, tuple[str, ...]]]] = {
    "cash-a-catch": (range(3, 6), 4, {"bell": ("lot", "nearest")}),
    "catch-of-the-day": (range(4, 9), 4, {"mode": ("basic", "advanced")}),
    "dockfight": (range(2, 7), 3, {}),
    "fish-food": (
        range(2, 7),
        4,
        {
            "mode": ("standard", "beginner", "simple"),
            "events": ("auto", "keep", "remove", "off"),
            "ties": ("win", "tie"),
        },
    ),
    "lure": (range(2, 6), 4, {"effects": ("on", "off")}),
}
"""By name: for how many seats a game is, how many usually play it, and its variants, the default first."""

every_game = pytest.mark.parametrize("game", [games.find(name) for name in games.names()], ids=lambda game: game.name)


def rules_of(game: Game) -> str:
    """The text of a game's rules.md."""
    return (Path(games.__file__).parent / game.name.replace("-", "_") / "rules.md").read_text(encoding="ascii")


def decoded(game: Game, example: str) -> Any:
    """An example as the game's own types, which write it as it stands."""
    for type_ in (game.observation, list[game.option], list[game.event], game.option, game.event):  # type: ignore[name-defined]  # a game's types are values
        try:
            value = msgspec.json.decode(example, type=type_)
        except msgspec.ValidationError:
            continue
        if msgspec.json.format(msgspec.json.encode(value)) == msgspec.json.format(example.encode()):
            return value
    raise AssertionError(f"expected an option, an observation or events of {game.name}, got {example}")


def test_the_shelf() -> None:
    """Each game is found by its name, with its seats and variants."""
    assert {game.name: (game.seats, game.usual_seats, game.variants) for game in map(games.find, BOXES)} == BOXES


@every_game
def test_no_other_tables(game: Game) -> None:
    """With more or fewer seats than the box is for no match is dealt."""
    least, most = min(game.seats), max(game.seats)
    for seats in (least - 1, most + 1):
        with pytest.raises(ValueError, match=f"expected {least} to {most} seats, got {seats}"):
            game.deal(seats, bytes(32), game.resolve_variants({}))


@every_game
def test_examples_in_the_rules(game: Game) -> None:
    """The JSON in rules.md is options, observations with every field, and events of every kind, as they are written."""
    text = rules_of(game)
    examples = re.findall(r"```json\n(.*?)```", text, re.DOTALL) + re.findall(r"^\| `(\{.*?\})` \|", text, re.MULTILINE)
    values = [decoded(game, example) for example in examples]
    seen = [value for value in values if isinstance(value, game.observation)]
    assert [game.imagine(value, Chance(bytes(32))).observe(value.seat) for value in seen] == seen != []
    kinds = {type(each) for value in values for each in (value if isinstance(value, list) else [value])}
    structs = {kind for kind in get_args(game.option) if isinstance(kind, type) and issubclass(kind, msgspec.Struct)}
    assert kinds - {str} == {game.observation, *structs, *get_args(game.event)}


@every_game
def test_fields_in_the_rules(game: Game) -> None:
    """rules.md has a row for every field of the observation in its order, every step and every kind of event."""
    rows = re.findall(r"^\| (`.*?) \|", rules_of(game), re.MULTILINE)
    explained = re.findall(r"`([a-z_][a-z_ ]*)`|\"type\":\"(\w+)\"", "\n".join(rows))
    words = [word or tag for word, tag in explained]
    in_order = iter(words)
    assert all(field in in_order for field in game.observation.__struct_fields__)
    steps = get_args(get_type_hints(game.observation)["step"])
    assert {*steps, *(event.__struct_config__.tag for event in get_args(game.event))} <= set(words)
