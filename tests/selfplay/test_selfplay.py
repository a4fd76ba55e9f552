"""Self-play: the matches and the table of a run, without its processes."""

import json
import multiprocessing
import os
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import msgspec
import pytest
from msgspec.structs import replace

import arena
from arena import Bot, BotError, Decision, Record, UsageError, games
from arena.bot import Hello, Over
from arena.chance import Chance
from arena.errors import HostError
from arena.laws.table import play
from arena.report.render import render
from arena.selfplay.players import from_file, message
from arena.starters import write_bot
from tests.documents import ROOT, blocks

GAME = "dockfight"


def first(decision: Decision) -> range:
    """The first options."""
    return range(decision.least)


def last(decision: Decision) -> list[int]:
    """The last options."""
    return list(range(len(decision.options)))[-decision.least :] if decision.least else []


def dreamer(decision: Decision) -> list[int]:
    """Depends on all that it is told: observation, events, greeting and its own dice."""
    seen = f"{decision.observation}{decision.events}{decision.hello}{decision.time}{decision.rng.random()}"
    most = decision.most if sum(seen.encode()) % 2 else decision.least
    return decision.rng.sample(range(len(decision.options)), most)


def crooked(_: Decision) -> list[int]:
    """No option at all."""
    return [99]


def raising(_: Decision) -> list[int]:
    """Never an answer."""
    raise KeyError("no plan")


class Counter(Bot[Any]):
    """Counts in its life."""

    def __init__(self) -> None:
        self.begun: list[Hello] = []
        self.ended = 0

    def begin(self, hello: Hello, /) -> None:
        self.begun.append(hello)

    def decide(self, decision: Decision, /) -> range:
        assert self.begun[-1] == decision.hello
        assert self.ended == len(self.begun) - 1
        return range(decision.least)

    def over(self, over: Over, /) -> None:
        assert len(over.ranks) == self.begun[-1].seats
        self.ended += 1


def played(*policies: Any, matches: int = 24, **settings: Any) -> tuple[arena.Leaderboard, dict[str, Record]]:
    """The leaderboard, and each match by its id."""
    found: dict[str, Record] = {}
    totals = set()

    def progress(record: Record, total: int) -> None:
        found[record.id] = record
        totals.add(total)

    settings = {"seed": "s", "processes": 1, **settings}
    board = arena.play_many(GAME, policies, matches=matches, progress=progress, **settings)
    assert totals == {len(found)}
    return board, found


def ran(out: Path, *bots: Any, **settings: Any) -> tuple[arena.Leaderboard, dict[str, Record]]:
    """The same of a real run, whose shipped bots are processes."""
    with arena.open_run(GAME, bots, matches=24, out=out, seed="s", lanes=1, isolation="none", **settings) as run:
        matches = {match.id: bare(match) for match in run.play()}
        return run.leaderboard(), matches


def bare(record: Record) -> Record:
    """A record without times."""
    return replace(record, micros=(), charged=(), seconds=0.0, burnt=())


@pytest.mark.long
def test_the_table_of_a_run(tmp_path: Path) -> None:
    """A real run of subprocesses and local code with the same seed has the same matches, move for move, and table."""
    table, matches = ran(tmp_path / "run", "greedy", "random", arena.local_bot(dreamer), seats="2-4")
    board, found = played("greedy", "random", dreamer, seats="2-4")
    assert matches == found
    assert board.decisions == table.decisions
    rows = [replace(row, ms_median=None, ms_p99=None) for row in table.leaderboard]
    assert list(board.leaderboard) == rows
    # only of a run's own processes is it to be told with whose rights they played
    unsafe = "Played without a sandbox, with the rights of who started the run: dreamer."
    assert (board.seats, board.seed, (*board.notes, unsafe)) == ("2-4", "s", table.notes)
    # printed, it is what `arena selfplay` prints
    assert f"{board}\n" == render(board, "table")


