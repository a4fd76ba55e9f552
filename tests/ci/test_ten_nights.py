"""A league from its first night to a prize and an appeal, by the steps of its workflows, on a protected branch."""

import json
import shutil
from datetime import UTC, datetime, time, timedelta
from pathlib import Path
from typing import Any

import pytest

from arena.leagues.new import _mark
from arena.players import find_bot_shelf
from arena.starters import write_bot
from tests.ci.nights import EXAMPLE, WAITING, WORKFLOW, Nights
from tests.ci.workflow import ROOT, Runner, git, pull_request
from tests.cli.command import arena, refusal
from tests.leagues.test_site import hang_together, shown

FINAL = """
[final]
date = "{date}"
bots = 3
matches = 6
play-off = 6
"""
OLDER_ANCHOR = "# of the version before"
OLDER = """\
from arena.players import entrants
entrants.find_bot_shelf = lambda: Path({shelf!r})
"""
"""An arena that ships other bots."""
CLOCK = """\
from datetime import datetime
from arena.leagues import league
league.clock = lambda: datetime.fromisoformat({now!r})
"""
CHECK = ROOT / "examples" / "nightly-league" / ".github" / "workflows" / "check.yml"
WHOLE = ["plan", "play 1", "play 2", "play 3", "publish", "site"]


class League:
    """A league by the sea, and what was published of it so far."""

    def __init__(self, desk: Path) -> None:
        self.nights = Nights(desk)
        self.bots = self.nights.work / "bots"
        self._before: list[dict[str, Any]] = []

    def enter(self, name: str, before: str = "") -> None:
        """Put a bot in, or another program in its place."""
        shutil.rmtree(self.bots / name, ignore_errors=True)
        write_bot(self.bots / name, "python", None)
        path = self.bots / name / "bot.py"
        path.write_text(before + path.read_text("utf-8"), "utf-8")

    def played(self) -> list[dict[str, Any]]:
        """Hold what the last night published against what was there before; the new matches.

        Nothing is lost, the runs hold, no secret of a run that goes on is told, and the pages hang together.
        """
        records = self.nights.records()
        assert records[: len(self._before)] == self._before
        new, self._before = records[len(self._before) :], records
        clone = self.nights.desk / f"published-{self.nights.night}"
        git(self.nights.desk, "clone", "--quiet", "--branch=results", self.nights.origin, clone)
        if new:
            assert "matches hold" in arena(clone, "verify", "results/dockfight").out
        assert not list(clone.rglob("secret.json"))
        shutil.copytree(self.nights.pages, clone / "site")
        hang_together(clone)
        return new

    def publish_ruling(self, match: str) -> None:
        """What a host does with an appeal: a ruling on the branch of the results, with the settings of ``main``."""
        desk = self.nights.desk / "host"
        git(self.nights.desk, "clone", "--quiet", "--branch=results", self.nights.origin, desk)
        git(desk, "restore", "--source=origin/main", "--worktree", "--", "arena.toml", "owners.toml", "bots")
        words = ("--trust", "--isolation", "none", "--quiet")
        page = arena(desk, "season", *words, "--appeal", match, "--ask", "perch").out.strip()
        assert "It is not ruled on yet." in shown(desk / page)
        arena(desk, "season", *words, "--appeal", match, "--ruling", "void", "--reason", "the disk stood still")
        git(desk, "add", "--update")
        git(desk, "commit", "--quiet", "-m", "A ruling")
        git(desk, "push", "--quiet", "origin", "HEAD:results")


@pytest.mark.proof
@pytest.mark.timeout(900)
def test_ten_nights_and_a_prize(tmp_path: Path) -> None:
    """Bots join, change, break and leave; arena is upgraded; a step and a machine are lost; some come late to the end.

    A clock is set back; the final is tied, and appealed.
    """
    league = League(tmp_path / "desk")
    _begin_before_an_upgrade(league, tmp_path / "shelf")
    _bots_come_and_go(league, tmp_path / "foreign")
    _upgrade(league)
    _what_is_lost_is_played(league)
    # nothing was played for an anchor
    assert {"greedy", "greedy@2"} & league.nights.shown() == {"greedy"}
    _appeal(league, _final(league, _entries_end(league)))
    assert league.nights.night == 10


