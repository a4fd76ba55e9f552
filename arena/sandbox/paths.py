"""Which folders a program needs outside the system's own, and at which other paths a file lies. Only reads links.

A bind mount shows the same folder at two paths, without a link. A file that is to be hidden must be hidden at each.
"""

import os
import re
import shutil
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

SYSTEM = ("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32")
"""Readable at every level."""
_STORES = ("/nix/store", "/gnu/store")
"""Package stores, whose packages need one another."""
_PROGRAMS = frozenset({"bin", "sbin", "shims", "libexec"})
_ENVIRONMENT = ("pyvenv.cfg", "lib", "lib64")
"""What a virtual environment of Python holds besides its programs; the first tells that it is one."""
_HOPS = 40
"""Links followed at most, as the kernel does."""
_MOUNTS = Path("/proc/self/mountinfo")
_OCTAL = re.compile(r"\\([0-7]{3})")
_PROXY = "rustup"
"""The program that ``rustc`` and ``cargo`` are links to where rustup has installed them: it starts the true ones."""


def folders(programs: Iterable[str], path: str, apart: Sequence[str] = ()) -> tuple[str, ...]:
    """The folders that these programs need to read (absolute, or looked for on ``path``), none within another.

    A program in a ``bin`` needs the folder around that ``bin``; another one needs its own folder. So it is for each
    link on the way to it: a virtual environment's ``python`` needs the environment and the interpreter it was made of.
    A folder that holds any of what is to stay ``apart``, absolute paths with no links, is not shown for a program.
    """
    needed = {str(folder) for program in programs for folder in _folders_of(program, path, apart)}
    return tuple(sorted(folder for folder in needed if not within(folder, needed - {folder})))


def is_tool(path: Path) -> bool:
    """Whether this is a program in a folder of programs, which serves many."""
    return path.parent.name in _PROGRAMS and path.is_file() and os.access(path, os.X_OK)


def variables(programs: Iterable[str], path: str) -> dict[str, str]:
    """The variables by which these programs find their toolchains although ``HOME`` is another: rustup's own folder."""
    paths = (shutil.which(program, path=path) for program in programs)
    proxied = any(Path(program).resolve().name == _PROXY for program in paths if program is not None)
    return {"RUSTUP_HOME": str(_rustup())} if proxied else {}


def host_path() -> str:
    """The folders of this process's PATH, without relative ones."""
    return os.pathsep.join(
        folder for folder in os.environ.get("PATH", os.defpath).split(os.pathsep) if folder.startswith("/")
    )


def too_wide(folder: Path) -> bool:
    """Whether a folder would show a bot too much: a home, many programs as ``/opt``, one around the current."""
    tops = list[Path]()
    # the current folder may be removed, and a user in a container may have no home
    for find in (Path.cwd, Path.home):
        with suppress(OSError, RuntimeError):
            tops.append(find())
    shelves = [Path("/"), Path("/opt"), *(top / name for top in tops for name in ("", ".local", ".cargo"))]
    return folder in shelves or any(folder in top.parents for top in tops)


def _folders_of(program: str, path: str, apart: Sequence[str]) -> Iterator[Path]:
    where = shutil.which(program, path=path)
    if where is None:
        return
    here = Path(os.path.abspath(where))  # noqa: PTH100 - links are followed one by one
    for _ in range(_HOPS):
        yield from _around(here, apart)
        if not here.is_symlink():
            break
        here = Path(os.path.normpath(here.parent.resolve() / here.readlink()))
    yield from _around(here.resolve(), apart)
    if here.name == _PROXY:
        yield _rustup()


def _rustup() -> Path:
    # without a home this is no folder at all
    return Path(os.environ.get("RUSTUP_HOME") or os.path.expanduser("~/.rustup"))  # noqa: PTH111 - as text


def _around(program: Path, apart: Sequence[str]) -> Iterator[Path]:
    folder = program.parent

    def narrow(candidate: Path) -> bool:
        true = [str(candidate.resolve())]
        return not too_wide(candidate) and not any(within(other, true) for other in apart)

    for store in _STORES:
        if within(str(program), [store]):
            yield Path(store)
            return
    if within(str(program), SYSTEM):
        return
    around = folder.parent if folder.name in _PROGRAMS else folder
    yield next((candidate for candidate in (around, folder) if narrow(candidate)), program)
    if around != folder and not narrow(around) and (around / _ENVIRONMENT[0]).is_file():
        # a virtual environment in a folder with too many other files
        yield from (path for name in _ENVIRONMENT if (path := around / name).exists())


def within(path: str, folders: Iterable[str]) -> bool:
    """Whether a path is one of these folders or lies in one of them."""
    return any(path == folder or path.startswith(folder.rstrip("/") + "/") for folder in folders)


def leads_out(folder: str, *, link: str, target: str) -> bool:
    """Whether a link in ``folder``, a path with no links, leads out of it; one with an absolute target always does."""
    if os.path.isabs(target):  # noqa: PTH117 - folders can hold much
        return True
    return not within(os.path.realpath(f"{folder}/{link.rpartition('/')[0]}/{target}"), [folder])


class _Mount(NamedTuple):
    """A line of proc_pid_mountinfo(5): which folder of a device is mounted where."""

    device: str
    root: str
    point: str


def everywhere(paths: Iterable[str]) -> tuple[str, ...]:
    """These paths, which have no link in them, and all other paths of the same files."""
    mounts = _mounts()
    return tuple(dict.fromkeys(place for path in paths for place in (path, *_others(path, mounts))))


def _others(path: str, mounts: list[_Mount]) -> Iterator[str]:
    around = [mount for mount in mounts if within(path, [mount.point])]
    if not around:
        return
    # of two mounts at the same place, the later one covers the other
    _, nearest = max((len(mount.point), number) for number, mount in enumerate(around))
    home = around[nearest]
    inside = _joined(home.root, os.path.relpath(path, home.point))
    for mount in mounts:
        if mount.device != home.device or mount is home:
            continue
        if within(inside, [mount.root]):
            place = _joined(mount.point, os.path.relpath(inside, mount.root))
            if not os.path.lexists(path) or _same(path, place):
                yield place
        elif within(mount.root, [inside]):
            yield mount.point


def _joined(folder: str, inside: str) -> str:
    return os.path.normpath(f"{folder}/{inside}").replace("//", "/")


def _same(path: str, other: str) -> bool:
    with suppress(OSError):
        return Path(path).samefile(other)
    return False


def _mounts() -> list[_Mount]:
    try:
        lines = os.fsdecode(_MOUNTS.read_bytes()).splitlines()
    except OSError:
        return []
    fields = [line.split(" ") for line in lines]
    return [
        _Mount(device=line[2], root=_unescaped(line[3]), point=_unescaped(line[4]))
        for line in fields
        if len(line) > 4  # noqa: PLR2004 - the fields that are read
    ]


def _unescaped(text: str) -> str:
    return _OCTAL.sub(lambda octal: chr(int(octal[1], 8)), text)
