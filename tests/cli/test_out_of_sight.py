"""What no bot may see it does not: rivals' code, plans, secrets and results, whatever it or its place asks for."""

import json
import os
from pathlib import Path

import pytest

from arena.sandbox.sandbox import Level
from tests.cli.command import BOTS, PYTHON, arena, refusal
from tests.levels import needed

# a bot that says which of these files it can read, and plays on
SPY = """
import json, os, sys
def seen(path):
    try:
        return bool(open(path).read(1))
    except OSError:
        return False
def walked(top):
    for here, _, files in os.walk(top):
        yield from (os.path.join(here, file) for file in files)
def as_there(path):
    # the folder it starts in may be a copy
    return os.path.normpath(os.path.join(%r, path))
seen_here = sorted({*filter(seen, %r), *filter(seen, walked(%r)), *map(as_there, filter(seen, walked(".")))})
print(json.dumps(seen_here), file=sys.stderr, flush=True)
"""
SECRETS = (
    "plan/secret.json",
    "plan/run.json",
    "elsewhere/old/secret.json",
    "elsewhere/old/run.json",
    "elsewhere/kept/secret.json",
    "link/secret.json",
    "results/now/secret.json",
    "results/now/run.json",
    "results/old/matches.jsonl",
)
CODE = ("bots/rival/bot.py", "bots/byneeds/bot.py", "bots/absent/bot.py", "bots/shared.py", "spy.py", "root.py")


@pytest.fixture
def league(tmp_path: Path) -> Path:
    """A folder as people have it: bots of several authors, one that is the folder itself, a plan, runs, a secret."""
    place = tmp_path / "league"
    files = {**dict.fromkeys(SECRETS, "no bot's business"), "bots/bin/tool": "#!/bin/sh\n", ".git/config": "mine"}
    paths = [str(place / name) for name in (*files, *CODE, "secret.txt")]
    for name in CODE:
        home = (place / name).parent if name.endswith("/bot.py") else place
        files[name] = SPY % (str(home), paths, str(place)) + BOTS["mine.py"]
    for name in ("rival", "byneeds", "absent"):
        needs = 'needs = ["tool"]' if name == "byneeds" else ""
        files[f"bots/{name}/bot.toml"] = f'name = "{name}"\ncommand = ["{{python}}", "-S", "bot.py"]\n{needs}\n'
    files["bot.toml"] = 'name = "root"\ncommand = ["{python}", "-S", "root.py"]\n'
    del files["link/secret.json"]
    for name, text in files.items():
        if not name.startswith("results/now"):
            (place / name).parent.mkdir(parents=True, exist_ok=True)
            (place / name).write_text(text)
    (place / "bots/bin/tool").chmod(0o755)
    (place / "link").symlink_to("plan")
    return place


def seen(place: Path, run: str, bot: str) -> set[str]:
    """Which files of the league a bot has read, of those that were looked for."""
    first = (place / run / "logs" / f"{bot}.log").read_text("utf-8").split("\n")[0]
    return {os.path.relpath(path, place) for path in json.loads(first)} & {
        *SECRETS,
        *CODE,
        "bots/bin/tool",
        ".git/config",
    }


def played(place: Path, level: Level, secret: str, bots: dict[str, str], *words: str) -> dict[str, set[str]]:
    """What each of these bots has seen in a run of theirs."""
    rules = ("-g", "dockfight", "--seats", str(len(bots)), "-n", "1", "-o", "results/now", "-q")
    path = {"PATH": f"{place}/bots/bin:{os.environ['PATH']}"}
    arena(place, "run", *bots.values(), *rules, "--secret-file", secret, "--isolation", level, *words, env=path)
    return {bot: seen(place, "results/now", bot) for bot in bots}


@pytest.mark.long
def test_nobody_sees_more_than_is_shown(league: Path, walled: Level) -> None:
    """A bot reads its own files alone: as a command line, by a tool that it needs, as the folder around all others."""
    (league.parent / "secret.txt").write_text("a secret")
    bots = {
        "bare": f"bare={PYTHON} spy.py",
        "shared": f"shared={PYTHON} bots/shared.py",
        "byneeds": "./bots/byneeds",
        "rival": "./bots/rival",
        "root": ".",
    }
    assert played(league, walled, "../secret.txt", bots) == {
        "bare": {"spy.py"},
        "shared": {"bots/shared.py"},
        "byneeds": {"bots/byneeds/bot.py", "bots/bin/tool"},
        "rival": {"bots/rival/bot.py"},
        "root": {"root.py", "bots/absent/bot.py", "bots/bin/tool"},
    }


@pytest.mark.long
def test_what_is_readable_shows_no_secret(league: Path, walled: Level) -> None:
    """Even of a folder that is shown to all nobody reads a rival's code, a secret, a plan, or a run."""
    (league / "secret.txt").write_text("a secret")
    bots = {"bare": f"bare={PYTHON} spy.py", "rival": "./bots/rival"}
    common = {*CODE, "bots/bin/tool", ".git/config"}
    assert played(league, walled, "secret.txt", bots, "--readable", ".", "--readable", "elsewhere") == {
        "bare": common - {"bots/rival/bot.py"},
        "rival": common - {"spy.py"},
    }


@pytest.mark.long
def test_part_of_a_plan(league: Path, walled: Level) -> None:
    """A bot that plays a part of a plan sees neither the plan nor its secret, though both lie in its own folder."""
    rules = ("-g", "dockfight", "--seats", "2", "-n", "2", "--dry-run", "-q")
    arena(league, "run", ".", "./bots/rival", *rules, "-o", "bots/plan", "--isolation", walled)
    shard = ("--plan", "bots/plan", "--shard", "1/1", "-o", "part", "-q")
    arena(league, "run", ".", "./bots/rival", *shard, "--isolation", walled)
    assert seen(league, "part", "root") == {*CODE, "bots/bin/tool"} - {"bots/rival/bot.py"}


@pytest.mark.long
def test_no_bot_lies_among_secrets(league: Path) -> None:
    """A bot whose folder holds the file of the secret, or lies among results, is refused."""
    needed("landlock")
    rules = ("-g", "dockfight", "--seats", "2", "-n", "2", "--isolation", "landlock")
    (league / "secret.txt").write_text("a secret")
    why = arena(league, "run", ".", "./bots/rival", *rules, "--secret-file", "secret.txt", code=2).err
    assert f"bot root cannot start: expected no secret among its files, got {league}/secret.txt\n" in why
    why = arena(league, "run", ".", "./bots/rival", *rules, "-o", "bots", code=2).err
    hidden = f"expected its files outside of {league}/bots, which no bot may see, got {league}/bots/rival\n"
    assert f"bot rival cannot start: {hidden}" in why
    why = refusal(league, "run", ".", "./bots/rival", *rules, "--readable", "results/old")
    assert why == f"--readable: expected what is no result or secret, got {league}/results/old"
