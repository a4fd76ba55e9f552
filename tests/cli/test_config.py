"""Settings from ``arena.toml`` and from variables: what is read, which one counts, how mistakes are told."""

import json
import os
import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from typer.core import TyperGroup
from typer.main import get_command

from arena.cli import app
from arena.errors import UsageError
from arena.limits import KEYS as LIMITS
from arena.tournament.config import read_settings_file, resolve_bots
from arena.tournament.settings import SETTINGS_FILE, LeagueSettings, keys, tables
from tests.cli.command import arena, bot_folder, inside
from tests.documents import ROOT, blocks

PAGE = (ROOT / "docs" / "config.md").read_text(encoding="utf-8")
KEYS = keys()
TABLES = tables()
LIMIT_KEYS = tuple(key for key, limit in LIMITS.items() if limit.option == "--limit")

group = get_command(app)
assert isinstance(group, TyperGroup)
COMMANDS = group.commands


def written(value: Any) -> str:
    """A value as TOML: what JSON and TOML write alike."""
    if isinstance(value, dict):
        return "{" + ", ".join(f"{written(key)} = {written(each)}" for key, each in value.items()) + "}"
    return json.dumps(value, ensure_ascii=False)


def settle(folder: Path, table: Mapping[str, Any]) -> Path:
    """Write the settings of a folder."""
    text = "".join(f"{written(key)} = {written(value)}\n" for key, value in table.items())
    (folder / SETTINGS_FILE).write_text(text, encoding="utf-8")
    return folder / SETTINGS_FILE


def enter(folder: Path, *names: str) -> None:
    """Put bots into folders of their names."""
    for name in names:
        bot_folder(folder / name, name=Path(name).name)


def parsed(command: str, words: Sequence[str], variables: Mapping[str, str], folder: Path) -> dict[str, Any]:
    """What a command is called with, in a folder whose settings are trusted, with these variables and no others."""
    others = {name: value for name, value in os.environ.items() if not name.startswith("ARENA_")}
    here = Path.cwd()
    os.chdir(folder)
    try:
        with patch.dict(os.environ, {**others, "ARENA_TRUST": "1", **variables}, clear=True):
            params = COMMANDS[command].make_context(command, [*words, "-q"]).params
    finally:
        os.chdir(here)
    return {name: list(value) if isinstance(value, tuple) else value for name, value in params.items()}


# --- which one counts

CHOICES: dict[str, tuple[Sequence[str], tuple[str, str], tuple[str, Any], tuple[Any, Any, Any, Any]]] = {
    # parameter: words, (variable, value), (key, value), what each of them and the default makes of it
    "matches": (("-n", "5"), ("ARENA_MATCHES", "6"), ("matches", 7), (5, 6, 7, None)),
    "games": (
        ("-g", "lure"),
        ("ARENA_GAME", "dockfight fish-food"),
        ("games", ["cash-a-catch", "lure"]),
        (["lure"], ["dockfight", "fish-food"], ["cash-a-catch", "lure"], []),
    ),
    "bots": (
        ("random",),
        ("ARENA_BOTS", "greedy random"),
        ("bots", ["greedy", "mine=x y"]),
        (["random"], ["greedy", "random"], ["greedy", "mine=x y"], []),
    ),
    "seats": (("--seats", "3"), ("ARENA_SEATS", "4-5"), ("seats", 4), ("3", "4-5", "4", None)),
    "variants": (
        ("--variant", "bell=lot"),
        ("ARENA_VARIANT", "a=b c=d"),
        ("variants", {"e": "f", "g": "h"}),
        (["bell=lot"], ["a=b", "c=d"], ["e=f", "g=h"], []),
    ),
    "limits": (
        ("--limit", "line=4096"),
        ("ARENA_LIMIT", "stray=1"),
        ("limits", {"line": "64KiB", "stray": 2}),
        (["line=4096"], ["stray=1"], ["line=64KiB", "stray=2"], []),
    ),
    "move_time": (
        ("--move-time", "1ms"),
        ("ARENA_MOVE_TIME", "2ms"),
        ("clocks", {"move": "3ms"}),
        ("1ms", "2ms", "3ms", None),
    ),
    "build_network": (
        ("--no-build-network",),
        ("ARENA_BUILD_NETWORK", "0"),
        ("build-network", True),
        (False, False, True, False),
    ),
    "network": (
        ("--network", "a=A_B"),
        ("ARENA_NETWORK", "b"),
        ("network", ["c=C_D", "d"]),
        (["a=A_B"], ["b"], ["c=C_D", "d"], []),
    ),
    "isolation": (
        ("--isolation", "none"),
        ("ARENA_ISOLATION", "landlock"),
        ("isolation", "bwrap"),
        ("none", "landlock", "bwrap", "auto"),
    ),
}


