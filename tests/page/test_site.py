"""The pages of a league in a real browser."""

from pathlib import Path

import pytest
from playwright.sync_api import Browser

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
    ):
        with Watched(browser, site / f"{name}.html", ready="h1", size=size, dark=dark) as watched:
            assert watched.barriers() == []
            if size == PHONE:
                assert watched.page.locator(".folds td").count() > 0
                assert watched.page.evaluate(NARROW) == []
    with Watched(browser, site / "index.html", ready="h1") as watched:
        # house bots have none
        assert watched.page.locator(".chart .line").count() == 1
        watched.page.locator(".board a", has_text="mine").click()
        watched.page.wait_for_selector("#versions")
        assert watched.page.locator("h1").inner_text() == "mine"
        watched.complaints.clear()
