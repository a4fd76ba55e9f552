"""Reports of few and of very many bots: read, sorted, searched, printed and shared, in a real browser."""

import re
from collections.abc import Callable
from functools import cache
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest
import resvg_py
from msgspec.structs import replace
from playwright.sync_api import Browser

from arena.errors import UsageError
from arena.page import charts
from arena.page.card import draw_png, result_card
from arena.page.report import report_page
from arena.report.findings import Report
from arena.report.review import Review, ReviewedAnswer
from arena.report.telling import tell
from tests.cli.test_pictures import embedded
from tests.page.made import report_made
from tests.page.watching import Watched
from tests.report.matches import match

BLOCKS = {4: 60, 60: 300, 300: 1500}
"""By number of bots: enough for intervals."""
every_size = pytest.mark.parametrize(
    "bots", [4, pytest.param(60, marks=pytest.mark.long), pytest.param(300, marks=pytest.mark.long)]
)
on_a_page = pytest.mark.parametrize(
    "bots", [pytest.param(60, marks=pytest.mark.long), pytest.param(300, marks=pytest.mark.proof)]
)
A4 = (703, 1000)
"""The width of a page of paper between its margins, in points of a screen."""
SHOWN = "(rows) => rows.filter((row) => row.checkVisibility()).length"
BEYOND = """() => [...document.querySelectorAll('.page *')]
  .filter((each) => !each.closest('svg, .unseen') && each.getBoundingClientRect().right > innerWidth + 1)
  .map((each) => `${each.tagName} of ${each.closest('section')?.id}`)"""


@cache
def made(bots: int) -> Report:
    """The report of a run of so many bots."""
    return report_made(bots=bots, blocks=BLOCKS[bots])


@pytest.fixture(scope="session")
def page(tmp_path_factory: pytest.TempPathFactory) -> Callable[[int], Path]:
    """The page of that report, made when it is first asked for."""
    folder = tmp_path_factory.mktemp("reports")

    @cache
    def written(bots: int) -> Path:
        path = folder / f"{bots}.html"
        path.write_text(report_page(made(bots), [], rules=""), encoding="utf-8")
        return path

    return written


@every_size
def test_what_a_report_may_weigh(bots: int) -> None:
    """A page has 300 kB at most: the last replays are left out for it, but none of those that were asked for."""
    played = match("cash-a-catch")
    one = tell(played.record, played.game, played.state, number=0)
    replays = [replace(one, id=f"e0b{number}r0", number=number) for number in range(40)]
    text = report_page(made(bots), replays, rules="", requests=1)
    kept = re.findall(r'data-replay="e0b(\d+)r0"', text)
    assert 1 <= len(kept) < 40
    assert [int(number) for number in kept] == list(range(len(kept)))
    assert len(text) <= 300_000
    assert len(re.findall("data-replay=", report_page(made(bots), replays, rules="", requests=40))) == 40


def test_blunders_are_marked() -> None:
    """An answer of a review that certainly cost something is a mark of its match, also where replays are left out."""
    played = match("cash-a-catch")
    one = tell(played.record, played.game, played.state, number=0)
    replays = [replace(one, id=f"e0b{number}r0", number=number) for number in range(40)]
    dear = ReviewedAnswer(
        match=0, id="e0b0r0", seat=0, decision=3, question="Do you ring?", answer="ring", better="nothing", picks=(),
        states=9, cost=1.5, low=1.0, high=2.0,
    )  # fmt: skip
    review = Review(
        run="demo", game="cash-a-catch", bot="greedy-0", by="search", matches=9, lost=3, chosen=3, decisions=90,
        answers=(dear, replace(dear, decision=5, low=-0.5)),
    )  # fmt: skip
    page = report_page(made(60), replays, rules="", review=review, requests=1)
    assert 'id="review"' in page
    marks = {match: replay.get("marks", []) for match, replay in embedded(page).items()}
    assert 1 <= len(marks) < 40
    assert marks.pop("e0b0r0") == [{"decision": 3, "text": "blunder"}]
    assert not any(marks.values())


def test_nothing_dead_is_written() -> None:
    """What needs a script is made by it: of a report's markup nothing can be used but the box for results, by style."""
    text = re.sub("<script.*?</script>", "", report_page(made(60), [], rules=""), flags=re.DOTALL)
    assert re.findall("<(?:button|select|input)[^>]*>", text) == ['<input type="checkbox">']
    assert ":root:has(.results :not(:checked))" in text


