"""The versions of a bot that a git repository has: the commits that changed its folder, and its files as of one.

Only the first parent of a merge counts: what a branch held before it was merged had not entered. Git is asked, and
nothing of the repository is run: files come as they are stored, without filters, and are written beneath one folder.
"""

import os
from collections.abc import Callable, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from itertools import accumulate
from pathlib import Path, PurePosixPath
from shutil import which
from signal import SIGXFSZ
from subprocess import PIPE, SubprocessError, run
from tempfile import TemporaryFile
from typing import IO
from urllib.parse import urlsplit

from msgspec import Struct

from arena.errors import BotError
from arena.players import SOURCE, on_one_line

_SAFE = ("--no-pager", "--no-replace-objects", "--literal-pathspecs", "--no-optional-locks")
_QUIET = ("-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null", "-c", "log.showSignature=false")
_ENVIRONMENT = {
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_ASKPASS": "",
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_ALLOW_PROTOCOL": "https:http:file",
    "LC_ALL": "C",
}
_FETCHES = (
    # one pack, whose size is bounded as that of a file; what is large is not taken into memory; odd trees are refused
    *("-c", "fetch.unpackLimit=1", "-c", "core.bigFileThreshold=1m", "-c", "fetch.fsckObjects=true"),
    *("-c", "gc.auto=0", "-c", "http.lowSpeedLimit=1000", "-c", "http.lowSpeedTime=30"),
)
BARE = ".git"
"""What the name of a bare repository ends in."""
TOKEN = "ARENA_BOTS_TOKEN"  # noqa: S105 - the name of a variable
"""The variable with a token that may read the private repositories; git alone gets it."""
_MAIN = "main"
_HERE = ("127.0.0.1", "localhost", "::1")
_ANSWER, _PACK = 64 << 20, 128 << 20
"""Bytes of an answer of git, and of what is fetched."""
_MEMORY = 2 << 20
"""KiB of address space of git where it fetches: small deltas make large objects."""
_PATIENCE = 120
"""Seconds for one answer of git."""
_COMMITS, _VERSIONS = 200_000, 50
"""Commits of a league that are looked at, and versions of a bot."""
_LINK, _MODULE, _RUNS = b"120000", b"160000", b"100755"


class Repository:
    """The history of a league's folder along first parents."""

    def __init__(self, folder: Path, *, prefix: str, log: Sequence[tuple[str, int]]) -> None:
        """``prefix`` is the folder's path in the repository, ``log`` its commits with their times, newest first."""
        self._folder, self._prefix = folder, prefix
        times = [*accumulate((time for _, time in reversed(log)), max)]
        self.times = {
            commit: datetime.fromtimestamp(time, UTC) for (commit, _), time in zip(reversed(log), times, strict=True)
        }
        """When each commit came, the first one first: never before its parent."""
        self._places = {commit: place for place, commit in enumerate(self.times)}

    def precedes(self, commit: str, *, other: str) -> bool:
        """Whether a commit is ``other`` or comes before it."""
        return commit in self._places and self._places[commit] <= self._places.get(other, -1)

    def list_versions(self, name: str) -> list[str]:
        """The latest commits that changed a file or folder of the league, the newest first; no name means all of it."""
        words = ("log", "--first-parent", "--format=%H", f"-n{_VERSIONS}", "HEAD", "--", *([name] if name else []))
        return [commit for commit in _ask(self._folder, *words).decode().split() if commit in self.times]

    def find_commit(self, text: str) -> str:
        """The commit that a text stands for, as ``main`` or a part of a hash; a ``BotError`` if there is none."""
        try:
            return (
                _ask(self._folder, "rev-parse", "--verify", "--end-of-options", f"{text}^{{commit}}").decode().strip()
            )
        except BotError:
            raise BotError(f"expected what git takes for a commit, got {text!r}") from None

    def list_changed(self) -> list[str]:
        """The files of the league that are not as they were committed, or were not."""
        words = ("--porcelain", "-z", "--no-renames", "--untracked-files=all", "--ignore-submodules=all", "--", ".")
        lines = os.fsdecode(_ask(self._folder, "status", *words)).split("\0")
        return [line[3:].removeprefix(self._prefix) for line in lines if line]

    def take(self, commit: str, *, name: str, to: Path) -> None:
        """Write the files of a folder as of a commit to a new folder.

        Raises:
            BotError: there is no such folder, or it holds more than a bot may bring, or names that no folder may hold.
            OSError: they cannot be written.
        """
        tree = f"{commit}:{self._prefix}{name}"
        items = []
        for row in _ask(self._folder, "ls-tree", "-r", "-z", "-l", "--full-tree", tree).split(b"\0")[:-1]:
            about, _, place = row.partition(b"\t")
            mode, _, blob, size = about.split()
            if mode != _MODULE:
                items.append(_Item(mode=mode, blob=blob, size=int(size), path=os.fsdecode(place)))
        if len(items) > SOURCE.files or sum(item.size for item in items) > SOURCE.size:
            most = f"{SOURCE.files} files and {SOURCE.size >> 20} MiB"
            raise BotError(f"{on_one_line(name)}: expected at most {most}, got more")
        paths = {item.path for item in items}
        for path in paths:
            parts = path.split("/")
            above = {str(folder) for folder in PurePosixPath(path).parents}
            if {"", ".", ".."}.intersection(parts) or ".git" in map(str.lower, parts) or above & paths:
                raise BotError(f"{on_one_line(name)}: expected names that a folder may hold, got {path!r}")
        to.mkdir(parents=True)
        # links come last, when all folders are there: nothing is written through one
        for path in paths:
            (to / path).parent.mkdir(parents=True, exist_ok=True)
        links: dict[str, bytes] = {}
        with TemporaryFile() as answer:
            blobs = b"".join(item.blob + b"\n" for item in items)
            _ask(self._folder, "cat-file", "--batch", input=blobs, to=answer, most=2 * SOURCE.size)
            answer.seek(0)
            for item in items:
                if not answer.readline().endswith(b" blob %d\n" % item.size):
                    raise BotError(f"{on_one_line(name)}: expected its files in the repository, got some")
                data = answer.read(item.size)
                answer.read(1)
                if item.mode == _LINK:
                    links[item.path] = data
                    continue
                with (to / item.path).open("xb") as file:
                    file.write(data)
                (to / item.path).chmod(0o755 if item.mode == _RUNS else 0o644)
        for path, target in links.items():
            (to / path).symlink_to(os.fsdecode(target))


