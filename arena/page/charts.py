"""Charts as SVG in percents and pixels, so that they follow the width of the page and their text keeps its size.

Each has its figures in words too, for those who cannot see it. Knows values; knows no page around them.
"""

from collections.abc import Callable, Mapping, Sequence
from math import ceil, floor, log10
from types import MappingProxyType
from zlib import crc32

import htpy
from htpy import Element, Node

from arena.report.findings import RatingPoint
from arena.report.render import LeaderboardRow
from arena.report.seats import SeatRow
from arena.report.times import BotTimes
from arena.results.measure import RATING, Measure

Scale = Callable[[float], float]
TOGETHER, _PANEL = 8, 72
"""So many curves can be told apart in one chart; the height of the panel of one."""

svg, circle, line, path, rect = htpy.svg, htpy.circle, htpy.line, htpy.path, htpy.rect
text, group, title = htpy.text, htpy.g, htpy.title


def percent(value: float) -> str:
    """A place on the x axis."""
    return f"{value:.1f}%"


def find_ticks(low: float, high: float, most: int = 6) -> list[float]:
    """Round numbers for an axis from ``low`` to ``high``, at most ``most`` + 1 of them."""
    span = (high - low) or 1.0
    step = 10.0 ** floor(log10(span / most))
    step *= next(factor for factor in (1, 2, 5, 10) if span / (step * factor) <= most)
    return [step * index for index in range(ceil(low / step - 1e-9), floor(high / step + 1e-9) + 1)]


def scale(low: float, high: float) -> Scale:
    """Values to percents."""
    return lambda value: 100 * (value - low) / ((high - low) or 1.0)


def apart(targets: Sequence[float], gap: float, low: float, high: float) -> list[float]:
    """Places near the wanted ones, at least a gap apart where there is room, in the same order."""
    # what rounding tells apart stays in the order it came in
    order = sorted(range(len(targets)), key=lambda index: round(targets[index], 6))
    places = [targets[position] for position in order]
    for after in range(1, len(places)):
        places[after] = max(places[after], places[after - 1] + gap)
    over = places[-1] - high if places else 0.0
    if over > 0:
        places[-1] = high
        for after in range(len(places) - 2, -1, -1):
            places[after] = min(places[after], places[after + 1] - gap)
    moved = [0.0] * len(targets)
    for after, place in zip(order, places, strict=True):
        moved[after] = max(place, low)
    return moved


class Marks:
    """A scale with round numbers, for a column of whiskers below its axis."""

    def __init__(self, low: float, *, high: float, measure: Measure) -> None:
        """From a value of the measure to another."""
        self._unit, self._digits = measure.unit, (digits := measure.digits)
        self._x = scale(low, high)
        self._marks = find_ticks(low, high, 7)
        # what has the same name is the same, wherever in a page
        self._name = f"m{10 ** (digits + 1) * low:.0f}_{10 ** (digits + 1) * high:.0f}"
        self.ends = f"{low:.{digits + 1}f} {high:.{digits + 1}f}"

    def axis(self) -> Element:
        """The numbers above a column, and the lines that its cells use."""
        places = [(percent(self._x(mark)), mark) for mark in self._marks]
        return svg(aria_hidden="true")[
            htpy.defs[group(id=self._name)[(line(".rule", x1=x, x2=x, y2="100%") for x, _ in places)]],
            (text(".axis", x=x, y="12", text_anchor="middle")[f"{mark:g}"] for x, mark in places),
        ]

    def whisker(self, strength: tuple[float, float | None, float | None], rating: float | None) -> Element:
        """A mean with the ends of its interval, and the rating where that counts."""
        mean, low, high = strength
        between = "too few blocks for an interval"
        if low is not None and high is not None:
            between = f"95 % between {low:.{self._digits}f} and {high:.{self._digits}f}"
        low, high = mean if low is None else low, mean if high is None else high
        return svg(role="img", aria_label=f"{self._unit} {mean:.{self._digits}f}, {between}")[
            htpy.use(href=f"#{self._name}"),
            line(".whisker", x1=percent(self._x(low)), x2=percent(self._x(high))),
            circle(".dot", cx=percent(self._x(mean))),
            None if rating is None else rect(".tick", x=percent(self._x(rating))),
        ]


