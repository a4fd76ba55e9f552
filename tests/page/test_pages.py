"""Pages in a real browser: replays and reports of real runs of all games."""

import base64
import gzip
import json
import re
import shutil
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import msgspec
import pytest
from msgspec.structs import replace
from playwright.sync_api import Browser

from arena.page.board import replay_page
from arena.report.replay import Mark, Replay
from tests.cli.command import arena, data
from tests.page.conftest import EVIL, GAMES
from tests.page.fitting import faults
from tests.page.watching import DESK, PHONE, Watched

every_game = pytest.mark.parametrize("game", GAMES)


def by_day(*some: str) -> pytest.MarkDecorator:
    """Each game; only some of them are not left to the proofs."""
    marks = {game: pytest.mark.long if game in some else pytest.mark.proof for game in GAMES}
    return pytest.mark.parametrize("game", [pytest.param(game, marks=mark) for game, mark in marks.items()])


LOOKS = [(DESK, False), (PHONE, True)]


@cache
def page_of(run: Path, *words: str) -> Path:
    """The page of the first match, made once for all tests."""
    name = f"match{'-'.join(words)}.html"
    arena(run.parent, "replay", run, "#0", "--html", name, *words)
    return run.parent / name


@cache
def report(run: Path) -> Path:
    """The report of a run, made once for all tests."""
    arena(run.parent, "report", run, "-o", "report.html")
    return run.parent / "report.html"


@cache
def replayed(run: Path, *words: str) -> Any:
    """The first match as data of ``arena replay``."""
    return data(run, "replay", run, "#0", "--json", *words)


def told(run: Path, *words: str) -> list[str]:
    """The sentences of the first match in the words of ``arena replay``, unfolded."""
    lines = re.sub(r"\n {6,}", " ", arena(run, "replay", run, "#0", "-v", *words).out).splitlines()
    said = [re.sub(r" \(seen by .* only\)$", "", line[4:]) for line in lines if line.startswith("  - ")]
    return [re.sub(r"(seat \d) \([^()]*\)", r"\1", each) for each in said]


WALK = """(last) => Array.from({ length: last }, () => {
  const count = (what) => document.querySelectorAll(what).length, shown = {
    at: Number(document.querySelector('input[type="range"]').value),
    seats: count('.table .seat'), asked: count('.seat.asked'), taken: count('.options .taken'),
  };
  dispatchEvent(new KeyboardEvent('keydown', { key: 'ArrowRight' }));
  return shown;
})"""


@by_day("cash-a-catch", "fish-food")
def test_a_match_from_its_start_to_its_end(game: str, browser: Browser, run_of: Callable[[str], Path]) -> None:
    """Each position is drawn, the slider comes to the end, and the sentences are those of ``arena replay``."""
    run = run_of(game)
    replay = replayed(run)
    with Watched(browser, page_of(run), still=False) as watched:
        assert watched.sentences() == told(run)
        last = len(replay["moves"])
        shown = watched.page.evaluate(WALK, last)
        assert [step["at"] for step in shown] == list(range(last))
        assert {step["seats"] for step in shown} == {len(replay["bots"])}
        asked = [len(move.get("asked", [])) for move in replay["moves"]]
        assert [step["asked"] for step in shown] == asked
        assert all(step["taken"] for step, seats in zip(shown, asked, strict=True) if seats)
        assert watched.page.locator(".where").inner_text() == "The end"
        assert watched.page.locator('input[type="range"]').input_value() == str(last)
        places = watched.page.locator(".finale .places li").all_inner_texts()
        ranked = sorted(range(len(replay["bots"])), key=lambda seat: (replay["ranks"][seat], seat))
        scores = [f"{replay['ranks'][seat] + 1}. {replay['bots'][seat]}: {replay['scores'][seat]}" for seat in ranked]
        assert [line.partition(", retired")[0] for line in places] == scores


