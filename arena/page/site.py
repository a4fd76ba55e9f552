"""The pages of a league: what they show, and those of a bot and of a game. Knows values; knows no folder and no game.

All texts are printable ASCII before they come here, see ``arena.escape.cleaned``. Pages link to each other by relative
addresses, so they work at any place of any host.
"""

from collections.abc import Mapping, Sequence
from datetime import datetime

import htpy
from htpy import Node
from msgspec import Struct

from arena.identity import Identity
from arena.page import board, charts
from arena.page.board import rules_markup
from arena.page.colours import colour_bots
from arena.page.document import document, grid, section
from arena.page.matches import by_seat, results_switch
from arena.page.report import STYLES, board_section, shortened_digest
from arena.report.document import Table
from arena.report.findings import RatingPoint, Report
from arena.report.highlights import MatchRow
from arena.report.render import LeaderboardRow, by_places, columns_of
from arena.report.season import PastSeason, Season, leave_out_copies, strip_version, versions
from arena.words import listed, plural

MOST_SEASONS = 60
"""The latest seasons that curves, feeds and data have."""


class Deadline(Struct, frozen=True, kw_only=True):
    """A moment after which something is over."""

    before: str
    """What is said of it before, as *Entries end*."""
    after: str
    moment: datetime
    """In the zone of the host."""


class Site(Struct, frozen=True, kw_only=True):
    """All that the pages of a league show."""

    name: str
    """What the league is called."""
    description: str = ""
    season: Season
    history: tuple[PastSeason, ...]
    """All seasons, the last one last."""
    reports: dict[str, Report]
    """By game."""
    rules: dict[str, str]
    """By game, as Markdown."""
    owners: dict[str, str]
    """By bot, of those who have one."""
    watched: dict[str, dict[str, dict[str, MatchRow]]]
    """By game, row of the table and what they are: the matches that the site carries, at ``replays/RUN-ID.html``."""
    most: int
    """How many matches of a game it carries at most."""
    images: dict[str, str]
    """By game the whole address of a picture of its result, where there is one."""
    deadlines: tuple[Deadline, ...] = ()
    closed: bool = False
    """Whether no bot may enter any more."""
    now: datetime
    version: str = ""
    """Of arena."""
    repository: str = ""
    """The address of the league's repository, if it is known."""
    asks_by_request: bool = False
    """Whether bots enter by a pull request."""

    @property
    def titles(self) -> dict[str, str]:
        """By game what it is called."""
        return {game: report.provenance.title for game, report in self.reports.items()}

    @property
    def bots(self) -> list[str]:
        """The bots that have a page of their own, by their own names."""
        rows = [
            strip_version(row.bot) for table in self.season.games.values() for row in leave_out_copies(table.table_rows)
        ]
        names = [row.bot for row in self.season.combined] or rows
        return list(dict.fromkeys([*names, *rows]))

    @property
    def former(self) -> dict[str, PastSeason]:
        """The bots that stood in a table and no longer do, with the last season in which they did."""
        present = {bot.lower() for bot in self.bots}
        last = {bot: past for past in self.history for bot in past.digests() if bot.lower() not in present}
        by_file = {bot.lower(): bot for bot in last}
        return {bot: last[bot] for bot in by_file.values()}

    def news(self, past: PastSeason) -> list[str]:
        """What a season has changed, in sentences."""
        index = [other.season for other in self.history].index(past.season)
        return past.news(self.history[index - 1] if index else None)


def linked(bot: str, links: Mapping[str, str], *, owner: str = "") -> Node:
    """A bot, with a link to its page if it has one, above its owner."""
    label = htpy.a(href=links[bot])[bot] if bot in links else bot
    return [label, htpy.small(".owner")[owner]] if owner else label


