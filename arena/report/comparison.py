"""The comparison of two versions of a bot: from records to a verdict, as a table, Markdown, CSV or JSON.

Knows records, ratings and leaderboards; knows no run, file or process.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable
from math import ceil
from statistics import fmean
from typing import Any, Literal, TypeAlias

from msgspec import Struct, to_builtins
from msgspec.structs import replace

from arena.errors import UsageError
from arena.escape import as_json, markdown, plain
from arena.ratings import BlockOutcomes, Pair, fit_blocks, pairs
from arena.ratings.difference import difference_of
from arena.ratings.evidence import ALPHA, Evidence, Sprt, more_often, scores_of
from arena.record import Record
from arena.report.leaderboard import DIGITS, Leaderboard, Row
from arena.report.tables import sentences, table
from arena.report.tally import Tallies, Tally, block_of

Verdict: TypeAlias = Literal["better", "worse", "undecided", "same"]

SATURATED = 0.95
"""A bot that finishes ahead of the others this often learns nothing from them."""
_WORTH_TELLING = 1.05
_TELLING = 20
"""Fewer blocks tell too little of what luck saves."""
_WIDTH = 80


class Question(Struct, frozen=True, kw_only=True):
    """The question about two versions of a bot, and how certain the answer must be."""

    margin: float | None = None
    """A score as near to 0 as this counts as 0; None: that is not asked."""
    alpha: float = ALPHA
    """How often ``better`` or ``worse`` may be wrong at most."""
    sprt: tuple[float, float] | None = None
    """A gate: the score that is not worth having, and the one that is."""
    until: bool = False
    """Whether to play only until it is answered."""

    def __post_init__(self) -> None:
        """Check the numbers.

        Raises:
            UsageError: one is out of bounds.
        """
        for option, value in (("margin", self.margin), ("alpha", self.alpha)):
            if value is not None and not 0 < value < 1:
                raise UsageError(f"expected a number between 0 and 1, got {value:g}", option=option)
        if self.sprt is not None and not -1 <= self.sprt[0] < self.sprt[1] <= 1:
            got = ",".join(f"{score:g}" for score in self.sprt)
            raise UsageError(f"expected two scores from -1 to 1 such as 0,0.075, got {got!r}", option="sprt")

    @property
    def sequential(self) -> bool:
        """Whether it is played until it is answered."""
        return self.until or self.sprt is not None


class Comparison(Struct, frozen=True):
    """How two versions of a bot do against the same field."""

    verdict: Verdict
    """``worse`` also if the new one certainly faults more often, or does not start where the old one did.

    ``same`` if nothing was changed, or if they are certainly so within the margin.
    """
    why: str
    """The verdict as a sentence."""
    new: str
    old: str
    game: str
    run: str = ""
    matches: int = 0
    """Of the run, void ones left out."""
    void: int = 0
    blocks: int = 0
    """In which both sat."""
    decided_after: int | None = None
    """Of these, if the verdict is by the score."""
    decided_after_matches: int | None = None
    """The matches of the blocks up to that one, void ones left out: the rest was not needed for the verdict."""
    likely_decided_after_matches: int | None = None
    """About how many matches of the run decide it if further ones go as these did; None if nothing tells that."""
    score: float | None = None
    """The mean over blocks of the share of opponents that the new one finished ahead of, less that of the old one.

    Without the luck of draws, if the game tells it.
    """
    score_low: float | None = None
    """Of the score, with 95 % confidence (``1 - alpha``) at every look at once."""
    score_high: float | None = None
    luck: float | None = None
    """What luck had added to the score in the mean, and was taken off it; None if the game tells none."""
    saving: float | None = None
    """Without luck the matches tell as much as this many times their number with it; None before 20 blocks."""
    margin: float | None = None
    """A score as near to 0 as this counts as 0."""
    alpha: float = ALPHA
    """How often ``better`` or ``worse`` is wrong at most."""
    sprt: tuple[float, float] | None = None
    """Of a gate, the score that is not worth having, and the one that is."""
    passed: bool | None = None
    """Whether the gate is passed; None while that is open, or without one."""
    difference: float | None = None
    """The mu of the new one less that of the old one."""
    low: float | None = None
    """Of the difference, with 95 % confidence at every look at once; None if there are too few blocks."""
    high: float | None = None
    met: int = 0
    """Matches in which both sat."""
    ahead: float | None = None
    """The share of these in which the new one finished ahead of the old one, a tie half."""
    ahead_low: float | None = None
    ahead_high: float | None = None
    faults_new: dict[str, int] = {}
    faults_old: dict[str, int] = {}
    faulted_more_new: int = 0
    """Blocks in which the new one faulted more often than the old one."""
    faulted_more_old: int = 0
    notes: tuple[str, ...] = ()
    rows: tuple[Row, ...] = ()
    """Their rows of the leaderboard, the new one's first."""


