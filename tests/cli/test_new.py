"""``arena new bot``: from an empty folder to a bot that plays, and what is refused."""

import shlex
from pathlib import Path

from tests.cli.command import arena, refusal


def test_from_nothing_to_a_bot_that_plays(tmp_path: Path) -> None:
    """It ends with the two commands to go on with, which hold as they stand; the folder may be called anything."""
    said = arena(tmp_path, "new", "bot", "a shoal=", "-g", "dockfight")
    first, check, run = said.out.splitlines()
    assert first == "a-shoal: a bot in python"
    assert (said.err, check.partition(": ")[0], run.partition(": ")[0]) == ("", "try it", "let it play")
    words = [shlex.split(line.partition(": arena ")[2]) for line in (check, run)]
    assert words == [["check", "./a shoal="], ["run", "-g", "dockfight", "./a shoal="]]
    assert "16 of 16 sentences hold" in arena(tmp_path, *words[0], "--seats", "2").out
    assert "a-shoal" in arena(tmp_path, *words[1], "random", "-n", "6", "-q").out


def test_what_is_refused(tmp_path: Path) -> None:
    """A folder with something in it, a file, an unknown language or game: exit code 2, the nearest name, no folder."""
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "thesis.txt").write_text("years of work")
    for taken in ("full", "full/thesis.txt"):
        assert refusal(tmp_path, "new", "bot", taken) == f"expected an empty folder or a new one, got '{taken}'"
    assert refusal(tmp_path, "new", "bot", "x", "--lang", "pyton").endswith("got 'pyton'; did you mean 'python'?")
    for said, meant in (("cpp", "c++"), ("ts", "typescript"), ("py", "python"), ("Rust", "rust")):
        assert refusal(tmp_path, "new", "bot", "x", "--lang", said).endswith(f"; did you mean {meant!r}?")
    assert refusal(tmp_path, "new", "bot", "x", "-g", "lur").endswith("got 'lur'; did you mean 'lure'?")
    assert [path.name for path in tmp_path.rglob("*")] == ["full", "thesis.txt"]


def test_a_toolchain_that_is_not_here(tmp_path: Path) -> None:
    """Where this machine has no compiler for it the bot is written all the same, and what is lacking is told."""
    (tmp_path / "empty").mkdir()
    said = arena(tmp_path, "new", "bot", "empty", "--lang", "go", env={"PATH": str(tmp_path)})
    assert said.err == "arena: written, but this machine cannot run it: empty needs go, which is not on PATH\n"
    assert (tmp_path / "empty" / "bot.go").is_file()
