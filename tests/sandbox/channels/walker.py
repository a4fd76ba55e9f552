"""Reads every number and name that a bot can reach: run inside a sandbox, it answers each line of stdin with a line."""

import json
import os
import re
import sys
from collections.abc import Sequence
from contextlib import suppress

from tests.sandbox.channels.answers import answers
from tests.sandbox.channels.descriptors import content, descriptors, room, status, tokens
from tests.sandbox.channels.kernel import TOLD, Reading

_UNREAD = re.compile(r"/(pagemap|mem|kcore|kpage\w+|clear_refs|map_files/.*|mem_profile|stat_refresh|kmsg)$")
"""Of ``/proc``: memory of its own, what is only written, and what hangs or is large as memory is."""
_LONG = 20_000
_POINT = 4
"""Where the path stands in a line about a mount."""
_NEAR = 2
"""Folders of ``/proc`` and ``/sys`` down to here are looked at themselves."""
_OFTEN = (
    *("/", "/tmp", "/var/tmp", "/dev", "/dev/shm", "/dev/pts", "/dev/mqueue", "/run", "/var", "/etc", "/usr"),
    *(f"/dev/pts/{number}" for number in range(8)),
    *("/dev/ptmx", "/dev/null", "/dev/urandom"),
)


def _folded(text: str) -> str:
    """What maps tell, summed up for each file: how much of memory is mapped by itself and by others."""
    sums: dict[str, int] = {}
    name = ""
    for line in text.splitlines():
        words = line.split()
        if "-" in words[0] and not words[0].endswith(":"):
            name = words[5] if len(words) > 5 else "anonymous"
        elif len(words) == 3 and words[2] == "kB":
            key = f"{name}/{words[0][:-1]}"
            sums[key] = sums.get(key, 0) + int(words[1])
    return "\n".join(f"{key}= {value}" for key, value in sums.items())


def _folded_nodes(text: str) -> str:
    """The same of numa_maps: how many processes map a page of a file at most, summed up over its mappings."""
    sums: dict[str, int] = {}
    for line in text.splitlines():
        words = dict(word.partition("=")[::2] for word in line.split())
        for name in ("mapped", "mapmax", "active"):
            key = f"{words.get('file', 'anonymous')}/{name}"
            sums[key] = sums.get(key, 0) + int(words.get(name, 0))
    return "\n".join(f"{key}= {value}" for key, value in sums.items())


def _statfs(what: str, path: str, found: Reading) -> None:
    try:
        told = os.statvfs(path)
    except OSError:
        return
    for field in ("f_blocks", "f_bfree", "f_bavail", "f_files", "f_ffree", "f_favail", "f_fsid", "f_flag"):
        found[f"statfs {what}.{field}"] = getattr(told, field)


def _walk(here: str, found: Reading) -> None:
    try:
        with os.scandir(here) as entries:
            inside = sorted(entries, key=lambda entry: entry.name)
    except OSError:
        return
    found[f"list {here}"] = " ".join(entry.name for entry in inside)[:_LONG]
    for entry in inside:
        if entry.is_symlink():
            with suppress(OSError):
                found[f"link {entry.path}"] = os.readlink(entry.path)
        elif not entry.is_dir(follow_symlinks=False):
            _file(entry.path, found)
        elif not (here == "/proc" and entry.name.isdigit()) and not (here == "/proc/self" and entry.name in _OWN):
            _walk(entry.path, found)


_OWN = {"map_files", "fd", "fdinfo", "task"}
_texts: dict[str, tuple[str, Reading]] = {}
"""What files told last, and its numbers: most tell the same again."""


def _file(path: str, found: Reading) -> None:
    if _UNREAD.search(path):
        return
    text = content(path)
    if text is None:
        return
    if path not in _texts or _texts[path][0] != text:
        folded = _folded(text) if "smaps" in path else _folded_nodes(text) if path.endswith("numa_maps") else text
        _texts[path] = text, dict(tokens(path, folded))
    found.update(_texts[path][1])


def reading(others: Sequence[str]) -> Reading:
    """All of it, once; ``others`` are processes of others."""
    found: Reading = {}
    answers(others, found)
    descriptors(found)
    _walk("/proc/self", found)
    _walk("/proc", found)
    _walk("/sys", found)
    for path in TOLD["paths"]:
        if f"{path}|" not in found:
            _file(path, found)
    for line in (content("/proc/self/mountinfo") or "").splitlines():
        _place(line.split()[_POINT], line.split()[_POINT], found)
    around = {folder for path in TOLD["paths"] if (folder := os.path.dirname(path)).count("/") <= _NEAR}
    for path in (*_OFTEN, *sorted(around)):
        _place(path, path, found)
    for name, place in (("home", os.environ["HOME"]), ("folder", os.getcwd())):
        parts = place.split("/")
        for depth in range(len(parts) - 1):
            _place(f"{name}-{depth}", "/".join(parts[: len(parts) - depth]), found)
    return found


def _place(name: str, path: str, found: Reading) -> None:
    status(f"stat {name}", path, found)
    _statfs(name, path, found)
    with suppress(OSError):
        found[f"list {name}"] = " ".join(sorted(os.listdir(path)))[:_LONG]


def main() -> None:
    """Answer each line with what is another than at the line before, of one kind."""
    last: dict[str, Reading] = {"reading": {}, "room": {}}
    for line in sys.stdin:
        told = json.loads(line)
        kind = told["kind"]
        found: Reading = {}
        if kind == "room":
            room(found)
        else:
            found = reading(told.get("others", []))
        before = last[kind]
        names = before.keys() | found.keys()
        changes = {what: [before.get(what), found.get(what)] for what in names if before.get(what) != found.get(what)}
        last[kind] = found
        sys.stdout.write(json.dumps(changes) + "\n")
        sys.stdout.flush()
