"""A match that is played in a browser: to its end by keys, left by closing the page, and out of reach for others."""

import json
import os
import re
import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Browser, expect

from arena import games
from tests.cli.command import ARENA, BOTS, PYTHON
from tests.hostile.house import eventually_none
from tests.page.fitting import SIZES
from tests.page.test_pace import still, time_of
from tests.page.test_serving import asked
from tests.page.watching import PHONE, Watched

pytestmark = pytest.mark.long

NEXT = """(id) => {
  // what happened is said one after the other
  document.querySelector('.hurry')?.click();
  const shown = document.querySelector('.places, .question');
  return shown && shown.dataset.question !== id;
}"""


@pytest.fixture
def desk(tmp_path: Path) -> Path:
    """A folder with a bot, whose command line names the folder, as that of no other process does."""
    (tmp_path / "mine.py").write_text(BOTS["mine.py"])
    return tmp_path


@contextmanager
def played(desk: Path, game: str, *, seats: int = 2) -> Iterator[tuple["subprocess.Popen[str]", str]]:
    """The command and the address that it tells; nothing of it is left afterwards."""
    words = [*ARENA, "play", game, f"mine={PYTHON} {desk / 'mine.py'}", "--seed", "demo", "--web", "-q"]
    words += ["--seats", str(seats)]
    env = os.environ | {"ARENA_ISOLATION": "none"}
    with subprocess.Popen(words, cwd=desk, env=env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) as run:
        assert run.stdout
        try:
            lines = iter(run.stdout.readline, "")
            yield run, next(line.split()[-1] for line in lines if "http://" in line)
        finally:
            run.kill()
            run.wait()
    assert eventually_none(str(desk / "mine.py"))


def rest(run: "subprocess.Popen[str]") -> str:
    """What it still prints, to its end."""
    assert run.stdout
    return run.stdout.read()


def answer(watched: Watched) -> str:
    """Answer the question that is shown, by keys alone; how many were picked: ``one`` or ``several``."""
    page = watched.page
    if not page.locator(".answer").count():
        watched.press("ArrowDown", "ArrowUp", "Enter")
        # a card for which there are several targets
        if page.locator(".options .back").count():
            watched.press("Enter")
        return "one"
    offered = page.locator("[data-option]").count()
    # more than may be picked are not taken
    keys = [key for key in "987654321" if int(key) <= offered]
    watched.press(*keys)
    picked = [button.inner_text() for button in page.locator('.options [aria-pressed="true"]').all()]
    orders = [int(text.split()[-1].rstrip(".")) for text in picked]
    assert orders == sorted(orders, reverse=True), "the first that was pressed is the last of the list"
    assert len(picked) == min(len(keys), int(page.locator(".hint").get_attribute("data-most") or 0))
    watched.press("Enter")
    return "several"


def finish(watched: Watched) -> None:
    """Answer all questions of a match."""
    page, number = watched.page, ""
    while True:
        page.wait_for_function(NEXT, arg=number)
        if page.locator(".places").count():
            return
        number = page.locator(".question").get_attribute("data-question") or ""
        assert page.locator(".seat.asked").count() == 1
        answer(watched)


