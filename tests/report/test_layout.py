"""What a person is shown, in lines that fit: options, what a seat sees, the rules of every game."""

import re

import pytest

from arena import games
from arena.chance import Chance
from arena.cli.rules import text_of_rules
from arena.laws.table import GameSetup, play
from arena.players.person import describe_observation, list_fields
from arena.terminal.document import numbered, paragraph, reflowed
from tests.shelf import toy
from tests.shelf.walk import every_table

_NAMES = re.compile(r"\b[A-Z]\w+\(|<[\w.]+ ")
"""What Python says of a struct that has no words."""


@every_table
def test_every_game_tells_what_a_seat_sees(table: GameSetup) -> None:
    """Whoever is asked is told its game in printable ASCII, every seat named, and at last the question."""
    state = table.deal(0)
    for number, pending in enumerate(play(state, Chance(b"told"))):
        for seat in pending.decisions:
            observation = state.observe(seat)
            lines = describe_observation(observation).split("\n")
            full = list_fields(observation).split("\n")
            assert [line.partition(": ")[0].replace(" ", "_") for line in full] == [*observation.__struct_fields__]
            for line in [*lines, *full]:
                assert line.isascii()
                assert line.isprintable()
                assert line
                assert not _NAMES.search(line), line
            if table.game is not toy.GAME:
                assert re.search(r"\?( \(\d left\))?$", lines[-1]), lines[-1]
                named = {int(found) for line in lines for found in re.findall(r"\bseat (\d)\b", line)}
                assert named <= set(range(table.seats))
                assert len(named) == table.seats or getattr(observation, "step", "") in {"draft", "assign"}
        if number == 40:
            break


def test_a_game_without_words_shows_every_field() -> None:
    """Of a game that has no words for it every field is shown: lists with commas, lists of them in brackets."""
    seen = toy.Sight(1, 0, (3, 4), (0, 2), 5, (), 6, 1, trades=True)
    assert describe_observation(seen).split("\n") == [
        "seat: 1",
        "asked: 0",
        "hand: 3, 4",
        "fish: 0, 2",
        "catch: 5",
        "discards: -",
        "deck: 6",
        "dice: 1",
        "trades: yes",
    ]


@pytest.mark.parametrize(
    ("options", "lines"),
    [
        (["stop", "hit"], ["  1 stop  2 hit"]),
        (["a" * 30] * 2 + ["b"], ["  1 " + "a" * 30 + "  3 b", "  2 " + "a" * 30]),
        (["word " * 15 + "more", "b"], ["  1 " + "word " * 15 + "\n", "      more", "  2 b"]),
        (["\x1b[2J"], ["  1 \\x1b[2J"]),
    ],
)
def test_options(options: list[str], lines: list[str]) -> None:
    """Options are numbered from 1, in columns where they fit, folded where they are too long, and harmless."""
    assert list(numbered(options, 80)) == [line.rstrip() for line in lines]
    assert all(len(line) <= 80 for line in numbered(options, 80))


def test_paragraphs() -> None:
    """A long line is folded at spaces, what follows is set in; control bytes are escaped."""
    assert paragraph("one two\x07 three", 12, indent="- ") == ["- one", "      two\\x07", "      three"]


RULES = {name: text_of_rules(games.find(name)) for name in games.names()}


@pytest.mark.parametrize("width", [40, 80])
@pytest.mark.parametrize("game", RULES)
def test_rules_in_lines_that_fit(game: str, width: int) -> None:
    """Every word of the rules of every game is there, in order, in lines that fit unless a word alone does not."""
    lines = reflowed(RULES[game], width)
    assert " ".join(lines).split() == RULES[game].split()
    assert all(len(line) <= width or len(line.split()) == 1 for line in lines)


def test_what_fits_stays() -> None:
    """A document that fits is left as it is, line by line."""
    assert reflowed("a\nb\n\n  c", 9) == ["a", "b", "", "  c"]


def test_what_is_one_line_to_markdown() -> None:
    """Paragraphs and items are filled again; headings, tables and code keep their lines."""
    text = """# One two three
four five
six

- seven
  eight
- nine

  sixteen seventeen

| ten | eleven |
|---|---|
```
twelve
thirteen fourteen fifteen
```"""
    assert reflowed(text, 14) == [
        *("# One two", "    three", "four five six", "", "- seven eight", "- nine", ""),
        *("  sixteen", "  seventeen", ""),
        *("| ten | eleven", "    |", "|---|---|", "```", "twelve", "thirteen", "    fourteen", "    fifteen", "```"),
    ]
