"""The verdict on two versions of a bot in words, figures and every format."""

import csv
import json
import re
from collections.abc import Sequence
from io import StringIO
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from arena.fault import FaultKind
from arena.ratings import fit_outcomes
from arena.ratings.evidence import more_often
from arena.record import Record
from arena.report.comparison import compared
from arena.report.document import OutputFormat
from arena.report.leaderboard import make_leaderboard
from arena.report.verdict import Comparison, Question, render_comparison, sentences_of, unchanged, unready
from tests.report.records import record, results_of

FORMATS: tuple[OutputFormat, ...] = ("table", "markdown", "csv", "json")


def of(
    wins: Sequence[bool],
    *,
    faulty: int = 0,
    kinds: tuple[FaultKind, ...] = ("late",),
    both: bool = False,
    until: str = "never",
) -> Comparison:
    """Blocks of one match: in which ``new`` was ahead of ``old``; in the first few ``new`` has these faults."""
    matches: list[Record] = []
    for at, win in enumerate(wins):
        seats = (0, 1) if both else (0,)
        faults = tuple((seat, kind) for kind in kinds for seat in seats) if at < faulty else ()
        match = record({"new": 1 - win, "old": 0 + win}, faults=faults)
        matches.append(replace(match, id=f"e0b{at}r0"))
    return judged(matches, until=until)


def judged(matches: Sequence[Record], *, until: str = "never") -> Comparison:
    """The verdict on ``new`` and ``old`` by these matches."""
    entrants = sorted({bot for match in matches for bot in match.bots})
    results = results_of(matches, entrants)
    fit = fit_outcomes(results.outcomes(), entrants)
    board = make_leaderboard(results, fit, run="run", game="lure", seats=2, seed=None, seconds=1.0)
    return compared(results, fit, board, new="new", old="old", question=Question.read(until))


def test_verdicts() -> None:
    """Better and worse only where it is certain at whatever look; a few blocks are not enough."""
    better, worse = of([True] * 18 + [False] * 2), of([True] * 2 + [False] * 18)
    assert (better.verdict, worse.verdict) == ("better", "worse")
    start = "new is better than old at 2 seats, after 20 matches. Score +0.800, with 95 % confidence +"
    assert better.why.startswith(start)
    assert (better.met, better.ahead, worse.ahead) == (20, 0.9, 0.1)
    assert (better.score, worse.score, better.blocks) == (0.8, -0.8, 20)
    assert (better.score_low or 0) > 0
    assert (better.decided_after or 99) < 20
    assert f"The first {better.decided_after_matches} of these matches decide it." in better.why
    assert (better.low or 99) < (better.difference or 0) > 0
    open_ = of([True, False] * 10)
    assert open_.verdict == "undecided"
    assert open_.why.startswith("Not decided yet whether new is better than old at 2 seats, after 20 matches; neither")
    few = of([True] * 6)
    assert (few.verdict, few.low) == ("undecided", None)
    assert "; new leads. Score +1.000, with 95 % confidence -0." in few.why
    assert "; old leads. " in of([False] * 6).why


@given(st.lists(st.integers(-3, 3), min_size=1, max_size=40), st.sampled_from(["decided", "equal=0.2", "sprt=0,0.1"]))
@settings(max_examples=25)
def test_one_interval_agrees_with_the_verdict(gaps: list[int], until: str) -> None:
    """There is one interval in the text, the one of the verdict, and it says the same, in figures and in words."""
    matches = [
        replace(record({"new": max(0, -gap), "old": max(0, gap), "x": 5, "y": 6}), id=f"e0b{at}r0")
        for at, gap in enumerate(gaps)
    ]
    found = judged(matches, until=until)
    assert found.score_low is not None
    assert found.score_high is not None
    low, high = found.score_low, found.score_high
    (shown,) = re.findall(r"confidence ([+-][0-9.]+) to ([+-][0-9.]+)", found.why)
    for least, most in ((low, high), (float(shown[0]), float(shown[1]))):
        if found.gate is not None:
            assert found.passed == (True if least >= 0 else False if most <= 0.1 else None)
        elif found.verdict == "undecided":
            assert least <= 0 <= most
            assert found.margin is None or min(least, -most) < -0.2
        else:
            assert {"better": least >= 0, "worse": most <= 0, "equal": least >= -0.2 and most <= 0.2}[found.verdict]


def test_the_table_is_named() -> None:
    """The verdict says at how many seats, against whom and in how many matches it was found."""
    matches = [
        replace(record({"new": 0, "old": 1, other: 2, "y": 3}), id=f"e0b{at}r0")
        for at in range(5)
        for other in ("x", "x#2")
    ]
    found = judged(matches)
    assert (found.seats, found.field) == ((4,), {"x": 2, "y": 1})
    assert " at 4 seats, against x x2 and y, after 10 matches" in found.why
    both = judged([*matches, replace(record({"new": 0, "old": 1, "y": 2}), id="e0b7r0")])
    assert " at 3 or 4 seats, against " in both.why


