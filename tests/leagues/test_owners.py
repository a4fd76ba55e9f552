"""Whose bot it is: `owners.toml` says it, and the files of bots do not."""

import json
import tomllib
from importlib import metadata
from pathlib import Path
from types import SimpleNamespace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arena import games
from arena.leagues import new as leagues
from arena.leagues.owners import Owners, entry, line_for, owners_in
from tests.cli.command import inside, refusal
from tests.leagues.test_forecast import owned
from tests.leagues.test_season import enter, forecast, rule, season, shown


def test_whose_bot_it_is() -> None:
    """Of a bot with a line only its accounts may change it; a new one is its first's; one without a line, nobody's."""
    names = {"mine"}
    told = "the league has no owners.toml: any account may change any bot"
    assert entry(None, "mine", account="mallory", names=names) == (told, True)
    owners = Owners({"gone": ("Anna", "ben")})
    for account, bot, allowed, told in (
        ("anna", "gone", True, "gone belongs to Anna and ben"),
        ("BEN", "Gone", True, "Gone belongs to Anna and ben"),
        ("mallory", "gone", False, "expected a change of gone by Anna or ben, whose bot it is, got one by mallory"),
        ("eve", "pike", True, 'pike is new: whoever merges it adds to owners.toml: pike = "eve"'),
        ("eve", "p.1", True, 'p.1 is new: whoever merges it adds to owners.toml: "p.1" = "eve"'),
        (
            "eve",
            "MINE",
            False,
            "expected a line for MINE in owners.toml before anybody but a maintainer changes it, got none",
        ),
    ):
        assert entry(owners, bot, account=account, names=names) == (told, allowed)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("pike = 5\n", "owners.toml: pike: expected an account or a list of accounts, got 5"),
        ("pike = []\n", "owners.toml: pike: expected an account or a list of accounts, got []"),
        ('pike = ["a", " "]\n', "owners.toml: pike: expected an account or a list of accounts, got ['a', ' ']"),
        ("[pike]\na = 1\n", "owners.toml: pike: expected an account or a list of accounts, got {'a': 1}"),
        ('a = "x"\nA = "y"\n', "owners.toml: A: expected one line for each bot, got two that differ in case alone"),
        ("=", "owners.toml: line 1: expected TOML, got something else"),
    ],
)
def test_a_file_that_is_not_right(league: Path, text: str, why: str) -> None:
    """A mistake in the file is named with the bot, and stops the season: nobody becomes an owner by a typing error."""
    (league / "owners.toml").write_text(text)
    assert refusal(league, "season", "--tables-only", "-q").startswith(why)


@settings(deadline=None)
@given(st.from_regex(r"[A-Za-z0-9._-]{1,64}", fullmatch=True), st.text(min_size=1, max_size=39).filter(str.strip))
def test_the_line_is_read_as_it_was_meant(tmp_path_factory: pytest.TempPathFactory, bot: str, account: str) -> None:
    """Whatever a bot and an account are called, the line that is to be recorded binds the one to the other."""
    folder = tmp_path_factory.mktemp("owners")
    (folder / "owners.toml").write_text(line_for(bot, accounts=[account]) + "\n", encoding="utf-8")
    assert owners_in(folder) == Owners({bot: (account,)})