def test_faults_are_those_of_a_run(tmp_path: Path) -> None:
    """Picks that are not legal are faults, silence answers, and too many retire a bot, all as in a run."""
    table, matches = ran(tmp_path / "run", arena.local_bot(crooked), arena.local_bot(first))
    board, found = played(crooked, first)
    assert matches == found
    assert board.decisions == table.decisions
    assert next(row for row in board.leaderboard if row.bot == "crooked").faults["illegal"] > 0


@pytest.mark.parametrize("game", games.names())
def test_greedy_has_a_page_for_each_game(game: str) -> None:
    """Greedy plays every game here by its page, without a fault."""
    board = arena.play_many(game, ["greedy", "random"], matches=2, seed="s", seats=games.find(game).seats[0])
    assert not [row.faults for row in board.leaderboard if row.faults]
    assert board.decisions > 0


@pytest.mark.parametrize("game", games.names())
def test_pages_are_told_what_messages_tell(game: str) -> None:
    """At every decision of a match a page is told the options and the observation of the message, as plain data."""
    found = games.find(game)
    state = found.deal(found.usual_seats, bytes(32), found.resolve_variants({}))
    for pending in play(state, Chance(b"told")):
        for seat, decision in pending.decisions.items():
            observation = state.observe(seat)
            assert json.loads(json.dumps(message(decision, observation))) == {
                "least": decision.least,
                "most": decision.most,
                "options": json.loads(msgspec.json.encode(decision.options)),
                "observation": json.loads(msgspec.json.encode(observation)),
            }


def test_processes_change_nothing() -> None:
    """Two processes play the matches of one, functions within functions too."""

    def inner(decision: Decision) -> range:
        return range(decision.least)

    board, found = played(dreamer, inner, processes=2)
    alone, same = played(dreamer, inner)
    assert found == same
    assert replace(board, seconds=0.0) == replace(alone, seconds=0.0)


@pytest.mark.parametrize("processes", [1, 2])
def test_told_of_matches_or_not(processes: int) -> None:
    """Who is told of no match gets the same table."""
    board, _ = played(dreamer, last, crooked, processes=processes)
    untold = arena.play_many(GAME, [dreamer, last, crooked], matches=24, seed="s", processes=processes)
    assert replace(board, seconds=0.0) == replace(untold, seconds=0.0)


def test_processes_that_fail(tmp_path: Path) -> None:
    """A process that is lost ends self-play, as does an error that cannot be sent as it is; no process is left."""
    script = tmp_path / "script.py"
    script.write_text(
        "import multiprocessing, os, arena\n"
        "class Odd(BaseException):\n"
        "    def __init__(self, why, where):\n        super().__init__(why)\n"
        "def lost():\n    os._exit(1)\n"
        "def odd():\n    raise Odd('no book', 'here')\n"
        "for begun in lost, odd:\n"
        "    class Bot(arena.Bot):\n"
        "        def __init__(self):\n            begun()\n"
        "        def decide(self, decision):\n            return [0]\n"
        "    try:\n"
        f"        arena.play_many({GAME!r}, Bot, matches=8, seed='s', processes=2)\n"
        "    except (arena.HostError, RuntimeError) as error:\n"
        "        print(error, multiprocessing.active_children())\n",
        encoding="utf-8",
    )
    ended = subprocess.run([sys.executable, script], capture_output=True, text=True, check=False, timeout=300)
    lost = "expected the processes of self-play to live, got one that was lost []"
    assert (ended.stdout.splitlines(), ended.stderr) == ([lost, "Odd: no book []"], "")


@pytest.mark.long
def test_beside_threads() -> None:
    """Beside another thread this process is never copied: code is loaded again elsewhere, or plays here alone."""
    stop = threading.Event()
    thread = threading.Thread(target=stop.wait)
    thread.start()
    try:
        here = played("random", lambda_named(), matches=8, processes=2)
        there = played("random", "greedy", matches=8, processes=2)
    finally:
        stop.set()
        thread.join()
    assert here[1] == played("random", lambda_named(), matches=8)[1]
    assert there[1] == played("random", "greedy", matches=8)[1]
    assert not multiprocessing.active_children()


