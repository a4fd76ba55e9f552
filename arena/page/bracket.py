"""The podium of a format, its knockout as boxes joined by lines, and its rounds as one table. Knows values."""

from collections.abc import Mapping, Sequence
from itertools import groupby
from statistics import fmean

import htpy
from htpy import Element, Node

from arena.page import charts
from arena.page.board import DASH
from arena.page.document import grid, section
from arena.report.bracket import Bracket, BracketStage, SatTogether, Seated, heading, met_once, places_of
from arena.report.document import Table
from arena.words import listed, plural

_WIDE, _BETWEEN, _ROW, _APART, _HEAD, _LETTERS = 188, 36, 24, 12, 26, 18
"""Points of a screen: of a box, between stages, of a bot, between boxes, of a title; and letters of a name."""
_MOST = 64
"""Tables that are drawn; of more the last ones."""
_STEPS = 3
_ROUNDS = (
    "Of each round: the share of opponents that a bot finished ahead of, a tie half; in small figures against whom. "
    "Places are by strength, not by the sum of these, for not all met the same opponents."
)
_TABLES, _PAIRINGS = 2, 32
"""Tables of a stage that a heading tells, and that a list below it does."""
_STAR = "\N{BLACK STAR}"


def podium(bracket: Bracket) -> Node:
    """Who came first, second and third by the format itself; nothing before it has ended."""
    if bracket.question or not bracket.places:
        return None
    steps = [(place, [entry.bot for entry in group]) for place, group in groupby(bracket.places, lambda at: at.place)]
    return htpy.ol(".podium", aria_label="Podium")[
        (
            htpy.li[htpy.b[f"{_STAR} " if place == 1 else "", str(place)], " ", listed(bots)]
            for place, bots in steps[:_STEPS]
        )
    ]


def format_section(bracket: Bracket, prefix: str, colours: Mapping[str, int], *, linked: bool) -> Element:
    """How a format went; where it is ``linked`` a table leads to its matches. ``colours`` are those of bots."""
    places = places_of(bracket, most=None)
    drawn: list[Node] = []
    crossed = False
    for (once, _), group in groupby(bracket.stages, lambda stage: (met_once(stage), stage.title.rpartition(": ")[0])):
        stages = list(group)
        if not once:
            drawn += [_standings(stage) for stage in stages]
        elif len(stages) > 1 and _bots(stages[0]) <= _bots(stages[-1]):
            crossed = True
            drawn.append(_crosstable(bracket, stages))
        else:
            drawn.append(_knockout(bracket, stages, colours, linked=linked))
    notes = [_ROUNDS, *bracket.notes] if crossed else [*bracket.notes]
    return section(
        f"{prefix}bracket",
        "Format",
        heading(bracket).removesuffix("."),
        None,
        drawn,
        htpy.details(".how")[
            htpy.summary["All places, and how they came about"],
            [htpy.p[note] for note in (*notes, *map(_explain_onward, bracket.stages)) if note],
            grid("Places", places, kind=".places", more={"place": ".left"}) if places.rows else None,
        ]
        if notes or places.rows
        else None,
    )


def _explain_onward(stage: BracketStage) -> str:
    """Why bots went on from a stage that is drawn as boxes, which have no room for it."""
    seats = [seat for table in stage.tables for seat in table.bots if seat.onward] if met_once(stage) else []
    return f"{stage.title}: {'; '.join(f'{seat.bot}, {seat.onward}' for seat in seats)}." if seats else ""


def _bots(stage: BracketStage) -> set[str]:
    return {seat.bot for table in stage.tables for seat in table.bots} | {*stage.byes}


def tell_stage(stage: BracketStage) -> tuple[str, list[str]] | None:
    """A stage that is being played as a heading, and how it stands at each table that the heading has no room for.

    None of a stage in which bots sit at several tables.
    """
    if not met_once(stage):
        return None
    stands = [
        " \N{EN DASH} ".join(f"{seat.bot} {_points(seat) if seat.matches else 0}" for seat in table.bots)
        for table in stage.tables
    ]
    few = len(stands) <= _TABLES
    summary = "; ".join(stands) if few else plural(len(stands), "table")
    return f"{stage.title[:1].upper()}{stage.title[1:]}: {summary}", [] if few else stands[:_PAIRINGS]


def _points(seat: Seated) -> str:
    """In matches won, as ``28`` or ``27.5``."""
    if seat.points is None:
        return DASH
    return f"{seat.points * seat.matches:.1f}".removesuffix(".0")


def _standings(stage: BracketStage) -> Element:
    """The tables of a stage at which bots sat several times: who had how many points."""
    rest = f", {plural(stage.left, 'match')} left" if stage.left else ""
    tables = [
        htpy.ol[
            (
                htpy.li[
                    (htpy.b if seat.onward else htpy.span)[seat.bot],
                    htpy.span(".dim")[f"{_points(seat)} of {seat.matches}"],
                    htpy.small(".dim")[seat.onward] if seat.onward else None,
                ]
                for seat in table.bots
            )
        ]
        for table in stage.groups or stage.tables[:_MOST]
    ]
    return htpy.div(".sitting")[htpy.h3[stage.title], htpy.p(".dim")[plural(stage.blocks, "block") + rest], tables]


