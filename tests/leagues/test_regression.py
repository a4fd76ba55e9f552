"""A bot against itself as it was at a commit: one line, an exit code, and a history by commit."""

import json
import shutil
from pathlib import Path

import pytest
from msgspec.structs import replace

from arena.players import find_bot_shelf
from arena.report.verdict import Comparison, tell_since
from tests.cli.command import BOTS, arena, bot_folder, refusal
from tests.leagues.test_entries import git

HOW = ("-g", "dockfight", "--seats", "2", "-n", "48", "--seed", "two", "-q")


def commit(place: Path, program: str) -> str:
    """Have the bot play so from now on, beside the pages of greedy; the commit."""
    shutil.copytree(find_bot_shelf() / "greedy", place / "bots/crew2", dirs_exist_ok=True)
    bot_folder(place / "bots/crew2", program, name="crew2")
    git(place, "add", "bots")
    git(place, "commit", "-q", "--allow-empty", "-m", "a change")
    return git(place, "rev-parse", "--short=7", "HEAD")


@pytest.mark.long
def test_it_got_worse_since_a_commit(tmp_path: Path) -> None:
    """What was committed plays its old self: exit 1 and one line if it got worse, and a row of a table by commit."""
    git(tmp_path, "init", "-q")
    first = commit(tmp_path, (find_bot_shelf() / "greedy/bot.py").read_text())
    second = commit(tmp_path, BOTS["mine.py"])
    words = ("compare", "bots/crew2", f"@{first}", "-o", "nightly", *HOW)
    told = arena(tmp_path, *words, code=1).out
    (line, _, *rest) = told.splitlines()
    assert line.startswith("crew2 got worse: -")
    assert line.endswith(f") since {first}")
    assert f"crew2-{first}" in "\n".join(rest)
    run = tmp_path / f"nightly/{second}-since-{first}"
    journal = (run / "matches.jsonl").read_bytes()
    # the same command plays nothing more, and a change that is not committed has its own run and row
    assert arena(tmp_path, *words, code=1).out == told
    assert (run / "matches.jsonl").read_bytes() == journal
    bot_folder(tmp_path / "bots/crew2", BOTS["mine.py"] + "# mended\n", name="crew2")
    found = json.loads(arena(tmp_path, *words, "--json", code=1).out)
    past, latest = found["history"]
    assert (past["commit"], past["since"], past["verdict"]) == (second, first, "worse")
    assert latest["commit"].startswith("changed-")
    assert past["date"] == git(tmp_path, "show", "-s", "--format=%cs", "HEAD")
    assert len(list((tmp_path / "nightly").glob("*/run.json"))) == 2


def test_what_is_no_commit(tmp_path: Path) -> None:
    """A text that names no commit, a bot that was not there then, and a folder outside of git are refused in words."""
    bot_folder(tmp_path / "bots/crew2", name="crew2")
    got = "in a folder that git knows, because OLD is @HEAD, got another"
    assert refusal(tmp_path, "compare", "bots/crew2", "@HEAD", *HOW) == f"expected crew2 {got}"
    git(tmp_path, "init", "-q")
    git(tmp_path, "commit", "-q", "--allow-empty", "-m", "nothing")
    assert refusal(tmp_path, "compare", "bots/crew2", "@HEAD", *HOW) == f"expected crew2 {got}"
    commit(tmp_path, BOTS["mine.py"])
    assert refusal(tmp_path, "compare", "bots/crew2", "@HEAD^", *HOW).startswith("crew2 at @HEAD^: ")
    assert refusal(tmp_path, "compare", "bots/crew2", "@--help", *HOW).startswith("crew2 at @--help: ")


@pytest.mark.parametrize(
    ("verdict", "score", "low", "high", "line"),
    [
        ("worse", -0.0812, -0.1291, -0.0301, "a got worse: -0.08 (-0.13 to -0.03) since c"),
        # an interval below 0 ends below it
        ("worse", -0.0812, -0.1291, -0.0001, "a got worse: -0.08 (-0.13 to -0.00) since c"),
        ("better", 1.02, 0.0399, 0.1201, "a got better: +1.00 (+0.03 to +0.13) since c"),
        ("undecided", 0.01, -0.04, 0.06, "a did not certainly change: +0.01 (-0.04 to +0.06) since c"),
        ("equal", None, None, None, "a is the same since c"),
        ("undecided", None, None, None, "a did not certainly change since c"),
        ("better", None, None, None, "a got better since c"),
        ("worse", None, None, None, "a got worse since c: it cannot start"),
    ],
)
def test_one_line(verdict: str, score: float | None, low: float | None, high: float | None, line: str) -> None:
    """It tells what became of the bot, its score with both ends, rounded outward, and the commit."""
    numbers = {"score": score, "score_low": low, "score_high": high}
    found = Comparison(verdict, why="", new="a", old="b", game="g", since="c", **numbers)  # type: ignore[arg-type]
    assert tell_since(found) == line
    if score is not None:
        faulty = replace(found, verdict="worse", faulty=True)
        assert tell_since(faulty) == "a got worse since c: it faults more often"
