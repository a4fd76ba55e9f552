"""Bots that cannot start: named before the first match, or withdrawn from it."""

import json
from pathlib import Path

import pytest

from tests.cli.command import BOTS, MINE, PYTHON, arena, data

RUN = ("run", "-g", "dockfight", "-n", "2", "-o", "never", "-j", "1", "greedy")


@pytest.mark.parametrize(
    ("line", "why"),
    [
        (
            "no-such-program --fast",
            "needs no-such-program, which is not on PATH; install it\n  command: no-such-program --fast\n",
        ),
        (f"{PYTHON} crash.py", "exited with status 1"),
        (f"{PYTHON} mute.py", "expected an answer in time, got none"),
        (f"{PYTHON} chatter.py", "expected a line of JSON, got 'hello, world' (Expecting value at character 1)"),
    ],
    ids=["missing", "crash", "mute", "chatter"],
)
def test_a_bot_that_cannot_start(place: Path, line: str, why: str) -> None:
    """A bot that cannot start is named with its command and what it wrote to stderr: exit 2, and no folder is left."""
    said = arena(place, *RUN, "-v", f"sick={line}", "--start-time", "3s" if "mute" in line else "10s", code=2)
    assert said.out == ""
    assert said.err.startswith("arena: bot sick cannot start: ")
    assert why in said.err
    assert f"\n  command: {line}\n" in said.err
    assert ("\n    | boom: no model file\n" in said.err) == ("crash" in line)
    assert not (place / "never").exists()


def test_a_bot_that_is_ready_before_it_is_asked(place: Path) -> None:
    """One `ready` that came before the first `hello` is none to the second: so it shows before the first match."""
    early = 'print(\'{"type":"ready"}\', flush=True)\n' + BOTS["mine.py"].replace("print(", "first or print(")
    (place / "early.py").write_text(early)
    said = arena(place, *RUN, f"early={PYTHON} early.py", "--start-time", "2s", code=2)
    assert "arena: bot early cannot start: after hello: expected an answer in time, got none" in said.err
    assert said.err.endswith(
        "; say `ready` to each `hello`, also to a second one in the same process, and none before it\n"
    )


def test_all_that_cannot_start_are_named(place: Path) -> None:
    """Of several bots that cannot start each is named, in the order of their listing."""
    said = arena(place, *RUN, f"one={PYTHON} crash.py", "two=no-such-program", code=2)
    assert said.err.startswith("arena: bot one cannot start: ")
    assert "\narena: bot two cannot start: two needs no-such-program, which is not on PATH; install it\n" in said.err
    assert "--keep-going" not in said.err, "too few would be left"
    said = arena(place, *RUN, "two=no-such-program", "--seats", "2", "random", code=2)
    assert said.err.endswith("\narena: --keep-going plays without bots that cannot start\n")


def test_all_bot_files_at_fault_are_named(place: Path) -> None:
    """Of several bots whose files are not right, each is told, also where a settings file names them."""
    for name, line in (("one", "comand = []"), ("two", "command = 3")):
        (place / "bots" / name).mkdir(parents=True)
        (place / "bots" / name / "bot.toml").write_text(f'name = "{name}"\n{line}\n')
    (place / "arena.toml").write_text('bots = ["greedy", "bots/*"]\n')
    wrong = (
        "bots/one/bot.toml: expected a known key, got 'comand'; did you mean 'command'?",
        "bots/two/bot.toml: command: expected an array of strings, got an integer",
    )
    named = "".join(f"arena: arena.toml: bots: {line}\n" for line in wrong)
    assert arena(place, "run", "-g", "dockfight", code=2).err == named
    typed = "".join(f"arena: {line}\n" for line in wrong)
    assert arena(place, "run", "-g", "dockfight", "bots/one", "bots/two", "--config", "", code=2).err == typed


@pytest.mark.long
def test_keep_going(place: Path) -> None:
    """With `--keep-going` it is withdrawn, listed in the notes of every format, and the others play."""
    words = (*RUN[:6], "kept", *RUN[7:], "random", f"sick={PYTHON} crash.py", "--seats", "2", "--keep-going", "--json")
    said = arena(place, *words)
    assert "arena: withdrawn: bot sick cannot start: " in said.err
    board = json.loads(said.out)
    assert {row["bot"] for row in board["leaderboard"]} == {"greedy", "random"}
    *_, note = board["notes"]
    assert note.startswith("sick was withdrawn: ")
    assert "exited with status 1" in note
    assert "sick was withdrawn" in arena(place, "leaderboard", "kept").out
    assert "sick was withdrawn" in arena(place, "leaderboard", "kept", "--format", "markdown").out
    assert data(place, *words, "-q") == board
    more = data(place, *words, "-q", "-n", "4")
    assert (more["matches"], more["notes"]) == (4, board["notes"])
    arena(place, "verify", "kept")


def test_too_few_are_left(place: Path) -> None:
    """If too few can start, `--keep-going` gives up too, and no folder is left."""
    said = arena(place, *RUN, f"sick={PYTHON} crash.py", "--keep-going", "--seats", "2", code=2)
    assert "\narena: expected at least 2 bots that start, got 1; more bots are needed" in said.err
    assert not (place / "never").exists()


@pytest.mark.long
def test_a_build_that_fails(place: Path) -> None:
    """A build step that fails is told with its output; with `--keep-going` the bot is withdrawn."""
    folder = place / "built"
    folder.mkdir()
    step = '["sh", "-c", "echo compiling; echo line 3: no such fish >&2; exit 4"]'
    (folder / "bot.toml").write_text(f'name = "built"\ncommand = ["./bot"]\nbuild = [{step}]\n')
    cache = {"XDG_CACHE_HOME": str(place / "cache")}
    said = arena(place, *RUN, "-v", "built", code=2, env=cache)
    assert said.err.startswith("arena: bot built cannot start: build step 1 (sh -c echo compiling")
    assert (
        ": line 3: no such fish; correct that, or the step in bot.toml\n  | compiling\n  | line 3: no such fish\n"
        in said.err
    )
    # where a compiler was not found, that is why
    tools = "the toolchains of programs that `build` and `needs` name"
    assert said.err.endswith(f"\n  isolation: none: steps find {tools}\n")
    assert not (place / "never").exists()
    kept = arena(place, *RUN, "built", MINE, "--seats", "2", "--keep-going", "--json", env=cache)
    withdrawn, unsafe = json.loads(kept.out)["notes"][-2:]
    assert withdrawn.startswith("built was withdrawn: build step 1")
    # who never played is not among them
    assert unsafe == "Played without a sandbox, with the rights of who started the run: mine."
