"""Every setting of a run makes a difference where it acts: in matches that are played, or in what the command does."""

import json
import sys
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from arena.tournament.settings import collect_settings
from tests.cli.command import BOTS, PYTHON, arena, records
from tests.levels import needed

# tells on stderr what it was greeted with and can read; it is slow to start, to answer first, and first picks wrongly
_TELL = """
import json, socket, sys, time
time.sleep(0.4)
for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "hello":
        first, answer = True, {"type": "ready", "name": "x" * 2000}
        try:
            book = open("BOOK").read()
        except OSError:
            book = "closed"
        try:
            sockets = socket.socket().close() is None
        except OSError:
            sockets = False
        told = {name: message[name] for name in ("game", "variants", "seats", "limits")}
        print(json.dumps(told | {"book": book, "sockets": sockets}), file=sys.stderr, flush=True)
    elif message["type"] == "decide":
        time.sleep(0.3 * first)
        picks = [99] if first else list(range(message["least"]))
        first, answer = False, {"type": "choose", "id": message["id"], "picks": picks, "note": 1}
    else:
        continue
    print(json.dumps(answer), flush=True)
"""
_BUILT = """
name = "built"
command = ["{python}", "-S", "bot.py"]
build = [["sh", "-c", "test $(readlink /proc/self/ns/net) = {network} # {place}"]]
"""


class Case(NamedTuple):
    """The words that set it, what is then seen to differ, and what both runs say before."""

    words: Sequence[str]
    differs: str
    before: Sequence[str] = ()


CASES = {
    "games": Case(("-g", "lure"), "game"),
    "bots": Case(("random-c",), "who"),
    "variants": Case(("--variant", "bell=nearest"), "variants"),
    "seats": Case(("--seats", "4"), "seats"),
    "matches": Case(("-n", "6"), "count"),
    "schedule": Case(("--schedule", "gauntlet"), "pairs", ("random-c", "-n", "12")),
    "block": Case(("--block", "single"), "picks"),
    "keep_going": Case(("--keep-going",), "code", (f"crash={PYTHON} crash.py",)),
    "no_notes": Case(("--no-notes",), "notes"),
    "debug": Case(("--debug", "tell"), "shown"),
    "move_time": Case(("--move-time", "50ms"), "faults"),
    "start_time": Case(("--start-time", "100ms"), "code"),
    "bank": Case(("--bank", "50ms"), "faults"),
    "budget": Case(("--budget", "50ms"), "faults"),
    "limits": Case(("--limit", "line=1KiB"), "code"),
    "max_faults": Case(("--max-faults", "1"), "retired"),
    "isolation": Case(("--isolation", "landlock"), "book"),
    "build_network": Case(("--build-network",), "code", ("built", "--isolation", "bwrap")),
    "network": Case(("--network", "tell"), "sockets", ("--isolation", "bwrap")),
    "readable": Case(("--readable", "book"), "book", ("--isolation", "landlock")),
    "out": Case(("-o", "elsewhere"), "folder"),
    "seed": Case(("--seed", "other"), "picks"),
    "lanes": Case(("-j", "2"), "lanes"),
    "plan": Case(("--plan", "planned"), "picks"),
    "shard": Case(("--shard", "1/2"), "count", ("-n", "6")),
    "secret_file": Case(("--secret-file", "secret"), "picks"),
    "beacon": Case(("--beacon", "headlines"), "picks"),
    "executor": Case(("--executor", "nobody=here"), "code"),
    "until": Case(("--until", "best"), "schedule"),
    "margin": Case(("--margin", "0.3"), "schedule", ("--until", "decided")),
    "alpha": Case(("--alpha", "0.02"), "schedule", ("--until", "decided")),
    "within": Case(("--within", "1ms"), "count", ("-n", "6")),
}
"""By setting; of words that are said twice the last counts."""


def seen(place: Path, words: Sequence[str]) -> dict[str, Any]:
    """A run, as whoever asks for it and the bot in it see it."""
    place.mkdir()
    (place / "bots" / "built").mkdir(parents=True)
    (place / "bots" / "tell.py").write_text(_TELL.replace("BOOK", str(place / "book")))
    for name, text in {"book": "open", "secret": "hush", "crash.py": BOTS["crash.py"]}.items():
        (place / name).write_text(text)
    network = Path("/proc/self/ns/net").readlink()
    # a bot of this place alone: what another run of this test built is kept
    built = _BUILT.replace("{python}", sys.executable).replace("{network}", f"'{network}'")
    built = built.replace("{place}", str(place))
    (place / "bots" / "built" / "bot.toml").write_text(built)
    (place / "bots" / "built" / "bot.py").write_text(BOTS["mine.py"])
    words = [word if word != "built" else "./bots/built" for word in words]
    names = [f"tell={PYTHON} bots/tell.py", f"mine={PYTHON} bots/built/bot.py", "random"]
    table = ["-g", "cash-a-catch", "--seats", "3", "-n", "3", "--start-time", "20s"]
    if "--secret-file" not in words:
        table += ["--seed", "s"]
    if "--plan" in words:
        arena(place, "run", *names, *table, "--seed", "t", "--dry-run", "-o", "planned")
        table = []
    said = arena(place, "run", *names, *table, "-o", "r", "-v", *words, code=None)
    runs = [path.parent for path in place.glob("*/run.json") if path.parent.name != "planned"]
    found = {"code": said.code, "shown": "-> {" in said.err, "lanes": said.err.partition("lanes: ")[2]}
    if not runs:
        return found
    manifest, played = json.loads((runs[0] / "run.json").read_bytes()), records(runs[0])
    log = runs[0] / "logs" / "tell.log"
    told = [json.loads(line) for line in log.read_text().splitlines() if line[:1] == "{"] if log.exists() else []
    return {
        **found,
        **({name: told[0][name] for name in ("game", "variants", "seats", "book", "sockets")} if told else {}),
        "folder": runs[0].name,
        "notes": (runs[0] / "notes").exists(),
        "schedule": manifest["schedule"],
        "count": len(played),
        "who": {name for match in played for name in match["bots"]},
        "pairs": sorted(sorted(match["bots"]) for match in played),
        "picks": [match["picks"] for match in played],
        "faults": [fault["kind"] for match in played for fault in match.get("faults", ())],
        "retired": [match.get("retired") for match in played],
    }


@pytest.fixture(scope="module")
def without(tmp_path_factory: pytest.TempPathFactory) -> Callable[[tuple[str, ...]], dict[str, Any]]:
    """Runs before a setting is added; most begin with the same one."""
    return cache(lambda words: seen(tmp_path_factory.mktemp("without") / "before", words))


@pytest.mark.long
@pytest.mark.parametrize("name", collect_settings())
def test_a_setting_makes_a_difference(
    tmp_path: Path, name: str, without: Callable[[tuple[str, ...]], dict[str, Any]]
) -> None:
    """With it a run is another than without, in the way that it is for; every setting of a run is tried."""
    case = CASES[name]
    words = [*case.before, *case.words]
    for level in ("landlock", "bwrap"):
        if level in words:
            needed(level)
    before, after = without(tuple(case.before)), seen(tmp_path / "after", words)
    assert before["code"] == (2 if name in ("keep_going", "build_network") else before["code"])
    assert before.get(case.differs) != after.get(case.differs)
