"""The data of a person can be removed from a league: names and words go, matches, ratings and links stay."""

import base64
import gzip
import json
import re
import shutil
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from arena.errors import UsageError
from arena.identity import Identity
from arena.leagues.placeholders import Removal, choose_placeholders, swap
from arena.tournament.journal import Journal
from tests.cli.command import BOTS, arena, bot_folder, records, refusal, started, unfinish
from tests.leagues.test_season import RUN, SETTINGS, enter, history, season
from tests.leagues.test_site import hang_together

SPEAKS = """
import sys
print("bycatch-stderr", file=sys.stderr, flush=True)
write = sys.stdout.write
sys.stdout.write = lambda text: write(text.replace('"picks": [', '"picks": "bycatch", "old": ['))
"""
WORDS = ("tench", "ada-l", "Ada King", "bycatch")
FILES = ("run.json", "matches.jsonl", "leaderboard.md")
KILLED = """
import os, sys
left, replace = int(sys.argv.pop(1)), os.replace
def replace_or_die(*words, **more):
    global left
    if left == 0:
        os.kill(os.getpid(), 9)
    left -= 1
    return replace(*words, **more)
os.replace = replace_or_die
from arena.cli import main
main()
"""
"""The command, killed when it puts a file in its place for the time that is its first word."""


def rows(table: dict[str, Any], names: dict[str, str]) -> dict[str, dict[str, Any]]:
    """What the table of the one game says of each bot, by its later name."""
    told = {}
    for row in (*table["leaderboard"], *table["house"]):
        bot, *version = row["bot"].partition("@")
        name = names.get(bot, bot) + "".join(version)
        told[name] = {key: value for key, value in row.items() if key not in {"bot", "language", "version", "command"}}
    return told


def traces(league: Path) -> list[str]:
    """The files that have a word of the person, in any case: in their bytes, in what they pack, or in their names."""
    found = []
    for path in league.rglob("*"):
        data = path.read_bytes() if path.is_file() else b""
        packed = re.findall(rb"<script[^>]*>([A-Za-z0-9+/=]{40,})</script>", data)
        whole = b"\n".join([str(path.relative_to(league)).encode(), data, *map(unpack, packed)]).lower()
        found += [f"{path}: {word}" for word in WORDS if word.lower().encode() in whole]
    return found


def unpack(text: bytes) -> bytes:
    """What a page packs for its scripts."""
    return gzip.decompress(base64.b64decode(text))


@pytest.mark.long
def test_no_trace_stays(league: Path) -> None:
    """Of an owner and the owner's bot no byte is left; counts, ratings, proofs and links stay, and seasons go on."""
    (league / "owners.toml").write_text('Tench = "ada-l"\npike = ["Ada-L", "bert"]\n')
    more = 'owner = "Ada King"\nversion = "bycatch"\nlanguage = "bycatch"\n'
    bot_folder(league / "bots/tench", SPEAKS + BOTS["mine.py"], name="tench", more=more)
    enter(league, "pike")
    season(league)
    enter(league, "pike", "slip.py")
    bot_folder(league / "bots/tench", SPEAKS + BOTS["slip.py"], name="tench", more=more)
    season(league)
    match = next(one["id"] for one in records(league / RUN) if "tench@2" in one["bots"])
    for name in (f"{RUN}/notes/tench@2.jsonl", f"{RUN}/matches.torn", "mirrors/tench.git/HEAD", "sources/tench/bot.py"):
        (league / name).parent.mkdir(parents=True, exist_ok=True)
        (league / name).write_text("bycatch")
    arena(league, "season", "-q", "--appeal", match, "--ruling", "stands", "--reason", "tench was heard")
    before = json.loads((league / "leaderboard.json").read_bytes())["games"]["dockfight"]
    past, played = history(league), records(league / RUN)
    assert len({word for word in WORDS if any(word in trace for trace in traces(league))}) == len(WORDS)

    told = arena(league, "season", "--forget", "ADA-L").out
    names = dict(re.findall(r"^(tench|ada-l|Ada-L) is now ([\w-]+\d)", told, re.MULTILINE))
    assert names.keys() >= {"tench", "ada-l"}
    assert "Still named" not in told
    assert "`git filter-repo --invert-paths --path bots/tench`" in told
    assert traces(league) == []
    after = json.loads((league / "leaderboard.json").read_bytes())["games"]["dockfight"]
    assert rows(after, {}) == rows(before, names)
    assert after["matches"] == before["matches"]
    assert "hold" in arena(league, "verify", RUN).out
    for old, new in zip(played, records(league / RUN), strict=True):
        kept = {key for key in old if key not in {"bots", "faults", "crc"}}
        assert {key: new[key] for key in kept} == {key: old[key] for key in kept}
        assert [fault["kind"] for fault in new.get("faults", ())] == [fault["kind"] for fault in old.get("faults", ())]
    assert [one["season"] for one in history(league)] == [one["season"] for one in past]
    hang_together(league / "site")
    assert (league / f"site/bots/{names['tench']}.html").is_file()
    assert (league / f"site/appeals/dockfight-{match}.html").is_file()
    again = {path: path.read_bytes() for path in league.rglob("*") if path.is_file()}
    assert arena(league, "season", "--forget", "ada-l").out == "Nothing in the league has the name 'ada-l'.\n"
    assert {path: path.read_bytes() for path in league.rglob("*") if path.is_file()} == again

    enter(league, "perch")
    later = season(league)["games"]["dockfight"]
    assert later["matches"] > after["matches"]
    assert {"perch", "pike@2"} <= rows(later, {}).keys()
    assert traces(league) == []
    assert "hold" in arena(league, "verify", RUN).out


