"""Records to rows to a table, Markdown, CSV or JSON.

Knows records and ratings; knows no run, folder, process or clock: what a report needs beside the records is handed in.
"""

from arena.report.combined import Standing, combine, shares
from arena.report.leaderboard import Leaderboard, Row, leaderboard, rows
from arena.report.plain import plain
from arena.report.render import Format, render, render_combined

__all__ = [
    "Format",
    "Leaderboard",
    "Row",
    "Standing",
    "combine",
    "leaderboard",
    "plain",
    "render",
    "render_combined",
    "rows",
    "shares",
]