@given(st.fixed_dictionaries({name: st.tuples(st.booleans(), st.booleans(), st.booleans()) for name in CHOICES}))
@settings(max_examples=40, deadline=None)
def test_the_strongest_counts(given_by: dict[str, tuple[bool, bool, bool]]) -> None:
    """Command line over variable over file over default, for each option by itself."""
    words: list[str] = []
    variables: dict[str, str] = {}
    table: dict[str, Any] = {}
    for name, (flag, variable, key) in given_by.items():
        words += CHOICES[name][0] if flag else ()
        variables |= [CHOICES[name][1]] if variable else []
        table |= [CHOICES[name][2]] if key else []
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(os.path, "lexists", lambda path: path == SETTINGS_FILE)
        patched.setattr("arena.tournament.config.load_toml", lambda _: table)
        got = parsed("run", words, variables, ROOT)
    for name, places in given_by.items():
        strongest = (*places, True).index(True)
        assert got[name] == CHOICES[name][3][strongest], name


def test_every_key_is_taken(tmp_path: Path) -> None:
    """Each key of the file sets the option that the page names for it, and there is a variable for each."""
    (tmp_path / SETTINGS_FILE).write_text(blocks(PAGE, "toml")[0])
    enter(tmp_path, "bots/minnow")
    got, without = parsed("run", [], {}, tmp_path), parsed("run", ["--config", ""], {}, tmp_path)
    same = {name for name in got if got[name] == without[name]}
    # what the example sets to the value it has anyway
    assert same & KEYS.keys() == {"schedule", "isolation", "build_network", "network", "max_faults", "start_time"}
    rows = re.findall(r"^- `([a-z.-]+)` \((?:`--([a-z-]+)`|BOT)\): ", PAGE, re.MULTILINE)
    taken = {param.name: param for param in COMMANDS["run"].params}
    assert dict(rows) == {
        key: max(taken[name].opts, key=len).removeprefix("--") if name != "bots" else "" for name, key in KEYS.items()
    }
    for name in KEYS:
        option = max(taken[name].opts, key=len).removeprefix("--").replace("-", "_").upper()
        assert taken[name].envvar == f"ARENA_{option}"


def test_the_table_of_keys() -> None:
    """The page lists the keys of the file, those of the clocks each, no more and no less, in their order."""
    rows = re.findall(r"^- `([a-z.-]+)` \(", PAGE, re.MULTILINE)
    assert rows == list(keys(LeagueSettings).values())
    # anchors, entries and disqualified are of a league, and no option's; stages are another way to write a schedule
    assert sorted(rows) == sorted(
        [
            *KEYS.values(),
            "anchors",
            "matches-per-bot",
            "until",
            "entries.per-owner",
            "entries.until",
            "entries.ranks",
            "entries.repositories",
            "entries.sources",
            "entries.compare",
            "stages",
            "disqualified",
            *(
                f"final.{key}"
                for key in ("date", "schedule", "bots", "matches", "prizes", "play-off", "promoted", "relegated")
            ),
            "address",
            "title",
            "description",
            "notify.url",
        ]
    )


def test_a_check_takes_isolation_clocks_and_limits(tmp_path: Path) -> None:
    """`arena check` takes the sandbox, clocks and limits of the file and of variables, and neither games nor seats."""
    (tmp_path / SETTINGS_FILE).write_text(blocks(PAGE, "toml")[0])
    got = parsed("check", ["random"], {"ARENA_GAME": "lure", "ARENA_SEATS": "4", "ARENA_BUDGET": "3m"}, tmp_path)
    assert (got["games"], got["seats"], got["bots"]) == ([], None, ["random"])
    assert (got["move_time"], got["bank"], got["budget"]) == ("500ms", "30s+100ms", "3m")
    assert (got["limits"], got["readable"]) == (["line=32KiB", "memory=512MiB"], ["books"])


