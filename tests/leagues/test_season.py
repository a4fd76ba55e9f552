"""A league season by season: what is played, who is on probation, and what is left at the top of the folder."""

import json
import os
import shutil
import subprocess
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from arena.tournament.journal import Journal, Locked
from tests.cli.command import BOTS, PYTHON, arena, bot_folder, inside, records, refusal, unfinish

SETTINGS = """
games = ["dockfight"]
bots = ["bots/*"]
anchors = ["random", "greedy"]
seats = 3
matches = 6
lanes = 1
"""
SITE = ("site/index.html", "site/bots/mine.html", "site/games/dockfight.html", "site/reports/dockfight.html")
WRITTEN = ("leaderboard.md", "leaderboard.json", "history.jsonl", "badges/mine.json", "site/feed.json", *SITE)
RUN = "results/dockfight"


def enter(league: Path, name: str, program: str = "mine.py", more: str = "", *, first: str = "") -> None:
    """Put a bot into the league, or another one in its place."""
    bot_folder(league / "bots" / name, first + BOTS[program] + more, name=name)


def season(league: Path, *words: str) -> dict[str, Any]:
    """Play a season, and what it printed."""
    printed: dict[str, Any] = json.loads(arena(league, "season", "-q", "--json", *words).out)
    assert printed == json.loads((league / "leaderboard.json").read_bytes())
    for board in printed["games"].values():
        # whoever else plays
        mu = {row["bot"]: row["mu"] for row in board["house"]}
        assert (mu["random"] + mu["greedy"]) / 2 == pytest.approx(25, abs=1e-4)
        assert any(note.startswith("Anchored: all ratings are shifted alike") for note in board["notes"])
    return printed


def forecast(league: Path, *words: str) -> dict[str, Any]:
    """What `--dry-run` tells of the one game. Nothing may change by it."""
    before = {path: path.read_bytes() for path in league.rglob("*") if path.is_file()}
    (told,) = json.loads(arena(league, "season", "--dry-run", "--json", "-q", *words).out)
    assert {path: path.read_bytes() for path in league.rglob("*") if path.is_file()} == before
    return dict(told)


def shown(league: dict[str, Any]) -> set[str]:
    """The bots in the table of the one game, those of the house too."""
    table = league["games"]["dockfight"]
    return {row["bot"] for row in (*table["leaderboard"], *table["house"])}


def rule(league: Path, *lines: str) -> None:
    """Say who may enter the league."""
    (league / "arena.toml").write_text("\n".join((SETTINGS, "[entries]", *lines, "")))


def history(league: Path) -> list[dict[str, Any]]:
    """The seasons so far."""
    return [json.loads(line) for line in (league / "history.jsonl").read_bytes().splitlines()]


def stop(league: Path, keep: int) -> None:
    """Make of the first season one that was stopped after ``keep`` matches."""
    unfinish(league / RUN, keep)


@pytest.mark.long
def test_nothing_to_do(league: Path) -> None:
    """A season in which nothing is lacking starts no bot, and writes the same bytes."""
    before = {name: (league / name).read_bytes() for name in WRITTEN}
    journal = (league / RUN / "matches.jsonl").read_bytes()
    for words in ((), ("--tables-only",), ("--plan-only",), ("--dry-run",)):
        assert "isolation" not in arena(league, "season", *words).err
        assert {name: (league / name).read_bytes() for name in WRITTEN} == before
    assert (league / RUN / "matches.jsonl").read_bytes() == journal
    nothing = {"game": "dockfight", "run": RUN, "matches": 0, "seconds": 0.0, "at_least": False}
    told = forecast(league)
    assert told == told | nothing | {"new": [], "probation": [], "unknown": []}
    assert (told["night"], told["seats"], told["settlement"]["nights"]) == (60, 3, 0)


@pytest.mark.long
def test_what_is_left_is_given_up(league: Path) -> None:
    """With --tables-only, --give-up ends a season that was stopped: its secret is told, and the next starts over."""
    stop(league, 4)
    said = arena(league, "season", "--tables-only", "--give-up").err
    assert "given up" in said
    manifest = json.loads((league / RUN / "run.json").read_bytes())
    assert manifest["finished"]
    assert manifest["epochs"][-1]["given_up"]
    assert not (league / RUN / "secret.json").exists()
    arena(league, "verify", RUN)
    assert json.loads(arena(league, "season", "--dry-run", "--json", "-q").out)[0]["matches"] > 0


