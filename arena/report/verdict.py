"""What is asked about two versions of a bot, and the verdict: in sentences, and as a table, Markdown, CSV or JSON.

Knows numbers and words; knows no matches.
"""

import re
from collections.abc import Iterable
from math import ceil, floor
from typing import Any, Literal, TypeAlias

from msgspec import Struct, to_builtins

from arena.errors import UsageError
from arena.escape import markdown, plain
from arena.game import Objective
from arena.ratings.evidence import ALPHA
from arena.report.ci import Annotation, StepReport
from arena.report.document import NONE, WIDTH, Document, OutputFormat, Section, Table
from arena.report.render import LeaderboardRow, number
from arena.words import listed, plural

Verdict: TypeAlias = Literal["better", "worse", "equal", "undecided"]

_WORTH_TELLING = 1.05
_SHOWN = 0.0005
"""What is less is written as 0.000."""
UNTIL = "until"
"""The option that holds the text."""
WORDS = "decided, equal=M, sprt=A,B or never (behind each may stand ,alpha=A)"
_TEXT = re.compile(r"(?:(decided)|(never)|equal=([^,=]+)|sprt=([^,=]+),([^,=]+))(?:,alpha=([^,=]+))?")


class Question(Struct, frozen=True, kw_only=True):
    """What is asked, and how certain the answer must be."""

    until: bool = False
    """Whether to play only until it is answered."""
    margin: float | None = None
    """A score as near to 0 as this counts as equal; None: that is not asked."""
    gate: tuple[float, float] | None = None
    """The score that is not worth having, and the one that is; None: that is not asked."""
    alpha: float = ALPHA
    """How often the answer may be wrong at most."""

    @classmethod
    def read(cls, text: str) -> "Question":
        """The question that is written so.

        Raises:
            UsageError: there is no such question, or a number is out of bounds.
        """
        match = _TEXT.fullmatch(text)
        if match is None:
            raise UsageError(f"expected {WORDS}, got {text!r}", option=UNTIL)
        _, never, margin, low, high, alpha = match.groups()
        gate = None
        if low is not None:
            gate = _number(low), _number(high)
            if not -1 < gate[0] < gate[1] < 1:
                rule = "sprt: expected two scores between -1 and 1 such as 0,0.075"
                raise UsageError(f"{rule}, got '{low},{high}'", option=UNTIL)
        return cls(
            until=not never,
            margin=None if margin is None else _part(margin, "equal"),
            gate=gate,
            alpha=ALPHA if alpha is None else _part(alpha, "alpha"),
        )


def _number(text: str) -> float:
    """The number, or one that is out of all bounds."""
    try:
        return float(text)
    except ValueError:
        return float("nan")


def _part(text: str, name: str) -> float:
    if not 0 < (value := _number(text)) < 1:
        raise UsageError(f"{name}: expected a number between 0 and 1, got {text!r}", option=UNTIL)
    return value


class PastComparison(Struct, frozen=True, kw_only=True):
    """What a comparison of a bot with itself at a commit has found."""

    commit: str
    """The one that is compared; ``changed-`` and its content, if it is not committed."""
    date: str
    """Of that commit, in UTC."""
    since: str
    verdict: Verdict
    score: float | None
    low: float | None
    high: float | None
    matches: int


