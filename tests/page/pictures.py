"""Screenshots of each state of the pages, for the documents and to be looked at: ``make pictures``.

Plays short runs into a folder of its own; nothing is kept but the pictures.
"""

import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.cli.command import BOTS, PYTHON, arena
from tests.page.live_pictures import league, live
from tests.page.watching import DESK, PHONE, Watched, browsing

GAMES = ("cash-a-catch", "catch-of-the-day", "dockfight", "fish-food", "lure")
_SECTIONS = ("board", "duels", "pace", "faults", "matches", "provenance")


def main(folder: Path) -> None:
    """Draw all pictures into the folder and name them."""
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


def taken(watched: Watched, folder: Path, name: str, size: tuple[int, int], *, dark: bool) -> None:
    """Take a picture of what is to be seen."""
    path = folder / f"{name}{'-phone' * (size == PHONE)}{'-dark' * dark}.png"
    watched.page.wait_for_timeout(200)
    watched.page.screenshot(path=path)
    sys.stdout.write(f"{path}\n")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
