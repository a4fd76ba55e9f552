"""How the bots of a command line are launched: what each may read of its folder, and what a lane says of them."""

import json
import os
import re
import sys
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Literal

import pytest
from msgspec.structs import replace

from arena.games import find
from arena.players.botfile import BotFile, read_bot_file
from arena.players.entrants import read_entrant
from arena.players.sandboxed import HostPolicy
from arena.sandbox import LEVELS
from arena.terminal.progress import Silent
from arena.tournament import roster
from arena.tournament.folder import Entrant, RunFolder
from arena.tournament.journal import Journal
from arena.tournament.lane_messages import Done, Errors, Job, MatchOver, Message
from arena.tournament.lanes import Lanes
from arena.tournament.loop import Loop
from arena.tournament.roster import launched, start
from arena.tournament.setting_up import set_up_run
from arena.tournament.worker import likeness
from arena.wire import DEFAULT_LIMITS, Limits
from tests.cli.command import BOTS, PYTHON, bot_folder
from tests.tournament.playing import settings_for


class Tapped(Lanes):
    """Lanes that note what comes through their pipes."""

    def __init__(self) -> None:
        super().__init__(1)
        self.came: set[type[Message]] = set()

    def messages(
        self,
        jobs: Iterable[Job | None],
        lost: Callable[[Job], Job | None] | None = None,
        tick: Callable[[], None] = lambda: None,
    ) -> Iterator[tuple[Job, Message]]:
        """As ``Lanes``."""
        for job, message in super().messages(jobs, lost, tick):
            self.came.add(type(message))
            yield job, message


@pytest.fixture
def bare(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a bot's own folder in it, and with something of the folder's owner."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine/bot.py").write_text("import sys\nprint('up', file=sys.stderr, flush=True)\n" + BOTS["mine.py"])
    (tmp_path / "diary.txt").write_text("private")
    return tmp_path


def test_only_records_and_stderr(bare: Path) -> None:
    """In an ordinary run only greetings, records and stderr cross a lane's pipe, of bots of either kind."""
    game = find("dockfight")
    settings = settings_for(game, 2, seed="seed", limits=Limits(start=20_000, move=20_000))
    field = [read_entrant(f"mine={PYTHON} mine/bot.py"), read_entrant("random")]
    folder = RunFolder(bare / "run")
    folder.path.mkdir()
    with Tapped() as lanes, Journal.open(folder.journal) as journal:
        launches, cannot = start(lanes, settings, game, field, HostPolicy())
        assert cannot == {}
        manifest = set_up_run(folder, settings, game, [Entrant(bot.name, "", ()) for bot in field])
        Loop(folder, manifest, journal, launches).play(lanes, Silent())
    assert [record.reason for record in folder.records()] == ["finished", "finished"]
    assert lanes.came == {Done, MatchOver, Errors}


def with_steps(folder: Path, *steps: list[str]) -> BotFile:
    """The bot that answers at random, with build steps."""
    return read_bot_file(bot_folder(folder, name=folder.name, more=f"build = {json.dumps(steps)}"))


def test_bots_are_built_at_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As many bots are built at once as there are lanes, copies of a bot once; what fails is told of its bot alone."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setattr(roster, "_SAYS_EVERY", 0.0)
    game = find("cash-a-catch")
    settings = settings_for(game, 2, seed="seed", limits=Limits(start=20_000, move=20_000))
    # each waits there for the other
    os.mkfifo(tmp_path / "to-bob")
    ann = with_steps(tmp_path / "ann", ["sh", "-c", f"echo > {tmp_path}/to-bob; echo ann >> {tmp_path}/log"], ["true"])
    bob = with_steps(tmp_path / "bob", ["sh", "-c", f"read x < {tmp_path}/to-bob; echo bob >> {tmp_path}/log"])
    eve = with_steps(tmp_path / "eve", ["sh", "-c", "echo no such thing; exit 3"])
    twin = replace(ann, name="ann#2")
    said: list[str] = []
    with Lanes(2) as lanes:
        launches, failures = start(lanes, settings, game, [ann, bob, eve, twin], HostPolicy(), said.append)
    assert sorted((tmp_path / "log").read_text().split()) == ["ann", "bob"]
    assert launches["ann"].folder == launches["ann#2"].folder != launches["bob"].folder
    assert failures.keys() == {"eve"}
    assert ": no such thing; correct that, or the step in bot.toml\n  | no such thing" in str(failures["eve"])
    # a look may come between two steps, while no lane is at work
    waiting = "(, waiting for (ann|bob|eve|ann#2)(, (ann|bob|eve|ann#2))?)?"
    assert [line for line in said if re.fullmatch(rf"built: [0-3] of 3 bots{waiting}", line)]
    assert [line for line in said if re.fullmatch(rf"greeted: [0-3] of 3 bots{waiting}", line)]
    assert any(", waiting for " in line for line in said)
    assert not list((tmp_path / "cache/arena/builds").glob(".building-*"))


def test_a_process_plays_on_where_it_may_talk(bare: Path) -> None:
    """In a sandbox no process that has seen a deal lives while another one plays it: so ``deal`` is ``never``."""
    one = read_entrant(f"mine={PYTHON} mine/bot.py")
    ways: list[Literal["never", "deal"]] = ["never", "deal"]
    lasting = {
        (restart, level): launched(replace(one, restart=restart), str(bare), HostPolicy(level), DEFAULT_LIMITS).lasting
        for restart in ways
        for level in LEVELS
    }
    assert [which for which, plays_on in lasting.items() if plays_on] == [("deal", "none")]


def test_a_command_line_is_what_it_names(bare: Path) -> None:
    """Of the folder in which a command line was typed a bot is shown, and is made of, only what the line names."""
    bot = read_entrant(f"mine={PYTHON} mine/bot.py")
    launch = launched(bot, bot.folder, HostPolicy("bwrap"), DEFAULT_LIMITS)
    ours = [path for path in (*launch.sandbox.readable, *launch.sandbox.private) if Path(path).is_relative_to(bare)]
    assert ours == [str(bare / "mine/bot.py")]
    before = likeness(launch)
    (bare / "diary.txt").write_text("other words")
    assert likeness(launch) == before
    with (bare / "mine/bot.py").open("a") as file:
        file.write("# another bot\n")
    assert likeness(launch) != before
    assert sys.executable in launch.argv
