"""The league in ``examples/``: what ``arena new league`` writes, and its nights run step by step as GitHub would."""

import json
import re
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

from arena import games
from arena.leagues import write
from arena.starters import write as write_bot
from tests.ci.workflow import ROOT, Runner, git, holds

EXAMPLE = ROOT / "examples" / "nightly-league"
WORKFLOW = ".github/workflows/league.yml"
BOTS = {"perch": "perl", "eel": "shell"}
"""Those that entered after the league was begun."""


def texts(folder: Path) -> dict[str, str]:
    """The files of a folder."""
    paths = [path for path in folder.rglob("*") if path.is_file() and "__pycache__" not in path.parts]
    return {path.relative_to(folder).as_posix(): path.read_text("utf-8") for path in paths}


def test_the_example_is_what_is_written(tmp_path: Path) -> None:
    """The example is the league that `arena new league --ci github` begins, with two more bots in other languages."""
    league = tmp_path / EXAMPLE.name
    write(league, [games.find("dockfight"), games.find("lure")], "github")
    for name, language in BOTS.items():
        write_bot(league / "bots" / name, language, None)
    assert texts(league) == texts(EXAMPLE)


class Nights:
    """A fresh repository of the example, and its workflow run night by night."""

    def __init__(self, desk: Path) -> None:
        self.desk = desk
        self.desk.mkdir()
        self.origin = desk / "origin.git"
        self.work = desk / "owner"
        shutil.copytree(EXAMPLE, self.work, ignore=shutil.ignore_patterns("__pycache__"))
        self.settle('games = ["dockfight", "lure"]', 'games = ["dockfight"]')
        self.settle("matches = 240", "matches = 12")
        git(desk, "init", "--quiet", "--bare", "--initial-branch=main", self.origin)
        git(self.work, "init", "--quiet", "--initial-branch=main")
        git(self.work, "remote", "add", "origin", self.origin)
        self.night = 0
        self.told = ""
        """The summary of the last night."""

    def settle(self, old: str, new: str) -> None:
        """Change a setting, which must be as it was."""
        path = self.work / "arena.toml"
        assert old in path.read_text("utf-8")
        path.write_text(path.read_text("utf-8").replace(old, new), encoding="utf-8")

    def push(self) -> None:
        """What a maintainer does with a change."""
        git(self.work, "add", "--all")
        git(self.work, "commit", "--quiet", "-m", "bots")
        if self.night:
            git(self.work, "pull", "--quiet", "--rebase", "origin", "main")
        git(self.work, "push", "--quiet", "origin", "HEAD:refs/heads/main")

    def note(self) -> None:
        """What somebody pushes while a night is played."""
        (self.work / "NOTE.md").write_text("a note\n")
        git(self.work, "add", "--all")
        git(self.work, "commit", "--quiet", "-m", "a note")
        git(self.work, "push", "--quiet", "origin", "HEAD:refs/heads/main")

    def play(self, failing: str = "", **meanwhile: Callable[[], object]) -> list[str]:
        """One night, each job on a machine of its own; which jobs ran."""
        self.night += 1
        here = self.desk / f"night-{self.night}"
        # of the moment at which the night was asked for: it may have waited for the one before
        asked_at = git(self.origin, "rev-list", "--max-parents=0", "main")
        github = {"sha": asked_at, "ref_name": "main", "token": "?", "repository": "o/r"}
        jobs: dict[str, Any] = yaml.safe_load((self.work / WORKFLOW).read_text("utf-8"))["jobs"]
        assert list(jobs) == ["plan", "play", "publish", "site"]
        needs: dict[str, Any] = {}
        ran = []
        for name, job in jobs.items():
            assert set(needs) >= set([job["needs"]] if isinstance(job.get("needs"), str) else job.get("needs", []))
            asked = {"needs": needs, "job": {"status": "success"}, "vars": {"PAGES": "true"}}
            if not holds(job.get("if"), asked):
                needs[name] = {"result": "skipped", "outputs": {}}
                continue
            meanwhile.get(name, bool)()
            results = set()
            shards = job.get("strategy", {}).get("matrix", {}).get("shard", [None])
            for shard in shards:
                contexts = {"github": github, "needs": needs, "vars": {"PAGES": "true"}}
                contexts |= {"matrix": {"shard": shard}, "strategy": {"job-total": len(shards)}}
                few = {"ARENA_ISOLATION": "none", "ARENA_LANES": "1"}
                # the only step that speaks to the outside
                few |= {"REMOTE": str(self.origin)} if name == "publish" else {}
                runner = Runner(here / f"{name}-{shard}", self.origin, contexts, few)
                outputs = runner.play(self.work / WORKFLOW, name)
                results.add(runner.status)
                # one shard that fails is enough
                needs[name] = {"result": min(results), "outputs": outputs}
                assert runner.status == "success" or name == failing, runner.ran[-1]
                ran.append(name if shard is None else f"{name} {shard}")
                if name == "publish":
                    assert runner.summary.startswith("# Leaderboard\n")
                    self.told = runner.summary
        assert needs["play"]["result"] == {"": needs["play"]["result"], "play": "failure"}[failing]
        return ran

    @property
    def artifact(self) -> Path:
        """The league as the last night published it."""
        return self.desk / f"night-{self.night}" / "artifacts" / "league"

    @property
    def pages(self) -> Path:
        """The site as the last night put it on GitHub Pages."""
        return self.desk / f"night-{self.night}" / "pages"

    def shown(self) -> set[str]:
        """Who is in the table."""
        told = json.loads((self.artifact / "leaderboard.json").read_bytes())
        table = told["games"]["dockfight"]
        return {row["bot"] for row in (*table["leaderboard"], *table["house"])}


