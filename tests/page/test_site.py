"""The pages of a league in a real browser."""

import re
from datetime import UTC, datetime
from pathlib import Path

import pytest
from playwright.sync_api import Browser

from arena.page.front import front_page
from arena.page.site import Deadline, Site
from arena.report.season import Season
from tests.page.live_pictures import two_seasons
from tests.page.watching import DESK, PHONE, Watched

NARROW = """() => [...document.querySelectorAll('.folds tbody :is(th, td)')].filter((cell) => {
  const box = cell.getBoundingClientRect();
  const letters = cell.textContent.trim().length;
  return letters > 0 && (box.right > innerWidth || box.width < Math.min(60, 4 * letters));
}).map((cell) => cell.textContent)"""
"""Cells that are cut off, or a few letters wide."""


@pytest.mark.long
def test_the_pages_of_a_league(browser: Browser, tmp_path: Path) -> None:
    """Every page asks for nothing, fits the window, has no barrier, and leads to the others from the disk.

    On a phone no cell of a table with long texts is cut off or a few letters wide.
    """
    for _ in two_seasons(tmp_path):
        pass
    site = tmp_path / "site"
    for name, size, dark in (
        ("index", PHONE, True),
        ("games/dockfight", DESK, False),
        ("seasons/1", PHONE, False),
    ):
        with Watched(browser, site / f"{name}.html", ready="h1", size=size, dark=dark) as watched:
            assert watched.barriers() == []
            if name == "index":
                assert watched.page.locator(".folds td").count() > 0
                assert watched.page.evaluate(NARROW) == []
    with Watched(browser, site / "index.html", ready="h1") as watched:
        # house bots have none
        assert watched.page.locator(".chart .line").count() == 1
        watched.page.locator(".board a", has_text="mine").click()
        watched.page.wait_for_selector("#versions")
        assert watched.page.locator("h1").inner_text() == "mine"
        watched.complaints.clear()


@pytest.mark.long
@pytest.mark.parametrize("script", [True, False])
def test_a_countdown(browser: Browser, tmp_path: Path, *, script: bool) -> None:
    """Until a moment a script counts its two largest units, and says then that it is over; the moment needs none."""
    ahead = Deadline(before="Entries end", after="Entries ended", moment=datetime(2999, 1, 1, tzinfo=UTC))
    past = Deadline(
        before="The final is played after", after="The final is due since", moment=datetime(2026, 1, 1, tzinfo=UTC)
    )
    # the page was made before that
    site = Site(
        name="harbour", season=Season(1, "2025-12-31", {}), history=(), reports={}, rules={}, owners={}, watched={},
        most=40, images={}, now=datetime(2025, 12, 31, tzinfo=UTC), deadlines=(ahead, past),
    )  # fmt: skip
    (page := tmp_path / "index.html").write_text(front_page(site), "utf-8")
    with Watched(browser, page, ready="h1", size=PHONE, script=script) as watched:
        first, second = watched.page.locator("[data-until]").all_inner_texts()
    left = r" in \d+ days \d+ hours?" if script else ""
    assert re.fullmatch(rf"Entries end 2999-01-01 00:00 UTC{left}", first.strip())
    assert second.strip() == f"{past.after if script else past.before} 2026-01-01 00:00 UTC"
