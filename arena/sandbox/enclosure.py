"""How a process is started within its sandbox: the command that shuts itself in, and what is to be given back then.

Every level ends in a command that becomes the bot. No wrapper gets the bot's own environment, because variables such as
``LD_PRELOAD`` could change the wrapper before the sandbox is closed.
"""

import json
import marshal
import os
import resource
import shutil
import subprocess
import sys
import zlib
from base64 import b64encode
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from errno import EACCES, ENOENT
from functools import lru_cache
from os.path import realpath
from pathlib import Path
from stat import S_IROTH, S_ISDIR, S_IXOTH
from tempfile import mkdtemp
from typing import Any, NamedTuple

from arena.sandbox import bwrap, landlock, rooms, seccomp, users
from arena.sandbox.copies import keep, locate_copies
from arena.sandbox.paths import SYSTEM, within
from arena.sandbox.sandbox import TOKEN, Sandbox

_ETC = (
    "/etc/alternatives",
    "/etc/ld.so.cache",
    "/etc/localtime",
    *sorted(map(str, Path("/etc").glob("java-*"))),
)
_SETTINGS = ("/etc/mime.types", "/etc/ssl/openssl.cnf", "/etc/timezone")
"""What programs do without where it is missing, but not where they may not read it: node ends then. At landlock all is
there, so it may be read; elsewhere it takes a mount, and is missing."""
_NOT_OF_THE_SYSTEM = ("/usr/src",)
"""Where containers commonly keep private files: shown only where it is asked for."""
_OF_THE_NETWORK = (
    "/etc/resolv.conf",
    "/etc/hosts",
    "/etc/nsswitch.conf",
    "/etc/ssl",
    "/etc/pki",
    "/etc/ca-certificates",
)
PER_USER = frozenset({"nproc", "sigpending", "msgqueue"})
"""Limits that the kernel compares with what all processes of a user have together."""


def capped(limits: Mapping[str, int]) -> dict[str, tuple[int, int]]:
    """Soft and hard limits by name, none above the hard limit that this process has itself."""
    both = {}
    for name, value in limits.items():
        hard = resource.getrlimit(getattr(resource, f"RLIMIT_{name.upper()}"))[1]
        most = value if hard == resource.RLIM_INFINITY else min(value, hard)
        # the kernel signals the cause at the soft limit, and kills at the hard one, which must be higher
        both[name] = (most, most + 1 if name == "cpu" and most != hard else most)
    return both


BEGUN = b'"exit-code"'
"""What bwrap tells only of a program that it has started (``--json-status-fd``)."""
_MARKED = 4096
_NOT_EXECUTED = b"bwrap: execvp "
"""What bwrap says of a program that the kernel does not execute, as one whose interpreter is not there."""


class NoProgram(OSError):
    """There is no such program, or a bot may not execute it or read what it needs."""


class Started(NamedTuple):
    """The arguments for Popen. ``files`` are descriptors to pass on, and to close once it has started."""

    argv: tuple[str, ...]
    env: dict[str, str]
    folder: str
    """Where the first of the words starts."""
    files: tuple[int, ...] = ()
    limits: Mapping[str, tuple[int, int]] = {}
    """Resource limits, soft and hard, that ``begin`` sets; otherwise the command sets them."""
    waits: bool = False
    """Whether the command is bwrap's, whose process in the sandbox waits until it has its limits and its group."""
    entries: tuple[str, ...] = ()
    """Files of groups that its process enters then."""
    room: str = ""
    """A place of ``arena.sandbox.rooms``."""
    marker: int | None = None
    """A file in memory, in which ``BEGUN`` stands once the program itself has been started, by what sets up its sandbox
    (bwrap: at its end). None if nothing is set up: then the program starts or ``begin`` fails."""

    @property
    def echoes(self) -> bool:
        """Whether an end by signal n shows as exit status 128 + n."""
        return self.waits

    def begin(self, **streams: Any) -> "subprocess.Popen[bytes]":
        """Start it in a session of its own, within its limits; ``streams`` are for Popen."""
        reader, telling, waiting, going = (*os.pipe(), *os.pipe()) if self.waits else (-1,) * 4
        words, files = self.argv, self.files
        if self.waits:
            words = (words[0], "--info-fd", str(telling), "--block-fd", str(waiting), *words[1:])
            files = (*files, telling, waiting)
        descriptors = files if self.marker is None else (*files, self.marker)
        try:
            popen = subprocess.Popen(
                words, start_new_session=True, env=self.env, cwd=self.folder, pass_fds=descriptors, **streams
            )
            while files:
                os.close(files[-1])
                files = files[:-1]
            pid = _process_told_of(reader) if self.waits else popen.pid
            if pid is not None:
                self._hold(pid)
                if self.waits:
                    os.write(going, b"!")
        finally:
            for descriptor in (*files, reader, going):
                if descriptor >= 0:
                    os.close(descriptor)
        return popen

    def _hold(self, pid: int) -> None:
        for entry in self.entries:
            with open(entry, "wb", buffering=0) as file:  # noqa: PTH123 - a start is to be quick
                file.write(b"%d" % pid)
        with suppress(ProcessLookupError, PermissionError):
            for name, both in self.limits.items() if hasattr(resource, "prlimit") else ():
                resource.prlimit(pid, getattr(resource, f"RLIMIT_{name.upper()}"), both)

    def begun(self, stderr: bytes = b"") -> bool:
        """Whether it came to the program itself, once it has ended: what ended before that is the host's doing.

        ``stderr`` is its stderr: until the program begins, only what sets up the sandbox writes there.
        """
        return self.marker is None or BEGUN in os.pread(self.marker, _MARKED, 0) or stderr.startswith(_NOT_EXECUTED)

    def leave(self) -> None:
        """Give back what the process had, when it and all that it started have ended."""
        if self.marker is not None:
            os.close(self.marker)
        if self.room:
            rooms.leave(self.room)