def test_what_others_are_told_of_a_page() -> None:
    """The head has a title, a description of two lines, an icon, and the picture that it was given."""
    text = report_page(made(60), [], rules="", image="https://example.org/card.png")
    head = text.partition("<body")[0]
    described = re.search('<meta name="description" content="([^"]+)">', head)
    assert described
    assert described[1].startswith("Cash-a-Catch, 60 bots, 1,200 matches. ")
    assert len(described[1]) < 240
    assert f'<meta property="og:description" content="{described[1]}">' in head
    assert '<meta property="og:image" content="https://example.org/card.png">' in head
    assert '<link rel="icon" href="data:image/svg+xml,' in head


@every_size
def test_a_card(bots: int) -> None:
    """A card names the first five with their places and the verdict, as SVG, and the same as a PNG of 1200 by 630."""
    report = made(bots)
    card = result_card(report)
    words = [node.text or "" for node in ET.fromstring(card).iter("{http://www.w3.org/2000/svg}text")]  # noqa: S314 - our own
    rows = report.leaderboard.leaderboard[:5]
    assert all(row.bot in words for row in rows)
    assert [word for word in words if word in {row.ranks.replace("-", "\N{EN DASH}") for row in rows}]
    assert rows[0].bot in words[1]
    drawn = draw_png(card)
    assert drawn[:8] == b"\x89PNG\r\n\x1a\n"
    assert [int.from_bytes(drawn[start : start + 4]) for start in (16, 20)] == [1200, 630]