def test_variants_of_games_that_are_not_played(tmp_path: Path) -> None:
    """A variant that only other games have is passed over, wherever the games are from; one that none has is not."""
    settle(tmp_path, {"games": ["lure"], "variants": {"bell": "lot", "effects": "off", "bel": "lot"}})
    cases: list[tuple[list[str], dict[str, str], list[str]]] = [
        ([], {}, ["effects=off", "bel=lot"]),
        (["-g", "cash-a-catch"], {}, ["bell=lot", "bel=lot"]),
        ([], {"ARENA_GAME": "cash-a-catch lure"}, ["bell=lot", "effects=off", "bel=lot"]),
        (["-g", "all"], {}, ["bell=lot", "effects=off", "bel=lot"]),
    ]
    for words, variables, kept in cases:
        assert parsed("run", words, variables, tmp_path)["variants"] == kept


# --- a real run


@pytest.mark.long
def test_the_example_of_the_page(tmp_path: Path) -> None:
    """`arena run` plays what the trusted example says, from elsewhere too; where the settings are from is said.

    A file elsewhere, by option or variable, has its paths from its own folder; `-q` leaves the remark out.
    """
    folder = tmp_path / "cup"
    enter(folder, "bots/minnow", "bots/carp")
    (folder / "books").mkdir()
    (folder / SETTINGS_FILE).write_text(blocks(PAGE, "toml")[0])
    said = arena(folder, "run", "--json", "--trust")
    assert said.err.splitlines()[0] == f"arena: settings: {SETTINGS_FILE}"
    runs = json.loads(said.out)["runs"]
    assert [run["game"] for run in runs] == ["cash-a-catch", "dockfight"]
    for run in runs:
        manifest = json.loads((folder / run["run"] / "run.json").read_bytes())
        assert [entrant["name"] for entrant in manifest["entrants"]] == ["greedy", "carp", "minnow"]
        assert (run["seats"], run["matches"], run["seed"]) == (3, 12, "harbour cup")
        limits = manifest["limits"]
        assert [limits[key] for key in ("move", "bank", "increment", "line")] == [500, 30_000, 100, 32 << 10]
        assert run["run"] == f"results/cup/{run['game']}"
    again = arena(tmp_path, "run", "--json", "-q", env={"ARENA_CONFIG": f"cup/{SETTINGS_FILE}"})
    assert again.err == ""
    assert [run["run"] for run in json.loads(again.out)["runs"]] == [f"cup/{run['run']}" for run in runs]
    assert not (tmp_path / "results").exists()


def test_no_file(tmp_path: Path) -> None:
    """An empty text for the file, as an option or a variable, means that none is read."""
    settle(tmp_path, {"games": ["lure"], "zzz": 1})
    cases: list[tuple[list[str], dict[str, str]]] = [(["--config", ""], {}), ([], {"ARENA_CONFIG": ""})]
    for words, variables in cases:
        assert parsed("run", words, variables, tmp_path)["games"] == []


