"""A person at the table: whole matches typed and piped, leaving at every kind of prompt, and nothing left behind."""

import os
import pty
import re
import select
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import cycle
from pathlib import Path

import pytest

from arena import games
from arena.game import Decision
from arena.players.lifetime import LINUX
from arena.players.process_tree import children
from arena.terminal.document import reflowed
from arena.terminal.person import picks
from tests.cli.command import ARENA, BOTS, PYTHON, refusal, started
from tests.hostile.house import eventually_none

SEATED = {name: games.find(name).seats.start for name in games.names()}
"""The smallest table of each game."""
PIPED = ("catch-of-the-day", "fish-food")
"""Games that are played by pipe as well, where the seed must repeat them word for word."""
TRIES = ("2", "1", "1 2", "1 2 3", "")
"""One of these is an answer to whatever is asked."""
QUESTION = re.compile(r"(?:pick (?:up to )?[0-9]|a: again)[^\n]*> $")
# makes the terminal the one whose Ctrl-C reaches the command
_OWNED = "import fcntl, os, sys, termios; fcntl.ioctl(0, termios.TIOCSCTTY, 0); os.execv(sys.argv[1], sys.argv[1:])"


pytestmark = pytest.mark.skipif(not LINUX, reason="looks for what is left behind as Linux lists it")


@pytest.fixture
def desk(tmp_path: Path) -> Path:
    """A folder with a bot, whose command line names the folder, as that of no other process does."""
    (tmp_path / "mine.py").write_text(BOTS["mine.py"])
    return tmp_path


def words(desk: Path, game: str, *more: str) -> list[str]:
    """The command line of a match against bots of the desk."""
    bot = f"mine={PYTHON} {desk / 'mine.py'}"
    return ["play", game, bot, "--seats", str(SEATED[game]), "--seed", "demo", "-q", *more]


class Typist:
    """Someone at a terminal of 24 lines: types, and reads what stands there."""

    def __init__(self, process: "subprocess.Popen[bytes]", terminal: int) -> None:
        self.process = process
        self.typed: list[str] = []
        self._terminal = terminal
        self.shown = ""
        """All that was printed, what was typed among it."""

    def read(self, ends: Callable[[str], object]) -> bool:
        """Read on until what is shown ends in some way; whether it did before the command had nothing more to say."""
        while not ends(self.shown):
            ready, _, _ = select.select([self._terminal], [], [], 60)
            assert ready, self.shown
            try:
                piece = os.read(self._terminal, 65536)
            except OSError:  # Linux says so when the other end is closed
                piece = b""
            if not piece:
                return False
            self.shown += piece.decode().replace("\r\n", "\n")
        return True

    def keys(self, data: bytes) -> None:
        """Press keys."""
        os.write(self._terminal, data)

    def type(self, line: str) -> None:
        """Type a line."""
        self.typed.append(line)
        self.keys(line.encode() + b"\n")
        # the terminal shows what is typed: from there on it is not the prompt that was answered
        self.shown += "\0"

    def left(self) -> int:
        """Read to the end; the exit code."""
        self.read(lambda _: False)
        return self.process.wait(300)


@contextmanager
def typist(desk: Path, *words: str, **env: str) -> Iterator[Typist]:
    """The command at a terminal of its own; nothing of it is left afterwards, whatever happens."""
    master, slave = pty.openpty()
    line = [sys.executable, "-S", "-c", _OWNED, *ARENA, *words]
    told = {"ARENA_ISOLATION": "none", "TERM": "dumb", **env}
    process = subprocess.Popen(
        line, cwd=desk, env=os.environ | told, stdin=slave, stdout=slave, stderr=slave, start_new_session=True
    )
    os.close(slave)
    try:
        yield Typist(process, master)
    finally:
        process.kill()
        process.wait()
        os.close(master)
    assert eventually_none(str(desk / "mine.py"))


def asked(shown: str) -> object:
    """Whether a question of the game waits."""
    return QUESTION.search(shown)


def over(shown: str) -> bool:
    """Whether the match is over, and what is next is asked."""
    return shown.endswith("leave> ")


def pictured(shown: str) -> bool:
    """Whether a replay is shown since something was typed."""
    return "mine#2" in shown.rpartition("\0")[2]


@pytest.mark.long
def test_after_a_match(desk: Path) -> None:
    """Once a match is over its replay is shown; then comes the same deal from the next seat, or another deal."""
    with typist(desk, *words(desk, "catch-of-the-day", "--seat", "1"), COLUMNS="80") as person:
        answers, wishes = cycle(TRIES), iter(("r", "s", "a"))
        while person.read(asked):
            if not over(person.shown):
                person.type(next(answers))
            elif (wish := next(wishes, "q")) == "r":
                person.type(wish)
                assert person.read(pictured)
                person.keys(b"q")
            else:
                person.type(wish)
        assert person.left() == 0
    assert re.findall(r"You are seat (\d) of 4", person.shown) == ["1", "2", "2"]
    first, second, third = re.findall(r"You are seat \d.*?- the public Requests are ([^-]*)", person.shown, re.DOTALL)
    assert first == second != third