REDRAWN = """() => {
  const slider = document.querySelector('input[type="range"]');
  const board = document.querySelector('.table');
  const shown = (at) => {
    slider.value = String(at);
    slider.dispatchEvent(new Event('input', { bubbles: true }));
    const copy = board.cloneNode(true);
    copy.removeAttribute('style');  // how small the cards have become
    return copy;
  };
  const last = Number(slider.max);
  const wrong = [];
  let kept = 0;
  let all = 0;
  // how much is shown shrinks where there is no room
  for (let at = 0; at <= last; at += 1) shown(at);
  for (let at = 1; at <= last; at += 1 + Math.floor(last / 12)) {
    shown(at - 1);
    const before = [...board.querySelectorAll('.card')];
    const onward = shown(at);
    kept += before.filter((card) => card.isConnected).length;
    all += before.length;
    shown((at * 7 + 3) % (last + 1));
    const back = shown(at);
    board.replaceChildren();
    const anew = shown(at);
    if (!onward.isEqualNode(anew) || !back.isEqualNode(anew)) wrong.push(at);
  }
  return { wrong, kept: kept / all };
}"""


@by_day("cash-a-catch")
def test_a_step_changes_what_is_different(game: str, browser: Browser, run_of: Callable[[str], Path]) -> None:
    """A position looks as if it were drawn anew, from wherever one comes; most cards of the one before stay."""
    with Watched(browser, page_of(run_of(game))) as watched:
        found = watched.page.evaluate(REDRAWN)
    assert found["wrong"] == []
    assert found["kept"] > 0.5


@pytest.mark.long
@every_game
def test_a_page_for_one_seat(game: str, browser: Browser, run_of: Callable[[str], Path]) -> None:
    """In all that the page holds, shown or not, there is nothing that this seat was not sent, in the match's order.

    Its data are those that the seat's own messages make, and its text names no other bot. It shows what that seat heard
    and saw, no score on the way, and no other seat to whose address asks for one.
    """
    run = run_of(game)
    path = page_of(run, "--seat", "1")
    page = path.read_text()
    (packed,) = re.findall(r'<script type="text/plain" data-replay="[^"]*"[^>]*>([^<]*)</script>', page)
    held = json.loads(gzip.decompress(base64.b64decode(packed)))
    whole = replayed(run)
    own = {json.dumps(whole["sights"][position["seats"][1]]) for position in whole["positions"]}
    assert len(held["sights"]) == len(own)
    assert {
        seat for position in held["positions"] for seat, sight in enumerate(position["seats"]) if sight is not None
    } == {1}
    assert not any("everyone" in position or "scores" in position for position in held["positions"])
    assert {asked["seat"] for move in held["moves"] for asked in move.get("asked", [])} == {1}
    events = [[said["text"] for said in move.get("events", [])] for move in held["moves"]]
    seen = [[said["text"] for said in move.get("events", []) if 1 in said.get("seats", [1])] for move in whole["moves"]]
    assert events == seen
    names = {card["name"] for card in replayed(run, "--seat", "1")["cards"] if card.get("name")}
    assert {card["name"] for card in held["cards"] if card.get("name")} == names
    strangers = [bot for seat, bot in enumerate(whole["bots"]) if seat != 1 and bot != whole["bots"][1]]
    text = re.sub(r"<(style|script|dialog)\b.*?</\1>", "", page, flags=re.DOTALL) + json.dumps(held)
    # whole words, for one name may be part of another
    assert [bot for bot in strangers if re.search(rf"(?<![\w-]){re.escape(bot)}(?![\w-])", text)] == []
    with Watched(browser, path) as watched:
        assert watched.sentences() == told(run, "--seat", "1")
        assert watched.page.locator(".curve, .fog").count() == 0
        shown = watched.page.locator(".table").inner_html()
    for place in ("#decision=start&seat=0", "#seat=x"):
        with Watched(browser, path, place=place) as watched:
            assert watched.page.locator(".table").inner_html() == shown