# --- mistakes


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("mathces = 1", "expected a known key, got 'mathces'; did you mean 'matches'?"),
        ("[clocks]\nmoev = '1s'", "clocks: expected a known key, got 'moev'; did you mean 'move'?"),
        ("[limits]\nmemroy = 1", "limits: expected a known key, got 'memroy'; did you mean 'memory'?"),
        ("[variants]\nbel = 'lot'", "variants: cash-a-catch: expected a variant of bell, got 'bel'; did you mean 'be"),
        ("[clocks]\nmatches = 1", "clocks: expected a known key, got 'matches'; it belongs above the first table"),
        ("move = '1s'", "expected a known key, got 'move'; [clocks] has it"),
        ("zzz = 1", "expected a known key, got 'zzz'"),
        ("matches = 0", "matches: expected a whole number from 1 to 10000000, got '0'"),
        ("matches = '9'", "matches: expected an integer, got a string; write matches = 9"),
        ("seats = true", "seats: expected an integer or a string, got a boolean; for instance seats = 4"),
        ("seats = 9", "seats: expected N or A-B within 3-5 for cash-a-catch, got '9'"),
        (f"seats = '{'9' * 6000}'", "seats: expected N or A-B within 3-5 for cash-a-catch, got '99"),
        (f"seats = '3-{'9' * 6000}'", "seats: expected N or A-B within 3-5 for cash-a-catch, got '3-99"),
        ("games = 'lure'", 'games: expected an array of strings, got a string; write games = ["lure"]'),
        ("games = ['lur']", "games: expected a game of "),
        ("bots = ['gredy']", "bots: expected a shipped bot ("),
        ("bots = ['./nowhere']", "bots: nowhere: expected a folder with a bot.toml, got none"),
        ("bots = ['no/*']", "bots: expected folders with a bot.toml, got none for 'no/*'"),
        ("isolation = 'bwarp'", "isolation: expected auto, sandboxed, none, landlock, bwrap, got 'bwarp'"),
        ("build-network = 'yes'", "build-network: expected true or false, got a string"),
        ("lanes = 99999999999999999999999", "lanes: expected a whole number from 1 to 1024, got '9999999999999"),
        ("max-faults = -1", "max-faults: expected a whole number from 1 to 10000, got '-1'"),
        ("seed = ''", "seed: expected a text, got an empty one"),
        ('out = "a\\u0000"', "out: expected text without NUL, got 'a\\x00'"),
        ("out = ''", "out: expected a path, got ''"),
        ("readable = ['.', '']", "readable: expected a path, got ''"),
        ("readable = ['no']", "readable: expected a file or folder, got 'no'"),
        ("[clocks]\nmove = '0s'", "clocks.move: expected a time from 1ms to 24h such as 400ms, 1s or 10m, got '0s'"),
        ("[limits]\nline = '1B'", "limits.line: expected a size from 1KiB to 1MiB such as 64KiB, 512MiB or 65536"),
        ("schedule = 'swiss'\nstages = ['race']", "stages: expected them or schedule, got both"),
        ("stages = ['swiss', 'rac']", "stages: expected a format of balanced, gauntlet"),
        ("stages = 'swiss'", "stages: expected an array of strings, got a string; for instance stages = "),
        ("clocks = 3", "clocks: expected a table, got an integer"),
        ("[clocks]\nmove = 500", 'clocks.move: expected a string, got an integer; for instance move = "500ms"'),
        ("[variants]\nbell = 3", 'variants.bell: expected a string, got an integer; write bell = "3"'),
        ("build-network = 'true'", "build-network: expected true or false, got a string; write build-network = true"),
        ("isolation = 3", 'isolation: expected a string, got an integer; for instance isolation = "auto"'),
        ("variants" + ".a" * 200 + " = 'x'", "variants.a: expected a string, got a table"),
        ("matches = ", "expected TOML, got something else"),
    ],
    ids=lambda text: text[:24],
)
def test_mistakes_in_the_file(
    tmp_path: Path, text: str, reason: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A mistake is told in one line: the file, the key, what was expected and what was got, the nearest name."""
    (tmp_path / SETTINGS_FILE).write_text(text)
    rest = {"games": ("-g", "cash-a-catch"), "bots": ("greedy", "random"), "seats": ("--seats", "3")}
    words = [word for key, some in rest.items() if not text.startswith(key) for word in some]
    monkeypatch.setenv("ARENA_ISOLATION", "" if text.startswith("isolation") else "none")
    monkeypatch.setenv("ARENA_TRUST", "1")
    assert complaint(tmp_path, ["run", "-q", *words], monkeypatch, capsys).startswith(f"{SETTINGS_FILE}: {reason}")


def complaint(
    folder: Path, words: Sequence[str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> str:
    """The one line on standard error with which a command refuses in a folder, in this process."""
    code = inside(monkeypatch, folder, *words)
    said = capsys.readouterr()
    assert (code, said.out) == (2, "")
    assert said.err.count("\n") == 1
    assert [path.name for path in folder.iterdir()] in ([], [SETTINGS_FILE])
    return said.err.removeprefix("arena: ")


def test_files_that_cannot_be_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A file that is asked for must be there; what is no file, or no text, is refused and not waited for."""
    words = ["run", "-g", "lure", "--config"]
    assert "no.toml: expected a file, got none" in complaint(tmp_path, [*words, "no.toml"], monkeypatch, capsys)
    folder = complaint(tmp_path, [*words, "."], monkeypatch, capsys)
    assert folder.startswith(".: expected a file, got a folder")
    os.mkfifo(tmp_path / SETTINGS_FILE)
    assert complaint(tmp_path, words[:-1], monkeypatch, capsys).startswith(
        f"{SETTINGS_FILE}: expected a file, got a pipe"
    )
    (tmp_path / SETTINGS_FILE).unlink()
    (tmp_path / SETTINGS_FILE).write_bytes(b'seed = "\xe9"')
    assert complaint(tmp_path, words[:-1], monkeypatch, capsys).startswith(
        f"{SETTINGS_FILE}: expected TOML, got something"
    )


@pytest.mark.parametrize(
    ("variable", "value", "reason"),
    [
        ("MATCHES", "x", "expected a whole number from 1 to 10000000, got 'x'"),
        ("SEATS", "9", "expected N or A-B within 3-5 for cash-a-catch, got '9'"),
        ("BUILD_NETWORK", "maybe", "expected true or false, got 'maybe'"),
        ("ISOLATION", "bwarp", "expected auto, sandboxed, none, landlock, bwrap, got 'bwarp'"),
        ("MOVE_TIME", "0s", "expected a time from 1ms to 24h such as 400ms, 1s or 10m, got '0s'"),
    ],
)
def test_mistakes_in_variables(
    tmp_path: Path,
    variable: str,
    value: str,
    reason: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """A mistake in a variable names the variable; one in an option names the option, whatever the file says."""
    words = ["run", "-q", "-g", "cash-a-catch", "greedy", "random"]
    monkeypatch.setenv(f"ARENA_{variable}", value)
    assert complaint(tmp_path, words, monkeypatch, capsys).startswith(f"ARENA_{variable}: {reason}")
    settle(tmp_path, {"matches": 3, "clocks": {"move": "1s"}})
    option = f"--{variable.lower().replace('_', '-')}"
    if variable != "BUILD_NETWORK":
        assert complaint(tmp_path, [*words, option, value], monkeypatch, capsys).startswith(f"{option}: {reason}")


def test_a_limit_from_a_variable(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A mistake in one of several limits names the limit too."""
    monkeypatch.setenv("ARENA_LIMIT", "stray=3 line=1B")
    words = ["run", "-q", "-g", "cash-a-catch", "greedy", "random"]
    assert complaint(tmp_path, words, monkeypatch, capsys).startswith("ARENA_LIMIT line: expected a size from 1KiB")


@pytest.mark.long
def test_misspelt_variables(tmp_path: Path) -> None:
    """A variable that nearly has a known name is remarked upon, and no more, not even that with `-q`."""
    meant = {"ARENA_COFNIG": "ARENA_CONFIG", "ARENA_GAMES": "ARENA_GAME", "ARENA_MATCHS": "ARENA_MATCHES"}
    env = dict.fromkeys([*meant, "ARENA_PROCESS", "ARENA_XYZZY", "ARENAMATCHS", "MATCHS"], "1")
    words = ("run", "--dry-run", "-g", "dockfight", "-n", "2", "greedy", "random")
    assert arena(tmp_path, *words, env=env).err.splitlines() == [
        f"arena: settings: expected a known variable, got '{name}'; did you mean '{right}'?"
        for name, right in meant.items()
    ]
    assert arena(tmp_path, *words, "-q", env=env).err == ""


# --- the file by itself

_TEXT = st.text(st.characters(exclude_categories=["Cs", "Cc"]), max_size=8)
_COUNTS = st.integers(-(2**70), 2**70)
_VALUES: dict[str, st.SearchStrategy[Any]] = {
    "seats": _COUNTS | _TEXT,
    "build-network": st.booleans(),
    **dict.fromkeys(("variants", "disqualified"), st.dictionaries(_TEXT, _TEXT, max_size=2)),
    "clocks": st.fixed_dictionaries({}, optional=dict.fromkeys(TABLES["clocks"], _TEXT)),
    "entries": st.fixed_dictionaries({}, optional={"per-owner": _COUNTS, "until": _TEXT, "ranks": _COUNTS}),
    "notify": st.fixed_dictionaries({}, optional={"url": _TEXT}),
    "final": st.fixed_dictionaries(
        {}, optional={key: _TEXT if key in {"date", "schedule"} else _COUNTS for key in TABLES["final"]}
    ),
    "limits": st.dictionaries(st.sampled_from(LIMIT_KEYS), _COUNTS | _TEXT, max_size=2),
    **dict.fromkeys(("matches", "matches-per-bot", "lanes", "max-faults"), _COUNTS),
    **dict.fromkeys(("schedule", "block", "seed", "isolation", "address", "title", "description", "until"), _TEXT),
    **dict.fromkeys(("games", "bots", "anchors", "stages"), st.lists(_TEXT, max_size=3)),
    "out": _TEXT.filter(bool),
    "network": st.lists(_TEXT.filter(bool), max_size=3),
    "readable": st.lists(_TEXT.filter(bool), max_size=3),
}
_TABLES = st.fixed_dictionaries({}, optional=_VALUES).map(
    lambda table: {key: value for key, value in table.items() if key != "schedule" or not table.get("stages")}
)


def test_patterns(tmp_path: Path) -> None:
    """A pattern stands for the folders with a bot file, sorted; names and command lines stay, nobody comes twice.

    A star and a number after a bot are copies.
    """
    enter(tmp_path, "bots/b", "bots/a", "more/c=d", "here", "v*1")
    (tmp_path / "bots" / "empty").mkdir()
    texts = ["bots/a", "greedy", "bots/*", "here", "m=python3 *.py", "more/*"]
    wanted = ["bots/a", None, "bots/b", "here", None, "more/c=d"]
    kept = ["greedy", "m=python3 *.py"]
    found = resolve_bots(texts, tmp_path)
    assert [os.path.relpath(text, tmp_path) if text not in kept else None for text in found] == wanted
    assert [text for text in found if text in kept] == kept
    folder = f"{tmp_path}/here"
    texts = ["greedy*2", "here*2", "old=here", "old*2=./bots/a", "r=random*2", "m=sh here"]
    wanted = ["greedy*2", f"{folder}*2", f"old={folder}", f"old*2={tmp_path}/./bots/a", "r=random*2", "m=sh here"]
    assert resolve_bots(texts, tmp_path) == wanted
    assert resolve_bots(["v*1"], tmp_path) == [f"{tmp_path}/v*1"]
    with pytest.raises(UsageError, match=r"expected folders with a bot.toml, got none for 'bots/e\*'"):
        resolve_bots(["bots/e*"], tmp_path)


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder to write settings into, again and again."""
    return tmp_path_factory.mktemp("desk")


@given(table=_TABLES)
@settings(max_examples=50, deadline=None)
def test_what_is_written_is_read(desk: Path, table: dict[str, Any]) -> None:
    """Whatever stands in a file under known keys in the right types is read as it stands; the rest is left out."""
    assert set(_VALUES) == set(TABLES[""])
    flat = {key: value for key, value in table.items() if key not in ("clocks", "entries", "final", "notify")}
    flat |= {
        f"{name}.{key}": each
        for name in ("clocks", "entries", "final", "notify")
        for key, each in table.get(name, {}).items()
    }
    wanted = {name: flat[key] for name, key in keys(LeagueSettings).items() if flat.get(key) not in (None, [], {})}
    forms: dict[str, Callable[[Any], Any]] = {
        "seats": str,
        "out": lambda out: desk / out,
        "readable": lambda paths: [str(desk / path) for path in paths],
    }
    wanted |= {name: forms[name](wanted[name]) for name in forms if name in wanted}
    if "stages" in wanted:
        wanted["schedule"] = "+".join(wanted["stages"])
    got = read_settings_file(settle(desk, table))
    assert {name: list(value) if isinstance(value, tuple) else value for name, value in got.items()} == wanted
    assert got == read_settings_file(settle(desk, dict(reversed(table.items()))))


@given(table=_TABLES, where=st.sampled_from([*TABLES, "limits"]), key=_TEXT)
@settings(max_examples=50, deadline=None)
def test_no_unknown_key_is_passed_over(desk: Path, table: dict[str, Any], where: str, key: str) -> None:
    """One unknown key, in whichever table, is refused with its name, whatever else stands there."""
    known = TABLES | {"limits": LIMIT_KEYS}
    assume(key not in known[where])
    table = {**table, where: {**table.get(where, {}), key: 1}} if where else {**table, key: 1}
    with pytest.raises(UsageError) as caught:
        read_settings_file(settle(desk, table))
    prefix = f"{where}: " if where else ""
    assert str(caught.value).startswith(f"{desk / SETTINGS_FILE}: {prefix}expected a known key, got {key!r}")


@pytest.mark.long
@given(st.text(max_size=40) | st.text("[]{}=\".,'a1\n#-", max_size=40))
@settings(max_examples=100, deadline=None)
def test_any_text_is_read_or_refused(desk: Path, text: str) -> None:
    """Whatever the file holds, it is read or refused as one that is wrong: nothing else comes of it."""
    (desk / SETTINGS_FILE).write_text(text, encoding="utf-8", errors="surrogatepass", newline="")
    wrong = ""
    try:
        read_settings_file(desk / SETTINGS_FILE)
    except UsageError as error:
        wrong = str(error)
    assert not wrong or wrong.startswith(f"{desk / SETTINGS_FILE}: ")