def test_luck_is_told() -> None:
    """Where a game tells luck, it comes off the score; how much, is told at once, as the table has it still."""
    wins = [Random(at).random() < 0.6 for at in range(60)]
    matches = [replace(record({"new": 1 - win, "old": 0 + win}), id=f"e0b{at}r0") for at, win in enumerate(wins)]
    results = results_of(matches, ["new", "old"])
    fit = fit_outcomes(results.outcomes(), results.bots)
    board = make_leaderboard(results, fit, run="run", game="lure", seats=2, seed=None, seconds=1.0)
    # nearly all is luck
    lucks = [0.8 if win else -0.8 for win in wins]
    found, plain = (
        compared(results, fit, board, new="new", old="old", luck=luck) for luck in (lucks.__getitem__, None)
    )
    assert None not in (found.score, found.luck, found.saving, found.difference)
    assert plain.score == pytest.approx((found.score or 0) + (found.luck or 0), abs=1e-4)
    assert (plain.luck, plain.saving) == (None, None)
    assert (found.saving or 0) > 5
    short, long = (" ".join(render_comparison(found, "table", verbose=more).split()) for more in (False, True))
    told = f"it is {plain.score:+.3f}: luck added {found.luck:+.3f}, which is taken off."
    assert told in short
    assert told in long
    assert f"Without luck these blocks tell as much as {found.saving:.1f} times as many." in long
    assert f"The mu of new is {found.difference:.2f} higher." in long
    assert long.count("confidence") == 1
    assert f"new finished ahead of old in {100 * (plain.ahead or 0):.0f} % of the 60 matches that both sat in" in long
    assert not {"mu", "low"} & set(short.lower().split())
    assert "luck" not in render_comparison(plain, "table", verbose=True).lower()
    close = replace(found, score=0.0002, verdict="undecided", gate=None)
    assert "; neither leads." in " ".join(sentences_of(close))
    assert {"luck", "saving"} <= set(json.loads(render_comparison(found, "json")))


def test_a_verdict_stays() -> None:
    """Whoever goes on after a verdict is told the same verdict, found after as many blocks."""
    early = of([True] * 12)
    late = of([True] * 12 + [True, False, False] * 8)
    assert early.verdict == late.verdict == "better"
    assert early.decided_after == late.decided_after
    assert (-1 if late.score_low is None else late.score_low) >= 0


def test_equal_within_a_margin() -> None:
    """Who wins as often as it loses is equal if one asks for that, and else undecided."""
    even = [True, False] * 60
    assert of(even).verdict == "undecided"
    found = of(even, until="equal=0.5")
    assert (found.verdict, found.margin) == ("equal", 0.5)
    assert found.why.startswith("new and old are equal within 0.5 at 2 seats, after 120 matches. Score +0.000, with")
    assert "more matches" not in found.why


def test_a_gate() -> None:
    """It is passed, not passed or open; each is said first, with the interval of the gate's own bets."""
    passed, failed, open_ = (
        of(wins, until="sprt=0,0.5") for wins in ([True] * 30, [True, False] * 30, [True, True, False] * 2)
    )
    assert (passed.passed, passed.verdict, passed.confidence) == (True, "better", 0.9)
    assert passed.why.startswith("new passes the gate from a score of 0 to one of 0.5 at 2 seats, after 30 matches. ")
    assert "with 90 % confidence +" in passed.why
    assert (failed.passed, failed.verdict) == (False, "undecided")
    assert failed.why.startswith("new does not pass the gate from a score of 0 to one of 0.5 at 2 seats, ")
    assert (open_.passed, open_.open) == (None, True)
    assert open_.why.startswith("Not decided yet whether new passes the gate from a score of 0 to one of 0.5 at ")
    headings = [render_comparison(each, "markdown").split(":")[0] for each in (passed, failed, open_)]
    assert headings == ["### Passed", "### Not passed", "### Not decided yet"]


def test_a_single_fault_is_told_and_not_held_against_a_bot() -> None:
    """Who faults in eight blocks where the old version never does is worse, though it wins; seven are not enough."""
    wins = [True] * 18 + [False] * 2
    found = of(wins, faulty=8, kinds=("late", "illegal"))
    assert (found.verdict, found.decided_after, found.open) == ("worse", None, False)
    start = "new is worse than old at 2 seats, after 20 matches: it faulted more often in 8 blocks, less often in 0."
    assert found.why.startswith(start)
    rare = of(wins, faulty=1)
    assert rare.verdict == "better"
    assert "new faulted 1 time, old never: in too few blocks to be held against it." in rare.why
    assert (rare.faulted_more_new, rare.faulted_more_old) == (1, 0)
    assert of(wins, faulty=7).verdict == "better"
    assert of(wins, faulty=20, both=True).verdict == "better"


def test_equal_faults_are_hardly_ever_held_against_a_bot() -> None:
    """Of 300 equal pairs that each fault in one match of fifty, hardly any is called worse, at every look."""
    random = Random(3)
    wrong = 0
    for _ in range(300):
        more = less = 0
        for _ in range(400):
            new, old = random.random() < 0.02, random.random() < 0.02
            more, less = more + (new > old), less + (old > new)
            if more_often(more=more, less=less):
                wrong += 1
                break
    assert wrong <= 6
    for enough, against in ((8, 0), (13, 1), (17, 2)):
        assert more_often(more=enough, less=against)
        assert not more_often(more=enough - 1, less=against)
    assert not more_often(more=8, less=0, alpha=0.01)


