"""The league in ``examples/``: what ``arena new league`` writes, and its nights run step by step as GitHub would."""

import json
import re
import shutil
from contextlib import suppress
from pathlib import Path

import pytest
import yaml

from arena import games
from arena.leagues.new import write
from arena.starters import write_bot
from tests.ci.nights import EXAMPLE, WAITING, WORKFLOW, Nights
from tests.ci.workflow import git, holds
from tests.cli.command import arena

BOTS = {"perch": "perl", "eel": "shell"}
"""Those that entered after the league was begun."""


def texts(folder: Path) -> dict[str, str]:
    """The files of a folder."""
    paths = [path for path in folder.rglob("*") if path.is_file() and "__pycache__" not in path.parts]
    return {path.relative_to(folder).as_posix(): path.read_text("utf-8") for path in paths}


def test_the_example_is_what_is_written(tmp_path: Path) -> None:
    """The example is the league that `arena new league --ci github` begins, with two more bots in other languages."""
    league = tmp_path / EXAMPLE.name
    write(league, [games.find("dockfight"), games.find("lure")], ci="github")
    for name, language in BOTS.items():
        write_bot(league / "bots" / name, language, None)
    assert texts(league) == texts(EXAMPLE)


@pytest.mark.long
def test_a_night_of_the_example(tmp_path: Path) -> None:
    """A first night has a machine for each seat. A part that is damaged on its way stops nothing, and that is said."""
    nights = Nights(tmp_path / "desk")
    nights.push()

    def tear() -> None:
        nights.note()
        (journal,) = (tmp_path / "desk/night-1/artifacts/part-1").rglob("matches.jsonl")
        whole = journal.read_bytes()
        journal.write_bytes(whole[:500] + whole[600:])

    assert nights.play(publish=tear) == ["plan", "play 1", "play 2", "play 3", "publish", "site"]
    assert git(nights.origin, "show", "main:NOTE.md") == "a note"
    assert nights.shown() == {"minnow", "perch", "eel", "random", "greedy"}
    assert len(nights.records()) == 8
    assert "- Not played in the last season, and given up: 4 matches.\n" in nights.told
    assert {"eel.json", "minnow.json", "perch.json"} <= {path.name for path in (nights.artifact / "badges").iterdir()}
    published = git(nights.origin, "show", "--stat", "--format=%s", "results")
    assert published.startswith("A season\n")
    assert "secret.json" not in published
    assert "site/" not in published
    assert {"index.html", "bots", "games", "reports"} <= {path.name for path in nights.pages.iterdir()}


@pytest.mark.long
def test_a_night_with_a_broken_bot(tmp_path: Path) -> None:
    """A bot that cannot start is on probation, and the others play on."""
    nights = Nights(tmp_path / "desk")
    nights.settle("matches = 12", "matches = 3")
    (nights.work / "bots" / "minnow" / "bot.py").write_text("import nothing_of_the_kind\n")
    shutil.rmtree(nights.work / "bots" / "eel")
    nights.push()
    assert nights.play()[0] == "plan"
    assert nights.shown() == {"perch", "random", "greedy"}
    page = (nights.artifact / "leaderboard.md").read_text("utf-8")
    assert "\n## On probation\n" in page
    assert "- minnow (dockfight): " in page
    assert len(nights.published("history.jsonl").splitlines()) == 1


KILLS = """\
        elif message["type"] == "decide" and os.path.exists({marker!r}):
            os.kill(os.getppid(), 9)
"""


