"""Screenshots of an unfinished run, of a league and of a match that a person plays, for ``make pictures``."""

from collections.abc import Callable, Iterator
from pathlib import Path

from playwright.sync_api import Browser

from arena import games
from arena.page.serving import served
from arena.tournament.folder import RunFolder
from arena.web.live import Live
from tests.cli.command import BOTS, arena, unfinish
from tests.page.test_play_web import NEXT, answer, played
from tests.page.watching import DESK, PHONE, Watched

_LOOKS = [(size, dark) for size in (DESK, PHONE) for dark in (False, True)]
Taken = Callable[[Watched, str, tuple[int, int], bool], None]


def live(browser: Browser, run: Path, taken: Taken) -> None:
    """The page of a run, of which the last part is taken back."""
    unfinish(run, 100)
    following = Live(RunFolder(run))
    with served(following.gets) as address:
        for size, dark in _LOOKS:
            with Watched(browser, address, ready=".latest tr", size=size, dark=dark) as watched:
                taken(watched, "live", size, dark)


def league(browser: Browser, folder: Path, taken: Taken) -> None:
    """The pages of a league after two seasons."""
    folder.mkdir()
    for _ in two_seasons(folder):
        pass
    for name in ("index", "bots/mine", "games/dockfight"):
        for size, dark in _LOOKS:
            page = folder / "site" / f"{name}.html"
            with Watched(browser, page, ready="h1", size=size, dark=dark) as watched:
                taken(watched, f"league-{page.stem}", size, dark)


def playing(browser: Browser, folder: Path, taken: Taken) -> None:
    """A match of each game that a person plays in a browser, after a few questions, and the end of one."""
    folder.mkdir()
    (folder / "mine.py").write_text(BOTS["mine.py"])
    for game in games.names():
        for size, dark in _LOOKS:
            match = played(folder, game, seats=games.find(game).usual_seats)
            with match as (_, address), Watched(browser, address, size=size, dark=dark) as watched:
                questions(watched, 6)
                taken(watched, f"play-{game}", size, dark)
                if game == "lure":
                    questions(watched, 1000)
                    taken(watched, "play-end", size, dark)


def questions(watched: Watched, most: int) -> None:
    """Answer as many questions, or all that there are."""
    page, number = watched.page, ""
    for _ in range(most):
        page.wait_for_function(NEXT, arg=number)
        if page.locator(".places").count():
            return
        number = page.locator(".question").get_attribute("data-question") or ""
        answer(watched)
    page.wait_for_function(NEXT, arg=number)


def two_seasons(folder: Path) -> Iterator[int]:
    """Play a league in which a bot changes, season by season; the number of each."""
    (folder / "arena.toml").write_text(
        'games = ["dockfight"]\nbots = ["bots/*"]\nanchors = ["random", "greedy"]\nseats = 3\nmatches = 12\nlanes = 1\n'
    )
    bot = folder / "bots" / "mine"
    bot.mkdir(parents=True)
    (bot / "bot.toml").write_text('name = "mine"\nowner = "Ada"\ncommand = ["{python}", "-S", "bot.py"]\n')
    for number, more in enumerate(("", "# another\n"), 1):
        (bot / "bot.py").write_text(BOTS["slip.py"] + more)
        arena(folder, "season", "-q")
        yield number
