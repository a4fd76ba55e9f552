"""The processes of self-play: how they begin and end beside whatever else a program does."""

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

import arena
from arena.formats.schedule import Block, draw_blocks
from arena.selfplay import play as selfplay

PLAY = "arena.play_many('dockfight', [{}, 'random'], matches=8, seed='s', processes=2)"
BESIDE_A_THREAD = (
    "import os, sys, threading\n"
    "import arena\n"
    "print('once', os.getpid(), flush=True)\n"
    "wait = threading.Event()\n"
    "threading.Thread(target=wait.wait).start()\n"
)


def said(*words: str, script: str | None = None, folder: Path | None = None) -> str:
    """What a program of Python prints; it ends well and says nothing else."""
    # an output that is not written at once is what programs have by default
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONUNBUFFERED"}
    ended = subprocess.run(
        [sys.executable, *words],
        input=script,
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )
    assert (ended.returncode, ended.stderr) == (0, "")
    return ended.stdout


@pytest.mark.parametrize(
    "way",
    [
        "signal.signal(signal.SIGTERM, signal.SIG_IGN)",
        "signal.signal(signal.SIGTERM, lambda *_: None)",
        "signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGTERM])",
    ],
)
def test_a_script_with_its_own_way_of_signals(way: str) -> None:
    """An error of a bot ends all processes, whatever the script does about SIGTERM; so does the end of the script."""
    script = (
        "import os, signal, sys, time\n"
        "import arena\n"
        f"{way}\n"
        "def bad(decision):\n    raise KeyError('no plan')\n"
        f"try:\n    {PLAY.format('bad')}\n"
        "except arena.BotError:\n    print('ended', flush=True)\n"
        "def slow(decision):\n    os.write(1, b'%d\\n' % os.getpid())\n    time.sleep(1000)\n"
        f"{PLAY.format('slow')}\n"
    )
    player = subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, text=True, start_new_session=True)
    try:
        assert player.stdout is not None
        assert player.stdout.readline() == "ended\n"
        assert [player.stdout.readline().strip().isdecimal() for _ in range(2)] == [True, True]
        player.kill()
        # each of the processes holds this pipe until its end
        assert player.communicate(timeout=300)[0] == ""
    finally:
        with suppress(ProcessLookupError):
            os.killpg(player.pid, signal.SIGKILL)
        player.communicate()


@pytest.mark.parametrize("words", [["script.py"], ["-"]])
def test_a_script_without_a_guard_beside_a_thread(tmp_path: Path, words: list[str]) -> None:
    """Beside a thread, too, a script runs once alone: processes load the modules of its bots, and not itself."""
    module = "import os\ndef mine(decision):\n    print('asked', os.getpid())\n    return range(decision.least)\n"
    (tmp_path / "others.py").write_text(module, encoding="utf-8")
    script = f"{BESIDE_A_THREAD}import others\n{PLAY.format('others.mine')}\nwait.set()\n"
    (tmp_path / "script.py").write_text(script, encoding="utf-8")
    first, *rest = said(*words, script=script, folder=tmp_path).splitlines()
    assert first.startswith("once ")
    assert {line.split()[0] for line in rest} == {"asked"}
    assert len({line.split()[1] for line in rest} - {first.split()[1]}) == 2


def test_a_folder_that_the_program_does_not_trust(tmp_path: Path) -> None:
    """The current folder is no place for modules of the processes unless it is one for those of the program."""
    (tmp_path / "signal.py").write_text("print('trapped')\n", encoding="utf-8")
    script = tmp_path / "safe" / "script.py"
    script.parent.mkdir()
    script.write_text(f"{BESIDE_A_THREAD}{PLAY.format(repr('greedy'))}\nwait.set()\n", encoding="utf-8")
    assert [line.split()[0] for line in said(str(script), folder=tmp_path).splitlines()] == ["once"]


def test_in_a_process_of_a_pool() -> None:
    """A process that may start none, as those of ``multiprocessing.Pool``, plays alone, and finds the same."""
    script = (
        "import multiprocessing\n"
        "import arena\n"
        "def mine(decision):\n    return range(decision.least)\n"
        f"def table(_):\n    return {PLAY.format('mine')}.leaderboard\n"
        "with multiprocessing.get_context('fork').Pool(1) as pool:\n"
        "    print(pool.map(table, [0]) == [table(0)])\n"
    )
    assert said("-c", script) == "True\n"


def test_what_a_bot_prints_is_there() -> None:
    """What a bot printed before its error is not lost, whichever process it was in."""
    script = (
        "import arena\n"
        "def bad(decision):\n    print('thinking')\n    raise KeyError('no plan')\n"
        f"try:\n    {PLAY.format('bad')}\n"
        "except arena.BotError:\n    print('ended')\n"
    )
    *thinking, ended = said("-c", script).splitlines()
    assert (set(thinking), ended) == ({"thinking"}, "ended")


@pytest.mark.parametrize("processes", [1, 2])
def test_many_matches_begin_at_once(monkeypatch: pytest.MonkeyPatch, processes: int) -> None:
    """However many matches are asked for, the first is played before the schedule of all of them is drawn."""
    drawn: list[Iterator[Block]] = []

    def kept(entrants: list[str], **words: Any) -> Iterator[Block]:
        drawn.append(draw_blocks(entrants, **words))
        return drawn[-1]

    class EnoughError(Exception):
        pass

    def enough(_record: arena.Record, total: int) -> None:
        assert total == 300_000
        raise EnoughError

    monkeypatch.setattr(selfplay, "draw_blocks", kept)
    with pytest.raises(EnoughError):
        arena.play_many(
            "dockfight",
            ["greedy", "random"],
            seats="2-3",
            matches=300_000,
            seed="s",
            processes=processes,
            progress=enough,
        )
    assert all(next(blocks, None) for blocks in drawn)


def test_errors_beside_packages_that_send_their_causes() -> None:
    """An error of a bot is told as ever where a package such as tblib, which dask brings, has causes sent, too."""
    script = (
        "import arena, arena.errors\n"
        "from tblib import pickling_support\n"
        "pickling_support.install()\n"
        "def bad(decision):\n"
        "    class Odd(Exception):\n        pass\n"
        "    raise Odd('no plan')\n"
        f"try:\n    {PLAY.format('bad')}\n"
        "except arena.BotError as error:\n    print(str(error).partition(' at ')[0])\n"
    )
    assert said("-c", script) == "bot bad: expected an answer, got Odd: no plan\n"


def test_code_that_no_other_process_can_load(monkeypatch: pytest.MonkeyPatch) -> None:
    """Code of a module that is in no file is refused in one line, which tells what can be done."""
    module = ModuleType("nowhere")
    exec("def mine(decision):\n    return range(decision.least)", module.__dict__)  # noqa: S102 - as in a notebook
    monkeypatch.setitem(sys.modules, "nowhere", module)
    wait = threading.Event()
    thread = threading.Thread(target=wait.wait)
    thread.start()
    try:
        with pytest.raises(arena.BotError) as caught:
            arena.play_many("dockfight", module.mine, matches=8, seed="s", processes=2)
    finally:
        wait.set()
        thread.join()
    assert str(caught.value) == (
        "expected code that another process can load, got ModuleNotFoundError: No module named 'nowhere'; "
        "with processes=1 it plays in this one"
    )