@pytest.mark.long
def test_a_kill_is_finished_by_the_same_command(league: Path, tmp_path: Path) -> None:
    """Wherever a removal is killed, no season goes on, and the same command ends with the bytes of one not killed."""
    whole = Path(shutil.copytree(league, tmp_path / "whole" / league.name))
    arena(whole, "season", "--forget", "mine")
    for number in (1, 2, 3, 4, 7):
        line = (sys.executable, "-c", KILLED, str(number), "season", "--forget", "mine")
        assert started(league, *line, code=-signal.SIGKILL, stdout=subprocess.DEVNULL).err is not None
        assert "removal.json: expected no removal that was stopped, got one" in refusal(league, "season", "-q")
        assert "expected 'mine' first" in refusal(league, "season", "-q", "--forget", "greedy")
    arena(league, "season", "--forget", "mine")
    for path in whole.rglob("*"):
        if path.is_file():
            assert (league / path.relative_to(whole)).read_bytes() == path.read_bytes()
    assert len([*league.rglob("*")]) == len([*whole.rglob("*")])


@pytest.mark.long
def test_what_is_not_removed(league: Path) -> None:
    """Nothing is removed while matches are played, or are missing, nor of an anchor or of a name that two may mean."""
    before = {path: path.read_bytes() for path in league.rglob("*") if path.is_file()}
    with Journal.open(league / RUN / "matches.jsonl"):
        assert "another process holds" in arena(league, "season", "--forget", "mine", code=5).err
    assert "got the anchor 'greedy'" in refusal(league, "season", "-q", "--forget", "greedy")
    assert "did you mean 'mine'?" in arena(league, "season", "--forget", "mime").out
    (league / "owners.toml").write_text('mine = "ada"\nother = "mine"\n')
    assert "expected the name of one person, got one that is the bot of ada" in refusal(
        league, "season", "-q", "--forget", "mine"
    )
    (league / "owners.toml").unlink()
    (league / "arena.toml").write_text(SETTINGS.replace('["bots/*"]', '["bots/mine"]'))
    assert "bots: expected others than 'bots/mine'" in refusal(league, "season", "-q", "--forget", "mine")
    (league / "arena.toml").write_text(SETTINGS)
    assert {path: path.read_bytes() for path in league.rglob("*") if path.is_file()} == before
    unfinish(league / RUN, 3)
    assert "expected a finished season" in refusal(league, "season", "-q", "--forget", "mine")
    assert "mine is now h-withdrawn-1: its matches" in arena(league, "season", "--forget", "mine", "--give-up").out
    assert "hold" in arena(league, "verify", RUN).out


@pytest.mark.parametrize(
    ("fields", "bots", "versions"),
    [
        ([["random", "pike", "tench", "tench@2", "greedy"], ["tench", "zander"]], ["pike", "tench"], 1),
        ([["tench", "tench2", "tench@2", "tench_b"], ["a", "tench", "tench#2"]], ["tench"], 2),
        ([["mine"], ["mine", "mine@3"]], ["mine"], 1),
        ([["pike", "pike2", "pike@2"]], ["pike", "pike2"], 2),
    ],
)
def test_placeholders_sort_as_names_did(fields: list[list[str]], bots: list[str], versions: int) -> None:
    """A schedule is drawn by the order of names: each version of a bot stands where it stood in every run.

    Where no one name does that for all versions, each has one of its own.
    """
    chosen, owners = choose_placeholders(fields, bots=bots, owners=["ada"], used=["withdrawn-4"])
    assert owners == {"ada": "withdrawn-5"}
    assert len({name for name in chosen if Identity.of(name).bot == bots[0]}) == versions
    removal = Removal(name="", bots=chosen, owners={}, root="", folders=())
    for field in fields:
        places = [swap(chosen, name) for name in sorted(field)]
        assert places == sorted(places)
        assert len(set(places)) == len(field)
        assert [removal.find_name(place) if removal.forgets(place) else place for place in places] == sorted(field)
        assert [Identity.of(place).copy for place in places] == [Identity.of(name).copy for name in sorted(field)]
        assert not {*places}.intersection(bots)


def test_a_name_between_others() -> None:
    """Where no other name sorts as one does, that is told before anything changes."""
    with pytest.raises(UsageError, match="expected a name that sorts between the others where 'b-' does, got none"):
        choose_placeholders([["azzzz", "b", "b-", "b--", "-"], ["b--", "azzzzz", "b"]], bots=["b-"], owners=[], used=[])


def test_only_whole_names_are_replaced() -> None:
    """A name goes wherever it stands as a word, in any case; part of another's name is none."""
    removal = Removal(
        name="pike", bots={"pike": "withdrawn-1"}, owners={}, root="results", folders=(), others=("pike.v2", "my.pike")
    )
    said = "Pike (1 to 2), pike@2 and pike.py lead; pike.v2, my.pike, pikes and pike-b stay."
    left = "withdrawn-1 (1 to 2), withdrawn-1@2 and withdrawn-1.py lead; pike.v2, my.pike, pikes and pike-b stay."
    assert removal.rename(said) == left
    assert removal.find_names("<b>pike</b>")
    assert not removal.find_names(left)
