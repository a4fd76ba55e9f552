"""``arena lab``: versions of a bot are judged as they are saved, and nothing is lost however it ends."""

import os
import re
import shutil
import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from time import sleep

import pytest

from tests.cli.command import ARENA, OPEN, arena, bot_folder, data, records, refusal

LAB = ("lab", "./mine", "-g", "dockfight", "--seats", "2")
ROOT = Path("lab/mine-dockfight")
GOOD = Path(__file__).parents[2] / "bots/greedy"


def good_bot(place: Path) -> Path:
    """The folder of a bot that plays as greedy does; a bot that picks the first options is behind it by much."""
    folder = Path(shutil.copytree(GOOD, place / "mine"))
    text = (folder / "bot.toml").read_text("utf-8")
    (folder / "bot.toml").write_text(text.replace('"greedy"', '"mine"'), "utf-8")
    return folder


def add_remark(folder: Path) -> None:
    """Make other files of a bot that plays as before."""
    with (folder / "bot.py").open("a", encoding="utf-8") as program:
        program.write("# a remark\n")


@contextmanager
def at_work(place: Path, *more: str) -> Iterator["subprocess.Popen[str]"]:
    """The lab of ``mine`` in a folder, as somebody leaves it running; it ends with the test."""
    line, whole = [*ARENA, *LAB, *more], os.environ | OPEN
    with subprocess.Popen(line, cwd=place, env=whole, text=True, stdout=subprocess.PIPE) as lab:
        try:
            yield lab
        finally:
            lab.kill()


def said(lab: "subprocess.Popen[str]") -> str:
    """What it says next of a version, without the time of day."""
    assert lab.stdout is not None
    text = lab.stdout.readline()
    assert re.match(r"\d\d:\d\d ", text), text
    return text[len("00:00 ") :].rstrip("\n")


def wait_for_match(run: Path, lab: "subprocess.Popen[str]") -> None:
    """Wait until a comparison is being played."""
    while not (run / "matches.jsonl").exists() or not (run / "matches.jsonl").stat().st_size:
        assert lab.poll() is None
        sleep(0.01)


@pytest.mark.long
def test_an_afternoon(tmp_path: Path) -> None:
    """A version that plays worse is told, one is left for a newer one, a mistake has its cure, and all is on record."""
    folder = good_bot(tmp_path)
    program = (folder / "bot.py").read_text("utf-8")
    with at_work(tmp_path) as lab:
        assert said(lab) == "v1: the first: later versions are compared with it"
        add_remark(folder)
        wait_for_match(tmp_path / ROOT / "runs/v2-v1", lab)
        bot_folder(folder)
        assert re.fullmatch(r"v2: left for a newer one,.* after \d+ matches", said(lab))
        assert re.fullmatch(r"v3: worse than v1, -[\d.]+ \(-[\d.]+ to -[\d.]+\) after \d+ matches", said(lab))
        (folder / "bot.py").write_text("print('hello'", "utf-8")
        assert said(lab).startswith("v4: broken: SyntaxError")
        lab.send_signal(signal.SIGINT)
        assert lab.wait(timeout=300) == 0
    rows = data(tmp_path, *LAB, "--log", "--json")
    assert [(row["version"], row["became"], row["against"]) for row in rows] == [
        ("v1 *", "first", "-"),
        ("v2", "left", "v1"),
        ("v3", "worse", "v1"),
        ("v4", "broken", "-"),
    ]
    assert arena(tmp_path, *LAB, "--take", "v1").out == f"{folder}-v1\n"
    assert (tmp_path / "mine-v1/bot.py").read_text("utf-8") == program
    assert "move it away first" in refusal(tmp_path, *LAB, "--take", "v1")


@pytest.mark.long
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGKILL])
def test_nothing_is_lost(tmp_path: Path, number: signal.Signals) -> None:
    """Ended in the middle of a comparison by Ctrl-C or a kill, the same command goes on where it was."""
    folder, run = good_bot(tmp_path), tmp_path / ROOT / "runs/v2-v1"
    with at_work(tmp_path, "-n", "30") as lab:
        said(lab)
        add_remark(folder)
        wait_for_match(run, lab)
        lab.send_signal(number)
        assert lab.wait(timeout=300) == (0 if number == signal.SIGINT else -number)
    before = records(run)
    with at_work(tmp_path, "-n", "30") as lab:
        # on a slow day for this test it had found that before it ended
        assert re.fullmatch(r"v2( again)?: no difference found, .* after 30 matches", said(lab))
    assert records(run)[: len(before)] == before
    assert len(records(run)) == 30


def test_refusals(tmp_path: Path) -> None:
    """A lab is of a folder in which somebody works, and asks what can be answered; its results may be seen by bots."""
    bot_folder(tmp_path / "mine")
    assert "expected a folder with a bot.toml in which you work" in refusal(tmp_path, "lab", "greedy", "-g", "lure")
    assert "--until: expected decided or equal=M" in refusal(tmp_path, *LAB, "--until", "sprt=0,0.1")
    assert "--out: expected a folder that bots may see" in refusal(tmp_path, *LAB, "-o", "results/lab")
    assert "expected a lab in lab/mine-dockfight, got none" in refusal(tmp_path, *LAB, "--log")
    assert "`arena new bot` begins one" in refusal(tmp_path, "lab", "./yours", "-g", "lure")
