"""What a bot noted stands on the page of its match, beside the decision."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path

from playwright.sync_api import Browser

from tests.page.test_pages import page_of, replayed
from tests.page.watching import Watched


def test_a_note_stands_beside_its_decision(browser: Browser, run_of: Callable[[str], Path], tmp_path: Path) -> None:
    """A page of a match shows what a bot noted where it was asked, as text and never as markup."""
    run = Path(shutil.copytree(run_of("lure"), tmp_path / "run"))
    match = replayed(run)
    at, asked = next((at, move["asked"][0]) for at, move in enumerate(match["moves"]) if move.get("asked"))
    note = {"match": match["id"], "notes": {asked["decision"]: "<b>near</b>"}}
    (run / "notes").mkdir()
    (run / "notes" / f"{match['bots'][asked['seat']]}.jsonl").write_text(json.dumps(note) + "\n")
    with Watched(browser, page_of(run)) as watched:
        for _ in range(at):
            watched.page.keyboard.press("ArrowRight")
        assert watched.page.locator(".note").all_inner_texts() == ['Note: "<b>near</b>"']
