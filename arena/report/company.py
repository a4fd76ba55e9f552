"""Which bots play better in whose company: from records to rows, and to a note in words that is no verdict.

Knows records and ratings; knows no run, file or process.
"""

from collections.abc import Collection

from msgspec import Struct

from arena.ratings import Outcomes
from arena.ratings.collusion import ALPHA, CollusionTest, collusion_tests
from arena.report.document import Section
from arena.report.sections import section

SHOWN = 5
"""This many of the most telling pairs are in the table, and all that are certain; JSON and CSV hold every pair."""
_DIGITS = 4
_LEGEND = (
    "gain: by how much the share of matches that a bot finishes ahead of third bots is greater where the helper sits "
    "as well, beyond what the strength of all at the table leads to. p: the chance of as much without any help, for "
    "this pair alone."
)
_NOTHING = (
    "Nothing can be told: no bots met third bots often enough, both together and apart; or where places are shared, "
    "the matches do not tell how strong each bot is."
)
_OTHERS = "Friends look so; so do bots that attack the same rivals, and whoever sits beside a bot that crashes"


class Helped(Struct, frozen=True, kw_only=True):
    """One ordered pair."""

    helper: str
    bot: str
    gain: float
    margin: float
    """Half of a 95 % interval of the gain."""
    blocks: int
    p: float
    certain: bool
    """Among all pairs, whichever third bot is left out."""


def company_section(outcomes: Outcomes) -> Section:
    """Every ordered pair, the most telling first."""
    tests = collusion_tests(outcomes)
    rows = [_row(test) for test in tests]
    shown = [row for index, row in enumerate(rows) if row.certain or index < SHOWN]
    lines = [
        {
            "helper": row.helper,
            "bot": row.bot,
            "gain": f"{row.gain:+.3f} +- {row.margin:.3f}",
            "blocks": row.blocks,
            "p": f"{row.p:.4f}",
            "certain": "yes" if row.certain else "no",
        }
        for row in shown
    ]
    words, wide = ("certain",), ("helper", "bot")
    return section("company", Helped, rows, lines, _notes(rows), heading="Company", words=words, wide=wide)


def note(outcomes: Outcomes, shown: Collection[str]) -> str:
    """The certain facts about the company of the bots ``shown``, as text of a page; empty if there are none."""
    certain = [test for test in collusion_tests(outcomes) if test.certain and {test.helper, test.helped} <= {*shown}]
    if not certain:
        return ""
    pairs = "; ".join(f"{test.helped} plays better where {test.helper} sits" for test in certain)
    return f"Certain among all pairs: {pairs}. {_OTHERS}."


def _row(test: CollusionTest) -> Helped:
    return Helped(
        helper=test.helper,
        bot=test.helped,
        gain=round(test.gain, _DIGITS) + 0.0,
        margin=round(1.96 * test.deviation, _DIGITS),
        blocks=test.blocks,
        p=round(test.chance, 2 * _DIGITS),
        certain=test.certain,
    )


def _notes(rows: list[Helped]) -> list[str]:
    if not rows:
        return [_NOTHING]
    certain = [row for row in rows if row.certain]
    if not certain:
        clean = f"in {100 * ALPHA:g} of 100 runs without any help a pair would be"
        return [_LEGEND, f"No bot certainly plays better in another's company ({clean})."]
    pairs = "; ".join(f"{row.bot} plays better where {row.helper} sits" for row in certain)
    return [
        _LEGEND,
        f"Certain among all pairs, whichever third bot is left out: {pairs}.",
        f"{_OTHERS}: it proves nothing. Replay such matches.",
    ]
