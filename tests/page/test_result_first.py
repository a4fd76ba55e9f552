"""Pages say who won before anything else, and what leads to a match does not say how it ends; in a real browser."""

import re
from collections.abc import Callable
from datetime import UTC, datetime
from functools import cache
from pathlib import Path

import pytest
from msgspec import UNSET, UnsetType
from msgspec.structs import replace
from playwright.sync_api import Browser

from arena.page.front import front_page
from arena.page.report import report_page
from arena.page.site import Site
from arena.report.bracket import Bracket, BracketPlace, BracketStage, SatTogether, Seated
from arena.report.findings import Report
from arena.report.headline import Result, headline
from arena.report.season import Season
from arena.report.telling import tell
from tests.page.made import report_made
from tests.page.watching import PHONE, Watched
from tests.report.matches import match

LAPTOP = (1366, 768)
SPOKEN = "(doors) => doors.map((door) => door.innerText)"
FIRST_ROW = """() => [...document.querySelectorAll('.podium li, .page tbody tr')]
  .find((row) => row.checkVisibility())?.getBoundingClientRect().top"""
JOINED = """() => [...document.querySelectorAll('.join')].map((line) => line.getBoundingClientRect().width > 9)"""


def _stage(title: str, *tables: dict[str, float]) -> BracketStage:
    seated = [tuple(Seated(bot=bot, points=won / 32, matches=32) for bot, won in table.items()) for table in tables]
    return BracketStage(title=title, tables=tuple(SatTogether(bots=bots, blocks=16) for bots in seated))


def _formats(names: list[str]) -> dict[str, Bracket]:
    a, b, c, d = names[:4]
    cup = _stage("stage 1", {a: 30, b: 2}, {c: 28.5, d: 3.5}), _stage("final", {c: 28, a: 4})
    order = [BracketPlace(place=place, bot=bot) for place, bot in ((1, c), (2, a), (3, b), (3, d))]
    rounds = [_stage(f"round {number} of 9", {a: 20, b: 12}, {c: 31, d: 1}) for number in range(1, 10)]
    return {
        "knockout": Bracket(schedule="knockout", format="knockout", places=tuple(order), stages=cup),
        "swiss": Bracket(schedule="swiss", format="swiss", places=tuple(order), stages=tuple(rounds)),
    }


@cache
def made(kind: str) -> Report:
    """The report of a run of 12 bots, of this format."""
    report = report_made(bots=12, blocks=60)
    if kind == "plain":
        return report
    table = report.leaderboard
    bracket = _formats([row.bot for row in table.leaderboard])[kind]
    title = headline(Result(lead=table.lead, matches=table.matches, bracket=bracket))
    return replace(report, leaderboard=replace(table, bracket=bracket, headline=title))


@cache
def written(kind: str) -> str:
    """Its page, with one match to watch in it; ``league`` is the front page of a league of that run."""
    report = made("plain" if kind == "league" else kind)
    if kind == "league":
        return front_page(
            Site(
                name="harbour", season=Season(2, "2026-01-02", {"cash-a-catch": report.leaderboard}), history=(),
                reports={"cash-a-catch": report}, rules={}, owners={}, watched={}, most=40, images={},
                now=datetime(2026, 1, 2, tzinfo=UTC),
            )
        )  # fmt: skip
    played = match("cash-a-catch")
    number = report.survey.highlights[0].number
    row = next(row for row in report.survey.listed if row.number == number)
    replay = replace(tell(played.record, played.game, played.state, number=number), id=row.id)
    return report_page(report, [replay], rules="")


@pytest.fixture
def page(tmp_path: Path) -> Callable[[str], Path]:
    """A page as a file."""

    def write(kind: str) -> Path:
        (path := tmp_path / f"{kind}.html").write_text(written(kind), encoding="utf-8")
        return path

    return write