class Comparison(Struct, frozen=True):
    """How two versions of a bot do against the same field."""

    verdict: Verdict
    """``worse`` also if the new one certainly faults more often, or does not start where the old one did.

    ``equal`` if nothing was changed, or if they are certainly so within the margin.
    """
    why: str
    """The verdict in sentences."""
    new: str
    old: str
    game: str
    run: str = ""
    seats: tuple[int, ...] = ()
    """The numbers of seats at the tables."""
    field: dict[str, int] = {}
    """Who sat there beside the two: each bot and how many of it entered."""
    matches: int = 0
    """Of the run, void ones left out."""
    void: int = 0
    blocks: int = 0
    """In which both sat."""
    decided_after: int | None = None
    """Of these, if the verdict is by the score."""
    decided_after_matches: int | None = None
    """The matches of the blocks up to that one, void ones left out: the rest was not needed for the verdict."""
    more_matches: tuple[int, int] | None = None
    """How many more will likely answer what is asked, a range; None if nothing tells that, or it is answered."""
    score: float | None = None
    """The mean over blocks of the share of opponents that the new one finished ahead of, minus that of the old one.

    Without the luck of draws, if the game tells it.
    """
    score_low: float | None = None
    """Of the score, with ``confidence`` at every look at once; it agrees with the verdict."""
    score_high: float | None = None
    confidence: float = 1 - ALPHA
    """``1 - alpha``; of a gate, which asks about each end alone, ``1 - 2 alpha``."""
    luck: float | None = None
    """What luck had added to the score in the mean, and was taken off it; None if the game tells none."""
    saving: float | None = None
    """Without luck the matches tell as much as this many times their number with it; None before 20 blocks."""
    margin: float | None = None
    """A score as near to 0 as this counts as equal."""
    alpha: float = ALPHA
    """How often the answer is wrong at most, whenever one looks."""
    gate: tuple[float, float] | None = None
    """The score that is not worth having, and the one that is."""
    passed: bool | None = None
    """Whether the gate is passed; None while that is open, or without one."""
    difference: float | None = None
    """The mu of the new one minus that of the old one."""
    low: float | None = None
    """Of the difference, with 95 % confidence at every look at once; None if there are too few blocks."""
    high: float | None = None
    met: int = 0
    """Matches in which both sat."""
    ahead: float | None = None
    """The share of these in which the new one finished ahead of the old one, a tie half."""
    faults_new: dict[str, int] = {}
    faults_old: dict[str, int] = {}
    faulted_more_new: int = 0
    """Blocks in which the new one faulted more often than the old one."""
    faulted_more_old: int = 0
    faulty: bool = False
    """Whether the new one certainly faults more often."""
    notes: tuple[str, ...] = ()
    rows: tuple[LeaderboardRow, ...] = ()
    """Their rows of the leaderboard, the new one's first."""
    objective: Objective = "place"
    """By ``score`` the score above is what the new one scored more, as a part of all between the bounds of scores."""
    span: int | float | None = None
    """All that lies between the bounds, in the game's own unit; None where places count, and at several seat counts."""
    since: str = ""
    """The commit that the old one is of, if it is the new one as it was then."""
    history: tuple[PastComparison, ...] = ()
    """What was found of such commits in this results folder, the latest last."""

    def past(self, *, commit: str, date: str) -> PastComparison:
        """What stays of it in a history."""
        return PastComparison(
            commit=commit,
            date=date,
            since=self.since,
            verdict=self.verdict,
            score=None if self.score is None else clip_score(self.score),
            low=self.score_low,
            high=self.score_high,
            matches=self.matches,
        )

    @property
    def open(self) -> bool:
        """Whether what is asked is not answered, by the matches that were played."""
        answered = self.faulty or (self.verdict != "undecided" if self.gate is None else self.passed is not None)
        return bool(self.matches) and not answered


def unchanged(*, new: str, old: str, game: str) -> Comparison:
    """The comparison of two bots that are the same, file by file."""
    why = f"{new} and {old} are the same bot: command, settings and every file. Nothing was played."
    return Comparison("equal", why=why, new=new, old=old, game=game)


def unready(*, new: str, old: str, game: str) -> Comparison:
    """The comparison of a new bot that does not start with an old one that does."""
    return Comparison(
        "worse", why=f"{new} cannot start, and {old} can. Nothing was played.", new=new, old=old, game=game
    )


def clip_score(score: float) -> float:
    """A score as it is told: with luck taken off, the mean of few blocks may lie outside of what a score can be."""
    return max(-1.0, min(1.0, score))


