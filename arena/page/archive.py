"""The seasons of a league that were: a list of them, a page for each, and what an address says whose page is gone.

What they show is in the history of the league, which is kept for ever, so no link to them dies.
"""

from collections.abc import Mapping, Sequence

import htpy
from htpy import Element, Node

from arena.page.board import DASH
from arena.page.document import document, grid, section
from arena.page.report import STYLES
from arena.page.site import Site, league_page, linked
from arena.report.document import Table
from arena.report.headline import headline_of_final
from arena.report.season import Final, PastPlace, PastSeason, Probation, Ruling, strip_version
from arena.words import plural

_TO_WATCH = 8
"""Matches of a game that the page of a season leads to."""


def seasons_page(site: Site) -> str:
    """The list of all seasons."""
    return league_page(
        site, title=plural(len(site.history), "season"), over=site.name, lead=None, up="../",
        description="All seasons of the league, the latest first.", body=list_seasons(site, site.history, up="../"),
    )  # fmt: skip


def list_seasons(site: Site, seasons: Sequence[PastSeason], *, up: str = "") -> Node:
    """A table of some of its seasons, the latest first."""
    if not seasons:
        return None
    rows = [
        {
            "season": htpy.a(href=f"{up}seasons/{past.season}.html")[f"Season {past.season}"],
            "day": past.date,
            "result": past.headline,
            "what was new": " ".join(site.news(past)),
        }
        for past in reversed(seasons)
    ]
    if not any(past.headline for past in seasons):
        # the first leagues noted none
        rows = [{name: cell for name, cell in row.items() if name != "result"} for row in rows]
    wide = dict.fromkeys(("result", "what was new"), ".who")
    table = grid("Seasons", Table(rows=rows, left_columns=rows[0]), kind=".nights", more=wide, head="season")
    rest = len(site.history) - len(seasons)
    all_of_them = htpy.p(".more")[htpy.a(href=f"{up}seasons/index.html")[f"All {plural(len(site.history), 'season')}"]]
    finding = f"{plural(len(site.history), 'season')} so far"
    return section("nights", "Seasons", finding, None, table, all_of_them if rest else None)


def season_page(site: Site, past: PastSeason, fields: Mapping[str, Sequence[str]]) -> str:
    """A season as it ended; ``fields`` has who sat in the matches that can be watched, by the names of their pages."""
    numbers = [other.season for other in site.history]
    index = numbers.index(past.season)
    ways = [("Season before", numbers[max(index - 1, 0) : index]), ("Season after", numbers[index + 1 : index + 2])]
    around = [[" · ", htpy.a(href=f"{number}.html")[words]] for words, others in ways for number in others]
    lead = [
        htpy.p(".more")[htpy.a(href="index.html")["All seasons"], around],
        htpy.ul(".lead")[(htpy.li[sentence] for sentence in site.news(past))],
    ]
    tables = [_table(site, past, game, fields) for game in past.games]
    title = past.headline or f"Season {past.season}"
    over = f"{site.name} · season {past.season} · {past.date}"
    finals = [final_section(final, up="../") for final in past.finals]
    ended = [finals, rulings_section(past.rulings, up="../"), probation_section(past.probation)]
    return league_page(
        site, title=title, over=over, lead=lead, up="../", body=[tables, ended],
        description=f"Season {past.season} of {site.name}, {past.date}.",
    )  # fmt: skip