@pytest.mark.long
def test_paper(browser: Browser, run_of: Callable[[str], Path]) -> None:
    """On paper the whole log is seen, and no button."""
    with Watched(browser, page_of(run_of("cash-a-catch")), size=(1366, 640)) as watched:
        page = watched.page
        page.emulate_media(media="print")
        assert not page.locator(".dock").is_visible()
        assert not page.locator(".head .tools").is_visible()
        assert page.locator(".log li").last.is_visible()
        assert page.evaluate(
            "document.querySelector('.log').scrollHeight <= document.querySelector('.log').clientHeight"
        )


@pytest.mark.long
def test_a_key_right_after_a_dialog(browser: Browser, run_of: Callable[[str], Path]) -> None:
    """A key counts as soon as a dialog is closed, also before the browser has taken the focus out of it."""
    script = """() => {
        const press = (key) => document.activeElement.dispatchEvent(new KeyboardEvent('keydown', {key, bubbles: true}));
        press('?');
        document.querySelector('dialog[open]').close();
        press('r');
        return document.querySelector('dialog[open]')?.id;
    }"""
    with Watched(browser, page_of(run_of("fish-food"))) as watched:
        assert watched.page.evaluate(script) == "rules"


@pytest.mark.long
def test_the_keyboard_alone(browser: Browser, run_of: Callable[[str], Path]) -> None:
    """Steps, decisions of a bot, views, play and the end are reached by keys; the address leads back."""
    run = run_of("fish-food")
    replay = replayed(run)
    asked = [
        [
            at
            for at, move in enumerate(replay["moves"], 1)
            if any(each["seat"] == seat for each in move.get("asked", []))
        ]
        for seat in range(len(replay["bots"]))
    ]
    page = page_of(run)
    with Watched(browser, page) as watched:
        watched.press("End")
        assert watched.step == len(replay["positions"])
        watched.press("Home", "ArrowRight", "ArrowRight", "ArrowLeft")
        assert watched.step == 2
        watched.press("1")
        first = next(step for step in asked[1] if step > 2)
        assert watched.step == first
        watched.press("Shift+ArrowRight")
        second = next(step for step in asked[1] if step > first)
        assert watched.step == second
        watched.press("Shift+ArrowLeft", "v")
        address = watched.addressed(f"decision={replay['moves'][first - 1]['first']}&seat=1")
        shown = watched.page.locator(".table").inner_html()
        watched.press("?")
        dialog = watched.page.locator("dialog[open]")
        assert dialog.count() == 1
        watched.press("Escape")
        dialog.wait_for(state="detached")
        watched.press("r")
        assert "eat fish" in dialog.inner_text()
        watched.press("ArrowRight")
        assert watched.step == first
        watched.press("Escape")
        dialog.wait_for(state="detached")
        watched.press("v", "Home", "Space")
        # it plays on by itself: on a busy machine a look may come after a step has gone by
        watched.page.wait_for_url(re.compile(r"decision=([3-9]|\d\d)"))
        watched.press("Space", "d", "1", "0", "Enter")
        tenth = next(at for at, move in enumerate(replay["moves"], 1) if move.get("first", 0) == 10)
        # the form's dialog closes before its jump is made
        watched.page.wait_for_function(
            "(step) => Number(document.querySelector('input[type=\"range\"]').value) + 1 === step", arg=tenth
        )
        assert watched.page.locator(".where").inner_text().startswith("decision 10 of 0")
        watched.press("d", "9", "9", "9", "Enter")
        assert watched.page.evaluate("document.querySelector('dialog[open] input').validity.rangeOverflow")
        watched.press("Escape")
    with Watched(browser, page, place=address) as again:
        plain = re.compile(r" fresh|, new")
        assert plain.sub("", again.page.locator(".table").inner_html()) == plain.sub("", shown)


