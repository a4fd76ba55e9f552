"""Whoever asked for it is told what a season has changed: by a feed, and by a message to an address."""

import json
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from threading import Thread
from typing import Any
from xml.etree import ElementTree as ET

import pytest
from msgspec.structs import replace

from arena.leagues import news
from arena.report.season import PastPlace, PastSeason, PastTable, Probation
from tests.cli.command import arena, inside
from tests.leagues.test_season import SETTINGS, enter

ATOM = "{http://www.w3.org/2005/Atom}"


def stood(bot: str, rank: int, *, matches: int = 3, owner: str = "") -> PastPlace:
    """A bot in a table."""
    return PastPlace(
        bot=bot, digest=bot, rank=rank, rank_low=1, rank_high=2, rating=1.0, mu=25.0, low=None, high=None,
        matches=matches, owner=owner,
    )  # fmt: skip


def season(number: int, *bots: PastPlace, out: tuple[Probation, ...] = ()) -> PastSeason:
    """A season of one game."""
    table = PastTable(version="1", matches=3 * number, entrants=bots)
    return PastSeason(season=number, date=f"2027-01-0{number}", games={"dockfight": table}, probation=out)


FIRST = season(1, stood("pike", 1), stood("random#2", 1), stood("perch", 2))
SECOND = replace(
    season(2, stood("pike", 2), stood("perch@2", 1), out=(Probation("eel", "boom @everyone", ("dockfight",)),)),
    headline="perch leads, for certain",
)


class Server(HTTPServer):
    """A server that notes what it is sent, and answers with these statuses, then with 200."""

    def __init__(self, *statuses: int) -> None:
        super().__init__(("127.0.0.1", 0), _Answers)
        self.statuses = list(statuses)
        self.taken: list[tuple[str, Any]] = []


class _Answers(BaseHTTPRequestHandler):
    server: Server

    def do_POST(self) -> None:
        """Note the message."""
        body = self.rfile.read(int(self.headers["Content-Length"]))
        self.server.taken.append((self.path, json.loads(body)))
        status = self.server.statuses.pop(0) if self.server.statuses else 200
        self.send_response(status)
        self.send_header("Location", "/elsewhere")
        self.end_headers()

    def log_message(self, *_: object) -> None:
        """Say nothing."""


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
    """A server on this machine; attempts follow each other at once."""
    monkeypatch.setattr(news, "PAUSES", (0.0, 0.0, 0.0))
    with Server() as made:
        Thread(target=made.serve_forever, daemon=True).start()
        yield made
        made.shutdown()


def test_what_is_new() -> None:
    """A new leader, a bot that cannot play any more, and the season are told; what stays as it was is not."""
    leader, broken, done = news.events(SECOND, FIRST)
    assert leader == {"event": "leader", "game": "dockfight", "bots": ["perch"], "before": ["pike"]}
    assert broken == {"event": "broken", "bot": "eel", "games": ("dockfight",), "why": "boom @everyone"}
    assert (done["event"], done["season"], done["news"][:2]) == ("season", 2, ["Changed: perch.", "Refused: eel."])
    again = season(3, *SECOND.games["dockfight"].entrants, out=SECOND.probation)
    assert [one["event"] for one in news.events(again, SECOND)] == ["season"]


@pytest.mark.parametrize(
    ("statuses", "why"), [((), ""), ((500, 429, 503), ""), ((500,) * 4, "status 500"), ((302,) * 4, "status 302")]
)
def test_a_message(server: Server, statuses: tuple[int, ...], why: str) -> None:
    """It is sent again three times at most; no redirect is followed; of the address only the host is ever told."""
    server.statuses = list(statuses)
    told = news.send(
        f"http://127.0.0.1:{server.server_port}/secret?key=secret", league="harbour", now=SECOND, before=FIRST
    )
    assert told == (why and f"not notified: 127.0.0.1: expected a server that takes the news, got {why}")
    assert [path for path, _ in server.taken] == ["/secret?key=secret"] * min(4, len(statuses) + 1)
    (body,) = {json.dumps(body) for _, body in server.taken}
    changed = "Changed: perch. Refused: eel. Up: perch (2 to 1). Down: pike (1 to 2). 3 matches played."
    text = f"harbour, season 2. {changed} perch leads, for certain. eel cannot play."
    assert json.loads(body)["text"] == json.loads(body)["content"] == text
    assert json.loads(body)["events"] == json.loads(json.dumps(news.events(SECOND, FIRST)))