def test_a_card_without_letters_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the system has no font, no picture without words is made."""
    plain = resvg_py.svg_to_bytes

    def fontless(*, svg_string: str, skip_system_fonts: bool = True) -> bytes:
        assert skip_system_fonts
        return plain(svg_string=svg_string, skip_system_fonts=True)

    monkeypatch.setattr(resvg_py, "svg_to_bytes", fontless)
    with pytest.raises(UsageError, match="expected a font"):
        draw_png(result_card(made(4)))


@on_a_page
def test_a_table_is_sorted_and_searched(bots: int, browser: Browser, page: Callable[[int], Path]) -> None:
    """The button in a heading sorts by its column, by mouse and by key, up and then down, and the heading says so.

    Forty rows are shown at first, all when asked for, and of a search those that it finds and how many they are.
    """
    with Watched(browser, page(bots), ready=".wired") as watched:
        heading = watched.page.locator(".board thead th", has_text="score")
        column = watched.page.locator(".board tbody td:nth-child(8)")

        def scores() -> list[float]:
            return [float(text) for text in column.all_inner_texts()]

        heading.get_by_role("button").click()
        assert heading.get_attribute("aria-sort") == "ascending"
        up = scores()
        assert up == sorted(up)
        watched.press("Enter")
        assert heading.get_attribute("aria-sort") == "descending"
        assert scores() == sorted(up, reverse=True)
        names = watched.page.locator(".board thead th", has_text="bot")
        names.get_by_role("button").click()
        bots_shown = [text.split()[0] for text in watched.page.locator(".board tbody th").all_inner_texts()]
        assert [heading.get_attribute("aria-sort"), names.get_attribute("aria-sort")] == [None, "ascending"]
        assert bots_shown[0] == "greedy-0"
        kinds = [re.split(r"-(?=\d+$)", bot) for bot in bots_shown]
        assert kinds == sorted(kinds, key=lambda kind: (kind[0], int(kind[1])))
        board = watched.page.locator("#board")
        rows = board.locator("tbody tr")
        assert rows.evaluate_all(SHOWN) == 40
        search = board.get_by_role("searchbox")
        search.fill("otter-5")
        found = [bot for bot in range(4, bots, 6) if str(bot).startswith("5")]
        assert board.get_by_role("status").inner_text() == f"{len(found)} of {bots}"
        assert rows.evaluate_all(SHOWN) == len(found)
        assert board.locator("tbody tr:not(.folded) svg[role]").count() == len(found)
        search.fill("nobody is called so")
        assert rows.evaluate_all(SHOWN) == 0
        search.fill("")
        board.get_by_role("button", name=f"Show all {bots}").click()
        assert rows.evaluate_all(SHOWN) == bots
        assert rows.locator("svg[role]").count() == bots


@on_a_page
def test_a_report_without_a_script(bots: int, browser: Browser, page: Callable[[int], Path]) -> None:
    """Each bot has its row with its figures, matches are listed, and nothing is shown that does nothing."""
    with Watched(browser, page(bots), script=False) as watched:
        rows = watched.page.locator(".board tbody tr")
        assert rows.evaluate_all(SHOWN) == bots
        texts = rows.all_inner_texts()
        for row, text in zip(made(bots).leaderboard.leaderboard, texts, strict=True):
            assert row.bot in text
            assert f"{row.rating:.2f}" in text
        assert watched.page.locator("#rows tr").count() == 10
        assert watched.page.locator("button, select, input:not([type=checkbox])").evaluate_all(SHOWN) == 0
        assert not watched.page.locator("#rows .outcome").first.is_visible()
        watched.page.locator(".results input").check()
        assert watched.page.locator("#rows .outcome").first.is_visible()


@on_a_page
def test_a_report_on_paper(bots: int, browser: Browser, page: Callable[[int], Path]) -> None:
    """On A4 each column and each row of each table is printed, and nothing goes beyond the edge, nor does a button."""
    with Watched(browser, page(bots), ready=".wired", size=A4) as watched:
        watched.page.emulate_media(media="print")
        assert watched.page.evaluate(BEYOND) == []
        assert watched.page.locator(".board tbody tr").evaluate_all(SHOWN) == bots
        assert watched.page.locator(".entrants tbody tr").evaluate_all(SHOWN) == bots
        headings = watched.page.locator(".board thead th")
        assert headings.evaluate_all(SHOWN) == headings.count() == 9
        assert watched.page.locator(".button, select, input").evaluate_all(SHOWN) == 0
        paper = watched.page.pdf(prefer_css_page_size=True)
        boxes = {tuple(map(round, map(float, box.split()))) for box in re.findall(rb"/MediaBox \[([^\]]+)\]", paper)}
        assert boxes == {(0, 0, 595, 842)}


BARRIERS = {(4, 360, True), (4, 1440, False), (60, 768, False)}
"""Whose page is looked at in CI: each size of a table, width and theme once."""


@pytest.mark.parametrize(
    ("bots", "width", "dark"),
    [
        pytest.param(
            bots, width, dark, marks=pytest.mark.long if (bots, width, dark) in BARRIERS else pytest.mark.proof
        )
        for bots, width, dark in (
            *((4, width, dark) for width in (360, 768, 1440) for dark in (False, True)),
            (60, 360, True),
            (60, 768, False),
            (60, 1440, False),
            (300, 768, True),
        )
    ],
)
def test_no_barriers_in_a_report(
    bots: int, width: int, dark: bool, browser: Browser, page: Callable[[int], Path]
) -> None:
    """axe-core finds nothing, sizes of targets among it, and no page is wider than its window."""
    with Watched(browser, page(bots), ready=".wired", size=(width, 900), dark=dark) as watched:
        assert watched.barriers(targets=True) == []
        assert (
            watched.page.locator("h1").evaluate("(h1) => h1.scrollHeight / parseFloat(getComputedStyle(h1).lineHeight)")
            < 4
        )


@pytest.mark.long
def test_a_part_in_a_frame(browser: Browser, page: Callable[[int], Path]) -> None:
    """With ``?embed`` a report has no bar and no footer; with the name of a section it is that section alone."""
    path = page(4)
    with Watched(browser, f"{path.as_uri()}?embed", ready=".wired") as watched:
        assert not watched.page.locator(".bar").is_visible()
        assert not watched.page.locator("footer").is_visible()
        assert watched.page.locator(".page section").evaluate_all(SHOWN) == 8
    with Watched(browser, f"{path.as_uri()}?embed", place="#duels", ready=".wired") as watched:
        assert watched.page.locator(".page section").evaluate_all(SHOWN) == 1
        assert watched.page.locator("#duels").is_visible()
        assert not watched.page.locator("h1").is_visible()


def test_bands_are_seen_without_a_mouse() -> None:
    """The range of every curve is drawn, that of a bot without a settled place too: no style hides it."""
    style = (Path(charts.__file__).parent / "files/figures.css").read_text("utf-8")
    shown = re.findall(r"([^{}]*\.band[^{}]*)\{[^}]*opacity: ([\d.]+);", style)
    assert {"band", "open"} <= set(re.findall(r"\w+", " ".join(where for where, _ in shown)))
    assert all(float(opacity) > 0 for _, opacity in shown)
