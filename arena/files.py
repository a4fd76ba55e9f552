"""Files and JSON of anybody: opened, replaced and removed beneath a folder without following a link; one error for all.

Each part of a name is opened from the folder before it, as a folder of its own, so a link in the place of any part is
refused (``Linked``) and never leads elsewhere; so is what is no file at all, or too large to be read. The folder that a
person named may be reached through links, as openat(2) has it.
"""

import errno
import os
import stat
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path, PurePosixPath
from typing import TypeVar

import msgspec

T = TypeVar("T")

_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC
_SAFE = os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK
"""A pipe or a device in the place of a file holds nobody up; whoever opened one sees that it is no file."""


LARGEST = 64 << 20
"""Bytes of a file that is read as a whole: it bounds the memory that a stranger's file takes."""


class Linked(OSError):
    """In the place of a file or folder is something else: a link, a pipe, a folder, more bytes than it may have."""

    def __init__(self, path: Path, *, requirement: str = "a file of its own", got: str = "a link") -> None:
        super().__init__(errno.ELOOP, f"expected {requirement}, got {got}", str(path))


_KINDS = {
    stat.S_IFREG: "a file",
    stat.S_IFDIR: "a folder",
    stat.S_IFIFO: "a pipe",
    stat.S_IFSOCK: "a socket",
    stat.S_IFLNK: "a link that leads nowhere",
}


def kind(path: Path) -> str:
    """What there is at a path, in words, behind links that lead somewhere; ``none`` if there is nothing."""
    for look in (path.stat, path.lstat):
        with suppress(OSError, ValueError):
            return _KINDS.get(stat.S_IFMT(look().st_mode), "a device")
    return "none"


def list_names(folder: Path) -> list[str]:
    """What lies in a folder, by name; nothing if it cannot be read."""
    try:
        return sorted(path.name for path in folder.iterdir())
    except OSError:
        return []


def opened(root: Path, name: str, flags: int, *, mode: int = 0o666) -> int:
    """A descriptor of the file ``name`` beneath ``root``, as ``os.open``; to be closed by the caller.

    ``Linked``: a part of the name is a link, or it is no ordinary file; all functions here raise it so.
    """
    with _parent(root, name) as (folder, last):
        try:
            descriptor = os.open(last, flags | _SAFE, mode, dir_fd=folder)
        except OSError as error:
            raise _with_path(error, root / name, "a file") from None
    kind = os.fstat(descriptor).st_mode
    if not stat.S_ISREG(kind):
        os.close(descriptor)
        raise Linked(root / name, got="a folder" if stat.S_ISDIR(kind) else "a pipe or a device")
    os.set_blocking(descriptor, True)
    return descriptor


def read(root: Path, name: str) -> bytes:
    """All of a file; ``Linked`` also if it has more than ``LARGEST`` bytes."""
    with open(opened(root, name, os.O_RDONLY), "rb") as file:
        # the file may grow meanwhile
        data = file.read(LARGEST + 1) if os.fstat(file.fileno()).st_size <= LARGEST else b""
        if len(data) > LARGEST or os.fstat(file.fileno()).st_size > LARGEST:
            raise Linked(root / name, requirement=f"at most {LARGEST >> 20} MiB", got="more")
        return data


def write(root: Path, name: str, data: bytes, mode: int = 0o644) -> None:
    """Replace a file so that a crash leaves the old one or the new; folders on the way are made, a link is replaced."""
    make(root, str(PurePosixPath(name).parent))
    with _parent(root, name) as (folder, last):
        new = f".{last}.new"
        try:
            with suppress(FileNotFoundError):
                # a file that a killed writer left, or a link that somebody put there
                os.unlink(new, dir_fd=folder)
            descriptor = os.open(new, os.O_WRONLY | os.O_CREAT | os.O_EXCL | _SAFE, mode, dir_fd=folder)
            try:
                with open(descriptor, "wb") as file:  # noqa: PTH123 - the descriptor carries the mode
                    file.write(data)
                    file.flush()
                    os.fsync(descriptor)
                os.replace(new, last, src_dir_fd=folder, dst_dir_fd=folder)
            except BaseException:
                # else a full disk stays full
                with suppress(OSError):
                    os.unlink(new, dir_fd=folder)
                raise
        except OSError as error:
            # a folder in the place of the new file is named; else the name that the caller knows
            path = Path(root, name)
            beside = path.with_name(new)
            raise _with_path(error, beside if beside.is_dir() else path, "a file") from error
        os.fsync(folder)


