"""``arena.bot``: what a bot in Python is handed, and what becomes of what it does."""

import os
import pty
import subprocess
import sys
from pathlib import Path
from random import Random

import pytest

from arena import games, wire
from arena.bot import Bot, Decision, reader
from arena.chance import Chance
from arena.game import Decision as Asked
from arena.game import Pending, Whisper
from arena.players.botfile import BotFile
from arena.players.sandboxed import HostPolicy, around
from arena.sandbox.paths import within
from arena.starters import write_bot
from tests.players.conversation import LIMITS, hello, over, question

ROOT = Path(__file__).parents[1]
PRINTS = """
import os, subprocess, sys
from arena.bot import Bot, Decision, Hello, Over

class Talker(Bot):
    name = "talker"

    def begin(self, hello: Hello) -> None:
        print("began", hello.game)

    def decide(self, d: Decision) -> list[int]:
        print(d.options, d.observation, d.events, d.game, d.seat, d.seats, d.time)
        os.write(1, b"by the way\\n")
        subprocess.run(["echo", "a helper"], check=True)
        return [1]

    def over(self, over: Over) -> None:
        print("ended", list(over.ranks))

Talker().run()
"""
FAILS = """
from arena.bot import Bot, Decision

class Failing(Bot):
    def decide(self, d: Decision) -> list[int]:
        return [9] if d.seat == 1 else {}["no such plan"]

Failing().run()
"""
THREE = Asked(("a", "b", "c"))


def heard(program: str, *lines: bytes) -> tuple[int, list[wire.FromBot], str]:
    """What a bot answers to these lines: its exit status, its messages, its standard error."""
    told = b"".join(line + b"\n" for line in lines)
    ended = subprocess.run([sys.executable, "-c", program], input=told, capture_output=True, timeout=300, check=False)
    return ended.returncode, [wire.decode(line) for line in ended.stdout.splitlines()], ended.stderr.decode()


def test_only_answers_go_to_the_house() -> None:
    """Whatever a bot or a program of its prints goes to standard error; ``begin`` and ``over`` are called."""
    code, answers, errors = heard(
        PRINTS, hello(3), question(1, THREE, {"step": "x"}, [{"type": "y"}]), over(), hello(4)
    )
    assert code == 0
    assert answers == [wire.Ready("talker"), wire.Choose(f"{1:012x}", (1,)), wire.Ready("talker")]
    seen = "('a', 'b', 'c') {'step': 'x'} ({'type': 'y'},) made-up 1 3 1000"
    assert errors.splitlines() == ["began made-up", seen, "by the way", "a helper", "ended [0, 0, 2]", "began made-up"]


def test_an_exception_ends_the_bot() -> None:
    """An exception in ``decide`` ends the bot with status 1, its traceback and the question below it."""
    code, answers, errors = heard(FAILS, hello(3, seat=2), question(1, THREE, {"step": "x"}), over())
    assert code == 1
    assert answers == [wire.Ready()]
    *_, error, note = errors.splitlines()
    assert error == "KeyError: 'no such plan'"
    assert note == f"made-up, seat 2 of 3, was asked: {question(1, THREE, {'step': 'x'}).decode()}"


STOPS = """
from arena.bot import Bot, Decision

class Stopping(Bot):
    def decide(self, d: Decision) -> list[int]:
        mine = 40 + len(d.options)
        breakpoint()
        return [1]

Stopping().run()
"""


