"""How long a replay stays at what happens, and what it tells before its time, by a clock that the test moves."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page

from tests.page.test_pages import page_of, replayed

pytestmark = pytest.mark.long


@contextmanager
def still(browser: Browser, address: str, *, ready: str = ".log > li") -> Iterator[Page]:
    """A page whose time stands until it is moved on; in a context of its own, for its clock stays for ever."""
    context = browser.new_context(reduced_motion="reduce", viewport={"width": 1280, "height": 900})
    try:
        page = context.new_page()
        page.clock.install(time=0)
        page.goto(address)
        page.wait_for_selector(ready, state="attached")
        page.clock.pause_at(1e6)
        yield page
    finally:
        context.close()


def time_of(sentence: str) -> int:
    """Milliseconds in which a sentence is read."""
    return max(800, 200 * len(sentence.split()))


def test_each_sentence_is_said_for_as_long_as_it_takes_to_read(browser: Browser, run_of: Callable[[str], Path]) -> None:
    """A step that plays says what everyone saw, a sentence an event, each for 0.8 s and 0.2 s a word at least.

    Then comes the next position. A speed divides the time; who pauses stays where they are.
    """
    run = run_of("catch-of-the-day")
    said = [
        [event["text"] for event in move["events"] if "seats" not in event and not event.get("upkeep")]
        for move in replayed(run)["moves"]
    ]
    at = next(at for at, sentences in enumerate(said) if len(sentences) > 2 and at)
    with still(browser, page_of(run).as_uri()) as page:

        def position() -> int:
            return int(page.locator('input[type="range"]').input_value())

        def caption() -> str:
            return str(
                page.evaluate(
                    """() => {
                      const said = document.querySelector('.caption').cloneNode(true);
                      for (const name of said.querySelectorAll('.name')) name.textContent = `seat ${name.dataset.seat}`;
                      for (const mark of said.querySelectorAll('.mark')) mark.remove();
                      return said.textContent.trim();
                    }"""
                )
            ).casefold()

        for speed in (1, 4):
            page.locator('input[type="range"]').fill(str(at))
            page.get_by_label("Speed").select_option(str(speed))
            page.get_by_label("Play", exact=True).click()
            for sentence in said[at]:
                assert (position(), caption()) == (at, sentence.casefold())
                page.clock.run_for(time_of(sentence) // speed - 1)
                assert (position(), caption()) == (at, sentence.casefold())
                page.clock.run_for(1)
            assert position() == at + 1
            page.get_by_label("Pause").click()
            page.clock.run_for(600_000)
            assert position() == at + 1


def test_curves_are_as_high_as_what_is_known(browser: Browser, run_of: Callable[[str], Path]) -> None:
    """The scale of the curves spans the scores up to the position alone, so it tells no later one; `a` shows all.

    The region of a seat bears the name of its bot.
    """
    run = run_of("lure")
    replay = replayed(run)
    scores = [position["scores"] for position in replay["positions"]]
    with still(browser, page_of(run).as_uri()) as page:

        def height() -> float:
            box = str(page.locator(".timeline .curves").get_attribute("viewBox")).split()
            return round(float(box[3]) * 54 / 60, 6)

        def span(last: int) -> float:
            known = [score for position in scores[: last + 1] for score in position]
            return max(float(max(known) - min(known)), 1.0)

        for at in (0, len(scores) // 2, len(scores) - 2):
            page.locator('input[type="range"]').fill(str(at))
            assert height() == span(at)
        page.keyboard.press("a")
        assert height() == span(len(scores))
        names = page.locator(".table section.seat").evaluate_all("(all) => all.map((each) => each.ariaLabel)")
        assert sorted(names) == sorted(replay["bots"])
