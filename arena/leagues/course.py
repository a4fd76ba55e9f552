"""A course: a league whose owners come from a list of students, and the table of how each of them stands.

Their names stand in that list and in what is printed of it. The files of the league have accounts alone.
"""

import csv
import re
from collections.abc import Callable, Sequence
from itertools import groupby
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from arena.errors import UsageError, unmade
from arena.files import decoder, read, write
from arena.leagues.cup import season_table
from arena.leagues.league import League, run_of
from arena.leagues.owners import FILE as OWNERS
from arena.leagues.owners import Owners, bind, owners_in
from arena.leagues.publish import rulings
from arena.leagues.roster import Entry
from arena.players import digest_bot
from arena.report import Document, Section, Table, finished_ahead_of, strip_version
from arena.starters import languages, suggest_bot_name, write_bot
from arena.tournament import LeagueSettings, checked
from arena.words import listed

STARTERS = "starters.json"
"""The content of each starter as it was written: a bot that is still so has not been handed in."""
_COLUMNS = ("name", "account", "group", "language")
_ACCOUNT = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")
_MOST = 1 << 20
"""Bytes of a list."""
_decode = decoder(dict[str, str])


class Student(Struct, frozen=True, kw_only=True):
    """A line of the list."""

    name: str
    account: str
    bot: str
    """Its name and that of its folder: of the group, or else of the account."""
    language: str
    line: int


def read_students(path: Path) -> list[Student]:
    """The students of a file with separated values, as spreadsheets write it. Its first line names the columns.

    Commas, semicolons or tabs separate them. Only the column ``account`` must be there.

    Raises:
        UsageError: it cannot be read, or a line is not right.
    """
    try:
        data = path.read_bytes()
        text = data.decode("utf-8-sig")
    except OSError as error:
        raise UsageError(f"{path}: expected a list of students, got: {error.strerror}") from None
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise UsageError(f"{path}: expected UTF-8, got another encoding in line {line}") from None
    if len(data) > _MOST:
        raise UsageError(f"{path}: expected at most {_MOST} bytes, got {len(data)}")
    separator = max(",;\t", key=text.partition("\n")[0].count)
    rows = csv.reader(text.splitlines(keepends=True), delimiter=separator, strict=True)
    students: list[Student] = []
    columns: list[str] = []
    try:
        for row in rows:
            cells = [" ".join(value.split()) for value in row]
            while cells and not cells[-1] and len(cells) > len(columns):
                cells.pop()
            if not columns:
                columns = _check_columns([cell.casefold() for cell in cells])
            elif any(cells):
                students.append(_read_student(columns, cells, rows.line_num, students))
    except csv.Error as error:
        raise UsageError(f"{path}: expected separated values, got {error} in line {rows.line_num}") from None
    except UsageError as error:
        raise UsageError(f"{path}: {error} in line {rows.line_num}") from None
    if not students:
        raise UsageError(f"{path}: expected a line for each student below the names of the columns, got none")
    return students


def _check_columns(columns: list[str]) -> list[str]:
    if "account" not in columns or len(set(columns).intersection(_COLUMNS)) < len(columns):
        got = listed([repr(column) for column in columns]) or "none"
        raise UsageError(f"expected the columns account and, if wanted, name, group and language, got {got}")
    return columns


def _read_student(columns: Sequence[str], values: Sequence[str], line: int, before: Sequence[Student]) -> Student:
    if len(values) != len(columns):
        raise UsageError(f"expected {len(columns)} cells, got {len(values)}")
    cells = dict(zip(columns, values, strict=True))
    account, language = cells["account"].removeprefix("@"), cells.get("language") or "python"
    if not _ACCOUNT.fullmatch(account):
        raise UsageError(f"expected an account of letters, digits, `.`, `_` and `-`, got {account!r}")
    if language not in languages():
        raise UsageError(f"expected a language of {', '.join(languages())}, got {language!r}")
    bot = suggest_bot_name(cells.get("group") or account)
    for other in before:
        if other.account.lower() == account.lower():
            raise UsageError(f"expected each account once, got {account} of line {other.line} again")
        if other.bot.lower() == bot.lower() and (other.bot != bot or not cells.get("group")):
            raise UsageError(f"expected a bot that is not that of line {other.line}, got {bot}")
    return Student(name=cells.get("name", ""), account=account, bot=bot, language=language, line=line)


def enter_students(league: League, students: Sequence[Student]) -> list[str]:
    """Bind the bot of each student or group to its accounts, and begin it where there is none; says what is new.

    What is there stays as it is: a second time only those are entered who came since.

    Raises:
        UsageError: a bot belongs to somebody else, or a file cannot be written.
        arena.files.Linked: a file is a link.
    """
    news: list[str] = []
    owners, starters = owners_in(league.folder) or Owners({}), _read_starters(league.folder)
    for bot, group in groupby(sorted(students, key=lambda student: student.bot), key=lambda student: student.bot):
        members = list(group)
        before = owners.of(bot)
        new = [student.account for student in members if not owners.has(bot, account=student.account)]
        if before and len(new) == len(members):
            raise UsageError(
                f"{league.folder / OWNERS}: {bot}: expected {' or '.join(new)}, as line {members[0].line} of the list "
                f"has it, got {' and '.join(before)}"
            )
        if new:
            bind(league.folder, bot, accounts=(*before, *new))
            news.append(f"{bot} belongs to {' and '.join((*before, *new))}")
        folder = league.folder / "bots" / bot
        if league.spec.repositories is None and not folder.exists():
            try:
                made = write_bot(folder, members[0].language, league.games[0] if len(league.games) == 1 else None)
            except OSError as error:
                raise unmade(folder, error) from None
            starters[bot] = digest_bot(made)
            write(league.folder, STARTERS, msgspec.json.format(msgspec.json.encode(starters), indent=1) + b"\n")
            news.append(f"{bot} begins as a bot in {made.language}: {folder}")
    return news


