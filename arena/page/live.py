"""The page of a run that is being played, which fetches itself again and again. Knows markup; no folder, no server."""

from collections.abc import Mapping, Sequence
from types import MappingProxyType

import htpy
from htpy import Element, Node
from markupsafe import Markup
from msgspec.structs import replace

from arena.page import board
from arena.page.document import document, scrolled, section
from arena.page.matches import door, faults_of, in_order
from arena.page.report import STYLES, bar, links_of, sections
from arena.report.findings import Report, RunProgress
from arena.report.headline import Result, headline
from arena.report.highlights import MatchRow
from arena.words import plural

LATEST_MATCHES = 10
"""Matches in the list of those that have just finished."""
_STATES = {
    "playing": "live, provisional",
    "quiet": "no news",
    "stopped": "stopped",
    "finished": "finished",
}
_SINCE = {
    "quiet": "No match has ended for a while: it may be long, or the run was stopped. This page follows the run.",
    "stopped": "Nobody plays this run now. This page follows it again when it is resumed.",
    "finished": "The report is being made.",
}
FOLDER_GONE = "The folder of the run is not there: it was moved or deleted. This page follows the run if it comes back."
"""The trouble of a run without a folder."""
_MINUTE = 60
_DOOR = "#door.door"


def live_page(
    report: Report,
    status: RunProgress,
    *,
    tables: Markup,
    figures: Markup,
    latest: Sequence[MatchRow],
    watched: Sequence[MatchRow],
    watchable: bool,
) -> str:
    """The page of a run that is being played.

    Args:
        report: of the matches so far; its leaderboard and groups count.
        status: how far the run is.
        tables: see ``draw_tables``.
        figures: see ``draw_figures``.
        latest: the matches that have just finished, the last one first.
        watched: those that can be watched, each at ``match/ID.html``.
        watchable: whether matches can be watched before the run is finished.
    """
    provenance = report.provenance
    over = f"{provenance.title} · {provenance.seats} seats · run {provenance.name} · {provenance.created}"
    keys = ("bracket", "board", "latest-matches", "duels", "growth", "pace", "seating", "faults")
    links = links_of(report.leaderboard) | {"latest-matches": "Matches"}
    markup = f"{tables}{figures}"
    contents = {key: links[key] for key in keys if f'id="{key}"' in markup or key == "latest-matches"}
    title, pairings = _heading(report, status), list[str]()
    if status.stage is not None:
        from arena.page.bracket import tell_stage  # noqa: PLC0415 - few runs have a format

        title, pairings = tell_stage(status.stage) or (title, [])
    body: list[Node] = [
        htpy.a(".skip", href="#figures")["To the tables"],
        bar(provenance.name, contents),
        htpy.main("#report.page")[
            htpy.header(".top")[
                htpy.p(".over")[over],
                htpy.h1("#verdict")[title],
                htpy.p(".lead")[
                    "Provisional: whiskers shrink as matches come in, and bots may still change places. What is called "
                    "certain here holds at every look; all else is told at the end."
                ],
                _draw_progress(status),
                htpy.ul("#pairings.pairings", hidden=not pairings)[map(htpy.li.__getitem__, pairings)],
                door(watched[0].bots, f"match/{watched[0].id}.html", kind=_DOOR)
                if watched
                else htpy.p(_DOOR, hidden=True),
            ],
            htpy.div("#figures")[
                tables, htpy.div(".pair")[_latest(latest), _open(watched, watchable=watchable)], figures
            ],
            htpy.footer["Read from the folder of the run, in which this page changes nothing."],
        ],
    ]
    return document(
        title=title,
        styles=["tokens.css", *STYLES, "live.css"],
        scripts=["elements.js", "report.js", "live.js"],
        body=body,
        description=f"{provenance.title}, {plural(len(provenance.bots), 'bot')}: {in_words(status)}.",
        served=True,
    )


def _draw_progress(status: RunProgress) -> Element:
    trouble = ("gone" if status.trouble == FOLDER_GONE else "damaged") if status.trouble else _STATES[status.state]
    since = status.trouble or _SINCE.get(status.state, "")
    return htpy.div("#progress.progress", data_state=status.state)[
        htpy.p[
            htpy.b("#state", role="status")[trouble],
            htpy.progress(max=str(max(status.total, 1)), value=str(status.matches), aria_label="matches played"),
            htpy.span[in_words(status)],
        ],
        htpy.p("#since.since", hidden=not since)[since],
    ]


