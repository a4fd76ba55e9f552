"""The verdict on two versions of a bot in words, figures and every format."""

import csv
import json
from collections.abc import Sequence
from io import StringIO
from math import ceil
from random import Random

import pytest
from msgspec.structs import replace

from arena.fault import FaultKind
from arena.ratings.evidence import more_often
from arena.record import Record
from arena.report import leaderboard
from arena.report.comparison import Comparison, Question, compared, render_comparison, unchanged, unready
from tests.report.records import record

FORMATS = ("table", "markdown", "csv", "json")


def of(
    wins: Sequence[bool],
    *,
    faulty: int = 0,
    kinds: tuple[FaultKind, ...] = ("late",),
    both: bool = False,
    margin: float | None = None,
) -> Comparison:
    """Blocks of one match: in which ``new`` was ahead of ``old``; in the first few ``new`` has these faults."""
    matches: list[Record] = []
    for at, win in enumerate(wins):
        seats = (0, 1) if both else (0,)
        faults = tuple((seat, kind) for kind in kinds for seat in seats) if at < faulty else ()
        match = record({"new": 1 - win, "old": 0 + win}, faults=faults)
        matches.append(replace(match, id=f"e0b{at}r0"))
    return judged(matches, margin=margin)


def judged(matches: Sequence[Record], *, margin: float | None = None) -> Comparison:
    """The verdict on ``new`` and ``old`` by these matches."""
    entrants = sorted({bot for match in matches for bot in match.bots})
    board = leaderboard(matches, entrants, run="run", game="lure", seats=2, seed=None, seconds=1.0)
    return compared(matches, board, new="new", old="old", question=Question(margin=margin))


def test_verdicts() -> None:
    """Better and worse only where it is certain at whatever look; a few blocks are not enough."""
    better, worse = of([True] * 18 + [False] * 2), of([True] * 2 + [False] * 18)
    assert (better.verdict, worse.verdict) == ("better", "worse")
    assert better.why.startswith("new is better than old after 20 matches: score +0.800, with 95 % confidence +")
    assert "new finished ahead of old in 90 % of the 20 matches that both sat in" in better.why
    assert (better.met, better.ahead, worse.ahead) == (20, 0.9, 0.1)
    assert (better.score, worse.score, better.blocks) == (0.8, -0.8, 20)
    assert better.score_low is not None
    assert better.score_low > 0
    assert better.decided_after is not None
    assert better.decided_after < 20
    assert f"The first {better.decided_after_matches} of these matches decide it." in better.why
    assert better.difference is not None
    assert better.difference > 0
    assert better.low is not None
    assert better.low < better.difference
    assert of([True, False] * 10).verdict == "undecided"
    few = of([True] * 6)
    assert (few.verdict, few.low) == ("undecided", None)


def test_luck_is_told() -> None:
    """Where a game tells luck, it comes off the score; how much, and what that saves, is in words and figures."""
    wins = [Random(at).random() < 0.6 for at in range(60)]
    matches = [replace(record({"new": 1 - win, "old": 0 + win}), id=f"e0b{at}r0") for at, win in enumerate(wins)]
    board = leaderboard(matches, ["new", "old"], run="run", game="lure", seats=2, seed=None, seconds=1.0)
    # nearly all is luck
    lucks = {match.id: 0.8 if win else -0.8 for match, win in zip(matches, wins, strict=True)}
    found, plain = (
        compared(matches, board, new="new", old="old", luck=luck) for luck in (lambda each: lucks[each.id], None)
    )
    assert found.score is not None
    assert found.luck is not None
    assert plain.score == pytest.approx(found.score + found.luck, abs=1e-4)
    assert (plain.luck, plain.saving) == (None, None)
    assert found.saving is not None
    assert found.saving > 5
    assert f"score {found.score:+.3f} (luck of {found.luck:+.3f} taken off)" in found.why
    assert f"Without luck these blocks tell as much as {found.saving:.1f} times as many." in found.why
    assert "luck" not in plain.why.lower()
    assert {"luck", "saving"} <= set(json.loads(render_comparison(found, "json")))


def test_a_verdict_stays() -> None:
    """Whoever goes on after a verdict is told the same verdict, found after as many blocks."""
    early = of([True] * 12)
    late = of([True] * 12 + [True, False, False] * 8)
    assert early.verdict == late.verdict == "better"
    assert early.decided_after == late.decided_after
    assert late.score_low is not None
    assert late.score_low >= 0