def span(row: LeaderboardRow, bots: int) -> Element:
    """The places that a bot may have, on a line of all places."""
    x = scale(1, max(bots, 2))
    # a line without length would not be drawn
    low, high = percent(x(row.rank_low)), percent(x(row.rank_high) + 0.1)
    return svg(aria_hidden="true")[line(".span", x1=low, x2=high)]


def growth(
    series: Mapping[str, Sequence[tuple[int, RatingPoint]]],
    *,
    settled: Sequence[str],
    total: int,
    measure: Measure = RATING,
    first: int = 0,
    unit: str = "matches",
    height: int = 300,
    colours: Mapping[str, int] = MappingProxyType({}),
) -> Element:
    """What ranks bots by matches, or by another unit from ``first`` to ``total``: a line with its band for each.

    Of more bots than can be told apart each has a panel, with the lines of all the others behind its own.
    """
    alone = len(series) > TOGETHER
    height = _PANEL if alone else height
    values = [
        value
        for points in series.values()
        for _, point in points
        for value in (point.mean, point.low, point.high)
        if value is not None
    ]
    low, high, digits = min(values), max(values), measure.digits
    if high - low < (least := 10.0 ** (1 - digits)):
        # a line on the edge would not be seen
        low, high = (low + high) / 2 - least, (low + high) / 2 + least

    def y(value: float) -> float:
        below, around = (4, 8) if alone else (24, 34)
        return height - below - (height - around) * (value - low) / (high - low)

    if alone:
        extent = f"{measure.unit} from {low:.{digits}f} to {high:.{digits}f}"
        return _panels(series, scale(first, total), y, extent, digits, colours)
    x, marks = scale(first, total), [mark for mark in find_ticks(first, total) if mark == round(mark)]
    ends = apart([y(points[-1][1].mean) for points in series.values()], 15, 6, height - 24)
    grid: list[Node] = []
    for mark in find_ticks(low, high, 5):
        place = f"{y(mark):.1f}"
        grid.append(line(".hair", x1="0%", x2="100%", y1=place, y2=place))
        grid.append(text(".axis", x="-8", y=f"{y(mark) + 4:.1f}", text_anchor="end")[f"{mark:g}"])
    # the last label has a noun beside it, and needs room
    for mark in [mark for mark in marks[1:] if mark == marks[-1] or x(marks[-1]) - x(mark) > 24]:  # noqa: PLR2004
        words = f"{mark:g} {unit}" if mark == marks[-1] else f"{mark:g}"
        anchor = "end" if x(mark) > 90 else "middle"  # noqa: PLR2004 - near the edge
        near = mark != marks[-1] and x(marks[-1]) - x(mark) < 45  # noqa: PLR2004 - too near on a phone
        kind = ".axis.near" if near else ".axis"
        grid.append(text(kind, x=percent(x(mark)), y=str(height - 4), text_anchor=anchor)[words])
    lines = [
        _curve(bot, points, x, y, height=height, label=end, settled=bot in settled, digits=digits, colours=colours)
        for (bot, points), end in zip(series.items(), ends, strict=True)
    ]
    summary = "; ".join(f"{bot} {points[-1][1].mean:.{digits}f}" for bot, points in series.items())
    label = f"{measure.unit} of each bot after up to {total} {unit}. At the end: {summary}."
    return htpy.div(".chart.growth")[svg(height=str(height), role="img", aria_label=label)[grid, lines]]


def _panels(
    series: Mapping[str, Sequence[tuple[int, RatingPoint]]], x: Scale, y: Scale, extent: str, digits: int,
    colours: Mapping[str, int],
) -> Element:  # fmt: skip
    others = "".join(_line(points, x, y) for points in series.values())
    name = f"curves-{crc32(others.encode()):x}"
    panels = [
        htpy.figure(_kind(bot, colours))[
            htpy.figcaption[htpy.b[bot], " ", htpy.small[f"{points[-1][1].mean:.{digits}f}"]],
            _drawn(points, x, y, height=_PANEL, kind="", behind=htpy.use(href=f"#{name}")),
        ]
        for bot, points in series.items()
    ]
    defined = svg(width="0", height="0", aria_hidden="true")[htpy.defs[path(".others", id=name, d=others)]]
    return htpy.div(".chart.panels")[
        defined, panels, htpy.p(".dim")[f"In each panel {extent}. In the back: the others."]
    ]


