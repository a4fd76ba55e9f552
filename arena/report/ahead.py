"""Which bots finish ahead of which, and which play better in whose company: from outcomes to rows, and a note.

Knows outcomes and ratings; knows no run, file or process.
"""

from collections.abc import Collection, Sequence
from itertools import pairwise
from math import exp, log
from typing import TYPE_CHECKING, Any

from msgspec import Struct, to_builtins

from arena.escape import plain
from arena.ratings import Fit, Outcomes, design_effect, fit_outcomes
from arena.ratings.ahead import Pair, cycles, pairs
from arena.report.document import Section, Table
from arena.report.render import Leaderboard
from arena.results.columns import Results
from arena.results.measure import DIGITS, best_first
from arena.results.tally import repeats

if TYPE_CHECKING:
    from arena.ratings.collusion import CollusionTest

WIDEST = 8
"""Up to this many bots a matrix fits 80 columns; beyond, each bot is held against those that follow it in the table."""
NEIGHBOURS = 2
"""How many bots below it in the table each is compared with."""
_NAME = 18
_MARKS = {1: "+", 0: " ", -1: "-"}


class Ahead(Struct, frozen=True):
    """Which bot finishes ahead of which, in a run or in its matches with one number of seats.

    What is certain of two bots is so by all matches of the run.
    """

    seats: int | None
    """None for all seat counts together."""
    bots: tuple[str, ...]
    """Those that played, best first."""
    pairs: tuple[Pair, ...]
    """Every two that met, the better first."""
    notes: tuple[str, ...]

    @property
    def both_ways(self) -> dict[tuple[str, str], Pair]:
        """Every two that met, seen from each of them."""
        return {(pair.bot, pair.other): pair for duel in self.pairs for pair in (duel, duel.turned)}


def finished_ahead(results: Results, fit: Fit, table: Leaderboard) -> list[Ahead]:
    """Which bot finishes ahead of which over all matches; then for each number of seats, if there are several.

    The ``table`` is that of the results.

    Raises:
        arena.ratings.NotConverged: the ratings do not converge.
    """
    notes = [*["The score counts: + and - go by mean scores."] * table.measure.by_score, *repeats(results)]
    every = [finished_ahead_of(results, fit, table, notes=notes)]
    if len(by_seats := fit.outcomes.of_seats()) > 1:
        every += [
            finished_ahead_of(results, fit_outcomes(part), table, seats=seats) for seats, part in by_seats.items()
        ]
    return every


def finished_ahead_of(
    results: Results, fit: Fit, table: Leaderboard, *, seats: int | None = None, notes: Sequence[str] = ()
) -> Ahead:
    """Which bot finishes ahead of which over all matches that were fitted.

    ``seats`` are those of these matches, if the run has others: of circles only the whole table tells. Bots stand by
    rating, or by mean score over the whole run.
    """
    scores = results.mean_scores(table.measure)
    values = {bot: rating.rating for bot, rating in fit.ratings.items()} if scores is None else scores.by_bot
    bots = best_first({bot: values[bot] for bot in fit.outcomes.names})
    place = {bot: index for index, bot in enumerate(bots)}
    met = pairs(fit, table.certainly)
    ordered = [pair if place[pair.bot] < place[pair.other] else pair.turned for pair in met]
    ordered.sort(key=lambda pair: (place[pair.bot], place[pair.other]))
    circles = [
        f"A circle: {' > '.join((*circle, circle[0]))}, each certainly ahead."
        for circle in (cycles(met, bots=len(bots), looks=table.looks) if seats is None else ())
    ]
    if (effect := design_effect(fit)) is not None:
        remark = f"In blocks, the ratings have {effect:.2f} of the variance of as many matches on deals of their own."
        notes = [remark, *notes]
    return Ahead(seats, bots=tuple(bots), pairs=tuple(ordered), notes=(*circles, *notes))


def rows(ahead: Ahead) -> list[dict[str, Any]]:
    """Each pair as a row of plain data, figures to four decimals; ``certain`` is 1, 0 or -1."""
    return [
        {name: round(value, DIGITS) if isinstance(value, float) else value for name, value in to_builtins(pair).items()}
        for pair in ahead.pairs
    ]


def make_section(
    name: str,
    kind: type[Struct],
    rows: Sequence[Struct],
    lines: Sequence[dict[str, Any]],
    notes: Sequence[str],
    *,
    heading: str,
    words: Collection[str] = (),
    wide: Collection[str] = (),
    more: Sequence[Table] = (),
) -> Section:
    """One of the statistics: rows of this kind as data, the same for people as ``lines``, more tables, and notes."""
    return Section(
        name=name,
        headline=heading,
        tables=(Table(rows=lines, left_columns=words, wide=wide), *more),
        notes=tuple(notes),
        width=78,
        rows=rows,
        columns=kind.__struct_fields__,
    )


