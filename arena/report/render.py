"""A leaderboard as text: a table of 80 columns, Markdown, CSV or JSON; printable ASCII and newlines only.

Knows leaderboards; knows no records, ratings or files.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import zip_longest
from textwrap import wrap
from typing import Any, Literal, TypeAlias

from msgspec import UnsetType, to_builtins
from tabulate import DataRow, TableFormat, tabulate

from arena.escape import as_json, cell, plain
from arena.report.bracket import heading, place_rows, stage_sentences
from arena.report.combined import Standing
from arena.report.leaderboard import DIGITS, Leaderboard, Row
from arena.report.tables import NONE, as_csv, as_markdown, sentences, table

OutputFormat: TypeAlias = Literal["table", "markdown", "csv", "json"]

_WIDTH = 80
_HEADER = 10
_NAME = 64
_NAME_LEAST = 8
"""Columns of a name, however wide the others are."""
_NARROW = TableFormat(None, None, None, None, DataRow("", " ", ""), DataRow("", " ", ""), 0, None)
UNTESTED = "Ordered by share. Who is better over all is not tested: each table says what is certain in it."
"""Below a table over several games."""


def render(board: Leaderboard, format: OutputFormat) -> str:  # noqa: A002 - as the option is called
    """The leaderboard in this format, ending in a newline."""
    if format == "json":
        return as_json(to_builtins(board)) + "\n"
    if format == "csv":
        return _csv(
            [
                {"game": cell(plain(board.game, _NAME))}
                | _csv_row(row)
                | {"owner": cell(plain(board.owners.get(row.bot, ""), _NAME))}
                for row in board.leaderboard
            ]
        )
    headers = ["#", "bot", "rating", "mu", "sigma", "matches", "wins", "place", "score", "ms", "p99", "faults"]
    aligned = ["right", "left", *["right"] * 9, "left"]
    lines = [_cells(row) for row in board.leaderboard]
    if format == "markdown":
        for line, ends in zip((headers, aligned, *lines), _interval_column(board.leaderboard), strict=True):
            line.insert(4, ends)
        if board.owners:
            _insert_owners((headers, aligned, *lines), board.owners, [row.bot for row in board.leaderboard])
        joined = [[*line[:-1], ", ".join(line[-1])] for line in lines]
        body = as_markdown(joined, headers=headers, aligned=aligned)
        notes = _bullets(_notes(board), format)
    else:
        body = _table(headers, aligned, _stacked([[header] for header in headers], lines, 1))
        notes = _bullets([*_notes(board), *_entered(board)], format)
    return _page([sentences(_summary(board), format), [body], notes, *_bracket(board, format)])


def _bracket(board: Leaderboard, format: OutputFormat) -> list[list[str]]:  # noqa: A002 - as the option is called
    """The bracket of a run that has one: its sentence, places, stages and notes."""
    bracket = board.bracket
    if isinstance(bracket, UnsetType):
        return []
    places = [table(place_rows(bracket), format, right=["place"])] if bracket.places else []
    lists = [_bullets(texts, format) for texts in (stage_sentences(bracket), bracket.notes)]
    return [sentences([heading(bracket)], format), places, *lists]


def _bullets(texts: Iterable[str], format: OutputFormat) -> list[str]:  # noqa: A002 - as the option is called
    """Sentences; in Markdown as a list."""
    bullet = "- " if format == "markdown" else ""
    return [bullet + line for line in sentences(texts, format)]


def render_combined(
    standings: Sequence[Standing],
    format: OutputFormat,  # noqa: A002 - as the option is called
    owners: Mapping[str, str] | None = None,
) -> str:
    """The table over several games in this format, ending in a newline; in Markdown with the bots' ``owners``."""
    games = sorted({game for standing in standings for game in standing.games})
    if format == "json":
        return as_json({"games": games, "leaderboard": to_builtins(standings)}) + "\n"
    shown = [(s, [s.share, *(s.games.get(game) for game in games)]) for s in standings]
    if format == "csv":
        named = ["share", *(cell(plain(game, _NAME)) for game in games)]
        return _csv(
            [
                {"bot": cell(plain(s.bot, _NAME))}
                | {name: _number(value, DIGITS, "") for name, value in zip(named, values, strict=True)}
                for s, values in shown
            ]
        )
    headers = ["bot", "share", *(plain(game, _NAME) for game in games)]
    aligned = ["left", *["right"] * (len(games) + 1)]
    lines = [[plain(s.bot, _NAME), *(_number(value, 3) for value in values)] for s, values in shown]
    if format == "markdown":
        if owners:
            _insert_owners((headers, aligned, *lines), owners, [each.bot for each in standings])
        return _page([[as_markdown(lines, headers=headers, aligned=aligned)], _bullets([UNTESTED], format)])
    stacks = [wrap(header, _HEADER) or [""] for header in headers]
    tallest = max(map(len, stacks))
    # stacked headers stand on the lowest line
    *upper, lowest = (list(line) for line in zip(*([""] * (tallest - len(s)) + s for s in stacks), strict=True))
    return _page([[_table(lowest, aligned, _stacked(stacks, lines, 0), upper)], sentences([UNTESTED], format)])


