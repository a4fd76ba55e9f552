"""Reports: from records to rows, and from rows to a table, Markdown, CSV or JSON.

Knows records and ratings; knows no run, folder, process or clock: callers pass in everything else that a report needs.
"""

from arena.escape import plain
from arena.report.ahead import Ahead
from arena.report.document import OutputFormat
from arena.report.leaderboard import Leaderboard, Row, leaderboard
from arena.report.render import Standing, combine, render, render_combined, shares

__all__ = [
    "Ahead",
    "Leaderboard",
    "OutputFormat",
    "Row",
    "Standing",
    "combine",
    "leaderboard",
    "plain",
    "render",
    "render_combined",
    "shares",
]