def lambda_named() -> arena.LocalBot:
    """A function that cannot be sent."""
    return arena.local_bot(lambda decision: range(decision.least), "me")


def test_lives() -> None:
    """A class is called, and a Bot copied, for each run of matches; each hears begin and over in turn."""
    one = Counter()
    one.name = "one"
    board, found = played(Counter, one, matches=24)
    assert len(found) == 24
    assert not one.begun
    assert not [row.faults for row in board.leaderboard if row.faults]


def test_one_alone_plays_itself() -> None:
    """One policy plays copies of itself at the usual table."""
    board, _ = played(first, matches=3)
    assert {row.bot for row in board.leaderboard} == {"first", "first#2", "first#3"}


@pytest.mark.parametrize("processes", [1, 2])
def test_an_error_comes_out(processes: int) -> None:
    """An error of a policy ends self-play in one line that names bot, error, place and match."""
    wanted = r"bot raising: expected an answer, got KeyError: 'no plan' at .*test_selfplay\.py:\d+ \(match e0b\d+r\d+"
    with pytest.raises(BotError, match=wanted):
        played(raising, first, processes=processes)


@pytest.mark.parametrize("method", ["pending", "apply", "standing"])
def test_an_error_of_the_game_is_the_games(monkeypatch: pytest.MonkeyPatch, method: str) -> None:
    """What the code of a game raises is told of the game, with its place and match: no bot is blamed."""

    def flawed(*_: object) -> None:
        raise ZeroDivisionError("a flaw")

    monkeypatch.setattr(games.find(GAME).state, method, flawed)
    wanted = r"^dockfight: expected the game to go on, got ZeroDivisionError: a flaw at .*\(match e0b"
    with pytest.raises(HostError, match=wanted):
        played(first, last, processes=1)


@pytest.mark.parametrize("processes", [1, 2])
def test_code_that_makes_no_bot(processes: int) -> None:
    """A bot that cannot be made or copied ends self-play in one line that names it, and the error with its place."""

    class Clumsy(Bot[Any]):
        def __init__(self) -> None:
            raise OSError("no notes")

        def decide(self, _: Decision, /) -> list[int]:
            return []

    class Locked(Counter):
        def __init__(self) -> None:
            super().__init__()
            self.lock = threading.Lock()

    wanted = r"^bot Clumsy: expected a new player for its matches, got OSError: no notes at .*test_selfplay\.py:\d+"
    with pytest.raises(BotError, match=wanted):
        played(Clumsy, first, processes=processes)
    with pytest.raises(BotError, match=r"^bot Locked: expected a new player .*, got TypeError: .*lock.* at .*:\d+"):
        played(Locked(), first, processes=processes)


def test_classes_of_no_bots() -> None:
    """A class that is not one of arena.Bot, or that has no ``decide``, is refused at once."""

    class Alone:
        def decide(self, decision: Decision) -> range:
            return range(decision.least)

    class Mute(Bot[Any]):
        pass

    with pytest.raises(BotError, match=r"^expected a class of arena\.Bot, got Alone, a class of something else$"):
        played(Alone, first)
    with pytest.raises(BotError, match=r"^expected a class of which `Mute\(\)` makes a bot, got one without decide$"):
        played(Mute, first)