def _process_told_of(descriptor: int) -> int | None:
    """The number of the process in the sandbox, which bwrap tells; None if it has ended before."""
    report = b""
    while b"}" not in report:
        if not (part := os.read(descriptor, 4096)):
            return None
        report += part
    return int(json.loads(report)["child-pid"])


def enclosed(sandbox: Sandbox, argv: Sequence[str], env: Mapping[str, str], *, folder: str, scratch: str) -> Started:
    """How to start ``argv`` in ``folder`` with exactly ``env`` within a sandbox.

    ``scratch`` is a folder of the process's own, where ``HOME`` and ``TMPDIR`` point to; within ``bwrap`` they point to
    a file system in memory instead. At ``landlock``, which shows nothing elsewhere than it is, words that name what is
    private name the copy instead. As root every level but ``none`` is entered as a user that no other process has, to
    whom ``scratch`` and the writable folders are given. ``NoProgram``: no such program, or it may not be executed.
    ``OSError``: this machine cannot build the sandbox.
    """
    _look_for(argv[0], env.get("PATH", os.defpath), folder)
    if sandbox.level == "none":
        # these limits hold for a user, not for a process: they would count all that this user runs
        limits = capped({name: most for name, most in sandbox.bounds.rlimits().items() if name not in PER_USER})
        return Started(tuple(argv), {**env, **_passed(sandbox), **_scratch(scratch)}, folder, limits=limits)
    user = users.draw() if os.geteuid() == 0 else None
    if user is None and sandbox.level == "landlock" and sandbox.writable:
        sandbox = _for_a_build(sandbox)
    if user is not None:
        for path in (*sandbox.writable, *([scratch] if scratch and sandbox.level == "landlock" else [])):
            give(path, user)
    if sandbox.private and not sandbox.kept:
        sandbox = keep(sandbox, folder, room=mkdtemp(dir=os.path.dirname(scratch)))  # noqa: PTH120 - a start is to be quick
    marker = os.memfd_create("marker")
    room = ""
    try:
        if sandbox.level == "landlock":
            return _by_landlock(sandbox, argv, {**env, **_scratch(scratch)}, folder, scratch, user=user, marker=marker)
        placed = locate_copies(sandbox, folder)
        if user is not None and scratch:
            rooms.begin(scratch, sandbox.bounds.file, files=sandbox.bounds.files)
            room = scratch
        program = seccomp.program(network=sandbox.network, locks=sandbox.locks)
        (first, *words), files = bwrap.command(_view(sandbox, placed), env, folder, program, tmp=room, user=user)
    except OSError:
        Started((), {}, "", room=room, marker=marker).leave()
        raise
    # the program that sets variables would take a word with an equals sign for another variable
    through = ("sh", "-c", 'exec "$0" "$@"') if "=" in argv[0] else ()
    limits = capped(sandbox.bounds.rlimits())
    words = [first, "--json-status-fd", str(marker), *words, *through, *argv]
    outer = _marked(env) | _passed(sandbox)
    return Started(tuple(words), outer, "/", files, limits, waits=True, room=room, marker=marker)


def _for_a_build(sandbox: Sandbox) -> Sandbox:
    """Run a build step at bwrap: at landlock it could change the modes of all files of its user."""
    try:
        bwrap.program("bwrap")
    except FileNotFoundError as error:
        text = "no bubblewrap to build it with: at landlock a build step could change the modes of all your files"
        raise NoProgram(ENOENT, text, error.filename) from error
    return replace(sandbox, level="bwrap")


