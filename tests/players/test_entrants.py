"""What is typed for a BOT: which of its readings counts, other names, copies, and what stands for no bot."""

import sys
from pathlib import Path

import pytest

from arena.errors import BotError
from arena.players.botfile import BotFile, argv
from arena.players.content import digest_bot
from arena.players.entrants import BotArgument, entry, read_entrant, read_shipped_bots, said_again, typed
from tests.players.test_botfile import folder_with


def test_a_command_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """``NAME=COMMAND LINE`` is split as a shell splits it and runs in the current folder, without a shell."""
    monkeypatch.chdir(tmp_path)
    bot = read_entrant("minnow={python} 'my bot.py' --depth=3 $HOME;ls")
    assert bot == BotFile("minnow", ("{python}", "my bot.py", "--depth=3", "$HOME;ls"), folder=str(tmp_path), bare=True)
    assert argv(bot, bot.folder) == (sys.executable, "my bot.py", "--depth=3", "$HOME;ls")


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("a=", "a: expected a bot or a command line after the equals sign, got none"),
        ("greedy*0", "greedy: expected 1 to 100 copies, got 0"),
        ("greedy*2", "expected one bot, got 2 copies: 'greedy.2'"),
        ("a*2=greedy*2", "a: expected one number of copies, got .2 and .2"),
        ("a=/usr", "/usr: expected a folder with a bot.toml, got none"),
        ("a='x", 'a: expected a command line, got "\'x" .No closing quotation.'),
        ("a=''", "command: expected a program"),
        ("a b=x", "expected NAME=COMMAND LINE with a name .* got 'a b'"),
        ("=x", "expected NAME=COMMAND LINE with a name .* got ''"),
        ("a=\udcff", "a: expected a command line in UTF-8, got other bytes"),
        ("randon", "expected a shipped bot .greedy, random, random-c, random-js.*got 'randon'; did you mean 'random'"),
        ("", "expected a shipped bot .*got ''"),
        ("no/such", "no/such: expected a folder with a bot.toml, got none"),
    ],
)
def test_what_stands_for_no_bot(text: str, reason: str) -> None:
    """A text that stands for no bot is refused in one line with the nearest shipped name."""
    with pytest.raises(BotError, match=reason) as caught:
        read_entrant(text)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("text", "typed"),
    [
        ("mine.py", 'the program as "mine=python3 mine.py"'),
        ("./mine.py", 'the program as "mine=python3 ./mine.py"'),
        ("a bot.rb", "the program as \"a-bot=ruby 'a bot.rb'\""),
        ("mine", 'the program as "mine=./mine"'),
        ("python3 mine.py --deep", 'the program as "mine=python3 mine.py --deep"'),
        ("sh", 'a program as "mine=sh ..."'),
    ],
)
def test_a_program_without_a_name(text: str, typed: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Who enters a program, and gives it no name, is told what to type."""
    monkeypatch.chdir(tmp_path)
    for name in ("mine.py", "a bot.rb", "mine"):
        (tmp_path / name).touch()
    with pytest.raises(BotError) as caught:
        read_entrant(text)
    assert str(caught.value).endswith(f"; enter {typed}")


def test_precedence(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A folder with a bot file goes before a shipped bot of that name, one without does not; ``=`` goes before both."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "random").mkdir()
    assert read_entrant("random") in read_shipped_bots()
    folder_with(tmp_path / "random")
    folder_with(tmp_path / "a=b")
    folder_with(tmp_path)
    assert read_entrant("random").name == "minnow"
    assert read_entrant("./random").folder == read_entrant("random/bot.toml").folder == str(tmp_path / "random")
    assert read_entrant(".").folder == read_entrant("bot.toml").folder == str(tmp_path)
    assert read_entrant("a=b").command == ("b",)
    assert read_entrant("./a=b").name == "minnow"


def test_other_names_and_copies(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """``NAME=BOT`` is that bot under another name; ``*N`` enters copies; what was entered can be typed again."""
    monkeypatch.chdir(tmp_path)
    folder_with(tmp_path / "my old")
    (tmp_path / "minnow.sh").touch()
    greedy = next(bot for bot in read_shipped_bots() if bot.name == "greedy")
    for text, name, copies in (
        ("greedy*3", "greedy", 3),
        ("g2=greedy", "g2", 1),
        ("g2=greedy*3", "g2", 3),
        ("g2*3=greedy", "g2", 3),
        ("'./my old'*2", "minnow", 2),
        ("old='./my old'*2", "old", 2),
    ):
        found = entry(text.replace("'", "") if text.startswith("'") else text)
        assert (found.bot.name, found.copies) == (name, copies)
        assert found.bot.folder == (greedy.folder if "greedy" in text else str(tmp_path / "my old"))
        assert read_entrant(typed(found.bot)) == found.bot
    assert digest_bot(read_entrant("g2=greedy")) == digest_bot(greedy)
    # a file, a program on PATH and the last word of several are parts of a command line
    assert entry("a=./minnow.sh*2") == BotArgument(
        bot=BotFile("a", ("./minnow.sh",), folder=str(tmp_path), bare=True), copies=2
    )
    assert entry("a*2=sh -c 'x*3'") == BotArgument(
        bot=BotFile("a", ("sh", "-c", "x*3"), folder=str(tmp_path), bare=True), copies=2
    )
    # in a run folder, which may be anybody's, what was typed stands for nothing but what ships with arena
    assert said_again("g2=greedy", name="g2", bots={}) == read_entrant("g2=greedy")
    assert said_again("old='./my old'", name="old", bots={}) is None
