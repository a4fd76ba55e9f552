"""Copies of a bot's files for one process: everything of it, nothing else, and within bounds."""

import os
from errno import EFBIG
from pathlib import Path

import pytest

from arena.sandbox import copies


@pytest.fixture
def bot(tmp_path: Path) -> Path:
    """A folder with files, a program, links, an empty folder, a pipe, and something hidden."""
    folder = tmp_path / "bot"
    (folder / "lib/deep").mkdir(parents=True)
    (folder / "empty").mkdir()
    (folder / "own").write_text("own\n", "ascii")
    (folder / "large").write_bytes(os.urandom(100_000))
    (folder / "lib/deep/program").write_text("#!/bin/sh\n", "ascii")
    (folder / "lib/deep/program").chmod(0o700)
    (folder / "secret").write_text("not the bot's\n", "ascii")
    (folder / "link").symlink_to("lib/deep/program")
    (folder / "broken").symlink_to("nowhere")
    os.mkfifo(folder / "pipe")
    os.utime(folder / "own", ns=(1, 1_600_000_000_123_456_789))
    return folder


def copied(path: Path, to: Path, *hidden: Path) -> list[str]:
    """Copy it; what was copied, by name."""
    found = copies.entries(str(path), [str(each) for each in hidden])
    copies.copy(str(path), found, place=str(to))
    return sorted(entry.name for entry in found)


def test_a_copy_is_whole(bot: Path, tmp_path: Path) -> None:
    """Files, folders and links are copied as they are, with their times; what is hidden or no file is not there."""
    to = tmp_path / "copy"
    names = copied(bot, to, bot / "secret")
    assert names == ["", "broken", "empty", "large", "lib", "lib/deep", "lib/deep/program", "link", "own"]
    assert sorted(str(path.relative_to(to)) for path in to.rglob("*")) == names[1:]
    assert (to / "large").read_bytes() == (bot / "large").read_bytes()
    assert [os.readlink(to / name) for name in ("link", "broken")] == ["lib/deep/program", "nowhere"]  # noqa: PTH115 - as it stands
    assert [(to / name).stat().st_mode & 0o777 for name in ("own", "lib", "lib/deep/program")] == [0o644, 0o755, 0o755]
    assert (to / "own").stat().st_mtime_ns == 1_600_000_000_123_456_789


def test_no_copy_shares_its_pages(bot: Path, tmp_path: Path) -> None:
    """Each copy is of files of its own, and one file by itself is copied too, through a link as well."""
    assert copied(bot / "own", tmp_path / "one") == [""]
    assert copied(bot / "link", tmp_path / "two") == [""]
    assert (tmp_path / "two").read_text("ascii") == "#!/bin/sh\n"
    assert len({path.stat().st_ino for path in (bot / "own", tmp_path / "one", tmp_path / "two")}) == 3


def test_what_became_a_link_is_not_followed(bot: Path, tmp_path: Path) -> None:
    """A file that has become a link since it was found is refused: it may lead anywhere."""
    found = copies.entries(str(bot))
    (bot / "own").unlink()
    (bot / "own").symlink_to("/etc/passwd")
    with pytest.raises(OSError, match="symbolic link"):
        copies.copy(str(bot), found, place=str(tmp_path / "copy"))


def test_nor_a_folder_that_became_one(bot: Path, tmp_path: Path) -> None:
    """Nor is anything read in a folder that has become a link since."""
    found = copies.entries(str(bot))
    (bot / "lib").rename(tmp_path / "lib")
    (bot / "lib").symlink_to(tmp_path / "lib")
    with pytest.raises(OSError, match="expected a folder of its own, got a link"):
        copies.copy(str(bot), found, place=str(tmp_path / "copy"))


def test_links_out(bot: Path, tmp_path: Path) -> None:
    """Links out of the folder are copied only where that is asked for, as of what was built."""
    (bot / "out").symlink_to("/etc/passwd")
    (bot / "lib" / "beside").symlink_to("../../other")
    names = copied(bot, tmp_path / "copy")
    assert not {"out", "lib/beside"}.intersection(names)
    assert {"out", "lib/beside"} == {entry.name for entry in copies.entries(str(bot), links_out=True)}.difference(names)


@pytest.mark.parametrize(("bound", "most"), [("MOST_BYTES", 100_000), ("MOST_FILES", 5)])
def test_bounds(bound: str, most: int, bot: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """More bytes or files than may be copied are an error that names the folder and the bounds."""
    monkeypatch.setattr(copies, bound, most)
    with pytest.raises(OSError, match="expected at most") as error:
        copies.entries(str(bot))
    assert (error.value.errno, error.value.filename) == (EFBIG, str(bot))


def test_what_a_copy_takes(bot: Path) -> None:
    """The extent counts whole pages, so that a file system of that size holds the copy."""
    extent = copies.extent(copies.entries(str(bot)))
    assert extent.files == 10
    assert extent.size >= sum(-(-path.lstat().st_size // 4096) * 4096 for path in bot.rglob("*") if path.is_file())