def _table(site: Site, past: PastSeason, game: str, fields: Mapping[str, Sequence[str]]) -> Element:
    table = past.games[game]
    links = {bot: f"../bots/{bot}.html" for bot in (*site.bots, *site.former)}
    rows: list[dict[str, Node]] = [
        {
            "place": str(row.rank_low) if row.rank_low == row.rank_high else f"{row.rank_low}{DASH}{row.rank_high}",
            "bot": linked(strip_version(row.bot), links, owner=row.owner),
            "rating": f"{row.rating:.2f}",
            "mu": [f"{row.mu:.1f}", htpy.small(".dim")[_between(row)]],
        }
        for row in table.bots
    ]
    places = grid(f"Table of {game}", Table(rows=rows), kind=".plain") if rows else None
    doors = [
        htpy.li[htpy.a(href=f"../replays/{page}.html")[" \N{MIDDLE DOT} ".join(fields.get(page, [page]))]]
        for page in past.watch.get(game, ())[:_TO_WATCH]
    ]
    watch = [htpy.h3["To watch"], htpy.ul(".doors")[doors]] if doors else None
    more = htpy.p(".more")[htpy.a(href=f"../reports/{game}-season-{past.season}.html")["Report of the matches"]]
    finding = f"{game} after {plural(table.matches, 'match')}"
    return section(f"game-{game}", site.titles.get(game, game), finding, None, places, watch, more)


def _between(row: PastPlace) -> str:
    return "" if row.low is None or row.high is None else f" {row.low:.1f}{DASH}{row.high:.1f}"


def final_section(final: Final, *, up: str = "") -> Element:
    """The places of a final, and where its tables are."""
    rows = [
        {"place": finish.places.replace("-", DASH), "bot": finish.bot, "owner": finish.owner, "how": finish.why}
        | {"prize": "yes" if finish.place <= final.prizes else ""}
        for finish in final.finishes
    ]
    if not any(finish.owner for finish in final.finishes):
        rows = [{name: cell for name, cell in row.items() if name != "owner"} for row in rows]
    places = Table(rows=rows, left_columns=("bot", "owner", "how"))
    table = grid("Places", places, kind=".plain", head="bot", more={"how": ".who"}) if rows else None
    finding = headline_of_final(final.first, final.game)
    titles = {final.run: "Groups, bracket and matches of the final"}
    titles |= {run: f"Play-off for place {run.rpartition('-')[2]}" for run in final.play_offs}
    links = [htpy.p(".more")[htpy.a(href=f"{up}reports/{run}.html")[words]] for run, words in titles.items()]
    how = final.sentences()[0]
    return section(f"final-{final.game}", f"Final of {final.game}", finding, how, table, links)


def rulings_section(rulings: Sequence[Ruling], *, up: str = "") -> Node:
    """What was ruled on, if anything was."""
    if not rulings:
        return None
    items = [
        htpy.li[
            htpy.a(href=f"{up}appeals/{ruling.run}-{ruling.match}.html")[f"Match {ruling.match} of {ruling.run}"],
            f" {ruling.ruled}",
        ]
        for ruling in rulings
    ]
    finding = plural(len(items), "match was", "matches were") + " ruled on"
    return section("rulings", "Appeals", finding, None, htpy.ul[items])


def probation_section(probation: Sequence[Probation]) -> Node:
    """Who cannot play, and why."""
    if not probation:
        return None
    items = [
        htpy.li[htpy.b[entry.bot], f" ({', '.join(entry.games)})" if entry.games else "", f": {entry.why}"]
        for entry in probation
    ]
    how = "They are not tried again before their content changes."
    finding = f"{plural(len(probation), 'bot')} cannot play"
    return section("probation", "On probation", finding, how, htpy.ul[items])


def gone_page(name: str, *, title: str, why: str, where: str, words: str, command: str = "") -> str:
    """What stands at the address of a page of the league ``name`` that it has no longer.

    ``where`` is a page to go on to, ``words`` what that is, and ``command`` shows on a terminal what is gone.
    """
    return document(
        title=f"{name}: {title}",
        styles=["tokens.css", *STYLES],
        scripts=[],
        body=htpy.main(".page")[
            htpy.header(".top")[htpy.p(".over")[name], htpy.h1[title], htpy.p(".lead")[why]],
            htpy.div(".command")[htpy.code[command]] if command else None,
            htpy.p(".more")[htpy.a(href=where)[words]],
        ],
    )
