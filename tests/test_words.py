"""Counts in words: one function makes every plural, and a sentence agrees with its number."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

from hypothesis import example, given
from hypothesis import strategies as st

from arena.words import agreeing, every, plural

ROOT = Path(__file__).parents[1]
NEVER_ALONE = {
    "arena/formats/format.py: self.terms.seats ranks": "seats of a table",
    "arena/laws/contract.py: seats ranks": "seats of a table",
    "arena/laws/odds.py: matches matches": "thousands",
    "arena/leagues/cup.py: len(open_) bots": "more than are named",
    "arena/leagues/cup.py: spec.seats bots": "seats of a table",
    "arena/page/report.py: len(faults) kinds": "more than are drawn",
    "arena/page/report.py: len(rows) bots": "more than are drawn",
    "arena/page/report.py: len(clocks) bots": "more than are drawn",
    "arena/ratings/outcomes.py: len(bots) bots": "seats of a table",
    "arena/record.py: decisions times": "an error of a program, in a file that every lane loads",
    "arena/report/ahead.py: bots bots": "three or more",
    "arena/report/ahead.py: needed matches": "hundreds",
    "arena/report/headline.py: word(len(others)) others": "three or more",
    "arena/report/headline.py: word(len(rivals)) others": "three or more",
    "arena/results/columns.py: decisions decisions": "an error of a program, in a file that every lane loads",
    "arena/tournament/contest.py: quorum bots": "seats of a table",
    "arena/tournament/other_bots.py: max(settings.seats) bots": "seats of a table",
    "arena/tournament/check_cost.py: most matches": "thousands",
    "arena/words.py: count.capitalize() if begins else count bots": "more than are named",
    # a verb, no noun
    "arena/games/cash_a_catch/events.py: self.seat places": "a seat places a card",
    "arena/report/review.py: self.by answers": "a bot answers",
    "arena/report/verdict.py: result.saving times": "a factor",
    "arena/terminal/playing.py: look matches": "a command",
    "arena/tournament/spec.py: text pairs": "a schedule pairs",
}
"""What may be written by hand, as its number cannot be one."""
_COUNTED = re.compile(r"""\b(?:plural|every)\(.*?, ["'](\w+)""")


@given(st.integers(0, 20_000))
@example(0)
@example(1)
@example(2)
def test_a_count_agrees_with_its_noun(number: int) -> None:
    """Of one thing the noun and its verb are singular, of none or several plural, whatever the noun ends in."""
    for singular, many in [
        ("bot", "bots"),
        ("match", "matches"),
        ("try", "tries"),
        ("day", "days"),
        ("process", "processes"),
    ]:
        assert plural(number, singular) == f"{number:,} {singular if number == 1 else many}"
    assert agreeing(number, "leads", "lead") == ("leads" if number == 1 else "lead")
    whole = every(number, "pair is", "pairs are")
    assert whole.startswith({1: "the one pair is", 2: "both pairs are"}.get(number, "all "))
    assert (" are" in whole) == (number != 1)


def _find_counts(tree: ast.AST) -> Iterator[tuple[str, str]]:
    """The value and the word behind it, for each value in a text that a word follows."""
    for node in ast.walk(tree):
        if not isinstance(node, ast.JoinedStr):
            continue
        for value, text in zip(node.values, node.values[1:], strict=False):
            if isinstance(value, ast.FormattedValue) and isinstance(text, ast.Constant):
                word = re.match(r" (?:more |other )?([a-z]+)(?!/)\b", str(text.value))
                if word:
                    yield ast.unparse(value.value), word[1]


def test_one_function_counts() -> None:
    """No text counts by hand what the function counts elsewhere: only a fixed number may stand before such a noun."""
    texts = {path: path.read_text(encoding="utf-8") for path in sorted((ROOT / "arena").rglob("*.py"))}
    nouns = {agreeing(2, noun) for text in texts.values() for noun in _COUNTED.findall(text)}
    assert {"bots", "matches", "blocks"} <= nouns
    suspect = re.compile(rf"\}} (?:more |other )?(?:{'|'.join(sorted(nouns))})\b(?!/)")
    by_hand = {
        f"{path.relative_to(ROOT)}: {value} {noun}"
        for path, text in texts.items()
        if suspect.search(text)
        for value, noun in _find_counts(ast.parse(text))
        if noun in nouns and not value.rpartition(".")[2].lstrip("_").isupper()
    }
    assert by_hand == {*NEVER_ALONE}
