"""`arena verify`: whatever was changed in a journal that is sound in form, it names match and difference."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.cli.command import DEMO, PYTHON, arena, change, forge, records, unfinish

Match = dict[str, Any]


def a_pick(match: Match) -> None:
    """Ring the bell where nobody did, or the other way round."""
    match["picks"][0] = [] if match["picks"][0] else [0]


def a_rank(match: Match) -> None:
    """The last is first."""
    match["ranks"] = match["ranks"][::-1]


def a_score(match: Match) -> None:
    """A Euro more."""
    match["scores"][2] += 1


def a_seat(match: Match) -> None:
    """Another seat was asked."""
    match["seats_asked"][0] = (match["seats_asked"][0] + 1) % 4


def the_bots(match: Match) -> None:
    """Two bots have swapped seats."""
    match["bots"][:2] = match["bots"][1::-1]


def the_end(match: Match) -> None:
    """The last answer is missing."""
    for field in ("picks", "seats_asked", "micros"):
        match[field].pop()


def the_length(match: Match) -> None:
    """One answer too many."""
    for field in ("picks", "seats_asked", "micros"):
        match[field].append(match[field][-1])


def the_variant(match: Match) -> None:
    """It was played with another bell."""
    match["variants"]["bell"] = "nearest"


def the_id(match: Match) -> None:
    """It is a match of no schedule."""
    match["id"] = "e0b99r0"


def a_retirement(match: Match) -> None:
    """Who came first was ended for faults that it did not have, and is last."""
    best = match["ranks"].index(0)
    match["retired"] = [best]
    match["ranks"] = [3 if seat == best else rank - 1 for seat, rank in enumerate(match["ranks"])]


def a_fault(match: Match) -> None:
    """A fault where the bot's answer counted."""
    at = next(at for at, picks in enumerate(match["picks"]) if picks != list(range(len(picks))))
    match["faults"] = [{"seat": match["seats_asked"][at], "kind": "late", "decision": at, "rule": "never"}]


def the_blame(match: Match) -> None:
    """Somebody else did it."""
    for fault in match["faults"]:
        fault["seat"] = (fault["seat"] + 1) % 4


def a_passing_over(match: Match) -> None:
    """Nobody was asked, though the bot was there."""
    match["micros"][0] = -1


def the_times(match: Match) -> None:
    """The time of the last answer is missing."""
    match["micros"].pop()


@pytest.mark.parametrize(
    ("changed", "difference"),
    [
        (a_pick, "decision "),
        (a_retirement, "retired: expected seats that faulted or were never asked, got seat "),
        (a_fault, "decision "),
        (the_blame, "faults: expected none, got illegal of seat "),
        (a_passing_over, "expected as many questions as were waited for, got more"),
        (the_times, "expected a rank and a score a seat, and picks and time a decision, got others"),
        (a_rank, "ranks: expected "),
        (a_score, "scores: expected "),
        (a_seat, "decision 0: expected seat "),
        (the_bots, "bots: expected "),
        (the_end, "expected picks of seat "),
        (the_length, "expected the match to go on, got its end with 1 picks left"),
        (the_variant, "variants: expected {'bell': 'lot'}, got {'bell': 'nearest'}"),
        (the_id, "expected a match of the schedule, got another id"),
    ],
    ids=lambda value: value.__name__ if callable(value) else "",
)
def test_forged(place: Path, demo: Path, changed: Callable[[Match], None], difference: str) -> None:
    """A changed pick, rank, score, seat, line-up, length, variant or id is found: exit 1 with match and difference.

    So is whoever was retired, blamed or passed over without having earned it.
    """
    # one and the same, wherever it came to stand in the journal
    at = [match["id"] for match in records(demo)].index("e0b1r0")
    change(demo, at, changed)
    said = arena(place, "verify", "results/demo", code=1)
    assert said.out.startswith(f"match {records(demo)[at]['id']}: ")
    assert difference in said.out
    assert said.out.count("\n") == 1


def test_sound(place: Path) -> None:
    """A run that nobody touched holds."""
    assert arena(place, "verify", "results/demo").out == (
        "16 matches hold: schedule, deals, answers, ranks and scores\n"
    )


def test_a_missing_match(place: Path, demo: Path) -> None:
    """A match that is missing from a finished run is named."""
    matches = records(demo)
    gone = matches.pop(4)
    forge(demo, matches)
    assert arena(place, "verify", "results/demo", code=1).out == (
        f"match {gone['id']}: expected every match in a finished run, got 1 of 16 missing\n"
    )


def test_a_match_twice(place: Path, demo: Path) -> None:
    """A match that was recorded twice is named."""
    matches = records(demo)
    forge(demo, [*matches, matches[2]])
    said = arena(place, "verify", "results/demo", code=1)
    assert said.out == f"match {matches[2]['id']}: expected each match once, got it twice\n"


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
        (" 16 matches", " 17 matches", "leaderboard.md: expected ': cash-a-catch, 4 seats, 16 matches, "),
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
