"""A command without a run takes the newest one, and a shell is offered what is in it."""

import os
from pathlib import Path

import pytest

from arena.tournament.newest import list_bots, list_formats, list_matches, list_runs, list_variants, with_run
from tests.cli.command import OPEN, arena, refusal


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with two runs; the one whose name comes first is the newer."""
    folder = tmp_path_factory.mktemp("runs")
    for number, (name, bots) in enumerate([("b", ("greedy", "random")), ("a", ("random", "random-c"))]):
        words = ("run", "-q", "-g", "dockfight", "--seats", "2", "-n", "2", "-o", f"results/{name}", *bots)
        arena(folder, *words, env=OPEN)
        os.utime(folder / "results" / name / "run.json", (number, number))
    return folder


def test_the_newest_run(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is put before nothing and before a match; what is typed, also a path that is not there, stays."""
    monkeypatch.chdir(place)
    assert list_runs() == ["results/b", "results/a"]
    for words, match, due in [
        ([], False, ["results/a"]),
        (["results/b"], False, ["results/b"]),
        (["#0"], True, ["results/a", "#0"]),
        (["1"], True, ["results/a", "1"]),
        ([], True, ["results/a"]),
        (["#0", "python3", "mine.py"], True, ["results/a", "#0", "python3", "mine.py"]),
        (["results/b", "#0"], True, ["results/b", "#0"]),
        (["results/c", "#0"], True, ["results/c", "#0"]),
        (["nowhere", "#0"], True, ["nowhere", "#0"]),
    ]:
        assert with_run(words, before_match=match) == due
    assert (list_bots(), list_matches()) == (["random", "random-c"], ["#0", "#1"])
    assert {"swiss", "race"} <= {*list_formats()}
    assert {"bell=lot", "bell=nearest"} <= {*list_variants()}
    monkeypatch.chdir(place / "results/a")
    assert with_run([], before_match=False) == []
    assert (
        refusal(place / "results/a", "matches")
        == "expected RUN, got none, and results/ has none; see `arena matches --help`"
    )


@pytest.mark.parametrize("words", [("matches",), ("stats", "--time"), ("leaderboard",), ("replay", "0"), ("verify",)])
def test_commands_take_it(place: Path, words: tuple[str, ...]) -> None:
    """They say the same as if it were named, and on standard error which it is, unless they are to be quiet."""
    named = arena(place, words[0], "results/a", *words[1:])
    assert (said := arena(place, *words)).out == named.out
    assert said.err.startswith("arena: run: results/a, the newest\n")
    assert arena(place, *words, "-q").err == ""


@pytest.mark.parametrize(
    ("line", "found"),
    [
        ("arena stats --bot random-", ["random-c"]),
        ("arena run --schedule sw", ["swiss"]),
        ("arena run --variant bell=n", ["bell=nearest"]),
        ("arena run -g lure --variant e", ["effects=on", "effects=off"]),
        ("arena replay results/a #", ["#0", "#1"]),
    ],
)
def test_what_is_completed_of_it(place: Path, line: str, found: list[str]) -> None:
    """Its bots and matches, formats and variants are completed."""
    words = {"COMP_WORDS": line, "COMP_CWORD": str(line.count(" ")), "_ARENA_COMPLETE": "complete_bash"}
    assert arena(place, env=words).out.split() == found