def _kind(bot: str, colours: Mapping[str, int]) -> str:
    return f".bot-{colours[bot]}" if bot in colours else ""


def _line(points: Sequence[tuple[int, RatingPoint]], x: Scale, y: Scale) -> str:
    return "M" + "L".join(f"{x(index):.1f} {y(point.mean):.1f}" for index, point in points)


def _drawn(
    points: Sequence[tuple[int, RatingPoint]], x: Scale, y: Scale, *, height: int, kind: str, behind: Node = None
) -> Element:
    """A curve with its band, as wide as what it stands in."""
    band = [
        (index, point.low, point.high) for index, point in points if point.low is not None and point.high is not None
    ]
    upper = [f"{x(index):.1f} {y(high):.1f}" for index, _, high in band]
    lower = [f"{x(index):.1f} {y(low):.1f}" for index, low, _ in reversed(band)]
    return svg(viewBox=f"0 0 100 {height}", width="100%", height=str(height), preserveAspectRatio="none")[
        behind,
        path(f".band{kind}", d=f"M{'L'.join([*upper, *lower])}Z") if band else None,
        path(f".line{kind}", d=_line(points, x, y)),
    ]


def _curve(
    bot: str, points: Sequence[tuple[int, RatingPoint]], x: Scale, y: Scale, *, height: int, label: float,
    settled: bool, digits: int, colours: Mapping[str, int],
) -> Element:  # fmt: skip
    kind = "" if settled else ".open"
    caption = text(f".label{kind}", x="100%", dx="8", y=f"{label + 4:.1f}")[shortened(bot, 12)]
    alone = circle(f".dot{kind}", cx=percent(x(points[0][0])), cy=f"{y(points[0][1].mean):.1f}", r="4")
    drawn = _drawn(points, x, y, height=height, kind=kind)
    return group(f".bot{_kind(bot, colours)}")[
        title[f"{bot}: {points[-1][1].mean:.{digits}f}"], drawn, None if points[1:] else alone, caption
    ]


def shortened(name: str, most: int) -> str:
    """A name that fits beside a chart."""
    return name if len(name) <= most else f"{name[: most - 1]}\N{HORIZONTAL ELLIPSIS}"


def times(rows: Sequence[BotTimes], limit: float) -> Element:
    """A histogram for each bot on a log scale up to the limit (in milliseconds)."""
    tall, top = 34, 20
    height = top + tall * len(rows) + 6
    shortest = min((bucket.ms for row in rows for bucket in row.histogram), default=0.1)
    longest = max((row.ms_max or 0.0 for row in rows), default=0.0)
    near = longest > limit / 10 or any(row.late for row in rows)
    low, high = log10(min(shortest / 1.3, limit / 10)), log10(limit if near else max(longest, 0.1)) + 0.18

    def x(ms: float) -> float:
        return 100 * (log10(max(ms, 10**low)) - low) / (high - low)

    drawn: list[Node] = []
    powers = range(ceil(low), ceil(min(log10(limit * 0.1), high)))
    for power in powers:
        tick = percent(x(10.0**power))
        # on a phone there is no room for labels beside the limit, nor for all other labels
        kind = ".axis.near" if (powers[-1] - power) % 2 == 0 else ".axis"
        drawn.append(line(".hair", x1=tick, x2=tick, y1=str(top - 4), y2=str(height)))
        # where the limit is named
        if x(10.0**power) < 70:  # noqa: PLR2004
            drawn.append(text(kind, x=tick, y="10", text_anchor="middle")[f"{10.0**power:g} ms"])
    if near:
        edge = percent(x(limit))
        drawn.append(line(".limit", x1=edge, x2=edge, y1=str(top - 4), y2=str(height)))
    beyond = "" if near else " \N{RIGHTWARDS ARROW}"
    drawn.append(text(".limit", x="100%", y="10", text_anchor="end")[f"limit {limit:g} ms{beyond}"])
    drawn += [_clock(row, x, base=top + tall * (index + 1) - 5, tall=tall - 9) for index, row in enumerate(rows)]
    summary = "; ".join(
        f"{row.bot} median {row.ms_median or 0:.2g} ms, 99 % within {row.ms_p99 or 0:.3g} ms, {row.late} late"
        for row in rows
    )
    label = f"Answering times against the limit of {limit:g} ms: {summary}."
    return htpy.div(".chart.times")[svg(height=str(height), role="img", aria_label=label)[drawn]]


