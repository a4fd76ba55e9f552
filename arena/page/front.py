"""The front page of a league: the result, what is new, until when to enter and how, and the tables."""

from collections.abc import Mapping
from datetime import UTC, datetime

import htpy
from htpy import Element, Node

from arena.page import board
from arena.page.archive import final_section, list_seasons, probation_section, rulings_section
from arena.page.document import grid, section
from arena.page.matches import something_to_watch
from arena.page.report import OVERALL, how_to_read
from arena.page.site import Deadline, Site, chart_seasons, league_page, linked, place_of, table_section
from arena.report.document import Table
from arena.report.render import by_places
from arena.report.season import leave_out_copies, strip_version
from arena.words import listed, plural

_LATEST = 8
"""Seasons in the list of the front page."""


def front_page(site: Site) -> str:
    """The standings, now and over the seasons."""
    season, tables = site.season, site.season.games
    links = {bot: f"bots/{bot}.html" for bot in site.bots}
    competing = {strip_version(row.bot) for table in tables.values() for row in leave_out_copies(table.leaderboard)}
    counts = plural(len(competing), "bot"), plural(sum(table.matches for table in tables.values()), "match")
    game = list(tables)[season.season % len(tables)] if tables else ""
    numbers = [highlight.number for highlight in site.reports[game].survey.highlights] if game else []
    finished = bool(game) and not tables[game].provisional
    lead = [
        something_to_watch(site.reports[game], numbers, f"reports/{game}.html") if finished else None,
        htpy.p(".lead")[site.description] if site.description else None,
        _podium(site, links),
        [_deadline(site, deadline) for deadline in site.deadlines],
    ]
    games = f"A league of bots: {listed([*site.titles.values()])}."
    return league_page(
        site, title=season.headline, lead=lead, up="", description=site.description or games,
        over=" · ".join([site.name, f"season {season.season}", season.date, *counts]),
        scripts=["until.js"] if site.deadlines else [],
        body=[
            _news(site),
            [final_section(final) for final in season.finals],
            rulings_section(season.rulings),
            _overall(site, links) if season.combined else None,
            [table_section(site, game, links) for game in tables],
            _how_to_enter(site),
            chart_seasons(site),
            list_seasons(site, site.history[-_LATEST:]),
            probation_section(season.probation),
        ],
    )  # fmt: skip


def _podium(site: Site, links: Mapping[str, str]) -> Node:
    """The first three of each final, or of each game."""
    first = {final.game: [finish.bot for finish in final.finishes[:3]] for final in site.season.finals if final.first}
    first = first or {
        game: [strip_version(row.bot) for row in table.leaderboard[:3] if row.matches]
        for game, table in site.season.games.items()
    }
    rows: list[dict[str, Node]] = [
        {"game": htpy.a(href=f"games/{game}.html")[game]}
        | {str(place): linked(bot, links) for place, bot in enumerate([*bots, "", "", ""][:3], 1)}
        for game, bots in first.items()
    ]
    return grid("Podium", Table(rows=rows, left_columns=rows[0]), kind=".plain", head="game") if rows else None


def _deadline(site: Site, deadline: Deadline) -> Element:
    """When something ends or did: in UTC and in the zone of the host; a script counts, and says when it is over."""
    moment = deadline.moment.astimezone(UTC)
    is_over = site.now >= moment
    return htpy.p(".lead", data_until=f"{moment:%Y-%m-%dT%H:%M:%SZ}", data_over=deadline.after)[
        htpy.b[deadline.after if is_over else deadline.before],
        " ",
        htpy.time(datetime=f"{moment:%Y-%m-%dT%H:%M:%SZ}")[describe_moment(deadline.moment)],
        htpy.span(".dim"),
    ]


def describe_moment(moment: datetime) -> str:
    """A moment in UTC and in the zone that it is written in: ``2027-01-31 17:00 UTC (18:00 +01:00)``."""
    here = moment.astimezone(UTC)
    if not moment.utcoffset():
        return f"{here:%Y-%m-%d %H:%M} UTC"
    day = "" if moment.date() == here.date() else f"{moment:%Y-%m-%d} "
    return f"{here:%Y-%m-%d %H:%M} UTC ({day}{moment:%H:%M} {moment.isoformat()[-6:]})"


def _news(site: Site) -> Node:
    """What the last season has changed."""
    if not site.history:
        return None
    before = site.history[-2] if site.history[1:] else None
    since = f"Since season {before.season}, {before.date}" if before else "In the first season"
    return section("news", "News", since, None, htpy.ul[(htpy.li[line] for line in site.news(site.history[-1]))])


def _how_to_enter(site: Site) -> Node:
    if site.closed:
        return section("enter", "How to enter", "Entries have ended", None)
    games = [*site.season.games]
    only = f" -g {games[0]}" if len(games) == 1 else ""
    league = htpy.a(href=site.repository)[site.repository] if site.repository else "the folder of the league"
    lines: list[Node] = [
        ["Get ", league, f" and arena {site.version}."],
        [htpy.code[f"arena new bot bots/NAME{only}"], f" begins a bot that plays {listed(games)}: choose its NAME."],
        [htpy.code[f"arena check bots/NAME{only}"], " says what is wrong with it."],
        "Open a pull request with this folder alone: a comment says whether it may play. It does so once it is merged."
        if site.asks_by_request
        else "Give this folder to the host.",
    ]
    steps = htpy.ol[map(htpy.li.__getitem__, lines)]
    return section("enter", "How to enter", "A bot takes part in four steps", None, steps)


def _overall(site: Site, links: Mapping[str, str]) -> Node:
    place = {
        (game, strip_version(row.bot)): place_of(row)
        for game, table in site.season.games.items()
        for row in leave_out_copies(table.leaderboard)
        if row.matches
    }

    def cell(share: float | None, rank: str = "") -> Node:
        return [board.DASH if share is None else f"{100 * share:.1f}", htpy.small(".dim")[f" {rank}"]]

    rows = [
        {"bot": linked(row.bot, links, owner=site.owners.get(row.bot, "")), "over all": cell(row.share)}
        | {game: cell(row.games.get(game), place.get((game, row.bot), "")) for game in site.season.games}
        for row in site.season.combined
    ]
    heading = f"{OVERALL}{by_places('Shares', site.season.games.values())}"
    how = how_to_read(f"{heading} Beside a share stands the place in the table of that game.")
    table = grid("All games", Table(rows=rows))
    return section("overall", "All games", "How the bots do over all games", None, table, how)
