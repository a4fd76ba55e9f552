"""Starts the command, and changes a finished run the way a crash, a forger or a bad disk would."""

import json
import os
import subprocess
import sys
from collections.abc import Callable, Sequence
from hashlib import sha256
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple
from zlib import crc32

import pytest

from arena.cli import main
from tests.cli import forks

ARENA = (sys.executable, "-m", "arena")
PYTHON = f"{sys.executable} -S"
MINE, SLIP = f"mine={PYTHON} mine.py", f"slip={PYTHON} slip.py"
FIELD = ("greedy", "random", MINE, SLIP)
FAST = (f"perch={PYTHON} mine.py", f"roach={PYTHON} mine.py", MINE, SLIP)
"""Bots that start in a third of the time of those that ship: for where it does not matter who plays."""
MATCHES = 16
DEMO = (*FIELD, "-g", "cash-a-catch", "-n", str(MATCHES), "--seed", "demo", "-o", "results/demo", "-j", "2")
"""What the finished run of the fixtures was made with."""
AS_STARTED = {"PYTHONHASHSEED": "0"}
"""With this in its environment a command is started and not forked, so that /proc tells of it what it was given."""
OPEN = {"ARENA_ISOLATION": "none", "ARENA_LANES": "1"}
TIMES = ("seconds", "ms_median", "ms_p99")

# a bot that answers `ready`, then whatever the line in its middle says; `import json` would take as long as its start
_BOT = r"""
import sys
from _json import make_scanner
class Plain:
    strict, parse_int, parse_float, parse_constant = True, int, float, float
    object_hook = object_pairs_hook = array_hook = None
read = make_scanner(Plain)
for line in sys.stdin:
    message, _ = read(line, 0)
    if message["type"] == "hello":
        first, answer = True, '{"type": "ready", "name": "a test\'s"}'
    elif message["type"] == "decide":
        picks = list(range(message["least"]))
        %s
        first, answer = False, '{"type": "choose", "id": "' + message["id"] + '", "picks": ' + str(picks) + "}"
    else:
        continue
    print(answer, flush=True)
"""
BOTS = {
    "mine.py": _BOT % 'picks = list(range(message["most"]))',
    "slip.py": _BOT % "picks = [99] if first else picks",
    "slow.py": _BOT % "__import__('time').sleep(0.7 if first else 0)",
    "spy.py": _BOT
    % """if first:
            import json, os
            mode = oct(os.stat("spied/secret.json").st_mode & 0o777)
            told = json.load(open("spied/run.json"))
            print(mode, told["epochs"][0]["seed"], told["finished"], file=sys.stderr, flush=True)""",
    "crash.py": "import sys\nsys.exit('boom: no model file')\n",
    "mute.py": "import time\ntime.sleep(60)\n",
    "chatter.py": "import time\nprint('hello, world', flush=True)\ntime.sleep(60)\n",
}


class Said(NamedTuple):
    """What a command left behind."""

    code: int
    out: str
    err: str


def arena(place: Path, *words: str | Path, code: int | None = 0, env: dict[str, str] | None = None) -> Said:
    """Run the command in a folder; it must end with this exit code, if one is given, and without a traceback.

    Bots play without a sandbox and in one lane unless it says otherwise: proving a level, and starting another lane,
    take longer than most of these commands.
    """
    line = list(map(str, words))
    whole = os.environ | OPEN | (env or {})
    if not forks.fits(whole):
        return started(place, *ARENA, *line, code=code, env=env)
    return _said(forks.run(line, place, whole, timeout=300), code)


def play_beside_bots(place: Path, words: Sequence[str]) -> tuple[Path, Said]:
    """Write ``BOTS`` into a folder and run these words of ``arena run`` there: the folder, and what the run said."""
    for name, text in BOTS.items():
        (place / name).write_text(text)
    return place, arena(place, "run", *words, "--json")


def started(
    place: Path, *line: str | Path, code: int | None = 0, env: dict[str, str] | None = None, **streams: Any
) -> Said:
    """Start a program in a folder, where a command is not to be forked: with other streams, limits or rights."""
    streams = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE} | streams
    whole = os.environ | OPEN | (env or {})
    return _said(subprocess.run(line, cwd=place, env=whole, timeout=300, check=False, **streams), code)


def _said(done: "subprocess.CompletedProcess[Any]", code: int | None) -> Said:
    said = Said(done.returncode, (done.stdout or b"").decode(), (done.stderr or b"").decode())
    assert "Traceback" not in said.err, said.err
    assert code in (None, said.code), said
    return said