@pytest.mark.proof
def test_a_night_of_voids(tmp_path: Path) -> None:
    """Matches that stay void fail the job that plays; its parts are published, with a word on what is missing."""
    nights = Nights(tmp_path / "desk")
    marker = tmp_path / "the machine fails"
    path = nights.work / "bots" / "minnow" / "bot.py"
    head, decide, rest = path.read_text("utf-8").partition('        elif message["type"] == "decide":')
    path.write_text(f"import os\n{head}{KILLS.format(marker=str(marker))}{decide}{rest}")
    nights.push()
    assert nights.play("play", play=marker.touch) == ["plan", "play 1", "play 2", "play 3", "publish", "site"]
    assert "\nA part of this night was not played to its end" in nights.told
    assert re.search(r"^- Not played yet: .*\bminnow\b", nights.told, re.MULTILINE)
    told = nights.records()
    reasons = [record["reason"] for record in told if "minnow" in record["bots"]]
    # of four deals for five bots at three seats it sits in two or three, as the night's seed has it
    assert len(reasons) in {6, 9}
    assert set(reasons) == {"void"}
    assert f"- Void and not rated: {len(reasons)} matches.\n" in nights.told
    # of what was kept of the parts: each of them was tried by each of the three sessions
    parts = [path.read_bytes() for path in (tmp_path / "desk/night-1/artifacts").glob("part-*/**/matches.jsonl")]
    assert [len(parts), b"".join(parts).count(b'"reason":"void"')] == [3, 3 * len(reasons)]
    assert len(nights.published("history.jsonl").splitlines()) == 1


def running() -> list[str]:
    """The command lines of all processes."""
    lines = []
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        with suppress(OSError):
            lines.append(path.read_text("utf-8", "replace").replace("\0", " "))
    return lines


@pytest.mark.proof
def test_nights_that_lose_nothing(tmp_path: Path) -> None:
    """Blocks of which a part is lost are played anew; a night that is not published is published by one command."""
    nights = Nights(tmp_path / "desk")
    nights.settle("matches = 12", "matches = 24")
    nights.push()
    assert nights.play("play", lost=1) == ["plan", "play 2", "play 3", "publish", "site"]
    assert "\nA part of this night was not played to its end" in nights.told
    first = nights.records()
    blocks = [record["id"].partition("r")[0] for record in first]
    assert all(blocks.count(block) == 2 for block in blocks)
    assert len(first) == 16
    # one joins, one changes
    write_bot(nights.work / "bots" / "pike", "python", None)
    (nights.work / "bots" / "perch" / "more").write_text("more")
    nights.push()
    assert nights.play()[:4] == ["plan", "play 1", "play 2", "play 3"]
    second = nights.records()
    assert second[: len(first)] == first
    assert {"pike", "perch@2"} <= {bot for record in second[len(first) :] for bot in record["bots"]}
    # no block was whole, so all is played again
    assert nights.due() == len(second) - len(first)
    # one with nothing new plays nothing
    head = git(nights.origin, "rev-parse", "results")
    assert nights.play() == ["plan", "publish", "site"]
    assert git(nights.origin, "rev-parse", "results") == head
    # somebody writes to the branch of the results: that is not written over, and the night is kept
    (nights.work / "bots" / "perch" / "more").write_text("still more")
    nights.push()
    theirs = tmp_path / "theirs"
    git(tmp_path, "clone", "--quiet", "--branch=results", nights.origin, theirs)
    before = git(theirs, "rev-parse", "HEAD")

    def meddle() -> None:
        (theirs / "history.jsonl").write_text("{}\n")
        git(theirs, "commit", "--quiet", "--all", "-m", "meddling")
        git(theirs, "push", "--quiet", "origin", "HEAD:results")

    assert nights.play("publish", publish=meddle)[-1] == "publish"
    said = nights.ran["publish"].ran[-1].said.splitlines()[-1]
    assert said.startswith("::error::expected the results as they were when this night began")
    assert f"`gh workflow run league.yml -f recover={nights.night}` publishes this night" in said
    assert nights.published("history.jsonl") == "{}"
    refused = nights.night
    assert nights.play("publish", recover=refused) == ["publish"]
    git(theirs, "push", "--quiet", "--force", "origin", f"{before}:refs/heads/results")
    assert nights.play(recover=refused) == ["publish", "site"]
    third = nights.records()
    assert third[: len(second)] == second
    assert "perch@3" in {bot for record in third[len(second) :] for bot in record["bots"]}
    assert nights.play() == ["plan", "publish", "site"]
    assert [json.loads(line)["season"] for line in nights.published("history.jsonl").splitlines()] == [1, 2, 3]
    run = tmp_path / "run"
    git(tmp_path, "clone", "--quiet", "--branch=results", nights.origin, run)
    assert f"{len(third)} matches hold" in arena(run, "verify", "results/dockfight").out
    assert not git(nights.origin, "ls-tree", "main", "--", "results", "history.jsonl")