def _view(sandbox: Sandbox, placed: Mapping[str, str]) -> bwrap.View:
    visible, masked = _seen_and_masked(sandbox, tuple([path for path in sandbox.hidden if os.path.lexists(path)]))
    return bwrap.View(
        etc=_ETC + (_OF_THE_NETWORK if sandbox.network else ()),
        more=visible,
        writable=sandbox.writable,
        masked=masked,
        placed=tuple(placed.items()),
        size=sandbox.bounds.file,
        network=sandbox.network,
        variables=sandbox.variables,
    )


@lru_cache(maxsize=256)
def _seen_and_masked(sandbox: Sandbox, _present: tuple[str, ...]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """What is to be shown and what is to be hidden: found again when something that is hidden has come or gone."""
    visible = _list_visible(sandbox)
    for path in visible if os.geteuid() == 0 else ():
        mode = os.stat(path).st_mode  # noqa: PTH116 - as text
        if not mode & S_IROTH or (S_ISDIR(mode) and not mode & S_IXOTH):
            raise NoProgram(
                EACCES, f"expected what everybody may read (`chmod -R o+rX`), got mode {mode & 0o777:o}", path
            )
    return visible, _masked(sandbox, visible)


def _linked(sandbox: Sandbox, scratch: str) -> str:
    """A folder with links to packages: Python lists each folder that it looks in, and Landlock shows all or none."""
    place = f"{os.path.dirname(scratch)}/packages"  # noqa: PTH120 - a start is to be quick
    os.mkdir(place)  # noqa: PTH102 - likewise
    for path in sandbox.packages:
        os.symlink(path, f"{place}/{os.path.basename(path)}")  # noqa: PTH119, PTH211 - likewise
    return place


def give(path: str, user: int) -> None:
    """Give a folder and all in it to a user; links are changed themselves, not what they point to."""
    os.lchown(path, user, user)
    rest = [path]
    while rest:
        # without recursion: a build may nest folders deeper than Python follows
        with suppress(OSError), os.scandir(rest.pop()) as entries:
            for entry in entries:
                os.lchown(entry.path, user, user)
                if entry.is_dir(follow_symlinks=False):
                    rest.append(entry.path)


def reclaim(sandbox: Sandbox) -> None:
    """Give the writable folders of a sandbox back to root, if they were given to another user."""
    if sandbox.level != "none" and os.geteuid() == 0:
        for folder in sandbox.writable:
            give(folder, 0)


def _scratch(folder: str) -> dict[str, str]:
    return {"HOME": folder, "TMPDIR": folder} if folder else {}


def _marked(env: Mapping[str, str]) -> dict[str, str]:
    """The variables of the bot that a wrapper gets, too: arena finds its processes by them."""
    return {TOKEN: env[TOKEN]} if TOKEN in env else {}


def _passed(sandbox: Sandbox) -> dict[str, str]:
    return {name: os.environ[name] for name in sandbox.variables if name in os.environ}


def _look_for(program: str, path: str, folder: str) -> None:
    """Raise ``NoProgram`` if there is none, while that is still an error of starting it."""
    where = shutil.which(os.path.join(folder, program) if "/" in program else program, path=path)  # noqa: PTH118 - keeps `./`
    if where is None:
        number = EACCES if "/" in program and Path(folder, program).exists() else ENOENT
        raise NoProgram(number, os.strerror(number), program)


def _list_visible(sandbox: Sandbox) -> tuple[str, ...]:
    """List what to show; a path inside another one is left out, unless it is hidden there."""
    hidden = [realpath(path) for path in sandbox.hidden]
    visible: list[str] = []
    for path in sorted({path for path in sandbox.readable if not within(path, sandbox.private)}):
        # a link within a shown folder is there, and works if its target is shown
        here = realpath(path) if within(path, visible) else path
        if within(realpath(path), hidden):
            continue
        if not within(here, visible) and (not within(here, SYSTEM) or within(here, _NOT_OF_THE_SYSTEM)):
            visible.append(here)
    return tuple(visible)


def _masked(sandbox: Sandbox, visible: Sequence[str]) -> tuple[str, ...]:
    """List what is hidden, by every path that would show it: a link may show it at another path."""
    hidden = [path for path in map(realpath, sandbox.hidden) if os.path.exists(path)]  # noqa: PTH110 - knows no exception
    masked = [path for path in _NOT_OF_THE_SYSTEM if Path(path).exists() and os.listdir(path)]  # noqa: PTH208 - as text
    masked += [path for path in hidden if within(path, SYSTEM) and not within(path, masked)]
    for place in visible:
        true = realpath(place)
        inside = [path for path in hidden if within(path, [true])]
        masked += [os.path.join(place, os.path.relpath(path, true)) for path in inside]  # noqa: PTH118 - as text
    # copies of private files hold nothing hidden
    return tuple(path for path in dict.fromkeys(masked) if not within(path, sandbox.private))


def _by_landlock(
    sandbox: Sandbox,
    argv: Sequence[str],
    env: Mapping[str, str],
    folder: str,
    scratch: str,
    *,
    user: int | None,
    marker: int,
) -> Started:
    placed = locate_copies(sandbox, folder)
    allowed = [*_ETC, *_SETTINGS, *bwrap.TOLD_BY_THE_KERNEL, *placed.values()]
    allowed += _OF_THE_NETWORK if sandbox.network else ()
    listable: list[str] = []
    hidden = [realpath(path) for path in sandbox.hidden]
    for path in SYSTEM:
        # a link here is allowed by its target, and no bot lists the folder around all of these
        if not within(realpath(path), [other for other in SYSTEM if other != path]):
            _open_up(realpath(path), [*hidden, *_NOT_OF_THE_SYSTEM], allowed, [])
    for path in sandbox.readable:
        _open_up(realpath(path), [*hidden, *map(realpath, sandbox.private)], allowed, listable)
    if any(within(path, [folder]) for path in placed):
        start = sandbox.kept
        allowed.append(start)
        for path in sandbox.readable:
            link = start + path[len(folder) :]
            if within(path, [folder]) and path != folder:
                os.makedirs(os.path.dirname(link), exist_ok=True)  # noqa: PTH103, PTH120 - a start is to be quick
                with suppress(FileExistsError):
                    os.symlink(path, link)  # noqa: PTH211 - likewise
    else:
        start = _moved(folder, "/", placed)
    if sandbox.packages:
        allowed.append(place := _linked(sandbox, scratch))
        env = {**env, "PYTHONPATH": os.pathsep.join([place, *filter(None, [env.get("PYTHONPATH")])])}
    argv = [_moved(word, folder, placed) for word in argv]
    env = {name: _moved(value, folder, placed) for name, value in env.items()}
    limits = sandbox.bounds.rlimits()
    apart = user is None and landlock.apart()
    if user is None and not apart:
        # the kernel would compare it with what all of the user's processes have: such calls are refused instead
        del limits["sigpending"]
    plan = {
        "readable": allowed,
        "listable": listable,
        "devices": bwrap.DEVICES,
        "writable": [*sandbox.writable, *([scratch] if scratch else [])],
        "network": sandbox.network,
        "limits": limits,
        "uid": user,
        "apart": apart,
        "kept": None if user is None else users.to_read(users.effective()),
        # a build sets modes of what it makes
        "filter": seccomp.program(
            network=sandbox.network, locks=sandbox.locks, marks=bool(sandbox.writable), queued=user is not None or apart
        ),
        "env": dict(env),
        "variables": sandbox.variables,
        "host": os.getpid(),
        "marker": (marker, BEGUN),
    }
    packed = b64encode(zlib.compress(marshal.dumps(plan))).decode()
    words = (sys.executable, "-I", "-S", landlock.__file__, packed, *argv)
    return Started(words, _marked(env) | _passed(sandbox), start, marker=marker)


def _moved(word: str, folder: str, placed: Mapping[str, str]) -> str:
    """Put the copy's path into a word that names a private file; what is relative to the ``folder`` keeps its name."""
    before, equals, after = word.partition("=")
    if equals and "/" not in before:
        return before + equals + _moved(after, folder, placed)
    target = os.path.normpath(os.path.join(folder, word))  # noqa: PTH118 - links are not to be followed
    if not word or (not os.path.isabs(word) and within(target, [folder])):  # noqa: PTH117 - a word need not be a path
        return word
    for path, place in placed.items():
        if within(target, [path]):
            return place + target[len(path) :]
    return word


def _open_up(path: str, hidden: Sequence[str], allowed: list[str], listable: list[str]) -> None:
    """Allow a path, or, where something in it is hidden, all else in it: Landlock takes no permission back."""
    if within(path, hidden):
        return
    if not any(within(other, [path]) for other in hidden):
        allowed.append(path)
        return
    listable.append(path)
    inside: list[str] = []
    # a bot cannot list a folder that the host cannot list
    with suppress(OSError), os.scandir(path) as entries:
        # a link would allow its target; targets that may be read are allowed by their own paths
        inside = sorted(entry.path for entry in entries if not entry.is_symlink())
    for entry in inside:
        _open_up(entry, hidden, allowed, listable)