def _crosstable(bracket: Bracket, stages: Sequence[BracketStage]) -> Element:
    """The rounds of bots that all stay in, as one table: points and opponents of each round."""
    by_bot: dict[str, list[tuple[Seated, list[str]] | None]] = {}
    for number, stage in enumerate(stages):
        for table in stage.tables:
            for seat in table.bots:
                rounds = by_bot.setdefault(seat.bot, [None] * len(stages))
                rounds[number] = seat, [other.bot for other in table.bots if other is not seat]
    total = {bot: sum(met[0].points or 0 for met in rounds if met) for bot, rounds in by_bot.items()}
    # places are by strength, which is not the sum of points: not all met the same opponents
    places = {entry.bot: entry.place for entry in bracket.places}
    order = sorted(by_bot, key=lambda bot: (places.get(bot, len(by_bot)), -total[bot], bot))
    numbers = {bot: number for number, bot in enumerate(order, 1)}

    def cell(met: tuple[Seated, list[str]] | None) -> Node:
        if met is None or met[0].points is None:
            return DASH
        against = " ".join(map(str, sorted(numbers[bot] for bot in met[1])))
        return [_share(met[0].points), htpy.small(title=f"against {', '.join(met[1])}")[f" {against}"]]

    rows = [
        {"": str(numbers[bot]), "bot": bot} | {str(number): cell(met) for number, met in enumerate(by_bot[bot], 1)}
        for bot in order
    ]
    return grid("Crosstable", Table(rows=rows), kind=".crosstable")


def _share(points: float) -> str:
    return f"{points:.2f}".rstrip("0").rstrip(".")


def _knockout(bracket: Bracket, stages: Sequence[BracketStage], colours: Mapping[str, int], *, linked: bool) -> Element:
    """Stage by stage a box for each table; a line goes with each bot that goes on."""
    while sum(len(stage.tables) for stage in stages) > _MOST and stages[1:]:
        stages = stages[1:]
    columns = _in_order([stage.tables for stage in stages])
    # by bot, the right end of the row in which it stood last
    last: dict[str, tuple[int, float]] = {}
    lines, boxes = list[Node](), list[Node]()
    height = 0.0
    first = {entry.bot for entry in bracket.places if entry.place == 1} if stages[-1] is bracket.stages[-1] else set()
    for number, (stage, tables) in enumerate(zip(stages, columns, strict=True)):
        left, free = number * (_WIDE + _BETWEEN), float(_HEAD)
        boxes.append(charts.text(".axis", x=str(left), y="14")[stage.title.partition(": ")[2] or stage.title])
        later = {seat.bot for beyond in stages[number + 1 :] for table in beyond.tables for seat in table.bots}
        for table in tables:
            high = _ROW * len(table.bots)
            feeding = [last[seat.bot][1] for seat in table.bots if seat.bot in last]
            top = max(free, fmean(feeding) - high / 2 if feeding else free)
            free = top + high + _APART
            height = max(height, top + high)
            rows = {seat.bot: top + _ROW * (index + 0.5) for index, seat in enumerate(table.bots)}
            for bot, y in rows.items():
                if bot in last:
                    x, before = last[bot]
                    lines.append(charts.path(".join", d=f"M{x} {before:.0f}H{left - _BETWEEN // 2}V{y:.0f}H{left}"))
            boxes.append(
                _box(table, left, top, colours, onward=later or first, stars=set() if later else first, linked=linked)
            )
            last |= {bot: (left + _WIDE, y) for bot, y in rows.items()}
    wide = len(stages) * (_WIDE + _BETWEEN) - _BETWEEN
    svg = charts.svg(viewBox=f"-1 0 {wide + 2} {height + 1:.0f}", width=str(wide + 2), height=f"{height + 1:.0f}")
    away = len(bracket.stages) - len(stages) if len(stages) < len(bracket.stages) else 0
    label = "Bracket" + (f", without the first {plural(away, 'stage')}" if away and met_once(bracket.stages[0]) else "")
    return htpy.div(".scroll.bracket", tabindex="0", role="region", aria_label=label)[svg[lines, boxes]]


def _in_order(stages: Sequence[Sequence[SatTogether]]) -> list[list[SatTogether]]:
    """The tables of each stage such that few lines cross: a table stands where its bots go on to."""
    columns = [list(tables) for tables in stages]
    for early, late in zip(columns[-2::-1], columns[:0:-1], strict=True):
        at = {seat.bot: index + row / 99 for index, table in enumerate(late) for row, seat in enumerate(table.bots)}
        early.sort(key=lambda table: min((at[seat.bot] for seat in table.bots if seat.bot in at), default=len(late)))
    return columns


def _box(
    table: SatTogether, left: int, top: float, colours: Mapping[str, int], *,
    onward: set[str], stars: set[str], linked: bool,
) -> Node:  # fmt: skip
    high = _ROW * len(table.bots)
    drawn: list[Node] = [charts.rect(".box", x=str(left), y=f"{top:.0f}", width=str(_WIDE), height=str(high), rx="4")]
    for index, seat in enumerate(table.bots):
        y = f"{top + _ROW * (index + 0.5) + 4:.0f}"
        star = f"{_STAR} " if seat.bot in stars else ""
        kind = ".on" if seat.bot in onward else ""
        name = charts.shortened(seat.bot, _LETTERS)
        at = {"cx": str(left + 13), "cy": f"{float(y) - 4:.0f}", "r": "4"}
        drawn.append(charts.circle(f".bot-{colours[seat.bot]}", at) if seat.bot in colours else None)
        drawn.append(charts.text(kind, x=str(left + 24), y=y)[f"{star}{name}"])
        drawn.append(charts.text(kind, x=str(left + _WIDE - 10), y=y, text_anchor="end")[_points(seat)])
    scores = "-".join(map(_points, table.bots))
    label = f"{listed([seat.bot for seat in table.bots])}: {scores}"
    if not linked:
        return charts.group(role="img", aria_label=label)[drawn]
    pair = [seat.bot for seat in table.bots][:2]
    more: Mapping[str, str] = {"data-bot": pair[0], "data-other": pair[-1]}
    return htpy.a(more, href="#matches", aria_label=f"{label}, to the matches")[charts.title[f"{scores}"], drawn]