def test_one_season_at_a_time(league: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Until the tables of a season are written nobody else can play the next one."""
    season = import_module("arena.cli.season")
    written: list[Path] = []

    def watched(*told: Any) -> Any:
        with pytest.raises(Locked):
            Journal.open(league / RUN / "matches.jsonl")
        written.append(league)
        return real(*told)

    real = vars(season)["publish"]
    monkeypatch.setattr(season, "publish", watched)
    monkeypatch.setenv("ARENA_ISOLATION", "none")
    assert (inside(monkeypatch, league, "season", "-q"), written) == (0, [league])


@pytest.mark.long
def test_a_new_bot(league: Path) -> None:
    """A new bot plays its share with the others; the history gets a line with who stood where, and the digests."""
    enter(league, "other")
    (league / "arena.toml").write_text(f"{SETTINGS}\n[entries]\nranks = 1\n")
    told = season(league)
    assert shown(told) == {"mine", "other", "random", "greedy"}
    assert told["games"]["dockfight"]["newcomers"] == ["other"]
    further = records(league / RUN)[6:]
    assert further
    assert all("other" in match["bots"] for match in further)
    one, two = history(league)
    assert (one["season"], two["season"], told["season"]) == (1, 2, 2)
    game = two["games"]["dockfight"]
    assert game["matches"] == len(records(league / RUN))
    assert len(game["commitments"]) == 2
    assert {each["bot"]: len(each["digest"]) for each in game["entrants"]} == {"mine": 64, "other": 64}
    arena(league, "verify", RUN)


@pytest.mark.long
def test_the_leaderboard_of_a_run(league: Path) -> None:
    """Where somebody left and nothing is lacking, nothing is played, and the run's own leaderboard is as its table."""
    enter(league, "other")
    season(league)
    played = len(records(league / RUN))
    shutil.rmtree(league / "bots" / "other")
    assert shown(season(league)) == {"mine", "random", "greedy"}
    assert len(records(league / RUN)) == played
    assert "| other " not in (league / RUN / "leaderboard.md").read_text()
    arena(league, "verify", RUN)


@pytest.mark.long
def test_a_changed_bot(league: Path) -> None:
    """A changed bot is played again, what it was leaves the table, and its badge is under its name."""
    enter(league, "mine", "slip.py")
    told = season(league)
    assert shown(told) == {"mine@2", "random", "greedy"}
    assert all("mine" not in match["bots"] for match in records(league / RUN)[6:])
    badge = json.loads((league / "badges" / "mine.json").read_bytes())
    assert (badge["schemaVersion"], badge["label"]) == (1, "dockfight")
    assert badge["message"].startswith("#1 of 1, mu ")


@pytest.mark.long
def test_a_bot_that_left(league: Path) -> None:
    """A bot whose folder is gone has no row and no badge any more; copies of anchors take its seat."""
    shutil.rmtree(league / "bots" / "mine")
    told = season(league)
    assert shown(told) == {"random", "greedy", "random#2"}
    assert list((league / "badges").iterdir()) == []
    assert [note for note in told["games"]["dockfight"]["notes"] if "No longer in the run" in note]


@pytest.mark.long
def test_a_bot_that_cannot_start(league: Path) -> None:
    """A bot that cannot start is on probation, everywhere with a reason, and stops nobody; its words are the host's."""
    enter(league, "ill", "crash.py")
    enter(league, "other")
    said = arena(league, "season", "--json")
    assert (
        "arena: withdrawn: bot ill cannot start: boom: no model file (it exited with status 1); correct that"
        in said.err
    )
    told = json.loads(said.out)
    assert shown(told) == {"mine", "other", "random", "greedy"}
    (probation,) = told["probation"]
    assert (probation["bot"], probation["games"]) == ("ill", ["dockfight"])
    assert "exited with status 1" in probation["why"]
    assert "boom" not in probation["why"]
    page = (league / "leaderboard.md").read_text()
    assert "\n## On probation\n" in page
    assert "\n- ill (dockfight): after hello: expected a line, got the end of output: it exited" in page
    assert json.loads((league / "badges" / "ill.json").read_bytes())["message"] == "on probation"
    assert history(league)[-1]["probation"] == told["probation"]
    # it is not tried again, until that is asked for or it has changed
    said = arena(league, "season")
    assert "withdrawn" not in said.err
    assert said.err.endswith("tables: leaderboard.md\npages: site/index.html\n")
    assert "withdrawn" in arena(league, "season", "--retry", "ill").err
    assert season(league)["season"] == 2
    enter(league, "ill", more="# mended\n")
    told = season(league)
    # the version that never played has left its name to this one
    assert (shown(told), told["probation"]) == ({"mine", "ill", "other", "random", "greedy"}, [])
    arena(league, "verify", RUN)


@pytest.mark.long
def test_a_retry(league: Path) -> None:
    """A bot on probation for what lay outside of it plays as soon as a retry finds it well."""
    enter(league, "moody", more="")
    script = league / "bots" / "moody" / "bot.py"
    script.write_text(
        f"import os\nif not os.path.exists({str(league / 'well')!r}): raise SystemExit(1)\n{BOTS['mine.py']}"
    )
    assert [each["bot"] for each in season(league)["probation"]] == ["moody"]
    (league / "well").touch()
    assert [each["bot"] for each in season(league)["probation"]] == ["moody"]
    (league / "well").unlink()
    said = arena(league, "season", "--retry", "moody").err
    assert "arena: withdrawn: bot moody cannot start" in said
    assert "matches more" not in said
    (league / "well").touch()
    told = season(league, "--retry", "moody")
    assert (shown(told), told["probation"]) == ({"mine", "moody", "random", "greedy"}, [])
    wrong = refusal(league, "season", "--retry", "mody", "-q")
    assert wrong == "--retry: expected a bot of the league, got 'mody'; did you mean 'moody'?"


@pytest.mark.long
def test_a_bot_that_falls_ill(league: Path) -> None:
    """A bot that has played, and cannot start when others enter, is withdrawn; its matches count on."""
    enter(league, "moody", first=f"import os\nif os.path.exists({str(league / 'ill')!r}): os._exit(1)\n")
    season(league)
    (league / "ill").touch()
    enter(league, "other")
    told = season(league)
    assert shown(told) == {"mine", "other", "random", "greedy"}
    assert [each["bot"] for each in told["probation"]] == ["moody"]
    arena(league, "verify", RUN)


@pytest.mark.long
def test_bots_that_cannot_be_entered(league: Path) -> None:
    """A bot file that is not right, a name that is taken, a bot for other games: probation, and the others play."""
    enter(league, "other")
    (league / "bots" / "other" / "bot.toml").write_text("name = 5\n")
    shutil.copytree(league / "bots" / "mine", league / "bots" / "copy")
    (league / "bots" / "copy" / "new.txt").touch()
    enter(league, "twin", "slip.py")
    (league / "bots" / "twin" / "bot.toml").write_text('name = "Mine"\ncommand = ["{python}", "-S", "bot.py"]\n')
    enter(league, "angler")
    with (league / "bots" / "angler" / "bot.toml").open("a") as file:
        file.write('games = ["lure"]\n')
    told = season(league)
    assert season(league, "--retry", "other") == told
    said = arena(league, "season", "--dry-run").err
    assert "arena: on probation: other: bots/other/bot.toml: command: expected a value, got none" in said
    assert shown(told) == {"mine", "random", "greedy"}
    why = {each["bot"]: each["why"] for each in told["probation"]}
    assert sorted(why) == ["angler", "copy", "other", "twin"]
    assert "bots/other/bot.toml: command: expected a value, got none" in why["other"]
    assert why["copy"] == "expected a name of its own, got 'mine', which bots/mine has"
    assert why["twin"] == "expected a name of its own, got 'Mine', where bots/mine is 'mine'"
    assert why["angler"] == "expected a bot for dockfight, got one for lure"


@pytest.mark.long
def test_no_folder_stops_the_others(league: Path) -> None:
    """Whatever an author puts into a folder is that bot's probation, or nobody's: the others play their season."""
    bots = league / "bots"
    for name in ("deep", "sparse", "latin", "fifo", "steps", "large", "nested"):
        enter(league, name)
    here = os.open(bots / "deep", os.O_RDONLY)
    for _ in range(1100):
        os.mkdir("d", dir_fd=here)
        here, above = os.open("d", os.O_RDONLY, dir_fd=here), here
        os.close(above)
    os.close(here)
    with (bots / "sparse/weights").open("wb") as file:
        file.truncate(1 << 40)
    (bots / "latin" / os.fsdecode(b"\xff")).touch()
    os.mkfifo(bots / "fifo/pipe")
    with (bots / "steps/bot.toml").open("a") as file:
        file.write(f"build = {json.dumps([['true']] * 201)}\n")
    os.truncate(bots / "large/bot.toml", 1 << 40)
    (bots / "nested/bot.toml").write_text("a = " + "[" * 20_000)
    for name in ("l" * 250, os.fsdecode(b"\xffish"), "new\n::error::line"):
        (bots / name).mkdir()
        (bots / name / "bot.toml").write_text("name = 5\n")
    enter(league, "selfish")
    (bots / "selfish/loop").symlink_to("loop")
    (bots / "bare").mkdir()
    (bots / "loop").symlink_to("loop")
    try:
        told = season(league)
        assert shown(told) == {"mine", "selfish", "random", "greedy"}
        why = {each["bot"]: each["why"] for each in told["probation"]}
        said = arena(league, "season", "--dry-run").err
    finally:
        # no recursion of anybody's copes with it
        subprocess.run(["/bin/rm", "-rf", str(bots / "deep")], check=True)
    for name, reason in (
        ("deep", "expected at most 32 folders in one another, got more"),
        ("sparse", "expected at most 512 MiB of files, got more"),
        ("latin", "expected names in UTF-8"),
        ("fifo", "expected a regular file, got a FIFO"),
        ("steps", "build: expected at most 32 commands, got 201"),
        ("large", "expected at most 1 MiB, got more"),
        ("nested", "expected TOML, got something else"),
        ("l" * 61 + "...", "command: expected a value, got none"),
    ):
        assert reason in why[name]
    assert len(why) == 10
    assert "arena: no bot: bots/bare: expected a bot.toml, got none\n" in said
    assert not [line for line in said.split("\n") if line.startswith("::")]


@pytest.mark.parametrize("words", [(), ("--dry-run",), ("--plan-only",)])
def test_a_league_of_nobody(tmp_path: Path, words: tuple[str, ...]) -> None:
    """A league without bots and anchors is refused in one line, and leaves nothing behind."""
    (tmp_path / "bots").mkdir()
    (tmp_path / "arena.toml").write_text('games = ["dockfight"]\nbots = ["bots/*"]\n')
    wrong = refusal(tmp_path, "season", "-q", *words)
    assert wrong == "expected a bot or an anchor that plays dockfight, got none"
    assert not (tmp_path / "results").exists()


@pytest.mark.parametrize("keep", [0, 4])
@pytest.mark.long_cases("0", "4")
def test_a_stopped_season_goes_on(league: Path, keep: int) -> None:
    """The same command plays a stopped season to its end, and then what new bots lack."""
    whole = records(league / RUN)
    stop(league, keep)
    enter(league, "other")
    assert json.loads(arena(league, "season", "--dry-run", "--json", "-q").out)[0]["matches"] == 6 - keep
    told = season(league)
    assert shown(told) == {"mine", "other", "random", "greedy"}
    found = {match["id"]: match["bots"] for match in records(league / RUN)}
    assert {match["id"]: match["bots"] for match in whole}.items() <= found.items()
    arena(league, "verify", RUN)


@pytest.mark.long
def test_a_stopped_season_whose_bot_has_changed(league: Path) -> None:
    """What a changed bot has not played cannot be played any more: it is put back, or the rest is given up."""
    stop(league, 4)
    enter(league, "mine", "slip.py")
    wrong = refusal(league, "season", "-q")
    assert wrong.startswith(f"{RUN}: expected mine as entered, because the season is not finished, got others or")
    assert "`arena season --give-up`" in wrong
    assert len(records(league / RUN)) == 4
    said = arena(league, "season", "--give-up", "--json")
    assert f"arena: {RUN}: 2 matches are given up\n" in said.err
    assert shown(json.loads(said.out)) == {"mine@2", "random", "greedy"}
    one, two = json.loads((league / RUN / "run.json").read_bytes())["epochs"]
    assert (one["matches"], len(one["given_up"])) == (6, 2)
    assert one["seed"] is not None
    assert len(records(league / RUN)) == 4 + two["matches"]
    before = {name: (league / name).read_bytes() for name in WRITTEN}
    arena(league, "season", "--give-up")
    assert {name: (league / name).read_bytes() for name in WRITTEN} == before
    assert f"{4 + two['matches']} matches hold" in arena(league, "verify", RUN).out


@pytest.mark.long
def test_nothing_is_given_up_without_need(league: Path) -> None:
    """A stopped season whose bots are there as they were goes on, also with `--give-up`."""
    stop(league, 4)
    season(league, "--give-up")
    assert len(records(league / RUN)) == 6


@pytest.mark.long
def test_a_bot_that_falls_ill_after_the_plan(league: Path) -> None:
    """A bot that could start when the season was set up and cannot when it is played has faults, and stops nobody."""
    enter(league, "moody", first=f"import os\nif os.path.exists({str(league / 'ill')!r}): os._exit(1)\n")
    (game,) = json.loads(arena(league, "season", "--plan-only", "--json", "-q").out)
    (league / "ill").touch()
    said = arena(league, "run", "--plan", "results", "--keep-going", "-o", "part", code=0)
    assert "arena: its first options are picked: bot moody cannot start: " in said.err
    played = records(league / "part" / "dockfight")
    assert len(played) == game["matches"] > 0
    faults = {fault["kind"] for match in played for fault in match["faults"]}
    assert faults == {"unready"}


@pytest.mark.long
def test_another_version_of_the_rules(league: Path) -> None:
    """Rules of another version go on in a folder beside the old one, of which nothing is lost."""
    run = league / RUN / "run.json"
    now = json.loads(run.read_bytes())["game_version"]
    run.write_text(run.read_text().replace(f'"game_version": "{now}"', '"game_version": "0"'))
    before = {path: path.read_bytes() for path in (league / RUN).iterdir()}
    cut = Path(shutil.copytree(league, league.parent / "cut"))
    told = season(league)
    assert told["games"]["dockfight"]["run"] == f"{RUN}-version-{now}"
    assert {path: path.read_bytes() for path in (league / RUN).iterdir()} == before
    assert len(records(league / f"{RUN}-version-{now}")) == 6
    # a season that was not finished by the old ones is given up by one answer
    unfinish(cut / RUN, 4)
    wrong = refusal(cut, "season", "-q")
    assert wrong.startswith(f"{RUN}: expected version 0 of dockfight, because the season is not finished, got {now}: ")
    assert wrong.endswith("or give the rest of it up with `arena season --give-up`")
    assert f"arena: {RUN}: 2 matches are given up" in arena(cut, "season", "--give-up").err


@pytest.mark.long
def test_several_games(league: Path) -> None:
    """Over several games the combined table comes first, and a bot has a badge of all and one of each."""
    text = (league / "arena.toml").read_text().replace('["dockfight"]', '["dockfight", "lure"]')
    (league / "arena.toml").write_text(text)
    told = season(league)
    assert [row["bot"] for row in told["combined"]] == ["mine"]
    assert (league / "leaderboard.md").read_text().split("\n## ")[1].startswith("All games\n")
    for name in ("mine.json", "dockfight/mine.json", "lure/mine.json"):
        assert json.loads((league / "badges" / name).read_bytes())["schemaVersion"] == 1


def test_what_a_league_keeps(league: Path, tmp_path: Path) -> None:
    """Settings that a run was begun with are kept; where there is no league, the command that begins one is named."""
    with (league / "arena.toml").open("a") as settings:
        settings.write('[clocks]\nmove = "2s"\n')
    wrong = refusal(league, "season", "-q")
    kept = "a league keeps its settings; with another `out` it begins a new run"
    assert wrong == f"{RUN}: expected --move-time 1s, got 2s: {kept}"
    (tmp_path / "empty").mkdir()
    assert "`arena new league DIR` begins one" in refusal(tmp_path / "empty", "season")
    (league / "arena.toml").write_text('anchors = ["random"]\n')
    assert "games: expected a game of" in refusal(league, "season", "-q")
    (league / "arena.toml").write_text(f'games = ["lure"]\nbots = ["x={PYTHON} x.py", "nobody"]\n')
    assert refusal(league, "season", "-q", "--trust").startswith("arena.toml: bots: expected a shipped bot")


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("games = ['luer']", "games: expected a game of "),
        ("anchors = ['radnom']", "anchors: expected a shipped bot"),
        ("seats = 9", "seats: expected N or A-B within 3-5 for cash-a-catch, got '9'"),
        ("[variants]\nbell = 'lots'", "variants: cash-a-catch: expected bell=lot|nearest, got bell=lots; did you mean"),
        ("schedule = 'swiss'", "schedule: expected balanced for a season, got 'swiss'"),
        ("[entries]\nuntil = '31 January'", "entries.until: expected a day in UTC such as 2027-01-31, or a time with"),
        ("[entries]\nuntil = '2027-01-31T18:00'", "entries.until: expected a day in UTC"),
        ("[entries]\nuntil = 2027-01-31", "entries.until: expected a string, got a date"),
        ("[entries]\nper-owner = 0", "entries.per-owner: expected a whole number from 1 to 10000, got 0"),
        (
            "matches = 9\nmatches-per-bot = 9",
            "matches: expected matches-per-bot alone, for `matches` is the ",
        ),
        ("matches = 9\nuntil = 'settled'", "matches: expected matches-per-bot alone, for `matches` is the "),
        ("until = 'best'", "until: expected settled, got 'best'"),
        ("[entries]\nranks = 0", "entries.ranks: expected a whole number from 1 to 10000, got 0"),
        ("[entries]\nowners = 1", "entries: expected a known key, got 'owners'"),
        (
            "address = 'example.org/'",
            "address: expected an address that begins with https:// or http://, got another text",
        ),
        ("[clocks]\nmove = '0s'", "clocks.move: expected a time from 1ms"),
        ("[limits]\nline = '1B'", "limits.line: expected a size from 1KiB"),
    ],
)
def test_mistakes_in_the_settings(tmp_path: Path, line: str, said: str) -> None:
    """A value that is not right is told with the file and the key that it stands at."""
    games = "" if line.startswith("games") else "games = ['cash-a-catch']\n"
    (tmp_path / "arena.toml").write_text(f"{games}{line}\n")
    assert refusal(tmp_path, "season", "--dry-run", "-q").startswith(f"arena.toml: {said}")


