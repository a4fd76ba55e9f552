"""Runs whose lane and bots somebody outside stops and continues: nobody is late for what all of them lost together."""

import os
import random
import signal
import subprocess
import sys
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from time import monotonic, sleep

import msgspec
import pytest

from arena.players.process_tree import children, with_descendants
from arena.sandbox.sandbox import Level
from tests.levels import needed

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="expected Linux, where descendants are found in /proc")
MOVE = 0.3
"""Seconds; the bot thinks for 50 ms."""
THINKS = """
import json, sys, time
for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "hello":
        print('{"type":"ready"}', flush=True)
    elif message["type"] == "decide":
        until = time.process_time() + 0.05
        while time.process_time() < until:
            pass
        answer = {"type": "choose", "id": message["id"], "picks": list(range(message["least"]))}
        print(json.dumps(answer), flush=True)
"""
TRIES = 4


def send(pids: Iterable[int], number: int) -> None:
    """Send a signal to all of these that live."""
    for pid in pids:
        with suppress(ProcessLookupError):
            os.kill(pid, number)


@pytest.mark.long
@pytest.mark.parametrize("level", ["none", "bwrap"])
@pytest.mark.parametrize("seconds", [1.5 * MOVE, 2.5])
def test_stopped_together(level: Level, seconds: float, tmp_path: Path) -> None:
    """However long lane and bots were stopped together, and whoever goes on first: no honest answer is late.

    A lane that stands still for more than a second is continued by the runner, and its bots with it.
    """
    needed(level)
    bot, run, chance = tmp_path / "thinks.py", tmp_path / "run", random.Random(f"{level} {seconds}")
    bot.write_text(THINKS, "utf-8")
    options = ["-g", "dockfight", "-n", "1000", "-j", "1", "--isolation", level, "--move-time", f"{MOVE * 1000:.0f}ms"]
    words = [sys.executable, "-P", "-m", "arena", "run", *options, "-o", str(run), f"thinks={sys.executable} {bot}"]
    with subprocess.Popen([*words, "random"], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE) as command:
        try:
            journal, until = run / "matches.jsonl", monotonic() + 60
            while not (journal.exists() and journal.stat().st_size) and monotonic() < until:
                sleep(0.05)
            (lane,) = [pid for pid in children(command.pid) if b"arena.tournament.lane" in told(pid)]
            for number in range(TRIES):
                sleep(chance.uniform(0.1, 0.5))
                bots = sorted(with_descendants([lane]) - {lane})
                in_turn = [lane, *bots] if number % 2 else [*bots, lane]
                send(in_turn, signal.SIGSTOP)
                sleep(seconds)
                send(in_turn, signal.SIGCONT)
            sleep(2 * MOVE)
        finally:
            command.send_signal(signal.SIGINT)
            _, said = command.communicate(timeout=60)
    records = [msgspec.json.decode(line) for line in journal.read_bytes().splitlines()]
    assert records, said
    assert [record["faults"] for record in records if record.get("faults")] == []
    assert {record["reason"] for record in records} == {"finished"}


def told(pid: int) -> bytes:
    """The command line of a process."""
    return Path(f"/proc/{pid}/cmdline").read_bytes()