def _begin_before_an_upgrade(league: League, shelf: Path) -> None:
    """Have the first nights played by an older arena: with another anchor, and as its workflows were."""
    shutil.copytree(find_bot_shelf(), shelf)
    with (shelf / "greedy" / "bot.py").open("a") as file:
        file.write(f"{OLDER_ANCHOR}\n")
    league.nights.change = OLDER.format(shelf=str(shelf))
    path = league.nights.work / WORKFLOW
    older = path.read_text("utf-8").rpartition("# what")[0].replace('cron: "17 3', 'cron: "17 4')
    path.write_text(older + _mark(WORKFLOW, older))


def _upgrade(league: League) -> None:
    """Nothing is new, though the new arena ships another anchor: it stays, and so does its rating."""
    nights = league.nights
    # a season that the older one has planned goes on, and where the rules are others it is given up by one answer
    unfinished = nights.desk / "unfinished"
    shutil.copytree(nights.work, unfinished)
    shutil.copytree(nights.artifact.parent / "plan", unfinished, dirs_exist_ok=True)
    words = ("season", "--plan-only", "--trust", "--quiet")
    assert json.loads(arena(unfinished, *words, "--json").out)[0]["matches"] == nights.due() > 0
    run = unfinished / "results" / "dockfight" / "run.json"
    version = json.loads(run.read_bytes())["game_version"]
    run.write_text(run.read_text().replace(f'"game_version": "{version}"', '"game_version": "0"'))
    assert refusal(unfinished, *words).endswith("or give the rest of it up with `arena season --give-up`")
    assert f"{nights.due()} matches are given up" in arena(unfinished, *words[:-1], "--give-up").err

    nights.change = ""
    told = arena(nights.work, "new", "league", ".", "--renew").out
    assert '-    - cron: "17 4 * * *"\n+    - cron: "17 3 * * *"\n' in told
    assert told.endswith(f"{WORKFLOW}: written\n")
    assert (nights.work / WORKFLOW).read_text() == (EXAMPLE / WORKFLOW).read_text()
    nights.push()
    anchors = git(nights.origin, "ls-tree", "-r", "results", "anchors")
    assert git(nights.origin, "grep", "--name-only", OLDER_ANCHOR, "results", "--", "anchors")
    house = json.loads(nights.published("leaderboard.json"))["games"]["dockfight"]["house"]
    assert "greedy" in {row["bot"] for row in house}
    assert nights.play() == ["plan", "publish", "site"]
    assert not league.played()
    assert git(nights.origin, "ls-tree", "-r", "results", "anchors") == anchors
    assert json.loads(nights.published("leaderboard.json"))["games"]["dockfight"]["house"] == house


def _bots_come_and_go(league: League, desk: Path) -> None:
    nights = league.nights
    nights.push()
    assert nights.play() == WHOLE
    assert len(league.played()) == 12

    # one joins, and somebody pushes meanwhile
    league.enter("pike")
    nights.push()
    assert nights.play(publish=nights.note) == WHOLE
    assert "pike" in {bot for record in league.played() for bot in record["bots"]}

    # one has a file that nobody can read, another starts no more: their last versions stay, and who changed plays
    (league.bots / "minnow" / "bot.toml").write_text('name = "minnow\n')
    (league.bots / "pike" / "bot.py").write_text("import nothing_of_the_kind\n")
    (league.bots / "perch" / "more").write_text("more")
    nights.push()
    assert nights.play() == WHOLE
    assert "perch@2" in {bot for record in league.played() for bot in record["bots"]}
    assert {"minnow", "pike"} <= nights.shown()
    assert {"- minnow: ", "- pike: "} <= {line[: line.find(" ", 2) + 1] for line in nights.told.splitlines()}
    assert nights.told.count(" UTC plays on\n") == 2

    # one leaves, two are mended, and a stranger wants to change somebody else's bot
    shutil.rmtree(league.bots / "eel")
    league.enter("minnow", before="# mended\n")
    league.enter("pike")
    (nights.work / "owners.toml").write_text('perch = "anna"\n')
    nights.push()
    told = "refused: expected a change of perch by anna, whose bot it is, got one by mallory; a maintainer hands"
    assert _edited(nights, desk).startswith(told)
    nights.play()
    league.played()
    assert "eel" not in nights.shown()
    assert nights.shown() & {"minnow", "minnow@2"}


