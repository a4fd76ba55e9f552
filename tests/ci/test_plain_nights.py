"""The lines that docs/hosting.md gives to any CI, run as they stand there: plain folders are all that jobs share."""

import os
import re
import subprocess
import sys
from collections.abc import Container
from pathlib import Path

import pytest

from tests.ci.workflow import ROOT, git
from tests.cli.command import OPEN, arena
from tests.leagues.test_season import SETTINGS, enter

SEATS = 2
_BLOCK = re.compile(r"```sh\n(cp [^`]*)```")


def read_jobs() -> list[list[str]]:
    """The lines of the page, by job: a comment tells where one begins."""
    blocks = _BLOCK.findall((ROOT / "docs" / "hosting.md").read_text("utf-8"))
    assert len(blocks) == 1
    lines = blocks[0].splitlines()
    assert len(lines) == 12
    jobs: list[list[str]] = []
    for line in lines:
        if " # " in line:
            jobs.append([])
        jobs[-1].append(line)
    return jobs


class PlainNights:
    """A league in a repository, a folder that its jobs share, and a fresh machine for each job."""

    def __init__(self, desk: Path) -> None:
        self.work, self.kept, self.desk = desk / "work", desk / "kept", desk
        (self.kept / "league").mkdir(parents=True)
        self.work.mkdir()
        (self.work / "arena.toml").write_text(SETTINGS.replace("seats = 3", f"seats = {SEATS}"))
        git(self.work, "init", "--quiet", "--initial-branch=main")
        self.machines = 0

    def enter(self, *names: str) -> None:
        """Push bots."""
        for name in names:
            enter(self.work, name)
        git(self.work, "add", "--all")
        git(self.work, "commit", "--quiet", "-m", "bots")

    def play(self, *, lost: Container[int] = ()) -> list[int]:
        """One night; the exit codes of its jobs. The machines of ``lost`` shards never answer."""
        plan, play, publish = read_jobs()
        codes = [self._run(plan, checked_out=True)]
        codes += [self._run(play, shard=shard) for shard in range(1, SEATS + 1) if shard not in lost]
        return [*codes, self._run(publish)]

    def journal(self) -> bytes:
        """The matches that the next night begins with."""
        return (self.kept / "league/results/dockfight/matches.jsonl").read_bytes()

    def _run(self, lines: list[str], *, shard: int = 0, checked_out: bool = False) -> int:
        self.machines += 1
        place = self.desk / f"machine-{self.machines}"
        if checked_out:
            git(self.desk, "clone", "--quiet", self.work, place)
        else:
            place.mkdir()
        path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
        env = os.environ | OPEN | {"PATH": path, "KEPT": str(self.kept), "SHARD": str(shard), "SHARDS": str(SEATS)}
        return subprocess.run(["/bin/sh", "-e", "-c", "\n".join(lines)], cwd=place, env=env, check=False).returncode


@pytest.mark.long
def test_a_night_on_any_ci(tmp_path: Path) -> None:
    """The twelve lines play a league: nothing is lost, what a lost shard lacks is played anew, a night may be quiet."""
    nights = PlainNights(tmp_path)
    nights.enter("mine", "pike")
    assert nights.play(lost={2}) == [0, 0, 0]
    first = nights.journal()
    nights.enter("carp")
    assert nights.play() == [0, 0, 0, 0]
    second = nights.journal()
    assert second.startswith(first)
    assert b"carp" in second[len(first) :]

    # nothing is new: there is no part to play
    assert nights.play() == [0, 2, 2, 0]
    assert nights.journal() == second

    league = nights.kept / "league"
    assert "matches hold" in arena(league, "verify", "results/dockfight").out
    assert not list(league.rglob("secret.json"))
    assert [path.name for path in nights.kept.iterdir()] == ["league"]
