"""A run folder from somebody else: nothing that it names is started, and it chooses no sandbox."""

import json
import shutil
from pathlib import Path

import pytest

from arena.sandbox import Level
from tests.cli.command import PYTHON, Said, arena, refusal
from tests.levels import needed, unavailable

GAME = ("-g", "dockfight", "--seats", "2", "-n", "2", "-q")
MARKS = """
try:
    open({mark!r}, "ab").close()
except OSError:
    pass
"""


class Stranger:
    """Somebody's folder with a run and a plan in it. The bot of both leaves a mark wherever it is started."""

    def __init__(self, place: Path, bots: Path) -> None:
        self.mark = place / "mark"
        self.theirs = place / "theirs"
        self.ours = place / "ours"
        for folder in (self.theirs, self.ours):
            folder.mkdir(parents=True)
        program = place / "program.py"
        program.write_text(MARKS.format(mark=str(self.mark)) + (bots / "mine.py").read_text())
        self.bot = f"mine={PYTHON} {program}"
        arena(self.theirs, "run", self.bot, "greedy", *GAME, "-o", "run")
        arena(self.theirs, "run", self.bot, "greedy", *GAME, "--dry-run", "-o", "plan")
        for name in ("run", "plan"):
            shutil.copytree(self.theirs / name, self.ours / name)
        self.mark.unlink()

    def arena(self, *words: str, code: int = 0, **env: str) -> Said:
        """A command in the folder of whoever got theirs."""
        return arena(self.ours, *words, code=code, env=env)


@pytest.fixture
def stranger(finished: tuple[Path, object], tmp_path: Path) -> Stranger:
    """A fresh one."""
    return Stranger(tmp_path, finished[0])


@pytest.mark.long
def test_verify_starts_no_bot_that_nobody_names(stranger: Stranger) -> None:
    """`verify --bots` shows the command of somebody's run and starts it only where it is typed again."""
    said = stranger.arena("verify", "run", "--bots")
    assert not stranger.mark.exists()
    assert "not tried:\n  mine: expected the bot on the command line, got none; it was entered as 'mine=" in said.out
    assert stranger.arena("verify", "run", "--bots", stranger.bot).out.count("\nmine ") == 1
    assert stranger.mark.exists()


@pytest.mark.long
def test_a_plan_starts_no_bot_that_nobody_names(stranger: Stranger) -> None:
    """`run --plan` shows the command of somebody's plan and starts it only where it is typed again."""
    wrong = refusal(stranger.ours, "run", "--plan", "plan", "-o", "x")
    assert wrong == (
        "plan: expected all BOTs of the plan that do not ship with arena on the command line or in arena.toml, "
        f"got all but these: '{stranger.bot}'"
    )
    assert not stranger.mark.exists()
    stranger.arena("run", stranger.bot, "--plan", "plan", "-o", "x", "-q")
    assert stranger.mark.exists()


@pytest.mark.long
def test_a_folder_with_a_bot_is_not_followed_either(stranger: Stranger) -> None:
    """A bot that was entered by its folder is named again as well; settings of one's own may do that."""
    bot = stranger.theirs / "mine"
    bot.mkdir()
    words = stranger.bot.partition("=")[2].split()
    (bot / "bot.toml").write_text(f'name = "mine"\ncommand = {json.dumps(words)}\n')
    arena(stranger.theirs, "run", str(bot), "greedy", *GAME, "--dry-run", "-o", "other")
    shutil.copytree(stranger.theirs / "other", stranger.ours / "other")
    stranger.mark.unlink()
    refusal(stranger.ours, "run", "--plan", "other", "-o", "x")
    assert not stranger.mark.exists()
    (stranger.ours / "arena.toml").write_text(f'anchors = ["greedy"]\nbots = [{json.dumps(str(bot))}]\n')
    stranger.arena("run", "--plan", "other", "-o", "x", "-q")
    assert stranger.mark.exists()


@pytest.mark.long
@pytest.mark.parametrize(
    "words",
    [
        ("run", "--plan", "plan", "-o", "x"),
        ("run", "greedy", "-n", "4", "-g", "dockfight", "--seats", "2", "-o", "run"),
    ],
)
def test_no_folder_lowers_the_sandbox(stranger: Stranger, words: tuple[str, ...]) -> None:
    """Where a run began without a sandbox and this machine proves one, it goes on only if its level is typed again."""
    best: Level = "landlock" if unavailable("bwrap") else "bwrap"
    needed(best)
    wrong = stranger.arena(*words, stranger.bot, code=2, ARENA_ISOLATION="auto").err
    why = f"expected none by name, because the run began at it and this machine has {best}; got auto"
    assert wrong == f"arena: ARENA_ISOLATION: {why}\n"
    assert not stranger.mark.exists()
    stranger.arena(*words, stranger.bot, "--isolation", "none", "-q", ARENA_ISOLATION="auto")
    assert stranger.mark.exists()


@pytest.mark.long
def test_bots_that_are_tried_again_have_the_sandbox_of_today(stranger: Stranger) -> None:
    """`verify --bots` and `replay` try a bot in the best sandbox of this machine, whatever the run had."""
    needed("landlock")
    match = json.loads((stranger.ours / "run" / "matches.jsonl").read_bytes().splitlines()[0])
    seat = str(match["bots"].index("mine"))
    for words in (
        ("verify", "run", "--bots", stranger.bot),
        ("replay", "run", "#0", "--seat", seat, "--", stranger.bot),
    ):
        stranger.arena(*words, ARENA_ISOLATION="auto")
        assert not stranger.mark.exists()
    stranger.arena("replay", "run", "#0", "--seat", seat, "--", stranger.bot, ARENA_ISOLATION="none")
    assert stranger.mark.exists()
