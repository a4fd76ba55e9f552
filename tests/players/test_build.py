"""How a bot is built: once, in a copy of its folder, within bounds."""

import json
import os
import pwd
import resource
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from msgspec.structs import replace

from arena.errors import BotError, HostError
from arena.files import cache_folder
from arena.players import building, content, shortage
from arena.players.botfile import BotFile, read_bot_file
from arena.players.building import prepare
from arena.players.builds import usable_cache
from arena.players.shortage import lacks_processes
from tests.players.test_botfile import PLAIN, folder_with


def built(folder: Path, build: list[list[str]]) -> BotFile:
    """A bot with these build steps."""
    return read_bot_file(folder_with(folder, f"{PLAIN}build = {json.dumps(build)}\n", bot_py="x"))


def test_nothing_to_build(tmp_path: Path) -> None:
    """A bot without build steps runs in its own folder, and no cache is made."""
    bot = read_bot_file(folder_with(tmp_path / "bot"))
    assert prepare(bot, cache=tmp_path / "cache") == bot.folder
    assert not (tmp_path / "cache").exists()


def test_built_once_in_a_copy(tmp_path: Path) -> None:
    """Steps run in order in a copy with the bot's environment; the copy is found again until the content changes."""
    bot = built(tmp_path / "bot", [["sh", "-c", "cat bot.py > out; pwd >> $TMPDIR/log"], ["sh", "-c", "env >> out"]])
    (tmp_path / "bot" / "bot.py").chmod(0o500)
    (tmp_path / "bot" / "link").symlink_to("bot.py")
    cache = tmp_path / "cache"
    folder = Path(prepare(bot, cache=cache))
    out = (folder / "out").read_text()
    assert out.startswith("x")
    assert "PYTHONDONTWRITEBYTECODE=1" in out
    assert (folder / "link").read_text() == "x"
    assert os.access(folder / "bot.py", os.X_OK | os.W_OK)
    assert not (tmp_path / "bot" / "out").exists()
    assert [path.name for path in (cache / "builds").iterdir()] == [folder.name]

    def never(argv: Sequence[str], env: Mapping[str, str], folder: Path, seconds: float) -> tuple[int | None, bytes]:
        raise AssertionError(f"built again: {argv} {env} {folder} {seconds}")

    assert prepare(bot, cache=cache, run=never) == str(folder)
    (tmp_path / "bot" / "link").unlink()
    assert prepare(bot, cache=cache) != str(folder)


@pytest.mark.parametrize(
    ("step", "reason"),
    [
        (["sh", "-c", "echo one; echo '::error::two' >&2; exit 3"], r"got 3\n  \| one\n  \| ::error::two$"),
        (["sh", "-c", "kill -9 $$"], r"got -9$"),
        (["sh", "-c", "echo begun; exec sleep 60"], r"got none in 0.3 s\n  \| begun$"),
        (["sh", "-c", "printf '\\033[31m\\377'; exit 1"], r"got 1\n  \|  \[31m\\xff$"),
        (["no-such-program"], r"expected a program that starts, got: No such file or directory"),
    ],
)
def test_a_step_that_fails(step: list[str], reason: str, tmp_path: Path) -> None:
    """A step that fails ends the build: bot, step, exit status and last lines are told, and nothing is left behind."""
    bot = built(tmp_path / "bot", [["true"], step, ["touch", str(tmp_path / "later")]])
    with pytest.raises(BotError, match=reason) as caught:
        prepare(bot, cache=tmp_path / "cache", seconds=0.3)
    assert str(caught.value).startswith(f"minnow: build step 2 ({' '.join(step)}): expected ")
    assert not list((tmp_path / "cache" / "builds").iterdir())
    assert not (tmp_path / "later").exists()


