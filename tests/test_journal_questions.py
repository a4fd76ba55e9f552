"""What docs/journal.md asks of a journal by SQL, asked of a real one."""

import json
from pathlib import Path
from statistics import mean

import duckdb
import pytest

from tests.cli.command import FIELD, arena, records
from tests.documents import ROOT, blocks


@pytest.mark.long
def test_duckdb_reads_a_journal(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The page's questions for DuckDB are answered, and as the lines themselves say."""
    arena(tmp_path, "run", *FIELD[:2], "-g", "dockfight", "--seats", "2", "-n", "8", "-o", "run", "-q")
    monkeypatch.chdir(tmp_path / "run")
    (script,) = blocks((ROOT / "docs" / "journal.md").read_text(), "sql")
    made, ends, table, times = (question for question in script.split(";") if question.strip())
    with duckdb.connect() as base:
        base.execute(made)
        assert base.execute(ends).fetchall() == [("finished", 8)]
        played = {bot: (matches, score, first) for bot, matches, score, first in base.execute(table).fetchall()}
        waited = [bot for bot, _ms, _p99 in base.execute(times).fetchall()]
    matches = records(tmp_path / "run")
    assert waited == sorted(FIELD[:2])
    for bot in FIELD[:2]:
        scores = [match["scores"][match["bots"].index(bot)] for match in matches]
        firsts = [match["ranks"][match["bots"].index(bot)] == 0 for match in matches]
        assert played[bot] == (8, pytest.approx(mean(scores)), pytest.approx(mean(firsts))), json.dumps(played)
