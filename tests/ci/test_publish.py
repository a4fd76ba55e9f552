"""The step that publishes a night of a league, as the workflow has it, while others push to a real repository."""

import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
import yaml

from tests.ci.nights import EXAMPLE, WORKFLOW, protect
from tests.ci.workflow import git

OTHERS = "what somebody pushed\n"
MADE = (
    "leaderboard.md",
    "leaderboard.json",
    "history.jsonl",
    "roster.json",
    "badges/perch.json",
    "results/dockfight/matches.jsonl",
)
LOG = "results/dockfight/logs/perch.log"
SSH = """#!/bin/sh
# the host and its options, then the command: who has the deploy key may push anything
[ "$1 $2" = "-i key" ] || exit 255
for command; do :; done
GIT_AUTHOR_EMAIL=deploy exec sh -c "$command"
"""


def commit(folder: Path, files: dict[str, str], *how: str, branch: str = "main") -> None:
    """Commit files, and push them."""
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    git(folder, "add", "--all")
    git(folder, "commit", "--quiet", "-m", "a change", *(["--amend"] if how else []))
    git(folder, "push", "--quiet", *how, "origin", f"HEAD:refs/heads/{branch}")


class Repository:
    """A league that was published once, on its branch; folders of a maintainer; and that of the job, with a new night.

    Its branch ``main`` takes nothing but from maintainers.
    """

    def __init__(self, desk: Path, branch: str = "results") -> None:
        self.origin, self.theirs, self.results, self.job = (
            desk / name for name in ("origin.git", "theirs", "results", "job")
        )
        self.branch = branch
        git(desk, "init", "--quiet", "--bare", "--initial-branch=main", self.origin)
        protect(self.origin)
        git(desk, "clone", "--quiet", self.origin, self.theirs)
        commit(self.theirs, {"bots/perch/bot.py": "newer\n"})
        published = dict.fromkeys((*MADE, "badges/gone.json"), "old\n")
        if branch == "main":
            commit(self.theirs, published)
        else:
            git(desk, "clone", "--quiet", self.origin, self.results)
            git(self.results, "checkout", "--quiet", "--orphan", "results")
            git(self.results, "rm", "--quiet", "-rf", ".")
            commit(self.results, published, branch="results")
        git(desk, "clone", "--quiet", "--depth=1", self.origin.as_uri(), self.job)
        (self.job / "before.txt").write_text(
            git(self.origin, "ls-tree", branch, "--", "results", "history.jsonl", "roster.json")
        )
        for name in MADE:
            (self.job / name).parent.mkdir(parents=True, exist_ok=True)
            (self.job / name).write_text("of this night\n")
        (self.job / "results" / "dockfight" / "secret.json").write_text("a secret")
        (self.job / LOG).parent.mkdir()
        (self.job / LOG).write_text("what a bot wrote")
        (self.job / "badges" / "gone.json").unlink(missing_ok=True)

    def publish(self, remote: str = "", **more: str) -> subprocess.CompletedProcess[str]:
        """Run the step."""
        jobs = yaml.safe_load((EXAMPLE / WORKFLOW).read_text("utf-8"))["jobs"]
        (step,) = (step for step in jobs["publish"]["steps"] if step["name"] == "Publish")
        own = {"REMOTE": remote or str(self.origin), "BRANCH": self.branch, "GITHUB_RUN_ID": "17"}
        return subprocess.run(
            [shutil.which("bash") or "bash", "-e", "-c", step["run"]],
            cwd=self.job,
            env={"PATH": os.environ["PATH"], "HOME": str(self.job), "RUNNER_TEMP": str(self.job.parent), **own, **more},
            capture_output=True,
            text=True,
            timeout=300,
            check=False,
        )

    def shown(self, branch: str = "") -> dict[str, str]:
        """The files of a branch, by default that of the results, and what is in them."""
        names = git(self.origin, "ls-tree", "-r", "--name-only", branch or self.branch).splitlines()
        return {name: git(self.origin, "show", f"{branch or self.branch}:{name}") for name in names}


