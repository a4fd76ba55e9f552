"""Markdown on a terminal: no line too long, no word lost, and every line of it still what it was."""

import pytest

from arena import games
from arena.cli.rules import text_of_rules
from arena.report.layout import reflowed

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
