"""The same folder again: going on, extending, other bots, and refusing what is not the same."""

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from tests.cli.command import (
    BOTS,
    FAST,
    MATCHES,
    PYTHON,
    Said,
    arena,
    data,
    play_beside_bots,
    records,
    refusal,
    timeless,
    unfinish,
)

# a game of few questions: most tests here play on
DEMO = (*FAST, "-g", "catch-of-the-day", "-n", str(MATCHES), "--seed", "demo", "-o", "results/demo", "-j", "2")


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Said]:
    """A folder with bots and ``results/demo``, and what the run said. Nobody changes it."""
    return play_beside_bots(tmp_path_factory.mktemp("finished"), DEMO)


def demo_with(*more: str, without: tuple[str, ...] = ()) -> list[str]:
    """The command of the finished run with further options, which win over its own."""
    return ["run", *(word for word in DEMO if word not in without), *more]


def test_a_finished_run_is_not_played_again(place: Path, demo: Path, board: dict[str, Any]) -> None:
    """The same command on a finished run plays nothing, starts no bot, and prints the same table."""
    before = {path.name: path.read_bytes() for path in demo.iterdir() if path.name != "leaderboard.md"}
    assert data(place, *demo_with("--json")) == board
    assert {path.name: path.read_bytes() for path in demo.iterdir() if path.name != "leaderboard.md"} == before
    assert "arena: lanes: none was needed\n" in arena(place, *demo_with("-v")).err


def test_a_forecast_of_a_finished_run(place: Path, demo: Path) -> None:
    """`--dry-run` of a finished run, its folder named, says that nothing is lacking and changes no file of it."""
    before = {path: path.read_bytes() for path in demo.rglob("*") if path.is_file()}
    assert "nothing is lacking" in arena(place, *demo_with("--dry-run")).err
    assert {path: path.read_bytes() for path in demo.rglob("*") if path.is_file()} == before


def test_a_plan_never_extends_a_finished_run(place: Path, demo: Path) -> None:
    """`--dry-run` with more matches, or another bot, and the folder of a finished run is refused; no file changes."""
    before = {path: path.read_bytes() for path in demo.rglob("*") if path.is_file()}
    for more in (("-n", "60"), (f"other={PYTHON} -c ''",)):
        said = refusal(place, *demo_with("--dry-run", *more))
        assert said == (
            "--dry-run: expected a folder without a run for a plan, got the finished run results/demo, "
            "which it would extend; without --out nothing is written"
        )
    assert {path: path.read_bytes() for path in demo.rglob("*") if path.is_file()} == before