@pytest.mark.long
def test_nights_of_the_example(tmp_path: Path) -> None:
    """A first night plays all in two shards; one with nothing new plays nothing; one with a broken bot plays on."""
    nights = Nights(tmp_path / "desk")
    nights.push()
    assert nights.play(publish=nights.note) == ["plan", "play 1", "play 2", "publish", "site"]
    assert git(nights.origin, "show", "main:NOTE.md") == "a note"
    assert nights.shown() == {"minnow", "perch", "eel", "random", "greedy"}
    whole = len((nights.artifact / "results" / "dockfight" / "matches.jsonl").read_bytes().splitlines())
    assert whole == 12
    assert {"eel.json", "minnow.json", "perch.json"} <= {path.name for path in (nights.artifact / "badges").iterdir()}
    published = git(nights.origin, "show", "--stat", "--format=%s", "main")
    assert published.startswith("A season\n")
    assert "secret.json" not in published
    assert "site/" not in published
    assert {"index.html", "bots", "games", "reports"} <= {path.name for path in nights.pages.iterdir()}
    head = git(nights.origin, "rev-parse", "main")
    assert nights.play() == ["plan", "publish", "site"]
    assert git(nights.origin, "rev-parse", "main") == head
    # one bot breaks, another leaves
    (nights.work / "bots" / "minnow" / "bot.py").write_text("import nothing_of_the_kind\n")
    shutil.rmtree(nights.work / "bots" / "eel")
    nights.push()
    assert nights.play()[0] == "plan"
    assert nights.shown() <= {"perch", "random", "greedy"} | {"random#2"}
    page = (nights.artifact / "leaderboard.md").read_text("utf-8")
    assert "\n## On probation\n" in page
    assert "- minnow (dockfight): " in page
    lines = git(nights.origin, "show", "main:history.jsonl").splitlines()
    assert [json.loads(line)["season"] for line in lines] == [1, 2]


KILLS = """\
        elif message["type"] == "decide" and os.path.exists({marker!r}):
            os.kill(os.getppid(), 9)
"""


@pytest.mark.long
def test_a_night_of_voids(tmp_path: Path) -> None:
    """Matches that stay void fail the job that plays; its parts are published, with a word on what is missing."""
    nights = Nights(tmp_path / "desk")
    marker = tmp_path / "the machine fails"
    path = nights.work / "bots" / "minnow" / "bot.py"
    head, decide, rest = path.read_text("utf-8").partition('        elif message["type"] == "decide":')
    path.write_text(f"import os\n{head}{KILLS.format(marker=str(marker))}{decide}{rest}")
    nights.push()
    assert nights.play("play", play=marker.touch) == ["plan", "play 1", "play 2", "publish", "site"]
    assert "\nA part of this night was not played to its end" in nights.told
    assert re.search(r"^- Not played yet: .*\bminnow\b", nights.told, re.MULTILINE)
    told = git(nights.origin, "show", "main:results/dockfight/matches.jsonl").splitlines()
    reasons = [record["reason"] for record in map(json.loads, told) if "minnow" in record["bots"]]
    # of four deals for five bots at three seats it sits in two or three, as the night's seed has it
    assert len(reasons) in {6, 9}
    assert set(reasons) == {"void"}
    assert f"- Void and not rated: {len(reasons)} matches.\n" in nights.told
    # of what was kept of the parts: each of them was tried by each of the three sessions
    parts = [path.read_bytes() for path in (tmp_path / "desk/night-1/artifacts").glob("part-*/**/matches.jsonl")]
    assert [len(parts), b"".join(parts).count(b'"reason":"void"')] == [2, 3 * len(reasons)]
    assert len(git(nights.origin, "show", "main:history.jsonl").splitlines()) == 1


@pytest.mark.long
def test_a_night_with_a_torn_part(tmp_path: Path) -> None:
    """A part that is damaged on its way stops nothing: the other part is published, and what is missing is said."""
    nights = Nights(tmp_path / "desk")
    nights.push()

    def tear() -> None:
        (journal,) = (tmp_path / "desk/night-1/artifacts/part-1").rglob("matches.jsonl")
        whole = journal.read_bytes()
        journal.write_bytes(whole[:500] + whole[600:])

    assert nights.play(publish=tear)[-1] == "site"
    told = git(nights.origin, "show", "main:results/dockfight/matches.jsonl").splitlines()
    assert len(told) == 6
    assert "- Not played in the last season, and given up: 6 matches.\n" in nights.told


@pytest.mark.parametrize("job", ["plan", "play", "publish"])
def test_who_may_write(job: str) -> None:
    """Jobs that start bots can write nothing and are handed no token; the one that can write starts none."""
    whole = yaml.safe_load((EXAMPLE / WORKFLOW).read_text("utf-8"))
    found = whole["jobs"][job]
    commands = {step["with"]["args"].split()[0] for step in found["steps"] if "/arena@" in step.get("uses", "")}
    writes = found["permissions"] == {"contents": "write"}
    assert writes or found["permissions"] == {"contents": "read"}
    assert writes == (job == "publish")
    assert commands == {"plan": {"season"}, "play": {"run"}, "publish": {"merge", "season"}}[job]
    assert ("token" in json.dumps(found)) == writes
    if writes:
        assert any(
            "--tables-only" in step["with"]["args"] for step in found["steps"] if "/arena@" in step.get("uses", "")
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
