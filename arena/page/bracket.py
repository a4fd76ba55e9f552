"""The rounds of a format that pairs by results: places, and the tables of each stage. Knows values and markup."""

from collections.abc import Iterator

import htpy
from htpy import Element, Node

from arena.report import findings
from arena.report.bracket import MOST_SENTENCES, Bracket, BracketStage, SatTogether, met_once


def stages(bracket: Bracket) -> Element:
    """Stage by stage the tables, as many as there is room for."""
    shown = 0
    found: list[Node] = []
    for stage in bracket.stages:
        shown += max(len(stage.tables), 1) if met_once(stage) else 1
        if shown > MOST_SENTENCES:
            found.append(htpy.p(".dim")["More stages are not shown here."])
            break
        found.append(_stage(stage))
    return htpy.div(".sittings")[found]


def places(bracket: Bracket) -> Element | None:
    """The places, if there are any yet."""
    if not bracket.places:
        return None
    head = htpy.tr[htpy.th(".left", scope="col")["place"], htpy.th(".left", scope="col")["bot"]]
    rows = [
        htpy.tr[htpy.td(".left")[str(each.place)], htpy.th(scope="row")[each.bot]]
        for each in bracket.places[:MOST_SENTENCES]
    ]
    table = htpy.table(".places")[htpy.caption(".unseen")["Places"], htpy.thead[head], htpy.tbody[rows]]
    return htpy.div(".scroll", tabindex="0", role="region", aria_label="Places")[table]


def _stage(stage: BracketStage) -> Element:
    """A stage: its tables where nobody sat at two, else how many blocks there were; and who sat out."""
    return htpy.div(".sitting")[
        htpy.h3[stage.title],
        htpy.p(".dim")[findings.plural(stage.blocks, "block")],
        [_table(each) for each in stage.tables] if met_once(stage) else None,
        htpy.p(".dim")[f"without playing: {', '.join(stage.byes)}"] if stage.byes else None,
    ]


def _table(sat: SatTogether) -> Element:
    return htpy.ol[list(_lines(sat))]


def _lines(sat: SatTogether) -> Iterator[Element]:
    for each in sat.bots:
        points = "\N{EN DASH}" if each.points is None else f"{each.points:.2f}"
        yield htpy.li[htpy.span[each.bot], htpy.span(".dim")[points]]
