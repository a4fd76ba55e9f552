"""A league from its first night to a prize and an appeal, by the steps of its workflows, on a protected branch."""

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from arena.starters import write_bot
from tests.ci.nights import WAITING, Nights
from tests.ci.workflow import ROOT, Runner, git, pull_request
from tests.cli.command import arena
from tests.leagues.test_site import hang_together, shown

FINAL = """
[final]
date = "2026-01-31"
bots = 3
matches = 6
play-off = 6
"""
RUN, PLAY_OFF = "dockfight-final-2026-01-31", "dockfight-final-2026-01-31-play-off-1"
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
    """Bots join, change, break, leave and come late; a step and a machine are lost; a final is tied, and appealed."""
    league = League(tmp_path / "desk")
    _bots_come_and_go(league, tmp_path / "foreign")
    _what_is_lost_is_played(league)
    _appeal(league, _final(league))
    assert league.nights.night == 10


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

    # nothing is new
    assert nights.play() == ["plan", "publish", "site"]
    assert not league.played()


def _what_is_lost_is_played(league: League) -> None:
    nights = league.nights
    # the time of a step is over: what it has is kept, and the same job plays on
    armed, over = nights.desk / "armed", nights.desk / "over"
    league.enter("carp", before=WAITING.format(armed=str(armed), over=str(over)))
    nights.push()
    assert nights.play(over=over, play=armed.touch) == WHOLE
    steps = [step for shard in ("play 1", "play 2", "play 3") for step in nights.ran[shard].ran if step.name == "arena"]
    assert 130 in [step.code for step in steps]
    assert any("carp" in record["bots"] for record in league.played())

    # a machine is lost: the next night plays the blocks of which it had a part
    league.enter("carp")
    nights.push()
    assert nights.play("play", lost=1) == ["plan", "play 2", "play 3", "publish", "site"]
    (planned,) = [step for step in nights.ran["plan"].ran if step.name == "What it printed"]
    due = json.loads(planned.said)[0]["matches"]
    assert 0 < len(league.played()) < due
    assert nights.play() == WHOLE
    assert len(league.played()) == due


def _final(league: League) -> dict[str, Any]:
    """Nobody is certain of the first place, and a play-off leaves it open; the tables after it."""
    nights = league.nights
    nights.settle("[clocks]", f"{FINAL.strip()}\n\n[clocks]")
    # a change that comes after the end plays nowhere
    league.enter("pike", before="# late\n")
    nights.push()
    assert nights.play() == ["plan", "publish", "site"]
    assert not league.played()
    assert (
        "- pike: entries ended at 2026-02-01 00:00 UTC: expected the bot as it was entered, got another" in nights.told
    )
    told: dict[str, Any] = json.loads(nights.published("leaderboard.json"))
    (final,) = told["finals"]
    assert (final["finished"], final["run"], final["play_offs"]) == (True, RUN, [PLAY_OFF])
    assert {one["place"] for one in final["finishes"]} == {1}
    assert {one["why"] for one in final["finishes"]} == {
        "a play-off of 6 matches left them open, and they share their prizes"
    }
    for run in (RUN, PLAY_OFF):
        assert "hold" in arena(nights.desk / f"published-{nights.night}", "verify", f"results/{run}").out
        assert shown(nights.pages / "reports" / f"{run}.html")

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
