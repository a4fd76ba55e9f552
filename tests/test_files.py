"""Files beneath a folder of a stranger's: whatever is in the place of one, it is named, and nobody waits for it."""

import os
import socket
import subprocess
import sys
from pathlib import Path

import msgspec
import pytest

from arena.files import LARGEST, Linked, decoder, files, inside, opened, read
from arena.record import Record, decode, decode_outcome
from arena.tournament.journal_index import id_of


def put(path: Path, kind: str) -> None:
    """Make something else where a file or a folder should be."""
    match kind:
        case "folder":
            path.mkdir()
        case "pipe":
            os.mkfifo(path)
        case "link":
            path.symlink_to(path.name)
        case "socket":
            with socket.socket(socket.AF_UNIX) as listener:
                # no longer than the name of a socket may be
                folder = os.open(path.parent, os.O_PATH)
                listener.bind(f"/proc/self/fd/{folder}/{path.name}")
                os.close(folder)
        case "file":
            path.touch()


@pytest.mark.parametrize("kind", ["folder", "pipe", "link", "socket"])
@pytest.mark.parametrize("flags", [os.O_RDONLY, os.O_WRONLY | os.O_APPEND | os.O_CREAT])
def test_what_is_no_file(kind: str, flags: int, tmp_path: Path) -> None:
    """A folder, a pipe, a link to itself or a socket in the place of a file is refused by what it is."""
    put(tmp_path / "x", kind)
    with pytest.raises(Linked, match=f"expected a file of its own, got a .*{kind}") as refused:
        opened(tmp_path, "x", flags)
    assert refused.value.filename == str(tmp_path / "x")


@pytest.mark.parametrize("kind", ["file", "pipe", "link", "socket"])
def test_what_is_no_folder(kind: str, tmp_path: Path) -> None:
    """What is in the place of a folder is refused as well, whoever asks for something in it."""
    put(tmp_path / "x", kind)
    got = "a link" if kind == "link" else "a file"
    for asked in (lambda: read(tmp_path, "x/y"), lambda: inside(tmp_path, "x"), lambda: list(files(tmp_path, "x"))):
        with pytest.raises(Linked, match=f"expected a folder of its own, got {got}"):
            asked()


def test_what_is_too_large(tmp_path: Path) -> None:
    """A file that is read as a whole has a largest size, so that a hole of a terabyte takes no memory."""
    (tmp_path / "x").touch()
    os.truncate(tmp_path / "x", LARGEST)
    assert len(read(tmp_path, "x")) == LARGEST
    for size in (LARGEST + 1, 1 << 40):
        os.truncate(tmp_path / "x", size)
        with pytest.raises(Linked, match="expected at most 64 MiB, got more"):
            read(tmp_path, "x")


TOO_MUCH = """
import resource, sys
from pathlib import Path
from arena.files import write
resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))
write(Path(sys.argv[1]), "kept/file", bytes(5000))
"""
"""Writes more than its files may hold, as on a full disk."""


def test_what_does_not_fit_leaves_nothing(tmp_path: Path) -> None:
    """A file that the disk has no room for leaves the old one, and no part of itself that keeps the disk full."""
    (tmp_path / "kept").mkdir()
    (tmp_path / "kept" / "file").write_bytes(b"old")
    done = subprocess.run([sys.executable, "-c", TOO_MUCH, tmp_path], capture_output=True, timeout=300, check=False)
    assert b"File too large" in done.stderr
    assert [path.name for path in (tmp_path / "kept").iterdir()] == ["file"]
    assert (tmp_path / "kept" / "file").read_bytes() == b"old"


WRONG = [b"", b"[]", b"\0", b'{"id":1}', b'{"id":"\xff"}', b'{"\xff":1}', b"[" * 100_000, b'{"x":' * 100_000]


@pytest.mark.parametrize("data", WRONG)
def test_there_is_one_error(data: bytes) -> None:
    """Bytes that are no UTF-8, no JSON, of another shape or nested without end: msgspec.DecodeError each time."""
    for decoded in (decoder(dict[int, str]), decoder(Record), decode, decode_outcome, id_of):
        with pytest.raises(msgspec.DecodeError):
            decoded(data)
