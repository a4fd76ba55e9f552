"""What the next season of a league would be, and who may enter it."""

import json
import shutil
from pathlib import Path

import pytest

from arena.leagues import forecast as forecasting
from tests.cli.command import arena, inside, records, refusal
from tests.leagues.test_season import RUN, SETTINGS, enter, forecast, rule, season, shown, stop


@pytest.mark.long
def test_a_forecast(league: Path) -> None:
    """`--dry-run` tells matches, time, who is new or changed and who would be on probation, and plays nothing."""
    enter(league, "mine", "crash.py")
    enter(league, "other")
    enter(league, "slip", more="# another\n")
    (league / "bots" / "slip" / "bot.toml").write_text("name = 5\n")
    told = forecast(league)
    assert (told["new"], told["at_least"]) == (["other"], False)
    assert told["matches"] > 0
    assert told["seconds"] > 0
    unfit = {each["bot"]: each for each in told["probation"]}
    assert {name: each["folder"] for name, each in unfit.items()} == {"mine": "bots/mine", "slip": "bots/slip"}
    assert unfit["mine"]["why"].startswith("boom: no model file (it exited with status 1)")
    assert "command: expected a value" in unfit["slip"]["why"]
    head, _, row, _, *notes = arena(league, "season", "--dry-run", "-q").out.splitlines()
    assert head.split("  ")[0] == "game"
    assert [cell.strip() for cell in row.split("  ") if cell.strip()][-2:] == ["other", "mine, slip"]
    said = " ".join(notes)
    assert said.startswith("dockfight: all places are settled. A night in which all bots play: ")
    assert "minutes of runners in 6 jobs on GitHub" in said
    assert (told["per_bot"], told["settlement"]["assumed"]) == (60, False)
    season(league)
    assert len(records(league / RUN)) == 6 + told["matches"]
    # one that is known to be on probation is told without being tried
    assert {each["bot"] for each in forecast(league)["probation"]} == {"mine", "slip"}


@pytest.mark.long
def test_a_forecast_of_many_bots(league: Path) -> None:
    """However many bots are new or on probation, the table has 80 columns, and names all of them.

    If the matches are too few for all of them to play, that is said.
    """
    for number in range(12):
        enter(league, f"a-longer-name-{number}")
        (league / "bots" / f"unfit-{number}").mkdir()
        (league / "bots" / f"unfit-{number}" / "bot.toml").write_text("name = 5\n")
    few = "arena: dockfight: expected at least 15 matches, one for each bot, got 6: not all bots will play\n"
    assert few in arena(league, "season", "--dry-run").err
    (league / "arena.toml").write_text(SETTINGS.replace("matches = 6", "matches = 60"))
    said = arena(league, "season", "--dry-run")
    assert "not all bots will play" not in said.err
    shown = said.out
    assert max(map(len, shown.splitlines())) <= 80
    for number in range(12):
        assert f"a-longer-name-{number}" in shown
        assert f"unfit-{number}" in shown
    assert RUN in arena(league, "season", "--dry-run", "-q", "--format", "csv").out


@pytest.mark.long
def test_a_forecast_of_a_table_that_a_copy_fills(league: Path) -> None:
    """Where a bot that played before starts no more, copies of anchors sit in its seats in the trial too."""
    # no version of it is left that could play on
    shutil.rmtree(league / "entries")
    (league / "bots" / "mine" / "bot.toml").write_text('name = "mine"\ncommand = ["no-such-program"]\n')
    told = forecast(league)
    assert [each["bot"] for each in told["probation"]] == ["mine"]
    assert told["seconds"] > 0