@pytest.mark.parametrize(
    "game",
    # one question asks for one answer, the other for several
    [pytest.param(game, marks=() if game in {"lure", "fish-food"} else pytest.mark.proof) for game in games.names()],
)
def test_a_match_by_keys(game: str, browser: Browser, desk: Path) -> None:
    """A match is played to its end by keys alone; page and command tell who was who, and the table shows the end.

    Then it can be watched, played from the next seat, or another one be dealt.
    """
    seats = games.find(game).seats.start
    with played(desk, game, seats=seats) as (run, address), Watched(browser, address) as watched:
        page = watched.page
        page.wait_for_function(NEXT, arg="")
        assert watched.barriers() == []
        assert re.fullmatch(r"your time \d+:\d\d, without a limit", page.locator(".time").inner_text())
        finish(watched)
        assert watched.barriers() == []
        places = page.locator(".places li").all_inner_texts()
        assert page.locator(".seat").count() == seats
        counted = dict(
            zip(page.locator(".who").all_inner_texts(), page.locator(".counters").all_inner_texts(), strict=True)
        )
        # the replay opens beside the page, with open hands; the same deal from the next seat, and a new one, follow
        seat = int(page.locator(".places li", has_text="you").locator(".name").get_attribute("data-seat") or 0)
        with page.expect_popup() as opened:
            page.get_by_text("Replay", exact=True).click()
        opened.value.wait_for_selector(".log > li", state="attached")
        assert opened.value.locator(".fog option").count() == 1 + seats
        opened.value.close()
        for wish, sits in (("Other seat", (seat + 1) % seats), ("Again", (seat + 1) % seats)):
            page.get_by_role("button", name=wish, exact=True).click()
            page.wait_for_function("() => !document.querySelector('.places')")
            page.wait_for_function(NEXT, arg="")
            assert page.locator(".places").count() == 0
            assert page.locator(".question .disc").inner_text() == str(sits)
            if wish != "Again":
                finish(watched)
        page.goto("about:blank")
        assert run.wait(300) == 0
        shown = rest(run)
    told = re.findall(r"^  \d\. seat (\d), (\S+): (-?\d+)$", shown, re.MULTILINE)[:seats]
    assert places == [f"{name}: {score}" for _, name, score in told]
    assert sum(name == "you" for _, name, _ in told) == 1
    if game in {"cash-a-catch", "lure", "fish-food"}:
        # the score is what stands beside the name
        for seat, name, score in told:
            (shown,) = [words for who, words in counted.items() if who == f"{seat}\n{name}"]
            assert re.search(rf"(?<![-\d]){score}\b", shown), (shown, score)


FITS = """() => {
  const { scrollHeight, scrollWidth } = document.scrollingElement;
  const hidden = ['.head', '.stage', '.ask', ...document.querySelectorAll('.seat')].filter((part) => {
    const box = (typeof part === 'string' ? document.querySelector(part) : part).getBoundingClientRect();
    return box.width < 1 || box.height < 1 || box.bottom > innerHeight + 1 || box.right > innerWidth + 1;
  });
  return [scrollHeight <= innerHeight && scrollWidth <= innerWidth, hidden.length];
}"""