def hold_course(
    path: Path, read_league: Callable[[], League], spec: LeagueSettings, say: Callable[[str], None]
) -> Document:
    """Enter the students of a list in a league, and say how each stands; as ``enter_students`` and ``grade_students``.

    Args:
        path: of the list.
        read_league: reads the league as it is now.
        spec: how bots are checked.
        say: is told what is new.
    """
    students = read_students(path)
    for line in enter_students(read_league(), students):
        say(line)
    rows = grade_students(read_league(), students, spec)
    columns = tuple(rows[0])
    cells = [{name: "-" if value is None else value for name, value in row.items()} for row in rows]
    page = Table(rows=cells, left_columns=("name", "account", "bot", "entry", "last good", "why"), wide=("why",))
    return Document(sections=[Section(tables=[page], rows=rows, columns=columns)], data=rows)


def _read_starters(folder: Path) -> dict[str, str]:
    try:
        return _decode(read(folder, STARTERS))
    except FileNotFoundError:
        return {}
    except msgspec.DecodeError as error:
        raise UsageError(f"{folder / STARTERS}: expected contents by bot, got something else ({error})") from None


def grade_students(league: League, students: Sequence[Student], spec: LeagueSettings) -> list[dict[str, Any]]:
    """How each student stands: a row for each, all with the same columns.

    ``points`` are 0 to 100: how often the bot finished ahead of the anchors, of which each counts alike.

    Args:
        league: as it is now.
        students: in the order of the rows.
        spec: how bots are checked.

    Raises:
        UsageError, HostError: this machine cannot check a bot.
        DamagedError: a run is damaged.
    """
    starters, tables = _read_starters(league.folder), _read_tables(league)
    entries = {Path(entry.folder).name: entry for entry in league.entries.by_text.values()} if league.entries else {}
    playing = {bot.name: bot for bot in league.bots}
    by_bot: dict[str, dict[str, Any]] = {}
    for name in dict.fromkeys(student.bot for student in students):
        entry = entries.get(name)
        state, why = _describe(league, entry, starters.get(name))
        passed = total = None
        if (bot := playing.get(name)) is not None and state != "not handed in":
            games = tuple([game.name for game in league.games if not bot.games or game.name in bot.games])
            tried = checked(bot.folder, replace(spec, games=games))
            if tried.findings is None:
                state, why = "refused", str(tried.error)
            else:
                results = tried.findings.results
                total, passed = len(results), sum(result.status in {"ok", "note"} for result in results)
                for number, failure in [(result.number, result.failure) for result in results if result.failure][:1]:
                    # a bot that does not start has no place
                    state = "refused" if number == 1 else state
                    why = why or f"rule {number}: {failure.rule}"
        since = entry.plays.entered if entry is not None and entry.plays is not None and entry.out == "" else None
        by_bot[name] = {
            "bot": name,
            "entry": state,
            **{column: cells.get(name) for column, cells in tables.items()},
            "rules": passed,
            "of": total,
            "last good": f"{since:%Y-%m-%d %H:%M}" if since and state != "not handed in" else None,
            "why": why or None,
        }
    return [{"name": student.name, "account": student.account} | by_bot[student.bot] for student in students]


def _describe(league: League, entry: Entry | None, starter: str | None) -> tuple[str, str]:
    """What has become of what was handed in, and why."""
    if entry is None or (entry.plays is None and entry.newest is None and not entry.why):
        return "not there", ""
    if reason := league.spec.disqualified.get(entry.bot):
        return "disqualified", reason
    if entry.plays is None or entry.out:
        return "refused", entry.reason
    if entry.why:
        return "an earlier version plays", entry.reason
    return ("not handed in" if entry.plays.content == starter else "plays"), ""


def _read_tables(league: League) -> dict[str, dict[str, Any]]:
    """By column the places and the points of the bots in each game."""
    columns: dict[str, dict[str, Any]] = {}
    for game in league.games:
        beside = f" in {game.name}" * (len(league.games) > 1)
        place = columns.setdefault(f"place{beside}", {})
        points = columns.setdefault(f"points{beside}", {})
        if not (folder := run_of(league, game)).begun():
            continue
        board = season_table(league, folder, rulings(league))
        met = finished_ahead_of(board.results, board.fit, board.leaderboard).both_ways
        for row in board.leaderboard.leaderboard:
            bot = strip_version(row.bot)
            shares = [met[row.bot, anchor].share for anchor in league.anchors if (row.bot, anchor) in met]
            place[bot] = row.rank or None
            points[bot] = round(100 * sum(shares) / len(shares), 1) if shares else None
    return columns
