"""`arena verify`: whatever was changed in a journal that is sound in form, it names match and difference."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.cli.command import DEMO, PYTHON, arena, change, forge, records, unfinish

Match = dict[str, Any]


def a_fault(match: Match) -> Match:
    """A fault where the bot's answer counted."""
    at = next(at for at, picks in enumerate(match["picks"]) if picks != list(range(len(picks))))
    return {"faults": [{"seat": match["seats_asked"][at], "kind": "late", "decision": at, "rule": "never"}]}


def answers(match: Match, change: Callable[[list[Any]], list[Any]]) -> Match:
    """All that is told of answers, changed alike."""
    return {field: change(match[field]) for field in ("picks", "seats_asked", "micros")}


def another(values: list[Any], at: int, value: Any) -> list[Any]:
    """These values with another one there."""
    return [*values[:at], value, *values[at + 1 :]]


FORGED: dict[str, tuple[Callable[[Match], Match], str]] = {
    # the bell is rung where nobody did, or the other way round
    "a pick": (lambda match: {"picks": another(match["picks"], 0, [] if match["picks"][0] else [0])}, "decision "),
    # who came first was ended for faults that it did not have, and is last
    "a retirement": (
        lambda match: {"retired": [match["ranks"].index(0)], "ranks": [(rank - 1) % 4 for rank in match["ranks"]]},
        "retired: expected seats that faulted or were never asked, got seat ",
    ),
    "a fault": (a_fault, "decision "),
    "the blame": (
        lambda match: {"faults": [fault | {"seat": (fault["seat"] + 1) % 4} for fault in match["faults"]]},
        "faults: expected none, got illegal of seat ",
    ),
    # nobody was asked, though the bot was there
    "a passing over": (
        lambda match: {"micros": another(match["micros"], 0, -1)},
        "expected as many questions as were waited for, got more",
    ),
    "the times": (
        lambda match: {"micros": match["micros"][:-1]},
        "expected a rank and a score a seat, and picks and time a decision, got others",
    ),
    "a rank": (lambda match: {"ranks": match["ranks"][::-1]}, "ranks: expected "),
    "a score": (lambda match: {"scores": another(match["scores"], 2, match["scores"][2] + 1)}, "scores: expected "),
    "a seat": (
        lambda match: {"seats_asked": another(match["seats_asked"], 0, (match["seats_asked"][0] + 1) % 4)},
        "decision 0: expected seat ",
    ),
    "the bots": (lambda match: {"bots": [*match["bots"][1::-1], *match["bots"][2:]]}, "bots: expected "),
    "the end": (lambda match: answers(match, lambda told: told[:-1]), "expected picks of seat "),
    "the length": (
        lambda match: answers(match, lambda told: [*told, told[-1]]),
        "expected the match to go on, got its end with 1 picks left",
    ),
    "the variant": (
        lambda _: {"variants": {"bell": "nearest"}},
        "variants: expected {'bell': 'lot'}, got {'bell': 'nearest'}",
    ),
    "the id": (lambda _: {"id": "e0b99r0"}, "expected a match of the schedule, got another id"),
}
"""What is forged in a match, and the difference that is found."""


@pytest.mark.parametrize("what", FORGED)
def test_forged(place: Path, demo: Path, what: str) -> None:
    """A changed pick, rank, score, seat, line-up, length, variant or id is found: exit 1 with match and difference.

    So is whoever was retired, blamed or passed over without having earned it.
    """
    forged, difference = FORGED[what]
    # one and the same, wherever it came to stand in the journal
    at = [match["id"] for match in records(demo)].index("e0b1r0")
    change(demo, at, lambda match: match.update(forged(match)))
    said = arena(place, "verify", "results/demo", code=1)
    assert said.out.startswith(f"match {records(demo)[at]['id']}: ")
    assert difference in said.out
    assert said.out.count("\n") == 1


def test_sound(place: Path) -> None:
    """A run that nobody touched holds."""
    assert arena(place, "verify", "results/demo").out == (
        "16 matches hold: schedule, deals, answers, ranks and scores\n"
    )


@pytest.mark.parametrize(
    ("change", "wrong"),
    [
        (lambda matches: [*matches[:4], *matches[5:]], "every match in a finished run, got 1 of 16 missing"),
        (lambda matches: [*matches, matches[4]], "each match once, got it twice"),
    ],
    ids=["missing", "twice"],
)
def test_each_match_once(place: Path, demo: Path, change: Callable[[list[Match]], list[Match]], wrong: str) -> None:
    """A match that is missing from a finished run, or was recorded twice, is named."""
    matches = records(demo)
    forge(demo, change(matches))
    assert arena(place, "verify", "results/demo", code=1).out == f"match {matches[4]['id']}: expected {wrong}\n"


@pytest.mark.long
def test_a_match_of_another_run(place: Path, demo: Path) -> None:
    """A match of another run with the same bots, seats and id does not follow from this run's deal."""
    words = ("run", "-g", "cash-a-catch", "-n", "4", "-o", "other", "--seed", "other", "-q")
    bots = ("greedy", "random", f"mine={PYTHON} mine.py", f"slip={PYTHON} slip.py")
    arena(place, *words, *bots)
    ours, theirs = records(demo), records(place / "other")[0]
    at = next(number for number, match in enumerate(ours) if match["id"] == theirs["id"])
    forge(demo, [*ours[:at], theirs | {"bots": ours[at]["bots"]}, *ours[at + 1 :]])
    assert arena(place, "verify", "results/demo", code=1).out.startswith(f"match {theirs['id']}: ")


