"""The measuring scripts: each tells what it does and does it, and measures nothing where a word is wrong."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).parents[1] / "benchmarks"
SCRIPTS = sorted(path.name for path in HERE.glob("*.py") if path.name != "options.py")
SMALL = {
    "against.py": ["HEAD --rounds 1 --seconds 1"],
    "bench.py": ["--rounds 1"],
    "cluster.py": ["--matches 120 --rounds 1"],
    "company.py": ["8"],
    "environments.py": [""],
    "isolation.py": ["--rounds 1"],
    "lane_cpu.py": ["{root} lure 2"],
    "luck.py": ["dockfight 48"],
    "pages.py": ["--rounds 1"],
    "rows.py": ["", "--vector", "--selves"],
    "rules_cpu.py": ["{root} fish-food"],
    "scale.py": ["--matches 1000 --bots 8"],
    "search.py": ["dockfight -t 0 -t 5 -n 1"],
    "selfplay.py": ["lure --rounds 1"],
    "synthetic.py": ["{tmp}/run --matches 100 --bots 8"],
    "whole.py": ["--rounds 1"],
}
"""A small measurement by each, with all its rows."""
ELSEWHERE = {"evening.py": "pip fetches what arena needs"}


def ended(script: str, *words: str) -> "subprocess.CompletedProcess[str]":
    """A measurement that has ended, well or not."""
    command = [sys.executable, str(HERE / script), *words]
    return subprocess.run(command, cwd=HERE.parent, capture_output=True, text=True, check=False, timeout=1800)


@pytest.mark.parametrize("script", SCRIPTS)
@pytest.mark.long
def test_a_script_helps(script: str) -> None:
    """`--help` prints what a script measures and how to call it; an unknown option is refused. Neither measures."""
    for word, code in (("--help", 0), ("--no-such-option", 2)):
        done = ended(script, word)
        said = done.stdout + done.stderr
        if script in {"lane_cpu.py", "rules_cpu.py"}:
            assert (done.returncode, f"python benchmarks/{script} TREE GAME" in said) == (1, True)
            continue
        assert (done.returncode, "usage" in said.lower()) == (code, True), said
        assert "Traceback" not in said


def test_each_script_is_measured_small() -> None:
    """No script is forgotten, and those that need what the suite must not use are named with the reason."""
    assert sorted(SMALL | ELSEWHERE) == SCRIPTS


@pytest.mark.proof
@pytest.mark.parametrize(("script", "words"), [(script, each) for script, some in SMALL.items() for each in some])
def test_each_row_is_measured(script: str, words: str, tmp_path: Path) -> None:
    """Each script measures all its rows: it ends well, leaves nothing out, and each figure is a number."""
    done = ended(script, *words.format(root=HERE.parent, tmp=tmp_path).split())
    assert done.returncode == 0, done.stdout + done.stderr
    assert not re.search(r"\bnan\b|\binf\b|left out|Traceback", done.stdout), done.stdout


@pytest.mark.long
def test_a_process_that_fails_ends_a_measurement(tmp_path: Path) -> None:
    """A script whose command fails prints what that command said, and ends with 1."""
    done = ended("synthetic.py", str(tmp_path / "run"), "--matches", "9", "--game", "chess")
    assert (done.returncode, "arena: expected a game of " in done.stderr) == (1, True), done.stderr


@pytest.mark.long
def test_a_row_whose_process_fails(tmp_path: Path) -> None:
    """Where what a row does raises, or its command ends otherwise than well, the error of that process is told."""
    script = f"import sys; sys.path.insert(0, {str(HERE)!r}); import scale\n"
    for row, error in (
        ("lambda: 1 / 0", "ZeroDivisionError"),
        (f"lambda: scale.command('leaderboard', {str(tmp_path)!r})", "arena: "),
    ):
        words = [sys.executable, "-c", f"{script}print(scale.in_child({row}))"]
        done = subprocess.run(words, capture_output=True, text=True, check=False, timeout=300)
        assert (done.returncode, done.stdout, error in done.stderr) == (1, "", True), done.stderr


@pytest.mark.long
def test_a_lane_is_measured_by_the_script_of_its_checkout(tmp_path: Path) -> None:
    """Another checkout is measured by its own `lane_cpu.py`; one without it is refused."""
    (tmp_path / "benchmarks").mkdir()
    done = ended("lane_cpu.py", str(tmp_path), "lure", "1")
    assert (done.returncode, done.stderr.startswith("lane_cpu.py: expected a checkout")) == (1, True), done.stderr
    (tmp_path / "benchmarks" / "lane_cpu.py").write_text("import sys\nprint(sys.argv[1:])\n")
    done = ended("lane_cpu.py", str(tmp_path), "lure", "1", "turns")
    assert done.stdout == f"{[str(tmp_path), 'lure', '1', 'turns']}\n"
