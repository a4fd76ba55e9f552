"""A bot that is entered in a league and goes for the league itself: its results, plan and parts, its tables, rivals."""

import json
import shutil
from pathlib import Path

import pytest

from arena.sandbox import Level
from tests.cli.command import BOTS, arena
from tests.levels import needed

# tells what it can do to each of the paths in its folder; what succeeds harms nobody
SPY = """
import json, os, sys
def tried(path):
    folder = os.path.isdir(path)
    if not folder:
        yield "read", lambda: open(path, "rb").read(1)
        yield "write", lambda: os.close(os.open(path, os.O_WRONLY | os.O_APPEND))
        yield "link", lambda: os.link(path, os.environ["TMPDIR"] + "/linked")
        yield "rename", lambda: os.rename(path, path + "-") or os.rename(path + "-", path)
    else:
        new = path + "/planted"
        yield "make a file in", lambda: os.close(os.open(new, os.O_CREAT, 0o600)) or os.unlink(new)
        yield "make a link in", lambda: os.symlink("/", new) or os.unlink(new)
    yield "touch", lambda: os.utime(path)
    yield "change the mode of", lambda: os.chmod(path, os.stat(path).st_mode & 0o777)
done = []
for number, path in enumerate(json.load(open("paths.json"))):
    for what, attempt in tried(path):
        try:
            attempt()
        except OSError:
            continue
        done.append([what, number])
print(json.dumps(done), file=sys.stderr, flush=True)
"""
SETTINGS = """
games = ["dockfight"]
bots = ["bots/*"]
anchors = ["random"]
readable = ["."]
seats = 2
matches = 6
lanes = 1
"""
OPEN = {"arena.toml", "leaderboard.md", "leaderboard.json", "history.jsonl", "roster.json", "anchors", "badges", "site"}
"""What everybody may read who is shown the league's folder."""


def enter(league: Path, name: str, code: str, paths: list[Path]) -> None:
    """Put a bot into the league, or another one in its place."""
    folder = league / "bots" / name
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "bot.py").write_text(code)
    (folder / "paths.json").write_text(json.dumps(list(map(str, paths))))
    (folder / "bot.toml").write_text(f'name = "{name}"\ncommand = ["{{python}}", "-S", "bot.py"]\n')


@pytest.mark.long
@pytest.mark.parametrize("level", ["none", "landlock", "bwrap"])
def test_a_season_with_a_spy(tmp_path: Path, level: Level) -> None:
    """In a sandbox it reads of the league what is published, if that is shown to it, and changes nothing; else all."""
    needed(level)
    league = tmp_path / "league"
    env: dict[str, str] = {"ARENA_ISOLATION": level, "ARENA_TRUST": "1"}
    league.mkdir()
    (league / "arena.toml").write_text(SETTINGS)
    for name in ("rival", "spy"):
        enter(league, name, BOTS["mine.py"], [])
    arena(league, "season", "-q", env=env)
    # what a night makes of it: a plan, of which each machine plays a part
    paths = [path for path in sorted(league.rglob("*")) if "spy" not in path.parts]
    made = [
        league / name for name in ("plan/dockfight/secret.json", "plan/dockfight/run.json", "part", "part/run.json")
    ]
    places = [league, *paths, *made, league / "part/matches.jsonl"]
    enter(league, "spy", SPY + BOTS["mine.py"], places)
    arena(league, "season", "--plan-only", "-q", env=env)
    shutil.move(league / "results", league / "plan")
    before = {path: path.read_bytes() for path in league.rglob("*") if path.is_file()}
    arena(league, "run", "--plan", "plan/dockfight", "--shard", "1/2", "-o", "part", "-q", env=env)
    assert {path: path.read_bytes() for path in before} == before
    (log,) = (league / "part/logs").glob("spy*.log")
    done = [(what, places[number]) for what, number in json.loads(log.read_text().splitlines()[0])]
    changed = [(what, path) for what, path in done if what != "read"]
    read = {path.relative_to(league).parts[0] for what, path in done if what == "read"}
    if level == "none":
        assert {"bots", "plan", "part"} | OPEN <= read
        assert changed
    else:
        assert read == OPEN
        assert changed == []