def _clock(row: BotTimes, x: Scale, *, base: int, tall: int) -> Element:
    most = max((bucket.count for bucket in row.histogram), default=1)
    parts: list[Node] = [
        text(".label", x="-10", y=str(base - 3), text_anchor="end")[shortened(row.bot, 15)],
        line(".hair", x1="0%", x2="100%", y1=str(base), y2=str(base)),
    ]
    steps = []
    for bucket in row.histogram:
        # the square root makes rare answers visible, such as long ones
        rise = tall * (bucket.count / most) ** 0.5
        start, right = x(bucket.ms / 10**0.1), x(bucket.ms) - 0.15
        steps.append(f"M{start:.1f} {base}V{base - rise:.1f}H{max(right, start + 0.2):.1f}V{base}")
    bars = path(".bin", d="".join(steps))
    parts.append(svg(viewBox=f"0 0 100 {base}", width="100%", height=str(base), preserveAspectRatio="none")[bars])
    for kind, ms, rise in ((".median", row.ms_median, 18), (".p99", row.ms_p99, 11)):
        if ms is not None:
            parts.append(line(kind, x1=percent(x(ms)), x2=percent(x(ms)), y1=str(base - rise), y2=str(base + 2)))
    if row.ms_max is not None:
        parts.append(circle(".longest", cx=percent(x(row.ms_max)), cy=str(base), r="3"))
    if row.late:
        parts.append(text(".limit", x="100%", dx="8", y=str(base - 3))[f"{row.late} late"])
    return group[parts]


def seats(rows: Sequence[SeatRow], *, provisional: bool) -> Element:
    """The mean rank of each seat against even, with its interval, and its share of first places."""
    tall, top = 34, 22
    height = top + tall * len(rows)
    reach = max([0.08, *(abs(row.mean_rank - 0.5) + (row.rank_margin or 0) for row in rows)]) * 1.15
    x = scale(0.5 - reach, 0.5 + reach)
    drawn: list[Node] = [
        text(".axis", x="0%", y="11")["\N{LEFTWARDS ARROW} better"],
        text(".axis", x="50%", y="11", text_anchor="middle")["even"],
        text(".axis", x="100%", y="11", text_anchor="end")["worse \N{RIGHTWARDS ARROW}"],
        line(".even", x1="50%", x2="50%", y1=str(top - 4), y2=str(height)),
    ]
    for index, row in enumerate(rows):
        y, margin = top + tall * index + tall // 2, row.rank_margin or 0
        low, right = percent(x(row.mean_rank - margin)), percent(x(row.mean_rank + margin))
        odd = row.uneven and not provisional
        drawn += [
            line(".hair", x1="0%", x2="100%", y1=str(y + tall // 2), y2=str(y + tall // 2)),
            text(".label", x="-10", y=str(y + 4), text_anchor="end")[f"seat {row.seat}"],
            line(".whisker", x1=low, x2=right, y1=str(y), y2=str(y)),
            circle(".dot" if odd else ".dot.open", cx=percent(x(row.mean_rank)), cy=str(y), r="5"),
            text(x="100%", dx="10", y=str(y + 4))[f"{100 * row.first:.0f} %"],
        ]
    summary = "; ".join(f"seat {row.seat} {row.mean_rank:.3f}, wins {100 * row.first:.0f} %" for row in rows)
    label = f"Mean rank by seat, 0.5 is even, and matches won: {summary}."
    return htpy.div(".chart.seats")[svg(height=str(height), role="img", aria_label=label)[drawn]]