def sentences_of(result: Comparison) -> Iterable[str]:
    """The verdict, its interval, and what it would take where it is not found yet."""
    if result.score is None or result.score_low is None or result.score_high is None:
        matches = plural(result.matches, "match")
        yield f"Not decided yet: {result.new} and {result.old} sat together in none of the {matches}."
        return
    yield _headline(result)
    score, sure = clip_score(result.score), f"with {100 * result.confidence:g} % confidence {_interval(result)}"
    meaning = f"the share of opponents that {result.new} finished ahead of, minus that of {result.old}"
    if result.objective != "place":
        within = "between the bounds of scores" if result.span is None else f"of {result.span} between the bounds"
        points = "" if result.span is None else f", {_signed(score * result.span)} in a match"
        meaning = f"what {result.new} scored more than {result.old}, as a part {within}{points}"
    yield f"Score {_signed(score)}, {sure}: {meaning}."
    if result.luck is not None and abs(result.luck) >= _SHOWN:
        played = _signed(result.score + result.luck)
        yield f"As played, and in the table, it is {played}: luck added {_signed(result.luck)}, which is taken off."
    if result.faults_new and not result.faulty and not result.faults_old:
        times = f"{result.new} faulted {plural(sum(result.faults_new.values()), 'time')}, {result.old} never"
        yield f"{times}: in too few blocks to be held against it."
    if result.decided_after_matches is not None and result.decided_after_matches < result.matches:
        yield f"The first {result.decided_after_matches} of these matches decide it."
    if result.open:
        if result.more_matches is not None:
            least, most = result.more_matches
            yield f"It will likely take {least} to {plural(most, 'more match', 'more matches')}."
        else:
            yield "How many more matches it takes cannot be told yet."


def _interval(result: Comparison, digits: int = 3) -> str:
    """The interval of the score, rounded outward, so that no end moves across what it tells."""
    parts = 10**digits
    low, high = floor(parts * (result.score_low or 0.0)) / parts, ceil(parts * (result.score_high or 0.0)) / parts
    # an interval below 0 ends below it
    high = high or (-0.0 if result.verdict == "worse" else 0.0)
    return f"{low:+.{digits}f} to {high:+.{digits}f}"


def tell_since(result: Comparison) -> str:
    """What became of a bot since a commit, in one line."""
    became = {"better": "got better", "worse": "got worse"}.get(result.verdict, "did not certainly change")
    if result.score is None or result.faulty:
        why = ": it faults more often" if result.faulty else ": it cannot start" if result.verdict == "worse" else ""
        return f"{result.new} {'is the same' if result.verdict == 'equal' else became} since {result.since}{why}"
    return f"{result.new} {became}: {clip_score(result.score):+.2f} ({_interval(result, 2)}) since {result.since}"


def _headline(result: Comparison) -> str:
    new, old, where = result.new, result.old, _where(result)
    if result.faulty:
        more, less = plural(result.faulted_more_new, "block"), result.faulted_more_old
        return f"{new} is worse than {old} {where}: it faulted more often in {more}, less often in {less}."
    score = result.score or 0.0
    leads = "neither leads" if abs(score) < _SHOWN else f"{new if score > 0 else old} leads"
    if result.gate is not None:
        gate = f"the gate from a score of {result.gate[0]:g} to one of {result.gate[1]:g}"
        if result.passed is None:
            return f"Not decided yet whether {new} passes {gate} {where}; {leads}."
        return f"{new} {'passes' if result.passed else 'does not pass'} {gate} {where}."
    if result.verdict == "equal":
        return f"{new} and {old} are equal within {result.margin:g} {where}."
    if result.verdict == "undecided":
        return f"Not decided yet whether {new} is better than {old} {where}; {leads}."
    return f"{new} is {result.verdict} than {old} {where}."


def _where(result: Comparison) -> str:
    seats = " or ".join(map(str, result.seats)) if len(result.seats) < 3 else f"{result.seats[0]}-{result.seats[-1]}"  # noqa: PLR2004 - some
    others = [f"{bot} x{count}" if count > 1 else bot for bot, count in result.field.items()]
    against = f" against {listed(others)}," if others else ""
    return f"at {seats} seats,{against} after {plural(result.matches, 'match')}"