@pytest.mark.long
def test_what_is_to_come_is_hidden(browser: Browser, run_of: Callable[[str], Path]) -> None:
    """Before the end a page tells no result, no later move, and no mark of what is to come, unless it is asked to."""
    run = run_of("lure")
    replay = replayed(run)
    begun = next(at for at, move in enumerate(replay["moves"]) if move.get("first"))
    place = f"#decision={replay['moves'][begun]['first']}"
    with Watched(browser, page_of(run), place=place) as watched:
        page = watched.page
        texts = ["wins with", "share the first place"]

        def told() -> bool:
            return any(text in page.locator("body").inner_text() for text in texts)

        def later() -> int:
            return page.locator(".log > li.later").filter(visible=True).count()

        worded = page.locator(".marks .mark:not(:empty)")
        clipped = "document.querySelector('.timeline .curves').style.clipPath"
        assert not told()
        assert later() == 0
        known = worded.count()
        assert page.evaluate(clipped)
        watched.press("a")
        assert later() == len(replay["moves"]) - begun - 1
        assert worded.count() > known
        assert not page.evaluate(clipped)
        watched.press("a", "End")
        assert told()
        assert page.locator(".finale .curves").count() == 1
        assert "next match" not in page.locator(".finale").inner_text()


@pytest.mark.long
def test_marks(browser: Browser, run_of: Callable[[str], Path], tmp_path: Path) -> None:
    """By n and p one goes from mark to mark; leads follow from the scores, faults and blunders from what is told."""
    run = run_of("cash-a-catch")
    matches = data(run, "matches", run, "--json", "--fault")
    match = matches[0]["id"]
    replay = msgspec.json.decode(arena(tmp_path, "replay", run, match, "--json").out, type=Replay)
    first = replay.moves[4].asked[0]
    told = replace(replay, marks=(Mark(decision=first.decision, text="blunder"),))
    (tmp_path / "told.html").write_text(replay_page(told, rules="", run="cup", command="arena replay"))
    scores = [position.scores for position in replay.positions]
    leads = [max(some) if some.count(max(some)) == 1 else None for some in scores]
    faulty = {at + 1 for at, move in enumerate(replay.moves) if any(asked.fault for asked in move.asked)}
    with Watched(browser, tmp_path / "told.html") as watched:
        words: dict[int, str] = {}
        if watched.page.locator(".caption .mark").count():
            words[1] = watched.page.locator(".caption .mark").inner_text()
        while watched.step < len(scores):
            watched.press("n")
            mark = watched.page.locator(".caption .mark")
            assert mark.count() == (watched.step < len(scores))
            if mark.count():
                words[watched.step] = mark.inner_text()
        assert words[5] == "blunder"
        assert faulty & words.keys()
        assert all(
            leads[at] is not None and scores[at] != scores[at - 1] for at in words if words[at] in {"lead", "decisive"}
        )
        assert list(words.values()).count("decisive") <= 1
        moments = watched.page.locator(".moments li").count()
        assert moments == len(words)
        watched.press("p")
        assert watched.step == max(words)


EXPLAINED = """() => [...document.querySelectorAll('.stage [data-tip]')]
  .filter((card) => card.checkVisibility() && card.getBoundingClientRect().width > 0)
  .map((card) => {
    dispatchEvent(new KeyboardEvent('keydown', { key: 'x' }));
    const here = document.activeElement.dataset.tip === card.dataset.tip;
    return { here, name: card.dataset.name ?? '', tip: document.querySelector('.tip').innerText };
  })"""