def test_a_new_bot_names_its_owner(
    league: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    """`arena new bot` in a league writes who enters it, as git knows it or as is said; elsewhere only what is said."""
    for name, value in {"COUNT": "1", "KEY_0": "user.name", "VALUE_0": 'Anna "A" B'}.items():
        monkeypatch.setenv(f"GIT_CONFIG_{name}", value)
    for place, words, owner in (
        (league / "bots", (), 'Anna "A" B'),
        (league / "bots", ("--owner", "ben"), "ben"),
        (league / "bots", ("--from", "greedy", "-g", "dockfight"), 'Anna "A" B'),
        (tmp_path / "elsewhere", (), None),
        (tmp_path / "elsewhere", ("--owner", "ben"), "ben"),
    ):
        folder = place / f"bot-{len(words)}-{words[:1] == ('--from',)}"
        assert inside(monkeypatch, tmp_path, "new", "bot", str(folder), *words) == 0
        bot = tomllib.loads((folder / "bot.toml").read_text("utf-8"))
        assert bot.get("owner") == owner
    capfd.readouterr()


@pytest.mark.parametrize(
    ("told", "source"),
    [
        ('{"url": "https://github.com/o/arena.git", "vcs_info": {"vcs": "git", "commit_id": "%s"}}', "o/arena@{}"),
        ('{"url": "https://github.com/o/a.b", "vcs_info": {"vcs": "git", "commit_id": "%s"}}', "o/a.b@{}"),
        ('{"url": "file:///home/me/arena", "dir_info": {}}', None),
        ('{"url": "https://example.org/o/arena", "vcs_info": {"commit_id": "%s"}}', None),
        (None, None),
        ("nothing", None),
    ],
)
def test_workflows_run_the_arena_that_wrote_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, told: str | None, source: str | None
) -> None:
    """A league runs the commit that arena was installed from, where that is known, named in one place alone."""
    commit = "c" * 40
    text = told and told.replace("%s", commit)
    monkeypatch.setattr(metadata, "distribution", lambda _: SimpleNamespace(read_text=lambda _: text))
    assert leagues.installed_from() == (source and source.format(commit))
    leagues.write(tmp_path / "new", [games.find("dockfight")], ci="github", source=leagues.installed_from())
    named = commit if source else "0" * 40
    files = [path for path in (tmp_path / "new").rglob("*.yml") if named in path.read_text("utf-8")]
    assert files == [tmp_path / "new" / ".github" / "actions" / "arena" / "action.yml"]
    assert f"uses: {(source or 'OWNER/arena@{}').format(named)} #" in files[0].read_text()


@pytest.mark.long
def test_owners_count_and_stand_in_tables_and_history(league: Path) -> None:
    """`per-owner` counts accounts, teams for each member; tables and history name them, and a hand-over is news."""
    for name, owner in (("b", "Ada"), ("c", "somebody else"), ("d", "a third")):
        owned(league, name, owner)
    enter(league, "x")
    (league / "bots" / "x").rename(league / "bots" / "y")
    (league / "owners.toml").write_text('mine = "bo"\nb = "ada"\nc = ["Ada", "cy"]\nd = "cy"\n')
    rule(league, "per-owner = 1")
    told = season(league)
    assert shown(told) == {"mine", "b", "d", "random", "greedy"}
    assert {out["bot"]: out["why"] for out in told["probation"]} == {
        "c": "expected at most 1 bot of 'Ada', got more",
        "y": "expected the name of its folder, because the league has an owners.toml, got ...",
    }
    assert told["games"]["dockfight"]["owners"] == {"b": "ada", "d": "cy", "mine": "bo"}
    (league / "owners.toml").write_text('mine = "bo"\nb = ["ada", "eve"]\nd = "cy"\n')
    season(league)
    entries = [json.loads(line) for line in (league / "history.jsonl").read_bytes().splitlines()]
    owners = [
        {one["bot"]: one.get("owner", "") for one in entry["games"]["dockfight"]["entrants"]} for entry in entries
    ]
    assert [of.get("b", "") for of in owners] == ["", "ada", "ada, eve"]
    assert "Handed over: b (ada to ada, eve)." in (league / "site" / "index.html").read_text()
    assert "entered by ada, eve" in (league / "site" / "bots" / "b.html").read_text()


@pytest.mark.long
def test_a_broken_bot_takes_no_place(league: Path) -> None:
    """A bot that could not start leaves its owner's place to another from the next season on, until it has changed."""
    enter(league, "a", "crash.py")
    enter(league, "b")
    (league / "owners.toml").write_text('mine = "bo"\na = "ada"\nb = "ada"\n')
    rule(league, "per-owner = 1")
    assert shown(season(league)) == {"mine", "random", "greedy"}
    assert [out["bot"] for out in forecast(league)["probation"]] == ["a"]
    assert shown(season(league)) == {"mine", "b", "random", "greedy"}
    enter(league, "a")
    assert {out["bot"]: out["why"] for out in forecast(league)["probation"]} == {
        "a": "expected at most 1 bot of 'ada', got more"
    }
