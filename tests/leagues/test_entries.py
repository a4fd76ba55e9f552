"""Who plays: a change that is broken or late stops nobody else, and never removes the bot that it belongs to."""

import json
import os
import shutil
import subprocess
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from arena.errors import BotError
from arena.leagues.league import end_of
from arena.leagues.repository import Repository, find_repository
from arena.leagues.roster import Roster, Version, bracket, choose, end_of_entries
from arena.page import describe_moment
from arena.players import find_bot_shelf
from arena.tournament import LeagueSettings
from tests.cli.command import BOTS, OPEN, arena, bot_folder, inside, records, refusal, unfinish
from tests.leagues.test_season import RUN, SETTINGS, enter, season, shown

DAY = datetime(2026, 1, 31, tzinfo=UTC)

UNFIT = {
    "badly": 'name = "badly\n',
    "odd": 'name = "odd"\ncommand = ["x"]\ncolour = "red"\n',
    "idle": 'name = "idle"\n',
    "large": f'name = "large"\ncommand = ["x"]\n#{"x" * (1 << 20)}\n',
}


@pytest.mark.long
def test_one_bad_file_stops_no_plan(league: Path) -> None:
    """A bot file that cannot be read is left out of the playing of a plan, unless the plan needs it: that is told."""
    enter(league, "other")
    for name, text in UNFIT.items():
        enter(league, name)
        (league / "bots" / name / "bot.toml").write_text(text)
    (league / "bots/linked").mkdir()
    (league / "bots/linked/bot.toml").symlink_to("../mine/bot.toml")
    (plan,) = json.loads(arena(league, "season", "--plan-only", "--json").out)
    words = ("run", "--plan", "results", "--shard", "1/1", "--keep-going", "--out", "part")
    said = arena(league, *words)
    assert len(records(league / "part/dockfight")) == plan["matches"] > 0
    assert said.err.count("left out: ") == len(UNFIT) + 1
    for name in (*UNFIT, "linked"):
        assert f"left out: bots/{name}/bot.toml: " in said.err
    shutil.rmtree(league / "entries")
    (league / "bots/other/bot.toml").write_text('name = "other"\n')
    wrong = refusal(league, *words[:-1], "again", "-q")
    assert wrong.startswith("results/dockfight: expected all BOTs of the plan that do not ship with arena")
    assert wrong.endswith(
        './bots/other; bots/other/bot.toml: command: expected a value, got none; write command = ["python3", "mine.py"]'
    )


def at(hour: float) -> datetime:
    """A moment of the day."""
    return DAY + timedelta(hours=hour)


@pytest.mark.parametrize(
    ("versions", "ends", "plays", "why"),
    [
        ([(9, "a")], None, "a", ""),
        ([(9, "a"), (8, "b")], 18, "a", ""),
        # at the very end is in time, and a second later is not
        ([(18, "a"), (8, "b")], 18, "a", ""),
        ([(18.001, "a"), (8, "b")], 18, "b", "late another"),
        ([(20, "a"), (19, "b"), (17.99, "c"), (8, "d")], 18, "c", "late another"),
        ([(20, "a")], 18, None, "late new"),
        ([], 18, None, ""),
        # what cannot be read, and what could not start, is passed over, and the newest says why
        ([(9, "?"), (8, "b")], None, "b", "?"),
        ([(9, "x"), (8, "?"), (7, "c")], 18, "c", "x is broken"),
        ([(20, "?"), (9, "x"), (7, "c")], 18, "c", "late another"),
        ([(9, "x"), (8, "?")], None, None, "x is broken"),
        ([(20, "?"), (9, "x")], 18, None, "late new"),
    ],
)
def test_which_version_plays(
    versions: list[tuple[float, str]], ends: float | None, plays: str | None, why: str
) -> None:
    """The newest version in time that can be read and was not found broken plays, and the reason is the newest's."""

    def read(version: Version) -> str:
        if version.commit == "?":
            raise BotError("?")
        assert ends is None or version.entered <= at(ends), "a late version is not read"
        return version.commit

    words = {"another": "the bot as it was entered, got another", "new": "no new bot, got one"}
    if why.startswith("late "):
        why = f"entries ended at 2026-01-31 18:00 UTC: expected {words[why.split()[1]]}"
    end = None if ends is None else at(ends)
    chosen, reason = choose(
        [Version(entered=at(hour), commit=name) for hour, name in versions],
        until=end, ends=end, broken={"x": "x is broken"}, read=read,
    )  # fmt: skip
    assert (chosen and chosen.content, reason) == (plays, why)


