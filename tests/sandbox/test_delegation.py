"""Which control groups a process may use: where it stands, what was given to it, and what version 2 asks of it."""

import errno
import os
import shutil
from pathlib import Path
from typing import ClassVar

import pytest

from arena.sandbox import cgroup, delegation
from arena.sandbox.delegation import delegated

MIB = 1 << 20
V2 = "30 23 0:26 {root} {mount} rw,nosuid - cgroup2 cgroup2 rw,nsdelegate\n"
OTHER = "24 1 8:1 / / rw,relatime shared:1 - ext4 /dev/root rw\n"


def found(folder: Path, groups: str, mounts: str) -> list[Path]:
    """What is found by a process with these lines in ``/proc``."""
    (folder / "cgroup").write_text(groups)
    (folder / "mountinfo").write_text(OTHER + mounts)
    return sorted(delegation.own_groups(folder))


def a_group(folder: Path) -> Path:
    """A folder that looks like a group."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "cgroup.procs").touch()
    return folder


def test_where_a_process_stands(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A process's own group is found below a mount of the whole and of a part."""
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    session = a_group(tmp_path / "all/user/session")
    assert found(tmp_path, "0::/user/session\n", V2.format(root="/", mount=tmp_path / "all")) == [session]
    part = a_group(tmp_path / "part/inner")
    sandbox = V2.format(root="/docker/x", mount=tmp_path / "part")
    assert found(tmp_path, "8:pids:/\n0::/docker/x/inner\n", sandbox) == [part]


