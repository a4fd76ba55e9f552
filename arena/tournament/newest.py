"""What a person may name: the runs below the folder ``results``, what is in the newest one, variants of games."""

import re
from collections.abc import Sequence
from pathlib import Path

from arena import games
from arena.formats.registry import names as list_formats
from arena.players.entrants import read_shipped_bots
from arena.tournament.folder import RunFolder

__all__ = ["list_bots", "list_formats", "list_matches", "list_runs", "list_shipped_bots", "list_variants", "with_run"]

_NUMBER = re.compile(r"#?\d+")
_MOST = 1000
"""Matches that a shell is offered."""


def list_runs() -> list[str]:
    """The run folders below ``results``, the one that was changed last at the end."""
    manifests = [path for depth in ("*", "*/*") for path in Path("results").glob(f"{depth}/run.json")]
    return [str(path.parent) for path in sorted(manifests, key=lambda path: (path.stat().st_mtime_ns, path))]


def with_run(words: Sequence[str], *, before_match: bool) -> list[str]:
    """The arguments of a command, the newest run before them where they name none.

    Before a MATCH a run is missing if the first word is no path that is there.
    """
    first = words[0] if words else ""
    is_path = bool(first) and ("/" in first or Path(first).exists() or _NUMBER.fullmatch("".join(words[1:2])))
    is_match = first.startswith("#") or not is_path
    if not is_match if before_match else words:
        return list(words)
    return [*list_runs()[-1:], *words]


def list_bots() -> list[str]:
    """The bots of the newest run."""
    return [entrant.name for run in list_runs()[-1:] for entrant in RunFolder(Path(run)).manifest().entrants]


def list_matches() -> list[str]:
    """The first matches of the newest run, as a shell takes them."""
    found = [RunFolder(Path(run)).manifest().matches for run in list_runs()[-1:]]
    return [f"#{number}" for number in range(min(sum(found), _MOST))]


def list_variants(names: Sequence[str] = ()) -> list[str]:
    """The variants of these games, or of all if none is among them, as an option takes them."""
    shelf = map(games.find, [name for name in games.names() if name in names] or games.names())
    return [f"{name}={value}" for game in shelf for name, values in game.variants.items() for value in values]


def list_shipped_bots() -> list[str]:
    """The bots that ship with arena."""
    return [bot.name for bot in read_shipped_bots()]
