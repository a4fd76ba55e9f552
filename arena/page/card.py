"""A card of a result: a picture to be shown where somebody links to a page. Knows values; knows no page and no file.

As SVG it is markup of our own; the only door to the package ``resvg_py``, of the extra ``cards``, makes a PNG of it.
"""

from textwrap import wrap

from htpy import Element, Node

from arena.errors import UsageError
from arena.page import charts
from arena.report.findings import Report
from arena.report.render import strength
from arena.words import plural

WIDTH, HEIGHT = 1200, 630
"""As the networks want it."""
_ROWS, _LINE, _EDGE = 5, 30, 64
_PLOT_LEFT, _RIGHT = 470, 1040
"""Between them the intervals are drawn."""
_SVG = "http://www.w3.org/2000/svg"
_FONT = "Inter, Helvetica Neue, Helvetica, Arial, Liberation Sans, DejaVu Sans, Noto Sans, sans-serif"
_INK, _SECOND, _ACCENT, _LINES, _PAPER = "#14212b", "#46555f", "#0b6673", "#dcdfdd", "#fbfaf7"


def result_card(report: Report) -> str:
    """The first places of a run with their intervals, and what is certain of them, as SVG of 1200 by 630 points."""
    provenance, table = report.provenance, report.leaderboard
    rows, provisional = [row for row in table.leaderboard if row.matches][:_ROWS], table.provisional
    lines = wrap(table.headline, _LINE, max_lines=2, placeholder=" ...")
    strengths, digits = [strength(row, table.measure) for row in rows], table.measure.digits
    interval = f"{table.measure.unit} with its 95 % interval"
    ends = [value for estimate in strengths for value in estimate if value is not None] or [0.0]
    x = charts.scale(min(ends), max(ends))
    played = plural(report.survey.matches, "match")
    drawn: list[Node] = [
        charts.rect(width=str(WIDTH), height=str(HEIGHT), fill=_PAPER),
        charts.rect(width="14", height=str(HEIGHT), fill=_ACCENT),
        _words(f"{provenance.title} · {plural(len(table.leaderboard), 'bot')} · {played}", y=92, size=28, fill=_SECOND),
        (_words(line, y=168 + 68 * number, size=60, weight="700") for number, line in enumerate(lines)),
        _words(f"{provenance.name} · {provenance.created[:10]} · {interval} · arena", y=588, size=22, fill=_SECOND),
    ]
    for number, (row, (mean, *between)) in enumerate(zip(rows, strengths, strict=True)):
        y, sure = 300 + 52 * number, row.settled and not provisional
        colour = _INK if sure else _SECOND
        low, middle, high = (
            f"{_PLOT_LEFT + (_RIGHT - _PLOT_LEFT) * x(mean if value is None else value) / 100:.1f}"
            for value in (between[0], mean, between[1])
        )
        drawn += [
            charts.line(x1=str(_EDGE), x2=str(WIDTH - _EDGE), y1=str(y + 26), y2=str(y + 26), stroke=_LINES),
            _words(row.ranks.replace("-", "\N{EN DASH}"), y=y + 9, size=26, fill=_SECOND),
            _words(charts.shortened(row.bot, 20), y=y + 9, x=_EDGE + 92, size=26, weight="600"),
            charts.line(x1=low, x2=high, y1=str(y), y2=str(y), stroke=colour, stroke_width="4"),
            charts.circle(cx=middle, cy=str(y), r="9", fill=_INK if sure else _PAPER, stroke=colour, stroke_width="4"),
            _words(f"{mean:.{digits}f}", y=y + 9, x=WIDTH - _EDGE, size=26, anchor="end"),
        ]
    size = f"0 0 {WIDTH} {HEIGHT}"
    return f"{charts.svg(xmlns=_SVG, viewBox=size, font_family=_FONT)[drawn]}\n"


def _words(
    words: str, *, y: int, size: int, x: int = _EDGE, fill: str = _INK, weight: str = "400", anchor: str = "start"
) -> Element:
    style = {"font-size": str(size), "font-weight": weight, "text-anchor": anchor}
    return charts.text(style, x=str(x), y=str(y), fill=fill)[words]


def draw_png(card: str) -> bytes:
    """A card as PNG.

    Raises:
        UsageError: the extra ``cards`` is not installed, or the system has no font.
    """
    try:
        from resvg_py import svg_to_bytes  # noqa: PLC0415 - an extra
    except ModuleNotFoundError:
        from arena.extras import install  # noqa: PLC0415 - needed only here

        raise UsageError(f"expected the package resvg_py, got none; {install('cards')}") from None
    letter = f"{charts.svg(xmlns=_SVG, viewBox='0 0 9 9', font_family=_FONT)[charts.text(y='9', font_size='9')['A']]}"
    if svg_to_bytes(svg_string=letter) == svg_to_bytes(svg_string=letter, skip_system_fonts=True):
        raise UsageError("expected a font such as DejaVu Sans on this system, got none")
    return svg_to_bytes(svg_string=card)