@pytest.mark.long
@pytest.mark.parametrize("kind", ["plain", "knockout", "swiss", "league"])
def test_who_won_is_seen_at_once(kind: str, browser: Browser, page: Callable[[str], Path]) -> None:
    """The first row of places begins above 350 px of a laptop and on the first screen of a phone; so does a door.

    The tables of a knockout are joined by lines that are seen.
    """
    for size, most in ((LAPTOP, 350), (PHONE, PHONE[1])):
        with Watched(browser, page(kind), ready="h1", size=size) as watched:
            assert watched.page.evaluate(FIRST_ROW) < most
            door = watched.page.locator(".door a").bounding_box()
            assert door
            assert door["y"] + door["height"] < most
            joined = watched.page.evaluate(JOINED)
            assert joined == [True] * (2 if kind == "knockout" else 0)


@pytest.mark.parametrize("kind", ["knockout", "swiss"])
def test_the_podium_is_that_of_the_format(kind: str) -> None:
    """It names who came first by the format, whoever leads the ratings; the headline, the star and it agree."""
    report, text = made(kind), written(kind)
    bracket = report.leaderboard.bracket
    assert not isinstance(bracket, UnsetType)
    first = bracket.places[0].bot
    assert first != report.leaderboard.leaderboard[0].bot
    podium = re.findall("<li>(.*?)</li>", text.partition('class="podium"')[2].partition("</ol>")[0])
    assert re.sub("<.*?>", "", podium[0]).endswith(f"1 {first}")
    assert report.leaderboard.headline.startswith(f"{first} won")
    starred = re.findall("<text[^>]*>\N{BLACK STAR} ([^<]+)</text>", text)
    assert starred == ([first] if kind == "knockout" else [])
    assert report.leaderboard.bracket is not UNSET


def test_a_knockout_is_boxes_with_scores_that_lead_to_matches() -> None:
    """Each table is a link to its matches, with its bots and its score in matches won."""
    names = [row.bot for row in made("plain").leaderboard.leaderboard]
    labels = re.findall(
        '<a data-bot="([^"]+)" data-other="([^"]+)" href="#matches" aria-label="([^"]+)"', written("knockout")
    )
    assert (names[2], names[0], f"{names[2]} and {names[0]}: 28-4, to the matches") in labels
    assert len(labels) == 3


def test_a_swiss_is_one_table() -> None:
    """Its rounds are columns of one table, a row for each bot, in the order of the places."""
    text = written("swiss")
    assert text.count('class="crosstable"') == 1
    table = text.partition('class="crosstable"')[2].partition("</table>")[0]
    assert len(re.findall("<tr>", table)) == 1 + 4
    bracket = made("swiss").leaderboard.bracket
    assert not isinstance(bracket, UnsetType)
    assert re.findall('<th scope="row">([^<]+)', table) == [entry.bot for entry in bracket.places]
    assert len(re.findall('<th[^>]* scope="col">', table)) == 2 + 9


@pytest.mark.long
def test_doors_tell_no_result(browser: Browser, page: Callable[[str], Path]) -> None:
    """What leads to a match names who plays and no score until results are asked for; each row can be watched."""
    report = made("knockout")
    outcomes = [highlight.outcome for highlight in report.survey.highlights if highlight.outcome]
    with Watched(browser, page("knockout"), ready="#rows .go a") as watched:
        rows, doors = watched.page.locator("#rows tr"), watched.page.locator(".door, .worth a, #rows .who")

        def told() -> str:
            said: list[str] = doors.evaluate_all(SPOKEN)
            return "\n".join(said)

        assert rows.count() == watched.page.locator("#rows .go a").count() == 1
        assert watched.page.locator("#matches").get_by_role("button").count() == 0
        assert not [outcome for outcome in outcomes if outcome in told()]
        names = {bot for match in report.survey.listed for bot in match.bots}
        assert {*rows.locator(".who").inner_text().split(" \N{MIDDLE DOT} ")} <= names
        watched.page.locator(".results input").check()
        assert [outcome for outcome in outcomes if outcome in told()]
        assert re.search(r"-\d+ \d+", rows.locator(".who").inner_text())
        watched.page.locator(".bracket a").first.click()
        label = watched.page.locator(".bracket a").first.get_attribute("data-bot")
        assert watched.page.locator("#filter-bot").input_value() == label
        rows.first.locator(".go a").or_(watched.page.locator(".door a")).first.click()
        watched.page.wait_for_selector(".stage")