def unchanged(*, new: str, old: str, game: str) -> Comparison:
    """The comparison of two bots that are the same, file by file."""
    why = f"{new} and {old} are the same bot: command, settings and every file. Nothing was played."
    return Comparison("same", why=why, new=new, old=old, game=game)


def unready(*, new: str, old: str, game: str) -> Comparison:
    """The comparison of a new bot that does not start with an old one that does."""
    return Comparison(
        "worse", why=f"{new} cannot start, and {old} can. Nothing was played.", new=new, old=old, game=game
    )


def compared(
    records: Iterable[Record],
    board: Leaderboard,
    *,
    new: str,
    old: str,
    question: Question | None = None,
    luck: Callable[[Record], float] | None = None,
) -> Comparison:
    """The verdict on two bots of a leaderboard, from its records.

    ``luck`` tells what luck gave the new one more in a match, if the game tells it (``arena.ratings.luck.of_match``).

    It makes no difference whether the number of matches was fixed or play ended with the answer, if all
    blocks before the last one are among them: see ``arena.ratings.evidence``.

    Raises:
        arena.ratings.Unsettled: the ratings do not converge.
    """
    entrants = [row.bot for row in board.leaderboard]
    tallies = Tallies({bot: Tally() for bot in entrants})
    blocks = BlockOutcomes()
    faults: dict[int, int] = {}
    lucks: defaultdict[int, list[float]] = defaultdict(list)
    for record in tallies.count(records):
        block = block_of(record)
        blocks.add(block, record.bots, record.ranks)
        if luck is not None and {new, old} <= set(record.bots):
            lucks[block].append(luck(record))
        for fault in record.faults:
            bot = record.bots[fault.seat]
            faults[block] = faults.get(block, 0) + (bot == new) - (bot == old)
    ratings, solutions = fit_blocks(blocks, entrants)
    apart = difference_of(new, other=old, blocks=blocks, table=ratings, solutions=solutions)
    low, high = apart.interval(every_look=True) or (None, None)
    question = question or Question()
    evidence = Evidence(alpha=question.alpha, margin=question.margin)
    sprt = Sprt(low=question.sprt[0], high=question.sprt[1]) if question.sprt is not None else None
    scores = scores_of(blocks, new, other=old)
    for block, score in scores.items():
        lucky = fmean(lucks[block]) if luck is not None else 0.0
        evidence.add(score, luck=lucky)
        if sprt is not None:
            sprt.add(score, luck=lucky)
    ends = evidence.interval() if evidence.blocks else (None, None)
    deciding = list(scores)[: evidence.found_after or 0]
    sizes = Counter(block for matches in blocks.shapes.values() for block, _ in matches.rows())
    likely = evidence.likely_after()
    rows = {row.bot: row for row in board.leaderboard}
    met = pairs(blocks, ratings)
    found = Comparison(
        verdict=evidence.found,
        why="",
        new=new,
        old=old,
        game=board.game,
        run=board.run,
        matches=board.matches,
        void=tallies.void,
        blocks=evidence.blocks,
        decided_after=evidence.found_after,
        decided_after_matches=sum(sizes[block] for block in deciding) or None,
        likely_decided_after_matches=None if likely is None else _about(board.matches * likely / evidence.blocks),
        score=_rounded(evidence.mean),
        score_low=_rounded(ends[0]),
        score_high=_rounded(ends[1]),
        luck=_rounded(evidence.luck) if luck is not None and evidence.blocks else None,
        saving=_rounded(evidence.saving) if evidence.blocks >= _TELLING else None,
        margin=question.margin,
        alpha=question.alpha,
        sprt=question.sprt,
        passed=None if sprt is None else sprt.passed,
        difference=round(apart.mu, DIGITS),
        low=_rounded(low),
        high=_rounded(high),
        faults_new=rows[new].faults,
        faults_old=rows[old].faults,
        faulted_more_new=sum(each > 0 for each in faults.values()),
        faulted_more_old=sum(each < 0 for each in faults.values()),
        notes=(*board.notes, *_saturated(met, new, old)),
        rows=(rows[new], rows[old]),
    )
    for pair in met:
        if {pair.bot, pair.other} == {new, old}:
            seen = pair if pair.bot == new else pair.turned
            found = replace(
                found,
                met=seen.matches,
                ahead=_rounded(seen.share),
                ahead_low=_rounded(seen.low),
                ahead_high=_rounded(seen.high),
            )
    why = " ".join(_sentences(found))
    if _faulty(found):
        found = replace(found, verdict="worse", decided_after=None, decided_after_matches=None)
    return replace(found, why=why)


