"""``history.jsonl`` of a league: a line for each season that changed something, read and written."""

from contextlib import suppress
from pathlib import Path
from typing import Any

import msgspec

from arena.files import decoder, read, write
from arena.report.season import PastSeason
from arena.tournament.folder import Broken

FILE = "history.jsonl"
_season = decoder(PastSeason)


def seasons(folder: Path) -> list[PastSeason]:
    """All seasons of a league, the first one first; none before the first.

    Raises:
        Broken: a line is no season, or stands out of order.
        arena.files.Linked, OSError: it cannot be read.
    """
    return _seasons(folder, _lines(folder))


def _seasons(folder: Path, lines: list[bytes]) -> list[PastSeason]:
    found: list[PastSeason] = []
    for number, line in enumerate(lines, 1):
        try:
            past = _season(line)
        except msgspec.DecodeError as error:
            raise Broken(f"{folder / FILE}: line {number}: expected a season, got something else ({error})") from None
        if found and past.season <= found[-1].season:
            raise Broken(
                f"{folder / FILE}: line {number}: expected a season after {found[-1].season}, got {past.season}"
            )
        found.append(past)
    return found


def add(folder: Path, date: str, told: dict[str, Any]) -> PastSeason:
    """The season with this content: a new one of this date, unless the last one has the same.

    Raises:
        Broken: as ``seasons``.
        arena.files.Linked, OSError: it cannot be read or written.
    """
    # read once: the lines that are written again are those that were looked at
    lines = _lines(folder)
    before = _seasons(folder, lines)
    number = before[-1].season if before else 0
    now = msgspec.convert({"season": number + 1, "date": date, **told}, PastSeason)
    if before and (before[-1].games, before[-1].probation) == (now.games, now.probation):
        return before[-1]
    line = msgspec.json.encode({"season": number + 1, "date": date, **told})
    write(folder, FILE, b"".join(each + b"\n" for each in (*lines, line)))
    return now


def _lines(folder: Path) -> list[bytes]:
    with suppress(FileNotFoundError):
        return read(folder, FILE).splitlines()
    return []