@pytest.mark.parametrize(
    ("dated", "seen", "decided", "entered"),
    [
        (9, False, None, 9),
        # in the future is now
        (99, False, None, 20),
        (99, False, 12, 20),
        # what the last decision did not know came after it, whatever its date, and what it knew came before
        (9, False, 12, 12),
        (13, False, 12, 13),
        (9, True, 12, 9),
        (99, True, 12, 12),
    ],
)
def test_when_a_commit_has_entered(dated: float, seen: bool, decided: float | None, entered: float) -> None:
    """A forged date brings a commit no further back than the last decision, and no further on than now."""
    before = None if decided is None else at(decided)
    assert bracket(at(dated), seen=seen, decided=before, now=at(20)) == at(entered)


def test_which_end_counts() -> None:
    """An end that is set when it is over leaves in who played already; what counted once counts on."""
    old = Roster(moment=at(12), until=at(9), ends=at(10))
    assert end_of_entries(None, old, begun=at(1)) is None
    assert end_of_entries(at(9), old, begun=at(1)) == at(10)
    assert end_of_entries(at(8), old, begun=at(1)) == at(12)
    assert end_of_entries(at(18), old, begun=at(1)) == at(18)
    assert end_of_entries(at(8), None, begun=at(7)) == at(8)
    assert end_of_entries(at(8), None, begun=at(9)) == at(9)


def git(folder: Path, *words: str | Path, when: datetime = DAY, data: bytes | None = None) -> str:
    """Run git in a folder as nobody in particular, at this time."""
    env = {"PATH": os.environ["PATH"], "HOME": str(folder), "GIT_CONFIG_NOSYSTEM": "1"}
    for role in ("AUTHOR", "COMMITTER"):
        env |= {f"GIT_{role}_NAME": "a", f"GIT_{role}_EMAIL": "a@b", f"GIT_{role}_DATE": f"{when:%Y-%m-%dT%H:%M:%SZ}"}
    command = ["git", *words]
    return (
        subprocess.run(command, cwd=folder, env=env, check=True, capture_output=True, input=data)
        .stdout.decode()
        .strip()
    )


def push(league: Path, hour: float) -> str:
    """Commit all that a league holds at an hour of the day; its id."""
    git(league, "add", "--all")
    git(league, "commit", "-q", "-m", "a change", when=at(hour))
    return git(league, "rev-parse", "HEAD")


def repository_in(folder: Path) -> Repository:
    """The repository that a folder is in, which must answer."""
    found = find_repository(folder, pytest.fail)
    assert found is not None
    return found


def test_versions_of_a_repository(tmp_path: Path) -> None:
    """A bot's versions are the commits of the main line that changed it: a merge counts, and not what was merged."""
    assert find_repository(tmp_path, pytest.fail) is None
    git(tmp_path, "init", "-q", "--initial-branch=main")
    league = tmp_path / "deep" / "league"
    bot_folder(league / "bots/pike", name="pike")
    first = push(tmp_path, 1)
    git(tmp_path, "checkout", "-q", "-b", "theirs")
    (league / "bots/pike/bot.py").write_text("# theirs\n")
    push(tmp_path, 2)
    git(tmp_path, "checkout", "-q", "main")
    bot_folder(league / "bots/perch", name="perch")
    perch = push(tmp_path, 3)
    git(tmp_path, "merge", "-q", "--no-ff", "-m", "merged", "theirs", when=at(4))
    merged = git(tmp_path, "rev-parse", "HEAD")
    (league / "bots/perch/bot.py").write_text("# forged\n")
    forged = push(tmp_path, -50)
    (league / "bots/pike/more").write_text("not committed")
    found = repository_in(league)
    assert found.list_versions("bots/pike") == [merged, first]
    assert found.list_versions("bots/perch") == [forged, perch]
    assert [found.times[commit] for commit in (first, perch, merged, forged)] == [at(1), at(3), at(4), at(4)]
    assert found.list_changed() == ["bots/pike/more"]
    assert found.precedes(first, other=merged)
    assert not found.precedes(merged, other=first)
    assert not found.precedes(merged, other="")
    found.take(first, name="bots/pike", to=tmp_path / "taken")
    assert {path.name: path.read_text() for path in (tmp_path / "taken").iterdir()} == {
        "bot.py": BOTS["mine.py"],
        "bot.toml": git(tmp_path, "show", f"{first}:deep/league/bots/pike/bot.toml") + "\n\n",
    }


