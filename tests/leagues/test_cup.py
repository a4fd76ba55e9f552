"""A league from its first night to a prize: house bots, a final that is killed, a tie, an appeal; all of it holds."""

import json
import os
import re
import shutil
import signal
import subprocess
import time
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from arena.leagues.cup import explain_cut, finalists, moves
from arena.leagues.league import League
from arena.report.render import Leaderboard
from arena.tournament.settings import LeagueSettings
from tests.cli.command import ARENA, BOTS, OPEN, arena, bot_folder, data, records, refusal
from tests.leagues.test_season import history
from tests.leagues.test_site import _row, hang_together, shown

pytestmark = pytest.mark.timeout(600)

SETTINGS = """
games = ["dockfight"]
bots = ["bots/*"]
anchors = ["random", "greedy"]
seats = 2
matches = 24
lanes = 1
seed = "harbour"
"""
FINAL = """
[final]
date = "2026-01-31"
schedule = "groups,groups=2,through=2+knockout"
bots = 4
matches = 24
prizes = 3
"""
RUN, PLAY_OFF = "dockfight-final-2026-01-31", "dockfight-final-2026-01-31-play-off-3"
STILL = """
import os, sys, time
def wait(lines):
    for line in lines:
        while os.path.exists("../../still"):
            journal, matches = open("../../still").read().split()
            if not os.path.exists(journal) or open(journal, "rb").read().count(b"\\n") < int(matches):
                break
            time.sleep(0.02)
        yield line
sys.stdin = wait(sys.stdin)
"""
"""Before a bot's program: once a journal has so many matches it stands still, until the file that says so is gone."""


def enter(league: Path, name: str, more: str = "", program: str = "mine.py") -> None:
    """Put a bot into the league, or another one in its place."""
    bot_folder(league / "bots" / name, STILL + BOTS[program] + more, name=name, more=f'owner = "{name} & co"')


def enter_all(league: Path, *names: str) -> None:
    """Put these bots into the league."""
    for name in names:
        enter(league, name)


def season(league: Path, *words: str) -> dict[str, Any]:
    """Play a season, and what it printed."""
    told: dict[str, Any] = data(league, "season", "-q", "--json", *words)
    assert told == json.loads((league / "leaderboard.json").read_bytes())
    return told


def settle(league: Path, more: str = FINAL) -> None:
    """Write the settings."""
    (league / "arena.toml").write_text(SETTINGS + more)


def killed(league: Path, run: str, after: int) -> None:
    """Kill a season once so many matches of a run are recorded."""
    journal = league / "results" / run / "matches.jsonl"
    (league / "still").write_text(f"{journal} {after}")
    playing = subprocess.Popen([*ARENA, "season", "-q"], cwd=league, env=os.environ | OPEN, start_new_session=True)
    while not (journal.exists() and journal.read_bytes().count(b"\n") >= after):
        assert playing.poll() is None, "the season ended before it was killed"
        time.sleep(0.02)
    os.kill(playing.pid, signal.SIGKILL)
    playing.wait()
    (league / "still").unlink()


def ranked(table: dict[str, Any]) -> list[str]:
    """The bots that compete."""
    return [row["bot"] for row in table["leaderboard"]]


