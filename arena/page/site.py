"""The pages of a league: a front page, one for each bot and each game. Knows values; knows no folder and no game.

All texts are printable ASCII before they come here, see ``arena.escape.cleaned``. Pages link to each other by relative
addresses, so they work at any place of any host.
"""

from collections.abc import Mapping

import htpy
from htpy import Element, Node
from msgspec import Struct

from arena.identity import Identity
from arena.page import board, charts
from arena.page.board import rules_markup
from arena.page.colours import colour_bots
from arena.page.document import document, grid, section
from arena.page.matches import by_seat, results_switch, something_to_watch
from arena.page.report import OVERALL, STYLES, board_section, how_to_read, shortened_digest
from arena.report.document import Table
from arena.report.findings import RatingPoint, Report
from arena.report.headline import headline_of_final
from arena.report.highlights import MatchRow
from arena.report.render import LeaderboardRow, by_places, columns_of
from arena.report.season import Final, PastSeason, Season, leave_out_copies, strip_version, versions
from arena.words import listed, plural

MOST_SEASONS = 60
"""The latest seasons that pages and feeds show."""


class Site(Struct, frozen=True, kw_only=True):
    """All that the pages of a league show."""

    name: str
    season: Season
    history: tuple[PastSeason, ...]
    """The latest seasons, the last one last."""
    reports: dict[str, Report]
    """By game."""
    rules: dict[str, str]
    """By game, as Markdown."""
    owners: dict[str, str]
    """By bot, of those who have one."""
    nights: dict[int, list[str]]
    """By season, the games of which there is a report of that season."""
    watched: dict[str, dict[str, dict[str, MatchRow]]]
    """By game, row of the table and what they are: the matches that the site carries, at ``replays/GAME-ID.html``."""
    most: int
    """How many matches of a game it carries at most."""
    images: dict[str, str]
    """By game the whole address of a picture of its result, where there is one."""
    end: str = ""
    """When entries end, in words; empty if they never do."""

    @property
    def bots(self) -> list[str]:
        """The bots that have a page, by their own names."""
        rows = [
            strip_version(row.bot) for table in self.season.games.values() for row in leave_out_copies(table.table_rows)
        ]
        names = [row.bot for row in self.season.combined] or rows
        return list(dict.fromkeys([*names, *rows]))


def front_page(site: Site) -> str:
    """The standings, now and over the seasons."""
    season, tables = site.season, site.season.games
    links = {bot: f"bots/{bot}.html" for bot in site.bots}
    overall = _overall(site, links) if season.combined else None
    ended = [*map(_final, season.finals), _rulings(season)]
    parts = [_table(site, game, links) for game in tables]
    competing = {strip_version(row.bot) for table in tables.values() for row in leave_out_copies(table.leaderboard)}
    counts = plural(len(competing), "bot"), plural(sum(table.matches for table in tables.values()), "match")
    game = list(tables)[season.season % len(tables)] if tables else ""
    numbers = [highlight.number for highlight in site.reports[game].survey.highlights] if game else []
    finished = bool(game) and not tables[game].provisional
    lead = [
        something_to_watch(site.reports[game], numbers, f"reports/{game}.html") if finished else None,
        _podium(site, links),
        _news(site),
        htpy.p(".lead")[f"Entries end {site.end}"] if site.end else None,
    ]
    return _page(
        site, title=season.headline, lead=lead, up="",
        over=" · ".join([site.name, f"season {season.season}", season.date, *counts]),
        description=f"A league of bots: {listed([report.provenance.title for report in site.reports.values()])}.",
        body=[ended, overall, parts, _over_seasons(site), _nights(site), _probation(season)],
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
        | {str(place): _linked(bot, links) for place, bot in enumerate([*bots, "", "", ""][:3], 1)}
        for game, bots in first.items()
    ]
    return grid("Podium", Table(rows=rows, left_columns=rows[0]), kind=".plain", head="game") if rows else None


def _linked(bot: str, links: Mapping[str, str]) -> Node:
    return htpy.a(href=links[bot])[bot] if bot in links else bot


def _news(site: Site) -> Node:
    """What the last season has changed."""
    if not site.history:
        return None
    before = site.history[-2] if site.history[1:] else None
    since = f"Since season {before.season}" if before else "In the first season"
    return htpy.p(".lead")[htpy.b[f"{since}: "], " ".join(site.history[-1].news(before))]


