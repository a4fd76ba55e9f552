"""The public library: runs opened, resumed and read from Python, with code of this process beside real processes."""

import os
import signal
import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from datetime import datetime, tzinfo
from pathlib import Path
from typing import Any, ClassVar, Self

import pytest
from msgspec import UNSET

import arena
from arena import Bot, Decision
from arena.players.lifetime import LINUX
from arena.players.process_tree import children
from arena.python_bots import AnyBot
from arena.tournament.folder import RunFolder
from arena.tournament.standings import compute_standings
from tests.documents import ROOT, blocks
from tests.formats.played import install_duels

GAME = "dockfight"


def first(decision: Decision) -> range:
    """The first options."""
    return range(decision.least)


def last(decision: Decision) -> list[int]:
    """The last options."""
    return list(range(len(decision.options)))[-decision.least :] if decision.least else []


def crooked(_: Decision) -> list[int]:
    """No option at all."""
    return [99]


def raising(_: Decision) -> list[int]:
    """Never an answer."""
    raise KeyError("no plan")


def leaving(_: Decision) -> list[int]:
    """The end of the program, if it had its way."""
    sys.exit(0)


def mumbling(_: Decision) -> list[int]:
    """An error whose text is none that can be written."""
    raise ValueError("a\udcff")


class Speechless(Exception):
    """An error that has no text."""

    def __str__(self) -> str:
        raise OSError


def speechless(_: Decision) -> list[int]:
    """An error that has no text."""
    raise Speechless


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder to work in."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


def opened(*bots: AnyBot, matches: int = 12, out: str = "r") -> arena.OpenRun:
    """A run in one lane without a sandbox, as the quickest there is."""
    return arena.open_run(GAME, bots, matches=matches, out=out, seed="s", seats=2, lanes=1, isolation="none")


def test_functions_and_a_process_play(here: Path) -> None:
    """Two functions and a subprocess bot play a whole run: matches come one by one, and the run holds."""
    with opened(arena.local_bot(first), arena.local_bot(last), "random") as run:
        matches = list(run.play())
    assert len(matches) == 12
    assert {bot for match in matches for bot in match.bots} == {"first", "last", "random"}
    assert not [fault for match in matches for fault in match.faults]
    read = arena.Run(here / "r")
    assert read.finished
    assert [match.id for match in read.matches()] == [match.id for match in matches]
    assert read.verify().holds
    assert {row.bot for row in run.leaderboard().leaderboard} == {"first", "last", "random"}
    assert (here / "r" / "leaderboard.md").is_file()


@pytest.mark.long
def test_it_is_the_same_as_the_command(here: Path) -> None:
    """The library and the command give equal exports for equal settings."""
    with opened("greedy", "random") as run:
        list(run.play())
    words = ["run", "-g", GAME, "greedy", "random", "-n", "12", "-o", "c", "--seed", "s", "--seats", "2"]
    command = [sys.executable, "-P", "-m", "arena", *words, "-j", "1", "--isolation", "none", "-q"]
    subprocess.run(command, cwd=here, check=True, stdout=subprocess.DEVNULL)
    assert list(arena.Run("r").export()) == list(arena.Run("c").export())


@pytest.mark.long
def test_a_loop_that_ends_early_is_resumed() -> None:
    """Who leaves the loop keeps what is recorded; the same call plays the rest and no match twice."""
    with opened(arena.local_bot(first), "random") as run:
        for number, _ in enumerate(run.play(), 1):
            if number == 5:
                break
    before = [match.id for match in arena.Run("r").matches()]
    assert 5 <= len(before) < 12
    with opened(arena.local_bot(first), "random") as run:
        rest = [match.id for match in run.play()]
    assert sorted(before + rest) == sorted({*before, *rest})
    assert len(before + rest) == 12


@pytest.mark.long
def test_a_finished_run_that_lacks_matches_may_be_stopped_again(here: Path) -> None:
    """A finished run whose journal was cut is unfinished while it is played on: wherever that stops, it can be read."""
    bots = arena.local_bot(first), arena.local_bot(last)
    with opened(*bots) as run:
        list(run.play())
    journal = here / "r" / "matches.jsonl"
    journal.write_bytes(b"".join(journal.read_bytes().splitlines(keepends=True)[:8]))
    for recorded in (10, 12):
        with opened(*bots) as run:
            for _ in run.play():
                if len(journal.read_bytes().splitlines()) == recorded:
                    break
        read = arena.Run(here / "r")
        assert not read.finished
        assert len(list(read.matches())) == recorded
        assert len(read.leaderboard().leaderboard) == 2
    with opened(*bots) as run:
        assert not list(run.play())
    assert arena.Run(here / "r").finished
    assert arena.Run(here / "r").verify().holds