@pytest.mark.parametrize("game", games.names())
@pytest.mark.long_cases("fish-food")
def test_a_match_to_its_end(desk: Path, game: str) -> None:
    """A whole match is played at a terminal, in 80 columns; wrong answers are asked again; nothing is recorded."""
    with typist(desk, *words(desk, game)) as person:
        answers = cycle(TRIES)
        while person.read(asked):
            person.type("" if over(person.shown) else next(answers))
        assert person.left() == 0
    said = person.shown.replace("\0", "")
    assert max(map(len, said.splitlines())) <= 80
    assert said.replace("\n", "").isprintable()
    assert re.search(r"^pick [^\n]*\nexpected [^\n]*, got [^\n]*\npick ", said, re.MULTILINE)
    places = re.findall(r"^  (\d)\. seat (\d), (\S+): -?\d+$", said, re.MULTILINE)
    assert sorted(seat for _, seat, _ in places) == [str(seat) for seat in range(SEATED[game])]
    assert [place for place, _, _ in places] == sorted(place for place, _, _ in places)
    own = next(seat for _, seat, name in places if name == "you")
    assert sorted(name.partition("#")[0] for _, _, name in places) == ["mine"] * (SEATED[game] - 1) + ["you"]
    assert f"You are seat {own} of {SEATED[game]}." in said
    assert {path.name for path in desk.iterdir()} == {"mine.py"}
    if game in PIPED:
        assert arena_with("".join(f"{line}\n" for line in person.typed), desk, *words(desk, game)) == said


def arena_with(typed: str, desk: Path, *words: str) -> str:
    """What the command prints whose input is a pipe."""
    said = started(desk, *ARENA, *words, input=typed.encode())
    assert said.err == ""
    return said.out


@pytest.mark.long
@pytest.mark.parametrize(
    ("first", "keys", "code"),
    [("", "q\n", 0), ("?", "\x04", 0), ("", "\x03", 130), ("r", "\x04", 0), ("r", "\x03", 130), ("", "", -9)],
    ids=["q", "ctrl-d after help", "ctrl-c", "ctrl-d in the rules", "ctrl-c in the rules", "sigkill"],
)
def test_leaving(desk: Path, first: str, keys: str, code: int) -> None:
    """At every kind of prompt q and Ctrl-D leave with 0 and Ctrl-C with 130; no process stays, even after a SIGKILL."""
    with typist(desk, *words(desk, "lure"), TERM="xterm", NO_COLOR="1") as person:
        assert person.read(asked)
        if first:
            person.type(first)
            assert person.read(lambda shown: shown.endswith("q: enough ") if first == "r" else asked(shown))
        if keys:
            person.keys(keys.encode())
        else:
            person.process.kill()
        assert person.left() == code
        assert "Traceback" not in person.shown
        assert "\x1b" not in person.shown
        assert eventually_none(str(desk / "mine.py"))


@pytest.mark.long
def test_no_input_at_all(desk: Path) -> None:
    """With stdin closed the person has left before the first question."""
    said = started(desk, "sh", "-c", 'exec "$@" <&-', "sh", *ARENA, *words(desk, "lure"))
    assert said.err == ""
    assert QUESTION.search(said.out.rstrip("\n"))


@pytest.mark.long
def test_what_is_at_hand(desk: Path) -> None:
    """The rules come a screenful at a time, `o` shows every field that the seat knows; prompts are bold if they may."""
    with typist(desk, *words(desk, "lure", "--seat", "1", "--plain"), TERM="xterm") as person:
        prompt = re.compile(r"\x1b\[1mpick [^\n]*> \x1b\[0m$").search
        assert person.read(prompt)
        assert "\nseat 1 (you): 0 VP (no fish), boosts 0" in person.shown
        person.type("o")
        assert person.read(prompt)
        shown = person.shown.rpartition("\0")[2]
        for name in games.find("lure").observation.__struct_fields__:
            assert f"\n{name.replace('_', ' ')}: " in shown
        person.type("r")
        assert person.read(lambda shown: shown.endswith("q: enough \x1b[0m"))
        rules = Path(games.__path__[0], "lure", "rules.md").read_text("utf-8").rstrip()
        assert person.shown.rpartition("\0")[2].split("\n")[1:24] == reflowed(rules, 80)[:23]
        person.type("q")
        assert person.read(prompt)
        person.keys(b"q\n")
        assert person.left() == 0


@pytest.mark.long
def test_a_narrow_terminal(desk: Path) -> None:
    """On a terminal of fewer than 80 columns lines are folded to its width: help, news, options, rules."""
    with typist(desk, *words(desk, "fish-food"), COLUMNS="60") as person:
        assert person.read(asked)
        for key in ("?", "1", "o"):
            person.type(key)
            assert person.read(asked)
        told = " ".join(person.shown.split())
        assert games.find("fish-food").legend in told
        assert "Fish Food: +1 this turn to the size of a player or the creature" in told
        person.type("r")
        assert person.read(lambda shown: shown.endswith("q: enough "))
        person.type("q")
        assert person.read(asked)
        person.type("q")
        assert person.left() == 0
    widths = [*map(len, person.shown.replace("\0", "").splitlines())]
    assert 50 < max(widths) <= 60


