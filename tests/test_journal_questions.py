"""What docs/journal.md asks of a journal by SQL, asked of a real one."""

import json
import subprocess
import sys
from pathlib import Path
from statistics import mean

import pytest

from tests.cli.command import FIELD, arena, records
from tests.documents import ROOT, blocks

ASK = """
import duckdb, json, sys
made, *questions = json.load(sys.stdin)
with duckdb.connect() as base:
    base.execute(made)
    print(json.dumps([base.execute(question).fetchall() for question in questions]))
"""
"""In a process of its own: whatever has loaded DuckDB tells at its end of objects that it leaves behind."""


@pytest.mark.long
def test_duckdb_reads_a_journal(tmp_path: Path) -> None:
    """The page's questions for DuckDB are answered, and as the lines themselves say."""
    arena(tmp_path, "run", *FIELD[:2], "-g", "dockfight", "--seats", "2", "-n", "8", "-o", "run", "-q")
    (script,) = blocks((ROOT / "docs" / "journal.md").read_text(), "sql")
    asked = json.dumps([question for question in script.split(";") if question.strip()])
    words = [sys.executable, "-c", ASK]
    said = subprocess.run(words, cwd=tmp_path / "run", input=asked, capture_output=True, text=True, check=True)
    ends, table, times = json.loads(said.stdout)
    assert ends == [["finished", 8]]
    played = {bot: row for bot, *row in table}
    matches = records(tmp_path / "run")
    assert [bot for bot, *_ in times] == sorted(FIELD[:2])
    for bot in FIELD[:2]:
        scores = [match["scores"][match["bots"].index(bot)] for match in matches]
        firsts = [match["ranks"][match["bots"].index(bot)] == 0 for match in matches]
        assert played[bot] == [8, pytest.approx(mean(scores)), pytest.approx(mean(firsts))], table
