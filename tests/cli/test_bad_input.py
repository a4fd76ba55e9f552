"""Mistakes on the command line: exit 2 and one line that says what was expected, what was got, and the nearest name."""

from pathlib import Path

import pytest

from arena import games
from tests.cli.command import ARENA, arena, inside, refusal
from tests.documents import ROOT

RUN = ("run", "-g", "cash-a-catch", "greedy", "random")
GREEDY = str(ROOT / "bots" / "greedy")
HOUSED = str(ROOT / "examples/nightly-league/bots/eel")
KNOWN = ", ".join(games.names())

MISTAKES = [
    (("help",), "expected a command, got 'help'; did you mean `arena --help`?"),
    (("version",), "expected a command, got 'version'; did you mean `arena --version`?"),
    (("rnu",), "expected a command, got 'rnu'; did you mean 'run'?"),
    (("--json",), "expected an option of `arena`, got '--json'"),
    (("run",), f"--game: expected a game of {KNOWN} or all, got none"),
    (("run", "lur"), f"--game: expected a game of {KNOWN} or all, got none; did you mean 'lure'?"),
    (("run", "lure", "-g", "dockfight"), "--game: expected 'lure' as in the first argument, or none, got dockfight"),
    (("play", "lur", "greedy"), f"--game: expected one game of {KNOWN}, got none; did you mean 'lure'?"),
    (("rules", "lure", "dockfight"), "expected no further arguments, got 'dockfight'; see `arena rules --help`"),
    (("replay", "results/demo", "#0", "--decision", "9999"), "--decision: expected a decision from 0 to "),
    (("replay", "results/demo", "#0", "--decision", "-2"), "--decision: expected a decision from 0 to "),
    (("schema", "--of", ""), "--of: expected wire, record, run, bot, config, replay, got ''"),
    (
        ("check", f"a={'x' * 300}"),
        f"expected a bot this machine can run, got: a needs {'x' * 300}, which is not on PATH",
    ),
    ((*RUN, f"./{'x' * 300}"), f"{'x' * 300}: expected a folder with a bot.toml, got none"),
    (("matches", "x" * 300), f"{'x' * 300}: File name too long"),
    (("run", "-g", "cash-a-cach"), f"expected a game of {KNOWN}, got 'cash-a-cach'; did you mean 'cash-a-catch'?"),
    ((*RUN, "gredy"), "a folder with a bot.toml or NAME=COMMAND LINE, got 'gredy'; did you mean 'greedy'?"),
    ((*RUN, f"{HOUSED}s"), f"{HOUSED}s: expected a folder with a bot.toml, got none; did you mean {HOUSED!r}?"),
    ((*RUN, "./nowhere"), "nowhere: expected a folder with a bot.toml, got none"),
    ((*RUN, __file__), 'expected a folder with a bot.toml, got a file; enter the program as "test_bad_input=python3 '),
    ((*RUN, "a=/usr"), "/usr: expected a folder with a bot.toml, got none"),
    ((*RUN, HOUSED, HOUSED), "got 'eel' twice; eel*2 enters two copies"),
    ((*RUN, "random*101"), "random: expected 1 to 100 copies, got 101"),
    ((*RUN, "-o", ""), "--out: expected a folder, got ''; see `arena run --help`"),
    (("merge", "results/demo", "-o", ""), "--out: expected a folder, got ''; see `arena merge --help`"),
    ((*RUN, "--until", "decided,alpha=nan"), "--until: format balanced: expected a number as alpha, got 'nan'"),
    ((*RUN, "--schedule", "knockout,losses=x"), "--schedule: format knockout: expected a whole number as losses, got"),
    ((*RUN, "-o", GREEDY), "--out: expected a folder for results, got a bot's"),
    (("new", "bot", f"{__file__}/mine"), "test_bad_input.py/mine: Not a directory"),
    ((*RUN, "a="), "a: expected a bot or a command line after the equals sign, got none"),
    (
        (*RUN, "Greedy=python3 mine.py"),
        "expected bots of different names, got 'greedy' and 'Greedy'; NAME=BOT gives another name",
    ),
    ((*RUN, "greedy"), "expected bots of different names, got 'greedy' twice; greedy*2 enters two copies"),
    ((*RUN, "--sede", "3"), "expected an option of `arena run`, got '--sede'; did you mean '--seed'?"),
    ((*RUN, "--jsn"), "expected an option of `arena run`, got '--jsn'; did you mean '--json'?"),
    ((*RUN, "--json=yes"), "--json: expected no value, got one; see `arena run --help`"),
    ((*RUN, "--format", "tabel"), "expected table, markdown, csv, json, got 'tabel'; did you mean 'table'?"),
    ((*RUN, "--variant", "bell"), "--variant: expected K=V such as bell=lot, got 'bell'"),
    ((*RUN, "--variant", "bel=lot"), "expected a variant of bell, got 'bel'; did you mean 'bell'?"),
    ((*RUN, "--variant", "bell=nearst"), "expected bell=lot|nearest, got bell=nearst; did you mean 'nearest'?"),
    ((*RUN, "--seats", "four"), "--seats: expected N or A-B within 3-5 for cash-a-catch, got 'four'"),
    ((*RUN, "--seats", "2"), "--seats: expected N or A-B within 3-5 for cash-a-catch, got '2'"),
    ((*RUN, "--seats", "5-3"), "--seats: expected N or A-B within 3-5 for cash-a-catch, got '5-3'"),
    ((*RUN, "-n", "0"), "--matches: expected a whole number from 1 to 10000000, got '0'; see `arena run --help`"),
    ((*RUN, "-n", "x"), "--matches: expected a whole number from 1 to 10000000, got 'x'; see `arena run --help`"),
    ((*RUN, "--move-time", "0s"), "--move-time: expected a time from 1ms to 24h such as 400ms, 1s or 10m, got '0s'"),
    (
        (*RUN, "--bank", "30"),
        "--bank: expected a time from 1ms to 24h such as 30s, or 30s+100ms with an increment for each",
    ),
    ((*RUN, "--budget", "2d"), "--budget: expected a time from 1ms to 24h such as 400ms, 1s or 10m, got '2d'"),
    ((*RUN, "--limit", "memory"), "--limit: expected KEY=VALUE such as line=64KiB, got 'memory'"),
    (
        (*RUN, "--limit", "memroy=1GiB"),
        "stderr, memory, processes, file, descriptors, cpu, got 'memroy'; did you mean 'memory'?",
    ),
    ((*RUN, "--limit", "move=2s"), "processes, file, descriptors, cpu, got 'move'; --move-time sets it"),
    (
        (*RUN, "--limit", "line=1B"),
        "--limit line: expected a size from 1KiB to 1MiB such as 64KiB, 512MiB or 65536, got",
    ),
    ((*RUN, "--limit", "descriptors=3"), "--limit descriptors: expected a whole number from 16 to 1048576, got '3'"),
    (("check", "random", "--limit", "line=2"), "--limit line: expected a size from 1KiB to 1MiB"),
    ((*RUN, "--seed", ""), "--seed: expected a text, got an empty one"),
    ((*RUN, "--seed", "\udcff"), "--seed: expected a text in UTF-8, got '\\udcff'"),
    ((*RUN, "-o", "mine.py/run"), "--out: expected a folder, got a file: mine.py"),
    (
        ("leaderboard", "results/dmo"),
        "results/dmo: expected a run folder with a run.json, got none; did you mean 'results/demo'?",
    ),
    (("matches", "reslts/demo"), "got none; did you mean 'results/demo'?"),
    (("export", "results"), "results: expected a run folder with a run.json, got a folder of runs, such as 'results/"),
    (("export", "nowhere"), "nowhere: expected a run folder with a run.json, got none"),
    (("replay", "nowhere", "#0"), "nowhere: expected a run folder with a run.json, got none"),
    (
        ("matches", "results/demo", "--bot", "gredy"),
        "(greedy, random, mine, slip), got 'gredy'; did you mean 'greedy'?",
    ),
    (("matches", "results/demo", "--lost"), "--lost: expected --bot beside it, got none"),
    (("replay", "results/demo"), "expected MATCH, got none; write 1 or '#1': to a shell # begins a remark"),
    (
        ("replay", "results/demo", "#16"),
        "expected a match of results/demo (#0 to #15 or the beginning of an id), got '#16'; see `arena matches`",
    ),
    (("replay", "results/demo", "#" + "9" * 6000), "got '#999"),
    (
        ("replay", "results/demo", "e0b1"),
        "expected the id of one match, got 'e0b1', with which 4 ids begin: e0b1r0, e0b1r1",
    ),
    (("replay", "results/demo", "#0", "--seat", "4"), "--seat: expected a seat from 0 to 3, got 4"),
    (("replay", "results/demo", "#0", "--seat", "x"), "--seat: expected a whole number from 0 to 7, got 'x'"),
    (("rules", "dokfight"), f"expected a game of {KNOWN}, got 'dokfight'; did you mean 'dockfight'?"),
    (("games", "all"), "expected no further arguments, got 'all'; see `arena games --help`"),
    (
        ("schema", "--of", "wier"),
        "--of: expected wire, record, run, bot, config, replay, got 'wier'; did you mean 'wire'?",
    ),
]


