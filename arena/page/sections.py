"""The sections that the page of every run has, whether or not its matches can be watched. Knows values and markup."""

from collections.abc import Iterator, Mapping
from types import MappingProxyType

import htpy
from htpy import Element, Node
from msgspec import UNSET

from arena.page import board, charts
from arena.page.document import grid
from arena.report import findings
from arena.report.bracket import MOST_SENTENCES, Bracket, BracketStage, SatTogether, heading, met_once, places_of
from arena.report.document import Table
from arena.report.survey import Provenance, Report

_PAIRED = 10
"""Of more bots the matrix of duels has the width of the page."""
_CURVES = 16
"""So many curves can be told apart."""
STYLES = ("report.css", "figures.css", "evidence.css")
"""Of a page with such sections, below ``tokens.css``."""


def kicker(name: str) -> Element:
    """The small line above a heading."""
    return htpy.p(".kicker")[name]


def fact(name: str, *shown: Node, bad: bool = False) -> Element:
    """A figure below the title of a page."""
    return htpy.div[htpy.dt[name], htpy.dd(".bad" if bad else "")[shown]]


def section(key: str, name: str, finding: str, how: Node, *body: Node, wide: bool = False) -> Element:
    """A section: its finding is its heading, its name the small line above."""
    said = htpy.p(".how.wide" if wide else ".how")[how] if how else None
    return htpy.section(id=key, aria_labelledby=f"{key}-finding")[
        kicker(name), htpy.h2(id=f"{key}-finding")[finding], said, body
    ]


def sections(report: Report, prefix: str, moved: Mapping[str, int] = MappingProxyType({})) -> list[Node]:
    """The sections of every run, whether its matches can be watched or not; ``prefix`` begins their ids."""
    table, survey, told = report.leaderboard, report.survey, report.provenance
    if not table.leaderboard or survey.ahead is None:
        names = findings.listed([bot.name for bot in told.bots])
        return [
            section(f"{prefix}board", "Leaderboard", "The leaderboard comes with the first match", f"Entered: {names}.")
        ]
    rows, provisional = table.leaderboard, table.provisional
    languages = {bot.name: bot.language for bot in told.bots}
    how = board.legend(provisional=provisional)
    notes = htpy.p(".how.wide")[" ".join(table.notes)] if table.notes else None
    settled = [row.bot for row in rows if row.settled and not provisional]
    shown = {row.bot for row in rows}
    drawn = [row.bot for row in rows if row.matches][:_CURVES]
    series = {bot: [(mark.matches, mark.bots[bot]) for mark in survey.history] for bot in drawn}
    order = {row.bot: index for index, row in enumerate(rows)}
    clocks = sorted((row for row in survey.times if row.bot in shown), key=lambda row: order[row.bot])
    even = 100 / survey.seats[0].seats if survey.seats else 0
    blocks = findings.plural(survey.seats[0].blocks, "whole block") if survey.seats else "whole blocks"
    growth = charts.growth(series, settled=settled, total=survey.history[-1].matches)
    duels = section(
        f"{prefix}duels",
        "Head to head",
        findings.duels(survey.ahead, provisional=provisional),
        "How often the row finished ahead of the column, in per cent; a tie is half."
        + ("" if provisional else " Bold and ▴ ▾: certainly the better bot, or the worse, by all matches.")
        + (f" Of {len(rows)} bots the first {board.MOST_DUELS}." if len(rows) > board.MOST_DUELS else ""),
        board.duels(survey.ahead, run=told.name, provisional=provisional),
    )
    ratings = section(
        f"{prefix}growth",
        "Ratings against matches",
        findings.growth(survey.history, survey.ahead, provisional=provisional),
        "mu by matches of the schedule, in whole blocks. Bands are ranges of 95 % for one bot. Grey: its place is open."
        + (f" The first {_CURVES} of {len(rows)} bots are drawn." if len(drawn) < len(rows) else ""),
        growth,
    )
    pace = section(
        f"{prefix}pace",
        "Answering times",
        findings.pace(clocks),
        "On a log scale up to the limit. Long tick: the median; short tick: 99 % of the answers; dot: the longest.",
        charts.times(clocks, told.limit),
    )
    seats = section(
        f"{prefix}seating",
        "Seats",
        findings.seating(survey.seats, provisional=provisional),
        f"Mean rank over {blocks}, in which each bot has sat once in each seat of the same deal. At the right: matches "
        f"won; {even:.0f} % is even.",
        charts.seats(survey.seats, provisional=provisional) if survey.seats else None,
    )
    return [
        section(
            f"{prefix}board", "Leaderboard", findings.board(rows, provisional=provisional), how,
            notes, board.leaderboard(rows, languages, run=told.name, provisional=provisional, moved=moved), wide=True,
        ),
        _bracket(table.bracket, prefix) if table.bracket is not UNSET else None,
        htpy.div(".pair")[duels, ratings] if len(rows) <= _PAIRED else [duels, ratings],
        htpy.div(".pair")[pace, htpy.div[seats, _faults(report, prefix)]],
    ]  # fmt: skip


