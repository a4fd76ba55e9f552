"""The live page in a real browser, while a run is played, killed and resumed."""

import os
import signal
import subprocess
from pathlib import Path

import pytest
from playwright.sync_api import Browser

from tests.cli.command import ARENA, BOTS, PYTHON
from tests.page.watching import Watched

# takes its time once 20 matches are played, until it is told to go on
_PATIENT = BOTS["mine.py"].replace(
    'picks = list(range(message["least"]))',
    """picks = list(range(message["least"]))
        import os, time
        while open("cup/matches.jsonl").read().count("\\n") >= 20 and not os.path.exists("go"):
            time.sleep(0.01)""",
)
_LINE = ("greedy", f"slip={PYTHON} slip.py", f"patient={PYTHON} patient.py", "-n", "48", "--move-time", "100s")


@pytest.mark.long
def test_a_run_is_watched_killed_and_resumed(browser: Browser, tmp_path: Path) -> None:
    """The page waits for a run and follows it, says that it was killed, goes on when it is resumed, and ends as report.

    Nothing is settled on the way, a match whose deal is done can be watched, and no barrier is found.
    """
    (tmp_path / "slip.py").write_text(BOTS["slip.py"])
    (tmp_path / "patient.py").write_text(_PATIENT)
    env = os.environ | {"ARENA_ISOLATION": "none", "ARENA_LANES": "1"}

    line = [*ARENA, "run", *_LINE, "-g", "cash-a-catch", "--seats", "3", "-o", "cup", "-q"]

    def play() -> subprocess.Popen[bytes]:
        return subprocess.Popen(line, cwd=tmp_path, env=env, stdout=subprocess.DEVNULL)

    with subprocess.Popen([*ARENA, "watch", "cup"], cwd=tmp_path, stdout=subprocess.PIPE, text=True) as command:
        run: subprocess.Popen[bytes] | None = None
        try:
            assert command.stdout is not None
            address = command.stdout.readline().rstrip("\n")
            with Watched(browser, address, ready="h1") as watched:
                page = watched.page
                assert page.locator("h1").inner_text() == "cup has not begun"
                run = play()
                page.wait_for_selector(".board .dot")
                page.wait_for_selector('#progress[data-state="playing"]')
                page.wait_for_function("() => document.querySelector('.progress progress').value >= 20")
                page.wait_for_selector("#open-matches a")
                os.kill(run.pid, signal.SIGKILL)
                run.wait()
                page.wait_for_selector('#progress[data-state="stopped"]')
                assert "resumed" in page.locator("#since").inner_text()
                assert page.locator("#door b").inner_text() == page.locator("#open-matches b").first.inner_text()
                assert page.locator(".board tbody tr:not(.open)").count() == 0
                assert page.locator(".certain").count() == 0
                assert watched.barriers() == []
                page.locator("#open-matches a").first.click()
                page.wait_for_selector(".table .seat")
                page.go_back()
                page.wait_for_selector("#open-matches a")
                (tmp_path / "go").touch()
                run = play()
                assert run.wait() == 0
                page.wait_for_selector("#provenance")
                assert page.locator("#rows tr").count() > 0
        finally:
            if run is not None:
                run.kill()
                run.wait()
            command.terminate()
