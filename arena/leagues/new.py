"""A new league: its settings, a first bot and, if wanted, workflows that play it and that check new bots.

The texts lie here as files. Knows starters and games; starts nothing.
"""

import json
import os
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from shlex import quote

from arena.game import Game
from arena.starters import suggest_bot_name, write_bot, write_new_files
from arena.words import plural

CIS = {
    "github": {
        "league.yml": ".github/workflows/league.yml",
        "check.yml": ".github/workflows/check.yml",
        "comment.yml": ".github/workflows/comment.yml",
        "arena.yml": ".github/actions/arena/action.yml",
        "owners.toml": "owners.toml",
        "gitignore": ".gitignore",
    }
}
"""For each place that plays a league every night: which of its files goes where."""
BOT = "minnow"
CLASSES = (10, 30)
"""So many bots may come."""
_HERE = Path(__file__).parent
_SOURCE = "OWNER/arena@0000000000000000000000000000000000000000"
"""What stands for the action of arena where nobody knows where it came from."""
_GITHUB = re.compile(r"https://github\.com/([\w.-]+/[\w.-]+?)(?:\.git)?/?")
_FILES = {"arena.toml": "arena.toml", "README.md": "README.md", "gitignore": ".gitignore"}


def installed_from() -> str | None:
    """The repository and commit on GitHub that this arena was installed from, as ``owner/name@commit``, if it was."""
    from importlib.metadata import PackageNotFoundError, distribution  # noqa: PLC0415 - takes long to load

    try:
        origin = json.loads(distribution("fish-arena").read_text("direct_url.json") or "{}")
    except (PackageNotFoundError, ValueError):
        return None
    repository = _GITHUB.fullmatch(str(origin.get("url")))
    commit = origin.get("vcs_info", {}).get("commit_id")
    return f"{repository[1]}@{commit}" if repository and commit else None


def write(folder: Path, games: Sequence[Game], *, ci: str | None = None, source: str | None = None) -> None:
    """Write a league of these games with one bot into a folder, which is made if it is not there.

    Workflows run the arena of ``source``, as ``installed_from`` gives it.

    Raises:
        KeyError: there is no such ``ci``.
        OSError: the folder cannot be written to, or one of the files is there already.
    """
    names = [game.name for game in games]
    filled = {
        "GAMES": {"arena.toml": ", ".join(f'"{name}"' for name in names), "README.md": ", ".join(names)},
        "NAME": {"README.md": suggest_bot_name(Path(os.path.realpath(folder)).name)},
        _SOURCE: {"arena.yml": source or _SOURCE},
    }
    sources = {_HERE / file: place for file, place in _FILES.items()}
    if ci is not None:
        sources |= {_HERE / ci / file: place for file, place in CIS[ci].items()}
    texts: dict[str, str] = {}
    for path, place in sources.items():
        text = path.read_text("utf-8")
        for word, by_file in filled.items():
            if path.name in by_file:
                text = text.replace(word, by_file[path.name])
        texts[place] = text
    write_new_files(folder, texts)
    write_bot(folder / "bots" / BOT, "python", games[0] if len(games) == 1 else None)


def describe(folder: Path, games: Sequence[Game], *, ci: str | None = None, source: str | None = None) -> Iterator[str]:
    """What its host may do with a league that was written, how many nights it plays, and what they cost."""
    # no other new folder needs what ratings need
    from arena.leagues.outlook import MATCH, describe_cost  # noqa: PLC0415
    from arena.tournament import MATCHES_PER_BOT, assume_settlement, parse_seat_counts  # noqa: PLC0415

    yield f"{folder}: a league of {', '.join(game.name for game in games)}"
    yield f"play a season: cd {quote(str(folder))} && arena season"
    yield "enter a bot: arena new bot bots/mine"
    seats = max(parse_seat_counts(None, game, None)[0] for game in games)
    share, foreseen = 1 / len(games), []
    for bots in CLASSES:
        settlement = assume_settlement(bots, seats=seats, per_bot=MATCHES_PER_BOT, share=share, places=1)
        foreseen.append(f"of {plural(bots, 'bot')} {settlement}")
    yield f"a season: {MATCHES_PER_BOT} matches a bot, until places settle: {', '.join(foreseen)}"
    if ci is not None:
        matches = CLASSES[-1] * MATCHES_PER_BOT / seats * len(games)
        yield f"a night of {plural(CLASSES[-1], 'bot')} that answer at once: {describe_cost(seats, matches * MATCH)}"
        where = CIS[ci]["arena.yml"]
        words = f"it plays at night with {source}, see" if source else "before it plays at night: put a commit into"
        yield f"{words} {where}"
