"""The step that publishes a night of a league, as the workflow has it, while others push to a real repository."""

import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
import yaml

from tests.ci.test_league import EXAMPLE, WORKFLOW
from tests.ci.workflow import git

OTHERS = "what somebody pushed\n"
MADE = ("leaderboard.md", "leaderboard.json", "history.jsonl", "badges/perch.json", "results/dockfight/matches.jsonl")


def commit(folder: Path, files: dict[str, str], *how: str) -> None:
    """Commit files, and push them."""
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    git(folder, "add", "--all")
    git(folder, "commit", "--quiet", "-m", "a change", *(["--amend"] if how else []))
    git(folder, "push", "--quiet", *how, "origin", "HEAD:refs/heads/main")


class Repository:
    """A league that was published once; a maintainer's folder, and that of the job, with a new night in it."""

    def __init__(self, desk: Path) -> None:
        self.origin, self.theirs, self.job = desk / "origin.git", desk / "theirs", desk / "job"
        git(desk, "init", "--quiet", "--bare", "--initial-branch=main", self.origin)
        git(desk, "clone", "--quiet", self.origin, self.theirs)
        commit(self.theirs, dict.fromkeys((*MADE, "bots/perch/bot.py", "badges/gone.json"), "old\n"))
        commit(self.theirs, {"bots/perch/bot.py": "newer\n"})
        git(desk, "clone", "--quiet", "--depth=1", self.origin.as_uri(), self.job)
        for name in MADE:
            (self.job / name).write_text("of this night\n")
        (self.job / "badges" / "gone.json").unlink()

    def publish(self) -> subprocess.CompletedProcess[str]:
        """Run the step."""
        jobs = yaml.safe_load((EXAMPLE / WORKFLOW).read_text("utf-8"))["jobs"]
        (step,) = (step for step in jobs["publish"]["steps"] if step["name"] == "Publish")
        return subprocess.run(
            [shutil.which("bash") or "bash", "-e", "-c", step["run"]],
            cwd=self.job,
            env={"PATH": os.environ["PATH"], "HOME": str(self.job), "REMOTE": str(self.origin), "BRANCH": "main"},
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )

    def shown(self) -> dict[str, str]:
        """The files of the branch, and what is in them."""
        names = git(self.origin, "ls-tree", "-r", "--name-only", "main").splitlines()
        return {name: git(self.origin, "show", f"main:{name}") for name in names}


@pytest.mark.parametrize(
    ("files", "how"),
    [
        ({"bots/pike/bot.py": OTHERS}, ()),
        ({"leaderboard.md": OTHERS, "badges/perch.json": OTHERS, "NOTE.md": OTHERS}, ()),
        ({"bots/perch/bot.py": OTHERS}, ("--force",)),
    ],
    ids=["a bot", "tables edited by hand", "history written anew"],
)
def test_what_others_push(tmp_path: Path, files: dict[str, str], how: tuple[str, ...]) -> None:
    """Whatever is pushed during a night, the night is published on top of it; tables and badges are this night's."""
    repository = Repository(tmp_path)
    commit(repository.theirs, files, *how)
    ended = repository.publish()
    assert ended.returncode == 0, ended.stderr
    kept = {"bots/perch/bot.py": "newer"} | {name: OTHERS.strip() for name in files}
    assert repository.shown() == kept | dict.fromkeys(MADE, "of this night")


def _results(repository: Repository) -> None:
    commit(repository.theirs, {"results/dockfight/matches.jsonl": OTHERS})


def _refused(repository: Repository) -> None:
    hook = repository.origin / "hooks" / "pre-receive"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text("#!/bin/sh\nexit 1\n")
    hook.chmod(0o755)


@pytest.mark.parametrize(
    ("meanwhile", "why"),
    [
        (_results, "expected the results as they were when this night began, got others by somebody's push"),
        (_refused, "expected a branch that takes the results, got main, which refused them"),
    ],
)
def test_a_night_that_is_not_published(tmp_path: Path, meanwhile: Callable[[Repository], None], why: str) -> None:
    """Results that others pushed are never written over, and a branch that takes nothing is said; both in one line."""
    repository = Repository(tmp_path)
    meanwhile(repository)
    before = repository.shown()
    ended = repository.publish()
    assert ended.returncode == 1
    assert ended.stdout.startswith(f"::error::{why}; this night is kept as the artifact league")
    assert ended.stdout.count("\n") == 1
    assert repository.shown() == before


def test_nothing_new(tmp_path: Path) -> None:
    """A night that changes nothing pushes nothing."""
    repository = Repository(tmp_path)
    git(repository.job, "reset", "--quiet", "--hard")
    head = git(repository.origin, "rev-parse", "main")
    assert repository.publish().returncode == 0
    assert git(repository.origin, "rev-parse", "main") == head