def test_nobody_there(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where no server answers, or the address cannot be asked, that is said in one line without the address."""
    monkeypatch.setattr(news, "PAUSES", ())
    for url in ("http://127.0.0.1:9/secret", "http://127.0.0.1:secret/", "http://127.0.0.1/\x7fsecret"):
        told = news.send(url, league="harbour", now=SECOND, before=FIRST)
        assert told.startswith("not notified: 127.0.0.1: expected a server that takes the news, got ")
        assert "secret" not in told


def test_a_feed() -> None:
    """The Atom feed has a season an entry, the latest first, that links to its page; equal seasons have equal ids.

    No text is markup. Where the address of the site is known, links are whole; so are those of the JSON Feed.
    """
    feed = ET.fromstring(news.atom_feed("a <b>\x01", [FIRST, SECOND], address="https://example.org/a/"))  # noqa: S314 - our own
    entries = feed.findall(f"{ATOM}entry")
    assert [entry.findtext(f"{ATOM}title") for entry in entries] == ["Season 2: perch leads, for certain", "Season 1"]
    assert [entry.findtext(f"{ATOM}content") for entry in entries] == [
        "Changed: perch. Refused: eel. Up: perch (2 to 1). Down: pike (1 to 2). 3 matches played.",
        "Entered: pike, perch. 3 matches played.",
    ]
    pages = [f"https://example.org/a/seasons/{number}.html" for number in (2, 1)]
    assert [str(link.get("href")) for link in feed.iterfind(f"{ATOM}entry/{ATOM}link")] == pages
    items = json.loads(news.json_feed("a", [FIRST, SECOND], address="https://example.org/a/"))["items"]
    assert [(item["url"], item["title"]) for item in items] == [
        (pages[0], "Season 2: perch leads, for certain"),
        (pages[1], "Season 1"),
    ]
    ids = [element.text for element in feed.iter(f"{ATOM}id")]
    assert len(set(ids)) == 3
    assert ids[1:] == [e.findtext(f"{ATOM}id") for e in entries]
    assert (feed.findtext(f"{ATOM}updated"), "<b>" in str(feed.findtext(f"{ATOM}title"))) == (
        "2027-01-02T00:00:00Z",
        True,
    )


@pytest.mark.long
def test_a_season_is_told(
    tmp_path: Path, server: Server, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    """Once a season has changed something, the address hears of it; of a season that changed nothing it does not."""
    address = f"http://127.0.0.1:{server.server_port}/hook"
    (tmp_path / "arena.toml").write_text(f'{SETTINGS}\n[notify]\nurl = "{address}"\n')
    enter(tmp_path, "mine")
    # of somebody else's file the address is not taken, and not shown
    arena(tmp_path, "season", "--isolation", "none", "-q")
    assert not server.taken
    (tmp_path / "bots" / "mine" / "more").write_text("more")
    said = arena(tmp_path, "season", "--dry-run", "--isolation", "none").err
    assert "arena.toml: notify.url is not taken: if you trust this file, add --trust" in said
    assert "hook" not in said
    for _ in range(2):
        assert inside(monkeypatch, tmp_path, "season", "--isolation", "none", "-q", "--trust") == 0
    assert [path for path, _ in server.taken] == ["/hook"]
    assert server.taken[0][1]["events"][-1]["season"] == 2
    (tmp_path / "bots" / "mine" / "more").write_text("still more")
    monkeypatch.setenv("ARENA_NOTIFY_URL", f"{address}-of-the-environment")
    server.statuses = [500] * 4
    capfd.readouterr()
    assert inside(monkeypatch, tmp_path, "season", "--isolation", "none", "-q", "--trust") == 0
    assert server.taken[-1][0] == "/hook-of-the-environment"
    assert "arena: not notified: 127.0.0.1: expected a server" in capfd.readouterr().err
    monkeypatch.setenv("ARENA_NOTIFY_URL", "ftp://secret")
    assert inside(monkeypatch, tmp_path, "season", "--tables-only") == 2
    assert "secret" not in capfd.readouterr().err
