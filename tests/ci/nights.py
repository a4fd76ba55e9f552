"""A league of its own repository, and its workflow run night by night as GitHub would."""

import json
import shutil
import sys
from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import Any

import yaml

from arena.starters import write_bot
from tests.ci.workflow import ROOT, Runner, filled, git, holds

EXAMPLE = ROOT / "examples" / "nightly-league"
WORKFLOW = ".github/workflows/league.yml"
WAITING = """\
import os, sys, time
def wait(lines):
    for line in lines:
        if '"decide"' in line and os.path.exists({armed!r}) and not os.path.exists({over!r}):
            open({over!r}, "w").close()
            time.sleep(600)
        yield line
sys.stdin = wait(sys.stdin)
"""
"""Before a bot's program: once it is armed, its first question finds the time of the step over, and no answer."""
OTHER = """\
from pathlib import Path
from arena.__main__ import main
{change}
main()
"""
"""Arena as a machine has it that has another version of it, or another clock."""
PROTECTED = """#!/bin/sh
# maintainers sign what they push with an address
[ -z "$GIT_AUTHOR_EMAIL" ] || exit 0
while read -r _ _ ref; do
  if [ "$ref" = refs/heads/main ]; then echo "main is protected" >&2; exit 1; fi
done
"""


def protect(origin: Path) -> None:
    """Have a repository refuse what anybody but a maintainer pushes to ``main``."""
    (origin / "hooks").mkdir(exist_ok=True)
    (origin / "hooks" / "pre-receive").write_text(PROTECTED)
    (origin / "hooks" / "pre-receive").chmod(0o755)


