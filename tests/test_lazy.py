"""Public names of rooms: the ``__init__.pyi`` lists them, and each is imported when it is first used."""

import ast
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest

from arena.lazy import read_stub

ROOT = Path(__file__).parents[1]
STUBS = {path.parent.name: path for path in sorted((ROOT / "arena").glob("*/__init__.pyi"))}


@pytest.mark.parametrize("room", STUBS)
def test_public_names_are_what_the_stub_says(room: str) -> None:
    """Each name of a stub is the one of its module, and stands for no module of the room."""
    package, names = import_module(f"arena.{room}"), list[str]()
    text = STUBS[room].read_text("utf-8")
    for node in ast.parse(text).body:
        assert isinstance(node, ast.ImportFrom)
        assert node.module
        assert node.module.startswith(f"arena.{room}.")
        (name,) = {alias.name for alias in node.names}
        assert getattr(package, name) is getattr(import_module(node.module), name)
        names.append(name)
    assert names
    lines = [f"from {read_stub(package.__name__)[name]} import {name} as {name}\n" for name in names]
    assert "".join(lines) == text
    assert len(set(names)) == len(names)
    assert {path.stem for path in STUBS[room].parent.glob("*.py")}.isdisjoint(names)


def test_importing_rooms_loads_nothing() -> None:
    """Rooms with a stub load none of their modules when they are imported."""
    script = f"import sys\nimport {', '.join(f'arena.{room}' for room in STUBS)}\n"
    script += "print(*sorted(name for name in sys.modules if name.startswith('arena.')))"
    said = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True, cwd=ROOT).stdout
    assert said.split() == sorted(f"arena.{room}" for room in STUBS)


def test_a_name_that_is_not_public_is_refused() -> None:
    """A name that the stub does not list is an ``AttributeError``, which names room and name."""
    with pytest.raises(AttributeError, match=r"^module 'arena.tournament' has no attribute 'shelf'$"):
        import_module("arena.tournament").shelf  # noqa: B018 - asking is the test
