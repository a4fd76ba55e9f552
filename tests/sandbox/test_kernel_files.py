"""What a bot reads of the kernel's files: nothing that counts, for a number may say something to its next process."""

import json
import os
from collections.abc import Iterator
from pathlib import Path

from arena.sandbox.sandbox import Level
from tests.sandbox.test_sandbox import box_of, folder, report, walled

__all__ = ["folder", "walled"]

OF_NOW = {"/proc/cpuinfo"}
"""Tells how fast processors run."""
# reads all of the files, does much of what a kernel counts, and tells which it could read, and which are others then
CHANGED = """
import ctypes, json, mmap, os
def read(path):
    try:
        file = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
        try:
            return os.read(file, 1 << 20)
        finally:
            os.close(file)
    except OSError:
        return b""
paths = json.load(open("paths.json"))
before = {path: data for path in paths if (data := read(path))}
libc, memory = ctypes.CDLL(None), mmap.mmap(-1, 1 << 20, mmap.MAP_PRIVATE)
at = ctypes.addressof(ctypes.c_char.from_buffer(memory))
for number in range(300):
    libc.mlock(ctypes.c_void_p(at), 4096)
    libc.munlock(ctypes.c_void_p(at), 4096)
    os.stat("own"), os.sched_yield(), open("own").close()
for _ in range(10):
    if os.fork() == 0:
        os._exit(0)
    os.wait()
print(json.dumps([sorted(before), [path for path in before if read(path) != before[path]]]))
"""


def files(top: str) -> Iterator[str]:
    """The files of the kernel in a folder, but for those about processes."""
    for here, folders, names in os.walk(top):
        folders[:] = [name for name in folders if not (here == "/proc" and name.isdigit())]
        yield from (path for path in (f"{here}/{name}" for name in names) if not Path(path).is_symlink())


def test_nothing_that_counts(folder: Path, walled: Level) -> None:
    """In a sandbox no file of the kernel's is readable that tells what was done since the machine was started."""
    tops = ("/proc", "/sys/kernel/mm", "/sys/devices/system/cpu", "/sys/fs/cgroup", "/sys/block")
    (folder / "paths.json").write_text(json.dumps(sorted({path for top in tops for path in files(top)})))
    readable, changed = report(box_of(walled, folder), folder, CHANGED)
    assert "/proc/version" in readable
    assert not {"/proc/vmstat", "/proc/stat", "/proc/loadavg", "/proc/uptime", "/proc/sys/fs/file-nr"} & set(readable)
    assert set(changed) <= OF_NOW
    settings = {path for path in readable if path.startswith("/proc/sys/")}
    assert settings == {f"/proc/sys/{name}" for name in ("kernel/osrelease", "kernel/pid_max", "vm/overcommit_memory")}


def test_counting_is_found(folder: Path) -> None:
    """Without a sandbox the same process finds what it has counted up."""
    (folder / "paths.json").write_text(json.dumps(["/proc/vmstat", "/proc/version"]))
    assert report(box_of("none", folder), folder, CHANGED)[1] == ["/proc/vmstat"]
