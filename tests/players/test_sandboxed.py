"""What bots that play together may see of each other's files."""

from pathlib import Path

from arena.players.entrants import entrant
from arena.players.sandboxed import BotPaths, House, around


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