def _summary(board: Leaderboard) -> list[str]:
    """The size of the run, in sentences."""
    facts = f"{board.seats} seats, {board.matches} matches, {board.decisions} decisions, {board.seconds:.1f} s"
    return [
        f"{board.run}: {board.game}, {facts}.",
        *["Provisional: the run is not finished."] * board.provisional,
        f"Draw probability {board.draw_probability:.4f}; rating = mu - 3 sigma.",
        *([] if board.seed is None else [f"Seed {board.seed}."]),
    ]


def _notes(board: Leaderboard) -> list[str]:
    """Notes for the reader, in sentences."""
    if not board.burnt:
        return list(board.notes)
    burnt = ", ".join(f"{bot} ({share:.0%})".replace("%", " %") for bot, share in board.burnt.items())
    return [*board.notes, f"Used the processor while others were asked, by more than 5 % of that time: {burnt}."]


def _insert_owners(lines: Sequence[list[Any]], owners: Mapping[str, str], bots: Iterable[str]) -> None:
    """Put the column of owners behind that of bots: into header, alignment and cells."""
    column = ["owner", "left", *(plain(owners.get(bot, ""), _NAME) or NONE for bot in bots)]
    at = lines[0].index("bot") + 1
    for line, text in zip(lines, column, strict=True):
        line.insert(at, text)


def _entered(board: Leaderboard) -> list[str]:
    """The owner of each bot, for which a table of 80 columns has no room."""
    bots: dict[str, list[str]] = {}
    for bot, owner in board.owners.items():
        bots.setdefault(owner[:_NAME], []).append(bot)
    listed = "; ".join(f"{owner}: {', '.join(owned)}" for owner, owned in bots.items())
    return [f"Owners: {listed}."] if bots else []


def _cells(row: Row) -> list[Any]:
    """A row as text, the faults as a list of their own at the end."""
    return [
        row.ranks,
        plain(row.bot, _NAME),
        *(_number(value, 2) for value in (row.rating, row.mu, row.sigma)),
        str(row.matches),
        _number(row.wins, 1),
        _number(row.mean_rank, 2),
        _number(row.mean_score, 2),
        milliseconds(row.ms_median),
        milliseconds(row.ms_p99),
        _faults(row.faults) or [NONE],
    ]


def _interval_column(rows: Iterable[Row]) -> Iterable[str]:
    """The interval of mu, for which a table of 80 columns has no room: header, alignment, cells."""
    yield from ("95 %", "right")
    for row in rows:
        yield NONE if row.low is None else f"{_number(row.low, 2)} to {_number(row.high, 2)}"


def _csv_row(row: Row) -> dict[str, str]:
    """A row as text by the names of its fields."""
    write: dict[str, Callable[[Any], str]] = {
        "rank": str,
        "rank_low": str,
        "rank_high": str,
        "certain_low": str,
        "certain_high": str,
        "bot": lambda bot: cell(plain(bot, _NAME)),
        "matches": str,
        "faults": lambda faults: "; ".join(_faults(faults)),
    }
    return {
        name: write.get(name, lambda value: _number(value, DIGITS, ""))(getattr(row, name))
        for name in row.__struct_fields__
    }


def _faults(faults: Mapping[str, int]) -> list[str]:
    return [f"{times} {kind}" for kind, times in faults.items()]


def _number(value: float | None, digits: int, none: str = NONE) -> str:
    return none if value is None else f"{value:.{digits}f}"


def milliseconds(value: float | None) -> str:
    """Three digits or so, in four places up to ten seconds."""
    if value is None:
        return NONE
    for limit, digits in ((9.995, 2), (99.95, 1)):
        if value < limit:
            return f"{value:.{digits}f}"
    return f"{value:.0f}"


def _stacked(headers: Sequence[list[str]], lines: Sequence[list[Any]], named: int) -> list[list[str]]:
    """The rows as lines of a table: what does not fit 80 columns of a name, and further faults, stand below.

    ``headers`` has the lines of each column's header; names are in the column ``named``.
    """
    cells = [[text if isinstance(text, list) else [text] for text in line] for line in lines]
    widths = [max(map(len, (text for part in column for text in part))) for column in zip(headers, *cells, strict=True)]
    room = max(_NAME_LEAST, _WIDTH - sum(widths) + widths[named] - len(widths) + 1)
    for line in cells:
        line[named] = wrap(line[named][0], room)
    return [list(part) for line in cells for part in zip_longest(*line, fillvalue="")]


def _table(headers: list[str], aligned: list[str], lines: list[list[str]], above: Sequence[list[str]] = ()) -> str:
    # the headers go in as a line, because tabulate pads headers and there is no room for that
    text = tabulate([*above, headers, *lines], tablefmt=_NARROW, colalign=aligned, disable_numparse=True)
    return "\n".join(line.rstrip() for line in text.split("\n"))


def _csv(lines: list[dict[str, str]]) -> str:
    return as_csv([*lines[:1], *(line.values() for line in lines)])


def _page(parts: Iterable[Sequence[str]]) -> str:
    return "\n\n".join("\n".join(lines) for lines in parts if lines) + "\n"