def bot_page(site: Site, bot: str) -> str:
    """The page of a bot: its places, versions, opponents and matches to watch."""
    by_game = {game: row for game, table in site.season.games.items() for row in table.table_rows if _is(row.bot, bot)}
    places = [
        f"{place_of(row)} of {len(site.season.games[game].leaderboard)} in {game}"
        for game, row in by_game.items()
        if row.rank
    ]
    none = "A house bot, out of competition." if by_game else "It has no place in a table yet."
    lead = f"Place {listed(places)}." if places else none
    owner = f" · entered by {site.owners[bot]}" if site.owners.get(bot) else ""
    results = [
        {"game": htpy.a(href=f"../games/{game}.html")[game], "place": place_of(row)}
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
        chart_seasons(site, bot),
        _versions(site, bot),
        results_switch() if any(row.bot in site.watched.get(game, {}) for game, row in by_game.items()) else None,
        [
            htpy.div(".pair")[_to_watch(site, game, row.bot), _against(site, game, row.bot)]
            for game, row in by_game.items()
        ],
    ]
    return league_page(
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
    return league_page(
        site, title=report.provenance.title, over=f"{site.name} · game", lead=lead,
        description=f"{report.leaderboard.headline}.", up="../", image=site.images.get(game, ""),
        body=[table_section(site, game, links, up="../"), rules],
    )  # fmt: skip


def league_page(
    site: Site,
    *,
    title: str,
    over: str,
    lead: Node,
    description: str,
    up: str,
    body: Node,
    image: str = "",
    scripts: Sequence[str] = (),
) -> str:
    """A page below the bar of the league; ``up`` leads to the folder of the front page, and the rest is as it says."""
    games = {f"{up}games/{game}.html": title for game, title in site.titles.items()}
    others = {f"{up}index.html#enter": "How to enter", f"{up}seasons/index.html": "Seasons"}
    return document(
        title=f"{site.name}: {title}",
        styles=["tokens.css", *STYLES, "rules.css", "site.css"],
        scripts=scripts,
        description=description,
        image=image or next(iter(site.images.values()), ""),
        body=[
            htpy.a(".skip", href="#report")["To the contents"],
            htpy.nav(".bar", aria_label="League")[
                htpy.div[
                    htpy.b[htpy.a(href=f"{up}index.html")[site.name]],
                    (htpy.a(href=where)[name] for where, name in (games | others).items()),
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


def table_section(site: Site, game: str, links: Mapping[str, str], *, up: str = "") -> Node:
    """The table of a game; ``links`` has by bot the address of its page, and ``up`` leads to the front page."""
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
    before = site.history[-2] if site.history[1:] else None
    moves = site.history[-1].moves(before).get(game, {}) if site.history else {}
    risen = {bot: old - new for bot, (old, new) in moves.items()}
    standings = board.leaderboard(
        table,
        languages,
        run=provenance.title,
        links=by_row,
        moved={row.bot: risen.get(strip_version(row.bot), 0) for row in leave_out_copies(table.leaderboard)},
        owners=table.owners,
    )
    return board_section(table, standings, more, key=f"game-{game}", name=provenance.title)


def chart_seasons(site: Site, only: str = "") -> Node:
    """How ratings went over the latest seasons, of all bots or only of one."""
    latest = site.history[-MOST_SEASONS:]
    first, last = (latest[0].season, latest[-1].season) if latest else (0, 0)
    drawn: list[Node] = []
    for game, table in site.season.games.items():
        series: dict[str, list[tuple[int, RatingPoint]]] = {}
        for past in latest:
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
    run = site.reports[game].provenance.path.rpartition("/")[2]
    title, matches = site.reports[game].provenance.title, site.watched.get(game, {}).get(bot, {})
    how = (
        "Replays can be watched once the season is finished."
        if site.reports[game].leaderboard.provisional
        else f"Of each game this site has at most {plural(site.most, 'match')}: each bot's best, worst and last three."
    )
    rows: list[dict[str, Node]] = [
        {
            "watch": htpy.a(href=f"../replays/{run}-{match.id}.html")["Watch"],
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


def place_of(row: LeaderboardRow) -> str:
    """The place of a bot, or the range of places that it can have."""
    return row.ranks.replace("-", board.DASH)