def test_another_secret(place: Path, demo: Path) -> None:
    """A revealed seed that is not the one committed to is no run manifest of this run: exit 4."""
    manifest = demo / "run.json"
    manifest.write_text(manifest.read_text().replace('"seed": "demo"', '"seed": "omed"'))
    said = arena(place, "verify", "results/demo", code=4)
    assert said.err == "arena: results/demo: expected the secret that epoch 0 committed to, got another\n"


def test_another_run_manifest(place: Path, demo: Path) -> None:
    """A run manifest that does not agree with the schedule it leads to is told: matches too few, a bot renamed."""
    manifest = demo / "run.json"
    text = manifest.read_text()
    manifest.write_text(text.replace('"given_up": []', '"given_up": ["e7b7r7"]'))
    said = arena(place, "verify", "results/demo", code=1).out
    assert said == "run.json: expected a schedule of 15 matches, got 16\n"
    manifest.write_text(text.replace('"name": "mine"', '"name": "yours"'))
    said = arena(place, "verify", "results/demo", code=1).out
    assert said == "run.json: expected entrant mine, got none of that name\n"


@pytest.mark.parametrize(
    ("was", "now", "difference"),
    [
        ("| greedy |", "| greasy |", "leaderboard.md, row greedy, column bot: expected greedy, got greasy\n"),
        # wider than its column
        ("| greedy |", "| lord greedy |", "leaderboard.md, row greedy, column bot: expected greedy, got lord greedy\n"),
        ("greedy won", "greasy won", "leaderboard.md: expected 'greedy won"),
        (" seats, 16 matches", " seats, 17 matches", "leaderboard.md: expected ': cash-a-catch, 4 seats, 16 matches, "),
    ],
)
def test_a_forged_leaderboard(place: Path, demo: Path, was: str, now: str, difference: str) -> None:
    """A leaderboard that is not what the journal gives is found: exit 1 with row, column, and both values."""
    page = demo / "leaderboard.md"
    text = page.read_text()
    assert was in text
    page.write_text(text.replace(was, now, 1))
    assert arena(place, "verify", "results/demo", code=1).out.startswith(difference)


def test_a_forged_rating(place: Path, demo: Path) -> None:
    """A rating that was improved is told by its bot and column."""
    page = demo / "leaderboard.md"
    rows = page.read_text().splitlines()
    at = next(at for at, line in enumerate(rows) if "| random " in line)
    cells = rows[at].split("|")
    cells[3] = " 99.99 "
    page.write_text("\n".join([*rows[:at], "|".join(cells), *rows[at + 1 :]]) + "\n")
    said = arena(place, "verify", "results/demo", code=1).out
    assert said.startswith("leaderboard.md, row random, column rating: expected ")
    assert said.endswith(", got 99.99\n")


def test_a_leaderboard_elsewhere(place: Path, demo: Path) -> None:
    """It does not matter where the run lay, how its folder was typed, or whether there is a leaderboard at all."""
    moved = demo.rename(place / "moved: cash-a-catch, 4")
    assert arena(moved, "verify", ".").out.startswith("16 matches hold")
    (moved / "leaderboard.md").unlink()
    assert arena(place, "verify", moved).out.startswith("16 matches hold")


@pytest.mark.long
def test_no_false_leaderboard_after_a_kill(place: Path, demo: Path) -> None:
    """A run that was ended after its last match, before its leaderboard was written, has none rather than an old one.

    The same command writes it.
    """
    words = ("run", *DEMO, "-n", "20")
    (demo / ".leaderboard.md.new").mkdir()
    blocked = "results/demo/.leaderboard.md.new: expected a file of its own, got a folder"
    assert blocked in arena(place, *words, code=4).err
    assert json.loads((demo / "run.json").read_bytes())["finished"] is True
    assert not (demo / "leaderboard.md").exists()
    assert arena(place, "verify", "results/demo").out.startswith("20 matches hold")
    (demo / ".leaderboard.md.new").rmdir()
    arena(place, *words)
    assert "20 matches" in (demo / "leaderboard.md").read_text()
    assert arena(place, "verify", "results/demo").out.startswith("20 matches hold")


def test_an_older_leaderboard(place: Path, demo: Path) -> None:
    """A run that is not finished may have a leaderboard of an earlier time."""
    unfinish(demo, 12)
    assert "(4 not played yet)" in arena(place, "verify", "results/demo").out


@pytest.mark.long
def test_a_run_that_has_hardly_begun(tmp_path: Path) -> None:
    """Of a long schedule a moment may have been played, and is merged and verified."""
    played = 0
    for part in ("1/2", "2/2"):
        words = ("-n", "100000", "--seed", "s", "--shard", part, "--within", "1s", "-o", part[0], "-q")
        arena(tmp_path, "run", "-g", "lure", "greedy", "random", *words)
        played += len(records(tmp_path / part[0]))
    arena(tmp_path, "merge", "1", "2", "-o", "huge")
    assert played
    said = arena(tmp_path, "verify", "huge").out
    assert said.startswith(f"{played} matches hold: ")
    assert said.endswith(f"({100_000 - played} not played yet)\n")