@pytest.mark.long
def test_a_league_plays_until_places_are_settled(league: Path) -> None:
    """Each season all bots play as often again, until no place is open; the table tells how long that will take."""
    enter(league, "other")
    settings = SETTINGS.replace("matches = 6", "matches-per-bot = 3")
    (league / "arena.toml").write_text(settings)
    told = season(league)["games"]["dockfight"]
    (note,) = [note for note in told["notes"] if note.startswith("Places that are open stay open")]
    assert "with `until` in arena.toml they settle after " in note
    assert season(league)["games"]["dockfight"]["matches"] == told["matches"]
    (league / "arena.toml").write_text(f'{settings}until = "settled"\n')
    longer = season(league)["games"]["dockfight"]
    assert longer["matches"] == told["matches"] + 6
    assert any(note.startswith("Places settle after ") for note in longer["notes"])


@pytest.mark.long
def test_a_new_league(tmp_path: Path) -> None:
    """A league is begun with all that it needs; a folder that holds something is left alone."""
    said = arena(tmp_path, "new", "league", "harbour", "-g", "dockfight")
    assert said.out.splitlines()[1] == "play a season: cd harbour && arena season"
    lacking = json.loads(arena(tmp_path / "harbour", "season", "--dry-run", "--json", "-q").out)
    assert [(each["run"], each["matches"]) for each in lacking] == [(RUN, 60)]
    assert set(lacking[0]["new"]) == {"minnow", "random", "greedy"}
    assert not (tmp_path / "harbour" / ".github").exists()
    assert "expected an empty folder or a new one, got 'harbour'" in refusal(tmp_path, "new", "league", "harbour")
