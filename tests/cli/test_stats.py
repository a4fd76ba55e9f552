"""`arena stats` tells of a run what its journal holds."""

import csv
import shutil
from collections import Counter
from io import StringIO
from pathlib import Path
from statistics import fmean
from typing import Any

import numpy as np
import pytest
from msgspec import to_builtins

from arena import Run
from arena.report.times import without_figures
from arena.retelling import retell
from arena.tournament.folder import RunFolder, deal_again
from tests.cli.command import (
    ARENA,
    MATCHES,
    PYTHON,
    SLIP,
    arena,
    change,
    data,
    records,
    refusal,
    started,
    to_void,
    unfinish,
)

SLOW = f"slow={PYTHON} slow.py"
LATE = ("--move-time", "400ms", "--seed", "late", "-o", "late", "-q")
RUN = ("run", "greedy", SLIP, SLOW, "-g", "cash-a-catch", "-n", "3", *LATE)


@pytest.fixture(scope="module")
def late(finished: tuple[Path, object], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a finished run with a bot that answers its first question too late, and one that breaks a rule."""
    place = Path(shutil.copytree(finished[0], tmp_path_factory.mktemp("late") / "place"))
    arena(place, *RUN)
    return place


def by_bot(rows: list[dict[str, Any]]) -> dict[str, dict[str, Any]]:
    """Rows of the statistics by bot."""
    return {row["bot"]: row for row in rows}


def test_times(late: Path) -> None:
    """Each bot has the number, percentiles and longest of its answers in time, its late ones, and a move time."""
    found = by_bot(data(late, "stats", "late", "--time", "--json")["time"])
    matches = records(late / "late")
    assert list(found) == ["greedy", "slip", "slow"]
    for bot, row in found.items():
        answers = []
        for number, match in enumerate(matches):
            spoilt = {fault["decision"] for fault in match.get("faults", []) if fault["kind"] == "late"}
            for at, (seat, micros) in enumerate(zip(match["seats_asked"], match["micros"], strict=True)):
                if match["bots"][seat] == bot and micros >= 0 and at not in spoilt:
                    answers.append((micros, -number, -at))
        longest, before, earlier = max(answers)
        assert row["asked"] == len(answers) + row["late"]
        assert (row["ms_max"], row["closest"]) == (longest / 1000, round(longest / 400_000, 4))
        assert (row["closest_match"], row["closest_decision"]) == (-before, -earlier)
        median = sorted(answers)[(len(answers) + 1) // 2 - 1][0]
        assert row["ms_median"] == pytest.approx(median / 1000, rel=0.016)
        assert row["suggested_ms"] >= 1.25 * row["ms_max"]
    late_ones: Counter[str] = Counter()
    for match in matches:
        spoilt = {fault["decision"] for fault in match.get("faults", []) if fault["kind"] == "late"}
        late_ones.update(match["bots"][match["seats_asked"][at]] for at in spoilt)
        first = match["seats_asked"].index(match["bots"].index("slow"))
        # in time only where the machine stood still and gave the time back: the 0.7 s are in the journal
        assert first in spoilt or match["micros"][first] >= 700_000
    assert {bot: row["late"] for bot, row in found.items()} == {bot: late_ones[bot] for bot in found}
    assert late_ones["slow"]
    assert found["slow"]["at_least"]
    assert found["slow"]["suggested_ms"] >= 500


def test_faults(late: Path) -> None:
    """Each kind of fault of each bot is counted, with its first match, decision and rule."""
    found = data(late, "stats", "late", "--faults", "--json")["faults"]
    # whose run it is reads on standard error what tells of them; nothing is played again
    said = arena(late, *RUN[:-1]).err
    assert "\nfaults of slow: arena stats late --bot slow\n" in said
    assert "faults of greedy" not in said
    matches = records(late / "late")
    counts = Counter(
        (match["bots"][fault["seat"]], fault["kind"]) for match in matches for fault in match.get("faults", [])
    )
    assert {(row["bot"], row["kind"]): row["count"] for row in found} == counts
    slip = by_bot(found)["slip"]
    [first] = [fault for fault in matches[0]["faults"] if fault["kind"] == "illegal"]
    assert (slip["first_match"], slip["first_decision"], slip["first_rule"]) == (0, first["decision"], first["rule"])
    assert (slip["kind"], slip["matches"], slip["retired"]) == ("illegal", len(matches), 0)
    assert sum(rule["count"] for rule in slip["rules"]) <= slip["count"]


def test_seats(place: Path, demo: Path) -> None:
    """Each seat has its means over whole blocks; those of an unfinished run are left out."""
    found = data(place, "stats", "results/demo", "--seats", "--json")
    assert [(row["seat"], row["blocks"]) for row in found["seats"]] == [(seat, MATCHES // 4) for seat in range(4)]
    for row in found["seats"]:
        scores = [match["scores"][row["seat"]] for match in records(demo)]
        assert row["mean_score"] == pytest.approx(sum(scores) / MATCHES, abs=1e-4)
    unfinish(demo, 5)
    ids = [match["id"].partition("r")[0] for match in records(demo)]
    some = data(place, "stats", "results/demo", "--json")
    whole = sum(times == 4 for times in Counter(ids).values())
    assert (some["provisional"], some["matches"]) == (True, 5)
    assert [row["blocks"] for row in some["seats"]] == [whole] * 4 * (whole > 0)
    assert f"Left out, because some of the matches are not rated: {len(set(ids)) - whole} block" in str(some["notes"])
    assert "\nProvisional: the run is not finished.\n" in arena(place, "stats", "results/demo").out


def test_ahead(late: Path) -> None:
    """Of every two bots it is told how often the one finished ahead of the other, and as a matrix within 80 columns."""
    [found] = data(late, "stats", "late", "--ahead", "--json")["ahead"]
    matches = records(late / "late")
    assert {frozenset((pair["bot"], pair["other"])) for pair in found["pairs"]} == {
        frozenset(pair) for pair in (("greedy", "slip"), ("greedy", "slow"), ("slip", "slow"))
    }
    for pair in found["pairs"]:
        ranks = [dict(zip(match["bots"], match["ranks"], strict=True)) for match in matches]
        ahead = sum(rank[pair["bot"]] < rank[pair["other"]] for rank in ranks)
        tied = sum(rank[pair["bot"]] == rank[pair["other"]] for rank in ranks)
        assert (pair["matches"], pair["ahead"], pair["tied"]) == (len(matches), ahead, tied)
        assert pair["share"] == pytest.approx((ahead + tied / 2) / len(matches), abs=1e-4)
        # of one block nothing can be said
        assert (pair["low"], pair["high"]) == (None, None)
    table = arena(late, "stats", "late", "--ahead").out
    assert "Finished ahead\n=====" in table
    assert max(map(len, table.splitlines())) <= 80
    assert "Seats" not in table


@pytest.mark.long
def test_where_a_bot_loses(late: Path) -> None:
    """Of one bot: how it does from each seat, against each other and over a match; its worst matches; its faults."""
    found = data(late, "stats", "late", "--bot", "slow", "--json")
    matches = records(late / "late")
    own = [match | {"own": match["bots"].index("slow")} for match in matches]
    lost = [match for match in own if match["ranks"][match["own"]] > 0]
    assert (found["bot"], found["lost"]) == ("slow", len(lost))
    for row in found["by_seat"]:
        scores = [match["scores"][row["seat"]] for match in own if match["own"] == row["seat"]]
        assert (row["matches"], row["mean_score"]) == (len(scores), pytest.approx(sum(scores) / len(scores), abs=1e-4))
    assert {row["opponent"] for row in found["by_opponent"]} == {"greedy", "slip"}
    # in each part as the table stood when as much of the match was decided
    ends: list[list[tuple[float, float]]] = [[] for _ in range(4)]
    folder = RunFolder(late / "late")
    for record in folder.records():
        seat, winner = record.bots.index("slow"), record.ranks.index(0)
        if record.ranks[seat] == 0:
            continue
        _, state = deal_again(folder.secrets_of(folder.manifest()), record)
        stood = [
            (step.first + sum(not each.forced for each in step.pending.decisions.values()), state.standing().scores)
            for step in retell(record, state)
        ]
        for part in range(4):
            stand = next(shown for done, shown in stood if 4 * done >= (part + 1) * len(record.picks))
            ends[part].append((stand[seat], stand[winner]))
    for row, end in zip(found["by_phase"], ends, strict=True):
        assert row["score"] == pytest.approx(fmean(mine for mine, _ in end), abs=1e-4)
        assert row["winner"] == pytest.approx(fmean(theirs for _, theirs in end), abs=1e-4)
    assert sum(row["lost"] for row in found["by_phase"]) == pytest.approx(found["by_phase"][-1]["behind"], abs=1e-3)
    worst = found["worst"][0]
    assert worst["place"] == 1 + max(match["ranks"][match["own"]] for match in own)
    assert worst["command"] == f"arena replay late '#{worst['match']}' --seat {worst['seat']}"
    assert worst["id"] in arena(late, *worst["command"].replace("'", "").split()[1:]).out
    faults = [
        (match["id"], without_figures(fault["rule"]))
        for match in own
        for fault in match["faults"]
        if fault["seat"] == match["own"]
    ]
    assert sum(row["count"] for row in found["own_faults"]) == len(faults)
    for row in found["own_faults"]:
        alike = [match for match, rule in faults if rule == without_figures(row["rule"])]
        assert (row["count"], row["matches"], row["id"]) == (len(alike), len(set(alike)), alike[0])
    assert all("it was idle" in row["rule"] for row in found["own_faults"] if row["kind"] == "late")
    assert list(to_builtins(Run(late / "late").losses("slow").phases)) == found["by_phase"]
    (late / "late/logs").mkdir(exist_ok=True)
    (late / "late/logs/slow.log").write_text("first\nlast \x1b[31mwords\n\n", "utf-8")
    table = arena(late, "stats", "late", "--bot", "slow").out
    assert max(map(len, table.splitlines())) <= 80
    assert "Its standard error is in late/logs/slow.log, and ends: last \\x1b[31mwords" in " ".join(table.split())
    assert all(f"look at it: {row['command']}" in table for row in found["own_faults"])
    assert "\nSeats\n" not in table
    assert "--bot: expected a bot of " in arena(late, "stats", "late", "--bot", "slo", code=2).err


@pytest.mark.long
def test_sections_and_formats(late: Path) -> None:
    """All are printed unless one is asked for, each under its heading, in 80 columns; `-q` leaves the remark out."""
    said = arena(late, "stats", "late")
    assert said.out.startswith("late: cash-a-catch, 3 matches.\n")
    headings = ("Answering times in ms", "Faults", "Seats", "Finished ahead")
    assert [line for line in said.out.splitlines() if line in headings] == list(headings)
    assert max(map(len, said.out.splitlines())) <= 80
    assert said.err.startswith("the closest call, of ")
    assert arena(late, "stats", "late", "-q") == (0, said.out, "")
    assert [
        line for line in arena(late, "stats", "late", "--format", "markdown").out.splitlines() if line[:1] == "#"
    ] == [f"## {heading}" for heading in headings]
    for option, heading in zip(("--time", "--faults", "--seats", "--ahead"), headings, strict=True):
        alone = arena(late, "stats", "late", option).out
        assert [line for line in alone.splitlines() if line in headings] == [heading]
    found = data(late, "stats", "late", "--json")
    for name, rows in (("time", 3), ("faults", len(found["faults"])), ("seats", 3)):
        printed = arena(late, "stats", "late", f"--{name}", "--format", "csv").out
        read = list(csv.DictReader(StringIO(printed)))
        assert len(read) == len(found[name]) == rows
        assert list(read[0]) == list(found[name][0])


def test_void_matches_count_for_nothing(place: Path, demo: Path) -> None:
    """A void match is left out and said so, and so is its block; the numbers of the others stay."""
    change(demo, 0, to_void)
    found = data(place, "stats", "results/demo", "--json")
    assert (found["matches"], found["void"]) == (MATCHES - 1, 1)
    assert {row["blocks"] for row in found["seats"]} == {MATCHES // 4 - 1}
    [slip] = found["faults"]
    assert (slip["count"], slip["first_match"]) == (MATCHES - 1, 1)
    assert "15 matches, 1 void and left out." in arena(place, "stats", "results/demo").out


def test_a_run_without_matches(place: Path, demo: Path) -> None:
    """Of a run that has no match yet there are no figures."""
    unfinish(demo, 0)
    found = data(place, "stats", "results/demo", "--json")
    assert [(row["asked"], row["ms_max"], row["suggested_ms"]) for row in found["time"]] == [(0, None, None)] * 4
    assert (found["faults"], found["seats"]) == ([], [])
    assert "No block is whole yet." in arena(place, "stats", "results/demo").out
    assert data(place, "stats", "results/demo", "--payoff", "--json")["payoff"]["lineups"] == []


@pytest.mark.parametrize(
    ("field", "value"), [("seats_asked", 9), ("seats_asked", -1), ("retired", 4), ("ranks", None), ("micros", None)]
)
def test_a_match_out_of_shape_is_damage(place: Path, demo: Path, field: str, value: int | None) -> None:
    """A match that names a seat which is not there, or lacks a figure, is named as damage by all that count matches."""

    def spoil(match: dict[str, Any]) -> None:
        old = match.get(field, [])
        match[field] = old[:-1] if value is None else [*old[:-1], value]

    name = change(demo, 3, spoil)
    for command in ("stats", "leaderboard"):
        assert f"{name}: expected " in refusal(place, command, "results/demo", code=4)


def test_company(late: Path) -> None:
    """`--company` adds who plays better in whose company; without it that is left out."""
    assert "company" not in data(late, "stats", "late", "--json")
    found = data(late, "stats", "results/demo", "--company", "--json")
    assert set(found) >= {"company", "notes"}
    assert not set(found) & {"time", "faults", "seats", "ahead"}
    assert [note for note in found["notes"] if "Nothing can be told" in note or "company" in note]
    assert "Company" in arena(late, "stats", "late", "--company").out


def test_payoffs(late: Path) -> None:
    """`--payoff` tells what bots get, as rows for each line-up, as a matrix and as arrays; else no form is npz."""
    assert "payoff" not in data(late, "stats", "late", "--json")
    found = data(late, "stats", "late", "--payoff", "--json")["payoff"]
    assert found["bots"] == ["greedy", "slip", "slow"]
    assert {(row["lineup"], row["matches"]) for row in found["lineups"]} == {("greedy slip slow", 3)}
    mean_ranks = [
        fmean(match["ranks"][match["bots"].index(bot)] for match in records(late / "late")) for bot in found["bots"]
    ]
    means = [1 - rank for rank in mean_ranks]  # of three: none is level here
    assert [row["payoff"] for row in found["lineups"]] == pytest.approx(means, abs=0.0001)
    printed = arena(late, "stats", "late", "--payoff", "--format", "csv").out
    assert [row["bot"] for row in csv.DictReader(StringIO(printed))] == found["bots"]
    assert "Payoffs" in arena(late, "stats", "late", "--payoff").out
    with (late / "payoff.npz").open("wb") as file:
        started(late, *ARENA, "stats", "late", "--payoff", "--format", "npz", stdout=file)
    arrays = np.load(late / "payoff.npz")
    assert arrays["matrix"] == pytest.approx(np.array(found["matrix"]), abs=0.0001)
    assert arrays["tensor"][0, 1, 2] == pytest.approx(means[0])
    assert "expected --payoff with --format npz" in refusal(late, "stats", "late", "--format", "npz")
