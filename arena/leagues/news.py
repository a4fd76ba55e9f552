"""What a season has changed: as two feeds of the site, and as a message to an address. Knows no run and no page."""

from collections.abc import Sequence
from time import sleep
from typing import Any
from urllib.parse import urlsplit
from uuid import NAMESPACE_OID, uuid5

from arena.escape import as_json, plain
from arena.identity import Identity
from arena.report import PastSeason, strip_version

PAUSES = (1.0, 2.0, 4.0)
"""Seconds before each further attempt to send a message."""
_PATIENCE = 10.0
_ATOM = "http://www.w3.org/2005/Atom"


def events(now: PastSeason, before: PastSeason | None) -> list[dict[str, Any]]:
    """What is new in a season: leaders and bots that cannot play any more; the season itself stands last."""
    news: list[dict[str, Any]] = []
    for game in now.games:
        leaders, led = _leaders(now, game), [] if before is None else _leaders(before, game)
        if leaders and leaders != led:
            news.append({"event": "leader", "game": game, "bots": leaders, "before": led})
    out = set() if before is None else {entry.bot for entry in before.probation}
    news += [
        {"event": "broken", "bot": entry.bot, "games": entry.games, "why": entry.why}
        for entry in now.probation
        if entry.bot not in out
    ]
    return [*news, {"event": "season", "season": now.season, "date": now.date, "news": now.news(before)}]


def _leaders(season: PastSeason, game: str) -> list[str]:
    stood = season.games[game].entrants if game in season.games else ()
    first = [row.bot for row in stood if row.rank == 1 and row.matches and Identity.of(row.bot).copy == 1]
    return sorted(map(strip_version, first))


def send(url: str, *, league: str, now: PastSeason, before: PastSeason | None) -> str:
    """POST what is new in a season as JSON, with three further attempts; why it did not arrive, or nothing.

    The address may hold a secret: of it only the host is told.
    """
    # few seasons are told, and these take long to load
    from http.client import HTTPException  # noqa: PLC0415
    from urllib.error import HTTPError  # noqa: PLC0415
    from urllib.request import HTTPRedirectHandler, Request, build_opener  # noqa: PLC0415

    class NoRedirect(HTTPRedirectHandler):
        def redirect_request(self, *_: Any, **__: Any) -> None:
            """Follow no address that somebody else names."""

    changes = events(now, before)
    sentences = [f"{now.headline}."] * bool(now.headline)
    sentences += [f"{event['bot']} cannot play." for event in changes if event["event"] == "broken"]
    text = " ".join([f"{league}, season {now.season}.", *now.news(before), *sentences])
    # two keys for the text, as chats have it; names of bots mention nobody
    body = {"league": league, "events": changes, "text": text, "content": text, "allowed_mentions": {"parse": []}}
    headers = {"Content-Type": "application/json", "User-Agent": "arena"}
    opener = build_opener(NoRedirect)
    why = ""
    for pause in (*PAUSES, None):
        try:
            opener.open(Request(url, as_json(body).encode(), headers), timeout=_PATIENCE).close()  # noqa: S310 - https or http, see settings
        except HTTPError as error:
            why = f"status {error.code}"
        except (OSError, HTTPException, ValueError) as error:
            # the texts of such errors may quote the address
            why = type(getattr(error, "reason", error)).__name__
        else:
            return ""
        if pause is not None:
            sleep(pause)
    return f"not notified: {plain(str(urlsplit(url).hostname), 200)}: expected a server that takes the news, got {why}"


def json_feed(name: str, past: Sequence[PastSeason], *, address: str) -> str:
    """The seasons as a JSON Feed (version 1.1, jsonfeed.org), the latest first.

    ``address`` is that of the folder of the feed, with a slash at its end; empty where it is not known.
    """
    items = [
        {
            "id": f"season-{season.season}",
            "url": f"{address}{_page(season)}",
            "title": _title(season),
            "content_text": content,
            "date_published": f"{season.date}T00:00:00Z",
        }
        for season, content in _list_news(past)
    ]
    feed = {"version": "https://jsonfeed.org/version/1.1", "title": name, "home_page_url": f"{address}index.html"}
    return as_json(feed | {"items": items}) + "\n"


def atom_feed(name: str, past: Sequence[PastSeason], *, address: str) -> str:
    """The seasons as an Atom feed (RFC 4287), the latest first; ``address`` as of ``json_feed``."""
    from xml.etree import ElementTree as ET  # noqa: PLC0415 - as above

    def say(parent: ET.Element, key: str, title: str, date: str) -> None:
        texts = {"id": uuid5(NAMESPACE_OID, key).urn, "title": title, "updated": f"{date}T00:00:00Z"}
        for tag, text in texts.items():
            ET.SubElement(parent, tag).text = text

    name = plain(name, 200)
    feed = ET.Element("feed", xmlns=_ATOM)
    say(feed, name, name, past[-1].date if past else "1970-01-01")
    ET.SubElement(ET.SubElement(feed, "author"), "name").text = name
    ET.SubElement(feed, "link", href=f"{address}index.html")
    for season, content in _list_news(past):
        entry = ET.SubElement(feed, "entry")
        say(entry, f"{name} {season.season} {season.date}", _title(season), season.date)
        ET.SubElement(entry, "link", href=f"{address}{_page(season)}")
        ET.SubElement(entry, "content").text = plain(content, 10_000)
    return f'<?xml version="1.0" encoding="utf-8"?>\n{ET.tostring(feed, encoding="unicode")}\n'


def _page(season: PastSeason) -> str:
    return f"seasons/{season.season}.html"


def _title(season: PastSeason) -> str:
    return f"Season {season.season}: {season.headline}" if season.headline else f"Season {season.season}"


def _list_news(past: Sequence[PastSeason]) -> list[tuple[PastSeason, str]]:
    before = [None, *past[:-1]]
    return [(now, " ".join(now.news(earlier))) for now, earlier in zip(past, before, strict=True)][::-1] if past else []
