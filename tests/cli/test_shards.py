"""A plan played in parts, and the parts made one again: as if nobody had ever cut it, whatever a part claims."""

import json
import os
import shutil
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from arena.tournament.folder import RunFolder, deal_again
from tests.cli.command import MINE, SLIP, arena, change, data, forge, records, refusal, to_void

pytestmark = pytest.mark.long

GAME = ("-g", "dockfight")
OF_PLAN = ("run", MINE, SLIP, "--plan")
PLANNED = ("run", "random", MINE, SLIP, *GAME, "--seats", "2-3", "-n", "20")
ALL = 22
"""How many matches that is, in whole blocks."""


@pytest.fixture(scope="session")
def parts(finished: tuple[Path, object], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a plan, the whole of it, and its three shards, all played. Nobody changes it."""
    place = Path(shutil.copytree(finished[0], tmp_path_factory.mktemp("parts") / "place"))
    arena(place, *PLANNED, "--dry-run", "-o", "plan")
    for number in (1, 2, 3):
        arena(place, *OF_PLAN, "plan", "--shard", f"{number}/3", "-o", f"part-{number}", "-q")
    arena(place, *OF_PLAN, "plan", "-o", "whole", "-q")
    return place


@pytest.fixture
def place(parts: Path, tmp_path: Path) -> Path:
    """A copy of the folder, to do anything with."""
    return Path(shutil.copytree(parts, tmp_path / "place"))


def export(place: Path, run: str) -> str:
    """What a run decided."""
    return arena(place, "export", run).out


def test_merged_shards_are_the_whole(place: Path) -> None:
    """Shards merged with their plan export the same bytes as the whole, in any order, and can be verified."""
    whole = export(place, "whole")
    assert len(whole.splitlines()) == ALL
    # a merge that was killed leaves no more than this
    (place / "merged").mkdir()
    (place / "merged/.matches.jsonl.new").write_text("half a")
    arena(place, "merge", "part-3", "plan", "part-1", "part-2", "-o", "merged", "-q")
    assert export(place, "merged") == whole
    assert not (place / "merged/.matches.jsonl.new").exists()
    assert f"{ALL} matches hold" in arena(place, "verify", "merged").out
    told = json.loads((place / "merged" / "run.json").read_bytes())
    assert told["finished"] is True
    assert not (place / "merged" / "secret.json").exists()
    assert (place / "merged" / "leaderboard.md").is_file()


def test_parts_in_which_no_deal_comes_twice(place: Path) -> None:
    """Parts by rotation have no two matches of a block each, and come to the same whole; too few parts are refused."""
    for number in (1, 2, 3):
        shard = f"{number}/3,by=rotation"
        arena(place, *OF_PLAN, "plan", "--shard", shard, "-o", f"turn-{number}", "-q")
        blocks = [match["id"].partition("r")[0] for match in records(place / f"turn-{number}")]
        assert len(set(blocks)) == len(blocks) > 4
        assert json.loads((place / f"turn-{number}" / "run.json").read_bytes())["shard"] == shard
    arena(place, "merge", "turn-2", "plan", "turn-1", "turn-3", "-o", "merged", "-q")
    assert export(place, "merged") == export(place, "whole")
    few = "--shard: expected at least as many parts as seats, 3, each on a machine of its own, got 2"
    assert few in refusal(place, *OF_PLAN, "plan", "--shard", "1/2,by=rotation", "-o", "few")
    assert few in refusal(place, *PLANNED, "--seed", "s", "--shard", "1/2,by=rotation", "-o", "few")
    wrong = refusal(place, *OF_PLAN, "plan", "--shard", "1/3,by=block", "-o", "few")
    assert "expected I/N such as 2/5, I from 1 to N, or 2/5,by=rotation, got '1/3,by=block'" in wrong


def test_no_deal_is_played_twice(place: Path) -> None:
    """With `--block single` each match of a block has a deal of its own, and holds; a run goes on as it was begun."""
    words = ("run", "greedy", "random", *GAME, "--seed", "s", "-q", "-n")
    arena(place, *words, "4", "-o", "mirrored")
    arena(place, *words, "4", "--block", "single", "-o", "single")
    for run, deals in (("mirrored", 2), ("single", 4)):
        folder = RunFolder(place / run)
        secrets = folder.secrets_of(folder.manifest())
        assert len({repr(deal_again(secrets, record)[1]) for record in folder.records()}) == deals
    assert "expected --block single, got mirrored" in refusal(place, *words, "6", "-o", "single")
    arena(place, *words, "6", "--block", "single", "-o", "single")
    assert "6 matches hold" in arena(place, "verify", "single").out


def test_every_match_is_in_one_shard(place: Path) -> None:
    """No two shards play the same match, each plays some, and together they play all."""
    ids = [[match["id"] for match in records(place / f"part-{number}")] for number in (1, 2, 3)]
    assert all(ids)
    assert sorted(match for part in ids for match in part) == sorted(match["id"] for match in records(place / "whole"))


def test_merging_is_associative_and_idempotent(place: Path) -> None:
    """Merging parts of parts, or the same part twice, comes to the same files."""
    arena(place, "merge", "part-1", "part-2", "part-3", "plan", "-o", "at-once", "-q")
    arena(place, "merge", "part-2", "part-1", "-o", "two", "-q")
    arena(place, "merge", "part-3", "part-2", "plan", "-o", "others", "-q")
    arena(place, "merge", "others", "two", "two", "-o", "in-steps", "-q")
    arena(place, "merge", "in-steps", "in-steps", "part-2", "-o", "again", "-q")
    for run in ("in-steps", "again"):
        for file in ("matches.jsonl", "run.json"):
            assert (place / run / file).read_bytes() == (place / "at-once" / file).read_bytes(), (run, file)


def test_a_shard_tells_no_secret(place: Path) -> None:
    """Neither a shard nor what is merged without the plan holds the secret, and both say that they are not whole."""
    secret = json.loads((place / "plan" / "secret.json").read_bytes())["0"]
    assert (place / "plan" / "secret.json").stat().st_mode & 0o077 == 0
    said = arena(place, "merge", "part-1", "part-2", "part-3", "-o", "blind")
    assert f"all {ALL} matches, but not the secret" in said.err
    for run in ("part-1", "part-2", "part-3", "blind"):
        for path in (place / run).rglob("*"):
            assert path.is_dir() or secret.encode() not in path.read_bytes()
    assert data(place, "leaderboard", "blind", "--json")["provisional"] is True
    assert "expected the secret of epoch 0" in refusal(place, "verify", "blind", code=4)
    arena(place, "merge", "blind", "plan", "-o", "seen", "-q")
    arena(place, "verify", "seen")


def test_a_merge_that_lacks_a_shard_goes_on_here(place: Path) -> None:
    """Some shards and the plan make an unfinished run, of which the same command as for any run plays the rest."""
    said = arena(place, "merge", "part-1", "part-3", "plan", "-o", "most")
    lacking = len(records(place / "part-2"))
    assert f"{ALL - lacking} of {ALL} matches" in said.err
    arena(place, *PLANNED, "-o", "most", "-q")
    assert export(place, "most") == export(place, "whole")


def test_a_shard_goes_on(place: Path) -> None:
    """The same command on a shard plays what it lacks and no more; another shard, or another plan, is refused."""
    played = export(place, "part-1")
    journal = place / "part-1" / "matches.jsonl"
    journal.write_bytes(b"".join(journal.read_bytes().splitlines(keepends=True)[:3]))
    arena(place, *OF_PLAN, "plan", "--shard", "1/3", "-o", "part-1", "-q")
    assert export(place, "part-1") == played
    wrong = refusal(place, *OF_PLAN, "plan", "--shard", "2/3", "-o", "part-1")
    assert "part-1 holds another run: expected --shard 1/3, got 2/3" in wrong
    arena(place, *PLANNED, "--dry-run", "-o", "other", "-q")
    wrong = refusal(place, *OF_PLAN, "other", "--shard", "1/3", "-o", "part-1")
    assert "part-1 holds another run: expected its own plan: epoch 0, commitment" in wrong


def test_a_shard_ends_in_its_time(place: Path) -> None:
    """With `--within` a shard stops after whole blocks, says what is left of it, and the same command plays that."""
    words = (*OF_PLAN, "plan", "--shard", "1/3", "-o", "early")
    said = arena(place, *words, "--within", "1ms", "-j", "1").err
    blocks = [match["id"].partition("r")[0] for match in records(place / "early")]
    seats = {match["id"].partition("r")[0]: len(match["bots"]) for match in records(place / "early")}
    assert 0 < len(blocks) < len(records(place / "part-1"))
    assert {block: blocks.count(block) for block in seats} == seats
    left = len(records(place / "part-1")) - len(blocks)
    assert f"arena: the time is up: {left} matches of shard 1/3 left, in whole blocks\n" in said
    arena(place, *words, "-q")
    assert export(place, "early") == export(place, "part-1")


def test_a_contradiction_is_named(place: Path) -> None:
    """Two that played a match differently are named, with the match, the bot and the decision: exit 4."""
    shutil.copytree(place / "whole", place / "forged")

    def lie(match: dict[str, list[list[int]]]) -> None:
        match["picks"][0] = [0] if match["picks"][0] != [0] else [1]

    name = change(place / "forged", 5, lie)
    wrong = refusal(place, "merge", "whole", "forged", "-o", "never", code=4)
    assert f"match {name}: expected the same match in all parts, got picks" in wrong
    assert "at decision 0 (in whole, forged)" in wrong
    assert not (place / "never").exists()


def test_several_games_are_merged_or_none(place: Path) -> None:
    """Folders of several games are merged game by game; if one is refused, none is written, and no folder is left."""
    two = ("run", MINE, SLIP, *GAME, "-g", "lure", "--seats", "2", "-n", "4")
    arena(place, *two, "--dry-run", "-o", "both", "-q")
    for number in (1, 2):
        arena(place, *OF_PLAN, "both", "--shard", f"{number}/2", "-o", f"both-{number}", "-q")
    arena(place, "merge", "both-2", "both", "both-1", "-o", "joined", "-q")
    for game in ("dockfight", "lure"):
        assert arena(place, "verify", f"joined/{game}").out.startswith("4 matches hold")
        assert (place / "joined" / game / "leaderboard.md").is_file()
    shutil.copytree(place / "both-1", place / "forged")
    change(place / "forged" / "lure", 0, lambda match: match["ranks"].reverse())
    wrong = refusal(place, "merge", "both", "forged", "both-1", "both-2", "-o", "new/never", code=4)
    assert wrong.endswith("(in forged/lure, both-1/lure)")
    assert not (place / "new").exists()
    (place / "empty").mkdir()
    refusal(place, "merge", "both", "forged", "both-1", "both-2", "-o", "empty", code=4)
    assert not list((place / "empty").iterdir())


def test_a_void_gives_way(place: Path) -> None:
    """Where one part has a void match and another played it, the played one counts."""
    shutil.copytree(place / "whole", place / "partly")
    at = next(n for n, match in enumerate(records(place / "whole")) if len(match["bots"]) == 2)
    change(place / "partly", at, to_void)
    arena(place, "merge", "partly", "whole", "-o", "merged", "-q")
    assert export(place, "merged") == export(place, "whole")


def test_what_does_not_belong_together(place: Path) -> None:
    """Runs of another game or another commitment are refused by name; so is a folder that holds something."""
    wrong = refusal(place, "merge", "part-1", "results/demo", "-o", "never", code=4)
    assert wrong == "results/demo: expected parts of one run, got others: game: expected dockfight, got cash-a-catch"
    wrong = refusal(place, "merge", "part-1", "part-2", "-o", "part-3")
    assert "--out: expected a new folder, got part-3" in wrong
    assert "expected a run folder with a run.json" in refusal(place, "merge", "part-1", "results", "nowhere", "-o", "x")


@pytest.mark.parametrize("shard", ["0/3", "4/3", "2", "1/0", "a/b", "-1/3"])
def test_what_is_no_shard(place: Path, shard: str) -> None:
    """A shard is I/N with I from 1 to N, or that by rotation."""
    wrong = refusal(place, *OF_PLAN, "plan", f"--shard={shard}", "-o", "x")
    assert wrong == f"--shard: expected I/N such as 2/5, I from 1 to N, or 2/5,by=rotation, got {shard!r}"


def test_what_the_plan_settles(place: Path) -> None:
    """What the plan has settled is not asked for again; its bots must be what they were."""
    wrong = refusal(place, *OF_PLAN, "plan", "-n", "30")
    assert wrong == "--matches: expected it from the plan, got it beside --plan"
    assert "expected a --plan or a --seed" in refusal(place, "run", *GAME, "--shard", "1/2")
    assert "expected a folder beside the plan's" in refusal(place, *OF_PLAN, "plan", "-o", "plan")
    assert "expected a plan that is not played yet" in refusal(place, "run", "--plan", "whole", "-o", "x")
    with (place / "slip.py").open("a") as bot:
        bot.write("# better now\n")
    wrong = refusal(place, *OF_PLAN, "plan", "--shard", "1/3", "-o", "x")
    assert "expected bot 'slip' as it was entered" in wrong


def test_shards_of_a_seed(place: Path) -> None:
    """With a seed that all parts share, nothing needs to be planned: the parts merge to the run of that seed."""
    words = ("run", MINE, SLIP, *GAME, "-n", "8", "--seed", "open", "-q")
    arena(place, *words, "-o", "uncut")
    for number in (1, 2):
        arena(place, *words, "--shard", f"{number}/2", "-o", f"half-{number}")
    arena(place, "merge", "half-2", "half-1", "-o", "joined", "-q")
    assert export(place, "joined") == export(place, "uncut")
    arena(place, "verify", "joined")


def test_a_secret_from_a_file(place: Path) -> None:
    """A plan without its secret is played by whoever has the secret's text in a file."""
    (place / "text").write_text("a text of ours\n")
    arena(place, *PLANNED, "--dry-run", "-o", "kept", "--secret-file", "text", "-q")
    (place / "kept" / "secret.json").unlink()
    wrong = refusal(place, *OF_PLAN, "kept", "--shard", "1/9", "-o", "x", code=4)
    assert "expected the secret of epoch 0" in wrong
    (place / "wrong").write_text("another")
    wrong = refusal(place, *OF_PLAN, "kept", "--shard", "1/9", "-o", "x", "--secret-file", "wrong", code=4)
    assert "expected the secret that epoch 0 committed to, got another" in wrong
    arena(place, *OF_PLAN, "kept", "--shard", "1/9", "-o", "x", "--secret-file", "text", "-q")
    assert records(place / "x")
    assert json.loads((place / "x" / "run.json").read_bytes())["epochs"][0]["seed"] is None


def test_a_secret_from_a_pipe(place: Path) -> None:
    """A secret may come from a pipe, which can be read only once: it is the secret of every game of the run."""
    into, out = os.pipe()
    os.write(out, b"a text of ours\n")
    os.close(out)
    words = ("run", MINE, SLIP, "-g", "lure", "-g", "dockfight", "--seats", "2", "-n", "2", "-o", "both", "-q")
    arena(place, *words, "--secret-file", f"/proc/{os.getpid()}/fd/{into}")
    os.close(into)
    runs = [json.loads((place / "both" / game / "run.json").read_bytes()) for game in ("lure", "dockfight")]
    assert [run["epochs"][0]["seed"] for run in runs] == ["a text of ours"] * 2


def test_a_beacon(place: Path) -> None:
    """A plan that announces a beacon is played with it alone; other beacons give other deals; the proof needs both."""
    words = ("run", MINE, SLIP, *GAME, "-n", "4", "--seats", "2", "--seed", "of a plan")
    arena(place, *words, "--dry-run", "-o", "p", "--beacon", "the lottery of Friday", "-q")
    wrong = refusal(place, *OF_PLAN, "p", "-o", "x")
    assert "expected --beacon with what the plan awaits (the lottery of Friday), got none" in wrong
    assert refusal(place, *OF_PLAN, "p", "-o", "x", "--beacon", "") == "--beacon: expected a text, got none"
    for beacon in ("1 2 3", "4 5 6"):
        arena(place, *OF_PLAN, "p", "-o", beacon[0], "--beacon", beacon, "-q")
        arena(place, "verify", beacon[0])
    assert export(place, "1") != export(place, "4")
    wrong = refusal(place, *OF_PLAN, "p", "-o", "1", "--beacon", "4 5 6")
    assert "epoch 0, beacon: expected '1 2 3', got '4 5 6'" in wrong
    told = json.loads((place / "1" / "run.json").read_bytes())["epochs"][0]
    assert (told["beacon"], told["awaits"]) == ("1 2 3", "the lottery of Friday")
    key = sha256(b"arena secret 1\0" + told["seed"].encode()).digest()
    assert told["commitment"] == sha256(b"arena commitment 1\0" + key).hexdigest()
    planned = json.loads((place / "p" / "run.json").read_bytes())["epochs"][0]
    assert planned["commitment"] == told["commitment"]
    wrong = refusal(place, *OF_PLAN, "plan", "-o", "x", "--beacon", "late")
    assert "expected no --beacon, because the plan did not announce one" in wrong
    assert not (place / "x").exists()
    change(place / "1", 0, lambda match: match.update(bots=match["bots"][::-1]))
    arena(place, "verify", "1", code=1)


# --- parts from somebody else

FAULT = {"seat": 0, "kind": "late", "rule": "", "decision": 0, "hint": "", "line": ""}


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a plan and its two shards, played. Nobody changes it."""
    place = tmp_path_factory.mktemp("played")
    arena(place, "run", "greedy", "random", *GAME, "--seats", "2", "-n", "16", "-q", "--dry-run", "-o", "plan")
    for number in ("1", "2"):
        arena(place, "run", "--plan", "plan", "--shard", f"{number}/2", "-o", number, "-q")
    return place


@pytest.fixture
def halves(played: Path, tmp_path: Path) -> Path:
    """A copy of that folder."""
    return Path(shutil.copytree(played, tmp_path / "parts"))


def test_faults_forged_for_a_match_of_another_part(halves: Path) -> None:
    """Who plays one shard cannot blame a bot for a match of another: it is not of that part, or it contradicts."""
    theirs: dict[str, Any] = dict(records(halves / "1")[0])
    theirs["faults"] = [FAULT]
    forge(halves / "2", [*records(halves / "2"), theirs])
    said = refusal(halves, "merge", "plan", "1", "2", "-o", "x", code=4)
    assert said == f"2: expected a match of shard 2/2, got {theirs['id']}"
    # without the plan nobody knows which match is whose
    said = refusal(halves, "merge", "1", "2", "-o", "x", code=4)
    bot = theirs["bots"][0]
    assert f"match {theirs['id']}: expected the same match in all parts, got faults " in said
    assert f"late of {bot} at decision 0" in said
    assert not (halves / "x").exists()


@pytest.mark.parametrize(
    "match", ["e0b99999999r0", "e7b0r0", "e0b0r7", "e0b123456789012345678901234567890r0", "nonsense"]
)
def test_an_id_that_no_match_has(halves: Path, match: str) -> None:
    """An id outside of the schedule is refused before anything is held in memory for it, with the plan or without."""
    change(halves / "2", 0, lambda record: record.update(id=match))
    for runs in (("plan", "1", "2"), ("1", "2")):
        said = refusal(halves, "merge", *runs, "-o", "x", code=4)
        assert said.startswith("2: expected a match of shard 2/2, got ") or "is no match id such as" in said


@pytest.mark.parametrize("shard", ["x", "3/2", "1/0", "0/0", "-1/2"])
def test_a_part_that_is_none(halves: Path, shard: str) -> None:
    """A manifest whose part or whose bots have names that none can have is refused in words."""
    path = halves / "2" / "run.json"
    text = path.read_text()
    path.write_text(text.replace('"2/2"', f'"{shard}"'))
    assert refusal(halves, "merge", "1", "2", "-o", "x", code=4).startswith("2/run.json: shard: expected I/N")
    path.write_text(text.replace('"name": "greedy"', '"name": "../greedy"'))
    assert refusal(halves, "merge", "1", "2", "-o", "x", code=4).endswith("expected a name of a bot, got '../greedy'")


def _without(name: str) -> Callable[[Path], object]:
    return lambda part: (part / name).unlink()


def _half(name: str) -> Callable[[Path], object]:
    def halve(part: Path) -> None:
        data = (part / name).read_bytes()
        (part / name).write_bytes(data[: len(data) // 2])

    return halve


def _gap(part: Path) -> None:
    """A gap in the first record, however long that is."""
    data = (part / "matches.jsonl").read_bytes()
    third = data.index(b"\n") // 3
    (part / "matches.jsonl").write_bytes(data[:third] + data[2 * third :])


def _bare(part: Path) -> None:
    shutil.rmtree(part)
    part.mkdir()


TORN: dict[str, tuple[Callable[[Path], object], str]] = {
    "a gap in the journal": (_gap, "1/matches.jsonl: expected record 0 at byte 0, got a damaged line with a good one"),
    "no manifest": (_without("run.json"), "1: expected a run.json beside matches.jsonl, got none"),
    "half a manifest": (_half("run.json"), "1/run.json: expected a run manifest, got something else"),
    "an empty folder": (_bare, "1: expected a run folder with a run.json, got none"),
}
"""What may have become of a part on its way, and what is then said of it."""


@pytest.mark.parametrize("how", TORN)
def test_a_torn_part(halves: Path, how: str) -> None:
    """A damaged part is named and nothing is written; with --keep-going it alone is left out, and that is said."""
    tear, why = TORN[how]
    tear(halves / "1")
    refused = arena(halves, "merge", "plan", "1", "2", "-o", "x", code=2 if how == "an empty folder" else 4)
    assert refused.err.startswith(f"arena: {why}")
    assert refused.out == ""
    assert not (halves / "x").exists()
    said = arena(halves, "merge", "plan", "1", "2", "-o", "x", "--keep-going")
    assert said.err.startswith(f"arena: left out: {why}")
    assert said.err.endswith("arena: x: 8 of 16 matches\n")
    kept = [
        [{**match, "seq": 0, "crc": ""} for match in sorted(records(halves / run), key=lambda match: match["id"])]
        for run in ("x", "2")
    ]
    assert kept[0] == kept[1]
    assert {match["id"].partition("r")[0] for match in kept[0]} == {f"e0b{number}" for number in (2, 3, 6, 7)}
    quiet = arena(halves, "merge", "plan", "1", "2", "-o", "z", "--keep-going", "-q")
    assert quiet.err == said.err.splitlines(keepends=True)[0]
    # the plan has the secret, or all that was played before: it is never left out
    assert refusal(halves, "merge", "1", "2", "-o", "y", "--keep-going", code=refused.code).startswith(why)
    assert "nowhere" in refusal(halves, "merge", "plan", "nowhere", "-o", "y", "--keep-going")


def test_an_older_copy_of_a_part(halves: Path) -> None:
    """A part that ends in the middle of a match lacks the rest; given beside its whole copy, and twice, it is whole."""
    shutil.copytree(halves / "1", halves / "older")
    _half("matches.jsonl")(halves / "older")
    whole = arena(halves, "merge", "plan", "1", "2", "-o", "whole")
    again = arena(halves, "merge", "plan", "older", "1", "older", "1", "2", "-o", "again")
    assert again.out.replace("\nagain: ", "\nwhole: ") == whole.out
    assert (halves / "again/matches.jsonl").read_bytes() == (halves / "whole/matches.jsonl").read_bytes()
    kept = (halves / "older/matches.jsonl").read_bytes().count(b"\n")
    said = arena(halves, "merge", "plan", "older", "2", "-o", "less")
    assert said.err == f"arena: less: {8 + kept} of 16 matches\n"


def test_a_part_of_two_games_of_which_one_is_torn(tmp_path: Path) -> None:
    """Only the run that is damaged is left out; a journal without a manifest is damaged, and not overlooked."""
    words = ("run", "greedy", "random", "-g", "dockfight", "-g", "lure", "--seats", "2", "-n", "4", "-q")
    arena(tmp_path, *words, "--dry-run", "-o", "plan")
    arena(tmp_path, "run", "--plan", "plan", "-o", "1", "-q")
    (tmp_path / "1/lure/run.json").unlink()
    why = "1/lure: expected a run.json beside matches.jsonl, got none"
    assert refusal(tmp_path, "merge", "plan", "1", "-o", "x", code=4) == why
    said = arena(tmp_path, "merge", "plan", "1", "-o", "x", "--keep-going")
    assert said.err == f"arena: left out: {why}\narena: x/dockfight: all four matches\narena: x/lure: 0 of 4 matches\n"
