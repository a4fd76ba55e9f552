"""Limits on the command line and in bot files: what reaches the bots, and who is refused."""

import json
from pathlib import Path
from typing import Any

import pytest
from msgspec.json import decode

from arena.game import DECISION_CAP
from arena.tournament.settings import RunSpec
from arena.tournament.spec import limits
from arena.wire import DEFAULT_LIMITS, Limits
from tests.cli.command import arena, bot_folder, data, refusal

RUN = ("run", "-g", "dockfight", "--seats", "2", "-j", "1", "-q")
# writes the limits of each greeting to its stderr
TELLER = """
import json, sys
for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "hello":
        print(json.dumps(message["limits"]), file=sys.stderr, flush=True)
        print('{"type":"ready"}', flush=True)
    elif message["type"] == "decide":
        print(json.dumps({"type": "choose", "id": message["id"], "picks": list(range(message["least"]))}), flush=True)
"""

SLOW = TELLER.replace("        print(json.dumps({", "        import time; time.sleep(0.02)\n        print(json.dumps({")


def teller(place: Path, asked: str = "", name: str = "teller") -> str:
    """A bot that tells its limits and asks for these."""
    bot_folder(place / name, TELLER, name=name, more=asked)
    return name


def told(run: Path, name: str) -> Limits:
    """What a bot was told: the same in every match."""
    lines = {line for line in (run / "logs" / f"{name}.log").read_text().splitlines() if line.startswith("{")}
    assert len(lines) == 1
    return decode(lines.pop(), type=Limits)


def manifest(run: Path) -> Any:
    """The run manifest."""
    return json.loads((run / "run.json").read_bytes())


def test_usual_limits(place: Path) -> None:
    """Without an option the limits are those of the host, in the manifest and for every bot."""
    arena(place, *RUN, teller(place), "random", "-n", "2", "-o", "usual")
    assert told(place / "usual", "teller") == DEFAULT_LIMITS
    assert decode(json.dumps(manifest(place / "usual")["limits"]), type=Limits) == DEFAULT_LIMITS
    assert {entrant["limits"] for entrant in manifest(place / "usual")["entrants"]} == {None}


def test_limits_reach_bots_and_their_copies(place: Path) -> None:
    """Options set what the host allows, a bot file lowers it for its bot, and copies have what their original has."""
    words = ("--bank", "1m+50ms", "--move-time", "20s", "--budget", "2m", "--start-time", "1m")
    more = ("--limit", "line=4KiB", "--limit", "memory=1GiB", "--limit", "cpu=60s", "--max-faults", "5")
    bots = (teller(place, '[limits]\nbank = "30s"\nmemory = "600MiB"\nstray = 1'), teller(place, name="other"))
    arena(place, *RUN[:4], "3", *RUN[5:], *bots, "-n", "3", "-o", "more", *words, *more)
    usual = told(place / "more", "other")
    assert (usual.bank, usual.increment, usual.move, usual.total, usual.start) == (60_000, 50, 20_000, 120_000, 60_000)
    assert (usual.line, usual.memory, usual.cpu, usual.faults) == (4096, 1 << 30, 60_000, 5)
    assert (usual.output, usual.stray) == (DEFAULT_LIMITS.output, DEFAULT_LIMITS.stray)
    own = told(place / "more", "teller")
    assert (own.bank, own.increment, own.memory, own.stray) == (30_000, 0, 600 << 20, 1)
    assert (own.move, own.total, own.line) == (usual.move, usual.total, usual.line)
    assert told(place / "more", "teller#2") == own
    entered = {entrant["name"]: entrant["limits"] for entrant in manifest(place / "more")["entrants"]}
    assert entered["other"] is None
    assert entered["teller"] == entered["teller#2"] == json.loads(json.dumps(entered["teller"]))
    assert entered["teller"]["bank"] == 30_000


@pytest.mark.parametrize(
    ("bank", "move_time", "move"),
    [
        ("30s", None, 30_000),
        ("30s+1ms", None, 30_000 + DECISION_CAP),
        ("30s+100ms", None, 600_000),
        ("30s+100ms", "2s", 2000),
    ],
)
def test_a_bank_alone(bank: str, move_time: str | None, move: int) -> None:
    """With a bank and no move time a decision may take whatever the bank can hold; with both, both count."""
    assert limits(RunSpec(move_time=move_time, bank=bank)).move == move


@pytest.mark.long
def test_asking_for_more(place: Path) -> None:
    """A bot that asks for more than the host allows is refused before the first match, with what would allow it."""
    name = teller(place, '[limits]\nmemory = "2GiB"')
    words = (*RUN, name, "greedy", "-n", "2", "-o", "never")
    more = "bot teller asks for memory 2GiB, expected at most 512MiB; --limit memory=2GiB allows it"
    assert refusal(place, *words) == more
    assert not (place / "never").exists()
    assert refusal(place, "check", name, "-g", "dockfight", "--seats", "2") == more
    arena(place, *words, "--limit", "memory=2GiB")
    assert told(place / "never", "teller").memory == 2 << 30


@pytest.mark.long
def test_asking_for_more_and_keeping_going(place: Path) -> None:
    """With `--keep-going` it is withdrawn, the others play, and the same command goes on."""
    name = teller(place, '[limits]\nmemory = "2GiB"')
    words = (*RUN, name, "greedy", "random", "--keep-going", "-o", "kept", "--json")
    board = data(place, *words, "-n", "2")
    assert {row["bot"] for row in board["leaderboard"]} == {"greedy", "random"}
    withdrawn = "teller was withdrawn: asks for memory 2GiB, expected at most 512MiB"
    assert any(note.startswith(withdrawn) for note in board["notes"])
    assert data(place, *words, "-n", "4")["matches"] == 4


@pytest.mark.long
def test_check_with_limits_of_its_own(place: Path) -> None:
    """`arena check` holds a bot to the lower of what it asks for and what is allowed."""
    small = teller(place, '[limits]\ntotal = "5m"', "small")
    said = arena(place, "check", small, "-g", "dockfight", "--seats", "2", "--bank", "1m", "--json")
    assert json.loads(said.out)["holds"]
    (place / "small" / "bot.py").write_text(TELLER.replace('"picks":', '"note": "x" * 2000, "picks":'))
    (place / "small" / "bot.toml").write_text((place / "small" / "bot.toml").read_text() + 'line = "1KiB"\n')
    said = arena(place, "check", small, "-g", "dockfight", "--seats", "2", "--json", code=1)
    failed = [sentence for sentence in json.loads(said.out)["sentences"] if sentence["status"] == "failed"]
    assert failed[0]["failure"]["rule"] == "expected a line of at most 1024 bytes, got a longer one"


def test_check_of_a_bot_that_uses_up_its_time(place: Path) -> None:
    """`arena check` fails a bot whose answers are each in time and together are too slow for a match."""
    name = teller(place)
    (place / name / "bot.py").write_text(SLOW)
    said = arena(place, "check", name, "-g", "dockfight", "--seats", "2", "--budget", "100ms", "-x", "--json", code=1)
    failed = [sentence for sentence in json.loads(said.out)["sentences"] if sentence["status"] == "failed"]
    assert [sentence["number"] for sentence in failed] == [4]
    assert failed[0]["failure"]["rule"] == "expected at most 0.1 s of thinking in a match, got more"
