"""A bot that is disqualified plays no more, and its matches do not count; what was played can still be proved."""

import json
import re
from pathlib import Path

import pytest

from arena.identity import bot_of
from tests.cli.command import arena, data, records
from tests.leagues.test_season import RUN, SETTINGS, enter, forecast, history, season, shown

pytestmark = pytest.mark.long


def disqualify(league: Path, *lines: str) -> None:
    """Have the host disqualify bots."""
    (league / "arena.toml").write_text("\n".join((SETTINGS, "[disqualified]", *lines, "")))


def test_a_disqualified_bot(league: Path) -> None:
    """All matches of a disqualified bot, in all its versions, leave the league's tables, and nothing else changes."""
    enter(league, "cheat")
    season(league)
    enter(league, "cheat", more="# another\n")
    enter(league, "other")
    before = season(league)
    assert {"cheat@2", "other"} <= shown(before)
    journal = (league / RUN / "matches.jsonl").read_bytes()
    epochs = json.loads((league / RUN / "run.json").read_bytes())["epochs"]
    disqualify(league, 'cheat = "it read the memory of mine"')
    after = season(league)
    assert not any(bot.startswith("cheat") for bot in shown(after))
    kept = [match for match in records(league / RUN) if "cheat" not in map(bot_of, match["bots"])]
    out = len(records(league / RUN)) - len(kept)
    table = after["games"]["dockfight"]
    assert (table["matches"], out > 0) == (len(kept), True)
    assert f"Not counted, because of who sat there: {out} matches of cheat." in table["notes"]
    for row in (*table["leaderboard"], *table["house"]):
        assert row["matches"] == sum(row["bot"] in match["bots"] for match in kept)
    why = {"bot": "cheat", "why": "disqualified: it read the memory of mine", "games": []}
    assert after["probation"] == history(league)[-1]["probation"] == [why]
    assert "disqualified: it read the memory of mine" in (league / "leaderboard.md").read_text()
    assert [each["why"] for each in forecast(league)["probation"]] == [why["why"]]
    # the matches of the page are those that count
    page = (league / "site/reports/dockfight.html").read_text()
    listed = {match["id"] for match in records(league / RUN) if f">{match['id']}<" in page or match["id"] in page}
    assert listed
    assert listed <= {match["id"] for match in kept}
    # what was played is as it was, and the same table can be had from it
    assert (league / RUN / "matches.jsonl").read_bytes() == journal
    assert json.loads((league / RUN / "run.json").read_bytes())["epochs"] == epochs
    arena(league, "verify", RUN)
    assert "cheat@2" in {row["bot"] for row in data(league, "leaderboard", RUN, "--past", "--json")["leaderboard"]}
    same = data(league, "leaderboard", RUN, "--without", "cheat", "--json")
    assert {row["bot"]: row["sigma"] for row in same["leaderboard"]} == {
        row["bot"]: row["sigma"] for row in (*table["leaderboard"], *table["house"])
    }
    # a mistake of the host is undone likewise
    (league / "arena.toml").write_text(SETTINGS)
    assert season(league)["games"] == before["games"]


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ('min = "a reason"', "expected a bot of the league, got 'min'; did you mean 'mine'?"),
        ('random = "a reason"', "expected a bot of the league, got the anchor 'random'"),
        ("mine = 3", "expected a string, got an integer"),
    ],
)
def test_mistakes(league: Path, line: str, said: str) -> None:
    """Who is disqualified has a folder in the league or has played in it, and is no anchor."""
    disqualify(league, line)
    told = arena(league, "season", "--tables-only", "-q", code=2).err
    assert re.search(rf"arena: arena.toml: disqualified(.mine)?: {re.escape(said)}.*\n", told)


def test_nothing_is_left(league: Path) -> None:
    """Where every match is one of a disqualified bot, the tables and pages of a league are there, and empty."""
    run = records(league / RUN)
    assert all("mine" in match["bots"] for match in run)
    disqualify(league, 'mine = "it sat in every match"')
    told = json.loads(arena(league, "season", "--tables-only", "--json", "-q").out)["games"]["dockfight"]
    assert (told["matches"], {row["matches"] for row in told["house"]}) == (0, {0})
    assert "it sat in every match" in (league / "leaderboard.md").read_text()
    report = (league / "site/reports/dockfight.html").read_text()
    assert run[0]["id"] not in report


def test_a_disqualified_bot_that_left(league: Path) -> None:
    """A bot whose folder is gone can be disqualified still."""
    enter(league, "cheat")
    season(league)
    for path in sorted((league / "bots/cheat").iterdir()):
        path.unlink()
    (league / "bots/cheat").rmdir()
    assert "cheat" not in shown(season(league))
    disqualify(league, 'cheat = "found out later"')
    told = json.loads(arena(league, "season", "--tables-only", "--json", "-q").out)
    assert any(note.endswith("matches of cheat.") for note in told["games"]["dockfight"]["notes"])
