"""Screenshots of each state of the pages, for the documents and to be looked at: ``make pictures``.

Plays short runs into a folder of its own; nothing is kept but the pictures.
"""

import base64
import io
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

import msgspec
from playwright.sync_api import Browser
from rich.console import Console
from rich.terminal_theme import MONOKAI

from arena.games import names
from arena.report.replay import Replay
from arena.terminal.board import picture
from arena.view import Table
from tests.cli.command import BOTS, PYTHON, arena
from tests.page.live_pictures import league, live, playing
from tests.page.watching import DESK, PHONE, Watched, browsing

GAMES = names()
_SECTIONS = ("board", "duels", "pace", "faults", "matches", "provenance")


_TERMINAL = """<!doctype html><html lang="en"><style>
body { margin: 0; background: #12181d; }
pre { display: inline-block; margin: 0; padding: 18px 22px; color: #e6e6e6; font: 15px/1.22 monospace; }
</style><pre>"""


def main(folder: Path, documents: Path) -> None:
    """Draw all pictures into the folder, those of the documents into another, and name them."""
    folder.mkdir(parents=True, exist_ok=True)
    with TemporaryDirectory() as desk, browsing() as browser:
        place = Path(desk)
        (place / "slip.py").write_text(BOTS["slip.py"])
        field = ("greedy", "random", "random-js", "random-c", f"slip={PYTHON} slip.py")
        for game in GAMES:
            matches = "120" if game == "cash-a-catch" else "8"
            arena(place, "run", *field, "-g", game, "-n", matches, "--seed", "picture", "-o", game, "-q")
            arena(place, "replay", game, "#0", "--html", f"replay-{game}.html")
            (folder / f"board-{game}.txt").write_text(arena(place, "replay", game, "#0", "--board").out)
        arena(place, "report", "cash-a-catch", "-o", "report.html")
        for_documents(browser, place, documents)
        shots = [(f"replay-{game}", size, dark) for game in GAMES for size in (DESK, PHONE) for dark in (False, True)]
        for name, size, dark in shots:
            with Watched(browser, place / f"{name}.html", size=size, dark=dark) as watched:
                watched.press(*["ArrowRight"] * 19)
                taken(watched, folder, name, size, dark=dark)
        for dark in (False, True):
            for size in (DESK, PHONE):
                for section in ("", *_SECTIONS):
                    with Watched(browser, place / "report.html", place=f"#{section}", size=size, dark=dark) as watched:
                        taken(watched, folder, f"report-{section}".rstrip("-"), size, dark=dark)

        def kept(watched: Watched, name: str, size: tuple[int, int], dark: bool) -> None:
            taken(watched, folder, name, size, dark=dark)

        live(browser, place / "cash-a-catch", kept)
        league(browser, place / "harbour", kept)
        playing(browser, place / "desk", kept)


def for_documents(browser: Browser, place: Path, folder: Path) -> None:
    """A report, a replay and a terminal board, small enough to be kept."""
    folder.mkdir(parents=True, exist_ok=True)
    matches = msgspec.json.decode(arena(place, "matches", "cash-a-catch", "--json").out)
    chosen = next(match["id"] for match in matches if {"greedy", "random-js"} <= set(match["bots"]))
    arena(place, "replay", "cash-a-catch", chosen, "--html", "chosen.html")
    replay = msgspec.json.decode(arena(place, "replay", "cash-a-catch", chosen, "--json").out, type=Replay)
    at = max(range(len(replay.moves)), key=lambda step: _worth(replay.table(step)))
    console = Console(record=True, width=100, color_system="truecolor", file=io.StringIO())
    console.print(picture(replay, at, seat=None, width=100))
    (place / "board.html").write_text(
        _TERMINAL + console.export_html(inline_styles=True, theme=MONOKAI, code_format="{code}")
    )
    with Watched(browser, place / "report.html") as report:
        kept(report, folder / "report.webp")
    with Watched(
        browser, place / "chosen.html", place=f"#replay={replay.id}&decision={replay.moves[at].first}"
    ) as watched:
        kept(watched, folder / "replay.webp")
    with Watched(browser, place / "board.html", script=False) as board:
        kept(board, folder / "board.webp", "pre")


def _worth(table: Table) -> int:
    """How much there is to see before the seats, if the middle is not full of cards."""
    cards = [(zone.owner, card) for zone in table.zones if zone.kind != "pile" for card in zone.cards]
    middle = sum(1 for owner, _ in cards if owner is None)
    return len(cards) - middle if 4 <= middle <= 9 else 0


def kept(watched: Watched, path: Path, part: str = "body") -> None:
    """Keep a small picture of the part that is to be seen of an element."""
    box = watched.page.locator(part).bounding_box()
    assert box
    size = {"width": min(box["width"], DESK[0]), "height": min(box["height"], DESK[1])}
    session = watched.page.context.new_cdp_session(watched.page)
    clip = {"x": 0, "y": 0, "scale": 1, **size}
    shot = session.send("Page.captureScreenshot", {"format": "webp", "quality": 80, "clip": clip})
    path.write_bytes(base64.b64decode(shot["data"]))
    sys.stdout.write(f"{path}\n")


def taken(watched: Watched, folder: Path, name: str, size: tuple[int, int], *, dark: bool) -> None:
    """Take a picture of what is to be seen."""
    path = folder / f"{name}{'-phone' * (size == PHONE)}{'-dark' * dark}.png"
    watched.page.wait_for_timeout(200)
    watched.page.screenshot(path=path)
    sys.stdout.write(f"{path}\n")


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
