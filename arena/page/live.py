"""The page of a run that is being played, and the messages to it. Knows values and markup; no folder, no server."""

from collections.abc import Mapping, Sequence

import htpy
import msgspec
from htpy import Element, Node
from msgspec.structs import replace

from arena.page.document import document, scrolled
from arena.page.report import LINKS, STYLES, bar, section, sections
from arena.report import findings
from arena.report.findings import Report, RunProgress
from arena.report.losses import MatchRow

SHOWN = 10
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
GONE = "The folder of the run is not there: it was moved or deleted. This page follows the run if it comes back."
"""The trouble of a run without a folder."""
_MINUTE = 60


def live_page(report: Report, status: RunProgress, *, watchable: bool) -> str:
    """The page of a run that is being played; what changes is sent to it.

    ``watchable``: whether matches can be watched before the run is finished.
    """
    told, rows = report.provenance, report.leaderboard.leaderboard
    over = f"{told.title} · {told.seats} seats · run {told.name} · {told.created}"
    keys = ("board", "duels", "growth", "pace", "seating", "faults")
    title = findings.so_far(rows, matches=status.matches, total=status.total)
    body: list[Node] = [
        htpy.a(".skip", href="#board")["To the leaderboard"],
        bar(told.name, {key: LINKS[key] for key in keys}),
        htpy.main("#report.page")[
            htpy.header(".top")[
                htpy.p(".over")[over],
                htpy.h1("#verdict", aria_live="polite")[title],
                htpy.p(".lead")[
                    "Provisional. Whiskers shrink as matches come in, and bots may still change places: no place is "
                    "settled before the run has ended."
                ],
                _progress(status),
            ],
            htpy.div("#figures")[_figures(report, {}, watchable=watchable)],
            htpy.footer["Read from the folder of the run, in which this page changes nothing."],
        ],
    ]
    return document(
        title=title,
        styles=["tokens.css", *STYLES, "live.css"],
        scripts=["elements.js", "report.js", "live.js"],
        body=body,
        served=True,
    )


def _progress(status: RunProgress) -> Element:
    said = said_of(status)
    return htpy.div("#progress.progress", role="status", data_state=status.state)[
        htpy.p[
            htpy.b("#state")[said["label"]],
            htpy.progress("#share", max=str(status.total), value=str(status.matches), aria_label="matches played"),
            htpy.span("#words")[said["words"]],
        ],
        htpy.p("#since.since", hidden=not said["since"])[said["since"]],
    ]


def said_of(status: RunProgress) -> dict[str, str]:
    """A status in words."""
    parts = [f"{status.matches:,} of {findings.plural(status.total, 'match', 'matches')}"]
    if status.decisions is not None:
        parts.append(f"{status.decisions:,.0f} decisions/s")
    if status.left is not None:
        minutes = status.left / _MINUTE
        parts.append(f"{status.left:.0f} s left" if minutes < 2 else f"{minutes:,.0f} min left")  # noqa: PLR2004 - as a person would say it
    return {
        "label": ("gone" if status.trouble == GONE else "damaged") if status.trouble else _STATES[status.state],
        "words": " · ".join(parts),
        "since": status.trouble or _SINCE.get(status.state, ""),
    }


def progress_data(status: RunProgress, open_: Sequence[MatchRow]) -> bytes:
    """The message on the status and the matches that may be watched, as JSON."""
    told = {"state": status.state, "matches": status.matches, "total": status.total, **said_of(status)}
    return msgspec.json.encode(told | {"open": [_row(match) for match in open_]})


def match_data(match: MatchRow) -> bytes:
    """The message on a match that has just finished, as JSON."""
    return msgspec.json.encode(_row(match))


def _row(match: MatchRow) -> dict[str, object]:
    row: dict[str, object] = msgspec.to_builtins(match)
    return row | {"margin": match.margin}


def figures_data(report: Report, status: RunProgress, moved: Mapping[str, int], *, watchable: bool) -> bytes:
    """The message with the figures so far, as JSON: a title, and markup in which all text is escaped."""
    title = findings.so_far(report.leaderboard.leaderboard, matches=status.matches, total=status.total)
    markup = htpy.div["", _figures(report, moved, watchable=watchable)]
    return msgspec.json.encode({"title": title, "figures": f"{markup}\n"})


def _figures(report: Report, moved: Mapping[str, int], *, watchable: bool) -> Node:
    # this report has no list of matches, so nothing may link to it
    shown = sections(replace(report, leaderboard=replace(report.leaderboard, provisional=True)), "", moved)
    return [shown[0], htpy.div("#now.pair")[_finished(), _open(watchable=watchable)], shown[1:]]


def _finished() -> Element:
    nothing = htpy.noscript[htpy.p["This list needs JavaScript."]]
    table = scrolled("Just finished", htpy.tbody("#latest"), kind=".matches")
    return section("latest-matches", "Just finished", "The latest matches", None, nothing, table)


def _open(*, watchable: bool) -> Element:
    how = (
        "A match opens once its deal was played in all seatings: else its deck could be told to a bot."
        if watchable
        else "The secret of the deals is with its player: matches can be watched once it is finished."
    )
    return section("open-matches", "To watch", "Matches whose deal is done", how, htpy.ul("#open.worth"))
