"""The pages of a league as plain files in its folder ``site``, for any static host; no link there is followed."""

import re
from collections.abc import Iterator, Mapping, Sequence

import msgspec
from msgspec.structs import replace

from arena.escape import as_json, cleaned, plain
from arena.files import files, remove, write
from arena.games import rules_of
from arena.leagues.league import League
from arena.report.season import PastSeason, Season, data, own_name
from arena.tournament.reporting import replays_of, report_of
from arena.tournament.standings import Standings

SITE = "site"
REPLAYS = 8
NIGHTS = 5
"""This many reports of each game are kept, one for each season."""
_FILE = re.compile(r"[A-Za-z0-9._-]{1,64}")
"""What a bot or game may be called that has a page."""


def write_site(league: League, season: Season, boards: Mapping[str, Standings], seasons: Sequence[PastSeason]) -> None:
    """Write all pages and feeds again, and remove those of bots and games that are gone.

    Args:
        league: whose folder it is.
        season: how it stands.
        boards: by game.
        seasons: all of them, the first one first.

    Raises:
        arena.tournament.folder.Broken, arena.tournament.journal.Corrupt: a run or the history is damaged.
        arena.files.Linked: ``site`` or a folder in it is a link.
        OSError: it cannot be written.
    """
    written = {
        f"{SITE}/reports/{game}-season-{number}.html"
        for game in boards
        for number in _kept(league, game, season.season)
    }
    for name, text in _pages(league, season, boards, seasons):
        write(league.folder, f"{SITE}/{name}", text.encode())
        written.add(f"{SITE}/{name}")
    for part in ("bots", "games", "reports"):
        for old in files(league.folder, f"{SITE}/{part}"):
            if old.endswith((".html", ".json")) and old not in written:
                remove(league.folder, old)


def _pages(
    league: League, season: Season, boards: Mapping[str, Standings], seasons: Sequence[PastSeason]
) -> Iterator[tuple[str, str]]:
    """The name and the text of each file."""
    # markup takes long to load, and only a season that is played needs it
    from arena.page.report import report_page  # noqa: PLC0415
    from arena.page.site import SEASONS, Site, bot_page, front_page, game_page  # noqa: PLC0415

    past = tuple(cleaned(season) for season in seasons[-SEASONS:])
    reports = {}
    rules = {game.name: rules_of(game) or "" for game in league.games}
    nights: dict[int, list[str]] = {}
    for game, board in boards.items():
        # the page is public; the folder of the league on this machine is not
        report = report_of(board, shown=board.folder.relative_to(league.root.parent))
        survey = replace(report.survey, chosen=report.survey.chosen[:REPLAYS])
        reports[game] = replace(report, survey=survey)
        # while a season is played, a replay would reveal a deal that is still to be played
        replays = [] if report.leaderboard.provisional else replays_of(board, report, [], REPLAYS)
        text = report_page(report, replays, rules=rules.get(game, ""))
        yield f"reports/{game}.html", text
        yield f"reports/{game}-season-{season.season}.html", text
        for number in _kept(league, game, season.season):
            nights.setdefault(number, []).append(game)
    entrants = [entrant for board in boards.values() for entrant in board.entrants]
    owners = {own_name(entrant.name): plain(entrant.owner, 64) for entrant in entrants if entrant.owner}
    site = Site(
        name=league.folder.resolve().name,
        season=cleaned(season),
        history=past,
        reports=reports,
        rules=rules,
        owners=owners,
        nights=nights,
    )
    yield "index.html", front_page(site)
    for game in reports:
        yield f"games/{game}.html", game_page(site, game)
    taken = set[str]()
    for bot in site.bots:
        # no two file names differ in case alone
        if _FILE.fullmatch(bot) and bot.lower() not in taken:
            taken.add(bot.lower())
            yield f"bots/{bot}.html", bot_page(site, bot)
    yield "standings.json", data(season)
    yield "history.json", as_json(msgspec.to_builtins(past)) + "\n"
    yield "feed.json", _feed(site.name, past)


def _kept(league: League, game: str, season: int) -> list[int]:
    """The seasons whose reports of a game are kept, this one among them: the latest few."""
    names = re.compile(rf"{SITE}/reports/{re.escape(game)}-season-([1-9][0-9]{{0,8}})\.html")
    numbers = {int(match[1]) for name in files(league.folder, f"{SITE}/reports") if (match := names.fullmatch(name))}
    return sorted({number for number in numbers if number < season} | {season})[-NIGHTS:]


def _feed(name: str, past: tuple[PastSeason, ...]) -> str:
    """The seasons as a JSON Feed (version 1.1, jsonfeed.org), the latest first."""
    items = []
    before: PastSeason | None = None
    for season in past:
        told = " ".join(season.news(before))
        items.append(
            {
                "id": f"season-{season.season}",
                "title": f"Season {season.season}",
                "content_text": told,
                "date_published": f"{season.date}T00:00:00Z",
            }
        )
        before = season
    feed = {"version": "https://jsonfeed.org/version/1.1", "title": name, "items": items[::-1]}
    return as_json(feed) + "\n"