@pytest.mark.long
@pytest.mark.parametrize("keep", [0, 5, 15])
def test_an_unfinished_run_goes_on(place: Path, demo: Path, board: dict[str, Any], keep: int) -> None:
    """After any number of matches, the next one cut off in the middle, the same command ends with the same export."""
    whole = arena(place, "export", "results/demo").out
    lines = (demo / "matches.jsonl").read_bytes().splitlines(keepends=True)
    unfinish(demo, keep)
    half = lines[keep][: len(lines[keep]) // 2]
    with (demo / "matches.jsonl").open("ab") as journal:
        journal.write(half)
    assert timeless(data(place, *demo_with("--json"))) == timeless(board)
    assert arena(place, "export", "results/demo").out == whole
    assert (demo / "matches.torn").read_bytes() == half
    arena(place, "verify", "results/demo")


@pytest.mark.long
def test_a_finished_run_that_lacks_matches_goes_on(place: Path, demo: Path) -> None:
    """A finished run whose journal was cut plays what it lacks."""
    whole = arena(place, "export", "results/demo").out
    journal = demo / "matches.jsonl"
    journal.write_bytes(b"".join(journal.read_bytes().splitlines(keepends=True)[:11]))
    arena(place, *demo_with())
    assert arena(place, "export", "results/demo").out == whole


@pytest.mark.parametrize(
    ("more", "difference"),
    [
        (("-g", "dockfight"), "expected --game catch-of-the-day, got dockfight"),
        (("--variant", "mode=advanced"), "expected --variant mode=basic, got mode=advanced"),
        (("--seats", "4-5"), "expected --seats 4, got 4-5"),
        (("--move-time", "2s"), "expected --move-time 1s, got 2s"),
        (("--start-time", "1m"), "expected --start-time 10s, got 1m"),
        (("--bank", "30s+100ms"), "expected --bank none, got 30s+100ms"),
        (("--budget", "5m"), "expected --budget 10m, got 5m"),
        (("--limit", "memory=1GiB"), "expected --limit memory=512MiB, got memory=1GiB"),
        (("--max-faults", "4"), "expected --max-faults 3, got 4"),
        (("--seed", "omed"), "expected the --seed that it began with, got 'omed'"),
        (("-n", "8"), "expected 16 matches, got 8"),
    ],
    ids=lambda value: value[0] if isinstance(value, tuple) else "",
)
def test_other_settings(finished: tuple[Path, object], more: tuple[str, ...], difference: str) -> None:
    """Other settings in the same folder: exit 2 naming the first difference, and nothing is changed."""
    demo = finished[0] / "results" / "demo"
    before = {path: path.read_bytes() for path in demo.iterdir()}
    words = demo_with(*more, without=("-g", "catch-of-the-day") if "-g" in more else ())
    wrong = refusal(finished[0], *words)
    assert wrong == f"results/demo holds another run: {difference}; another -o begins a new one"
    assert {path: path.read_bytes() for path in demo.iterdir()} == before


def test_a_changed_bot_of_an_unfinished_run(place: Path, demo: Path) -> None:
    """Before a run is finished a bot whose file was changed, or another bot, is refused by name."""
    unfinish(demo, 3)
    wrong = refusal(place, *demo_with("more=true"))
    assert "expected bots mine, perch, roach, slip, got mine, more, perch, roach, slip (finish the run" in wrong
    with (place / "slip.py").open("a") as bot:
        bot.write("# better now\n")
    wrong = refusal(place, *demo_with())
    assert (
        "expected bot 'slip' as it was entered, got other files or another command (finish the run with it as it was"
        in wrong
    )
    assert len(records(demo)) == 3


@pytest.mark.long
def test_more_matches(place: Path, demo: Path) -> None:
    """A finished run with a larger `-n` plays the difference as an epoch with its own commitment and secret."""
    before = records(demo)
    board = data(place, *demo_with("-n", "18", "--json"))
    assert board["matches"] == len(records(demo)) == MATCHES + 4
    assert records(demo)[:MATCHES] == before
    assert [match["id"][:2] for match in records(demo)[MATCHES:]] == ["e1"] * 4
    epochs = json.loads((demo / "run.json").read_bytes())["epochs"]
    assert [(epoch["number"], epoch["matches"]) for epoch in epochs] == [(0, 16), (1, 4)]
    assert len({epoch["commitment"] for epoch in epochs}) == len({epoch["seed"] for epoch in epochs}) == 2
    assert not (demo / "secret.json").exists()
    assert "20 matches hold" in arena(place, "verify", "results/demo").out
    assert data(place, *demo_with("-n", "18", "--json")) == board


@pytest.mark.long
def test_a_range_of_seats_goes_on(place: Path) -> None:
    """Also with several seat counts the same command plays nothing more, before and after an extension."""
    words = ("run", "-g", "dockfight", "--seats", "2-3", "-o", "range", "-q", "--json", *FAST[:2], "-j", "1")
    first = data(place, *words, "-n", "3")
    assert first["matches"] == 5
    assert data(place, *words, "-n", "5") == first
    more = data(place, *words, "-n", "6")
    assert more["matches"] == 10
    assert data(place, *words, "-n", "6") == more
    arena(place, "verify", "range")


def test_unfinished_is_provisional(place: Path, demo: Path) -> None:
    """All reading commands work on an unfinished run and say that it is provisional."""
    unfinish(demo, 7)
    assert data(place, "leaderboard", "results/demo", "--json")["provisional"] is True
    assert data(place, "leaderboard", "results/demo", "--json")["matches"] == 7
    assert "Provisional: the run is not finished." in arena(place, "leaderboard", "results/demo").out
    assert "7 matches so far (provisional: the run is not finished)" in arena(place, "matches", "results/demo").err
    assert arena(place, "replay", "results/demo", "#6").out.endswith("(provisional: the run is not finished)\n")
    assert arena(place, "verify", "results/demo").out.endswith("(9 not played yet)\n")
    assert len(arena(place, "export", "results/demo").out.splitlines()) == 7


def test_an_empty_journal(place: Path, demo: Path) -> None:
    """A run that was stopped before its first match has a table without matches, and goes on."""
    unfinish(demo, 0)
    assert data(place, "leaderboard", "results/demo", "--json")["matches"] == 0
    assert data(place, "matches", "results/demo", "--json") == []
    assert "which has none yet" in refusal(place, "replay", "results/demo", "#0")
    shutil.rmtree(demo)
    demo.mkdir()
    (demo / "matches.jsonl").touch()
    assert "expected a run folder with a run.json" in refusal(place, "leaderboard", "results/demo")


# --- bots that enter late, change, leave and come back: history stays, and only what is missing is played

MORE = f"more={PYTHON} more.py"


def epochs(run: Path) -> list[dict[str, Any]]:
    """The epochs of the run manifest."""
    found: list[dict[str, Any]] = json.loads((run / "run.json").read_bytes())["epochs"]
    return found


def change_slip(place: Path, text: str = "# better now\n") -> None:
    """Change a bot's file."""
    with (place / "slip.py").open("a") as bot:
        bot.write(text)


@pytest.mark.long
def test_a_new_bot(place: Path, demo: Path) -> None:
    """A bot that was not there gets its share of a whole run of all, in a further epoch; what was played stays."""
    before = (demo / "matches.jsonl").read_bytes()
    (place / "more.py").write_text(BOTS["mine.py"])
    said = arena(place, *demo_with(MORE))
    assert "12 matches more; new: more" in said.err
    assert (demo / "matches.jsonl").read_bytes().startswith(before)
    further = records(demo)[MATCHES:]
    assert [match["id"][:2] for match in further] == ["e1"] * 12
    assert all("more" in match["bots"] for match in further)
    assert epochs(demo)[1]["owed"] == {"4": {"more": 3}}
    assert "28 matches hold" in arena(place, "verify", "results/demo").out
    board = data(place, *demo_with(MORE, "--json"))
    assert board["matches"] == MATCHES + 12
    assert {row["bot"] for row in board["leaderboard"]} == {"perch", "roach", "mine", "slip", "more"}


@pytest.mark.long
def test_a_changed_bot(place: Path, demo: Path) -> None:
    """A bot whose file was changed is another entrant; the old one stays in the history, and out of the table."""
    change_slip(place)
    board = data(place, *demo_with("--json"))
    assert {row["bot"] for row in board["leaderboard"]} == {"perch", "roach", "mine", "slip@2"}
    assert board["matches"] == 2 * MATCHES
    assert all(row["rank_high"] <= 4 for row in board["leaderboard"])
    assert "No longer in the run, rated but not shown (--past shows them): slip." in board["notes"]
    whole = data(place, "leaderboard", "results/demo", "--past", "--json")
    assert {row["bot"] for row in whole["leaderboard"]} == {"perch", "roach", "mine", "slip", "slip@2"}
    assert all("slip" not in match["bots"] for match in records(demo)[MATCHES:])
    arena(place, "verify", "results/demo")
    assert "@" in arena(place, "matches", "results/demo", "--bot", "slip@2").out


@pytest.mark.long
def test_a_bot_that_leaves(place: Path, demo: Path) -> None:
    """A bot that is not named any more leaves the table; what it played counts on, and nothing need be played."""
    words = [word for word in demo_with("--json") if word != FAST[1]]
    words[words.index("-o") : words.index("-o")] = ["--seats", "4"]
    (place / "more.py").write_text(BOTS["mine.py"])
    board = data(place, *words, MORE)
    assert {row["bot"] for row in board["leaderboard"]} == {"perch", "mine", "slip", "more"}
    assert any("roach" in match["bots"] for match in records(demo))
    arena(place, "verify", "results/demo")


@pytest.mark.long
def test_a_lost_match_of_the_past(place: Path, demo: Path) -> None:
    """A match of a bot that takes part no longer cannot be played again: exit 4 names it."""
    change_slip(place)
    arena(place, *demo_with("-q"))
    journal = demo / "matches.jsonl"
    lines = journal.read_bytes().splitlines(keepends=True)
    journal.write_bytes(b"".join(lines[:7]))
    wrong = arena(place, *demo_with("-q"), code=4).err
    assert "expected bot 'slip' to play it again, got none that takes part" in wrong
    assert len(records(demo)) == 7