@pytest.mark.parametrize("name", ["..", ".git", ".GIT", "."])
def test_a_tree_that_leads_out(tmp_path: Path, name: str) -> None:
    """Whatever names a tree holds, nothing is written outside of the folder, through a link, or by a filter."""
    git(tmp_path, "init", "-q", "--initial-branch=main")
    git(tmp_path, "config", "filter.evil.smudge", f"touch {tmp_path}/ran")
    blob = git(tmp_path, "hash-object", "-w", "--stdin", data=b"evil")
    rules = git(tmp_path, "hash-object", "-w", "--stdin", data=b"* filter=evil export-ignore")
    link = git(tmp_path, "hash-object", "-w", "--stdin", data=str(tmp_path).encode())

    def tree(*rows: tuple[str, str, str]) -> str:
        data = b"".join(f"{mode} {path}\0".encode() + bytes.fromhex(of) for mode, path, of in rows)
        return git(tmp_path, "hash-object", "-t", "tree", "-w", "--literally", "--stdin", data=data)

    def commit(inner: str) -> str:
        bots = tree(("40000", "bots", tree(("40000", "pike", inner))))
        made = git(tmp_path, "commit-tree", "-m", "evil", bots)
        git(tmp_path, "update-ref", "refs/heads/main", made)
        return made

    away = tmp_path / "away"
    out = commit(tree(("40000", name, tree(("100644", "evil", blob)))))
    with pytest.raises(BotError, match="expected names that a folder may hold"):
        repository_in(tmp_path).take(out, name="bots/pike", to=away)
    through = commit(tree(("120000", "a", link), ("40000", "a", tree(("100644", "evil", blob)))))
    with pytest.raises((BotError, OSError)):
        repository_in(tmp_path).take(through, name="bots/pike", to=away)
    sound = commit(tree(("100644", ".gitattributes", rules), ("100755", "b", blob), ("120000", "c", link)))
    repository_in(tmp_path).take(sound, name="bots/pike", to=tmp_path / "sound")
    assert (tmp_path / "sound/b").read_bytes() == b"evil"
    assert (tmp_path / "sound/b").stat().st_mode & 0o111
    assert (tmp_path / "sound/c").is_symlink()
    assert not (tmp_path / "evil").exists()
    assert not (tmp_path / "ran").exists()


Plan = Callable[..., dict[str, Any]]


