"""Every example of docs/environments.md runs as it stands, where its library is."""

import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

from tests.documents import ROOT, blocks

BLOCKS = blocks((ROOT / "docs" / "environments.md").read_text("utf-8"), "python")
LIBRARIES = ("sb3_contrib", "pyspiel", "pettingzoo")


@pytest.mark.long
@pytest.mark.timeout(600)
@pytest.mark.parametrize("number", range(len(BLOCKS)))
def test_a_block_runs(number: int, tmp_path: Path) -> None:
    """Each is a program of its own, which prints what it found, and writes nothing beside an export."""
    code = BLOCKS[number]
    shorter = (("20_000", "64"), (", sea)", ", sea, n_steps=64)"), ("measure(model)", "measure(model, deals=2)"))
    for text, other in shorter:
        code = code.replace(text, other)
    for library in LIBRARIES:
        if library in code and find_spec(library) is None:
            pytest.skip(f"expected {library} to be installed, got none")
    (tmp_path / "block.py").write_text(code, encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "block.py"], cwd=tmp_path, capture_output=True, text=True, check=False, timeout=500
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout
    files = {path.name for path in tmp_path.iterdir()}
    assert files - {"block.py"} == ({"mybot"} if "export" in code else set())