def test_a_match_that_is_played_fits(browser: Browser, desk: Path) -> None:
    """The page does not scroll, from a small phone to a large screen: table, question and all seats are in sight."""
    with played(desk, "fish-food", seats=6) as (_, address), Watched(browser, address) as watched:
        page, number = watched.page, ""
        for size in (*SIZES, (640, 360), (1280, 400)):
            page.wait_for_function(NEXT, arg=number)
            number = page.locator(".question").get_attribute("data-question") or ""
            page.set_viewport_size({"width": size[0], "height": size[1]})
            page.evaluate("() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
            assert page.evaluate(FITS) == [True, 0], size
            answer(watched)


def test_a_page_that_is_loaded_again(browser: Browser, desk: Path) -> None:
    """A page that is loaded again goes on where it was; when the last page is closed the match is left."""
    with played(desk, "fish-food") as (run, address):
        with Watched(browser, address, size=PHONE, dark=True) as watched:
            page = watched.page
            page.wait_for_function(NEXT, arg="")
            first = page.locator(".question").get_attribute("data-question") or ""
            answer(watched)
            page.wait_for_function(NEXT, arg=first)
            shown = [page.locator(where).inner_text() for where in (".table", ".log", ".options")]
            page.reload()
            page.wait_for_function(NEXT, arg=first)
            assert [page.locator(where).inner_text() for where in (".table", ".log", ".options")] == shown
            assert watched.barriers() == []
            assert run.poll() is None
        assert run.wait(300) == 0
        assert rest(run) == ""


def test_what_the_others_did_is_said_at_a_pace(browser: Browser, desk: Path) -> None:
    """What happened since the last question is said before the next one, each for as long as it takes to read it.

    By s, or the button, the rest is said at once.
    """
    with played(desk, "fish-food", seats=3) as (_, address), still(browser, address, ready=".ask") as page:
        said, question = page.locator(".ask .said"), page.locator(".question")

        def log() -> list[str]:
            return page.locator(".log li").all_inner_texts()

        def hear() -> int:
            """The sentences up to the question, each for its time."""
            count = 0
            expect(said).to_be_visible()
            while not question.count():
                sentence, before, count = said.inner_text(), log(), count + 1
                assert before[-1] == sentence
                page.clock.run_for(time_of(sentence.replace(" (you)", "")) - 1)
                assert (said.inner_text(), log()) == (sentence, before)
                page.clock.run_for(1)
                assert question.count() or log() != before
            return count

        assert hear() > 0
        for by_key in (True, False):
            page.locator(".question button").first.click()
            expect(said).to_be_visible()
            if by_key:
                page.keyboard.press("s")
            else:
                page.locator(".hurry").click()
            expect(question).to_be_visible()
            assert page.evaluate("document.activeElement.closest('.question') !== null")


def test_enter_strangers_and_ctrl_c(browser: Browser, desk: Path) -> None:
    """Nobody answers without the address, from a foreign page, to another question, or with what may not be picked.

    In the page a number picks, the same number lets go, and Enter answers with what is picked; with too few it says so.
    Ctrl-C at the terminal ends the match with 130, and the page says so.
    """
    with played(desk, "lure") as (run, address), Watched(browser, address) as watched:
        page = watched.page
        page.wait_for_function(NEXT, arg="")
        first = page.locator(".question").get_attribute("data-question") or ""
        own = f"http://{urlsplit(address).netloc}"
        right = json.dumps({"id": first, "picks": [0]}).encode()
        assert asked(f"{own}/answer", "POST", body=right, Origin=own)[0] == 404
        assert asked(f"{address}answer", "POST", body=right, Origin="http://evil.example")[0] == 403
        assert asked(f"{address}answer", "POST", body=right, Origin=own, Host="evil.example")[0] == 403
        for body in (b"", b"[]", b'{"id":1}', b'{"id":"x","picks":["0"]}', b"\xff", b'{"id":"x","picks":[],"more":1}'):
            assert asked(f"{address}answer", "POST", body=body, Origin=own)[0] == 400
        stale = json.dumps({"id": "none", "picks": [0]}).encode()
        assert asked(f"{address}answer", "POST", body=stale, Origin=own)[0] == 409
        policy = re.findall(rb'Content-Security-Policy" content="([^"]*)"', asked(address)[1])
        assert len(policy) == 1
        assert b"unsafe" not in policy[0]
        assert policy[0].startswith(b"default-src &#39;none&#39;; style-src &#39;sha256-")
        watched.press("1", "1", "Enter")
        assert page.locator(".wrong").inner_text() == "1 more to pick."
        assert page.locator(".question").get_attribute("data-question") == first
        watched.press("1", "Enter")
        page.wait_for_function(NEXT, arg=first)
        run.send_signal(signal.SIGINT)
        page.wait_for_function("() => document.querySelector('.ask').textContent.includes('The match was left')")
        assert run.wait(300) == 130
        assert "Traceback" not in rest(run)


def test_a_card_then_its_target(browser: Browser, desk: Path) -> None:
    """On a phone, with six seats, the person's cards lie there; a click on one and on a seat plays it there."""
    with played(desk, "fish-food", seats=6) as (_, address), Watched(browser, address, size=PHONE) as watched:
        page, number = watched.page, ""
        while True:
            page.wait_for_function(NEXT, arg=number)
            number = page.locator(".question").get_attribute("data-question") or ""
            assert page.locator(".options button").count() <= 9
            if page.locator(".seat.asked .card.can").count():
                break
            answer(watched)
        card = page.locator(".seat.asked .card.can").first
        name = card.get_attribute("data-name") or ""
        card.click(position={"x": 4, "y": 8})
        assert all(name in words for words in page.locator(".options [data-option]").all_inner_texts())
        page.locator(".seat.can").first.click(position={"x": 90, "y": 8})
        page.wait_for_function(NEXT, arg=number)
        assert f"you plays {name}" in page.locator(".log").inner_text().replace("seat 2 (you)", "you")
