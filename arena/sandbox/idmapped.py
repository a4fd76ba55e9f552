"""For root only: places where a user without rights can reach folders that lie in root's own. Linux, by mount(2).

If root runs arena, a bot runs as an unused user, who can neither enter ``/root`` nor read root's private files. So the
folders that it needs are mounted again at places which that user can reach: read-only and, where kernel and file system
support it, with root's files shown as his (idmapped mounts, mount_setattr(2)). A process of a bot can also get a file
system in memory. All this is in a mount namespace of this process alone: it disappears with the process, and no other
process sees it.
"""

import atexit
import contextlib
import ctypes
import os
import signal
import struct
import tempfile
from itertools import count
from pathlib import Path

_NEW_MOUNTS, _NEW_USERS = 0x0002_0000, 0x1000_0000
_RECURSIVE, _SLAVE = 16384, 1 << 19
_BARE = 1 << 1 | 1 << 2 | 1 << 10
"""No set-user-id programs, no devices, no times of reading."""
_DETACH = 2
_OPEN_TREE, _MOVE_MOUNT, _SET_ATTRIBUTES = 428, 429, 442
_CLONE_TREE, _CLOSE_ON_EXEC, _WHOLE_TREE, _EMPTY_PATH = 1, os.O_CLOEXEC, 0x8000, 0x1000
_FROM_EMPTY_PATH = 4
_READ_ONLY, _IDMAP = 0x0000_0001, 0x0010_0000
_AT_CWD = -100
_REACHABLE = 0o711
_ANYBODY = 0o001
_OUTSIDE = Path("/run/arena")
"""Where places are made if other users may not enter the temporary folder; only root writes to what is around it."""
_IDS = 1 << 32


class _Stage:
    def __init__(self) -> None:
        self.root: Path | None = None
        self.around: Path | None = None
        self.users: dict[int, int] = {}
        """User -> a user namespace that shows root's files as his; -1 if there can be none."""
        self.places: dict[tuple[str, int | None], str] = {}
        self.numbers = count()


_stage = _Stage()
_libc = ctypes.CDLL(None, use_errno=True)


def _done(what: str, result: int) -> int:
    if result < 0:
        number = ctypes.get_errno()
        raise OSError(number, f"{what}: {os.strerror(number)}")
    return result


def near(folder: Path) -> None:
    """Have the places made in this folder, which others remove if this process is killed."""
    _stage.around = folder


def begin() -> None:
    """Take a copy of the machine's mounts for this process, with room for places; ``OSError`` if this root may not."""
    if _stage.root is not None:
        return
    around = _stage.around or Path(tempfile.gettempdir())
    if not all(folder.stat().st_mode & _ANYBODY for folder in around.absolute().parents):
        # a private TMPDIR lets no other user through; each process mounts over this in a namespace of its own
        root = str(_OUTSIDE)
        _OUTSIDE.mkdir(mode=_REACHABLE, exist_ok=True)
    else:
        root = tempfile.mkdtemp(prefix="stage-", dir=around)
        if _stage.around is not None:
            _stage.around.chmod(_REACHABLE)
    try:
        _done("unshare", _libc.unshare(_NEW_MOUNTS))
        _done("mount", _libc.mount(b"none", b"/", None, _RECURSIVE | _SLAVE, None))
        options = f"mode={_REACHABLE:o},size=1m".encode()
        _done("mount", _libc.mount(b"arena", root.encode(), b"tmpfs", 0, options))
    except OSError:
        if root != str(_OUTSIDE):
            os.rmdir(root)  # noqa: PTH106 - the folder just made
        raise
    _stage.root = Path(root)
    atexit.register(end)


def _shown_to(user: int) -> int:
    """A descriptor of a user namespace that shows root's id as another one, and all others unchanged."""
    if user not in _stage.users:
        _stage.users[user] = -1
        _stage.users[user] = _user_namespace(user)
    if _stage.users[user] < 0:
        raise OSError("unshare: no user namespace")
    return _stage.users[user]