def test_a_step_that_fails_for_want_of_room(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A step that fails where the system takes no more bytes is this machine's trouble, and no fault of the bot's."""
    bot = built(tmp_path / "bot", [["sh", "-c", "echo cc: fatal; exit 1"]])
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 20, before[1]))
    try:
        with pytest.raises(HostError, match=r"status 1 of build step 1: File too large in .*`ulimit -f`\n  \| cc"):
            prepare(bot, cache=tmp_path / "cache")
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    monkeypatch.setattr(shortage, "_PROCESSES", 1)
    monkeypatch.setenv("PATH", str(tmp_path))
    assert str(lacks_processes()).startswith("No such file or directory")


def test_a_step_that_fills_the_room(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where there is room for any build once what the step has made is gone, the bot itself has used it up."""
    bot = built(tmp_path / "bot", [["sh", "-c", "echo > big; exit 1"]])

    def lacks(desk: Path) -> str | None:
        return "No space left on device" if (desk / "bot/big").exists() else None

    monkeypatch.setattr(building, "lacks_room", lacks)
    monkeypatch.setattr(building, "BUILT", content.SOURCE)
    with pytest.raises(BotError, match="expected exit status 0, got 1"):
        prepare(bot, cache=tmp_path / "cache")
    monkeypatch.setattr(building, "BUILT", replace(content.SOURCE, size=1 << 62))
    with pytest.raises(HostError, match="No space left on device"):
        prepare(bot, cache=tmp_path / "cache")


def test_steps_that_take_too_long_together(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """All steps of a bot together have a limit too, however many there are."""
    monkeypatch.setattr(building, "ALL_SECONDS", 0.4)
    bot = built(tmp_path / "bot", [["sleep", "0.3"]] * 3)
    with pytest.raises(BotError, match=r"build step [12] \(sleep 0.3\): expected exit status 0, got none in 0"):
        prepare(bot, cache=tmp_path / "cache")
    assert not list((tmp_path / "cache/builds").iterdir())


@pytest.mark.parametrize(
    ("code", "reason"),
    [
        (
            "[(os.mkdir('d'), os.chdir('d')) for _ in range(1100)]",
            "expected at most 64 folders in one another, got more",
        ),
        ("os.mkfifo('pipe')", "expected a regular file, got a FIFO"),
    ],
)
def test_what_steps_must_not_make(code: str, reason: str, tmp_path: Path) -> None:
    """What steps make has bounds, and whatever it is, nothing of a build that fails stays."""
    bot = built(tmp_path / "bot", [["{python}", "-S", "-c", f"import os; {code}"]])
    with pytest.raises(BotError, match=f"^minnow: build: .*: {reason}"):
        prepare(bot, cache=tmp_path / "cache")
    assert not list((tmp_path / "cache/builds").iterdir())


def test_two_builders(tmp_path: Path) -> None:
    """Builders of the same bot at the same time get the same whole folder; the first to finish is believed."""
    bot = built(tmp_path / "bot", [["{python}", "-S", "-c", "open('out', 'w').write('x' * 100_000)"]])
    with ThreadPoolExecutor(4) as pool:
        folders = set(pool.map(lambda _: prepare(bot, cache=tmp_path), range(8)))
    (folder,) = folders
    assert len((Path(folder) / "out").read_text()) == 100_000
    assert [str(path) for path in (tmp_path / "builds").iterdir()] == [folder]


def test_the_cache_has_its_place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Builds lie in $XDG_CACHE_HOME/arena, or ~/.cache/arena where that is unset or not absolute."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "xdg"))
    monkeypatch.setenv("HOME", str(tmp_path))
    assert cache_folder() == tmp_path / "xdg" / "arena"
    for unusable in ("", "cache"):
        monkeypatch.setenv("XDG_CACHE_HOME", unusable)
        assert cache_folder() == tmp_path / ".cache" / "arena"


def test_changed_while_it_is_copied(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is kept under a digest is built of files of that digest, also if they are changed in the same moment."""
    bot = built(tmp_path / "bot", [["true"]])
    copy = content.copy

    def edited(folder: Path, *, to: Path) -> None:
        (folder / "bot.py").write_text("y")
        copy(folder, to=to)

    monkeypatch.setattr(building, "copy", edited)
    with pytest.raises(BotError, match="stay as they are while they are copied"):
        prepare(bot, cache=tmp_path / "cache")
    monkeypatch.undo()
    (tmp_path / "bot" / "bot.py").write_text("x")
    assert Path(prepare(bot, cache=tmp_path / "cache"), "bot.py").read_text() == "x"


def test_a_cache_that_cannot_be_used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A cache that is there is used; without a home, or where a file is in its way, there is none, and no error."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert usable_cache() == tmp_path / "arena"
    (tmp_path / "file").touch()
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file"))
    assert usable_cache() is None
    monkeypatch.delenv("XDG_CACHE_HOME")
    monkeypatch.delenv("HOME")
    monkeypatch.setattr(pwd, "getpwuid", dict[int, object]().__getitem__)
    assert usable_cache() is None
