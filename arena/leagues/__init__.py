"""A new league: its settings, a first bot and, if wanted, workflows that play it and that check new bots.

The texts lie here as files. Knows starters and games; starts nothing.
"""

import os
from collections.abc import Sequence
from pathlib import Path

from arena.game import Game
from arena.starters import legal, save
from arena.starters import write as write_bot

CIS = {
    "github": {
        "league.yml": ".github/workflows/league.yml",
        "check.yml": ".github/workflows/check.yml",
    }
}
"""For each place that plays a league every night: which of its files goes where."""
BOT = "minnow"
_HERE = Path(__file__).parent
_FILES = {"arena.toml": "arena.toml", "README.md": "README.md", "gitignore": ".gitignore"}


def write(folder: Path, games: Sequence[Game], ci: str | None = None) -> None:
    """Write a league of these games with one bot into a folder, which is made if it is not there.

    Raises:
        KeyError: there is no such ``ci``.
        OSError: the folder cannot be written to, or one of the files is there already.
    """
    names = [game.name for game in games]
    filled = {
        "GAMES": {"arena.toml": ", ".join(f'"{name}"' for name in names), "README.md": ", ".join(names)},
        "NAME": {"README.md": legal(Path(os.path.realpath(folder)).name)},
    }
    sources = {_HERE / file: place for file, place in _FILES.items()}
    if ci is not None:
        sources |= {_HERE / ci / file: place for file, place in CIS[ci].items()}
    texts: dict[str, str] = {}
    for source, place in sources.items():
        text = source.read_text("utf-8")
        for word, by_file in filled.items():
            if source.name in by_file:
                text = text.replace(word, by_file[source.name])
        texts[place] = text
    save(folder, texts)
    write_bot(folder / "bots" / BOT, "python", games[0] if len(games) == 1 else None)