@by_day("catch-of-the-day", "lure")
def test_cards_explain_themselves(game: str, browser: Browser, run_of: Callable[[str], Path]) -> None:
    """A card says what it does to who points at it or comes to it by a key; a card face down says nothing more."""
    run = run_of(game)
    replay = replayed(run)
    texts = {(card["name"], card["text"]) for card in replay["cards"] if card.get("name")}
    names = {name for name, _ in texts}
    sixth = replay["moves"][min(5, len(replay["moves"]) - 1)].get("first", 0)
    with Watched(browser, page_of(run), place=f"#decision={sixth}") as watched:
        page, tip = watched.page, watched.page.locator(".tip")
        for width, height in (DESK, PHONE):
            # a pointer that rests where a card comes to lie points at it
            page.mouse.move(0, 0)
            page.set_viewport_size({"width": width, "height": height})
            assert not tip.is_visible()
            explained = page.evaluate(EXPLAINED)
            assert all(card["here"] for card in explained)
            assert all(card["name"] or card["tip"].endswith("face down") for card in explained)
            said = [
                (card["name"], card["tip"].rpartition("\n")[2])
                for card in explained
                if card["name"] in names and " cards\n" not in card["tip"]
            ]
            assert said
            assert set(said) <= texts
            watched.press("ArrowRight")
            assert not tip.is_visible()
            page.locator(".stage .middle [data-tip]").first.hover()
            assert tip.is_visible()
            watched.press("ArrowLeft")
        watched.press("?")
        assert replay["legend"] in page.locator("dialog[open]").inner_text()


@pytest.mark.parametrize(
    ("game", "look"),
    [
        pytest.param(game, look, marks=pytest.mark.long if number % 2 == look else pytest.mark.proof)
        for number, game in enumerate(GAMES)
        for look in range(2)
    ],
)
def test_no_barriers_in_a_replay(game: str, look: int, browser: Browser, run_of: Callable[[str], Path]) -> None:
    """axe-core finds nothing wrong, in light at a desk and in dark on a phone, with the rules open too."""
    size, dark = LOOKS[look]
    with Watched(browser, page_of(run_of(game)), size=size, dark=dark) as watched:
        watched.press(*["ArrowRight"] * 9)
        assert watched.barriers() == []
        watched.press("r")
        rules = watched.page.locator("#rules")
        assert rules.evaluate("each => each.scrollWidth <= each.clientWidth")
        assert watched.barriers() == []


@pytest.mark.parametrize(
    ("size", "dark"),
    [pytest.param(PHONE, False, marks=pytest.mark.long), pytest.param(DESK, True, marks=pytest.mark.proof)],
)
def test_no_barriers_in_help_and_result(
    size: tuple[int, int], dark: bool, browser: Browser, run_of: Callable[[str], Path]
) -> None:
    """axe-core finds nothing wrong in what explains the table, nor in the result."""
    with Watched(browser, page_of(run_of("lure")), size=size, dark=dark) as watched:
        watched.press("?")
        assert watched.barriers() == []
        watched.press("Escape")
        watched.page.wait_for_selector("dialog[open]", state="detached")
        watched.press("End")
        watched.page.wait_for_selector(".finale")
        assert watched.barriers() == []


@by_day("cash-a-catch")
def test_a_report(game: str, browser: Browser, run_of: Callable[[str], Path]) -> None:
    """A report can be read, searched and used to watch a match or a fault, and axe-core finds nothing wrong."""
    run = run_of(game)
    with Watched(browser, report(run)) as watched:
        rows = watched.page.locator("#rows tr")
        rows.first.wait_for()
        assert rows.count() == len(data(run, "matches", run, "--json"))
        assert watched.page.locator(".good").inner_text().startswith("\N{CHECK MARK}")
        watched.page.locator(".duels button").first.click()
        chosen = [watched.page.locator(f"#filter-{key}").input_value() for key in ("bot", "other")]
        found = rows.all_inner_texts()
        assert found
        assert all(name in line for line in found for name in chosen)
        watched.page.locator(".worth a").first.click()
        watched.page.wait_for_selector(".table .seat")
        assert "replay=" in watched.page.evaluate("location.hash")
        assert faults(watched.page, (1366, 768), step=10) == []
        watched.press("ArrowRight", "Escape")
        watched.page.wait_for_selector("#report:not([hidden])")
        watched.page.locator(".fault a").first.click()
        watched.page.wait_for_selector(".oops")
        assert "expected" in watched.page.locator(".oops").first.inner_text()
    with Watched(browser, report(run), size=PHONE, dark=True) as watched:
        assert watched.barriers() == []


