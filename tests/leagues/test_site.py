"""The pages of a league: what is in them, that they hang together, and that they keep to their folder."""

import json
import re
import shutil
from collections.abc import Collection
from html import unescape
from pathlib import Path

import pytest
from msgspec import convert

from arena.games import find, rules_of
from arena.leagues.publish import seasons as seasons_of
from arena.leagues.season import play_season
from arena.page.board import rules_markup
from arena.ratings import Outcomes
from arena.ratings.pairwise import Lead
from arena.report.render import Leaderboard, LeaderboardRow
from arena.report.season import Season, combine_games, make_badges
from arena.tournament.folder import BrokenRun
from tests.cli.command import BOTS, arena, bot_folder
from tests.leagues.test_season import SETTINGS

pytestmark = pytest.mark.long

_LINK = re.compile(r'href="(?!data:)([^"#]+)(?:#[^"]*)?"')


def enter(league: Path, name: str, more: str = "") -> None:
    """Put a bot into the league, or another one in its place."""
    bot_folder(league / "bots" / name, BOTS["slip.py"] + more, name=name, more='owner = "Ada <b>"')


@pytest.fixture(scope="module")
def two_seasons(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A league after two seasons, in the second of which a bot changed and one could not start."""
    league = tmp_path_factory.mktemp("harbour")
    (league / "arena.toml").write_text(SETTINGS)
    enter(league, "mine")
    arena(league, "season", "-q")
    enter(league, "mine", "# another\n")
    enter(league, "broken")
    (league / "bots/broken/bot.py").write_text("raise SystemExit('<script>alert(1)</script>')\n")
    arena(league, "season", "-q")
    return league


@pytest.fixture
def league(two_seasons: Path, tmp_path: Path) -> Path:
    """A copy of the league, to do anything with."""
    return Path(shutil.copytree(two_seasons, tmp_path / "harbour"))


def shown(page: Path) -> str:
    """What a page says, without markup."""
    return unescape(re.sub(r"<[^>]+>", " ", re.sub(r"<style>.*?</style>", "", page.read_text(), flags=re.DOTALL)))


def test_pages_hang_together(league: Path) -> None:
    """Every link leads to a page of the site, none leads elsewhere, and every page forbids what is not its own."""
    pages = sorted((league / "site").rglob("*.html"))
    names = {page.relative_to(league / "site").as_posix() for page in pages}
    assert {"index.html", "games/dockfight.html", "reports/dockfight.html"} <= names
    assert {f"bots/{bot}.html" for bot in ("mine", "random", "greedy")} <= names
    hang_together(league)


def hang_together(league: Path) -> None:
    """Follow every link of every page."""
    for page in sorted((league / "site").rglob("*.html")):
        text = page.read_text()
        assert "default-src &#39;none&#39;" in text
        assert str(league) not in text
        for link in _LINK.findall(text):
            assert (page.parent / link).is_file(), f"{page}: {link}"


def test_what_a_bot_has_done(league: Path) -> None:
    """Its page has the owner, its place, its versions by season, whom it loses to, and its worst matches."""
    said = shown(league / "site/bots/mine.html")
    seasons = seasons_of(league)
    for wanted in (
        "Ada <b>",
        "Where it stands",
        "2 versions played",
        "It does worst against",
        "matches of 12 Days of Fishing: Dockfight to watch",
    ):
        assert wanted in said
    for past in seasons:
        assert past.digests()["mine"][:16] in said
    page = (league / "site/bots/mine.html").read_text()
    doors = r'href="../replays/dockfight-(e\d+b\d+r\d+)\.html">Watch<.*?<span class="outcome">: ([^<]+)<'
    told = re.findall(doors, page)
    matches = json.loads(arena(league, "matches", "results/dockfight", "--json").out)
    mine = [each["id"] for each in matches if "mine@2" in each["bots"]]
    assert [why for _, why in told][:3] == ["its best match", "its worst match", "its last match"]
    assert [name for name, why in told if "last" in why] == mine[:-4:-1]
    places = {each["id"]: each["ranks"][each["bots"].index("mine@2")] for each in matches if each["id"] in mine}
    assert places[told[0][0]] == min(places.values())
    assert places[told[1][0]] == max(places.values())


def test_the_site_is_bounded(league: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """So many matches can be watched, however many there are; where others could be once, it is said how to.

    No address dies that a season has shown, also where its page was not kept; what was none of them is removed.
    """
    pages = {page for season in seasons_of(league) for page in season.watch["dockfight"]}
    monkeypatch.setattr("arena.leagues.archive.CARRIED", 2)
    monkeypatch.setattr("arena.leagues.archive.MOST_REPLAYS", 3)
    replays = league / "site/replays"
    (replays / "dockfight-e0b99r0.html").write_text("old")
    monkeypatch.setenv("ARENA_ISOLATION", "none")
    for kept in (True, False):
        if not kept:
            shutil.rmtree(league / "site")
        play_season(league)
        assert {page.stem for page in replays.iterdir()} == pages
        watched = [page for page in replays.iterdir() if "This site no longer shows it" not in page.read_text()]
        assert len(watched) == 3 < len(pages)
        assert "has at most 2 matches" in shown(league / "site/bots/mine.html")
        hang_together(league)


def test_certain_over_games() -> None:
    """The badge and the headline over several games claim what their tables call certain, and no more."""
    open_, sure = (
        Leaderboard(
            *("r", game, 3, None, 8, 8, 1.0, tuple(_row(bot, *at) for bot, at in rows.items())),
            provisional=False,
            draw_probability=0.1,
            notes=(),
            lead=Lead(first=("a",), certain=game == "dockfight", chance=0.9, rivals=(), others=2),
        )
        for game, rows in (("lure", {"a": (1, 2), "b": (1, 3), "c": (2, 3)}), ("dockfight", {"a": (1, 1), "b": (2, 3)}))
    )
    share = {"lure": {"a": 0.8, "b": 0.5, "c": 0.2}, "dockfight": {"a": 0.9, "b": 0.1}}
    season = Season(
        1, "", {"lure": open_, "dockfight": sure}, (), combine_games(share, {"lure": open_, "dockfight": sure})
    )
    assert season.headline == "a leads in 2 of 2 games, for certain in 1"
    told = {name: json.loads(badge)["message"] for name, badge in make_badges(season).items() if "/" not in name}
    assert told == {
        "a.json": "ahead of 85 %, certainly #1 in 1 of 2 games",
        "b.json": "ahead of 30 %, place open in 2 of 2 games",
        "c.json": "ahead of 20 %, #2-3 in 1 of 2 games",
    }


def _row(bot: str, low: int, high: int) -> LeaderboardRow:
    none: dict[str, None] = dict.fromkeys(("low", "high", "mean_rank", "mean_score", "ms_median", "ms_p99"))
    numbers: dict[str, int] = {"rank_low": low, "rank_high": high}
    told = {"rank": low, "bot": bot, "rating": 1.0, "mu": 1.0, "sigma": 1.0, "matches": 8, "wins": 1.0, "faults": {}}
    return convert(told | none | numbers, LeaderboardRow)


def test_the_front_page(league: Path) -> None:
    """It tells who stands where, what each season brought, and who is on probation, whose words are no markup."""
    text = (league / "site/index.html").read_text()
    said = shown(league / "site/index.html")
    for wanted in ("Over seasons", "Changed: mine.", "1 bot cannot play", "broken"):
        assert wanted in said
    assert "<script>alert" not in text
    for row in json.loads((league / "site/standings.json").read_bytes())["games"]["dockfight"]["leaderboard"]:
        assert f"{row['rating']:.2f}" in said


def test_what_links_to_a_page_show(league: Path) -> None:
    """Each page says what it is; with an address, its picture is the result of its game, which the site carries."""
    site = league / "site"
    assert (site / "cards/dockfight.svg").read_text().startswith("<svg ")
    assert (site / "cards/dockfight.png").read_bytes().startswith(b"\x89PNG")
    pages = [site / name for name in ("index.html", "bots/mine.html", "games/dockfight.html", "reports/dockfight.html")]
    for page in pages:
        assert re.search('property="og:description" content="\\w.*?\\."', page.read_text()), page
        assert "og:image" not in page.read_text()
    settings = league / "arena.toml"
    settings.write_text(f'address = "https://example.org/harbour"\n{settings.read_text()}')
    enter(league, "mine", "# a third\n")
    arena(league, "season", "-q")
    for page in pages:
        found = re.search('property="og:image" content="(.*?)"', page.read_text())
        assert found
        assert found[1] == "https://example.org/harbour/cards/dockfight.png"


def test_rules_are_text(league: Path) -> None:
    """The page of a game has its rules: headings and tables as such."""
    rules = (league / "site/games/dockfight.html").read_text().partition('id="rules"')[2]
    written = rules_of(find("dockfight")) or ""
    headings = re.findall("^## (.*)$", written, re.MULTILINE)
    assert headings
    assert re.findall("<h2>(.*?)</h2>", rules) == headings
    assert "<table " in rules
    assert str(rules_markup("# T\n\na [b](javascript:c) <i>d</i> ![e](f)")) == (
        "<p>a [b](javascript:c) &lt;i&gt;d&lt;/i&gt; ![e](f)</p>\n"
    )


def test_feeds(league: Path) -> None:
    """The seasons are a JSON Feed, the latest first; standings and history are there as data."""
    feed = json.loads((league / "site/feed.json").read_bytes())
    assert feed["version"] == "https://jsonfeed.org/version/1.1"
    assert [item["id"] for item in feed["items"]] == ["season-2", "season-1"]
    assert "Changed: mine." in feed["items"][0]["content_text"]
    assert [each["season"] for each in json.loads((league / "site/history.json").read_bytes())] == [1, 2]


def test_only_what_is_its_own_is_removed(league: Path) -> None:
    """Pages of bots and seasons that never were are removed; files of others stay."""
    site = league / "site"
    (site / "CNAME").write_text("fish.example")
    (site / "bots/gone.html").write_text("old")
    for number in range(3, 9):
        (site / f"reports/dockfight-season-{number}.html").write_text("of a season that never was")
    arena(league, "season", "--tables-only", "-q")
    assert (site / "CNAME").is_file()
    assert not (site / "bots/gone.html").exists()
    assert {path.name for path in (site / "reports").iterdir()} == {
        "dockfight.html",
        "dockfight-season-1.html",
        "dockfight-season-2.html",
    }


def test_links_to_seasons_never_die(league: Path) -> None:
    """Each season has a page with its table; where pages of reports and of bots that left were, one leads there.

    All of it follows from what is kept: it is the same where the pages were not.
    """
    site = league / "site"
    report = (site / "reports/dockfight-season-1.html").read_text()
    shutil.rmtree(league / "bots/mine")
    arena(league, "season", "-q")
    assert (site / "reports/dockfight-season-1.html").read_text() == report
    shutil.rmtree(site)
    arena(league, "season", "--tables-only", "-q")
    for past in seasons_of(league):
        said = shown(site / f"seasons/{past.season}.html")
        for row in past.games["dockfight"].bots:
            assert f"{row.rating:.2f}" in said
        assert past.headline in said
    assert "../seasons/1.html" in (site / "reports/dockfight-season-1.html").read_text()
    assert "mine has left the league" in shown(site / "bots/mine.html")
    assert "../seasons/2.html" in (site / "bots/mine.html").read_text()
    hang_together(league)


def test_what_a_league_says_of_itself(league: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its front page has its title and description, whose bots they are, until when to enter, and how.

    A moment stands there in UTC and in the zone of the host; once it is over the page says so, and how to enter not.
    """
    settings, front = league / "arena.toml", league / "site/index.html"
    written = settings.read_text()
    assert "Give this folder to the host." in shown(front)
    (league / ".github/workflows").mkdir(parents=True)
    (league / ".github/workflows/check.yml").write_text("")
    monkeypatch.setenv("GITHUB_SERVER_URL", "https://github.example")
    monkeypatch.setenv("GITHUB_REPOSITORY", "anna/harbour")
    told = 'title = "The <b> cup"\ndescription = "For all."\n'
    ends = '[entries]\nuntil = "{}"\n[final]\ndate = "2999-01-01"\n'
    settings.write_text(f"{told}{written}{ends.format('2998-01-01T00:30:00+01:00')}")
    arena(league, "season", "--tables-only", "-q")
    said = re.sub(r"\s+", " ", shown(front))
    for wanted in (
        "The <b> cup",
        "For all.",
        "Ada <b>",
        "Entries end 2997-12-31 23:30 UTC (2998-01-01 00:30 +01:00)",
        "The final is played after 2999-01-02 00:00 UTC",
        "Get https://github.example/anna/harbour and arena",
        "arena new bot bots/NAME -g dockfight",
        "arena check bots/NAME -g dockfight",
        "Open a pull request with this folder alone",
    ):
        assert wanted in said, wanted
    assert 'data-until="2997-12-31T23:30:00Z"' in front.read_text()
    settings.write_text(f"{told}{written}{ends.format('2026-01-01')}")
    arena(league, "season", "--tables-only", "-q")
    said = re.sub(r"\s+", " ", shown(front))
    assert "Entries ended 2026-01-02 00:00 UTC" in said
    assert "arena new bot" not in said


def test_a_history_is_read_as_it_was_written(league: Path) -> None:
    """Each season is read whole; a line that is none, or out of order, is refused with its number."""
    whole = (league / "history.jsonl").read_bytes().splitlines()
    one, two = seasons_of(league)
    assert (one.season, two.season) == (1, 2)
    assert one.games["dockfight"].entrants[0].bot == json.loads(whole[0])["games"]["dockfight"]["entrants"][0]["bot"]
    for lines, wrong in (([whole[0], b"{}"], "line 2"), (whole[::-1], "line 2: expected a season after 2, got 1")):
        (league / "history.jsonl").write_bytes(b"\n".join(lines) + b"\n")
        with pytest.raises(BrokenRun, match=wrong):
            seasons_of(league)


def test_whose_company_helps(league: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """If one bot certainly plays better in another's company, the league's page, data and site say so."""
    told, seen = "Certain among all pairs: random plays better where greedy sits.", []

    def certain(matches: Outcomes, shown: Collection[str]) -> str:
        seen.append((len(matches), set(shown)))
        return told

    monkeypatch.setattr("arena.report.note_company", certain)
    monkeypatch.setenv("ARENA_ISOLATION", "none")
    season = play_season(league)
    assert seen == [(season.games["dockfight"].matches, {row.bot for row in season.games["dockfight"].leaderboard})]
    for name in ("leaderboard.md", "leaderboard.json", "site/index.html", "site/games/dockfight.html"):
        assert told in (league / name).read_text(), name
