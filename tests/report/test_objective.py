"""Leaderboards of games in which the score counts: who stands first, and what is said of it."""

import json

import htpy
import pytest
from msgspec.structs import replace

from arena.environments.single_picks import reward_range
from arena.errors import HostError, UsageError
from arena.game import Objective
from arena.games import find
from arena.page import charts
from arena.page.board import leaderboard as page_board
from arena.page.board import legend
from arena.ratings import fit_outcomes
from arena.record import Record
from arena.report import findings
from arena.report.ahead import ahead_section, finished_ahead
from arena.report.comparison import compared
from arena.report.document import Document
from arena.report.findings import survey_results
from arena.report.render import Leaderboard, Standing, render
from arena.report.season import Season, make_badges
from arena.report.verdict import Comparison, Question, render_comparison
from arena.results.measure import measure_of
from arena.tournament.comparison import compare_bots, score_bounds
from arena.tournament.folder import BrokenRun, Entrant
from arena.tournament.plan import first_manifest
from arena.tournament.rounds import Rounds, check_playable
from arena.tournament.secrets import Secret
from arena.tournament.settings import RunSpec
from arena.tournament.spec import make_settings
from tests.report.records import board_of, combined, record, results_of

OBJECTIVES: tuple[Objective, ...] = ("place", "score")


def played(blocks: int = 40) -> list[Record]:
    """``often`` finishes ahead three times of four, and loses more in the fourth than it won."""
    matches = []
    for block in range(blocks):
        won = -5 if block % 4 == 0 else 1
        for turn in range(2):
            one = record({"often": int(won < 0), "seldom": int(won > 0)}, (won, -won), waits=((0, 9),))
            matches.append(replace(one, id=f"e0b{block}r{turn}"))
    return matches


def board(objective: Objective = "score", blocks: int = 40, span: float | None = 10, **facts: object) -> Leaderboard:
    """The leaderboard of these matches."""
    measure = measure_of(objective, least=-5, span=span)
    return board_of(played(blocks), ["often", "seldom"], measure=measure, **facts)


def test_what_counts_decides_who_is_first() -> None:
    """By places the one is first for certain; by scores the other is first, and the ratings stay what they were."""
    place, score = board("place", 200), board("score", 200)
    assert [row.bot for row in place.leaderboard] == ["often", "seldom"]
    assert [row.bot for row in score.leaderboard] == [row.bot for row in score.table_rows] == ["seldom", "often"]
    first, last = score.leaderboard
    assert (first.mean_score, last.mean_score) == (0.5, -0.5)
    assert (first.mu, first.low) == next((row.mu, row.low) for row in place.leaderboard if row.bot == "seldom")
    assert first.score_low is not None
    assert last.score_high is not None
    assert last.score_high < 0 < first.score_low
    assert place.better == (("often", "seldom"),)
    assert score.better == (("seldom", "often"),)
    assert [(row.rank, row.rank_low, row.rank_high) for row in score.leaderboard] == [(1, 1, 1), (2, 2, 2)]
    assert score.headline == "seldom won, for certain"
    lead = findings.lead_in_words(score)
    assert lead[0] == "seldom has the best mean score, 0.500 in 400 matches."


def test_what_is_not_known_is_not_said() -> None:
    """Of few blocks no place is settled by score; where line-ups follow from results none ever is, and it says so."""
    few = board(blocks=12)
    assert not any(row.settled for row in few.leaderboard)
    assert few.certain == "Certain by mean score, 5 % for all of it: no place."
    unbounded = board(blocks=200, span=None)
    assert (unbounded.certain, unbounded.better) == ("Certain: nothing, for the game does not bound its scores.", ())
    paired = board(blocks=200, looks="paired")
    assert not any(row.settled for row in paired.leaderboard)
    assert not paired.better
    assert "mean scores of its line-ups settle nothing" in " ".join(paired.notes)


def test_every_output_has_the_mean_with_its_interval() -> None:
    """Table, Markdown, CSV and JSON have the mean score and its interval, and go by it; games of places do not."""
    score = board()
    for form in ("table", "markdown"):
        text = render(score, form)
        assert "score the mean, from and to its 95 %" in text
        assert text.index("seldom") < text.index("often")
    table = render(score, "table")
    assert all(len(line) <= 80 for line in table.splitlines())
    heading = next(line for line in table.splitlines() if line.lstrip().startswith("#")).split()
    assert heading[:6] == ["#", "bot", "score", "from", "to", "rating"]
    data = json.loads(render(score, "json"))
    assert data["objective"] == "score"
    assert [row["score_low"] for row in data["leaderboard"]] == [row.score_low for row in score.leaderboard]
    lines = render(score, "csv").splitlines()
    assert lines[0].split(",")[-3:] == ["score_low", "score_high", "owner"]
    assert lines[1].startswith("lure,1,")
    assert all(row.score_low is None for row in board("place").leaderboard)