@pytest.mark.long
def test_a_board(desk: Path) -> None:
    """At a terminal of 80 columns or more the table is a picture, as wide as it; without colours if none are wanted."""
    wide = {"TERM": "xterm", "NO_COLOR": "1", "COLUMNS": "100"}
    with typist(desk, *words(desk, "catch-of-the-day", "--seat", "1"), **wide) as person:
        answers = cycle(TRIES)
        while person.read(asked):
            person.type("" if over(person.shown) else next(answers))
        assert person.left() == 0
    shown = person.shown.replace("\0", "")
    questions = len(re.findall(r"^pick ", shown, re.MULTILINE)) - len(re.findall(r"^expected ", shown, re.MULTILINE))
    assert questions > 5
    for seat in range(4):
        assert len(re.findall(rf"━  seat {seat} \(you\) |─  seat {seat} ", shown)) == questions
    assert len(re.findall(r"┏━  seat 1 \(you\) [^\n]*━┓", shown)) == shown.count(", is asked ") == questions
    assert "\x1b" not in shown
    assert max(map(len, shown.splitlines())) == 100


@pytest.mark.long
@pytest.mark.parametrize("how", ["--plain", "79 columns", "dumb"])
def test_no_board(desk: Path, how: str) -> None:
    """The table is told in words if that is asked for, on a narrow terminal, and on one that can do nothing."""
    terminal = {"TERM": "dumb" if how == "dumb" else "xterm", "COLUMNS": "79" if "79" in how else "90"}
    more = ["--plain"] if how == "--plain" else []
    with typist(desk, *words(desk, "lure", *more), **terminal) as person:
        assert person.read(lambda shown: re.search(r"> (\x1b\[0m)?$", shown))
        assert re.search(r"^seat \d \(you\): 0 VP", person.shown, re.MULTILINE)
        assert "━" not in person.shown
        person.type("q")
        assert person.left() == 0


def lanes_of(runner: int) -> list[int]:
    """The lanes of a runner; it has a guard, too."""
    return [pid for pid in children(runner) if b"arena.tournament.lane" in Path(f"/proc/{pid}/cmdline").read_bytes()]


@pytest.mark.long
def test_a_lost_lane(desk: Path) -> None:
    """If the process that plays the match is lost, the exit code is 3, and the match does not begin again."""
    with typist(desk, *words(desk, "lure")) as person:
        assert person.read(asked)
        (lane,) = lanes_of(person.process.pid)
        os.kill(lane, signal.SIGKILL)
        person.type("1")
        assert person.left() == 3
        assert person.shown.endswith("arena: expected the lane to last as long as the match, got its end\n")


@pytest.mark.long
def test_no_more_input(desk: Path) -> None:
    """The end of a pipe is a leaving like any other."""
    assert arena_with("", desk, *words(desk, "dockfight")).endswith("pick 1 of these> \n")


@pytest.mark.parametrize(
    ("bots", "options", "said"),
    [
        ([], ["--seats", "7"], "expected 2 to 6 seats for dockfight, got 7"),
        (["greedy", "random"], ["--seats", "2"], "--seats: expected room for you and 2 bots, got 2"),
        ([], ["--seat", "3"], "--seat: expected a seat from 0 to 2, got 3"),
        ([], ["--variant", "bell=lot"], "--variant: dockfight: expected a variant of none, got 'bell'"),
    ],
)
def test_what_cannot_be_played(tmp_path: Path, bots: list[str], options: list[str], said: str) -> None:
    """A mistake in the command line is told before anybody sits down."""
    assert said in refusal(tmp_path, "play", "dockfight", *bots, *options)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("2", (1,)),
        ("3 1", (2, 0)),
        (" 1,2 ", (0, 1)),
        ("01", (0,)),
        ("0", "expected numbers from 1 to 3, or ? for help, got '0'"),
        ("1 4", "expected numbers from 1 to 3, or ? for help, got '4'"),
        ("\u0661", "expected numbers from 1 to 3, or ? for help, got '\\u0661'"),
        ("a\0", "expected numbers from 1 to 3, or ? for help, got 'a\\x00'"),
        ("-1", "expected numbers from 1 to 3, or ? for help, got '-1'"),
        ("2 2", "expected each number once, got 2 twice"),
        ("1 2 3", "expected 1 to 2 picks, got 3"),
        ("", "expected 1 to 2 picks, got 0"),
    ],
)
def test_answers(text: str, found: tuple[int, ...] | str) -> None:
    """An answer is numbers of options from 1, in the order of the picks; whatever else is told as a mistake."""
    decision = Decision(("a", "b", "c"), 1, 2)
    if isinstance(found, tuple):
        assert picks(text, decision) == found
    else:
        with pytest.raises(ValueError, match=f"^{re.escape(found)}$"):
            picks(text, decision)