def test_where_a_process_stands_outside(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A group outside of what is mounted, of no use, or not there, is not found."""
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    a_group(tmp_path / "all")
    whole = V2.format(root="/", mount=tmp_path / "all")
    assert found(tmp_path, "0::/../up\n", whole) == []
    assert found(tmp_path, "0::/elsewhere\n", V2.format(root="/box", mount=tmp_path / "all")) == []
    assert found(tmp_path, "0::/not/there\n", whole) == []
    assert found(tmp_path, "3:pids:/\n", whole) == []
    assert found(tmp_path, "0::/\n", "") == []


def test_the_superuser_takes_nothing_that_was_not_given(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """To the superuser a group is delegated at the top of all it sees, or if systemd says so, and not else."""
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    session = a_group(tmp_path / "session")
    top = a_group(tmp_path)
    mount = V2.format(root="/", mount=tmp_path)
    assert found(tmp_path, "0::/session\n", mount) == []
    assert found(tmp_path, "0::/\n", mount) == [top]

    def mark(path: Path, name: str) -> bytes:
        if name == "trusted.delegate":
            return b"1" if path == session else b"0"
        raise OSError

    monkeypatch.setattr(os, "getxattr", mark)
    assert found(tmp_path, "0::/session\n", mount) == [session]


def test_no_system_of_control_groups(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the system has none, or will not tell, there is nothing, and no error."""

    def absent() -> list[Path]:
        raise FileNotFoundError

    monkeypatch.setattr(delegation, "own_groups", absent)
    assert delegated() is None
    monkeypatch.setattr(delegation, "own_groups", list)
    assert delegated() is None


def test_a_folder_that_is_no_group_offers_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A folder in which no process can be held is not taken for a group, and is left as it was."""
    monkeypatch.setattr(delegation, "own_groups", lambda: [tmp_path])
    assert delegated() is None
    assert not list(tmp_path.iterdir())


# --- version 2 with controllers, as files


class Kernel:
    """Version 2 below a folder: groups get their files, and one with processes in it gives no controllers."""

    FILES = ("cgroup.procs", "cgroup.subtree_control", "cgroup.controllers", "cgroup.freeze", "cgroup.kill")
    GIVEN: ClassVar = {
        "memory": ("memory.max", "memory.swap.max", "memory.oom.group"),
        "pids": ("pids.max",),
        "cpu": ("cpu.weight",),
    }

    def __init__(self, top: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.top, self.mkdir = top, Path.mkdir
        self.others = ""
        self.refused = b""
        self.at = top
        self.given: dict[Path, set[str]] = {}
        self.populate(top, {"memory", "pids", "cpu"})
        monkeypatch.setattr(Path, "mkdir", lambda folder, mode: self.make(folder, mode))  # noqa: PLW0108 - a method must be a function
        monkeypatch.setattr(Path, "rmdir", shutil.rmtree)
        monkeypatch.setattr(cgroup, "write", self.write)
        monkeypatch.setattr(delegation, "write", self.write)
        monkeypatch.setattr(delegation, "own_groups", lambda: [top])
        monkeypatch.setattr(delegation, "_proven", lambda cgroups: bool(cgroups.folders))

    def populate(self, folder: Path, controllers: set[str]) -> None:
        files = [*self.FILES, *(file for controller in controllers for file in self.GIVEN.get(controller, ()))]
        for file in files:
            (folder / file).touch()
        (folder / "cgroup.controllers").write_text(" ".join(sorted(controllers)))

    def make(self, folder: Path, mode: int) -> None:
        self.mkdir(folder, mode)
        self.populate(folder, self.given.get(folder.parent, set()))

    def write(self, path: Path | str, data: bytes) -> None:
        file = Path(path)
        if not file.exists():
            raise FileNotFoundError
        if file.name == "cgroup.subtree_control":
            if data == self.refused:
                raise OSError(errno.EINVAL, "Invalid argument")
            if self.at == file.parent or (self.others and file.parent == self.top):
                raise OSError(errno.EBUSY, "Device or resource busy")
            given = self.given.setdefault(file.parent, set())
            for word in data.decode().split():
                (given.add if word[0] == "+" else given.discard)(word[1:])
            for child in cgroup.children(file.parent):
                self.populate(child, given)
        elif file.name == "cgroup.procs":
            assert data == b"0"
            assert not self.given.get(file.parent), "no processes where controllers are given"
            (self.at / "cgroup.procs").write_text("")
            self.at = file.parent
            file.write_text(str(os.getpid()))
        else:
            file.write_bytes(data)


@pytest.fixture
def kernel(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Kernel:
    """A kernel that stands in for one whose version 2 has controllers."""
    return Kernel(tmp_path, monkeypatch)


def test_the_house_steps_aside_and_back(kernel: Kernel) -> None:
    """With version 2 the host steps into a group of its own, so that bots' groups have limits, and back at the end."""
    cgroups = delegated()
    assert cgroups
    assert cgroups.offers == {"memory", "processes", "freeze", "kill"}
    assert kernel.at == Path(cgroups.host_group)
    group = Path(cgroups.group("bot", memory=512 * MIB, processes=40).entries[0]).parent
    files = {"memory.max": str(512 * MIB), "memory.swap.max": "0", "memory.oom.group": "1", "pids.max": "40"}
    assert {file: (group / file).read_text() for file in files} == files
    assert cgroups.remove()
    assert kernel.at == kernel.top
    assert not cgroup.children(kernel.top)
    assert not any(kernel.given.values())


def test_the_house_outweighs_each_bot(kernel: Kernel) -> None:
    """With the cpu controller a bot has one share of the processor, however many processes it starts."""
    cgroups = delegated()
    assert cgroups
    assert (Path(cgroups.host_group) / "cpu.weight").read_bytes() == b"10000"
    bot = Path(cgroups.group("bot", memory=512 * MIB, processes=40).entries[0]).parent
    # a new group's weight, which is 100, is the kernel's business
    assert (bot / "cpu.weight").read_bytes() == b""
    assert bot.parent == Path(cgroups.host_group).parent
    assert cgroups.remove()
    assert not any(kernel.given.values())


def test_a_kernel_that_does_not_weigh(kernel: Kernel) -> None:
    """Where the kernel refuses the cpu controller, which it may, bots' groups have their limits all the same."""
    kernel.refused = b"+cpu"
    cgroups = delegated()
    assert cgroups
    assert cgroups.offers == {"memory", "processes", "freeze", "kill"}
    assert not (Path(cgroups.host_group) / "cpu.weight").exists()
    assert cgroups.remove()
    assert kernel.at == kernel.top


def test_a_house_that_is_not_alone(kernel: Kernel) -> None:
    """With others in its group the host gives up the limits and stays where it is; all else is offered."""
    kernel.others = "a shell"
    cgroups = delegated()
    assert cgroups
    assert cgroups.offers == {"freeze", "kill"}
    assert not cgroups.host_group
    assert kernel.at == kernel.top
    assert cgroups.remove()
    assert not cgroup.children(kernel.top)
