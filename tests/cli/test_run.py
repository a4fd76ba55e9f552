"""`arena run`: what it plays, and what it prints where."""

import csv
import json
import os
from collections import Counter
from io import StringIO
from pathlib import Path
from typing import Any

import pytest

from arena.fault import FAULTS
from tests.cli.command import ARENA, DEMO, FAST, MATCHES, MINE, PYTHON, Said, arena, data, records, started, timeless

FIELDS = {
    "run": str,
    "game": str,
    "seats": int,
    "seed": str,
    "matches": int,
    "decisions": int,
    "seconds": float,
    "leaderboard": list,
}
EXTRAS = {
    "provisional": bool,
    "draw_probability": float,
    "notes": list,
    "burnt": dict,
    "newcomers": list,
    "house": list,
    "owners": dict,
    "looks": str,
    "better": list,
    "objective": str,
    "certain": str,
    "caution": str,
    "headline": str,
    "lead": dict,
}
ROW = {
    "rank": int,
    "rank_low": int,
    "rank_high": int,
    "bot": str,
    "rating": float,
    "mu": float,
    "low": type(None),
    "high": type(None),
    "sigma": float,
    "matches": int,
    "wins": float,
    "mean_rank": float,
    "mean_score": float,
    "faults": dict,
    "ms_median": float,
    "ms_p99": float,
    "score_low": type(None),
    "score_high": type(None),
}
SMALL = ("run", "-g", "dockfight", "-n", "2", "-j", "1", "-q", "greedy", "random")


def test_the_object(board: dict[str, Any]) -> None:
    """`--json` prints one object with the promised fields and ten more, each of its type."""
    assert {name: type(value) for name, value in board.items()} == FIELDS | EXTRAS
    assert all({name: type(value) for name, value in row.items()} == ROW for row in board["leaderboard"])
    assert board["run"] == "results/demo"
    assert (board["game"], board["seats"], board["seed"]) == ("cash-a-catch", 4, "demo")
    assert board["provisional"] is False
    assert [note.partition(" (")[0] for note in board["notes"]] == [
        "Too few deals to tell how sure their places are",
        "Played without a sandbox, with the rights of who started the run: mine, slip.",
    ]


def test_the_numbers_agree(board: dict[str, Any], finished: tuple[Path, Said]) -> None:
    """Each figure of the table is what the journal says: questions asked, wins, places, scores, faults."""
    matches = records(finished[0] / "results" / "demo")
    rows = board["leaderboard"]
    assert board["matches"] == len(matches) == MATCHES
    assert board["decisions"] == sum(micros >= 0 for match in matches for micros in match["micros"])
    assert sum(row["wins"] for row in rows) == pytest.approx(MATCHES, abs=1e-3)
    assert sum(row["mean_rank"] * row["matches"] for row in rows) == pytest.approx(MATCHES * (1 + 2 + 3 + 4), abs=1e-2)
    for row in rows:
        mine = [(match, match["bots"].index(row["bot"])) for match in matches if row["bot"] in match["bots"]]
        scores = [match["scores"][seat] for match, seat in mine]
        faults = Counter(
            fault["kind"] for match, seat in mine for fault in match.get("faults", ()) if fault["seat"] == seat
        )
        assert row["matches"] == len(mine)
        assert row["mean_score"] == pytest.approx(sum(scores) / len(scores), abs=1e-4)
        assert row["rating"] == pytest.approx(row["mu"] - 3 * row["sigma"], abs=2e-4)
        assert row["faults"] == faults
        assert set(faults) <= set(FAULTS)
        assert row["rank"] == 1 + sum(other["rating"] > row["rating"] for other in rows)
        assert 0 < row["ms_median"] <= row["ms_p99"]
    assert {row["bot"]: row["faults"] for row in rows if row["faults"]} == {"slip": {"illegal": MATCHES}}


def test_streams(finished: tuple[Path, Said]) -> None:
    """Data go to stdout, the words about them to stderr: where the results are, how to look deeper and to repeat."""
    said = finished[1]
    json.loads(said.out)
    next_steps = "look deeper: arena matches results/demo\nas a page: arena report results/demo\nrepeat: --seed demo\n"
    assert f"results: results/demo\n{next_steps}" in said.err


def test_quiet(place: Path) -> None:
    """With `-q` nothing is said on stderr, and the table stands on stdout as ever."""
    said = arena(place, "run", *DEMO, "-q")
    assert said.err == ""
    assert said.out == arena(place, "leaderboard", "results/demo").out


def test_formats(place: Path, board: dict[str, Any]) -> None:
    """A table of 80 columns, Markdown, CSV and JSON tell the same."""
    command = ("leaderboard", "results/demo")
    names = [row["bot"] for row in board["leaderboard"]]
    table = arena(place, *command, "--format", "table").out
    assert max(map(len, table.splitlines())) <= 80
    assert [line.split()[1] for line in table.split("\n\n")[1].splitlines()[1:]] == names
    markdown = arena(place, *command, "--format", "markdown").out
    assert [line.split("|")[2].strip() for line in markdown.splitlines() if line.startswith("|")][2:] == names
    rows = list(csv.DictReader(StringIO(arena(place, *command, "--format", "csv").out)))
    assert list(rows[0]) == ["game", *ROW, "owner"]
    assert [row["bot"] for row in rows] == names
    printed = arena(place, *command, "--format", "json").out
    assert json.loads(printed) == board
    assert printed == arena(place, "run", *DEMO, "-q", "--json").out


