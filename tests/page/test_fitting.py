"""Replays fit every window: no page scrolls, no word is cut or tiny, and every seat is there with its score."""

from pathlib import Path

import pytest
from _pytest.mark import ParameterSet
from playwright.sync_api import Browser

from arena import games
from arena.page.board import replay_page
from arena.report.telling import tell
from tests.page.fitting import SIZES, card_share, faults, picture_differs
from tests.page.watching import PHONE, Watched
from tests.report.matches import match

BOTS = ("greedy", "random-js", "my-best-bot", "random-c", "greedy#2", "random#2", "a-very-long-name-of-a-bot", "random")
LAPTOP = (1366, 768)
SOME = (SIZES[0], SIZES[3], LAPTOP)
"""A small phone, a tablet and a laptop."""
COVERED = 0.12
"""Of the stage on a laptop, at the usual number of seats; a match by chance has fewer cards than one of bots."""


def tables() -> list[ParameterSet]:
    """Each game with each number of seats, and with each value of a variant."""
    made: list[ParameterSet] = []
    for game in map(games.find, games.names()):
        made += [pytest.param(game.name, seats, {}, id=f"{game.name}-{seats}") for seats in game.seats]
        for name, value, variants in game.unusual():
            made.append(pytest.param(game.name, game.usual_seats, variants, id=f"{game.name}-{name}={value}"))
    return made


def page_of(folder: Path, game: str, *, seats: int, variants: dict[str, str]) -> tuple[Path, int]:
    """The page of a match played by chance, and how many positions it has."""
    played = match(game, seats=seats, variants=variants, bots=BOTS[:seats])
    replay = tell(played.record, played.game, played.state, number=0, limit=1000)
    (folder / "match.html").write_text(replay_page(replay, rules="", run="results/cup", command="arena replay"))
    return folder / "match.html", len(replay.positions)


@pytest.mark.long
@pytest.mark.parametrize(("game", "end"), [(game, end) for game in games.names() for end in (0, -1)])
def test_the_ends_fit(game: str, end: int, browser: Browser, tmp_path: Path) -> None:
    """With the fewest and with the most seats every game fits a small phone, a tablet and a laptop."""
    page, positions = page_of(tmp_path, game, seats=games.find(game).seats[end], variants={})
    with Watched(browser, page) as watched:
        found = [faults(watched.page, size, step=1 + positions // 20) for size in SOME]
    assert [fault for some in found for fault in some] == []


@pytest.mark.long
@pytest.mark.parametrize("game", games.names())
def test_cards_are_large(game: str, browser: Browser, tmp_path: Path) -> None:
    """At the usual number of seats cards cover 12 % of the stage on a laptop, and a link shows what one walked to.

    No seat is told in words where half of its box is empty, on a laptop and on a phone.
    """
    page, positions = page_of(tmp_path, game, seats=games.find(game).usual_seats, variants={})
    with Watched(browser, page) as watched:
        found = [faults(watched.page, size, step=1 + positions // 20, words=True) for size in (PHONE, LAPTOP)]
        assert [fault for some in found for fault in some] == []
        assert card_share(watched.page, LAPTOP, step=1 + positions // 12) > COVERED
        assert not picture_differs(watched.page, positions // 2)


@pytest.mark.proof
@pytest.mark.parametrize(("game", "seats", "variants"), tables())
def test_every_table_fits(game: str, seats: int, variants: dict[str, str], browser: Browser, tmp_path: Path) -> None:
    """Every game fits, with every number of seats and every variant, from a small phone to a large screen."""
    page, positions = page_of(tmp_path, game, seats=seats, variants=variants)
    with Watched(browser, page) as watched:
        found = [faults(watched.page, size, step=1 + positions // 100) for size in SIZES]
    assert [fault for some in found for fault in some] == []


@pytest.mark.long
def test_what_does_not_fit_is_found(browser: Browser, tmp_path: Path) -> None:
    """The measure sees a page that scrolls, a tiny letter, a word that is cut and a seat without a name."""
    page, _ = page_of(tmp_path, "lure", seats=3, variants={})
    flaws = {
        "body { height: 200vh; }": "the page scrolls",
        ".zone figcaption { font-size: 9px !important; }": "is written in 9px",
        ".card { width: 20px !important; }": "runs out of card",
        ".who { display: none; }": "seat 0 has no name",
        ".counters { display: none; }": "seat 2 has no score",
        ".timeline { translate: 0 300px; }": ".timeline is not on the screen",
        ".card .glyph { position: absolute; inset: 0; }": "is covered",
        ".table:has(.fresh) > * { translate: 3px; }": "seats have moved",
    }
    with Watched(browser, page) as watched:
        for rule, fault in flaws.items():
            watched.page.evaluate(
                "(rule) => { const sheet = new CSSStyleSheet(); sheet.replaceSync(rule);"
                " document.adoptedStyleSheets = [sheet]; }",
                rule,
            )
            found = faults(watched.page, (1440, 900), step=9)
            assert any(fault in one for one in found), (rule, found)
        watched.page.evaluate("document.adoptedStyleSheets = []")