@pytest.mark.parametrize(
    ("files", "how", "branch"),
    [
        ({"bots/pike/bot.py": OTHERS}, (), "main"),
        ({"leaderboard.md": OTHERS, "badges/perch.json": OTHERS, "NOTE.md": OTHERS}, (), "results"),
        ({"leaderboard.md": OTHERS}, ("--force",), "results"),
    ],
    ids=["a bot", "tables edited by hand", "history written anew"],
)
def test_what_others_push(tmp_path: Path, files: dict[str, str], how: tuple[str, ...], branch: str) -> None:
    """Whatever is pushed during a night, the night is published; tables and badges are this night's.

    A branch ``main`` that takes nothing stays as it is; no secret is published, nor what a bot wrote to stderr.
    """
    repository = Repository(tmp_path)
    folder = repository.results if branch == "results" else repository.theirs
    commit(folder, files, *how, branch=branch)
    main = repository.shown("main")
    ended = repository.publish()
    assert ended.returncode == 0, ended.stderr
    others = {name: OTHERS.strip() for name in files} if branch == "results" else {}
    assert repository.shown() == others | dict.fromkeys(MADE, "of this night")
    assert repository.shown("main") == main
    assert git(repository.origin, "rev-list", "--count", "results") == str(2 + (branch == "results" and not how))


def test_logs_of_earlier_nights(tmp_path: Path) -> None:
    """What bots wrote to stderr leaves the branch, where an older workflow had put it there."""
    repository = Repository(tmp_path)
    commit(repository.results, {LOG: OTHERS}, branch="results")
    before = git(repository.origin, "ls-tree", "results", "--", "results", "history.jsonl", "roster.json")
    (repository.job / "before.txt").write_text(before)
    assert repository.publish().returncode == 0
    assert repository.shown() == dict.fromkeys(MADE, "of this night")


def test_a_first_night(tmp_path: Path) -> None:
    """Where the branch is not there, the night begins it: it has the results alone, and no commit of ``main``."""
    repository = Repository(tmp_path)
    git(repository.origin, "update-ref", "-d", "refs/heads/results")
    (repository.job / "before.txt").write_text("")
    assert repository.publish().returncode == 0
    assert repository.shown() == dict.fromkeys(MADE, "of this night")
    assert git(repository.origin, "rev-list", "--count", "results") == "1"


def test_a_deploy_key(tmp_path: Path) -> None:
    """With ``BRANCH: main`` and a key that the branch lets in, bots and results are on one branch, as before."""
    repository = Repository(tmp_path, "main")
    assert repository.publish().returncode == 1
    (tmp_path / "ssh").write_text(SSH)
    (tmp_path / "ssh").chmod(0o755)
    commit(repository.theirs, {"bots/pike/bot.py": OTHERS})
    remote = f"ssh://git@github.com{repository.origin}"
    ended = repository.publish(remote, GIT_SSH_COMMAND=f"{tmp_path / 'ssh'} -i key", GIT_SSH_VARIANT="simple")
    assert ended.returncode == 0, ended.stderr
    bots = {"bots/perch/bot.py": "newer", "bots/pike/bot.py": OTHERS.strip()}
    assert repository.shown() == bots | dict.fromkeys(MADE, "of this night")


def _results(repository: Repository) -> None:
    commit(repository.results, {"results/dockfight/matches.jsonl": OTHERS}, branch="results")


def _refused(repository: Repository) -> None:
    (repository.origin / "hooks" / "pre-receive").write_text("#!/bin/sh\nexit 1\n")


@pytest.mark.parametrize(
    ("meanwhile", "why"),
    [
        (
            _results,
            "expected the results as they were when this night began, got others by somebody's push: once taken back",
        ),
        (_refused, "expected a branch that takes the results, got results, which refused them: once it takes them"),
    ],
)
def test_a_night_that_is_not_published(tmp_path: Path, meanwhile: Callable[[Repository], None], why: str) -> None:
    """Results that others pushed are never written over, and a branch that takes nothing is said; both in one line.

    The line names the command that publishes the night.
    """
    repository = Repository(tmp_path)
    meanwhile(repository)
    before = repository.shown()
    ended = repository.publish()
    assert ended.returncode == 1
    assert ended.stdout == f"::error::{why}, `gh workflow run league.yml -f recover=17` publishes this night\n"
    assert repository.shown() == before


def test_nothing_new(tmp_path: Path) -> None:
    """A night that changes nothing pushes nothing."""
    repository = Repository(tmp_path)
    git(repository.job, "fetch", "--quiet", "origin", "results")
    git(repository.job, "restore", "--source=FETCH_HEAD", "--worktree", "--", ".")
    head = git(repository.origin, "rev-parse", "results")
    assert repository.publish().returncode == 0
    assert git(repository.origin, "rev-parse", "results") == head
