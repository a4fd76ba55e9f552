"""The matches of a run on a page: the list, those worth a look, and the data for the script. Knows no game."""

from collections.abc import Collection, Iterator, Mapping, Sequence

import htpy
import msgspec
from htpy import Element, Node

from arena.page.document import packed, scrolled, section
from arena.report import findings
from arena.report.findings import Report
from arena.report.highlights import Highlight, MatchRow
from arena.report.replay import Replay

_MATCHES = 10
"""Matches that are listed where no script can show all."""


def matches_section(report: Report, replays: Mapping[int, Replay]) -> Node:
    """The section; ``replays`` has by number the matches that can be watched in the page."""
    survey, path = report.survey, report.provenance.path
    if not survey.listed:
        return None
    worth = [
        _worth(highlight, replays[highlight.number], path)
        for highlight in survey.highlights
        if highlight.number in replays
    ]
    rows = [_match(match) for match in survey.listed[:_MATCHES]]
    columns = [
        htpy.th(".left", scope="col")["match"],
        htpy.th(".left", scope="col")["bots by seat", htpy.span(".outcome")[", and their scores"]],
        htpy.th(".wide.outcome", scope="col")[htpy.span(".unseen")["scores"]],
        htpy.th(".outcome", scope="col")["margin"],
        htpy.th(".wide", scope="col")["decisions"],
        htpy.th(".left.wide", scope="col")["faults"],
        htpy.th(".go", scope="col")[htpy.span(".unseen")["watch"]],
    ]
    return section(
        "matches",
        "Matches",
        findings.matches(survey, len(replays)),
        None,
        results_switch(),
        htpy.ul(".worth")[worth] if worth else None,
        htpy.noscript[htpy.p["The first of them; all by ", htpy.code[f"arena matches {path}"]]],
        scrolled("Matches", htpy.thead[htpy.tr[columns]], htpy.tbody("#rows")[rows], kind=".matches"),
    )


def _match(match: MatchRow) -> Element:
    """A row of the list, as the script of the page draws it, without the picture of its scores."""
    return htpy.tr[
        htpy.td(".left.dim")[f"#{match.number}"],
        htpy.td(".left.who")[by_seat(match)],
        htpy.td(".wide.outcome"),
        htpy.td(".outcome")[str(match.margin)],
        htpy.td(".wide")[str(match.decisions)],
        htpy.td(".left.bad.wide.faults")[faults_of(match)],
        htpy.td(".go"),
    ]


def results_switch() -> Element:
    """A box by which whoever reads a page has the results shown that its doors keep from them; it needs no script."""
    return htpy.label(".results")[htpy.input(type="checkbox"), " Show results"]


def by_seat(match: MatchRow) -> Iterator[Node]:
    """Bots of a match, and, for who wants to know, how it ended."""
    for seat, bot in enumerate(match.bots):
        yield " \N{MIDDLE DOT} " if seat else None
        yield htpy.span(".won" if match.ranks[seat] == 0 else "")[bot]
        retired = htpy.b(".bad")[" retired"] if seat in match.retired else None
        yield htpy.span(".outcome")[f" {match.scores[seat]}", retired]


def in_order(match: MatchRow) -> Iterator[Node]:
    """Bots and scores of a match, the winner first."""
    for index, seat in enumerate(order := match.order):
        tied = "=" if index and match.ranks[order[index - 1]] == match.ranks[seat] else ""
        yield " · " if index else None
        yield htpy.span(".won" if match.ranks[seat] == 0 else "")[f"{tied}{match.bots[seat]} {match.scores[seat]}"]
        yield htpy.span(".bad")[" retired"] if seat in match.retired else None


def faults_of(match: MatchRow) -> str:
    """The faults of a match, in words."""
    return ", ".join(f"{match.bots[seat]} {kind}" for seat, kind in match.faults)


def something_to_watch(report: Report, watched: Collection[int], page: str = "") -> Node:
    """A door to one match of those in the ``page``, by default this one: the first that is worth a look."""
    numbers = [highlight.number for highlight in report.survey.highlights if highlight.number in watched]
    match = next((match for match in report.survey.listed if match.number in numbers[:1]), None)
    return None if match is None else door(match.bots, f"{page}{address_of(match.id, -1)}")


def door(bots: Sequence[str], where: str, *, kind: str = ".door") -> Element:
    """A link to a match: who plays, and no word of how it ends."""
    return htpy.p(kind)[
        htpy.a(href=where)[htpy.span["Something to watch"], htpy.b[" \N{MIDDLE DOT} ".join(bots)], htpy.i["Watch"]]
    ]


def _worth(highlight: Highlight, replay: Replay, path: str) -> Element:
    where = address_of(replay.id, highlight.decision)
    begins = f" from decision {highlight.decision}" if highlight.decision >= 0 else ""
    # links to the match lead here where no script can show it
    return htpy.li(id=f"replay={replay.id}")[
        htpy.a(href=where)[
            htpy.b[highlight.why],
            htpy.span[highlight.summary],
            htpy.span(".outcome")[highlight.outcome] if highlight.outcome else None,
            htpy.i[f"Watch match #{highlight.number}{begins}"],
            htpy.noscript[htpy.code[f"arena replay {path} {replay.id}"]],
        ]
    ]


def address_of(match: str, decision: int) -> str:
    """Of a decision of a match in this page; -1: the start."""
    return f"#replay={match}" + (f"&decision={decision}" if decision >= 0 else "")


def data_of(report: Report, replays: Mapping[int, Replay], pages: str, paged: Collection[int]) -> Element:
    """The list for the script of the page. A bot is named once: in a match it is its place in this list.

    The matches ``paged`` have pages of their own, where ``pages`` says, with ``{}`` for the id.
    """
    survey = report.survey
    listed = dict.fromkeys(bot for match in survey.listed for bot in match.bots)
    names = list(dict.fromkeys([*(row.bot for row in report.leaderboard.leaderboard if row.bot in listed), *listed]))
    places = {name: index for index, name in enumerate(names)}
    rows = [
        msgspec.to_builtins(match)
        | {"bots": [places[bot] for bot in match.bots], "margin": match.margin}
        | {"replay": 1 if match.number in replays else 2 * (match.number in paged)}
        for match in survey.listed
    ]
    # by column, because that packs better
    matches = {name: [row[name] for row in rows] for name in (rows[0] if rows else ())}
    played = survey.matches - survey.void
    payload = {"pages": pages, "total": played, "bots": names, "matches": matches}
    return htpy.script("#matches-data", type="text/plain")[packed(payload)]
