"""What bots that play together may see of each other's files."""

from pathlib import Path

from arena.players.entrants import entrant
from arena.players.sandboxed import BotPaths, House, around, readable_in


def test_a_command_line_that_names_a_file_of_a_folder(tmp_path: Path) -> None:
    """A folder that is entered sees its files, also one that a command line names; the command line sees that one."""
    folder = tmp_path / "mine"
    folder.mkdir()
    for name in ("bot.py", "weights.json"):
        (folder / name).touch()
    (folder / "bot.toml").write_text('name = "mine"\ncommand = ["python3", "bot.py"]\n')
    bots = [entrant(str(folder / "bot.toml")), entrant(f"tried=python3 {folder}/bot.py --bold")]
    whole, one = (around(bot, bot.folder, House("bwrap"), field=BotPaths.of(bots)) for bot in bots)
    assert not [path for path in whole.hidden if path.startswith(str(folder))]
    assert one.private == (str(folder / "bot.py"),)


def test_what_is_said_of_it() -> None:
    """Where a bot did not start, it is said which files it could read, and how it reads more."""
    assert readable_in("none", bare=True) == ""
    assert "its own folder and its toolchain; --readable PATH shows" in readable_in("bwrap", bare=False)
    said = readable_in("bwrap", bare=True)
    assert "the files that its command line names and its toolchain; as a folder with a bot.toml it reads all" in said