def _final(final: Final) -> Element:
    """The places of a final, and where its tables are."""
    rows = [
        {"place": finish.places.replace("-", board.DASH), "bot": finish.bot, "owner": finish.owner, "how": finish.why}
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
    links = [htpy.p(".more")[htpy.a(href=f"reports/{run}.html")[words]] for run, words in titles.items()]
    how = final.sentences()[0]
    return section(f"final-{final.game}", f"Final of {final.game}", finding, how, table, links)


def _rulings(season: Season) -> Node:
    if not season.rulings:
        return None
    items = [
        htpy.li[
            htpy.a(href=f"appeals/{ruling.run}-{ruling.match}.html")[f"Match {ruling.match} of {ruling.run}"],
            f" {ruling.ruled}",
        ]
        for ruling in season.rulings
    ]
    finding = plural(len(items), "match was", "matches were") + " ruled on"
    return section("rulings", "Appeals", finding, None, htpy.ul[items])


def _overall(site: Site, links: Mapping[str, str]) -> Node:
    place = {
        (game, strip_version(row.bot)): _place(row)
        for game, table in site.season.games.items()
        for row in leave_out_copies(table.leaderboard)
        if row.matches
    }

    def cell(share: float | None, rank: str = "") -> Node:
        return [board.DASH if share is None else f"{100 * share:.1f}", htpy.small(".dim")[f" {rank}"]]

    rows = [
        {"bot": _linked(row.bot, links), "over all": cell(row.share)}
        | {game: cell(row.games.get(game), place.get((game, row.bot), "")) for game in site.season.games}
        for row in site.season.combined
    ]
    heading = f"{OVERALL}{by_places('Shares', site.season.games.values())}"
    how = how_to_read(f"{heading} Beside a share stands the place in the table of that game.")
    table = grid("All games", Table(rows=rows))
    return section("overall", "All games", "How the bots do over all games", None, table, how)


def bot_page(site: Site, bot: str) -> str:
    """The page of a bot: its places, versions, opponents and matches to watch."""
    by_game = {game: row for game, table in site.season.games.items() for row in table.table_rows if _is(row.bot, bot)}
    places = [
        f"{_place(row)} of {len(site.season.games[game].leaderboard)} in {game}"
        for game, row in by_game.items()
        if row.rank
    ]
    none = "A house bot, out of competition." if by_game else "It has no place in a table yet."
    lead = f"Place {listed(places)}." if places else none
    owner = f" · entered by {site.owners[bot]}" if site.owners.get(bot) else ""
    results = [
        {"game": htpy.a(href=f"../games/{game}.html")[game], "place": _place(row)}
        | {
            column.page or column.heading: board.figure(column, row)
            for column in columns_of(site.season.games[game].measure)
            if column.page or column.heading == "mu"
        }
        for game, row in by_game.items()
    ]
    table = grid("Results", Table(rows=results), head="game", kind=".plain.folds") if results else None
    why = [out for out in site.season.probation if out.bot == bot]
    body: list[Node] = [
        [htpy.p(".bad.how")[f"On probation: {out.why}"] for out in why],
        section("results", "Results", "Where it stands", None, table),
        _over_seasons(site, bot),
        _versions(site, bot),
        results_switch() if any(row.bot in site.watched.get(game, {}) for game, row in by_game.items()) else None,
        [
            htpy.div(".pair")[_to_watch(site, game, row.bot), _against(site, game, row.bot)]
            for game, row in by_game.items()
        ],
    ]
    return _page(
        site, title=bot, over=f"{site.name}{owner}", lead=htpy.p(".lead")[lead], description=lead, up="../", body=body
    )


def game_page(site: Site, game: str) -> str:
    """A game: its table, its report and its rules."""
    report = site.reports[game]
    links = {bot: f"../bots/{bot}.html" for bot in site.bots}
    words = "The report: head to head, times, faults and matches to watch"
    lead = htpy.p(".lead")[htpy.a(href=f"../reports/{game}.html")[words]]
    rules = htpy.section("#rules.rules", aria_labelledby="rules-finding")[
        htpy.p(".kicker")["Rules"],
        htpy.h2(id="rules-finding")[f"How {report.provenance.title} is played"],
        rules_markup(site.rules.get(game, "")),
    ]
    return _page(
        site, title=report.provenance.title, over=f"{site.name} · game", lead=lead,
        description=f"{report.leaderboard.headline}.", up="../", image=site.images.get(game, ""),
        body=[_table(site, game, links, up="../"), rules],
    )  # fmt: skip


def _page(
    site: Site, *, title: str, over: str, lead: Node, description: str, up: str, body: Node, image: str = ""
) -> str:
    games = {f"{up}games/{game}.html": site.reports[game].provenance.title for game in site.season.games}
    return document(
        title=f"{site.name}: {title}",
        styles=["tokens.css", *STYLES, "rules.css", "site.css"],
        scripts=[],
        description=description,
        image=image or next(iter(site.images.values()), ""),
        body=[
            htpy.a(".skip", href="#report")["To the contents"],
            htpy.nav(".bar", aria_label="League")[
                htpy.div[
                    htpy.b[htpy.a(href=f"{up}index.html")[site.name]],
                    (htpy.a(href=where)[name] for where, name in games.items()),
                ]
            ],
            htpy.main("#report.page")[
                htpy.header(".top")[htpy.p(".over")[over], htpy.h1[title], lead],
                body,
                htpy.footer[
                    f"Season {site.season.season}, {site.season.date}. As data: ",
                    htpy.a(href=f"{up}feed.xml")["Atom feed"], ", ",
                    htpy.a(href=f"{up}feed.json")["JSON feed"], ", ",
                    htpy.a(href=f"{up}standings.json")["standings"], ", ",
                    htpy.a(href=f"{up}history.json")["history"], ".",
                ],
            ],
        ],
    )  # fmt: skip


def _table(site: Site, game: str, links: Mapping[str, str], up: str = "") -> Node:
    table, provenance = site.season.games[game], site.reports[game].provenance
    if not table.table_rows:
        return section(f"game-{game}", provenance.title, "Nothing has been played yet", None)
    languages = {bot.name: bot.language for bot in provenance.bots}
    by_row = {
        row.bot: links[strip_version(row.bot)]
        for row in leave_out_copies(table.table_rows)
        if strip_version(row.bot) in links
    }
    more = htpy.p(".more")[
        htpy.a(href=f"{up}games/{game}.html")["The game and its rules"], " · ",
        htpy.a(href=f"{up}reports/{game}.html")["Report of the matches"],
    ]  # fmt: skip
    standings = board.leaderboard(table, languages, run=provenance.title, links=by_row)
    return board_section(table, standings, more, key=f"game-{game}", name=provenance.title)


def _over_seasons(site: Site, only: str = "") -> Node:
    first, last = (site.history[0].season, site.history[-1].season) if site.history else (0, 0)
    drawn: list[Node] = []
    for game, table in site.season.games.items():
        series: dict[str, list[tuple[int, RatingPoint]]] = {}
        for past in site.history:
            stood = past.games[game].entrants if game in past.games else ()
            for entrant in stood:
                if Identity.of(entrant.bot).copy == 1 and entrant.matches:
                    mark = RatingPoint(mean=entrant.mu, low=entrant.low, high=entrant.high)
                    series.setdefault(strip_version(entrant.bot), []).append((past.season, mark))
        now = [strip_version(row.bot) for row in leave_out_copies(table.leaderboard)]
        series = {bot: series[bot] for bot in now if len(series.get(bot, ())) > 1 and only in {"", bot}}
        if series:
            settled = [strip_version(row.bot) for row in table.leaderboard if row.settled]
            colours = colour_bots(strip_version(bot.name) for bot in site.reports[game].provenance.bots)
            chart = charts.growth(
                series, settled=settled, total=last, first=first, unit="seasons", height=220, colours=colours
            )
            drawn.append(htpy.div[htpy.h3[site.reports[game].provenance.title], chart])
    if not drawn:
        return None
    how = "mu after each season that changed anything, with a range of 95 % for one bot. Anchors hold the scale."
    how += by_places("Ratings", site.season.games.values())
    finding = f"From season {first} to {last}"
    return section("seasons", "Over seasons", finding, how, htpy.div(".charts")[drawn])


def _nights(site: Site) -> Node:
    rows = []
    before: PastSeason | None = None
    for past in site.history:
        led = [
            f"{', '.join(strip_version(row.bot) for row in table.entrants if row.rank == 1 and row.matches)} in {game}"
            for game, table in past.games.items()
            if any(row.matches for row in table.entrants)
        ]
        news = " ".join(past.news(before)) if before is not None or past.season == 1 else ""
        reports = [
            [", " if index else "", htpy.a(href=f"reports/{game}-season-{past.season}.html")[game]]
            for index, game in enumerate(site.nights.get(past.season, ()))
        ]
        rows.append(
            {
                "season": past.season,
                "day": past.date,
                "what was new": news,
                "who led": "; ".join(led),
                "reports": reports,
            }
        )
        before = past
    wide = dict.fromkeys(("what was new", "who led", "reports"), ".who")
    finding = plural(site.season.season, "season") + " so far"
    seasons = Table(rows=rows[::-1], left_columns=rows[0] if rows else ())
    table = grid("Seasons", seasons, kind=".nights", more=wide) if rows else None
    return section("nights", "Seasons", finding, None, table)


def _probation(season: Season) -> Node:
    if not season.probation:
        return None
    items = [
        htpy.li[htpy.b[entry.bot], f" ({', '.join(entry.games)})" if entry.games else "", f": {entry.why}"]
        for entry in season.probation
    ]
    how = "They are not tried again before their content changes."
    finding = f"{plural(len(season.probation), 'bot')} cannot play"
    return section("probation", "On probation", finding, how, htpy.ul[items])


def _versions(site: Site, bot: str) -> Node:
    rows = [
        {
            "seasons": f"{version.first}"
            if version.first == version.last
            else f"{version.first}{board.DASH}{version.last}",
            "SHA-256 of command and files": shortened_digest(version.digest),
        }
        for version in reversed(versions(site.history, bot))
    ]
    if not rows:
        return None
    table = grid("Versions", Table(rows=rows, left_columns=rows[0]), kind=".plain")
    return section("versions", "Versions", f"{plural(len(rows), 'version')} played", None, table)


def _against(site: Site, game: str, bot: str) -> Node:
    ahead = site.reports[game].survey.ahead
    met = [] if ahead is None else [pair for pair in ahead.both_ways.values() if pair.bot == bot]
    if not met:
        return None
    certain = {1: "certainly better", 0: "open", -1: "certainly worse"}
    rows = [
        {"opponent": pair.other, "ahead in": f"{100 * pair.share:.0f} %", "matches": f"{pair.matches:,}"}
        | {"which is better": certain[pair.certain]}
        for pair in sorted(met, key=lambda pair: pair.share)
    ]
    table = Table(rows=rows, left_columns=("which is better",))
    worst = min(met, key=lambda pair: pair.share)
    title = site.reports[game].provenance.title
    finding = f"It does worst against {worst.other} in {title}: ahead in {100 * worst.share:.0f} %"
    caption = f"Against others in {title}"
    return section(f"against-{game}", caption, finding, None, grid(caption, table, kind=".plain", head="opponent"))


def _to_watch(site: Site, game: str, bot: str) -> Node:
    title, matches = site.reports[game].provenance.title, site.watched.get(game, {}).get(bot, {})
    how = (
        "Replays can be watched once the season is finished."
        if site.reports[game].leaderboard.provisional
        else f"Of each game this site has at most {plural(site.most, 'match')}: each bot's best, worst and last three."
    )
    rows: list[dict[str, Node]] = [
        {
            "watch": htpy.a(href=f"../replays/{game}-{match.id}.html")["Watch"],
            "bots by seat": [by_seat(match), htpy.span(".outcome")[f": {why}"]],
            "its faults": ", ".join(kind for seat, kind in match.faults if match.bots[seat] == bot),
        }
        for why, match in matches.items()
    ]
    if not any(row["its faults"] for row in rows):
        rows = [{name: cell for name, cell in row.items() if name != "its faults"} for row in rows]
    more = {"bots by seat": ".who", "its faults": ".bad"}
    table = (
        grid(f"Matches in {title}", Table(rows=rows, left_columns=rows[0]), kind=".plain.matches", more=more)
        if rows
        else None
    )
    finding = f"{plural(len(rows), 'match')} of {title} to watch"
    return section(f"watch-{game}", "To watch", finding, how, table)


def _is(row: str, bot: str) -> bool:
    return strip_version(row) == bot and Identity.of(row).copy == 1


def _place(row: LeaderboardRow) -> str:
    return row.ranks.replace("-", board.DASH)
