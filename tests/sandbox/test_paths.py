"""What is shown of a machine so that a program runs: its toolchain, and never a whole home."""

import os
import sys
from pathlib import Path

import pytest

from arena.sandbox.paths import SYSTEM, folders, host_path, too_wide, variables


def program(path: Path) -> Path:
    """A program at this path."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("#!/bin/sh\n", "ascii")
    path.chmod(0o755)
    return path


def test_a_program_of_the_system_needs_nothing() -> None:
    """What lies under /usr and its like is readable anyway."""
    assert folders(["sh", "env"], "/usr/bin:/bin") == ()


def test_a_program_that_is_not_there_needs_nothing(tmp_path: Path) -> None:
    """A program that is not on PATH is told of elsewhere."""
    assert folders(["no-such-program"], str(tmp_path)) == ()


def test_a_program_in_a_bin_needs_the_folder_around_it(tmp_path: Path) -> None:
    """A toolchain is the folder around its ``bin``; a program that lies elsewhere needs its own folder."""
    program(tmp_path / "node-20/bin/node")
    program(tmp_path / "tools/solver")
    path = f"{tmp_path}/node-20/bin:{tmp_path}/tools"
    assert folders(["node", "solver"], path) == (f"{tmp_path}/node-20", f"{tmp_path}/tools")


def test_links_are_followed_one_by_one(tmp_path: Path) -> None:
    """A virtual environment needs itself and the interpreter it was made of, by way of every link between."""
    program(tmp_path / "python-3.11/bin/python3.11")
    (tmp_path / "python-3.11/bin/python3").symlink_to("python3.11")
    (tmp_path / "venv/bin").mkdir(parents=True)
    (tmp_path / "venv/bin/python3").symlink_to(tmp_path / "python-3.11/bin/python3")
    (tmp_path / "venv/bin/python").symlink_to("python3")
    found = folders([str(tmp_path / "venv/bin/python")], os.defpath)
    assert found == (f"{tmp_path}/python-3.11", f"{tmp_path}/venv")


def test_the_interpreter_that_runs_this_is_found() -> None:
    """Of the running interpreter both its environment and its installation are shown, unless they are the system's."""
    found = folders([sys.executable], os.defpath)
    for prefix in (sys.prefix, sys.base_prefix):
        assert any(prefix == folder or prefix.startswith(f"{folder}/") for folder in (*found, *SYSTEM))


@pytest.mark.parametrize("place", ["bin", ".local/bin", ".cargo/bin"])
def test_a_home_is_never_shown_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, place: str) -> None:
    """Of programs in a home's own ``bin``, or beside credentials, only that ``bin`` is shown."""
    monkeypatch.setenv("HOME", str(tmp_path))
    program(tmp_path / place / "mine")
    assert folders(["mine"], str(tmp_path / place)) == (str(tmp_path / place),)


def test_a_program_in_a_home_shows_itself_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of a program that lies in a home itself nothing else is shown."""
    monkeypatch.setenv("HOME", str(tmp_path))
    mine = program(tmp_path / "mine")
    assert folders([str(mine)], os.defpath) == (str(mine),)
    assert too_wide(tmp_path)
    assert too_wide(tmp_path.parent)
    assert not too_wide(tmp_path / "bots")


def test_a_link_that_leads_nowhere_ends(tmp_path: Path) -> None:
    """Links in a circle are no program and end nothing but themselves."""
    (tmp_path / "a").symlink_to("b")
    (tmp_path / "b").symlink_to("a")
    assert folders([str(tmp_path / "a")], os.defpath) == ()


def test_what_rustup_has_installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where rustup stands for a compiler, its folder is shown and named to it; of another one nothing is."""
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.delenv("RUSTUP_HOME", raising=False)
    program(tmp_path / ".cargo/bin/rustup")
    (tmp_path / ".cargo/bin/rustc").symlink_to("rustup")
    program(tmp_path / "rust/bin/rustc")
    proxied, own = str(tmp_path / ".cargo/bin"), str(tmp_path / "rust/bin")
    home = str(tmp_path / ".rustup")
    assert folders(["rustc"], proxied) == (proxied, home)
    assert variables(["cc", "rustc"], proxied) == {"RUSTUP_HOME": home}
    assert variables(["cc", "rustc"], own) == {}
    monkeypatch.setenv("RUSTUP_HOME", "/opt/rustup")
    assert variables(["rustc"], proxied) == {"RUSTUP_HOME": "/opt/rustup"}
    assert folders(["rustc"], proxied) == ("/opt/rustup", proxied)


def test_what_is_to_stay_apart_is_not_shown_for_a_program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A folder that holds something hidden, or the current folder, is not shown for a program: only its `bin` is."""
    tool = program(tmp_path / "repository/bin/tool")
    path = str(tool.parent)
    assert folders(["tool"], path) == (f"{tmp_path}/repository",)
    assert folders(["tool"], path, [f"{tmp_path}/repository/plan"]) == (path,)
    assert folders(["tool"], path, [f"{tmp_path}/repository/bin/rival"]) == (str(tool),)
    (tmp_path / "repository/bots").mkdir()
    monkeypatch.chdir(tmp_path / "repository/bots")
    assert folders(["tool"], path) == (path,)


def test_the_path_of_the_host(monkeypatch: pytest.MonkeyPatch) -> None:
    """Programs are looked for where PATH says, but nowhere that depends on the current folder."""
    monkeypatch.setenv("PATH", ".:/usr/bin::bin:/bin:..")
    assert host_path() == "/usr/bin:/bin"