def test_a_forecast_of_bots_that_do_not_start(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """However many bots never get ready, `--dry-run` ends in its time, and tells that it does not know all of them."""
    (tmp_path / "arena.toml").write_text(SETTINGS)
    for number in range(20):
        enter(tmp_path, f"mute{number}", "mute.py")
    monkeypatch.setattr(forecasting, "PATIENCE", 0.3)
    assert inside(monkeypatch, tmp_path, "season", "--dry-run", "--json", "--isolation", "none") == 0
    (told,) = json.loads(capsys.readouterr().out)
    assert {f"mute{number}" for number in range(20)} <= {*told["unknown"]}
    assert told["probation"] == []
    assert [path.name for path in tmp_path.iterdir() if path.name != "bots"] == ["arena.toml"]


def test_a_build_that_sleeps(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A build that does not end in its time is told, and hides nothing that is known of the others."""
    (tmp_path / "arena.toml").write_text(SETTINGS)
    enter(tmp_path, "mine")
    enter(tmp_path, "crash", "crash.py")
    enter(tmp_path, "sleepy")
    with (tmp_path / "bots" / "sleepy" / "bot.toml").open("a") as file:
        file.write('build = [["sleep", "600"]]\n')
    monkeypatch.setattr(forecasting, "PATIENCE", 8.0)
    assert inside(monkeypatch, tmp_path, "season", "--dry-run", "--json", "--isolation", "none") == 0
    (told,) = json.loads(capsys.readouterr().out)
    assert told["unknown"] == ["sleepy"]
    assert [each["bot"] for each in told["probation"]] == ["crash"]
    assert told["settlement"]["assumed"]
    assert told["seconds"] > 0


@pytest.mark.parametrize("keep", [0, 4])
@pytest.mark.long
def test_a_forecast_of_a_stopped_season(league: Path, keep: int) -> None:
    """Of a season that was stopped the rest is told, with its time; of one that would be refused no time."""
    stop(league, keep)
    told = forecast(league)
    assert (told["matches"], told["new"]) == (6 - keep, [])
    assert told["seconds"] > 0
    shutil.rmtree(league / "bots" / "mine")
    assert forecast(league)["seconds"] is None
    assert "arena season --give-up" in arena(league, "season", "--dry-run").err


def owned(league: Path, name: str, owner: str, more: str = "") -> None:
    """Enter a bot of an owner."""
    enter(league, name, more=more)
    with (league / "bots" / name / "bot.toml").open("a") as file:
        file.write(f"owner = {json.dumps(owner)}\n")


@pytest.mark.long
def test_an_owner_has_so_many_bots(league: Path) -> None:
    """Of the bots of one owner as many play as the league allows: those that played before, then by their folders."""
    for name, owner in (("b", "Ada"), ("c", " ada"), ("d", "Bo")):
        owned(league, name, owner)
    rule(league, "per-owner = 1")
    told = season(league)
    assert shown(told) == {"mine", "b", "d", "random", "greedy"}
    (off,) = told["probation"]
    assert (off["bot"], off["why"]) == ("c", "expected at most 1 bot of ' ada', got more")
    assert told["games"]["dockfight"]["owners"] == {"b": "Ada", "d": "Bo"}
    assert "| Ada" in (league / "leaderboard.md").read_text()
    # who comes first by name does not drive out who plays already
    owned(league, "a", "Ada")
    enter(league, "also")
    off = forecast(league)["probation"]
    assert {each["bot"]: each["folder"] for each in off} == {"a": "bots/a", "c": "bots/c", "also": "bots/also"}


@pytest.mark.long
def test_the_end_of_entries(league: Path) -> None:
    """After the day a run that has begun takes no bot that is new or has changed; who is in plays on."""
    enter(league, "other")
    rule(league, 'until = "2026-01-31"')
    told = season(league)
    assert shown(told) == {"mine", "random", "greedy"}
    (off,) = told["probation"]
    assert off["why"] == "entries ended at 2026-02-01 00:00 UTC: expected no new bot, got one"
    enter(league, "mine", more="# mended\n")
    why = {each["bot"]: each["why"] for each in forecast(league)["probation"]}
    late = "entries ended at 2026-02-01 00:00 UTC: expected the bot as it was entered, got another; its version of "
    assert why["mine"].startswith(late)
    assert why["mine"].endswith(" UTC plays on")
    rule(league, 'until = "2999-01-31T18:00:00+01:00"')
    assert forecast(league)["new"] == ["mine@2", "other"]
    # a run that begins after it takes whoever is there
    rule(league, 'until = "2026-01-31"')
    shutil.rmtree(league / "results")
    assert set(forecast(league)["new"]) == {"mine", "other", "random", "greedy"}


@pytest.mark.long
def test_a_name_is_kept(league: Path) -> None:
    """Nobody takes the name of a bot that plays: neither by a folder of that name, nor with a copy of its files."""
    enter(league, "mine", more="# mended\n")
    (league / "bots" / "mine").rename(league / "bots" / "other")
    season(league)
    for name, files in (("mine", "other"), ("a", "other")):
        shutil.copytree(league / "bots" / files, league / "bots" / name)
    with (league / "bots" / "mine" / "bot.py").open("a") as file:
        file.write("# another\n")
    told = forecast(league)
    assert (told["matches"], told["new"]) == (0, [])
    assert {each["folder"]: each["holder"] for each in told["probation"]} == {
        "bots/mine": "bots/other",
        "bots/a": "bots/other",
    }


@pytest.mark.long
def test_no_way_back(league: Path) -> None:
    """After the end of entries no bot goes back to what it was in an earlier season, unless the later one is unfit."""
    before = (league / "bots" / "mine" / "bot.py").read_text()
    enter(league, "mine", more="# mended\n")
    season(league)
    rule(league, 'until = "2026-01-31"')
    assert forecast(league)["probation"] == []
    (league / "bots" / "mine" / "bot.py").write_text(before)
    (off,) = forecast(league)["probation"]
    assert "expected the bot as it was entered, got another; its version of " in off["why"]


@pytest.mark.long
def test_a_game_that_has_not_begun(league: Path) -> None:
    """Tables need results of every game: the command that sets them up, and plays nothing, is named."""
    (league / "arena.toml").write_text(SETTINGS.replace('"dockfight"', '"dockfight", "fish-food"'))
    before = (league / "leaderboard.md").read_bytes()
    assert refusal(league, "season", "--tables-only", "-q") == (
        "results/fish-food: expected the results of a season, got none; "
        "`arena season --plan-only` sets them up and plays nothing"
    )
    assert (league / "leaderboard.md").read_bytes() == before
    arena(league, "season", "--plan-only")
    games = json.loads(arena(league, "season", "--tables-only", "-q", "--json").out)["games"]
    assert {row["matches"] for row in games["dockfight"]["house"]} != {0}
    assert {row["matches"] for row in games["fish-food"]["house"]} == {0}