@pytest.mark.parametrize(
    ("code", "kind", "said"),
    [
        (crooked, "illegal", "99"),
        (raising, "gone", "KeyError: 'no plan' at test_open_run.py:"),
        (leaving, "gone", "SystemExit: 0 at test_open_run.py:"),
        (mumbling, "gone", "ValueError: a\\udcff at test_open_run.py:"),
        (speechless, "gone", "Speechless: (no text, for that raised OSError) at test_open_run.py:"),
    ],
)
def test_faults_of_a_function(
    code: Callable[[Decision], list[int]], kind: str, said: str, capfd: pytest.CaptureFixture[str]
) -> None:
    """What a function does wrong is its fault, told with the error and its line; the other bot plays on."""
    with opened(code, "random", matches=2) as run:
        faults = [fault for match in run.play() for fault in match.faults]
    assert faults
    assert {fault.kind for fault in faults} == {kind}
    assert said in faults[0].rule
    assert capfd.readouterr() == ("", "")


def test_a_run_in_any_thread() -> None:
    """A run is played in a thread that is not the main one, where no signal can be heard."""

    def played() -> list[arena.Record]:
        with opened("greedy", "random", matches=2) as run:
            return list(run.play())

    with ThreadPoolExecutor(1) as threads:
        assert len(threads.submit(played).result()) == 2


def test_runs_that_overlap() -> None:
    """A run that ends leaves alone what a younger one has started that is open in the same program."""

    def played() -> tuple[list[int | None], int]:
        with ExitStack() as held:
            with opened(first, last, matches=2, out="old"):
                young = held.enter_context(opened("greedy", "random", matches=2, out="young"))
                theirs = [lane.popen for lane in young.lanes._lanes]
                assert young.lanes._guard is not None
                theirs.append(young.lanes._guard)
            return [popen.poll() for popen in theirs], sum(1 for _ in young.play())

    # where no signal is heard, in any order
    with ThreadPoolExecutor(1) as threads:
        assert threads.submit(played).result() == ([None, None], 2)


class Counting(Bot):
    """Counts the questions of its life."""

    lives: ClassVar[list[int]] = []

    def __init__(self) -> None:
        self.asked = 0
        self.lives.append(0)

    def decide(self, decision: Decision, /) -> range:
        self.asked += 1
        self.lives[-1] = self.asked
        return range(decision.least)


def test_no_life_sees_a_deal_twice() -> None:
    """A class is called again for each job of a lane, as a process would be started again."""
    Counting.lives.clear()
    with opened(arena.local_bot(Counting), "random", matches=4) as run:
        list(run.play())
    assert len(Counting.lives) >= 1
    assert all(asked > 0 for asked in Counting.lives)


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"move_time": "1x"}, "move_time: expected a time"),
        ({"lanes": 0}, "lanes: expected a whole number from 1 to 1024, got 0"),
        ({"movetime": "1s"}, "expected fields of RunSpec"),
        ({"matches": "many"}, "matches: expected `int | null`, got `str`"),
        ({"isolation": "box"}, "isolation: expected auto, sandboxed, none, landlock, bwrap, got 'box'"),
    ],
)
def test_usage_errors_name_the_field(settings: dict[str, Any], said: str) -> None:
    """A setting that is wrong is a UsageError with the field's name, not an option's."""
    with pytest.raises(arena.UsageError) as caught:
        arena.open_run(GAME, ["greedy", "random"], **settings)
    assert str(caught.value).startswith(said)


class Needy(Bot[Any]):
    """Cannot be made without a word."""

    def __init__(self, word: str) -> None:
        self.word = word

    def decide(self, decision: Decision, /) -> range:
        """The first options."""
        return range(decision.least)