@pytest.mark.parametrize("processes", [1, 2])
def test_a_bot_that_leaves(processes: int) -> None:
    """A bot that wants to end the program, or whose error has no text, ends self-play as any error does."""

    class Odd(Exception):
        def __str__(self) -> str:
            raise ValueError

    def leaves(_: Decision) -> list[int]:
        sys.exit(0)

    def odd(_: Decision) -> list[int]:
        raise Odd

    with pytest.raises(BotError, match=r"^bot leaves: expected an answer, got SystemExit: 0 at "):
        played(leaves, first, processes=processes)
    with pytest.raises(
        BotError, match=r"^bot odd: expected an answer, got Odd: \(no text, for that raised ValueError\) at "
    ):
        played(odd, first, processes=processes)


def test_a_bot_that_changes_its_ways(tmp_path: Path) -> None:
    """A method that a bot puts in place of another is called from then on, as in a run."""

    class Changing(Bot[Any]):
        def __init__(self) -> None:
            self.begin = self.start  # type: ignore[method-assign]

        def start(self, _: Hello, /) -> None:
            self.decide = self.early  # type: ignore[method-assign,assignment]

        def early(self, decision: Decision, /) -> list[int]:
            self.decide = self.late  # type: ignore[method-assign]
            return last(decision)

        def late(self, decision: Decision, /) -> range:
            return range(decision.most)

        def decide(self, decision: Decision, /) -> range:
            return first(decision)

    _, matches = ran(tmp_path / "run", Changing, arena.local_bot(first))
    _, found = played(Changing, first)
    assert matches == found


def test_late_looks() -> None:
    """A question shows its observation until it is answered, and keeps what was seen of it; later it is refused."""
    kept: list[Decision] = []

    def keeps(decision: Decision) -> range:
        if not kept:
            assert str(decision.observation)
        kept.append(decision)
        return range(decision.least)

    played(keeps, first, matches=2)
    assert kept[0].observation.step
    with pytest.raises(UsageError, match="before the answer"):
        assert kept[1].observation


@pytest.mark.parametrize(
    ("policies", "settings", "said"),
    [
        (["random-c", first], {}, r"without a process \(greedy, random, search\), got 'random-c'"),
        ([first, first], {}, r"different names, got first, first; arena\.local_bot\(CODE, NAME\) gives another name"),
        (["greedy", "greedy"], {}, "got greedy, greedy; NAME=BOT gives another name"),
        ([first, last], {"seats": 9}, "within 2-6 for dockfight"),
        ([first, last], {"matches": 0}, "matches: expected a whole number"),
        ([first, last], {"seed": 5}, "^seed: expected a text, got 5$"),
        ([arena.local_bot(lambda _: "stop", "talker"), first], {}, "expected `decide` to return indexes into"),  # type: ignore[arg-type,return-value]
    ],
)
def test_who_cannot_play_here(policies: list[Any], settings: dict[str, Any], said: str) -> None:
    """A bot that needs a process or gives no numbers is refused, as are two of one name and settings that are none."""
    with pytest.raises(UsageError if settings else BotError, match=said):
        played(*policies, **settings)


def test_files(tmp_path: Path) -> None:
    """A Python file enters by the function or class in it; others are refused in one line that names the file."""
    path = tmp_path / "mine.py"
    path.write_text("def decide(decision):\n    return range(decision.least)\n", encoding="utf-8")
    assert from_file(str(path)).name == "mine"
    assert from_file(f"me={path}").name == "me"
    assert from_file(f"me={path}:decide").name == "me"
    starter = ROOT / "arena/starters/python-typed/bot.py"
    board, _ = played(from_file(f"typed={starter}"), from_file(str(path)), matches=4)
    assert {row.bot for row in board.leaderboard} == {"typed", "mine"}
    (tmp_path / "bad.py").write_text("1 / 0\n", encoding="utf-8")
    for word, said in (
        (f"{path}:x", r"mine\.py: expected a function or class 'x'"),
        (f"{tmp_path}/bad.py", r"bad\.py: expected Python that loads, got ZeroDivisionError"),
        ("nowhere.py", r"expected a file, got none at nowhere\.py"),
        ("a=python3 mine.py", r"expected a file such as mine\.py, got a command line, 'a=python3 mine\.py'"),
    ):
        with pytest.raises(BotError, match=said):
            from_file(word)