@pytest.mark.long
def test_without_a_script(browser: Browser, run_of: Callable[[str], Path]) -> None:
    """A report says all but the list of matches without JavaScript; a replay says which command tells it."""
    run = run_of("cash-a-catch")
    with Watched(browser, report(run), script=False) as watched:
        shown = watched.page.locator("body").inner_text()
        for row in data(run, "leaderboard", run, "--json")["leaderboard"]:
            assert f"{row['rating']:.2f}" in shown
        assert "arena matches" in shown
    with Watched(browser, page_of(run), script=False) as watched:
        assert "arena replay" in watched.page.locator("body").inner_text()


@pytest.mark.long
def test_a_format_on_the_page(browser: Browser, tmp_path: Path) -> None:
    """The places and stages of a format stand in the page, without JavaScript too, and axe-core finds nothing wrong."""
    words = ("--seats", "2", "--schedule", "knockout,batch=2,most=2", "-n", "12", "--seed", "page", "-o", "cup", "-q")
    arena(tmp_path, "run", "-g", "dockfight", "greedy", "random", "random-c", *words)
    found = data(tmp_path, "leaderboard", "cup", "--json")["bracket"]
    page = report(tmp_path / "cup")
    with Watched(browser, page, script=False) as watched:
        shown = watched.page.locator("#bracket").inner_text()
        first = [entry["bot"] for entry in found["places"] if entry["place"] == 1]
        podium = watched.page.locator(".podium li").first.inner_text()
        assert all(bot in podium for bot in first)
        for stage in found["stages"]:
            assert stage["title"] in shown
        boxes = watched.page.locator("#bracket .box")
        assert all(box.is_visible() for box in boxes.all())
        assert boxes.count() == sum(len(stage["tables"]) for stage in found["stages"])
    with Watched(browser, page, size=PHONE, dark=True) as watched:
        assert watched.barriers() == []


@pytest.mark.long
def test_hostile_texts_do_nothing(browser: Browser, hostile: Path, tmp_path: Path) -> None:
    """Texts that try to be markup, script or a turned line are shown as they are spelt, and nothing runs."""
    match = next(match for match in data(hostile, "matches", hostile, "--json") if "slip" in match["bots"])
    arena(tmp_path, "replay", hostile, match["id"], "--html", "match.html")
    pages = tmp_path / "match.html", report(hostile)
    assert [page.name for page in pages if "\u202e" in page.read_text()] == []
    with Watched(browser, pages[0]) as watched:
        watched.press("ArrowRight", "ArrowRight", "End")
        assert watched.page.locator("img").count() == 0
    with Watched(browser, pages[1]) as watched:
        assert "onerror=alert(1)" in watched.page.locator("body").inner_text()
        watched.page.locator(".fault a").first.click()
        watched.page.wait_for_selector(".oops")
        assert "onerror=alert(1)" in watched.page.locator(".oops").first.inner_text()
        assert watched.page.locator("img").count() == 0


@pytest.mark.long
@pytest.mark.parametrize("command", ["replay", "report"])
def test_a_hostile_name_is_refused(command: str, run_of: Callable[[str], Path], tmp_path: Path) -> None:
    """A bot that is named by markup makes no page: its run folder is refused."""
    run = Path(shutil.copytree(run_of("cash-a-catch"), tmp_path / "evil"))
    manifest = json.loads((run / "run.json").read_text())
    manifest["entrants"][0]["name"] = EVIL
    (run / "run.json").write_text(json.dumps(manifest))
    words = (run, "#0", "--html", "page.html") if command == "replay" else (run, "-o", "page.html")
    assert "expected a name of a bot, got" in arena(tmp_path, command, *words, code=4).err
    assert not (tmp_path / "page.html").exists()
