"""Limits: whoever takes more than its share goes alone, and is told which share it was."""

import json
import os
from collections.abc import Iterator
from pathlib import Path
from time import sleep

import pytest
from _pytest.mark import ParameterSet

from arena.players.process_tree import children
from arena.sandbox.cgroup import CgroupTree
from arena.sandbox.delegation import delegated
from arena.sandbox.sandbox import Bounds, Sandbox
from tests.hostile.house import (
    IN_TIME,
    MARK,
    House,
    at,
    eventually_none,
    forget_peak,
    only_fault,
    peak_memory,
    survivors,
)
from tests.sandbox.probes import needs

MIB = 1 << 20
PROCESSES = 40
IN_CI = {
    "inotify instances": "bwrap",
    "queued signals": "landlock",
    "pages of pipes": "bwrap",
    "terminals": "landlock",
    "descriptors in flight": "landlock",
    "processes": "bwrap",
}
"""What is hoarded in CI, and at which level."""


@at("bwrap", of=("landlock", "bwrap"))
def test_fork_bomb(house: House) -> None:
    """Whoever multiplies without end is late, fills no more than its share, and is not waited for."""
    with house.visit("--sin", "fork-bomb", sandbox=Sandbox(bounds=Bounds(processes=PROCESSES))) as guest:
        bystanders = set(children())
        record = guest.match(move=300, faults=100)
        assert {fault.kind for fault in record.faults} == {"late"}
        mark = guest.player.launch.env[MARK]
        while len(survivors(mark)) <= PROCESSES / 2:
            sleep(0.01)
        # beside the bots' own there are those that hold the sandbox
        assert len(survivors(mark)) <= PROCESSES + 2
        guest.leave(bystanders)
        assert eventually_none(mark)


@at("none", "bwrap")
def test_memory_bomb(house: House) -> None:
    """Whoever takes memory without end gets none at its limit, and goes alone: the host stays small."""
    forget_peak()
    before = peak_memory()
    with house.visit("--sin", "memory-bomb", sandbox=Sandbox(bounds=Bounds(memory=96 * MIB))) as guest:
        record = guest.match(move=IN_TIME)
    assert only_fault(record).kind == "gone"
    assert b"MemoryError" in guest.errors[0]
    assert peak_memory() - before < 8 * MIB


@at("none", of=("none",))
def test_memory_of_many(house: House) -> None:
    """Processes that each keep to the limit, but not together, are struck where a control group holds them all."""
    cgroups = delegated() or CgroupTree()
    try:
        if "memory" not in cgroups.offers:
            pytest.skip("expected a control group for memory to be delegated to this process, got none")
        group = cgroups.group("sinner", memory=64 * MIB, processes=PROCESSES)
        with house.visit("--sin", "hoard-together", "--at", "3") as guest:
            assert guest.match(move=IN_TIME).faults == ()
            for entry in group.entries:
                Path(entry).write_text(str(guest.pids[0]), "ascii")
            assert only_fault(guest.match(move=1000)).kind in ("gone", "late")
            assert group.struck()
    finally:
        assert cgroups.remove()


@at("none", "bwrap")
@pytest.mark.parametrize(
    ("sin", "share", "signal"),
    [
        # a second of processor time is the least there is
        pytest.param("burn", "processor time", "SIGXCPU", marks=pytest.mark.proof),
        ("write-beyond", "file size", "SIGXFSZ"),
    ],
)
def test_resource(house: House, sin: str, share: str, signal: str) -> None:
    """Whom the signal of a limit ends has the fault of that name, which tells of what it had too much."""
    with house.visit("--sin", sin, sandbox=Sandbox(bounds=Bounds(cpu=1, file=MIB))) as guest:
        record = guest.match(move=IN_TIME)
    fault = only_fault(record)
    assert (fault.kind, fault.decision, record.retired) == ("resource", 0, (0,))
    assert share in fault.rule
    assert signal in fault.rule


def test_many_descriptors(house: House) -> None:
    """A bot opens as many files as it is allowed and no more; that is no fault."""
    with house.visit("--sin", "open-many", sandbox=Sandbox(bounds=Bounds(descriptors=64))) as guest:
        assert guest.match(move=IN_TIME).faults == ()
    assert 32 <= int(guest.errors[0]) < 64


@at("bwrap", of=("landlock", "bwrap"))
def test_disk_fill(house: House) -> None:
    """A bot fills its scratch and nothing else: no folder of the machine's, not even its own or the root."""
    places = [str(house.folder("sinner")), "/", "/var/tmp", "/dev", "/usr", "/dev/shm", "/tmp"]  # noqa: S108 - that is the sin
    with house.visit("--sin", "fill", sandbox=Sandbox(bounds=Bounds(file=MIB))) as guest:
        assert guest.match(move=IN_TIME, padding=json.dumps(places)).faults == ()
    filled = json.loads(guest.errors[0])
    assert list(filled) == places
    own = {"/dev/shm", "/tmp"} if house.level == "bwrap" else set()  # noqa: S108 - in memory, and the sandbox's own
    assert {place for place, many in filled.items() if many} == own
    assert all(many <= MIB for many in filled.values())


@at("landlock", of=("none", "landlock"))
@pytest.mark.long
def test_many_files(house: House) -> None:
    """A bot makes 60,000 empty files in its scratch: that is no fault, and none of them is left."""
    with house.visit("--sin", "many-files", sandbox=Sandbox(bounds=Bounds())) as guest:
        assert guest.match(move=30_000).faults == ()
    made, scratch = json.loads(guest.errors[0])
    assert made == 60_000
    assert not Path(scratch).exists()


@at("none", "bwrap")
def test_nothing_is_kept(house: House) -> None:
    """What a bot writes to its scratch is gone with its process: its next life finds no trace."""
    places = ["$HOME", "$TMPDIR"]
    if house.level != "none":
        places += ["/tmp", "/dev/shm", "/var/tmp", "."]  # noqa: S108 - that is the sin
    with house.visit("--sin", "keep-note", fresh=True) as guest:
        for _ in range(3):
            # each life is a match long
            assert guest.match(move=IN_TIME, padding=json.dumps(places)).faults == ()
    lives = [json.loads(text) for text in guest.errors]
    assert [life["before"] for life in lives] == [[]] * 3
    assert all(len(life["after"]) >= 2 for life in lives)


def hoards() -> Iterator[ParameterSet]:
    """All that can be hoarded, at both levels; some of it in CI."""
    for hoarded in needs.HOARD:
        for level in ("landlock", "bwrap"):
            mark = pytest.mark.long if IN_CI.get(hoarded) == level else pytest.mark.proof
            yield pytest.param(hoarded, level, marks=mark, id=f"{hoarded}-{level}")


@pytest.mark.parametrize(("hoarded", "level"), [*hoards()])
def test_a_hoarder_starves_nobody(house: House, hoarded: str) -> None:
    """Who takes all that it can get of a thing leaves its rival what it would have alone, and both play on."""
    if os.geteuid() != 0 and hoarded == "pages of pipes":
        pytest.skip("expected root: all bots of an ordinary user share the pages of pipes that he may have")

    def had(sin: str) -> dict[str, bool]:
        with house.visit("--sin", sin, beside=["--sin", "need"]) as guest:
            assert guest.match(move=IN_TIME, padding=hoarded).faults == ()
        told: dict[str, bool] = json.loads(guest.heard[0])
        return told

    assert had("hoard") == had("none")
