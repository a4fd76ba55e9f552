"""What bots that play together may see of each other's files."""

from pathlib import Path

from arena.players.entrants import read_entrant
from arena.players.sandboxed import HostPolicy, around, places_of, readable_in


def test_a_command_line_that_names_a_file_of_a_folder(tmp_path: Path) -> None:
    """The program of a folder stays its own if a command line names it, too; any other file that one names does not."""
    folder = tmp_path / "mine"
    folder.mkdir()
    for name in ("bot.py", "weights.json", "other.py"):
        (folder / name).touch()
    (folder / "bot.toml").write_text('name = "mine"\ncommand = ["python3", "bot.py"]\n')
    texts = (str(folder / "bot.toml"), f"tried=python3 {folder}/bot.py --bold", f"other=python3 {folder}/other.py")
    bots = [read_entrant(text) for text in texts]
    whole, tried, other = (around(bot, bot.folder, HostPolicy("bwrap"), field=places_of(bots)) for bot in bots)
    assert [path for path in whole.hidden if path.startswith(str(folder))] == [str(folder / "other.py")]
    assert tried.private == (str(folder / "bot.py"),)
    assert other.private == (str(folder / "other.py"),)


def test_what_is_said_of_it() -> None:
    """Where a bot did not start, it is said which files it could read, and how it reads more."""
    assert readable_in("none", bare=True) == ""
    assert "its own folder and its toolchain; --readable PATH shows" in readable_in("bwrap", bare=False)
    said = readable_in("bwrap", bare=True)
    assert "the files that its command line names and its toolchain; as a folder with a bot.toml it reads all" in said
