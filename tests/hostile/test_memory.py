"""Memory beside the data of a process: whoever takes too much of it in any way is ended, and told so."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from shutil import rmtree
from tempfile import mkdtemp

import pytest
from _pytest.mark import ParameterSet

from arena.sandbox import Level
from tests.hostile import hoards
from tests.levels import USER, as_user, unavailable

BOT = Path(hoards.__file__)
"""With this limit a bot may have 112 MiB in all: its data, a file of 16 MiB and 64 MiB besides."""
LIMIT = "32MiB"


def played(level: Level, user: str, way: str, tmp_path: Path) -> list[dict[str, object]]:
    """The faults of two matches of a hoarder against a bot that comes with arena, by the command that people type."""
    if why := unavailable(level):
        pytest.skip(why)
    if user == "user" and os.geteuid() != 0:
        pytest.skip("expected root, who can become an ordinary user: the other cases are as one")
    # the folders of pytest are for nobody else
    home = Path(mkdtemp()) if user == "user" else tmp_path
    try:
        (home / BOT.name).write_bytes(BOT.read_bytes())
        bot = f"hoarder={sys.executable} -S -E {home / BOT.name} {way}"
        options = ["-g", "dockfight", "-n", "1", "--seed", way, "-o", str(home / "run"), "-j", "1"]
        options += ["--isolation", level, "--limit", f"memory={LIMIT}", "--move-time", "20s"]
        words = [sys.executable, "-P", "-m", "arena", "run", *options, bot, "random"]
        if user == "user":
            os.chown(home, USER, USER)
            words = as_user(*words)
        env = {**os.environ, "HOME": str(home), "TMPDIR": str(home), "XDG_CACHE_HOME": str(home / "cache")}
        done = subprocess.run(words, cwd=home, env=env, capture_output=True, text=True, timeout=300, check=False)
        assert done.returncode == 0, done.stderr
        faults = []
        for line in (home / "run" / "matches.jsonl").read_text("utf-8").splitlines():
            record = json.loads(line)
            assert {fault["seat"] for fault in record.get("faults", [])} <= {record["bots"].index("hoarder")}
            faults += record.get("faults", [])
        return faults
    finally:
        if home != tmp_path:
            rmtree(home)


USERS = ("self", "user")
TOO_MUCH = [way for way in hoards.WAYS if way != "one-copy"]


def hoards_by_pairs() -> Iterator[ParameterSet]:
    """All ways, users and levels: in CI each way by each user, each user and each way at several levels."""
    for place, way in enumerate(TOO_MUCH):
        for turn, user in enumerate(USERS):
            for step, level in enumerate(("none", "landlock", "bwrap")):
                mark = pytest.mark.long if step == (place + turn) % 3 else pytest.mark.proof
                yield pytest.param(way, user, level, marks=mark, id=f"{way}-{user}-{level}")


@pytest.mark.parametrize(("way", "user", "level"), [*hoards_by_pairs()])
def test_whoever_hoards_is_ended(way: str, user: str, level: Level, tmp_path: Path) -> None:
    """Who takes memory that its limit of data does not count has the fault of that name; the other bot has none."""
    faults = played(level, user, way, tmp_path)
    assert {fault["kind"] for fault in faults} == {"resource"}
    assert "memory" in str(faults[0]["rule"])


@pytest.mark.long
@pytest.mark.parametrize("level", ["landlock", "bwrap"])
@pytest.mark.parametrize("user", USERS)
def test_what_processes_share_counts_once(level: Level, user: str, tmp_path: Path) -> None:
    """A bot whose processes share most of their pages may have as many as the limit of processes allows."""
    assert played(level, user, "one-copy", tmp_path) == []
