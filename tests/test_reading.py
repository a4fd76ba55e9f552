"""Nothing in the host reads a bot in a way that waits for a line, for the end, or for a shell."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
TRAPS = {
    "communicate": "waits for the end of every process that holds a pipe",
    "readline": "waits for a newline that may never come",
    "readlines": "waits for the end of the stream",
    "splitlines": "takes more than a newline for the end of a line",
}
STREAMS = {"stdin", "stdout", "stderr", "buffer"}
ALLOWED = {
    ("arena/tournament/executors.py", ".splitlines"): "a worker's answer is whole, and a worker is no bot",
    ("arena/tournament/lane.py", "for line in sys.stdin.buffer"): "jobs come from the runner, which is no bot",
    ("arena/tournament/lane.py", ".readline"): "a person's answer comes from the runner, which is no bot",
    ("arena/tournament/notes.py", ".splitlines"): "what a bot wrote is read when its match is over",
    ("arena/tournament/statistics.py", ".splitlines"): "a log is read when its bot has ended",
    ("arena/tournament/verification.py", ".splitlines"): "a leaderboard is no bot",
    ("arena/tournament/worker.py", ".readline"): "chunks come from a worker, which is no bot",
}
"""Path and use -> why it cannot be a bot that is waited for."""
FILES = sorted(
    path.relative_to(ROOT).as_posix()
    for place in ("arena/players", "arena/tournament", "arena/conformance", "arena/referee.py", "arena/wire.py")
    for path in ([ROOT / place] if place.endswith(".py") else (ROOT / place).rglob("*.py"))
)


def traps(source: str) -> Iterator[str]:
    """Every use of a trap, as text."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Attribute) and node.attr in TRAPS:
            yield f".{node.attr}"
        elif isinstance(node, ast.keyword) and node.arg == "shell":
            yield f"shell={ast.unparse(node.value)}"
        elif isinstance(node, (ast.For, ast.comprehension)) and getattr(node.iter, "attr", "") in STREAMS:
            yield f"for {ast.unparse(node.target)} in {ast.unparse(node.iter)}"


def test_no_trap_is_used() -> None:
    """No file that deals with bots uses a trap, but where there is a reason; no reason is left over."""
    found = {(path, use) for path in FILES for use in traps((ROOT / path).read_text(encoding="utf-8"))}
    assert found == set(ALLOWED)


@pytest.mark.parametrize(
    "source",
    [
        "process.communicate(timeout=1)",
        "read = process.stdout.readline",
        "subprocess.run(words, shell=True)",
        "subprocess.run(words, shell=yes)",
        "data.splitlines()",
        "for line in self._popen.stdout:\n    pass",
        "[json.loads(line) for line in sys.stdin]",
        "lines = sys.stdin.buffer.readlines()",
    ],
)
def test_traps_are_found(source: str) -> None:
    """A trap is found wherever it stands."""
    assert len(list(traps(source))) == 1


@pytest.mark.parametrize("source", ["data.split(b'\\n')", "os.read(fd, 65536)", "for line in lines: pass"])
def test_what_is_no_trap(source: str) -> None:
    """Bytes read without waiting and split at newlines are no trap."""
    assert list(traps(source)) == []
