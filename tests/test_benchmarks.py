"""The measuring scripts: each tells what it does, and measures nothing where a word is wrong."""

import subprocess
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).parents[1] / "benchmarks"
SCRIPTS = sorted(path.name for path in HERE.glob("*.py") if path.name != "options.py")


@pytest.mark.parametrize("script", SCRIPTS)
@pytest.mark.long
def test_a_script_helps(script: str) -> None:
    """`--help` prints what a script measures and how to call it; an unknown option is refused. Neither measures."""
    for word, code in (("--help", 0), ("--no-such-option", 2)):
        # a script that measures would take minutes
        done = subprocess.run(
            [sys.executable, str(HERE / script), word],
            capture_output=True,
            text=True,
            check=False,
            timeout=60,
        )
        said = done.stdout + done.stderr
        if script in {"lane_cpu.py", "rules_cpu.py"}:
            assert (done.returncode, f"python benchmarks/{script} TREE GAME" in said) == (1, True)
            continue
        assert (done.returncode, "usage" in said.lower()) == (code, True), said
        assert "Traceback" not in said