@pytest.mark.long
def test_a_night_whose_step_runs_out_of_time(tmp_path: Path) -> None:
    """Arena itself hears the signal that ends a step: it closes what it has, leaves nobody behind, and can go on."""
    nights = Nights(tmp_path / "desk")
    # three bots for three seats: minnow plays in each match
    nights.settle('anchors = ["random", "greedy"]', "anchors = []")
    nights.settle('move = "1s"', 'move = "600s"')
    nights.settle('budget = "2m"', 'budget = "1h"')
    armed, over = tmp_path / "armed", tmp_path / "over"
    path = nights.work / "bots" / "minnow" / "bot.py"
    path.write_text(WAITING.format(armed=str(armed), over=str(over)) + path.read_text("utf-8"), "utf-8")
    nights.push()
    assert nights.play(over=over, play=armed.touch) == ["plan", "play 1", "play 2", "play 3", "publish", "site"]
    steps = [step for step in nights.ran["play 1"].ran if step.name == "arena"]
    assert [step.code for step in steps] == [130, 0], steps
    assert "are recorded; resume with: arena run --plan plan/results" in steps[0].said
    assert len(nights.records()) == 12
    assert not [line for line in running() if str(tmp_path) in line]


@pytest.mark.parametrize("job", ["plan", "play", "publish"])
def test_who_may_write(job: str) -> None:
    """Jobs that start bots can write nothing and are handed no token; the one that can write starts none."""
    whole = yaml.safe_load((EXAMPLE / WORKFLOW).read_text("utf-8"))
    found = whole["jobs"][job]
    commands = {step["with"]["args"].split()[0] for step in found["steps"] if "actions/arena" in step.get("uses", "")}
    writes = found["permissions"] == {"contents": "write", "actions": "write"}
    assert writes or found["permissions"] == {"contents": "read"}
    assert writes == (job == "publish")
    assert commands == {"plan": {"season"}, "play": {"run"}, "publish": {"merge", "season"}}[job]
    # who has the token starts nothing: git alone, and the one that takes over what an earlier run has kept
    for step in found["steps"]:
        if "token" in json.dumps(step):
            known = {"The results so far", "The night that could not be published", "Publish", "Keep the schedule"}
            assert step["name"] in known
            assert "arena" not in step.get("run", "").replace("x-access-token", "")
    if writes:
        assert any(
            "--tables-only" in step["with"]["args"] for step in found["steps"] if "/arena" in step.get("uses", "")
        )


def test_who_may_put_pages_up() -> None:
    """One job alone may write to Pages: it may do nothing else, starts nothing, checks nothing out and is asked for."""
    jobs = yaml.safe_load((EXAMPLE / WORKFLOW).read_text("utf-8"))["jobs"]
    for name, job in jobs.items():
        assert ("pages" in job["permissions"]) == ("id-token" in job["permissions"]) == (name == "site")
    site = jobs["site"]
    assert site["permissions"] == {"pages": "write", "id-token": "write"}
    assert [step["uses"].partition("@")[0] for step in site["steps"]] == ["actions/deploy-pages"]
    for pages in ("true", "", None):
        contexts = {"needs": {"publish": {"result": "success"}}, "job": {"status": "success"}, "vars": {"PAGES": pages}}
        assert holds(site["if"], contexts) == (pages == "true")