@pytest.mark.parametrize(("words", "line"), MISTAKES, ids=[ascii(" ".join(words)) for words, _ in MISTAKES])
def test_mistakes(
    finished: tuple[Path, object],
    words: tuple[str, ...],
    line: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """A mistake gets exit 2 and one line on stderr: what was expected, what was got, and the nearest name."""
    before = sorted(finished[0].rglob("*"))
    code = inside(monkeypatch, finished[0], *words)
    said = capsys.readouterr()
    assert (code, said.out) == (2, "")
    assert said.err.startswith("arena: ")
    assert said.err.count("\n") == 1
    assert line in said.err
    assert sorted(finished[0].rglob("*")) == before


@pytest.mark.parametrize(("words", "line"), [MISTAKES[0], MISTAKES[-1]], ids=["first", "last"])
def test_mistakes_of_a_real_command(place: Path, words: tuple[str, ...], line: str) -> None:
    """So it is for the command started from outside."""
    assert line in refusal(place, *words)


@pytest.mark.parametrize("words", [("-o", "o\udcff"), ("-o", "o", "--readable", "\udcff")], ids=["out", "readable"])
def test_a_path_that_is_no_text(place: Path, words: tuple[str, ...]) -> None:
    """A path that is not UTF-8 is refused where it would have to be sent on."""
    (place / "\udcff").mkdir()
    assert "expected paths in UTF-8, got b'" in refusal(place, *RUN, "-q", *words)
    monkey = place / "\udcff"
    assert "expected paths in UTF-8, got b'" in refusal(monkey, *RUN, "-q", "-o", "o")
    assert arena(place, *RUN, "-q", "-n", "3", "-o", "o", env={"TMPDIR": str(monkey)}, code=2).err.count("\n") == 1


def test_a_game_the_bot_does_not_play(place: Path) -> None:
    """A bot that does not play the game is refused before the first match of any game."""
    folder = place / "only"
    folder.mkdir()
    (folder / "bot.toml").write_text('name = "only"\ngames = ["cash-a-catch"]\ncommand = ["{python}", "../mine.py"]\n')
    wrong = refusal(place, "run", "-g", "all", "-n", "2", "-o", "never", "only", "greedy")
    assert wrong == "expected bots that play catch-of-the-day, got 'only', which plays cash-a-catch"
    assert not (place / "never").exists()


def test_no_command(place: Path) -> None:
    """Without a command the help is shown, and nothing was done: exit 2."""
    said = arena(place, code=2)
    assert said.out == ""
    assert said.err.startswith("Usage: arena [OPTIONS] COMMAND")
    assert ARENA[-1] in said.err