def bot_folder(folder: Path, program: str = BOTS["mine.py"], *, name: str = "mine", more: str = "") -> Path:
    """A folder with a bot of this program, new or in the place of another; ``more`` is the rest of its bot file."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "bot.py").write_text(program, "utf-8")
    (folder / "bot.toml").write_text(f'name = "{name}"\ncommand = ["{{python}}", "-S", "bot.py"]\n{more}\n', "utf-8")
    return folder


def inside(monkeypatch: pytest.MonkeyPatch, place: Path, *words: str) -> object:
    """Run the command in a folder and in this process, where dozens of interpreters would take long; its exit code."""
    with monkeypatch.context() as during:
        during.chdir(place)
        during.setattr(sys, "argv", ["arena", *words])
        with pytest.raises(SystemExit) as left:
            main()
    return left.value.code


def changed_meanwhile(
    monkeypatch: pytest.MonkeyPatch,
    place: Path,
    *words: str,
    ours: Callable[[Path], bool],
    at: int,
    change: Callable[[], object],
    ways: Sequence[ModuleType] = (os,),
) -> tuple[int, object]:
    """Run the command, and make a change before one of our files is opened for this time; how often, the exit code."""
    opened = 0

    def watched(true: Callable[..., Any]) -> Callable[..., Any]:
        def opening(path: Any, *more: Any, **how: Any) -> Any:
            nonlocal opened
            if isinstance(path, str | Path) and ours(Path(path)):
                opened += 1
                if opened == at:
                    change()
            return true(path, *more, **how)

        return opening

    with monkeypatch.context() as during:
        for module in ways:
            during.setattr(module, "open", watched(vars(module)["open"]))
        code = inside(monkeypatch, place, *words)
    return opened, code


def data(place: Path, *words: str | Path) -> Any:
    """What a command prints, as JSON."""
    return json.loads(arena(place, *words).out)


def refusal(place: Path, *words: str | Path, code: int = 2) -> str:
    """The one line on stderr with which the command refuses; nothing else is said anywhere."""
    said = arena(place, *words, code=code)
    assert said.out == ""
    assert said.err.startswith("arena: ")
    assert said.err.count("\n") == 1
    return said.err.removeprefix("arena: ").rstrip("\n")


def timeless(board: dict[str, Any]) -> dict[str, Any]:
    """A leaderboard without what may differ from run to run of equal matches."""
    rows = [{name: value for name, value in row.items() if name not in TIMES} for row in board["leaderboard"]]
    return {name: value for name, value in board.items() if name not in (*TIMES, "run")} | {"leaderboard": rows}


def records(run: Path) -> list[dict[str, Any]]:
    """The journal's matches."""
    return [json.loads(line) for line in (run / "matches.jsonl").read_bytes().splitlines()]


def forge(run: Path, matches: Sequence[dict[str, Any]]) -> None:
    """Write a journal of these matches that is sound in form."""
    lines = []
    for number, match in enumerate(matches):
        rest = {name: value for name, value in match.items() if name not in {"seq", "crc"}}
        body = json.dumps({"seq": number} | rest, separators=(",", ":")).encode()[:-1]
        lines.append(body + b',"crc":"%08x"}\n' % crc32(body))
    (run / "matches.jsonl").write_bytes(b"".join(lines))
    seal(run)


def seal(run: Path) -> None:
    """Have the manifest of a finished run tell of the journal that is there, as somebody would who forges both."""
    manifest = json.loads((run / "run.json").read_bytes())
    if manifest["finished"]:
        journal = (run / "matches.jsonl").read_bytes()
        manifest["sealed"] = {"records": journal.count(b"\n"), "sha256": sha256(journal).hexdigest()}
        (run / "run.json").write_text(json.dumps(manifest))


def change(run: Path, number: int, how: Callable[[dict[str, Any]], None]) -> str:
    """Forge one match; its id before that."""
    matches = records(run)
    name = str(matches[number]["id"])
    how(matches[number])
    forge(run, matches)
    return name


def to_void(match: dict[str, Any], why: str = "the disk was slow") -> None:
    """Make of a match one that came to nothing."""
    for field in match.keys() - {"seq", "id", "game", "version", "variants", "bots"}:
        del match[field]
    match |= {"reason": "void", "why": why, "ranks": [0] * len(match["bots"]), "scores": [0] * len(match["bots"])}


def unfinish(run: Path, keep: int) -> None:
    """Make of a finished run one that was stopped after ``keep`` matches."""
    manifest = json.loads((run / "run.json").read_bytes())
    seeds = {epoch["number"]: epoch["seed"] for epoch in manifest["epochs"]}
    for epoch in manifest["epochs"]:
        epoch["seed"] = None
    manifest["finished"] = False
    (run / "run.json").write_text(json.dumps(manifest))
    (run / "secret.json").write_text(json.dumps(seeds))
    forge(run, records(run)[:keep])