def test_folders(tmp_path: Path) -> None:
    """A folder enters whose bot file starts Python code that can be asked, with types or by ``choose``."""
    write_bot(tmp_path / "typed", "python-typed", games.find(GAME))
    write_bot(tmp_path / "plain", "python", None)
    (tmp_path / "one.py").write_text("def choose(question):\n    return range(question['least'])\n", encoding="utf-8")
    bots = [str(tmp_path / "typed"), f"two={tmp_path}/typed", str(tmp_path / "plain"), f"{tmp_path}/one.py"]
    board, _ = played(*map(from_file, bots), matches=8, processes=2)
    assert {row.bot for row in board.leaderboard} == {"typed", "two", "plain", "one"}


def test_the_starter_answers_as_over_the_wire(tmp_path: Path) -> None:
    """What ``choose`` gets is the message of a question, and its dice have the seed of ``hello``: equal matches."""
    write_bot(tmp_path / "plain", "python", None)
    bots = [str(tmp_path / "plain"), "random"]
    _, matches = played(*map(from_file, bots), matches=12, seed="wire")
    with arena.open_run(GAME, bots, matches=12, seed="wire", isolation="none", out=tmp_path / "run") as run:
        wire = {match.id: match.picks for match in run.play()}
    assert wire == {match.id: match.picks for match in matches.values()}


def test_a_program_that_reads_questions(tmp_path: Path) -> None:
    """A program without such code is refused at once, without reading the questions, and the line names the cure."""
    (tmp_path / "loop.py").write_text("import sys\nfor line in sys.stdin:\n    pass\n", encoding="utf-8")
    there, asked = os.pipe()
    with open(there, encoding="utf-8") as never, pytest.MonkeyPatch.context() as patch:  # noqa: PTH123 - a pipe
        patch.setattr("sys.stdin", never)
        with pytest.raises(
            BotError,
            match=r"loop\.py: expected a class .* or choose\(question\), got none; write one as `arena new bot`",
        ):
            from_file(str(tmp_path / "loop.py"))
    os.close(asked)


def test_a_script_without_a_guard(tmp_path: Path) -> None:
    """A script needs no ``if __name__ == "__main__"`` to play on all cores."""
    script = tmp_path / "script.py"
    script.write_text(
        "import arena\n"
        "def mine(decision):\n    return range(decision.least)\n"
        f"board = arena.play_many({GAME!r}, [mine, 'random'], matches=8, seed='s', processes=2)\n"
        "print(board.matches)\n",
        encoding="utf-8",
    )
    ended = subprocess.run([sys.executable, script], capture_output=True, text=True, check=False, timeout=300)
    assert (ended.stdout, ended.stderr) == ("8\n", "")


@pytest.mark.long
def test_the_page_from_greedy_to_better(tmp_path: Path) -> None:
    """Every program of docs/better.md runs as it stands, and finds what the page says."""
    codes = blocks((ROOT / "docs" / "better.md").read_text(encoding="utf-8"), "python")
    assert len(codes) == 3
    said = []
    for code in codes:
        words = [sys.executable, "-P", "-c", code]
        done = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True, check=False, timeout=300)
        assert done.returncode == 0, done.stderr
        said.append(done.stdout.splitlines())
    first_table, sweep, change = said
    assert first_table[0].startswith("1 greedy ")
    ranked = [line.split()[1] for line in sweep]
    assert ranked[0] == "greedy"
    assert set(ranked[1:4]) == {"bold-3", "bold-4", "bold-5"}
    assert set(ranked[-2:]) == {"bold-1", "bold-6"}
    _, wins, _, before = change[0].split()
    assert float(wins) > 3 * float(before)
    assert change[1] == "wiser is certainly ahead of bold: True"
    assert float(change[2].split()[-1]) > 0