def _user_namespace(user: int) -> int:
    ready, told = os.pipe()
    child = os.fork()
    if child == 0:
        with contextlib.suppress(BaseException):
            os.write(told, b"x" if _libc.unshare(_NEW_USERS) == 0 else b"-")
            while True:
                signal.pause()
        os._exit(1)
    os.close(told)
    try:
        if os.read(ready, 1) != b"x":
            raise OSError("unshare: no user namespace")
        lines = f"0 {user} 1\n1 1 {user - 1}\n{user + 1} {user + 1} {_IDS - 2 - user}\n"
        for name in ("uid_map", "gid_map"):
            Path(f"/proc/{child}/{name}").write_text(lines, "ascii")
        return os.open(f"/proc/{child}/ns/user", os.O_RDONLY | os.O_CLOEXEC)
    finally:
        os.close(ready)
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)


def reachable(path: str, *, reader: int | None) -> str:
    """A place that every user can reach and that shows ``path``, a file or a folder; ``OSError`` if it cannot be bound.

    Read-only, with root's files shown as those of the ``reader``; None: to be written by whom it has been given to.
    """
    assert _stage.root is not None  # noqa: S101 - begin comes first
    known = _stage.places.get((path, reader))
    if known is not None and _same(known, path):
        return known
    place = _stage.root / str(next(_stage.numbers))
    if Path(path).is_dir():
        place.mkdir()
    else:
        place.touch()
    flags = _CLONE_TREE | _CLOSE_ON_EXEC | _WHOLE_TREE
    tree = _done(f"open_tree {path}", _libc.syscall(_OPEN_TREE, _AT_CWD, path.encode(), flags))
    try:
        if reader is not None:
            _set(tree, _READ_ONLY, whole=True)
            # not every file system can
            with contextlib.suppress(OSError):
                _set(tree, _IDMAP, whole=False, users=_shown_to(reader))
        moved = _libc.syscall(_MOVE_MOUNT, tree, b"", _AT_CWD, str(place).encode(), _FROM_EMPTY_PATH)
        _done(f"move_mount {path}", moved)
    finally:
        os.close(tree)
    _stage.places[path, reader] = str(place)
    return str(place)


def room(size: int, *, files: int, mode: int = 0o755) -> str:
    """A new file system in memory for ``size`` bytes in ``files`` files, until ``leave``; or an ``OSError``."""
    assert _stage.root is not None  # noqa: S101 - begin comes first
    place = _stage.root / str(next(_stage.numbers))
    place.mkdir()
    options = f"mode={mode:o},size={size},nr_inodes={files}".encode()
    try:
        _done("mount", _libc.mount(b"arena", str(place).encode(), b"tmpfs", _BARE, options))
    except OSError:
        place.rmdir()
        raise
    return str(place)


def leave(place: str) -> None:
    """Remove a room with all its contents, when no process uses it any more."""
    if _stage.root is not None:
        _libc.umount2(place.encode(), _DETACH)
        with contextlib.suppress(OSError):
            os.rmdir(place)  # noqa: PTH106 - a start is to be quick


def _set(tree: int, attributes: int, *, whole: bool, users: int = 0) -> None:
    wanted = struct.pack("=QQQQ", attributes, 0, 0, users)
    flags = _EMPTY_PATH | (_WHOLE_TREE if whole else 0)
    _done("mount_setattr", _libc.syscall(_SET_ATTRIBUTES, tree, b"", flags, wanted, len(wanted)))


def _same(place: str, path: str) -> bool:
    one, other = os.stat(place), os.stat(path)  # noqa: PTH116 - a start is to be quick
    return (one.st_ino, one.st_dev) == (other.st_ino, other.st_dev)


def end() -> None:
    """Remove the places; the folders that they show do not change."""
    if _stage.root is None:
        return
    root, _stage.root = _stage.root, None
    _stage.places.clear()
    for users in _stage.users.values():
        if users >= 0:
            os.close(users)
    _stage.users.clear()
    _libc.umount2(str(root).encode(), _DETACH)
    # only an empty folder is removed: if an unmount failed, its files stay
    if root != _OUTSIDE:
        with contextlib.suppress(OSError):
            root.rmdir()