def ahead_section(ahead: Ahead) -> Section:
    """Every pair as data; for people a matrix, or what is near in the table."""
    lines = _matrix(ahead) if len(ahead.bots) <= WIDEST else _near(ahead)
    title = "All matches" if ahead.seats is None else f"Matches of {ahead.seats} seats"
    legend = "the share of shared matches finished ahead, a tie half. + certainly the better bot, - the worse."
    return Section(
        headline="Finished ahead",
        lead=[f"{title}: {legend}"],
        tables=[Table(rows=lines, left_columns=lines[0] if lines else ())],
        notes=ahead.notes,
        listed=True,
        rows=rows(ahead),
        columns=Pair.__struct_fields__,
    )


def _matrix(ahead: Ahead) -> list[dict[str, str]]:
    cells = ahead.both_ways
    lines = []
    for number, bot in enumerate(ahead.bots, 1):
        line = {"#": str(number), "bot": plain(bot, _NAME)}
        for index, other in enumerate(ahead.bots, 1):
            pair = cells.get((bot, other))
            line[str(index)] = _cell(pair) if pair else "-"
        lines.append(line)
    return lines


def _near(ahead: Ahead) -> list[dict[str, str]]:
    """A row for each pair of which the second stands at most ``NEIGHBOURS`` below the first."""
    place = {bot: index for index, bot in enumerate(ahead.bots)}
    return [
        {
            "bot": plain(pair.bot, _NAME),
            "other": plain(pair.other, _NAME),
            "matches": str(pair.matches),
            "share": _cell(pair),
            "95 %": "-" if pair.low is None else f"{pair.low:.2f} to {pair.high:.2f}",
        }
        for pair in ahead.pairs
        if place[pair.other] - place[pair.bot] <= NEIGHBOURS
    ]


def _cell(pair: Pair) -> str:
    return f"{pair.share:.2f}{_MARKS[pair.certain]}".rstrip()


MOST_PAIRS = 5
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


POWER = ((8, 400), (16, 3_200), (40, 32_000))
"""Bots, and matches at tables of four in which help of one beta was found in 8 of 10 leagues or more, and half as many
did not do: ``python benchmarks/company.py``."""


def matches_needed(bots: int) -> int:
    """About how many matches it takes to find a bot that helps another, from ``POWER`` in proportion of logarithms."""
    (few, low), (many, high) = next((pair for pair in pairwise(POWER) if bots <= pair[1][0]), POWER[-2:])
    matches = round(low * exp(log(max(bots, few) / few) * log(high / low) / log(many / few)))
    return round(matches, 2 - len(str(matches)))


def _needed(outcomes: Outcomes, bots: int) -> str:
    """A sentence where the matches are too few to find a bot that helps another; tables of two never tell."""
    needed = matches_needed(bots)
    if max(outcomes.of_seats(), default=0) <= 2 or len(outcomes) >= needed:  # noqa: PLR2004 - nobody is a third
        return ""
    return f"To tell whether one of {bots} bots helps another takes some {needed:,} matches (at tables of four)."


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
    from arena.ratings.collusion import collusion_tests  # noqa: PLC0415 - few ask for company

    tests = collusion_tests(outcomes)
    rows = [_describe_help(test) for test in tests]
    excerpt = [row for index, row in enumerate(rows) if row.certain or index < MOST_PAIRS]
    lines = [
        {
            "helper": row.helper,
            "bot": row.bot,
            "gain": f"{row.gain:+.3f} +- {row.margin:.3f}",
            "blocks": row.blocks,
            "p": f"{row.p:.4f}",
            "certain": "yes" if row.certain else "no",
        }
        for row in excerpt
    ]
    words, wide = ("certain",), ("helper", "bot")
    lacking = _needed(outcomes, len(outcomes.names))
    notes = [*_notes(rows), *([lacking] if lacking else [])]
    return make_section("company", Helped, rows, lines, notes, heading="Company", words=words, wide=wide)


def note_company(outcomes: Outcomes, bots: Collection[str]) -> str:
    """The certain facts about the company of ``bots``, as text of a page; or how many matches they take."""
    from arena.ratings.collusion import collusion_tests  # noqa: PLC0415 - likewise

    certain = [test for test in collusion_tests(outcomes) if test.certain and {test.helper, test.helped} <= {*bots}]
    if not certain:
        return _needed(outcomes, len(bots)) if len(bots) > 1 else ""
    pairs = "; ".join(f"{test.helped} plays better where {test.helper} sits" for test in certain)
    return f"Certain among all pairs: {pairs}. {_OTHERS}."


def _describe_help(test: "CollusionTest") -> Helped:
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
        from arena.ratings.collusion import ALPHA  # noqa: PLC0415 - likewise

        clean = f"in {100 * ALPHA:g} of 100 runs without any help a pair would be"
        return [_LEGEND, f"No bot certainly plays better in another's company ({clean})."]
    pairs = "; ".join(f"{row.bot} plays better where {row.helper} sits" for row in certain)
    return [
        _LEGEND,
        f"Certain among all pairs, whichever third bot is left out: {pairs}.",
        f"{_OTHERS}: it proves nothing. Replay such matches.",
    ]
