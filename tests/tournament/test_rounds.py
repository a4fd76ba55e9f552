"""Formats that decide as they go, played by real bots: pairings follow from what is recorded, however it came to be."""

import json
import shutil
import signal
import subprocess
import sys
from itertools import combinations, pairwise
from pathlib import Path
from random import Random
from time import monotonic, sleep
from typing import Any

import pytest

from arena.formats.registry import looks_of
from tests.cli.command import ARENA, BOTS, PYTHON, Said, arena, change, data, records, refusal, to_void, unfinish
from tests.ratings.matches import Recorder

RANDOM_C = Path(__file__).parents[2] / "bots" / "random-c" / "bot.c"
NAMES = ("ann", "bob", "cid", "dee", "eve")
FORMATS = {
    "knockout": ("knockout,batch=1", "10"),
    "double": ("knockout,losses=2,most=2,batch=1", "40"),
    "swiss": ("swiss,rounds=3", "10"),
    "groups": ("groups,through=1", "16"),
    "gauntlet": ("gauntlet,challengers=2", "12"),
    "race": ("race,batch=2", "16"),
    "stages": ("swiss,rounds=2+knockout,first=3,batch=1", "16"),
    "until": ("balanced,until=best", "32"),
}


UNDECIDED = {"until": 6}
"""Of bots that are even the best is not found: the exit code says so."""

ENTRANTS = [f"{name}={PYTHON} {'most' if number % 2 else 'least'}.py" for number, name in enumerate(NAMES)]
TABLE = ("run", "-g", "dockfight", "--seats", "2", "--seed", "rounds")


def write_bots(place: Path) -> None:
    """The programs of the two kinds of bots."""
    (place / "most.py").write_text(BOTS["mine.py"])
    (place / "least.py").write_text(BOTS["slip.py"].replace("[99]", "picks"))


def words(which: str, out: str) -> list[str]:
    """The command that plays a format: bots of two kinds, two at a table."""
    schedule, matches = FORMATS[which]
    return [*TABLE, "--schedule", schedule, "-n", matches, "-o", out, *ENTRANTS]


def run(place: Path, which: str, out: str, lanes: int = 1, code: int = 0) -> Said:
    """Play a format to its end, or to this exit code."""
    write_bots(place)
    return arena(place, *words(which, out), "-j", str(lanes), code=code or UNDECIDED.get(which, 0))


def export(place: Path, out: str) -> str:
    """What the run decided."""
    return arena(place, "export", out).out