def perfect(blocks: int = 12) -> list[Record]:
    """``often`` loses as much as there is to lose in every match, the third seat gets nothing."""
    return [
        replace(record({"first": 0, "often": 2, "third": 1}, (3, -4, 0), waits=((0, 9),)), id=f"e0b{block}r0")
        for block in range(blocks)
    ]


def test_an_interval_stays_within_the_bounds_of_scores() -> None:
    """No mean lies beyond the bounds that the game declares, so no end of its interval does; without any it may."""
    bots = ["first", "often", "third"]
    first, third, last = board_of(perfect(), bots, measure=measure_of("score", least=-4, span=7)).leaderboard
    assert (first.bot, first.mean_score, first.score_high) == ("first", 3, 3)
    assert first.score_low is not None
    assert first.score_low < 3
    assert (last.mean_score, last.score_low) == (-4, -4)
    assert third.score_low is not None
    assert third.score_high == -third.score_low
    unbounded = board_of(perfect(), bots, measure=measure_of("score")).leaderboard[0]
    assert unbounded.score_high is not None
    assert unbounded.score_high > 3


def test_head_to_head_stands_in_the_order_of_the_table() -> None:
    """Bots are numbered as on the leaderboard: by mean score where it counts, by rating where places do."""
    results = results_of(played(), ["often", "seldom"])
    fit = fit_outcomes(results.outcomes(), ["often", "seldom"])
    for table in (board("score"), board("place")):
        (ahead,) = finished_ahead(results, fit, table)
        assert list(ahead.bots) == [row.bot for row in table.leaderboard]
        lines = Document(sections=[ahead_section(ahead)]).written("table").splitlines()
        assert [line.split()[:2] for line in lines if line[:1].isdigit()] == [
            [str(row.rank), row.bot] for row in table.leaderboard
        ]


def test_the_curves_of_a_report_go_by_what_ranks() -> None:
    """Where the score counts, the chart has mean scores within their bounds, and tells since when the order stands."""
    bots, measure = ["first", "often", "third", "idle"], measure_of("score", least=-4, span=7)
    results, table = results_of(perfect(24), bots), board_of(perfect(24), bots, measure=measure)
    found = survey_results(results, fit_outcomes(results.outcomes(), bots), table, limit=1000)
    assert found.ahead is not None
    assert found.ahead.bots == ("first", "third", "often")
    first, *_, last = found.history
    assert {bot: point.mean for bot, point in last.bots.items()} == {"first": 3, "often": -4, "third": 0}
    assert (first.bots["first"].low, last.bots["first"].high) == (None, 3)
    told = findings.growth(found.history, found.ahead, provisional=False, measure=measure)
    assert told == "The certain part of the order has stood since match 3 of 24"
    series = {"first": [(24, last.bots["first"])]}
    drawn = str(charts.growth(series, settled=(), total=24, measure=measure))
    assert "mean score of each bot after up to 24 matches. At the end: first 3.000." in drawn


def test_what_goes_by_places_says_so() -> None:
    """Shares over several games go by places: where the score counts in one, the note below the table says it."""
    plain, noted = (
        combined([Standing("a", 0.5, {"lure": 0.5})], boards=[board(kind)]).written("table") for kind in OBJECTIVES
    )
    assert "Shares go by places, also where the score counts." in " ".join(noted.split())
    assert "places" not in plain


def test_a_small_run_is_headed_by_its_measure() -> None:
    """Of few deals the headline tells the mean score of the leader where that counts, and its wins where places do."""
    assert board(blocks=5).headline.startswith("seldom won with a mean score of 1.400 in 10 matches")
    assert board("place", blocks=4).headline.startswith("often won 6 of 8 matches")


