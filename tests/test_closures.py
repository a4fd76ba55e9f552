"""What one must load to understand a door: budgets that only fall."""

import pytest

from tests.closures import BUDGETS, ROOT, count_lines, find_files

_READERS = ["arena.cli.leaderboard", "arena.cli.stats", "arena.cli.report", "arena.cli.matches", "arena.cli.export"]


@pytest.mark.parametrize("door", BUDGETS)
def test_a_door_loads_its_room(door: str) -> None:
    """A door loads no more lines of arena than its budget."""
    files = find_files(door)
    assert count_lines(files) <= BUDGETS[door], f"expected at most {BUDGETS[door]} lines, got {count_lines(files)}"


@pytest.mark.parametrize("door", _READERS)
def test_who_reads_results_starts_nothing(door: str) -> None:
    """Commands that read results load no sandbox and nothing that starts a process."""
    starters = {"launch", "serving", "process", "spawn", "lifetime", "bot_player", "content", "building", "sandboxed"}
    loaded = find_files(door)
    assert not [file for file in loaded if file.parts[1] == "sandbox" and file.stem not in {"__init__", "paths"}]
    assert not [file for file in loaded if file.parts[1] == "players" and file.stem in starters]


def test_budgets_are_told() -> None:
    """CONTRIBUTING.md names the command and the budget of each door."""
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    assert "python -m tests.closures" in text
    for door, budget in BUDGETS.items():
        assert f"| `{door}` | {budget:,} |" in text