def _heading(report: Report, status: RunProgress) -> str:
    """Who leads, where there is no stage to tell; the number of matches is that of the progress."""
    table = report.leaderboard
    result = Result(
        lead=table.lead,
        matches=status.matches if table.matches else 0,
        planned=status.total,
        about=not status.exact,
        state="playing",
        bracket=table.bracket or None,
    )
    return headline(result)


def in_words(status: RunProgress) -> str:
    """How far a run is."""
    about = "" if status.exact else "about "
    parts = [f"{status.matches:,} of {about}{plural(status.total, 'match')}"]
    parts += [] if status.exact else ["it may end earlier"]
    if status.decisions is not None:
        parts.append(f"{status.decisions:,.0f} decisions/s")
    if status.eta is not None:
        minutes = status.eta / _MINUTE
        parts.append(f"{about}{status.eta:.0f} s left" if minutes < 2 else f"{about}{minutes:,.0f} min left")  # noqa: PLR2004 - as a person would say it
    return " · ".join(parts)


def draw_tables(report: Report, moved: Mapping[str, int] = MappingProxyType({})) -> Markup:
    """The picture of the format as far as it is, and the leaderboard, or one for each group that met no other."""
    nodes = _draw_sections(report, moved)
    bracket, board_ = nodes[:2] if nodes[1:] else (None, nodes[0])
    groups = report.survey.groups
    if len(groups) > 1:
        table = replace(report.leaderboard, house=(), provisional=True)
        rows = table.leaderboard
        languages = {bot.name: bot.language for bot in report.provenance.bots}
        parts: list[Node] = []
        for number, group in enumerate(groups, 1):
            within = [row for row in rows if row.bot in group]
            # nobody outside of its group can be above a bot or below it
            beyond = len(rows) - len(within)
            local = [replace(row, rank=index, rank_high=row.rank_high - beyond) for index, row in enumerate(within, 1)]
            title = f"group {number} of {len(groups)}"
            table = replace(table, leaderboard=tuple(local))
            parts += [htpy.h3[title], board.leaderboard(table, languages, run=title, moved=moved)]
        finding = "Groups that have not met have a table each"
        board_ = section("board", "Leaderboard", finding, board.legend(table), parts, wide=True)
    return Markup(f"{htpy.fragment[bracket, board_]}")  # noqa: S704 - made by htpy, which escapes


def draw_figures(report: Report) -> Markup:
    """All other figures so far."""
    return Markup(f"{htpy.fragment[_draw_sections(report, {})[2:]]}")  # noqa: S704 - likewise


def _draw_sections(report: Report, moved: Mapping[str, int]) -> list[Node]:
    # this report has no list of matches, so nothing may link to it
    return sections(replace(report, leaderboard=replace(report.leaderboard, provisional=True)), "", moved)


def _latest(matches: Sequence[MatchRow]) -> Element:
    rows = [
        htpy.tr(data_id=match.id)[
            htpy.td(".left.dim")[match.id],
            htpy.td(".left.who")[in_order(match)],
            htpy.td(".left.bad.wide")[faults_of(match)],
        ]
        for match in matches
    ]
    table = scrolled("Just finished", htpy.tbody[rows], kind=".matches.latest") if rows else None
    finding = "The latest matches" if rows else "No match is over yet"
    return section("latest-matches", "Just finished", finding, None, table)


def _open(matches: Sequence[MatchRow], *, watchable: bool) -> Element:
    how = (
        "A match opens once its deal was played in all seatings: else its deck could be told to a bot."
        if watchable
        else "The secret of the deals is with its player: matches can be watched once it is finished."
    )
    cards = [
        htpy.li[
            htpy.a(href=f"match/{match.id}.html")[
                htpy.b[" \N{MIDDLE DOT} ".join(match.bots)], htpy.span[match.id], htpy.i["Watch"]
            ]
        ]
        for match in matches
    ]
    finding = "Matches whose deal is done" if cards else "No deal is done yet" if watchable else "Not before the end"
    return section("open-matches", "To watch", finding, how, htpy.ul(".worth")[cards] if cards else None)