def remove(root: Path, name: str) -> None:
    """Remove a file, or the link that is in its place; if there is none, nothing is done."""
    with suppress(FileNotFoundError), _parent(root, name) as (folder, last):
        os.unlink(last, dir_fd=folder)


def rename(root: Path, name: str, *, other: str) -> None:
    """Give a file of ``root`` itself another name there."""
    with _parent(root, name) as (folder, last):
        os.rename(last, other, src_dir_fd=folder, dst_dir_fd=folder)


def make(root: Path, name: str) -> Path:
    """The folder ``name`` beneath ``root``, made with those on the way if it is not there."""
    parts = _parts(name)
    for count in range(1, len(parts) + 1):
        with _parent(root, "/".join(parts[:count])) as (folder, last), suppress(FileExistsError):
            os.mkdir(last, dir_fd=folder)
    return inside(root, name)


def inside(root: Path, name: str) -> Path:
    """The path of the folder ``name`` beneath ``root``, which has no link on the way; it need not be there."""
    with suppress(FileNotFoundError):
        os.close(_folder(root, _parts(name)))
    return root / name


def files(root: Path, name: str) -> Iterator[str]:
    """The names of all files in a folder and in those within it, in order; links are not followed."""
    try:
        folder = _folder(root, _parts(name))
    except FileNotFoundError:
        return
    try:
        entries = sorted((entry.name, entry.is_dir(follow_symlinks=False)) for entry in os.scandir(folder))
    finally:
        os.close(folder)
    for entry, is_folder in entries:
        if is_folder:
            yield from files(root, f"{name}/{entry}")
        else:
            yield f"{name}/{entry}"


def _parts(name: str) -> tuple[str, ...]:
    parts = PurePosixPath(name).parts
    if any(part in ("/", "..") for part in parts):
        raise ValueError(f"expected a name beneath a folder, got {name!r}")
    return parts


@contextmanager
def _parent(root: Path, name: str) -> Iterator[tuple[int, str]]:
    *above, last = _parts(name)
    folder = _folder(root, tuple(above))
    try:
        yield folder, last
    finally:
        os.close(folder)


def _folder(root: Path, parts: tuple[str, ...]) -> int:
    folder = os.open(root, _FOLDER)
    for number, part in enumerate(parts):
        above = folder
        try:
            folder = os.open(part, _FOLDER | os.O_NOFOLLOW, dir_fd=above)
        except OSError as error:
            raise _with_path(error, root.joinpath(*parts[: number + 1]), "a folder") from None
        finally:
            os.close(above)
    return folder


def _with_path(error: OSError, path: Path, requirement: str) -> OSError:
    """The same error with the whole path in it; ``Linked`` where something else is in the place of what is wanted."""
    got = "a link" if path.is_symlink() else _OTHERS.get(error.errno or 0)
    if error.errno in (errno.ELOOP, *_OTHERS) and got:
        return Linked(path, requirement=f"{requirement} of its own", got=got)
    return type(error)(error.errno, error.strerror, str(path))


_OTHERS = {errno.ENOTDIR: "a file", errno.EISDIR: "a folder", errno.ENXIO: "a pipe, a socket or a device"}
"""What is in the place of a file or folder, by the error of whoever opens it."""


def decoder(shape: type[T]) -> Callable[[bytes], T]:
    """A function that decodes JSON to this shape; whatever is wrong with it, it raises ``msgspec.DecodeError``."""
    decode = msgspec.json.Decoder(shape).decode

    def decoded(data: bytes) -> T:
        try:
            return decode(data)
        except UnicodeDecodeError as error:
            raise msgspec.DecodeError(str(error)) from None
        except RecursionError:
            raise msgspec.DecodeError("JSON is nested too deep") from None

    return decoded


def cache_folder() -> Path:
    """The folder of arena's cache: ``$XDG_CACHE_HOME/arena`` or ``~/.cache/arena``; ``RuntimeError``: no home."""
    folder = Path(os.environ.get("XDG_CACHE_HOME", ""))
    return (folder if folder.is_absolute() else Path.home() / ".cache") / "arena"