@pytest.mark.parametrize(("new", "word"), [(0, "ahead of"), (2, "behind")])
def test_a_field_that_tells_nothing_is_warned_of(new: int, word: str) -> None:
    """Where both are ahead of all others, or behind them, a note says so and what to do; else there is none."""
    matches = [
        replace(record({"new": new + at % 2, "old": new + 1 - at % 2, "x": 2 - new}), id=f"e0b{at}r0")
        for at in range(20)
    ]
    (note,) = [note for note in judged(matches).notes if "The field is too" in note]
    assert f"both new and old finished {word} the others in at least 95 % of their matches" in note
    assert ("stronger" if new == 0 else "weaker") in note
    assert note.endswith("bots, or none: then copies of old play.")
    even = [replace(match, ranks=(at % 3, (at + 1) % 3, (at + 2) % 3)) for at, match in enumerate(matches)]
    assert not [note for note in judged(even).notes if "The field is too" in note]


def test_the_match_that_decides() -> None:
    """With blocks of two matches twice as many matches as blocks decide it; nothing is said while nothing does."""
    single = of([True] * 20)
    pairs = [
        replace(record({"new": 0, "old": 1}), id=f"e0b{block}r{rotation}") for rotation in (0, 1) for block in range(20)
    ]
    double = judged(pairs)
    assert single.decided_after == single.decided_after_matches == double.decided_after
    assert double.decided_after_matches == 2 * (double.decided_after or 0)
    last = judged([match for match in pairs if int(match.id[3:-2]) < (double.decided_after or 0)])
    assert last.decided_after_matches == last.matches
    for found in (of([True, False] * 10), of([True]), of([True] * 20, faulty=0, both=True), last):
        if found.decided_after is None or found is last:
            assert "decide it" not in found.why
    row = next(csv.DictReader(StringIO(render_comparison(of([True]), "csv"))))
    assert (row["decided_after"], row["decided_after_matches"], row["margin"]) == ("", "", "")


def test_how_many_more_matches() -> None:
    """An undecided comparison tells a range of further matches, where blocks so far bear one; else that it cannot."""
    wins = [True, False, True, True] * 6
    open_ = of(wins)
    assert (open_.verdict, open_.open) == ("undecided", True)
    assert open_.more_matches is not None
    low, high = open_.more_matches
    assert f"It will likely take {low} to {high} more matches." in open_.why
    took = of(wins * 9).decided_after_matches
    assert took is not None
    assert low <= took - len(wins) <= high
    for found in (of([True, False] * 10), of([True])):
        assert found.more_matches is None
        assert "How many more matches it takes cannot be told yet." in found.why
    assert "more matches" not in of([True] * 20).why


def test_headings() -> None:
    """Equal claims no more than that: something was changed, and was played."""
    found = of([True, False] * 60, until="equal=0.5")
    assert render_comparison(found, "markdown").startswith("### Equal: new, lure")
    assert render_comparison(of([True]), "markdown").startswith("### Not decided yet: new, lure")
    nothing = unchanged(new="new", old="old", game="lure")
    assert render_comparison(nothing, "markdown").startswith("### Nothing changed: new, lure")


@pytest.mark.parametrize("form", FORMATS)
def test_formats(form: OutputFormat) -> None:
    """Every format holds the verdict, for what was played and for what was not."""
    for found in (
        of([True] * 20),
        unchanged(new="new", old="old", game="lure"),
        unready(new="new", old="old", game="lure"),
    ):
        text = render_comparison(found, form)
        assert text.isascii()
        assert text.endswith("\n")
        if form == "json":
            assert json.loads(text)["verdict"] == found.verdict
        elif form == "csv":
            (row,) = csv.DictReader(StringIO(text))
            assert (row["verdict"], row["matches"]) == (found.verdict, str(found.matches))
        else:
            assert found.why.split()[-1] in text


def test_markdown_of_any_name() -> None:
    """No word of the verdict becomes markup: it may be posted as it is."""
    found = replace(unready(new="new", old="old", game="lure"), why="<b> @you #1 [x](y)", new="a_b*")
    text = render_comparison(found, "markdown")
    assert text.startswith("### Worse: a\\_b\\*, lure\n\n&#60;b&#62; @&#8203;you \\#&#8203;1 \\[x\\](y)")


def test_a_score_is_told_within_what_it_can_be() -> None:
    """With luck taken off a mean may lie beyond -1: it is told as -1, and an interval below 0 ends below it."""
    worse = Comparison(
        "worse", "it is", new="new", old="old", game="dockfight", matches=16, score=-1.08, score_low=-1, score_high=0.0
    )
    told = " ".join(sentences_of(worse))
    assert re.search(r"Score -1\.000, with 95 % confidence -1\.000 to -0\.000: ", told)
