"""A browser for all tests of pages, and a run of each game with its pages."""

import json
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from zlib import crc32

import pytest
from msgspec import to_builtins
from playwright.sync_api import Browser

from arena import games
from arena.tournament.journal import seal
from tests.cli.command import BOTS, PYTHON, arena
from tests.page.watching import browsing

GAMES = games.names()


@pytest.fixture(scope="package")
def browser() -> Iterator[Browser]:
    """One browser; each page has a context of its own. It ends with these tests, for it runs in an event loop."""
    with browsing() as found:
        yield found


@pytest.fixture(scope="session")
def run_of(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    """A short real run of a game with a bot that faults, played when it is first asked for; nobody changes it."""
    found: dict[str, Path] = {}

    def play(game: str) -> Path:
        if game not in found:
            place = tmp_path_factory.mktemp(game)
            (place / "slip.py").write_text(BOTS["slip.py"])
            field = ("greedy", "random", f"slip={PYTHON} slip.py", "greedy2=greedy")
            words = [word for word in field if "=" not in word or word.startswith("slip")]
            arena(place, "run", *words, "-g", game, "-n", "4", "--seed", "page", "-o", "cup", "-q")
            found[game] = place / "cup"
        return found[game]

    return play


@pytest.fixture
def hostile(run_of: Callable[[str], Path], tmp_path: Path) -> Path:
    """A run whose folder was forged and sealed again: texts try to become markup, script, or to turn lines.

    These are the texts of faults and of entrants. Names are left as they were: a forged one is refused.
    """
    run = Path(shutil.copytree(run_of("cash-a-catch"), tmp_path / "evil"))

    def changed(value: Any) -> Any:
        if isinstance(value, str):
            return value.replace("got", f"got {EVIL}")
        if isinstance(value, list):
            return [changed(each) for each in value]
        if isinstance(value, dict):
            return {key: changed(each) for key, each in value.items()}
        return value

    manifest = json.loads((run / "run.json").read_text())
    for entrant in manifest["entrants"]:
        entrant.update(dict.fromkeys(("version", "owner", "language"), EVIL))
    lines = []
    for line in (run / "matches.jsonl").read_bytes().splitlines():
        record = changed(json.loads(line))
        record.pop("crc")
        body = json.dumps(record, separators=(",", ":"), ensure_ascii=False).encode()[:-1]
        lines.append(body + b',"crc":"%08x"}\n' % crc32(body))
    (run / "matches.jsonl").write_bytes(b"".join(lines))
    manifest["sealed"] = to_builtins(seal(run / "matches.jsonl"))
    (run / "run.json").write_text(json.dumps(manifest))
    return run


EVIL = '"><img src=x onerror=alert(1)></script><script>alert(2)</script>\u202e-->&quot;'