def test_the_same_within_a_margin() -> None:
    """Who wins as often as it loses is the same if one asks for that, and else undecided."""
    even = [True, False] * 60
    assert of(even).verdict == "undecided"
    found = of(even, margin=0.5)
    assert (found.verdict, found.margin) == ("same", 0.5)
    assert found.why.startswith("new and old are the same within a score of 0.5 after 120 matches: score +0.000")


def test_a_single_fault_is_told_and_not_held_against_a_bot() -> None:
    """A version that faults in five blocks where the old one never does is worse, though it wins; in four it is not."""
    wins = [True] * 18 + [False] * 2
    found = of(wins, faulty=5, kinds=("late", "illegal"))
    assert (found.verdict, found.decided_after) == ("worse", None)
    assert found.why.startswith("new faulted 10 times, old never. new is better than old")
    rare = of(wins, faulty=1)
    assert rare.verdict == "better"
    assert rare.why.startswith("new faulted once, old never: in too few blocks to be held against it. new is better")
    assert (rare.faulted_more_new, rare.faulted_more_old) == (1, 0)
    assert of(wins, faulty=4).verdict == "better"
    assert of(wins, faulty=20, both=True).verdict == "better"


def test_equal_faults_are_hardly_ever_held_against_a_bot() -> None:
    """Of 300 equal pairs that each fault in one match of fifty, 5 of 100 or fewer are called worse, at every look."""
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
    assert wrong <= 15
    assert [
        more_often(more=5, less=0),
        more_often(more=4, less=0),
        more_often(more=8, less=1),
        more_often(more=7, less=1),
        more_often(more=12, less=2),
    ] == [
        True,
        False,
        True,
        False,
        True,
    ]


@pytest.mark.parametrize(("new", "word"), [(0, "ahead of"), (2, "behind")])
def test_a_field_that_tells_nothing_is_warned_of(new: int, word: str) -> None:
    """Where both are ahead of all others, or behind them, a note says so and what to do; else there is none."""
    matches = [
        replace(record({"new": new + at % 2, "old": new + 1 - at % 2, "x": 2 - new}), id=f"e0b{at}r0")
        for at in range(20)
    ]
    (note,) = [note for note in judged(matches).notes if "the field tells little" in note]
    assert f"Both new and old finished {word} the others in at least 95 % of their matches" in note
    assert "name others as the field" in note
    even = [replace(match, ranks=(at % 3, (at + 1) % 3, (at + 2) % 3)) for at, match in enumerate(matches)]
    assert not [note for note in judged(even).notes if "the field tells little" in note]


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
    for found in (of([True, False] * 10), of([True]), of([True] * 20, faulty=0, margin=None, both=True), last):
        if found.decided_after is None or found is last:
            assert "decide it" not in found.why
    row = next(csv.DictReader(StringIO(render_comparison(of([True]), "csv"))))
    assert (row["decided_after"], row["decided_after_matches"], row["margin"]) == ("", "", "")


def test_the_match_that_would_decide() -> None:
    """An undecided comparison tells after how many matches it would be decided, if the next ones go as these did."""
    wins = [True, False, True] * 7
    open_ = of(wins)
    assert open_.verdict == "undecided"
    likely = open_.likely_decided_after_matches
    assert likely is not None
    assert likely > len(wins)
    assert f"If the next matches go as these did, about {likely} in all decide it." in open_.why
    assert of(wins * ceil(likely / len(wins))).verdict == "better"
    for found in (of([True, False] * 10), of([True] * 20), of([True])):
        assert found.likely_decided_after_matches is None
        assert "the next matches" not in found.why


def test_the_heading_of_the_same() -> None:
    """Within a margin it claims no more than that: something was changed, and was played."""
    found = of([True, False] * 60, margin=0.5)
    assert render_comparison(found, "markdown").startswith("### The same: new, lure")
    nothing = unchanged(new="new", old="old", game="lure")
    assert render_comparison(nothing, "markdown").startswith("### Nothing changed: new, lure")


@pytest.mark.parametrize("form", FORMATS)
def test_formats(form: str) -> None:
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
