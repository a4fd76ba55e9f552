"""``arena lab``: versions of a bot are judged as they are saved, and nothing is lost however it ends."""

import json
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

from arena.tournament.ladder import list_folders
from tests.cli.command import ARENA, BOTS, OPEN, arena, bot_folder, data, records, refusal

TABLE = ("-g", "dockfight", "--seats", "2")
LAB = ("lab", "./mine", *TABLE)
ROOT, LADDER = Path("lab/dockfight/mine"), Path("lab/dockfight/@ladder")
GOOD = Path(__file__).parents[2] / "bots/greedy"


def good_bot(place: Path, name: str = "mine") -> Path:
    """The folder of a bot that plays as greedy does; a bot that picks the first options is behind it by much."""
    folder = Path(shutil.copytree(GOOD, place / name))
    text = (folder / "bot.toml").read_text("utf-8")
    (folder / "bot.toml").write_text(text.replace('"greedy"', f'"{name}"'), "utf-8")
    return folder


def add_remark(folder: Path) -> None:
    """Make other files of a bot that plays as before."""
    with (folder / "bot.py").open("a", encoding="utf-8") as program:
        program.write("# a remark\n")


@contextmanager
def at_work(place: Path, *words: str) -> Iterator["subprocess.Popen[str]"]:
    """A lab in a folder, as somebody leaves it running; it ends with the test."""
    line, whole = [*ARENA, *words], os.environ | OPEN
    with subprocess.Popen(line, cwd=place, env=whole, text=True, stdout=subprocess.PIPE) as lab:
        try:
            yield lab
        finally:
            lab.kill()


def said(lab: "subprocess.Popen[str]") -> str:
    """What it says next of a version, without the time of day."""
    assert lab.stdout is not None
    # what is long goes on in further lines
    text = next((line for line in lab.stdout if re.match(r"\d\d:\d\d ", line)), "00:00 the end")
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
    with at_work(tmp_path, *LAB) as lab:
        assert said(lab) == "v1: the first: later versions are compared with it"
        add_remark(folder)
        wait_for_match(tmp_path / ROOT / "runs/v2-v1", lab)
        bot_folder(folder)
        assert re.fullmatch(r"v2: left for a newer one,.* after \d+ matches", said(lab))
        assert re.fullmatch(r"v3: worse than v1, -[\d.]+ \(-[\d.]+ to -[\d.]+\) after \d+ matches", said(lab))
        (folder / "bot.py").write_text("print('hello'", "utf-8")
        assert said(lab).startswith("v4: broken: SyntaxError")
        with (folder / "bot.toml").open("a") as file:
            file.write('build = [["sh", "-c", "echo a.go:38: not so; echo more; exit 3"]]\n')
        assert said(lab).startswith("v5: broken: bot mine-v5 cannot start: build step 1 (")
        lab.send_signal(signal.SIGINT)
        assert lab.stdout is not None
        # of what the build wrote only the error is told
        told = " ".join(lab.stdout.read().split())
        assert told.endswith(": a.go:38: not so correct that, or the step in bot.toml")
        assert lab.wait(timeout=100) == 0
    rows = data(tmp_path, *LAB, "--log", "--json")
    assert [(row["version"], row["became"], row["against"]) for row in rows] == [
        ("v1 *", "first", "-"),
        ("v2", "left", "v1"),
        ("v3", "worse", "v1"),
        ("v4", "broken", "-"),
        ("v5", "broken", "-"),
    ]
    assert arena(tmp_path, *LAB, "--take", "v1").out == f"{folder}-v1\n"
    assert (tmp_path / "mine-v1/bot.py").read_text("utf-8") == program
    assert "move it away first" in refusal(tmp_path, *LAB, "--take", "v1")


