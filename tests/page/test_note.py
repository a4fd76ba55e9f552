"""What a bot told stands on the page of its match: beside the decision as text, and its numbers as curves."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser

from tests.page.test_pages import page_of, replayed
from tests.page.watching import DESK, PHONE, Watched


def noted(run: Path, say: Callable[[int], dict[str, Any]]) -> tuple[Path, list[int]]:
    """A run in which a bot told so much at each of its decisions; and the positions of these."""
    match = replayed(run)
    asked = [(at, each) for at, move in enumerate(match["moves"]) for each in move.get("asked", [])]
    seat = asked[0][1]["seat"]
    mine = [(at, each["decision"]) for at, each in asked if each["seat"] == seat]
    told: dict[str, Any] = {"match": match["id"]}
    for number, (_, decision) in enumerate(mine):
        for kind, value in say(number).items():
            told.setdefault(kind, {})[decision] = value
    (run / "notes").mkdir()
    (run / "notes" / f"{match['bots'][seat]}.jsonl").write_text(json.dumps(told) + "\n")
    return page_of(run), [at for at, _ in mine]


def test_what_a_bot_told_stands_beside_its_decision(
    browser: Browser, run_of: Callable[[str], Path], tmp_path: Path
) -> None:
    """A page of a match shows what a bot noted, and wrote to standard error, where it was asked: text, never markup."""
    run = Path(shutil.copytree(run_of("lure"), tmp_path / "run"))
    page, places = noted(run, lambda _: {"notes": "<b>near</b>", "stderr": "<i>far</i>\n\x1b[1mall\n"})
    with Watched(browser, page) as watched:
        watched.press(*["ArrowRight"] * places[0])
        said = ['Note: "<b>near</b>"', "Standard error:\n<i>far</i>\n\\x1b[1mall"]
        assert watched.page.locator(".note").all_inner_texts() == said
        assert not watched.page.locator(".noted").is_visible()


@pytest.mark.parametrize(("size", "dark"), [(DESK, False), (PHONE, True)])
def test_numbers_of_notes_are_curves(
    browser: Browser, run_of: Callable[[str], Path], tmp_path: Path, size: tuple[int, int], *, dark: bool
) -> None:
    """Each key with a number has a curve up to the position, as high as what is known; `a` shows all, a click leads."""
    run = Path(shutil.copytree(run_of("lure"), tmp_path / "run"))
    keys = [{"<b>": 5, "much": number * 1e14, "sure": True} for number in range(100)]
    page, places = noted(run, lambda number: {"notes": keys[number] if number else 7})
    curves = '[...document.querySelectorAll(".noted .curve")]'
    steps = f'{curves}.map((each) => each.getAttribute("d").split("L").length)'
    with Watched(browser, page, size=size, dark=dark) as watched:
        names = watched.page.locator(".noted b")
        assert names.all_inner_texts() == ["note", "<b>", "much"]
        watched.press(*["ArrowRight"] * places[2])
        assert watched.page.evaluate(steps) == [1, 2, 2]
        assert watched.page.locator(".noted span").last.inner_text().removeprefix("0").strip() == "200T"
        assert watched.page.locator(".noted small").all_inner_texts() == ["100T to 200T"]
        watched.press("a")
        assert watched.page.evaluate(steps) == [1, len(places) - 1, len(places) - 1]
        assert watched.barriers() == []
        box = watched.page.locator(".noted svg").last.bounding_box()
        assert box is not None
        watched.page.locator(".noted svg").last.click(position={"x": box["width"] - 1, "y": 9}, force=True)
        assert watched.addressed("end")