class _Item(Struct, frozen=True, kw_only=True):
    """A file of a tree."""

    mode: bytes
    blob: bytes
    size: int
    path: str


def list_merged(checkout: Path) -> list[str]:
    """The files that the last commit of a checkout, a merge, changes of its first parent; a moved one is two.

    Raises:
        BotError: git does not answer, or that is no merge.
    """
    words = ("diff", "--name-only", "--no-renames", "--no-ext-diff", "--ignore-submodules=none", "-z", "HEAD^1", "HEAD")
    return os.fsdecode(_ask(checkout, *words)).split("\0")[:-1]


def find_repository(folder: Path, say: Callable[[str], None]) -> Repository | None:
    """The repository that a league's folder is in; None if it is in none, or nothing is committed.

    ``say`` gets why git does not answer, where there is a repository.
    """
    real = Path(os.path.realpath(folder))
    if not _is_bare(real) and not any(os.path.lexists(above / ".git") for above in (real, *real.parents)):
        return None
    try:
        prefix = os.fsdecode(_ask(folder, "rev-parse", "--show-prefix")).rstrip("\n")
        lines = _ask(folder, "log", "--first-parent", "--format=%H %ct", f"-n{_COMMITS}", "HEAD").decode().splitlines()
    except BotError as error:
        say(f"{folder}: entries count from when a season first sees them, because git says: {error}")
        return None
    log = [(commit, int(time)) for commit, time in (line.split() for line in lines)]
    return Repository(folder, prefix=prefix, log=log)


def fetch(folder: Path, address: str, *, commits: Sequence[str], token: str) -> None:
    """Bring the newest commit of a repository into a bare one, which is made, and further commits; no history.

    Args:
        folder: an empty one, for the bare repository; its name ends in ``BARE``.
        address: of the other one.
        commits: that were there once: who has rewritten the history takes back nothing that plays.
        token: for the host of the address; empty: what git itself knows counts.

    Raises:
        BotError: git says why not.
    """
    _ask(folder, "init", "--quiet", "--bare", "--template=", f"--initial-branch={_MAIN}")
    site, words = urlsplit(address), [*_FETCHES]
    if token:
        # no helper of this user may keep the token, and none but the host of the address may get it
        words += ["-c", "credential.helper="]
        if site.scheme == "https" or site.hostname in _HERE:
            answer = f'test "$1" = get && echo username=x-access-token && echo "password=${TOKEN}"'
            words += ["-c", f"credential.{site.scheme}://{site.netloc}.helper=!f() {{ {answer}; }}; f"]
    words += ["fetch", "--quiet", "--depth=1", "--no-tags", "--no-recurse-submodules", "--no-write-fetch-head", address]
    _ask(folder, *words, f"+HEAD:refs/heads/{_MAIN}", token=token, most=_PACK)
    for commit in commits:
        with suppress(BotError):
            _ask(folder, *words, commit, token=token, most=_PACK)


def _is_bare(folder: Path) -> bool:
    """Whether this is a bare repository by its name, or what is left of one; a league may have such a name, too."""
    return folder.suffix == BARE and not os.path.lexists(folder / ".git")


def _ask(
    folder: Path,
    *words: str,
    input: bytes = b"",  # noqa: A002 - as `run` has it
    to: IO[bytes] | None = None,
    most: int = _ANSWER,
    token: str = "",
) -> bytes:
    """What git answers, of at most so many bytes, which go to a file if there is one."""
    git = which("git")
    if git is None:
        raise BotError("expected git on PATH, got none")
    env = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")} | _ENVIRONMENT
    env |= {TOKEN: token} if token else {}
    # a bare repository that is damaged is not the one that it lies in
    place = ["--git-dir=."] if _is_bare(folder) else []
    # a stranger's small tree may have any number of files
    limits = [f"ulimit -f {most >> 9}", *([f"ulimit -v {_MEMORY} 2>/dev/null"] if most == _PACK else []), 'exec "$@"']
    command = ["sh", "-c", "; ".join(limits), "sh", git, *place, *_SAFE, *_QUIET, *words]
    with TemporaryFile() as answer:
        into = answer if to is None else to
        try:
            done = run(
                command, cwd=folder, env=env, input=input, stdout=into, stderr=PIPE, timeout=_PATIENCE, check=False
            )
        except (OSError, SubprocessError) as error:
            raise BotError(f"git {words[0]}: {error}") from None
        lines = done.stderr.decode("utf-8", "replace").strip().splitlines()
        # of an end by that signal git says nothing itself
        if done.returncode == -SIGXFSZ or lines[:1] == ["fatal: fetch-pack: invalid index-pack output"]:
            raise BotError(f"expected at most {most >> 20} MiB from git, got more")
        if done.returncode:
            raise BotError(on_one_line(lines[0] if lines else f"git {words[0]} ended with {done.returncode}"))
        answer.seek(0)
        return answer.read()