@pytest.mark.long
def test_several_games(place: Path) -> None:
    """Several games give each its object and folder, and a combined table over the share of opponents beaten."""
    words = "run -g cash-a-catch -g dockfight -n 2 --seats 3 -o both --variant bell=nearest greedy random --json"
    both = data(place, *words.split())
    assert [run["game"] for run in both["runs"]] == ["cash-a-catch", "dockfight"]
    assert [run["run"] for run in both["runs"]] == ["both/cash-a-catch", "both/dockfight"]
    assert all(set(run) == FIELDS.keys() | EXTRAS.keys() for run in both["runs"])
    assert {row["bot"] for row in both["combined"]} == {"greedy", "greedy#2", "random"}
    for row in both["combined"]:
        assert row["share"] == pytest.approx(sum(row["games"].values()) / 2, abs=1e-4)
    assert records(place / "both" / "cash-a-catch")[0]["variants"] == {"bell": "nearest"}
    again = data(place, "leaderboard", "both/cash-a-catch", "both/dockfight", "--json")
    assert again == both
    table = arena(place, "leaderboard", "both/cash-a-catch", "both/dockfight").out
    assert max(map(len, table.splitlines())) <= 80
    assert table.count("rating mu - 3 sigma") == 2
    # one CSV table of both games, and then the combined one
    boards, combined = arena(place, "leaderboard", "both/cash-a-catch", "both/dockfight", "--format", "csv").out.split(
        "\n\n"
    )
    assert [row["game"] for row in csv.DictReader(StringIO(boards))] == ["cash-a-catch"] * 3 + ["dockfight"] * 3
    assert next(csv.reader(StringIO(combined))) == ["bot", "share", "cash-a-catch", "dockfight"]


@pytest.mark.long
def test_same_seed(place: Path, board: dict[str, Any]) -> None:
    """The same seed gives byte-equal exports and equal tables without their times, in one lane or two."""
    words = ["same" if word == "results/demo" else "1" if word == "2" else word for word in DEMO]
    again = data(place, "run", *words, "--json")
    assert timeless(again) == timeless(board)
    assert arena(place, "export", "same").out == arena(place, "export", "results/demo").out


@pytest.mark.long
def test_fresh_seeds(place: Path) -> None:
    """Without `--seed` each run has deals of its own, and a folder of its own even within a second."""
    seeds = {data(place, *SMALL, "--json")["seed"] for _ in range(2)}
    runs = sorted(path.name for path in (place / "results").glob("dockfight-*"))
    assert len(seeds) == len(runs) == 2
    first, second = (arena(place, "export", f"results/{run}").out for run in runs)
    assert first != second


def test_the_secret_while_it_runs(place: Path) -> None:
    """While the run goes on its secret lies in a file for its owner alone, and the manifest does not tell it."""
    words = ("-g", "dockfight", "-n", "2", "-o", "spied", "--seed", "hush", "-q")
    arena(place, "run", *words, "greedy", f"spy={PYTHON} spy.py", "--isolation", "none")
    seen = (place / "spied" / "logs" / "spy.log").read_text().split("\n")
    assert seen[0] == "0o600 None False"
    assert not (place / "spied" / "secret.json").exists()
    manifest = json.loads((place / "spied" / "run.json").read_bytes())
    assert (manifest["epochs"][0]["seed"], manifest["finished"]) == ("hush", True)


def test_no_bot(place: Path) -> None:
    """Without bots the shipped ones play that enter by default."""
    found = data(place, "run", "-g", "cash-a-catch", "-n", "4", "-o", "none", "-q", "--json")
    bots = data(place, "bots", "--json")
    assert {row["bot"] for row in bots if row["enters"] == "if named"} == {"search"}
    shipped = {row["bot"] for row in bots if row["runs here"] == "yes" and row["enters"] == "by default"}
    assert {row["bot"] for row in found["leaderboard"]} == shipped
    assert found["seats"] == min(4, max(3, len(shipped)))