@pytest.fixture(scope="module", params=FORMATS)
def played(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> tuple[str, Path, str]:
    """A format, the folder it was played in, and its export."""
    place = tmp_path_factory.mktemp("played")
    run(place, request.param, "one")
    return request.param, place, export(place, "one")


@pytest.mark.long_cases("double", "gauntlet", "groups", "race", "stages", "swiss", "until")
def test_a_format_from_first_to_last(played: tuple[str, Path, str]) -> None:
    """A format is played to its places by real bots; its bracket is in terminal, Markdown and JSON, and it holds."""
    which, place, whole = played
    bracket = data(place, "leaderboard", "one", "--json")["bracket"]
    assert bracket["schedule"] == FORMATS[which][0]
    assert sorted(each["bot"] for each in bracket["places"]) == sorted(NAMES)
    assert bracket["places"][0]["place"] == 1
    blocks = sum(table["blocks"] for stage in bracket["stages"] for table in stage["tables"])
    assert 2 * blocks == len(whole.splitlines())
    for stage in bracket["stages"]:
        assert not set(stage["byes"]) & {each["bot"] for table in stage["tables"] for each in table["bots"]}
    assert f"{2 * blocks} matches hold" in arena(place, "verify", "one").out
    for form in ("table", "markdown"):
        text = arena(place, "leaderboard", "one", "--format", form, "--rounds").out
        assert f"Schedule {FORMATS[which][0]}: " in text.replace("\\", "")
        assert bracket["stages"][0]["title"] in text.replace("\\", "")
    manifest = json.loads((place / "one" / "run.json").read_bytes())
    assert manifest["finished"]
    assert manifest["epochs"][0]["matches"] == 2 * blocks == manifest["audits"]["2"]["matches"]


@pytest.mark.long_cases("double", "gauntlet", "groups", "knockout", "race", "stages", "swiss", "until")
def test_a_stopped_run_goes_on(played: tuple[str, Path, str]) -> None:
    """A run that was stopped within a round, or before the last match, goes on in two lanes to the same export.

    A void match holds the next round up until it has been played again.
    """
    which, place, whole = played
    for keep in (3, len(whole.splitlines()) - 1):
        shutil.copytree(place / "one", place / f"stopped-{keep}")
        unfinish(place / f"stopped-{keep}", keep)
        assert "not played yet" in arena(place, "verify", f"stopped-{keep}").out
        if keep == 3:
            change(place / "stopped-3", 2, to_void)
        run(place, which, f"stopped-{keep}", 2)
        assert export(place, f"stopped-{keep}") == whole


def test_a_bracket_as_it_fills(tmp_path: Path) -> None:
    """Of an unfinished run the present round is told: who sits where, what is left, and groups that have not met."""
    write_bots(tmp_path)
    arena(tmp_path, *TABLE, "--schedule", "groups,groups=2,through=1", "-n", "24", "-o", "one", *ENTRANTS)
    whole = data(tmp_path, "leaderboard", "one", "--json")["bracket"]["stages"][0]
    unfinish(tmp_path / "one", 3)
    (stage,) = data(tmp_path, "leaderboard", "one", "--json")["bracket"]["stages"]
    assert stage["left"] == 2 * sum(table["blocks"] for table in whole["tables"]) - 3
    assert sum(table["blocks"] for table in stage["tables"]) <= 1
    for told in (stage, whole):
        groups = [{each["bot"] for each in group["bots"]} for group in told["groups"]]
        assert sorted(map(len, groups)) == [2, 3]
    assert {each["bot"] for table in stage["tables"] for each in table["bots"]} == {*NAMES}
    said = " ".join(arena(tmp_path, "leaderboard", "one").out.split())
    assert f"{stage['left']} matches of 2 groups left." in said


@pytest.mark.long_cases("double", "gauntlet", "groups", "race", "stages", "swiss", "until")
def test_a_forged_pairing(played: tuple[str, Path, str]) -> None:
    """A match of other bots than its round called for is found, and a bracket that the matches do not give."""
    which, place, whole = played
    shutil.copytree(place / "one", place / "forged")
    page = place / "forged" / "leaderboard.md"
    text = page.read_text()
    page.write_text(text.replace("block", "blocks and one block", 1))
    assert "leaderboard.md: expected" in arena(place, "verify", "forged", code=1).out
    page.write_text(text)
    last = len(whole.splitlines()) - 1
    pairs = [list(pair) for pair in combinations(NAMES, 2)]

    def other(match: dict[str, Any]) -> None:
        match["bots"] = next(pair for pair in pairs if set(pair) != set(match["bots"]))

    name = change(place / "forged", last, other)
    assert f"match {name}: " in arena(place, "verify", "forged", code=1).out
    unfinish(place / "forged", last + 1)
    strange = f"match {name}: expected a match of this run, with its bots"
    assert strange in run(place, which, "forged", code=4).err


def killed_at(place: Path, command: list[str], reached: int, delay: float = 0.0) -> None:
    """Start a command and kill it once so many matches are recorded, and a while later."""
    journal = place / "killed" / "matches.jsonl"
    runner = subprocess.Popen(command, cwd=place, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    end = monotonic() + 300
    while runner.poll() is None and not (journal.exists() and journal.read_bytes().count(b"\n") >= reached):
        assert monotonic() < end, "expected the run to go on, got none of it"
        sleep(0.01)
    sleep(delay)
    runner.send_signal(signal.SIGKILL)
    runner.wait()


MANY = {
    "balanced": ("balanced", "60"),
    "knockout": ("knockout,batch=2", "80"),
    "double": ("knockout,losses=2,most=4,batch=2", "120"),
    "swiss": ("swiss,rounds=14", "10"),
    "groups": ("groups,through=1", "60"),
    "gauntlet": ("gauntlet,challengers=2", "60"),
    "race": ("race,batch=3", "60"),
    "stages": ("swiss,rounds=8+knockout,first=3,most=8,batch=2", "80"),
    "until": ("balanced,until=best", "96"),
}


@pytest.fixture(scope="module")
def quick(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The program of a bot that answers at once."""
    program = tmp_path_factory.mktemp("quick") / "bot"
    compiler = shutil.which("cc")
    if compiler is None:
        pytest.skip("expected a C compiler, got none")
    subprocess.run([compiler, "-O2", "-o", program, RANDOM_C], check=True, timeout=300)
    return str(program)


@pytest.mark.timeout(1200)
@pytest.mark.parametrize(
    ("which", "moments"),
    [
        *(pytest.param(which, 3, marks=pytest.mark.long) for which in ("knockout", "until")),
        *(pytest.param(which, 50, marks=pytest.mark.proof) for which in MANY),
    ],
)
def test_kills_of_each_format(which: str, moments: int, quick: str, tmp_path: Path, record_property: Recorder) -> None:
    """Killed by SIGKILL at any moment, a run of any format goes on to the same bracket and the same export."""
    schedule, matches = MANY[which]
    # a run that is killed starts its bots again: these take a millisecond
    field = [f"{name}={quick}" for name in NAMES]
    asked = [*TABLE, "--schedule", schedule, "-n", matches, *field, "--isolation", "none", "-o"]
    arena(tmp_path, *asked, "whole", "-j", "1", code=UNDECIDED.get(which, 0))
    whole = export(tmp_path, "whole")
    kills, random = 0, Random(which)
    for turn in range(moments):
        reached = 1 + turn * (len(whole.splitlines()) - 1) // moments
        killed_at(tmp_path, [*ARENA, *asked, "killed", "-j", "2"], reached, random.random() / 50)
        kills += not json.loads((tmp_path / "killed" / "run.json").read_bytes())["finished"]
    arena(tmp_path, *asked, "killed", "-j", "2", code=UNDECIDED.get(which, 0))
    assert kills >= moments * 2 // 3
    assert export(tmp_path, "killed") == whole
    brackets = [data(tmp_path, "leaderboard", name, "--json").get("bracket") for name in ("whole", "killed")]
    assert brackets[0] == brackets[1]
    assert arena(tmp_path, "verify", "killed").code == 0
    record_property("kills in the middle", f"{kills} of {moments}")


def play_many(place: Path, quick: str, bots: int, schedule: str) -> dict[str, Any]:
    """The bracket of a run with so many real bots, four at a table; it holds."""
    field = [f"b{number:03}={quick}" for number in range(bots)]
    rules = ("-g", "catch-of-the-day", "--seats", "4", "--seed", "many", "--isolation", "none", "-j", "2")
    arena(place, "run", *rules, "--schedule", schedule, "-o", "many", "-q", *field)
    assert "matches hold" in arena(place, "verify", "many").out
    bracket: dict[str, Any] = data(place, "leaderboard", "many", "--json")["bracket"]
    assert sorted(each["bot"] for each in bracket["places"]) == [f"b{number:03}" for number in range(bots)]
    return bracket


def tables_of(stage: dict[str, Any]) -> list[frozenset[str]]:
    """Who sat together in a stage."""
    return [frozenset(each["bot"] for each in table["bots"]) for table in stage["tables"]]


@pytest.mark.long
def test_a_swiss_of_a_hundred(quick: str, tmp_path: Path) -> None:
    """A Swiss of 100 processes is played whole: everybody sits once in each round, and no line-up comes twice."""
    bracket = play_many(tmp_path, quick, 100, "swiss,rounds=3")
    rounds = [tables_of(stage) for stage in bracket["stages"]]
    assert [len(tables) for tables in rounds] == [25] * 3
    assert all(len(frozenset().union(*tables)) == 100 for tables in rounds)
    assert len({table for tables in rounds for table in tables}) == 75
    assert [each["place"] for each in bracket["places"]] == list(range(1, 101))


@pytest.mark.long
def test_a_knockout_of_thirty_two(quick: str, tmp_path: Path) -> None:
    """A knockout of 32 processes is played whole: half of each table goes on, until one is left."""
    bracket = play_many(tmp_path, quick, 32, "knockout,most=2,batch=1")
    stages = [tables_of(stage) for stage in bracket["stages"]]
    assert [len(tables) for tables in stages] == [8, 4, 2, 1]
    for before, after in pairwise(stages):
        on = frozenset().union(*after)
        assert all(len(table & on) == 2 for table in before)
    places = [each["place"] for each in bracket["places"]]
    assert places == [1, 2, 3, 4, *[5] * 4, *[9] * 8, *[17] * 16]


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (["--schedule", "league"], "--schedule: expected a format of balanced, gauntlet"),
        (["--schedule", "swiss,round=3"], "--schedule: format swiss: expected options of rounds, got 'round'"),
        (["--schedule", "swiss,rounds=x"], "--schedule: format swiss: expected a whole number as rounds, got 'x'"),
        (["--schedule", "swiss,3"], "--schedule: expected NAME or NAME,OPTION=VALUE such as"),
        (["--schedule", "stages"], "--schedule: stages: expected one stage or more"),
        (["--schedule", "swiss+league"], "--schedule: expected a format of balanced, gauntlet"),
        (["--schedule", "race+swiss"], "--schedule: stages: expected enough bots for a table of stage 2, swiss, got 1"),
        (["--until", "first"], "--until: expected decided, best, top=K or order, got 'first'"),
        (["--until", "top=4"], "--until: expected fewer than the 4 bots, got top=4"),
        (["--until", "best", "--schedule", "race"], "--until: format race: expected a format without an end"),
        (["--until", "best", "--schedule", "swiss+swiss"], "--until: expected a schedule of one stage"),
        (["--until", "best", "--margin", "2"], "--schedule: expected margin between 0 and 1, got 2"),
        (["--alpha", "0.1"], "--alpha: expected --until beside it, got none"),
        (["--within", "soon"], "--within: expected a time from 1ms to 24h such as 10m or 2h, got 'soon'"),
        (["--schedule", "gauntlet,challengers=9"], "--schedule: gauntlet: expected 1 to 4 challengers, got 9"),
        (["--schedule", "swiss", "--dry-run", "-o", "plan"], "--dry-run: expected --schedule balanced for a plan"),
        (["--schedule", "swiss", "--shard", "1/2", "--seed", "s"], "--shard: expected --schedule balanced"),
        (["--schedule", "swiss", "--executor", "a=b"], "--executor: expected --schedule balanced"),
        (["--schedule", "swiss", "--seats", "2-3"], "--seats: expected one number of seats"),
    ],
)
def test_what_cannot_be_is_refused(options: list[str], told: str, tmp_path: Path) -> None:
    """What a format has no way to do is refused in one line, before anything is played."""
    bots = [f"{name}={sys.executable}" for name in NAMES[:4]]
    assert told in refusal(tmp_path, "run", "-g", "dockfight", *options, *bots)
    assert not (tmp_path / "results").exists()


PAIR = ENTRANTS[:2]


@pytest.mark.long
def test_a_run_ends_when_it_is_decided(tmp_path: Path) -> None:
    """With ``--until`` a run ends at the look at which it is certain, and says so; else it says what is open."""
    pair = ("greedy", "random-c")
    said = arena(tmp_path, *TABLE, "--until", "order", "-n", "400", "-o", "one", *pair, "--json")
    bracket = json.loads(said.out)["bracket"]
    assert bracket["schedule"] == "balanced,until=order"
    assert bracket["certain"]
    assert bracket["notes"][0] == "Decided after 32 of at most 200 blocks."
    assert len(records(tmp_path / "one")) == 64
    some = arena(tmp_path, *TABLE, "--until", "best", "-n", "4", "-o", "two", *pair, code=6)
    assert "Not decided in 2 blocks: each of these may be the best: greedy and random-c." in " ".join(some.out.split())
    assert "4 matches hold" in arena(tmp_path, "verify", "two").out


@pytest.mark.long
def test_a_run_within_a_time(tmp_path: Path) -> None:
    """With ``--within`` a run ends with whole blocks and says how far it is; the same command goes on from there."""
    write_bots(tmp_path)
    short = arena(tmp_path, *TABLE, "-n", "16", "-o", "one", "--within", "1ms", "-j", "1", *PAIR)
    assert "the time is up: 2 of 16 matches are played, in whole blocks" in short.err
    assert "resume with: arena run" in short.err
    assert "Provisional" in short.out
    swiss = arena(
        tmp_path, *TABLE, "--schedule", "swiss", "-n", "64", "-o", "s", "--within", "1ms", "-j", "1", *ENTRANTS[:4]
    )
    assert "the time is up: 2 of 4 matches are played of the rounds so far, in whole blocks" in swiss.err
    assert len({match["id"].partition("r")[0] for match in records(tmp_path / "one")}) == 1
    assert (tmp_path / "one" / "secret.json").exists()
    arena(tmp_path, *TABLE, "-n", "16", "-o", "one", *PAIR)
    arena(tmp_path, *TABLE, "-n", "16", "-o", "two", "--within", "1h", *PAIR)
    assert export(tmp_path, "one") == export(tmp_path, "two")


@pytest.mark.long
def test_a_finished_one_is_not_extended(tmp_path: Path) -> None:
    """The same command finds all played; more matches, other bots, another format, or a merge of two are refused.

    Where nothing is joined with it a finished run stays as it is; one that goes on, or was changed, is refused.
    """
    run(tmp_path, "swiss", "one")
    whole = export(tmp_path, "one")
    run(tmp_path, "swiss", "one")
    assert export(tmp_path, "one") == whole
    again = (*TABLE, "-o", "one", "--schedule")
    told = "expected the bots and the -n 10 of a finished --schedule swiss,rounds=3"
    assert told in refusal(tmp_path, *again, "swiss,rounds=3", "-n", "12", *ENTRANTS)
    assert told in refusal(tmp_path, *again, "swiss,rounds=3", "-n", "10", *ENTRANTS[:4])
    other = "expected --schedule swiss,rounds=3, got balanced"
    assert other in refusal(tmp_path, *again, "balanced", "-n", "10", *ENTRANTS)
    assert "expected a run of --schedule balanced" in refusal(tmp_path, "merge", "one", "one", "-o", "two", code=4)
    arena(tmp_path, "merge", "one", "-o", "two")
    for name in ("run.json", "matches.jsonl"):
        assert (tmp_path / "two" / name).read_bytes() == (tmp_path / "one" / name).read_bytes()
    assert "hold" in arena(tmp_path, "verify", "two").out
    journal = tmp_path / "one" / "matches.jsonl"
    lines = journal.read_bytes().splitlines(keepends=True)
    journal.write_bytes(b"".join(lines[:-1]))
    assert "one" in refusal(tmp_path, "merge", "one", "-o", "three", code=4)
    assert not (tmp_path / "three").exists()
    manifest = json.loads((tmp_path / "one" / "run.json").read_bytes())
    (tmp_path / "one" / "run.json").write_text(json.dumps(manifest | {"finished": False, "sealed": None}))
    told = "expected a run of --schedule balanced"
    assert told in refusal(tmp_path, "merge", "one", "-o", "three", code=4)


def asked_until(place: Path, out: str, *more: str, code: int = 0) -> Said:
    """Three bots, of which two are even, and a question about them."""
    write_bots(place)
    return arena(place, *TABLE, *ENTRANTS[:3], "-o", out, *more, code=code)


@pytest.mark.long
def test_a_question_that_is_open_goes_on(tmp_path: Path) -> None:
    """Undecided is exit 6; a greater -n plays more with a secret of its own, and counts what was played before."""
    best = ("--until", "best")
    said = asked_until(tmp_path, "run", *best, "-n", "12", code=6)
    assert "not decided: dockfight; the same command with a greater -n plays more" in said.err
    first = export(tmp_path, "run")
    assert asked_until(tmp_path, "run", *best, "-n", "12", code=6).out == said.out
    asked_until(tmp_path, "run", *best, "-n", "24", code=6)
    longer = export(tmp_path, "run")
    assert longer.startswith(first)
    assert len(longer.splitlines()) == 24
    manifest = json.loads((tmp_path / "run" / "run.json").read_bytes())
    assert [epoch["matches"] for epoch in manifest["epochs"]] == [12, 12]
    assert len({epoch["seed"] for epoch in manifest["epochs"]}) == 2
    assert "24 matches hold" in arena(tmp_path, "verify", "run").out
    bracket = data(tmp_path, "leaderboard", "run", "--json")["bracket"]
    assert any("in 12 blocks" in note for note in bracket["notes"])
    # cut anywhere, it goes on to the same
    for keep in (5, 20):
        shutil.copytree(tmp_path / "run", tmp_path / f"cut-{keep}")
        unfinish(tmp_path / f"cut-{keep}", keep)
        asked_until(tmp_path, f"cut-{keep}", *best, "-n", "24", code=6)
        assert export(tmp_path, f"cut-{keep}") == longer
    for words, wrong in (
        (("-n", "12"), "expected the -n 24 of a finished run, or more, got 12"),
        (("-n", "24", "--alpha", "0.2"), "expected alpha above 0 and at most 0.05"),
        (("-n", "24", "--alpha", "0.01"), "expected more than the 24 matches played, got -n 24"),
    ):
        assert wrong in refusal(tmp_path, *TABLE, *ENTRANTS[:3], "-o", "run", *best, *words)


@pytest.mark.long
def test_an_answer_may_be_asked_for_more_surely(tmp_path: Path) -> None:
    """A question that was answered is open again with a smaller --alpha; a greater -n alone plays nothing."""
    order = ("--until", "decided", "--margin", "0.9", "-n", "400")
    asked_until(tmp_path, "run", *order)
    first = export(tmp_path, "run")
    asked_until(tmp_path, "run", *order[:-1], "500")
    assert export(tmp_path, "run") == first
    asked_until(tmp_path, "run", *order, "--alpha", "1e-08")
    surer = export(tmp_path, "run")
    assert surer.startswith(first)
    assert len(surer) > len(first)
    arena(tmp_path, "verify", "run")
    manifest = json.loads((tmp_path / "run" / "run.json").read_bytes())
    assert manifest["epochs"][0]["schedule"] == "balanced,until=decided,margin=0.9"
    assert manifest["schedule"] == "balanced,until=decided,margin=0.9,alpha=1e-08"


@pytest.mark.parametrize(
    ("schedule", "looks"),
    [
        ("balanced", "one"),
        ("gauntlet,challengers=2", "pairs"),
        ("groups", "pairs"),
        ("balanced,until=best", "every"),
        ("swiss", "paired"),
        ("swiss,until=order", "paired"),
        ("knockout", "paired"),
        ("race", "answer"),
        ("groups+knockout", "answer"),
        ("swiss+knockout", "paired"),
        ("of-another-package", "paired"),
    ],
)
def test_what_may_be_said_of_a_schedule(schedule: str, looks: str) -> None:
    """One look where nothing follows results; every look else; and less where bots do not all meet alike."""
    assert looks_of(schedule) == looks
