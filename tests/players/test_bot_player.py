"""A bot in a seat: what it is sent, what counts against it, and when its process starts."""

import os
import select
from pathlib import Path
from unittest.mock import Mock, patch

import pytest

from arena import wire
from arena.fault import Fault
from arena.players.bot_player import BotPlayer
from arena.players.cpu_accounting import CpuAccounting
from arena.players.launch import GRACE, Launch
from arena.players.lifetime import kill
from arena.players.memory import struck_note
from arena.players.process import Process
from tests.players.test_process import ENV, LONG, SILENT, hello


def test_what_a_bot_is_told_and_what_it_gets(tmp_path: Path) -> None:
    """A bot has the time it was told and a grace besides, from before the first byte is written."""
    player = BotPlayer("bot", Launch(argv=SILENT, env=ENV, folder="/"), tmp_path, print)
    serving = Mock(spec=Process, slow=False, began=100.0, looked=100.2)
    player._account = CpuAccounting().enter("bot", 1, token="")
    player._serving = Mock(process=serving)
    serving.stray.return_value = None
    serving.receive.return_value = b'{"type":"choose","id":"a","picks":[0]}'
    decide = wire.Decide("a", 1, 1, 2, 250, ("x", "y"), None, [])
    serving.ask.return_value = b'{"type":"ready"}'
    assert player.decide(decide) == (0,)
    serving.ask.assert_called_once_with(wire.encode(decide) + b"\n", 0.25 + GRACE)
    serving.receive.assert_called_once_with(100.0 + 0.25 + GRACE)


def test_what_counts_against_a_bot(tmp_path: Path) -> None:
    """What counts is the time from before the first byte is written to the last look, but for what others burnt."""
    player = BotPlayer("bot", Launch(argv=SILENT, env=ENV, folder="/"), tmp_path, print)
    decide = wire.Decide("a", 1, 1, 2, 250, ("x", "y"), None, [])
    assert isinstance(player.decide(decide), Fault)
    assert player.waited == 0.0
    player._account = account = CpuAccounting().enter("bot", 1, token="")
    for answer in (
        b'{"type":"choose","id":"a","picks":[0]}',
        Fault.of("no-answer", rule="expected an answer in time, got none"),
    ):
        for slow, counts in ((False, 0.25), (True, 0.15)):
            serving = Mock(spec=Process, slow=slow, began=100.0, looked=100.25, away=0.0)
            player._serving = Mock(process=serving, judged=lambda trouble: trouble)
            serving.ask.return_value = answer
            with patch.object(type(account), "over", lambda *_, **__: 0.1):
                player.decide(decide)
            assert player.waited == pytest.approx(counts)


def test_standard_error_belongs_to_a_decision(tmp_path: Path) -> None:
    """What a bot writes before its answer, or after it until it is asked again, counts to that; its last words too."""
    script = """
    read hello; echo starts >&2; echo '{"type":"ready"}'
    for id in a b; do
        read question; echo thinks of $id >&2; echo '{"type":"choose","id":"'$id'","picks":[0]}'
        read word < "$1"; echo $word $id >&2
    done
    read question; echo dies >&2"""
    os.mkfifo(fifo := tmp_path / "fifo")
    launch = Launch(argv=("sh", "-c", script, "sh", str(fifo)), env=ENV, folder="/")
    player = BotPlayer("bot", launch, tmp_path, lambda *_: None)
    assert player.greet(hello()) is None
    process = player.process
    assert process is not None
    for id_ in "ab":
        assert player.decide(wire.Decide(id_, 1, 1, 2, 60_000, ("x", "y"), None, [])) == (0,)
        fifo.write_text("has\n")
        assert select.select([process._err], [], [], 60)[0]
    assert isinstance(player.decide(wire.Decide("c", 1, 1, 2, 60_000, ("x", "y"), None, [])), Fault)
    kept = player.notes.end()
    player.leave()
    assert kept is not None
    assert kept.stderr == {1: "starts\nthinks of a\nhas a\n", 2: "thinks of b\nhas b\n", 3: "dies\n"}


def test_a_process_that_was_started_before_its_first_match(tmp_path: Path) -> None:
    """It serves that match and is not warm for it: one that has exited by then is not ready, and not started again."""
    echo = ("sh", "-c", """while read line; do echo '{"type":"ready"}'; done""")
    player = BotPlayer("bot", Launch(argv=echo, env=ENV, folder="/", fresh=True), tmp_path, print)
    pids = [player.start().pid]
    for _ in range(3):
        assert player.greet(hello()) is None
        assert player.process is not None
        pids.append(player.process.pid)
    player.leave()
    assert pids[0] == pids[1]
    assert len(set(pids)) == 3

    said: list[bytes] = []
    argv = ("sh", "-c", "echo last words >&2; exit 3")
    player = BotPlayer("bot", Launch(argv=argv, env=ENV, folder="/"), tmp_path, lambda _, text: said.append(text))
    player.start().status(LONG)
    trouble = player.greet(hello())
    player.leave()
    assert trouble is not None
    assert (trouble.kind, said) == ("unready", [b"last words\n"])


@pytest.mark.parametrize("struck", [True, False])
def test_a_process_that_ended_between_two_matches(tmp_path: Path, *, struck: bool) -> None:
    """If the guard ended it for its memory, that is a fault in the next match; otherwise a new one plays that match."""
    scratch = tmp_path / "lane"
    scratch.mkdir()
    echo = ("sh", "-c", """while read line; do echo '{"type":"ready"}'; done""")
    player = BotPlayer("bot", Launch(argv=echo, env=ENV, folder="/"), scratch, print)
    assert player.greet(hello()) is None
    process = player.process
    assert process is not None
    if struck:
        Path(struck_note(str(tmp_path), process.pid)).touch()
    kill(process.pid)
    assert "SIGKILL" in process.status(10.0)
    fault = player.greet(hello())
    assert (fault and fault.kind) == ("resource" if struck else None)
    player.leave()