@pytest.fixture
def plan(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Plan:
    """Plans a season of the league in ``league`` by a clock that stands at an hour: its roster, by bot."""
    monkeypatch.setenv("ARENA_ISOLATION", "none")
    monkeypatch.setenv("ARENA_LANES", "1")

    def planned(hour: float, *words: str) -> dict[str, Any]:
        monkeypatch.setattr("arena.leagues.league.clock", lambda: at(hour))
        assert (
            inside(monkeypatch, tmp_path / "league", "season", "--plan-only", "-q", "--give-up", "--trust", *words) == 0
        )
        told = json.loads((tmp_path / "league/roster.json").read_bytes())
        return {entry["bot"]: entry for entry in told["bots"]}

    return planned


@pytest.mark.long
def test_a_deadline_holds(tmp_path: Path, plan: Plan) -> None:
    """Who has pushed by the end is in whenever the season runs; later changes play nowhere, whatever a clock says."""
    league = tmp_path / "league"
    names = ("ada", "bob", "cyd")
    for name in names:
        enter(league, name)
    (league / "arena.toml").write_text(f'{SETTINGS}[entries]\nuntil = "2026-01-31T18:00:00+00:00"\n')
    (league / ".gitignore").write_text("/results/\n/roster.json\n/entries/\n")
    git(league, "init", "-q")
    push(league, 1)
    assert {name: entry["plays"]["entered"] for name, entry in plan(2).items()} == dict.fromkeys(
        names, "2026-01-31T01:00:00Z"
    )
    for name in names:
        enter(league, name, more="# on the last day\n")
    push(league, 18 - 21 / 3600)
    # one second late, new and changed
    enter(league, "ada", more="# late\n")
    enter(league, "dan")
    push(league, 18 + 1 / 3600)
    entries = plan(18 + 2 / 3600)
    assert {name: entry.get("plays", {}).get("entered") for name, entry in entries.items()} == {
        **dict.fromkeys(names, "2026-01-31T17:59:39Z"),
        "dan": None,
    }
    assert {name: entry["why"].partition(": ")[2] for name, entry in entries.items() if "why" in entry} == {
        "ada": "expected the bot as it was entered, got another",
        "dan": "expected no new bot, got one",
    }
    (kept,) = (league / "entries").glob("*/*/bot.py")
    assert kept.read_text().endswith("# on the last day\n")
    # a forged date, a clock that was set back, a file that is not committed: the same bots play
    before = (league / "roster.json").read_bytes()
    for change in (lambda: push(league, 3), bool):
        enter(league, "bob", more="# forged\n")
        change()
        late = plan(4)["bob"]
        assert (late["plays"]["entered"], "why" in late) == ("2026-01-31T17:59:39Z", True)
    git(league, "reset", "-q", "--hard", "HEAD^")
    plan(4)
    assert json.loads((league / "roster.json").read_bytes())["bots"] == json.loads(before)["bots"]
    # the parts are played by the versions of the plan
    arena(league, "run", "--plan", "results", "--shard", "1/1", "--keep-going", "-o", "part", "-q")
    assert {"ada@2", "bob@2", "cyd@2"} <= {bot for match in records(league / "part/dockfight") for bot in match["bots"]}


@pytest.mark.long
def test_a_broken_change_removes_nobody(league: Path) -> None:
    """A version that cannot be read or started leaves the last good one in the table, marked, until it is mended."""
    enter(league, "other")
    season(league)
    journal = records(league / RUN)
    enter(league, "mine", "crash.py")
    (league / "bots/other/bot.toml").unlink()
    told = season(league)
    assert shown(told) == {"mine", "other", "random", "greedy"}
    why = {one["bot"]: one["why"] for one in told["probation"]}
    assert why["mine"].startswith("after hello: expected a line, got the end of output: it exited with status 1; ")
    assert why["other"].startswith("bots/other: expected a folder with a bot.toml, got none")
    assert all(text.endswith(" UTC plays on") for text in why.values())
    assert "An earlier version plays of " in (league / "leaderboard.md").read_text()
    assert json.loads((league / "badges/mine.json").read_bytes())["message"] != "on probation"
    assert records(league / RUN) == journal
    # it is not tried again before it changes, and the same season writes the same bytes
    before = (league / "roster.json").read_bytes()
    said = arena(league, "season").err
    assert "cannot start" not in said
    assert (league / "roster.json").read_bytes() == before
    assert "cannot start" in arena(league, "season", "--retry", "mine").err
    # what was kept is used only as it was kept
    (kept,) = (league / "entries").glob("*/other/bot.py")
    kept.write_text("raise SystemExit(1)\n")
    assert shown(season(league)) == {"mine", "random", "greedy"}
    enter(league, "mine", more="# mended\n")
    shutil.rmtree(league / "bots/other")
    told = season(league)
    assert (shown(told), told["probation"]) == ({"mine@2", "random", "greedy"}, [])
    assert [path.name for path in (league / "entries").glob("*/*")] == ["mine"] * 2


@pytest.mark.parametrize(
    ("settings", "told"),
    [
        ({}, ""),
        ({"entries_until": "2027-01-31"}, "2027-02-01 00:00 UTC"),
        ({"entries_until": "2027-01-31T19:00:00+01:00"}, "2027-01-31 18:00 UTC (19:00 +01:00)"),
        # the final comes first
        ({"entries_until": "2027-01-31T19:00:00+01:00", "final_date": "2027-01-30"}, "2027-01-31 00:00 UTC"),
    ],
)
def test_an_end_in_words(settings: dict[str, str], told: str) -> None:
    """The end of entries is told in UTC and, if the host has named another zone, in that one."""
    end = end_of(LeagueSettings(**settings))  # type: ignore[arg-type]
    assert ("" if end is None else describe_moment(end)) == told


@pytest.mark.long
def test_an_anchor_outlives_an_upgrade(
    league: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Where a new version of arena ships another anchor, a run goes on with the one that it began with, by content."""
    (league / "arena.toml").write_text(SETTINGS.replace('"greedy"]', '"greedy", "g2=greedy"]'))
    arena(league, "season", "-q")
    unfinish(league / RUN, len(records(league / RUN)) - 1)
    for name, value in OPEN.items():
        monkeypatch.setenv(name, value)
    shelf = Path(shutil.copytree(find_bot_shelf(), tmp_path / "shelf"))
    monkeypatch.setattr("arena.players.entrants.find_bot_shelf", lambda: shelf)
    with (shelf / "greedy/bot.py").open("a") as file:
        file.write("# of the next version\n")
    # what was begun is finished, and a part of what is new is played elsewhere
    assert inside(monkeypatch, league, "season", "-q") == 0
    enter(league, "other")
    assert inside(monkeypatch, league, "season", "--plan-only", "-q") == 0
    words = ("run", "--plan", "results", "--shard", "1/1", "--keep-going", "--out", "part", "-q")
    assert inside(monkeypatch, league, *words) == 0
    played = [
        {bot for match in records(run) for bot in match["bots"]} for run in (league / RUN, league / "part/dockfight")
    ]
    assert played[0] == {"mine", "random", "greedy", "g2"}
    assert "other" in played[1] < {*played[0], "other"}
    # a season whose anchors were not kept is given up by one answer, and the next has those of now
    shutil.rmtree(league / "anchors")
    capsys.readouterr()
    assert inside(monkeypatch, league, "season", "-q") == 2
    cure = "finish it with the arena that began it, or give the rest of it up with `arena season --give-up`"
    assert cure in capsys.readouterr().err
    assert inside(monkeypatch, league, "season", "-q", "--give-up") == 0
    assert {"greedy@2", "g2@2"} <= {bot for match in records(league / RUN) for bot in match["bots"]}