@pytest.mark.parametrize("columns", [40, 56, 64])
def test_the_column_that_ranks_is_left_out_last(columns: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """On a narrow terminal a table by scores keeps the score with its interval, and one by places the rating."""
    monkeypatch.setattr("arena.report.document.width", lambda: columns)
    for table, kept in ((board("score"), ["score", "from", "to"]), (board("place"), ["rating"])):
        lines = render(table, "table").splitlines()
        heading = next(line.split() for line in lines if line.lstrip().startswith("#"))
        assert heading[: 2 + len(kept)] == ["#", "bot", *kept]
        assert max(map(len, lines)) <= columns


def judged(matches: list[Record], most: int = 5, until: str = "never") -> Comparison:
    """Whether ``seldom`` is better than ``often`` by scores, whose bounds are as far from 0."""
    results = results_of(matches, ["often", "seldom"])
    fit = fit_outcomes(results.outcomes(), ["often", "seldom"])
    table = board(blocks=len(matches) // 2)
    question = Question.read(until)
    return compared(
        results, fit, table, new="seldom", old="often", question=question, bounds=lambda _seats: (-most, most)
    )


def test_a_comparison_goes_by_scores() -> None:
    """By places the one is worse, by scores it is better, in sentences that tell both scores and what lies between."""
    found = judged(played(400))
    assert (found.verdict, found.objective, found.span) == ("better", "score", 10)
    assert found.ahead == 0.25
    assert found.score == pytest.approx(0.1)
    assert found.score_low is not None
    assert found.score_low >= 0
    assert "what seldom scored more than often, as a part of 10 between the bounds, +1.000 in a match" in found.why
    assert "share of opponents" not in found.why
    assert "score" in render_comparison(found, "table").partition("matches")[2]
    # the same scores within wider bounds are weaker evidence
    assert judged(played(400), most=50).verdict == "undecided"
    assert judged(played(400), until="sprt=0.2,0.4").passed is False


def test_a_score_beyond_its_bounds_is_an_error() -> None:
    """Bets hold within bounds alone: a game that breaks its own ends the comparison, and the match is named."""
    with pytest.raises(HostError, match="e0b0r0: expected scores in the game's bounds of -4 and 4, got 5"):
        judged(played(20), most=4)


def test_a_comparison_by_scores_needs_bounds() -> None:
    """A game whose scores count and have no bounds is refused, rather than judged by places."""
    game = replace(find("dockfight"), objective="score", bounds=None)
    with pytest.raises(UsageError, match="dockfight: expected bounds of its scores, for these count in it, got a game"):
        compare_bots("greedy", "random", game, [], RunSpec(), question=Question(), say=list[str]().append)


def test_a_question_about_scores_needs_bounds() -> None:
    """``--until`` bets on differences of scores where these count, so a game without bounds has no such run."""
    game = replace(find("dockfight"), objective="score", bounds=lambda _seats, _variants: (0, 20))
    chosen = make_settings(RunSpec(until="best", seats=2), game, [game], seed="s", entrants=3)
    check_playable(chosen, game, "abc")
    with pytest.raises(UsageError, match="until=best: expected a game of places, or one that bounds the score") as told:
        check_playable(chosen, replace(game, bounds=None), "abc")
    assert told.value.option == "until"


@pytest.mark.parametrize(("effects", "span"), [("off", 20), ("on", 80)])
def test_bounds_know_the_variant(effects: str, span: int) -> None:
    """What lies between the bounds of scores is that of the variant which is played."""
    wide = {"off": (-10, 10), "on": (-40, 40)}
    game = replace(find("lure"), objective="score", bounds=lambda _seats, variants: wide[variants["effects"]])
    chosen = make_settings(RunSpec(seats=2, variants={"effects": effects}), game, [game], seed="s", entrants=2)
    manifest = first_manifest(chosen, game, [Entrant(bot, "", ()) for bot in ("often", "seldom")], Secret.of("s"))
    assert (manifest.range, manifest.least) == (span, -span / 2)
    bounds = score_bounds(game, "score", manifest.variants)
    assert bounds is not None
    assert bounds(2) == wide[effects]
    assert reward_range(game, 2, manifest.variants) == wide[effects]


def test_rounds_go_by_scores() -> None:
    """The manifest has the span, formats get each score as a part of it, and a match beyond it is named."""
    game = replace(find("dockfight"), objective="score", bounds=lambda _seats, _variants: (-10, 10))
    chosen = make_settings(RunSpec(until="best", seats=2, matches=8), game, [game], seed="s", entrants=2)
    manifest = first_manifest(chosen, game, [Entrant(bot, "", ()) for bot in ("often", "seldom")], Secret.of("s"))
    assert manifest.span == 20
    rounds = Rounds(manifest, {0: Secret.of("s")})
    assert rounds.round is not None
    (first, *_) = rounds.now
    match = replace(played(1)[0], id=f"e0b{first.number}r0", bots=first.seating, ranks=(0, 1), scores=(10, -5))
    rounds.take(match)
    assert rounds.present().played[0].scores == ((0.5, -0.25), ())
    rounds.take(replace(match, scores=(30, -5)))
    with pytest.raises(BrokenRun, match=r"match e0b0r0: expected scores that differ by at most 20, .* got -5 to 30"):
        rounds.present()


def test_pages_and_badges_show_the_score() -> None:
    """The chart of a page has the mean score and its interval on a scale of scores, and no tick of the rating."""
    score, place = board(blocks=200), board("place", 200)
    shown, other = (str(page_board(one, {}, run="r")) for one in (score, place))
    first = score.leaderboard[0]
    assert f'aria-label="mean score 0.500, 95 % between {first.score_low:.3f} and {first.score_high:.3f}"' in shown
    assert "mu " not in shown
    assert ('class="tick"' in shown, 'class="tick"' in other) == (False, True)
    assert "mean score, by which the table is sorted" in str(htpy.p[legend(score)])
    season = Season(season=1, date="2026-01-01", games={"lure": score})
    (text,) = [text for name, text in make_badges(season).items() if "seldom" in name]
    assert json.loads(text)["message"].startswith("first of 2, for certain, mean score 0.500, ")
