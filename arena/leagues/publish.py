"""What a season leaves at the top of a league's folder: tables, badges and a line of history."""

from collections.abc import Sequence
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import msgspec

from arena.beneath import files, read, remove, write
from arena.leagues.league import League
from arena.library.standings import Board, standings, write_standings
from arena.report.season import Probation, Season, badges, data, over_games, own_name, page
from arena.tournament.contest import Contest
from arena.tournament.folder import Broken, Manifest

BADGES = "badges"
HISTORY = "history.jsonl"
"""A line a season that changed something."""


def publish(league: League, contests: Sequence[Contest]) -> Season:
    """Write all anew from the journals; equal journals give equal bytes.

    Raises:
        Broken: the history or a run is damaged.
    """
    boards: dict[str, Board] = {}
    games: dict[str, Any] = {}
    probation: dict[tuple[str, str], tuple[str, ...]] = {(each.bot, each.why): () for each in league.excluded}
    for contest in contests:
        name, folder = contest.game.name, contest.folder
        boards[name] = standings(folder, anchors=league.anchors, named=f"{league.root.name}/{folder.path.name}")
        manifest = folder.manifest()
        if manifest.finished and not folder.page.exists():
            # others take part, or the rest of it was given up, and nothing was played since
            write_standings(folder)
        field = manifest.field or tuple([entrant.name for entrant in manifest.entrants])
        for entrant in manifest.entrants:
            if entrant.withdrawn and entrant.name in field:
                key = own_name(entrant.name), entrant.withdrawn
                probation[key] = (*probation.get(key, ()), name)
        games[name] = _told(manifest, boards[name])
    off = tuple([Probation(bot=bot, why=why, games=tried) for (bot, why), tried in probation.items()])
    number, date = _number(league.folder, {"games": games, "probation": msgspec.to_builtins(off)})
    tables = {name: board.leaderboard for name, board in boards.items()}
    shares = {name: board.shares() for name, board in boards.items()} if len(boards) > 1 else {}
    season = Season(number, date, tables, off, over_games(shares, tables))
    write(league.folder, "leaderboard.md", page(season).encode())
    write(league.folder, "leaderboard.json", data(season).encode())
    _write_badges(league.folder, {f"{BADGES}/{name}": badge for name, badge in badges(season).items()})
    return season


def _told(manifest: Manifest, board: Board) -> dict[str, Any]:
    """What the history tells of a game."""
    digests = {entrant.name: entrant.digest for entrant in manifest.entrants}
    return {
        "version": manifest.game_version,
        "matches": board.leaderboard.matches,
        "commitments": [epoch.commitment for epoch in manifest.epochs],
        "entrants": [
            {
                "bot": row.bot,
                "digest": digests[row.bot],
                "rank": row.rank,
                "rank_low": row.rank_low,
                "rank_high": row.rank_high,
                "rating": row.rating,
                "mu": row.mu,
                "low": row.low,
                "high": row.high,
                "matches": row.matches,
            }
            for row in board.leaderboard.leaderboard
        ],
    }


def _number(folder: Path, now: dict[str, Any]) -> tuple[int, str]:
    """The number of the season and its date; a season that differs from the last one has a line of its own."""
    lines: list[bytes] = []
    with suppress(FileNotFoundError):
        lines = read(folder, HISTORY).splitlines()
    try:
        last = msgspec.json.decode(lines[-1], type=dict[str, Any]) if lines else {}
        number, date = last.pop("season", 0), last.pop("date", "")
    except msgspec.DecodeError as error:
        raise Broken(f"{folder / HISTORY}: expected a season a line, got something else ({error})") from None
    if last == msgspec.json.decode(msgspec.json.encode(now)):
        return number, date
    date = datetime.now(UTC).strftime("%Y-%m-%d")
    line = msgspec.json.encode({"season": number + 1, "date": date, **now})
    write(folder, HISTORY, b"".join(each + b"\n" for each in (*lines, line)))
    return number + 1, date


def _write_badges(folder: Path, badges: dict[str, str]) -> None:
    """Replace all badges, so that none is of a bot that is gone."""
    for old in files(folder, BADGES):
        if old.endswith(".json") and old not in badges:
            remove(folder, old)
    for name, badge in badges.items():
        write(folder, name, badge.encode())