class Clumsy(Bot[Any]):
    """Fails as it is made."""

    def __init__(self) -> None:
        raise OSError("no notes")

    decide = Needy.decide


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda: arena.open_run(GAME, [first, first]), "expected bots of different names, got 'first' twice"),
        (lambda: arena.open_run(GAME, [5]), "expected a function or a Bot, got int"),  # type: ignore[list-item]
        (lambda: arena.open_run(GAME, Needy), "expected a class of which `Needy()` makes a bot, got: missing"),
        (lambda: arena.open_run(None, "greedy"), "games: expected `array`, got `null`"),  # type: ignore[arg-type]
        (lambda: arena.check(first, GAME), "expected a bot that is a program"),  # type: ignore[arg-type]
        (lambda: arena.sit_down(GAME, "greedy"), "expected code of this process in the seat, got 'greedy'"),
        (lambda: arena.play_many(GAME, "greedy", matches="4"), "matches: expected a whole number"),  # type: ignore[arg-type]
        (
            lambda: arena.compare("greedy", "random", GAME, until="decided,alpha=7"),
            "until: alpha: expected a number between 0 and 1, got '7'",
        ),
        (
            lambda: arena.compare("greedy", "random", GAME, until="best"),
            "until: expected decided, equal=M, sprt=A,B or",
        ),
    ],
)
def test_mistakes_in_a_call(call: Callable[[], object], said: str) -> None:
    """What a call is given wrong is an error of arena's own kind, in words; none of Python's comes out of arena."""
    with pytest.raises(arena.ArenaError) as caught:
        call()
    assert str(caught.value).startswith(said)


def test_code_as_it_is() -> None:
    """Functions and classes are bots as they are; a class that fails as it is made has the fault `gone`."""
    with opened(Clumsy, "random", matches=2) as run:
        faults = [fault for match in run.play() for fault in match.faults]
    assert {fault.kind for fault in faults} == {"gone"}
    assert "OSError: no notes at test_open_run.py:" in faults[0].rule
    match = arena.sit_down(GAME, first, ["random"], seats=2, isolation="none")
    assert sorted(match.bots) == ["first", "random"]


@pytest.mark.long
def test_errors_say_whose_fault_it_is(here: Path) -> None:
    """A bot that is not there is a BotError, one that cannot start a NotReadyError; damage is told as such."""
    with pytest.raises(arena.BotError):
        arena.open_run(GAME, ["greddy", "random"])
    with pytest.raises(arena.NotReadyError) as caught, opened("mute=true", "random"):
        pass
    assert set(caught.value.bots) == {"mute"}
    with opened("greedy", "random", matches=2) as run:
        list(run.play())
    journal = here / "r" / "matches.jsonl"
    journal.write_bytes(b"spoilt" + journal.read_bytes()[6:])
    with pytest.raises(arena.DamagedError):
        list(arena.Run("r").matches())