def _bracket(bracket: Bracket, prefix: str) -> Element:
    how = [heading(bracket), *(f" {note}" for note in bracket.notes)]
    shown = places_of(bracket, MOST_SENTENCES)
    places = grid("Places", shown, kind=".places", more={"place": ".left"}) if shown.rows else None
    return section(f"{prefix}bracket", "Format", findings.bracket(bracket), how, places, _stages(bracket))


def _stages(bracket: Bracket) -> Element:
    """Stage by stage the tables, as many as there is room for."""
    shown = 0
    nodes: list[Node] = []
    for stage in bracket.stages:
        shown += max(len(stage.tables), 1) if met_once(stage) else 1
        if shown > MOST_SENTENCES:
            nodes.append(htpy.p(".dim")["More stages are not shown here."])
            break
        nodes.append(_stage(stage))
    return htpy.div(".sittings")[nodes]


def _stage(stage: BracketStage) -> Element:
    return htpy.div(".sitting")[
        htpy.h3[stage.title],
        htpy.p(".dim")[findings.plural(stage.blocks, "block")],
        [htpy.ol[_seats(table)] for table in stage.tables] if met_once(stage) else None,
        htpy.p(".dim")[f"without playing: {', '.join(stage.byes)}"] if stage.byes else None,
    ]


def _seats(table: SatTogether) -> Iterator[Element]:
    for seat in table.bots:
        points = board.DASH if seat.points is None else f"{seat.points:.2f}"
        yield htpy.li[htpy.span[seat.bot], htpy.span(".dim")[points]]


def _faults(report: Report, prefix: str) -> Element:
    watched = set() if prefix else {chosen.number: chosen for chosen in report.survey.chosen}.keys()
    ids = {match.number: match.id for match in report.survey.listed}
    path = report.provenance.path

    def where(number: int, decision: int) -> Node:
        named = f"match #{number}"
        if number in watched and number in ids:
            return htpy.a(href=f"#replay={ids[number]}&decision={decision}")[named]
        return htpy.code[f"arena replay {path} '#{number}'"]

    told = [
        htpy.div(".fault")[
            htpy.h3[fault.bot, htpy.span[fault.kind]],
            htpy.p(".often")[f"{fault.count:,}"],
            htpy.div[
                htpy.ul[(htpy.li[htpy.b[f"{rule.count}\N{MULTIPLICATION SIGN}"], rule.rule] for rule in fault.rules)],
                htpy.p(".dim")[
                    f"in {findings.plural(fault.matches, 'match', 'matches')}",
                    f", retired it in {fault.retired}" if fault.retired else "",
                    "; first in ",
                    where(fault.first_match, fault.first_decision),
                    f", decision {fault.first_decision}" if fault.first_decision >= 0 else ", at the start",
                ],
            ],
        ]
        for fault in report.survey.faults
    ]
    how = "For a decision with a fault silence answers. Too many in a match retire a bot from it." if told else None
    return section(f"{prefix}faults", "Faults", findings.faults(report.survey.faults), how, told)


def _command(words: str) -> Element:
    copied = htpy.button(".button", type="button", data_copy=words, aria_label=f"Copy {words}")["Copy"]
    return htpy.div(".command")[htpy.code(tabindex="0", role="region", aria_label=words)[words], copied]


def shortened_digest(digest: str) -> Element:
    """The beginning of a digest; pointing at it shows the whole."""
    return htpy.code(title=digest)[f"{digest[:16]}\N{HORIZONTAL ELLIPSIS}"]


def provenance(told: Provenance) -> Element:
    """The section."""
    facts = [(htpy.dt[name], htpy.dd[words]) for name, words in told.facts.items()]
    for commitment, seed in told.commitments:
        checked = (
            htpy.span(data_seed=seed, data_commitment=commitment)["published before the first deal"] if seed else None
        )
        facts.append((htpy.dt["seed"], htpy.dd[htpy.code[seed or "not revealed yet"]]))
        facts.append((htpy.dt["commitment"], htpy.dd[htpy.code[commitment], " ", checked]))
    rows = [
        {
            "bot": bot.name,
            "language": bot.language or board.DASH,
            "version": bot.version or board.DASH,
            "SHA-256 of command and files": shortened_digest(bot.digest),
            "command": htpy.code[bot.command],
        }
        for bot in told.bots
    ]
    return section(
        "provenance",
        "Provenance",
        "Everything above follows from the seed and the recorded picks",
        "Anyone with the folder of the run can derive it again. This page only shows what follows from it.",
        [_command(words) for words in told.verify],
        htpy.dl(".provenance")[facts],
        grid("Bots", Table(rows=rows, left=rows[0])),
    )