@pytest.fixture(scope="module")
def nights(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A league after four nights in which bots joined, changed, broke, came back and left."""
    league = tmp_path_factory.mktemp("harbour")
    settle(league, "")
    enter_all(league, "ada", "bob", "hal")
    season(league)
    enter_all(league, "cyd", "dan", "fay")
    enter(league, "ada", "# changed\n")
    season(league)
    (league / "bots/dan/bot.py").write_text("raise SystemExit(1)\n")
    shutil.rmtree(league / "bots/fay")
    enter(league, "eve")
    season(league)
    enter(league, "dan", "# mended\n")
    enter(league, "bob", "# changed\n", program="slip.py")
    season(league)
    return league


@pytest.fixture
def league(nights: Path, tmp_path: Path) -> Path:
    """A copy of the league, to do anything with."""
    return Path(shutil.copytree(nights, tmp_path / "harbour"))


@pytest.mark.long
def test_from_the_nights_to_the_prize(league: Path) -> None:
    """The four best play the final; it is killed and resumed, third place is played off."""
    settle(league, f"{FINAL}play-off = 12\n")
    killed(league, RUN, after=6)
    before = records(league / "results" / RUN)
    assert not json.loads((league / "results" / RUN / "run.json").read_bytes())["finished"]
    told = season(league, "--tables-only")
    assert [(final["finished"], final["finishes"]) for final in told["finals"]] == [(False, [])]
    assert "The final" in shown(league / "site/index.html")
    told = season(league)
    (final,) = told["finals"]
    assert (final["finished"], final["run"], PLAY_OFF in final["play_offs"]) == (True, RUN, True)
    played = {match["id"]: match["picks"] for match in records(league / "results" / RUN)}
    assert {match["id"]: match["picks"] for match in before}.items() <= played.items()
    four = ranked(told["games"]["dockfight"])[:4]
    assert sorted(one["bot"] for one in final["finishes"]) == sorted(re.sub("@.*", "", bot) for bot in four)
    # a final that is tied is played off as well
    assert [one["place"] for one in final["finishes"]][:2] in ([1, 2], [1, 1])
    third = final["finishes"][2:]
    decided = [one["place"] for one in third] == [3, 4]
    assert decided or [(one["place"], one["last"]) for one in third] == [(3, 4)] * 2
    assert {re.sub(r"\d+", "N", one["why"]) for one in third} == {
        "a play-off of N matches " + ("decided" if decided else "left them open, and they share their prizes")
    }
    assert len(records(league / "results" / PLAY_OFF)) <= 12
    # nothing is played twice, and the pages say who went on and why
    again = {path: path.read_bytes() for path in league.rglob("matches.jsonl")}
    assert season(league) == told
    assert {path: path.read_bytes() for path in league.rglob("matches.jsonl")} == again
    front = shown(league / "site/index.html")
    first = final["finishes"][0]
    assert re.search(rf"\b{first['bot']}\b[^.]* ?(?:won|share the first place in) the final of dockfight", front)
    report = shown(league / f"site/reports/{RUN}.html")
    assert "place 1 of group 1 by rating" in report
    assert re.search("more points than|certainly better than|level with", report)
    for run, block in (("dockfight", "mirrored"), (RUN, "single"), (PLAY_OFF, "single")):
        assert "hold" in arena(league, "verify", f"results/{run}").out
        assert json.loads((league / f"results/{run}/run.json").read_bytes())["block"] == block
    hang_together(league)


@pytest.mark.long
def test_an_appeal(league: Path) -> None:
    """A match of the nights is looked at, the bot asked again, and the match ruled void: the tables follow."""
    before = json.loads((league / "leaderboard.json").read_bytes())
    match = next(one for one in records(league / "results/dockfight")[::-1] if "cyd" in one["bots"])
    named = f"dockfight/{match['id']}"
    page = league / arena(league, "season", "-q", "--appeal", named, "--ask", "cyd").out.strip()
    said = shown(page)
    assert "0 of" in said
    assert "Its files are those that played." in said
    assert "It is not ruled on yet." in said
    assert json.loads((league / "leaderboard.json").read_bytes()) == before
    lines = history(league)
    reason = "the host's <b>disk</b> stood still"
    arena(league, "season", "-q", "--appeal", named, "--ruling", "void", "--reason", reason)
    told = season(league)
    begun = json.loads((league / "results/dockfight/run.json").read_bytes())["created"]
    ruling = {"run": "dockfight", "begun": begun, "match": match["id"], "ruling": "void", "reason": reason}
    assert told["rulings"] == [ruling]
    assert history(league)[len(lines)]["rulings"] == [ruling]
    table, old = told["games"]["dockfight"], before["games"]["dockfight"]
    assert table["matches"] == old["matches"] - 1
    assert "Void by a ruling, and not counted: 1 match." in table["notes"]
    rows = {row["bot"]: row["matches"] for row in (*table["leaderboard"], *table["house"])}
    for row in (*old["leaderboard"], *old["house"]):
        assert rows[row["bot"]] == row["matches"] - (row["bot"] in match["bots"])
    assert f"is void: {reason}" in shown(page)
    assert "<b>disk" not in page.read_text()
    assert "hold" in arena(league, "verify", "results/dockfight").out
    # pages are seldom kept: they come again from journal and history
    shutil.rmtree(league / "site")
    season(league, "--tables-only")
    assert f"is void: {reason}" in shown(page)
    arena(league, "season", "-q", "--appeal", named, "--ruling", "stands", "--reason", "it had been looked at wrongly")
    assert season(league)["games"]["dockfight"]["leaderboard"] == old["leaderboard"]


@pytest.mark.long
def test_a_ruling_in_the_final(league: Path) -> None:
    """If other bots should have met, no place stands, and the page says how to play the final again; else all stays."""
    settle(league)
    (before,) = season(league)["finals"]
    assert [(one["place"], one["last"]) for one in before["finishes"]][2:] == [(3, 4), (3, 4)]
    assert {one["why"] for one in before["finishes"][2:]} == {
        "the final leaves places 3 to 4 open, and they share its prizes"
    }
    match = records(league / "results" / RUN)[0]["id"]
    arena(league, "season", "-q", "--appeal", f"{RUN}/{match}", "--ruling", "void", "--reason", "a test")
    (after,) = season(league)["finals"]
    stands = [one["bot"] for one in after["finishes"]]
    assert stands in ([], [one["bot"] for one in before["finishes"]])
    if not stands:
        assert f"remove the folder {RUN} to play the final again" in shown(league / "site/index.html")
    assert "hold" in arena(league, "verify", f"results/{RUN}").out
    # the ruling was on a match of that run, and not of the one that takes its place
    shutil.rmtree(league / "results" / RUN)
    told = season(league)
    assert (len(told["finals"][0]["finishes"]), told["rulings"]) == (4, [])


@pytest.mark.long
def test_a_balanced_final(league: Path) -> None:
    """In a final without a rule but its table, what is not certain is open: those who may have a prize share it.

    Owners are those that the league names, and not those that the bots claim, there as in every table.
    """
    (league / "owners.toml").write_text("".join(f'{name} = "owner of {name}"\n' for name in ("ada", "bob", "hal")))
    settle(league, 'block = "mirrored"\n[final]\ndate = "2026-01-31"\nbots = 3\nmatches = 6\n')
    told = season(league)
    (final,) = told["finals"]
    named = {bot: f"owner of {bot}" for bot in ("ada", "bob", "hal")}
    assert {one["bot"]: one.get("owner", "") for one in final["finishes"]} == {
        one["bot"]: named.get(one["bot"], "") for one in final["finishes"]
    }
    assert {re.sub("@.*", "", bot): owner for bot, owner in told["games"]["dockfight"]["owners"].items()} == named
    assert json.loads((league / "results" / final["run"] / "run.json").read_bytes())["block"] == "mirrored"
    friends = "One machine played its mirrored deals: fine among friends, not for prizes."
    assert friends in (league / "leaderboard.md").read_text()
    assert [(one["place"], one["last"]) for one in final["finishes"]] == [(1, 3)] * 3
    assert {one["why"] for one in final["finishes"]} == {
        "the final leaves places 1 to 3 open, and they share its prizes"
    }
    assert "share" in (league / "leaderboard.md").read_text()


def test_who_moves_between_divisions() -> None:
    """After the date those are named whose places are certain among the first or the last; nobody before it."""
    places = {"a": (1, 1), "b": (2, 3), "c": (2, 3), "d": (4, 5), "e": (4, 5)}
    rows = tuple(_row(bot, *at) for bot, at in places.items())
    table = Leaderboard("r", "dockfight", 2, None, 8, 8, 1.0, rows, provisional=False, draw_probability=0.1, notes=())

    def told(date: str, promoted: int, relegated: int) -> str:
        spec = LeagueSettings(final_date=date, promoted=promoted, relegated=relegated)
        return moves(League(folder=Path(), spec=spec, games=(), bots=(), anchors=()), table)

    certain = "Places that are not certain move nobody."
    assert told("2026-01-31", 2, 2) == f"Promoted: a (of 2 places); relegated: d, e (of 2 places). {certain}"
    assert told("2026-01-31", 0, 1) == f"Promoted: nobody (of 0 places); relegated: nobody (of 1 place). {certain}"
    assert told("9999-01-31", 2, 2) == told("2026-01-31", 0, 0) == ""


def test_who_enters_a_final() -> None:
    """A final takes the first by rating and all who are level with the last of them; what is open there is told."""
    places = {"a": (1, 1, 1), "b": (2, 2, 3), "c": (2, 2, 3), "d": (4, 4, 5), "e": (5, 4, 5)}
    rows = tuple([replace(_row(bot, low, high), rank=rank) for bot, (rank, low, high) in places.items()])
    entered = {number: "".join(row.bot for row in finalists(rows, number)) for number in (1, 2, 3, 4, 9)}
    assert entered == {1: "a", 2: "abc", 3: "abc", 4: "abcd", 9: "abcde"}
    table = Leaderboard("r", "dockfight", 2, None, 8, 8, 1.0, rows, provisional=False, draw_probability=0.1, notes=())

    def cut(date: str, bots: int) -> str:
        spec = LeagueSettings(final_date=date, final_bots=bots)
        return explain_cut(League(folder=Path(), spec=spec, games=(), bots=(), anchors=()), table)

    assert cut("2026-01-31", 3) == "The final takes the first 3 by rating."
    assert cut("2026-01-31", 2) == "The final takes the first 2 by rating, and 1 more, level with the last of them."
    doubt = "Of d, e it is not certain whether they belong there: the rating decided."
    assert cut("2026-01-31", 4) == f"The final takes the first 4 by rating. {doubt}"
    assert cut("9999-01-31", 2) == ""


@pytest.mark.long
def test_bots_are_frozen(league: Path) -> None:
    """After the date no bot is new or changed, and a final that has begun is played by the bots it began with."""
    settle(league)
    enter(league, "gus")
    enter(league, "cyd", "# better\n")
    killed(league, RUN, after=2)
    told = season(league, "--tables-only")
    assert sorted(one["bot"] for one in told["probation"]) == ["cyd", "gus"]
    entered = [one["name"] for one in json.loads((league / "results" / RUN / "run.json").read_bytes())["entrants"]]
    # one of whom another version lies there plays as it was
    assert not {"gus", "random", "greedy"} & set(entered)
    shutil.rmtree(league / "bots" / entered[0])
    wrong = refusal(league, "season", "-q")
    assert wrong == f"results/{RUN}: expected {entered[0]} as entered, got others or none: put them back"


@pytest.mark.long
def test_house_bots(league: Path) -> None:
    """They stand in the table for scale: no rank, no badge, no headline, and nobody is counted behind them."""
    told = season(league)
    table = told["games"]["dockfight"]
    assert {row["bot"] for row in table["house"]} == {"random", "greedy"}
    assert {row["rank"] for row in table["house"]} == {0}
    bots = len(table["leaderboard"])
    assert table["leaderboard"][0]["rank"] == 1
    assert max(row["rank_high"] for row in table["leaderboard"]) <= bots
    assert not {"greedy.json", "random.json"} & {path.name for path in (league / "badges").iterdir()}
    assert "house" in arena(league, "season", "-q").out
    assert "greedy" not in (league / "site/index.html").read_text().partition("<h1>")[2].partition("</h1>")[0]
    assert "A house bot, out of competition." in shown(league / "site/bots/greedy.html")
    shutil.rmtree(league / "bots")
    told = season(league)["games"]["dockfight"]
    assert (told["leaderboard"], told["headline"]) == ([], "No bot competes yet")
    assert "No bot competes yet" in shown(league / "site/index.html")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--ruling", "void"), "expected --appeal MATCH beside --ask, --ruling and --reason, got none"),
        (("--appeal", "#0", "--ruling", "void"), "expected --ruling and --reason together, got one of them"),
        (("--appeal", "lure/#0"), "--appeal: expected RUN/MATCH with a run of dockfight, got 'lure/#0'"),
        (("--appeal", "#9999"), "expected a match of results/dockfight"),
        (("--appeal", "#0", "--ask", "nobody"), "--ask: expected a bot of the league that sat there"),
    ],
)
@pytest.mark.long
def test_mistakes_in_appeals(nights: Path, words: tuple[str, ...], said: str) -> None:
    """What is wrong is said in one line, and nothing is written."""
    before = {path: path.read_bytes() for path in nights.rglob("*") if path.is_file()}
    assert said in refusal(nights, "season", "-q", *words)
    assert {path: path.read_bytes() for path in nights.rglob("*") if path.is_file()} == before


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ('[final]\ndate = "soon"', "arena.toml: final.date: expected a day in UTC such as 2027-01-31"),
        ('[final]\nschedule = "cup"', "arena.toml: final.schedule: expected a format of "),
        ("[final]\nbots = 1", "arena.toml: final.bots: expected a whole number from 2 to"),
        ("[final]\nprize = 1", "arena.toml: final: expected a known key, got 'prize'; did you mean 'prizes'?"),
    ],
)
def test_mistakes_in_settings(tmp_path: Path, more: str, said: str) -> None:
    """A final that cannot be played is told from the first night on."""
    settle(tmp_path, more)
    assert refusal(tmp_path, "season", "-q").startswith(said)