def test_importing_it_loads_nothing_else() -> None:
    """``import arena`` loads no other module of arena and no other package: it stays far below 50 ms."""
    code = "import sys; import arena; print(*[name for name in sys.modules if name.startswith(('arena.', 'msgspec'))])"
    done = subprocess.run([sys.executable, "-P", "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == ""


def test_runs_of_one_second(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Runs that nobody names begin in folders of their own, though at once; one that plays nothing has none."""

    def run_of(*bots: AnyBot) -> arena.OpenRun:
        return arena.open_run(GAME, bots, matches=2, seats=2, lanes=1, isolation="none")

    monkeypatch.setattr("arena.tournament.spec.datetime", Stopped)
    with pytest.raises(arena.BotError), run_of(first, "x=false"):
        pass
    assert list(here.iterdir()) == []
    # both have chosen their folder before either makes it
    one, two = run_of(first, last), run_of(first, last)
    with one, two:
        assert len([*one.play(), *two.play()]) == 4
    assert [run.path.name for run in (one, two)] == ["dockfight-20270101-000000", "dockfight-20270101-000000-2"]
    assert sorted(here.iterdir()) == [here / "results"]


class Stopped(datetime):
    """A clock that stands still."""

    @classmethod
    def now(cls, tz: tzinfo | None = None) -> Self:
        """The first second of a year."""
        return cls(2027, 1, 1, tzinfo=tz)


@pytest.mark.long
def test_what_a_table_may_say() -> None:
    """One look at a run of fixed length; every look once it is extended, or if more is to come; a Swiss is paired."""
    bots: list[arena.LocalBot | str] = [arena.local_bot(first), "greedy"]
    settings: dict[str, Any] = {"seed": "s", "seats": 2, "lanes": 1, "isolation": "none"}
    for matches, looks in ((4, "one"), (8, "every")):
        with arena.open_run(GAME, bots, out="r", matches=matches, **settings) as run:
            list(run.play())
            assert run.leaderboard().looks == looks
    with arena.open_run(GAME, bots, out="s", matches=4, schedule="swiss", **settings) as run:
        list(run.play())
        assert run.leaderboard().looks == "paired"
    with arena.open_run(GAME, bots, out="t", matches=4, **settings) as run:
        list(run.play())
    folder = RunFolder(Path("t"))
    assert compute_standings(folder).leaderboard.looks == "one"
    assert compute_standings(folder, goes_on=True).leaderboard.looks == "every"


@pytest.mark.long
def test_a_run_until_and_within() -> None:
    """A run from Python ends when the table is decided, or when its time is up; then it is resumed by the same call."""
    bots: list[arena.LocalBot | str] = [arena.local_bot(first), "greedy"]
    settings: dict[str, Any] = {"matches": 400, "seed": "s", "seats": 2, "lanes": 1, "isolation": "none"}
    with arena.open_run(GAME, bots, out="r", until="order", within="1ms", **settings) as run:
        played = list(run.play())
        assert not run.runs[0].finished
    with arena.open_run(GAME, bots, out="r", until="order", **settings) as run:
        played += list(run.play())
        assert run.runs[0].finished
        bracket = run.leaderboard().bracket
    assert len(played) == 64
    assert bracket is not UNSET
    assert bracket.certain
    assert bracket.notes == ("Decided after 32 of at most 200 blocks.",)
    with pytest.raises(arena.UsageError, match="expected decided, best, top=K or order, got 'sure'"):
        arena.open_run(GAME, bots, until="sure")


@pytest.mark.long
def test_a_format_of_another_package(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A format that a package adds by its entry point is played, told and verified; one that fails is a fault told."""
    install_duels(here, monkeypatch)
    bots: list[arena.LocalBot | str] = [arena.local_bot(first), arena.local_bot(last), "random"]
    table: dict[str, Any] = {"seed": "s", "seats": 2, "lanes": 1, "isolation": "none"}
    with arena.open_run("dockfight", bots, out="r", schedule="duel,blocks=3", **table) as run:
        matches = list(run.play())
    assert [set(match.bots) for match in matches] == [{"first", "last"}] * 6
    bracket = run.leaderboard().bracket
    assert bracket is not UNSET
    assert [place.bot for place in bracket.places] == ["first", "last", "random"]
    assert bracket.notes == ("3 duels.",)
    assert "- 3 duels." in (here / "r" / "leaderboard.md").read_text()
    assert arena.Run("r").verify().holds
    with (
        pytest.raises(arena.DamagedError, match="epoch 0: KeyError: 'no second round'"),
        arena.open_run("dockfight", bots, out="f", schedule="duel,fails=true", **table) as run,
    ):
        list(run.play())


def test_every_public_name_is_there_and_documented() -> None:
    """Each name in ``__all__`` can be had, and the page tells of it."""
    page = (ROOT / "docs" / "library.md").read_text(encoding="utf-8")
    for name in arena.__all__:
        assert getattr(arena, name) is not None
    functions = ("open_run", "read_runs", "local_bot", "check", "compare", "sit_down", "play_many", "play_season")
    assert [name for name in (*functions, "task") if f"arena.{name}" not in page and f"`{name}`" not in page] == []


@pytest.mark.long
def test_the_page_runs(here: Path) -> None:
    """Every example of docs/library.md runs as it stands, one after the other."""
    text = (ROOT / "docs" / "library.md").read_text(encoding="utf-8")
    codes = blocks(text, "python")
    assert len(codes) >= 4
    for code in codes:
        done = subprocess.run([sys.executable, "-P", "-c", code], cwd=here, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        if "forgetful" in code:
            assert "last: forgetful {'gone': " in done.stdout
            assert "it wrote: where are my notes? (results/three/logs/forgetful.log)" in done.stdout
        if "NotReadyError" in code:
            assert done.stdout.startswith("this bot cannot start: broken ")


@pytest.mark.skipif(not LINUX, reason="elsewhere nothing is swept")
def test_programs_of_the_script_are_left_alone() -> None:
    """What a script starts while a run is open lives on, at the end of the run and when a lane is killed in it."""
    mine: list[subprocess.Popen[bytes]] = []
    try:
        with opened(arena.local_bot(first), arena.local_bot(last), matches=4) as run:
            mine.append(subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE))
            for _ in run.play():
                lanes = [pid for pid in children() if b"tournament.lane" in Path(f"/proc/{pid}/cmdline").read_bytes()]
                if len(mine) == 1:
                    mine.append(subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE))
                    os.kill(lanes[0], signal.SIGKILL)
        assert sum(1 for _ in run.runs[0].matches()) == 4
        assert [each.poll() for each in mine] == [None, None]
    finally:
        for each in mine:
            each.communicate(b"\n")
    assert [each.returncode for each in mine] == [0, 0]