@pytest.mark.long
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGKILL])
def test_nothing_is_lost(tmp_path: Path, number: signal.Signals) -> None:
    """Ended in the middle of a comparison by Ctrl-C or a kill, the same command goes on where it was."""
    folder, run = good_bot(tmp_path), tmp_path / ROOT / "runs/v2-v1"
    with at_work(tmp_path, *LAB, "-n", "30") as lab:
        said(lab)
        add_remark(folder)
        wait_for_match(run, lab)
        lab.send_signal(number)
        assert lab.wait(timeout=100) == (0 if number == signal.SIGINT else -number)
    before = records(run)
    with at_work(tmp_path, *LAB, "-n", "30") as lab:
        # on a slow day for this test it had found that before it ended
        assert re.fullmatch(r"v2( again)?: no difference found, .* after 30 matches", said(lab))
    assert records(run)[: len(before)] == before
    assert len(records(run)) == 30


@pytest.mark.long
def test_a_ladder(tmp_path: Path) -> None:
    """Several bots play one run; new and changed ones enter while it goes on, and after a kill it is whole."""
    place, run = tmp_path / "bots", tmp_path / LADDER
    bot_folder(place / "first", name="first")
    good_bot(place, "good")
    words = ("lab", "bots", *TABLE, "-n", "12")
    with at_work(tmp_path, *words) as lab:
        assert [said(lab), said(lab)] == ["first-v1 enters", "good-v1 enters"]
        assert re.fullmatch(r"after 12 matches: [-12]+ \w+-v1, [-12]+ \w+-v1", said(lab))
        good_bot(place, "third")
        assert said(lab) == "third-v1 enters"
        assert "third-v1" in said(lab)
        (place / "first/bot.py").write_text("print('hello'", "utf-8")
        assert said(lab).startswith("first-v2 is broken: SyntaxError")
        bot_folder(place / "first", BOTS["mine.py"] + "# again\n", name="first")
        assert said(lab) == "first-v3 enters"
        played = len(records(run))
        while len(records(run)) == played:
            sleep(0.01)
        lab.kill()
    with at_work(tmp_path, *words) as lab:
        assert [said(lab), said(lab), said(lab)] == ["first-v3 enters", "good-v1 enters", "third-v1 enters"]
        # on a slow day for this test it had told so before it ended, and waits
        while json.loads((run / "run.json").read_text("utf-8"))["finished"] is False:
            sleep(0.01)
        lab.send_signal(signal.SIGINT)
        assert lab.wait(timeout=100) == 0
    assert {bot for match in records(run)[played:] for bot in match["bots"]} == {"first-v3", "good-v1", "third-v1"}
    arena(tmp_path, "verify", str(LADDER))


def test_the_folders_of_a_ladder(tmp_path: Path) -> None:
    """A folder of folders of bots stands for those in it, a bot's own folder for itself, whatever lies in there."""
    bot_folder(tmp_path / "bots/b")
    bot_folder(tmp_path / "bots/a")
    bot_folder(tmp_path / "bots/a/older")
    both = [str(tmp_path / "bots/a"), str(tmp_path / "bots/b")]
    assert list_folders(str(tmp_path / "bots")) == both
    assert list_folders(both[0]) == both[:1]
    assert list_folders(str(tmp_path / "none")) == [str(tmp_path / "none")]


def test_refusals(tmp_path: Path) -> None:
    """A lab is of a folder in which somebody works, and asks what can be answered; its results may be seen by bots."""
    bot_folder(tmp_path / "mine")
    assert "expected a folder with a bot.toml in which you work" in refusal(tmp_path, "lab", "greedy", "-g", "lure")
    assert "--until: expected decided or equal=M" in refusal(tmp_path, *LAB, "--until", "sprt=0,0.1")
    assert "--out: expected a folder that bots may see" in refusal(tmp_path, *LAB, "-o", "results/lab")
    assert "expected one bot beside --log and --take, got 2" in refusal(tmp_path, *LAB, "./mine", "--log")
    assert "expected a lab in lab/dockfight/mine, got none" in refusal(tmp_path, *LAB, "--log")
    assert "`arena new bot` begins one" in refusal(tmp_path, "lab", "./yours", "-g", "lure")