def _signed(score: float) -> str:
    return f"{score:+.3f}"


def _details(result: Comparison) -> Iterable[str]:
    if result.saving is not None and result.saving >= _WORTH_TELLING:
        yield f"Without luck these blocks tell as much as {result.saving:.1f} times as many."
    if result.ahead is not None:
        share = f"{100 * result.ahead:.0f} % of the {plural(result.met, 'match')} that both sat in"
        yield f"{result.new} finished ahead of {result.old} in {share}, a tie half."
    if (by := result.difference) is not None:
        yield f"The mu of {result.new} is {abs(by):.2f} {'lower' if by < 0 else 'higher'}."


def render_comparison(result: Comparison, form: OutputFormat, *, verbose: bool = False) -> str:
    """The verdict in ``form`` (table, markdown, csv or json), ending in a newline."""
    data = {name: value for name, value in to_builtins(result).items() if name not in {"rows", "notes", "history"}}
    for name in ("faults_new", "faults_old", "field"):
        data[name] = _counted(data[name])
    for name in ("seats", "more_matches", "gate"):
        data[name] = None if data[name] is None else " ".join(map(str, data[name]))
    details = [" ".join(_details(result))] if verbose and result.matches else []
    section = Section(
        lead=[*([tell_since(result)] if result.since else []), result.why, *details],
        tables=[
            Table(rows=[_row(row, verbose=verbose) for row in result.rows], left_columns=("bot", "faults")),
            *([Table(rows=[*map(_past_row, result.history)], left_columns=_TEXTS)] if result.history else []),
        ],
        notes=result.notes,
        listed=True,
        width=WIDTH,
        rows=[data],
        columns=tuple(data),
    )
    head = f"### {_heading(result)}: {markdown(plain(result.new, 64))}, {markdown(plain(result.game, 64))}\n\n"
    return head * (form == "markdown") + Document(sections=[section], data=result).written(form)


def _heading(result: Comparison) -> str:
    if result.passed is not None and not result.faulty:
        return "Passed" if result.passed else "Not passed"
    if result.verdict == "equal" and not result.matches:
        return "Nothing changed"
    return {"better": "Better", "worse": "Worse", "equal": "Equal", "undecided": "Not decided yet"}[result.verdict]


def _row(row: LeaderboardRow, *, verbose: bool) -> dict[str, Any]:
    return {
        "bot": row.bot,
        **({"mu": number(row.mu, 2), "low": number(row.low, 2), "high": number(row.high, 2)} if verbose else {}),
        "matches": row.matches,
        "wins": number(row.wins, 1),
        "place": number(row.mean_rank, 2),
        **({} if row.score_low is None else {"score": number(row.mean_score, 3)}),
        "faults": _counted(row.faults) or NONE,
    }


_TEXTS = ("commit", "date", "since", "verdict")


def _past_row(past: PastComparison) -> dict[str, Any]:
    numbers = {name: number(getattr(past, name), 3) for name in ("score", "low", "high")}
    return {name: getattr(past, name) or NONE for name in _TEXTS} | numbers | {"matches": past.matches}


def _counted(faults: dict[str, int]) -> str:
    return ", ".join(f"{count} {kind}" for kind, count in faults.items())


def of_comparison(comparison: Comparison) -> StepReport:
    """Whether the new version of a bot plays better, and by how much."""
    verdict = Annotation(
        level="error" if comparison.verdict == "worse" or comparison.passed is False else "notice",
        title=f"{comparison.new} at {comparison.game}: {comparison.verdict}",
        text=comparison.why,
    )
    numbers = {"score": comparison.score, "score_low": comparison.score_low, "score_high": comparison.score_high}
    outputs = {
        "verdict": comparison.verdict,
        **{name: "" if value is None else value for name, value in numbers.items()},
        "run": comparison.run,
        "matches": comparison.matches,
        "voids": comparison.void,
    }
    return StepReport(summary=render_comparison(comparison, "markdown"), outputs=outputs, annotations=(verdict,))