class Nights:
    """A fresh repository of the example, and its workflow run night by night."""

    def __init__(self, desk: Path) -> None:
        self.desk = desk
        self.desk.mkdir()
        self.origin = desk / "origin.git"
        self.work = desk / "owner"
        shutil.copytree(EXAMPLE, self.work, ignore=shutil.ignore_patterns("__pycache__"))
        self.settle('games = ["dockfight", "lure"]', 'games = ["dockfight"]')
        self.settle('matches-per-bot = 60\nuntil = "settled"\n', "matches = 12\n")
        # a shell starts a process for each line that it reads
        shutil.rmtree(self.work / "bots" / "eel")
        write_bot(self.work / "bots" / "eel", "perl", None)
        git(desk, "init", "--quiet", "--bare", "--initial-branch=main", self.origin)
        protect(self.origin)
        git(self.work, "init", "--quiet", "--initial-branch=main")
        git(self.work, "remote", "add", "origin", self.origin)
        self.night = 0
        self.ran: dict[str, Runner] = {}
        """What ran last in each job, and in each of its shards, as `play 1`."""
        self.change = ""
        """What is other about the arena of the machines, as a program in Python."""
        self.secrets: dict[str, str] = {}
        self.told = ""
        """The summary of the last night."""

    def settle(self, old: str, new: str) -> None:
        """Change a setting, which must be as it was."""
        path = self.work / "arena.toml"
        assert old in path.read_text("utf-8")
        path.write_text(path.read_text("utf-8").replace(old, new), encoding="utf-8")

    def push(self, when: datetime | None = None) -> None:
        """What a maintainer does with a change, now or by a clock that stands at ``when``."""
        git(self.work, "add", "--all")
        git(self.work, "commit", "--quiet", "-m", "bots", when=when)
        if self.night:
            git(self.work, "pull", "--quiet", "--rebase", "origin", "main")
        git(self.work, "push", "--quiet", "origin", "HEAD:refs/heads/main")

    def note(self) -> None:
        """What somebody pushes while a night is played."""
        (self.work / "NOTE.md").write_text("a note\n")
        git(self.work, "add", "--all")
        git(self.work, "commit", "--quiet", "-m", "a note")
        git(self.work, "push", "--quiet", "origin", "HEAD:refs/heads/main")

    def play(
        self,
        failing: str = "",
        *,
        recover: int = 0,
        lost: int = 0,
        over: Path | None = None,
        **meanwhile: Callable[[], object],
    ) -> list[str]:
        """One night, each job on a machine of its own; which jobs ran.

        Args:
            failing: the job that fails.
            recover: the night that is published in place of a new one.
            lost: the shard whose machine is lost.
            over: while it does not exist, the step that plays runs out of time as soon as it does.
            meanwhile: by job, what others do before it begins.
        """
        self.night += 1
        here = self.desk / f"night-{self.night}"
        # of the moment at which the night was asked for: it may have waited for the one before
        asked_at = git(self.origin, "rev-list", "--max-parents=0", "main")
        github = {"sha": asked_at, "ref_name": "main", "token": "?", "repository": "o/r"}
        github["run_id"] = str(self.night)
        inputs = {"recover": str(recover or "")}
        jobs: dict[str, Any] = yaml.safe_load((self.work / WORKFLOW).read_text("utf-8"))["jobs"]
        assert list(jobs) == ["plan", "play", "publish", "site"]
        needs: dict[str, Any] = {}
        ran = []
        for name, job in jobs.items():
            assert set(needs) >= set([job["needs"]] if isinstance(job.get("needs"), str) else job.get("needs", []))
            asked = {"needs": needs, "job": {"status": "success"}, "vars": {"PAGES": "true"}, "inputs": inputs}
            if (name == "play" and needs["plan"]["result"] == "skipped") or not holds(job.get("if"), asked):
                needs[name] = {"result": "skipped", "outputs": {}}
                continue
            meanwhile.get(name, bool)()
            results = set()
            shards = job.get("strategy", {}).get("matrix", {}).get("shard", [None])
            if isinstance(shards, str):
                shards = json.loads(filled(shards, {"needs": needs}))
            for shard in shards:
                if shard == lost:
                    results.add("failure")
                    continue
                contexts = {"github": github, "needs": needs, "vars": {"PAGES": "true"}, "inputs": inputs}
                contexts |= {"matrix": {"shard": shard}, "strategy": {"job-total": len(shards)}}
                contexts["secrets"] = self.secrets
                few = {"ARENA_ISOLATION": "none", "ARENA_LANES": "1"}
                # bots are started by steps that know of no other place
                few |= {"REMOTE": str(self.origin)} if name in {"plan", "publish"} else {}
                limits = {"Play": over} if over and not over.exists() else {}
                runner = Runner(
                    here / f"{name}-{shard}", self.origin, contexts, few, limits, stand_ins=self._stand_ins()
                )
                self.ran[name] = self.ran[f"{name} {shard}"] = runner
                outputs = runner.play(self.work / WORKFLOW, name)
                results.add(runner.status)
                # one shard that fails is enough
                needs[name] = {"result": min(results), "outputs": outputs}
                assert runner.status == "success" or name == failing, runner.ran[-1]
                ran.append(name if shard is None else f"{name} {shard}")
                if name == "publish" and failing != name:
                    assert runner.summary.startswith("# Leaderboard\n")
                    self.told = runner.summary
        assert failing in {"", "publish"} or needs["play"]["result"] == "failure"
        return ran

    def _stand_ins(self) -> dict[str, str]:
        # the forge's own program reaches nobody from here
        programs = {"gh": "#!/bin/sh\n"}
        if self.change:
            program = self.desk / "arena.py"
            program.write_text(OTHER.format(change=self.change))
            programs["arena"] = f'#!/bin/sh\nexec "{sys.executable}" -I "{program}" "$@"\n'
        return programs

    @property
    def artifact(self) -> Path:
        """The league as the last night published it."""
        return self.desk / f"night-{self.night}" / "artifacts" / "league"

    @property
    def pages(self) -> Path:
        """The site as the last night put it on GitHub Pages."""
        return self.desk / f"night-{self.night}" / "pages"

    def published(self, file: str) -> str:
        """A file as it was published."""
        return git(self.origin, "show", f"results:{file}")

    def records(self) -> list[dict[str, Any]]:
        """The matches that were published."""
        return [json.loads(line) for line in self.published("results/dockfight/matches.jsonl").splitlines()]

    def due(self) -> int:
        """How many matches the last night has planned."""
        (planned,) = [step for step in self.ran["plan"].ran if step.name == "What it printed"]
        return int(json.loads(planned.said)[0]["matches"])

    def shown(self) -> set[str]:
        """Who is in the table."""
        told = json.loads((self.artifact / "leaderboard.json").read_bytes())
        table = told["games"]["dockfight"]
        return {row["bot"] for row in (*table["leaderboard"], *table["house"])}