def _about(number: float) -> int:
    """Rounded up to two digits."""
    digit: int = 10 ** max(len(str(int(number))) - 2, 0)
    return ceil(number / digit) * digit


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, DIGITS) + 0.0


def _faulty(found: Comparison) -> bool:
    return more_often(more=found.faulted_more_new, less=found.faulted_more_old)


def _saturated(met: Iterable[Pair], new: str, old: str) -> Iterable[str]:
    """A warning if the others say nothing about the two: both are ahead of them nearly always, or hardly ever."""
    points = {new: 0.0, old: 0.0}
    matches = {new: 0, old: 0}
    for pair in met:
        for seen in (pair, pair.turned):
            if seen.bot in points and seen.other not in points:
                points[seen.bot] += seen.ahead + seen.tied / 2
                matches[seen.bot] += seen.matches
    if not all(matches.values()):
        return
    shares = [points[bot] / matches[bot] for bot in points]
    remedy = "the field tells little of them: name others as the field"
    seen_in = f"at least {100 * SATURATED:.0f} % of their matches"
    if min(shares) >= SATURATED:
        yield f"Both {new} and {old} finished ahead of the others in {seen_in}; {remedy}, as strong as they are."
    elif max(shares) <= 1 - SATURATED:
        yield f"Both {new} and {old} finished behind the others in {seen_in}; {remedy}, as weak as they are."


def _sentences(found: Comparison) -> Iterable[str]:
    new, old = found.new, found.old
    if found.faults_new and not found.faults_old:
        times = f"{new} faulted {_times(sum(found.faults_new.values()))}, {old} never"
        yield f"{times}." if _faulty(found) else f"{times}: in too few blocks to be held against it."
    elif _faulty(found):
        blocks = f"in {found.faulted_more_new} blocks more often than {old}, in {found.faulted_more_old} less often"
        yield f"{new} faulted {blocks}."
    after = f"after {found.matches} matches"
    if found.score is None:
        yield f"{new} and {old} cannot be told apart {after}: they sat together in none."
        return
    sure = f"with {100 * (1 - found.alpha):g} % confidence"
    luck = "" if found.luck is None else f" (luck of {found.luck:+.3f} taken off)"
    span = f"score {found.score:+.3f}{luck}, {sure} {found.score_low:+.3f} to {found.score_high:+.3f}"
    if found.verdict in {"better", "worse"}:
        yield f"{new} is {found.verdict} than {old} {after}: {span}."
    elif found.verdict == "same":
        yield f"{new} and {old} are the same within a score of {found.margin} {after}: {span}."
    else:
        yield f"{new} and {old} cannot be told apart {after}: {span}."
    if found.decided_after_matches is not None and found.decided_after_matches < found.matches:
        yield f"The first {found.decided_after_matches} of these matches decide it."
    if found.likely_decided_after_matches is not None and found.verdict == "undecided":
        yield f"If the next matches go as these did, about {found.likely_decided_after_matches} in all decide it."
    if found.saving is not None and found.saving >= _WORTH_TELLING:
        yield f"Without luck these blocks tell as much as {found.saving:.1f} times as many."
    if found.sprt is not None:
        low, high = found.sprt
        told = {True: "passes", False: "does not pass", None: "has neither passed nor failed"}[found.passed]
        yield f"{new} {told} the gate from a score of {low:g} to one of {high:g}."
    if found.low is not None and found.high is not None:
        yield f"mu {found.difference:+.2f}, with 95 % confidence {found.low:+.2f} to {found.high:+.2f}."
    if found.ahead is not None:
        certain = ""
        if found.ahead_low is not None and found.ahead_high is not None:
            certain = f", with 95 % confidence {100 * found.ahead_low:.0f} to {100 * found.ahead_high:.0f} %"
        share = f"{100 * found.ahead:.0f} % of the {found.met} matches that both sat in"
        yield f"{new} finished ahead of {old} in {share}, a tie half{certain}."


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
    why, notes = (sentences(texts, form, _WIDTH) for texts in ([found.why], found.notes))
    head = []
    if form == "markdown":
        heading = "The same" if found.matches and found.verdict == "same" else _HEADINGS[found.verdict]
        head = [f"### {heading}: {markdown(plain(found.new, 64))}, {markdown(plain(found.game, 64))}"]
        notes = [f"- {note}" for note in notes]
    parts = [*head, "\n".join(why), shown, "\n".join(notes)]
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