@pytest.mark.long
@pytest.mark.parametrize(
    ("words", "seats", "bots"),
    [
        # one bot meets the shipped ones
        ("dockfight -n 3 MINE", 3, {"mine", "greedy", "random"}),
        ("dockfight -n 2 greedy random", 2, {"greedy", "random"}),
        # as many seats as the game needs
        ("cash-a-catch -n 3 greedy random", 3, {"greedy", "random"}),
        ("dockfight --seats 5 -n 5 greedy random", 5, {"greedy", "greedy#2", "greedy#3", "random", "random#2"}),
        ("dockfight --seats 5 -n 5 greedy*2 g2=greedy", 5, {"greedy", "greedy#2", "greedy#3", "g2", "g2#2"}),
    ],
)
def test_who_plays(place: Path, words: str, seats: int, bots: set[str]) -> None:
    """By default there are as many seats as entrants, within the game's; if there are more seats, copies enter."""
    given = [MINE if word == "MINE" else word for word in words.split()]
    found = data(place, "run", "-o", "r", "-q", "--json", "-g", *given)
    assert found["seats"] == seats
    assert {row["bot"] for row in found["leaderboard"]} >= bots
    # what a run folder says of a bot that ships with arena under another name is enough to ask it again
    again = arena(place, "verify", "r", "--bots").out
    assert {line.split()[0] for line in again.splitlines()[3:]} >= bots - {"mine"}


@pytest.mark.long
def test_a_range_of_seats(place: Path) -> None:
    """`--seats A-B` gives each seat count its share of the matches, in whole blocks, with an audit for each."""
    words = ("run", "-g", "cash-a-catch", "--seats", "3-5", "-n", "10", "-o", "r", "--json")
    said = arena(place, *words, *FAST, f"you={PYTHON} mine.py")
    found = json.loads(said.out)
    assert found["seats"] == "3-5"
    assert found["matches"] == 12
    assert "arena: -n 10 rounded up to 12 matches: whole blocks\n" in said.err
    manifest = json.loads((place / "r" / "run.json").read_bytes())
    assert manifest["seats"] == [3, 4, 5]
    assert {seats: audit["matches"] for seats, audit in manifest["audits"].items()} == {"3": 3, "4": 4, "5": 5}
    assert sorted(len(match["bots"]) for match in records(place / "r")) == [3] * 3 + [4] * 4 + [5] * 5
    arena(place, "verify", "r")


@pytest.mark.long
def test_rounding(place: Path) -> None:
    """`-n` is rounded up to whole blocks, and that is said; a number of whole blocks is not spoken of."""
    words = ("run", "-g", "dockfight", "greedy", "random", "-j", "1")
    odd, even = arena(place, *words, "-n", "3", "-o", "odd"), arena(place, *words, "-n", "2", "-o", "even")
    assert "arena: -n 3 rounded up to 4 matches: whole blocks\n" in odd.err
    assert "rounded" not in even.err
    assert len(records(place / "odd")) == 4


@pytest.mark.long
def test_dry_run(place: Path) -> None:
    """`--dry-run` tells matches, time and balance for each seat count, and leaves nothing behind."""
    before = sorted(path.name for path in place.rglob("*"))
    words = ("run", "-g", "cash-a-catch", "--seats", "3-4", "-n", "8", *FAST, "--dry-run")
    table = arena(place, *words).out
    assert max(map(len, table.splitlines())) <= 80
    rows = data(place, *words, "--json")
    assert [(row["game"], row["seats"], row["blocks"], row["matches"]) for row in rows] == [
        ("cash-a-catch", 3, 2, 6),
        ("cash-a-catch", 4, 1, 4),
    ]
    assert (rows[1]["fewest"], rows[1]["most"], rows[1]["fewest_meetings"], rows[1]["most_meetings"]) == (4, 4, 4, 4)
    assert all(row["seconds"] >= 0 for row in rows)
    assert [each["schedule"] for each in rows[0]["formats"]] == ["balanced", "swiss", "race", "gauntlet"]
    assert ["cash-a-catch", "swiss", "16"] in [line.split()[:3] for line in table.splitlines()]
    swiss = [*words[:3], "--seats", "3", *FAST, "--dry-run", "--schedule", "swiss,rounds=3", "--within", "1h"]
    (row,) = data(place, *swiss, "--json")
    assert (row["matches"], row["recommended"]["schedule"]) == (9, "balanced")
    assert row["recommended"]["matches"] % 3 == 0
    said = arena(place, *swiss[:-1], "1ms").out
    assert "cash-a-catch: 0.0 s is too short for 4 bots: the least takes" in said
    assert sorted(path.name for path in place.rglob("*")) == before


@pytest.mark.long
def test_closed_streams(place: Path) -> None:
    """With stdin, stdout and stderr closed the run is played all the same, and nothing is printed into its files."""
    started(place, "sh", "-c", 'exec "$@" <&- >&- 2>&-', "sh", *ARENA, *SMALL, "-o", "closed")
    arena(place, "verify", "closed")
    assert len(records(place / "closed")) == 2


@pytest.mark.long
def test_nobody_hears(place: Path) -> None:
    """When nobody reads stderr any more, or it has no room, the run is played to its end and its table printed."""
    reading, writing = os.pipe()
    os.close(reading)
    with Path("/dev/full").open("wb") as full, os.fdopen(writing, "wb") as broken:
        for name, errors in (("broken", broken), ("full", full)):
            words = [word for word in SMALL if word != "-q"]
            assert "greedy" in started(place, *ARENA, *words, "-o", name, stderr=errors).out
            assert len(records(place / name)) == 2