def test_a_breakpoint_needs_a_terminal(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without a terminal ``breakpoint()`` stops nothing, and says once how to get one."""
    monkeypatch.setenv("ARENA_TTY", str(tmp_path / "none"))
    code, answers, errors = heard(STOPS, hello(3), question(1, THREE, {}), question(2, THREE, {}), over())
    assert (code, len(answers)) == (0, 3)
    (line,) = errors.splitlines()
    assert line.startswith("breakpoint(): expected a terminal, got [Errno 2] ")
    assert "`arena replay RUN MATCH --seat N --debug -- CMD`" in line


def test_a_breakpoint_on_the_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    """``breakpoint()`` talks on the terminal that ``ARENA_TTY`` names, in the frame of the bot, and the bot goes on."""
    ours, theirs = pty.openpty()
    monkeypatch.setenv("ARENA_TTY", os.ttyname(theirs))
    os.write(ours, b"p mine * 100\nc\n")
    code, answers, _ = heard(STOPS, hello(3), question(1, THREE, {}))
    assert (code, answers[1:]) == (0, [wire.Choose(f"{1:012x}", (1,))])
    assert b"4300" in os.read(ours, 65_536)
    os.close(ours)
    os.close(theirs)


@pytest.mark.parametrize("wrong", ["None", "0", "'0'", "[0.0]", "decision.options"])
def test_what_is_no_picks_is_told(wrong: str) -> None:
    """Whatever else ``decide`` returns ends the bot, with what was expected and what was got."""
    program = (
        f"from arena.bot import Bot\nclass Wrong(Bot):\n  def decide(self, decision): return {wrong}\nWrong().run()"
    )
    code, answers, errors = heard(program, hello(3), question(1, THREE, {}))
    assert (code, answers) == (1, [wire.Ready()])
    got = "('a', 'b', 'c')" if wrong == "decision.options" else wrong
    assert f"TypeError: expected `decide` to return indexes into the options such as [0], got {got}\n" in errors


def test_illegal_picks_are_told() -> None:
    """Illegal picks are told on standard error and sent as they are, for the host to judge."""
    code, answers, errors = heard(FAILS, hello(3, seat=1), question(1, THREE, {}))
    assert code == 0
    assert answers[1:] == [wire.Choose(f"{1:012x}", (9,))]
    assert errors == "illegal: expected picks from 0 to 2, got 9\n"


@pytest.mark.parametrize("name", games.names())
def test_everything_has_its_type(name: str) -> None:
    """Options, observation and events reach the bot as the very structs that the game made; so do those of ``over``."""
    game = games.find(name)
    seats = game.usual_seats
    state = game.deal(seats, bytes(32), game.resolve_variants({}))
    chance = Chance(b"everybody")
    events: list[object] = []
    opening = wire.Hello(1, "f00d", name, game.version, game.resolve_variants({}), 0, seats, 7, LIMITS)
    imagined = 0
    while isinstance(pending := state.pending(), Pending):
        chosen = {}
        for seat, asked in pending.decisions.items():
            size = asked.least + chance.below(asked.most - asked.least + 1)
            order = list(asked.options)
            chance.shuffle(order)
            chosen[seat] = tuple(order[:size])
            seen = state.observe(seat)
            count = len(asked.options)
            sent = wire.Decide("x", asked.least, asked.most, count, 1000, asked.options, seen, events)
            read = reader(name)(wire.encode(sent))
            assert isinstance(read, wire.Decide)
            assert (read.options, read.observation, read.events) == (asked.options, seen, events)
            decision = Decision(
                read.options, observation=read.observation, events=(), time=1, hello=opening, rng=Random(imagined)
            )
            if imagined < 10:
                # what is made up fits what was seen
                assert decision.imagine().observe(seat) == seen
                imagined += 1
        events = [event.event if isinstance(event, Whisper) else event for event in state.apply(chosen)]
    closing = wire.Over(pending.ranks, pending.scores, "finished", events)
    assert reader(name)(wire.encode(closing)).events == events
    assert imagined == 10


def test_equal_seeds_imagine_alike() -> None:
    """What is made up follows from the seed of ``hello`` and the calls before: another each time, the same again."""
    game = games.find("dockfight")
    seen = game.deal(3, bytes(32), {}).observe(0)
    opening = wire.Hello(1, "f00d", "dockfight", "1", {}, 0, 3, 7, LIMITS)

    def worlds(seed: int) -> list[object]:
        decision = Decision(("stop", "hit"), observation=seen, events=(), time=1, hello=opening, rng=Random(seed))
        return [decision.imagine() for _ in range(2)]

    first, second = worlds(1)
    assert first != second
    assert worlds(1) == [first, second]
    assert worlds(2)[0] != first


@pytest.mark.parametrize(("program", "shown"), [("{python}", True), (sys.executable, True), ("sh", False)])
def test_the_sandbox_leaves_it_in_sight(program: str, shown: bool, tmp_path: Path) -> None:
    """In a sandbox a bot that arena's own interpreter runs sees arena's modules and shipped bots, and no other does."""
    sandbox = around(BotFile("mine", (program, "bot"), folder=str(tmp_path)), str(tmp_path), HostPolicy("bwrap"))
    assert within(str(ROOT / "arena" / "bot.py"), sandbox.readable) == shown
    assert within(str(ROOT / "bots" / "greedy" / "lure.py"), sandbox.readable) == shown


@pytest.mark.long
def test_it_is_typed(tmp_path: Path) -> None:
    """A bot written with it passes ``mypy --strict``: for any game, for one, and one that looks at several by type."""
    sources = []
    for name in ("any", *games.names()):
        bot = write_bot(tmp_path / name, "python-typed", None if name == "any" else games.find(name))
        sources.append((Path(bot.folder) / "bot.py").read_text("utf-8"))
        (tmp_path / f"bot_{len(sources)}.py").write_text(sources[-1], "utf-8")
    (tmp_path / "bot_0.py").write_text(
        "from arena.bot import Bot, Decision, Over\n"
        "from arena.games.cash_a_catch.observation import Observation as Auction\n"
        "from arena.games.dockfight.events import Cut\n\n\n"
        "class Both(Bot):\n"
        "    def decide(self, d: Decision) -> list[int]:\n"
        "        match d.observation:\n"
        "            case Auction() as seen:\n"
        "                reveal_type(seen.money)\n"
        "        match d.options[0]:\n"
        "            case Cut(opponent=opponent):\n"
        "                reveal_type(opponent)\n"
        "        return [0]\n\n"
        "    def over(self, over: Over) -> None:\n"
        "        reveal_type(over.ranks)\n",
        "utf-8",
    )
    files = sorted(map(str, tmp_path.glob("bot_*.py")))
    words = [sys.executable, "-m", "mypy", "--strict", "--cache-dir", str(ROOT / ".mypy_cache"), *files]
    said = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, timeout=300, check=False).stdout
    notes = [line.partition("note: ")[2] for line in said.splitlines() if "note: " in line]
    assert notes == [
        'Revealed type is "tuple[int, ...]"',
        'Revealed type is "int"',
        'Revealed type is "tuple[int, ...]"',
    ], said
    assert "error" not in said
    assert len({source for source in sources if "Any as Observation" not in source}) == len(games.names())


def test_nothing_written_is_no_bot() -> None:
    """Without ``decide`` there is no bot."""
    with pytest.raises(TypeError, match="decide"):
        type("Nothing", (Bot,), {})()
