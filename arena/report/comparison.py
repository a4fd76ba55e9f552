"""Records to a verdict on two versions of one bot, as a table, Markdown, CSV or JSON.

Knows records, ratings and leaderboards; knows no run, file or process.
"""

from collections.abc import Iterable, Sequence
from textwrap import wrap
from typing import Any, Literal, TypeAlias

from msgspec import Struct, to_builtins
from msgspec.structs import replace

from arena.escape import as_json, guarded, markdown, plain
from arena.ratings import FEWEST_BLOCKS, Blocks, fit_counts, pairs
from arena.ratings.difference import difference_of
from arena.record import Record
from arena.report.leaderboard import DIGITS, Leaderboard, Row
from arena.report.tables import table
from arena.report.tally import Tallies, Tally, block_of

Verdict: TypeAlias = Literal["better", "worse", "undecided", "same"]

_WIDTH = 80
_SENTENCE = 1000


class Comparison(Struct, frozen=True):
    """What two versions of a bot make of the same field."""

    verdict: Verdict
    """``worse`` also if the new one faults or does not start where the old one did; ``same`` if nothing was changed."""
    why: str
    """The verdict as a sentence."""
    new: str
    old: str
    game: str
    run: str = ""
    matches: int = 0
    """Of the run, void ones left out."""
    void: int = 0
    difference: float | None = None
    """The mu of the new one less that of the old one."""
    low: float | None = None
    """Of the difference, with 95 % confidence; None if there are too few blocks."""
    high: float | None = None
    met: int = 0
    """Matches in which both sat."""
    ahead: float | None = None
    """The share of these in which the new one finished ahead of the old one, a tie half."""
    ahead_low: float | None = None
    ahead_high: float | None = None
    faults_new: dict[str, int] = {}
    faults_old: dict[str, int] = {}
    notes: tuple[str, ...] = ()
    rows: tuple[Row, ...] = ()
    """Their rows of the leaderboard, the new one's first."""


def unchanged(new: str, old: str, game: str) -> Comparison:
    """Of two bots that are the same, file by file."""
    why = f"{new} and {old} are the same bot: command, settings and every file. Nothing was played."
    return Comparison("same", why, new, old, game)


def unready(new: str, old: str, game: str) -> Comparison:
    """Of a new bot that does not start, and an old one that does."""
    return Comparison("worse", f"{new} cannot start, and {old} can. Nothing was played.", new, old, game)


def compared(records: Iterable[Record], board: Leaderboard, new: str, old: str) -> Comparison:
    """The verdict on two bots of a leaderboard, from its records.

    Raises:
        arena.ratings.Unsettled: the ratings do not come to rest.
    """
    entrants = [row.bot for row in board.leaderboard]
    tallies = Tallies({bot: Tally() for bot in entrants})
    blocks = Blocks()
    for record in tallies.count(records):
        blocks.add(block_of(record), record.bots, record.ranks)
    ratings, solutions = fit_counts(blocks.counts(), entrants)
    apart = difference_of(new, old, blocks, ratings, solutions)
    rows = {row.bot: row for row in board.leaderboard}
    found = Comparison(
        verdict="better" if apart.certain > 0 else "worse" if apart.certain else "undecided",
        why="",
        new=new,
        old=old,
        game=board.game,
        run=board.run,
        matches=board.matches,
        void=tallies.void,
        difference=round(apart.mu, DIGITS),
        low=_shown(apart.low),
        high=_shown(apart.high),
        faults_new=rows[new].faults,
        faults_old=rows[old].faults,
        notes=board.notes,
        rows=(rows[new], rows[old]),
    )
    for pair in pairs(blocks, ratings):
        if {pair.bot, pair.other} == {new, old}:
            seen = pair if pair.bot == new else pair.turned
            found = replace(
                found,
                met=seen.matches,
                ahead=_shown(seen.share),
                ahead_low=_shown(seen.low),
                ahead_high=_shown(seen.high),
            )
    if found.faults_new and not found.faults_old:
        found = replace(found, verdict="worse")
    return replace(found, why=" ".join(_sentences(found, apart.certain)))


def _shown(value: float | None) -> float | None:
    return None if value is None else round(value, DIGITS) + 0.0


def _sentences(found: Comparison, certain: int) -> Iterable[str]:
    new, old = found.new, found.old
    if found.faults_new and not found.faults_old:
        yield f"{new} faulted {_times(sum(found.faults_new.values()))}, {old} never."
    after = f"after {found.matches} matches"
    if found.low is None or found.high is None:
        yield f"{new} and {old} cannot be told apart: expected {FEWEST_BLOCKS} blocks of each, got fewer {after}."
        return
    span = f"mu {found.difference:+.2f}, with 95 % confidence {found.low:+.2f} to {found.high:+.2f}"
    if certain:
        yield f"{new} is {'better' if certain > 0 else 'worse'} than {old} {after}: {span}."
    else:
        yield f"{new} and {old} cannot be told apart {after}: {span}."
    if found.ahead is not None:
        sure = ""
        if found.ahead_low is not None and found.ahead_high is not None:
            sure = f", with 95 % confidence {100 * found.ahead_low:.0f} to {100 * found.ahead_high:.0f} %"
        share = f"{100 * found.ahead:.0f} % of the {found.met} matches that both sat in"
        yield f"{new} finished ahead of {old} in {share}, a tie half{sure}."


def _times(count: int) -> str:
    return "once" if count == 1 else f"{count} times"


def render_comparison(found: Comparison, form: str) -> str:
    """The verdict in ``form`` (table, markdown, csv or json), ending in a newline."""
    if form == "json":
        return as_json(to_builtins(found)) + "\n"
    if form == "csv":
        flat = {name: value for name, value in to_builtins(found).items() if name not in {"rows", "notes"}}
        for name in ("faults_new", "faults_old"):
            flat[name] = _faults(flat[name])
        return table([flat], form) + "\n"
    columns = ("bot", "mu", "low", "high", "matches", "wins", "place", "faults")
    rows = [_row(row) for row in found.rows]
    shown = table(rows, form, columns, columns[1:7]) if rows else ""
    if form == "markdown":
        head = f"### {_HEADINGS[found.verdict]}: {markdown(plain(found.new, 64))}, {markdown(plain(found.game, 64))}"
        notes = "\n".join(f"- {markdown(plain(note, _SENTENCE))}" for note in found.notes)
        parts = [head, markdown(plain(found.why, _SENTENCE)), shown, notes]
    else:
        parts = [_wrapped([found.why]), shown, _wrapped(found.notes)]
    return "\n\n".join(part for part in parts if part) + "\n"


_HEADINGS: dict[Verdict, str] = {
    "better": "Better",
    "worse": "Worse",
    "undecided": "Cannot be told apart",
    "same": "Nothing changed",
}


def _row(row: Row) -> dict[str, Any]:
    numbers = {"mu": row.mu, "low": row.low, "high": row.high}
    return {
        "bot": row.bot,
        **{name: "-" if value is None else f"{value:.2f}" for name, value in numbers.items()},
        "matches": row.matches,
        "wins": f"{row.wins:.1f}",
        "place": "-" if row.mean_rank is None else f"{row.mean_rank:.2f}",
        "faults": _faults(row.faults) or "-",
    }


def _faults(faults: dict[str, int]) -> str:
    return ", ".join(f"{count} {kind}" for kind, count in faults.items())


def _wrapped(sentences: Sequence[str]) -> str:
    return "\n".join(guarded(line) for text in sentences for line in wrap(plain(text, _SENTENCE), _WIDTH))
