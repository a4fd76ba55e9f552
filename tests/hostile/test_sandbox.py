"""The sandbox: what a bot reaches for outside its sandbox it does not get, and its neighbour plays on untouched."""

import json
import os
import re
import secrets
import sys
from pathlib import Path

from arena.sandbox.sandbox import Sandbox
from tests.hostile.house import IN_TIME, House, Visit, at

WITHOUT_WALLS = (
    "read the neighbour's code",
    "read the results",
    "write to the results",
    "write to the neighbour's code",
    "write to its own code",
    "read the host's command line",
    "read the host's environment",
    "open the neighbour's input",
    "read the neighbour's environment",
)
"""What harms nobody even if it succeeds."""


def targets(house: House, guest: Visit) -> dict[str, object]:
    """Where the sinner finds what it must not."""
    results = house.place / "results" / "matches.jsonl"
    results.parent.mkdir()
    results.write_text("one match\n", "ascii")
    return {
        "house": os.getpid(),
        "neighbour": guest.pids[1],
        "code": str(house.folder("neighbour") / "bot.py"),
        "results": str(results),
    }


@at("none", of=("none",))
def test_without_a_sandbox(house: House) -> None:
    """Without a sandbox the host's files and processes lie open: what a sandbox refuses is there to be had."""
    with house.visit("--sin", "trespass", "--at", "3", beside=["--sin", "none"]) as guest:
        assert guest.match(move=IN_TIME).faults == ()
        told = json.dumps({**targets(house, guest), "attempts": WITHOUT_WALLS})
        assert guest.match(move=IN_TIME, padding=told).faults == ()
    assert json.loads(guest.errors[0]) == dict.fromkeys(WITHOUT_WALLS, "done")


@at("bwrap", of=("landlock", "bwrap"))
def test_trespass(house: House) -> None:
    """In a sandbox a bot gets at no file of others, no process of the host's or a neighbour's, and no new rights."""
    with house.visit("--sin", "trespass", "--at", "3", beside=["--sin", "none"]) as guest:
        assert guest.match(move=IN_TIME).faults == ()
        pids = guest.pids
        assert guest.match(move=IN_TIME, padding=json.dumps(targets(house, guest))).faults == ()
        assert guest.pids == pids
    came = json.loads(guest.errors[0])
    assert set(came) > set(WITHOUT_WALLS)
    assert [name for name, how in came.items() if how == "done"] == []
    assert guest.heard == []


@at("bwrap", of=("landlock", "bwrap"))
def test_kills_everybody(house: House) -> None:
    """A signal to everybody reaches the bot's own children and nobody else."""
    with house.visit("--sin", "kill-everybody", "--at", "3", beside=["--sin", "none"]) as guest:
        assert guest.match(move=IN_TIME).faults == ()
        pids = guest.pids
        assert guest.match(move=IN_TIME).faults == ()
        assert guest.pids == pids
    assert json.loads(guest.errors[0]) in ("done", "PermissionError", "ProcessLookupError")


@at("none", "bwrap")
def test_meeting_places(house: House) -> None:
    """Two bots who have agreed on a word find it in every place without a sandbox, and in none of them in a sandbox."""
    shared = house.place / "shared"
    shared.write_text("open to both", "ascii")
    meeting = {"word": secrets.token_hex(8), "shared": str(shared)}
    sandbox = Sandbox(readable=(str(shared),))
    with house.visit("--sin", "leave-word", beside=["--sin", "find-word"], sandbox=sandbox) as guest:
        assert guest.match(move=IN_TIME, padding=json.dumps(meeting)).faults == ()
    found = json.loads(guest.heard[0])
    assert len(found) == (7 if house.level == "none" else 0)
    assert not list(Path("/tmp").glob(f"arena-{meeting['word']}*"))  # noqa: S108 - where the word was left


@at("bwrap", of=("landlock", "bwrap"))
def test_variables_that_bend_programs(house: House) -> None:
    """The bot's own variables bend the bot alone, and nothing of what puts it in its sandbox."""
    with house.visit("--sin", "none", env={"LD_DEBUG": "files"}) as guest:
        assert guest.match(move=IN_TIME).faults == ()
    loaded = re.findall(rb"initialize program: (\S+)", guest.errors[0])
    assert [Path(os.fsdecode(path)) for path in loaded] == [Path(sys.executable)]