def _what_is_lost_is_played(league: League) -> None:
    nights = league.nights
    # a machine is lost, and on the others the time of a step is over: what they have is kept, and the jobs play on
    armed, over = nights.desk / "armed", nights.desk / "over"
    league.enter("carp", before=WAITING.format(armed=str(armed), over=str(over)))
    nights.push()
    assert nights.play("play", lost=1, over=over, play=armed.touch) == [job for job in WHOLE if job != "play 1"]
    steps = [step for shard in ("play 2", "play 3") for step in nights.ran[shard].ran if step.name == "arena"]
    assert 130 in [step.code for step in steps]
    due = nights.due()
    played = league.played()
    assert 0 < len(played) < due
    assert any("carp" in record["bots"] for record in played)

    # the next night plays the blocks of which it had a part
    assert nights.play() == WHOLE
    assert len(league.played()) == due


def _entries_end(league: League) -> datetime:
    """Who has pushed on the last day plays in a night after it, and what comes a second late plays nowhere."""
    nights = league.nights
    # a day from now on: what is pushed now is in time
    end = datetime.combine(datetime.now(UTC) + timedelta(days=2), time(), UTC)
    final = FINAL.format(date=f"{end - timedelta(days=1):%Y-%m-%d}")
    nights.settle("[clocks]", f"{final.strip()}\n\n[clocks]")
    league.enter("pike", before="# on the last day\n")
    nights.push()
    league.enter("pike", before="# late\n")
    nights.push(end + timedelta(seconds=1))
    nights.change = CLOCK.format(now=(end + timedelta(seconds=2)).isoformat())
    assert nights.play() == WHOLE
    assert "pike@2" in {bot for record in league.played() for bot in record["bots"]}
    assert _tell_late("pike", end) in nights.told
    return end


def _tell_late(bot: str, end: datetime) -> str:
    return f"- {bot}: entries ended at {end:%Y-%m-%d} 00:00 UTC: expected the bot as it was entered, got another"


def _final(league: League, end: datetime) -> dict[str, Any]:
    """Nobody is certain of the first place, and a play-off leaves it open; the tables after it."""
    nights = league.nights
    # the clock is set back to before the end, which opens nothing again
    nights.change = ""
    assert nights.play() == ["plan", "publish", "site"]
    assert not league.played()
    assert _tell_late("pike", end) in nights.told
    dates = [json.loads(line)["date"] for line in nights.published("history.jsonl").splitlines()]
    assert dates == sorted(dates)
    run = f"dockfight-final-{end - timedelta(days=1):%Y-%m-%d}"
    told: dict[str, Any] = json.loads(nights.published("leaderboard.json"))
    (final,) = told["finals"]
    assert (final["finished"], final["run"], final["play_offs"]) == (True, run, [f"{run}-play-off-1"])
    assert {one["place"] for one in final["finishes"]} == {1}
    assert {one["why"] for one in final["finishes"]} == {
        "a play-off of 6 matches left them open, and they share their prizes"
    }
    for folder in (run, f"{run}-play-off-1"):
        assert "hold" in arena(nights.desk / f"published-{nights.night}", "verify", f"results/{folder}").out
        assert shown(nights.pages / "reports" / f"{folder}.html")

    return told


def _appeal(league: League, told: dict[str, Any]) -> None:
    """It is ruled on, and the tables of the next night leave the match out."""
    nights = league.nights
    match = next(record for record in nights.records() if any(bot.startswith("perch") for bot in record["bots"]))["id"]
    league.publish_ruling(f"dockfight/{match}")
    assert nights.play() == ["plan", "publish", "site"]
    assert not league.played()
    after = json.loads(nights.published("leaderboard.json"))
    assert after["finals"] == told["finals"]
    assert [(one["match"], one["ruling"]) for one in after["rulings"]] == [(match, "void")]
    assert after["games"]["dockfight"]["matches"] == told["games"]["dockfight"]["matches"] - 1
    assert "The final" in shown(nights.pages / "index.html")


def _edited(nights: Nights, desk: Path) -> str:
    """What the check says to a pull request of a stranger that changes somebody else's bot."""
    origin = desk / "origin"
    desk.mkdir()
    git(desk, "clone", "--quiet", nights.origin, origin)

    def change(folder: Path) -> None:
        (folder / "bots" / "perch" / "more").write_text("theirs")

    told = {"github": pull_request(origin, change, account="mallory")}
    env = {"ARENA_ISOLATION": "none", "ARENA_LANES": "1", "REMOTE": str(nights.origin)}
    runner = Runner(desk / "job", origin, told, env)
    runner.play(CHECK, "check")
    assert runner.status == "failure"
    assert [step for step in runner.ran if step.name == "arena"][-1].code == 1
    return (runner.artifacts / "verdict" / "verdict.txt").read_text("utf-8").strip()
