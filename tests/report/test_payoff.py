"""What bots get in whose company: by pair and by line-up, with copies as one bot; and what is made of it."""

import subprocess
import sys
from ast import literal_eval
from importlib import import_module
from io import BytesIO
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

from arena.record import Record
from arena.report.payoff import Payoffs, payoffs_of
from arena.results.columns import Results
from tests.documents import ROOT, blocks


def result(number: int, bots: tuple[str, ...], ranks: tuple[int, ...], scores: tuple[int, ...]) -> Record:
    """A match as far as it counts."""
    return Record(
        id=f"e0b{number}r0", game="lure", version="2", bots=bots, ranks=ranks, scores=scores, reason="finished"
    )


MATCHES = [
    result(0, ("a", "b", "b#2"), (0, 1, 2), (9, 4, 2)),
    result(1, ("b", "a", "b#2"), (0, 0, 2), (5, 5, 0)),
    result(2, ("b", "b#2", "c"), (1, 0, 2), (1, 3, 0)),
]


def payoffs(matches: list[Record], *, by_score: bool = False) -> Payoffs:
    """The payoffs of these matches."""
    results = Results(sorted({bot for match in matches for bot in match.bots}))
    results.add(matches)
    return payoffs_of(results, by_score=by_score)


def test_by_pair_and_by_line_up() -> None:
    """A pair has half its difference; a line-up has each bot's mean, of copies together; strangers have nothing."""
    found = payoffs(MATCHES)
    assert found.bots == ("a", "b", "c")
    assert [(row["lineup"], row["bot"], row["matches"], row["payoff"]) for row in found.rows()] == [
        ("a b b", "a", 2, 0.75),
        ("a b b", "b", 2, -0.375),
        ("b b c", "b", 1, 0.5),
        ("b b c", "c", 1, -1.0),
    ]
    assert found.met.tolist() == [[0, 4, 0], [4, 0, 2], [0, 2, 0]]
    assert found.matrix[0, 1] == -found.matrix[1, 0] == (0.5 + 1 + 0 + 0.75) / 4
    assert np.isnan(found.matrix[0, 2])
    assert found.data()["matrix"][0] == [0.0, 0.5625, None]
    tensor: Any = found.tensor()
    assert tensor.shape == (3, 3, 3)
    assert (tensor[0, 1, 1], tensor[1, 0, 1], tensor[1, 1, 0], tensor[2, 1, 1]) == (0.75, -0.375, -0.375, -1)
    assert np.isnan(tensor[0, 0, 0])


def test_scores_count_where_they_do() -> None:
    """By score a payoff is the score itself; tables of several sizes have line-ups, but no tensor."""
    found = payoffs(MATCHES, by_score=True)
    assert next(found.rows())["payoff"] == 7
    assert found.matrix[1, 2] == (1 + 3) / 4
    mixed = payoffs([*MATCHES, result(3, ("a", "c"), (0, 1), (1, 0))])
    assert mixed.tensor() is None
    file = np.load(BytesIO(mixed.npz()))
    assert file["lineups"].tolist() == [[0, 1, 1], [0, 2, -1], [1, 1, 2]]
    assert "tensor" not in file
    assert "tensor" in np.load(BytesIO(found.npz()))


CYCLE: list[list[float]] = [[0, -1, 1], [1, 0, -1], [-1, 1, 0]]
UNEVEN: list[list[float]] = [[0, -1, 2], [1, 0, -1], [-2, 1, 0]]
"""The first beats the last twice as high, so in the equilibrium the second plays half of the time."""
BEST: list[list[float]] = [[0, -0.02, 0.05], [0.02, 0, 0.01], [-0.05, -0.01, 0]]


def ranked(place: Path, matrix: list[list[float]]) -> list[tuple[str, float, float]]:
    """What the program of docs/stats.md prints of a matrix: bot, alpha-rank, Nash averaging."""
    [code] = blocks((ROOT / "docs" / "stats.md").read_text("utf-8"), "python")
    np.savez(place / "payoff.npz", bots=np.array([*"abcdef"[: len(matrix)]]), matrix=np.array(matrix))
    done = subprocess.run([sys.executable, "-c", code], cwd=place, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return [literal_eval(line) for line in done.stdout.splitlines()]


@pytest.mark.parametrize(
    ("matrix", "nash"), [(CYCLE, [0.33, 0.33, 0.33]), (UNEVEN, [0.25, 0.5, 0.25]), (BEST, [0, 1, 0])]
)
def test_the_page_ranks(matrix: list[list[float]], nash: list[float], tmp_path: Path) -> None:
    """The program of docs/stats.md finds the equilibrium, and alpha-rank has a total of 1, alike in an even cycle."""
    bots, alpha_rank, found = zip(*ranked(tmp_path, matrix), strict=True)
    assert "".join(bots) == "abc"
    assert found == pytest.approx(nash, abs=0.011)
    assert sum(alpha_rank) == pytest.approx(1, abs=0.002)
    assert (len({*alpha_rank}) == 1) == (matrix is CYCLE)


@pytest.mark.long
def test_alpha_rank_is_that_of_openspiel(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """The program of docs/stats.md agrees with OpenSpiel's alpha-rank in every digit that it prints."""
    pytest.importorskip("open_spiel", reason="OpenSpiel comes as no wheel for this Python and machine")
    drawing = "open_spiel.python.egt.alpharank_visualizer"
    monkeypatch.setitem(sys.modules, drawing, ModuleType(drawing))  # for it needs matplotlib
    alpharank = import_module("open_spiel.python.egt.alpharank")
    several = np.random.default_rng(1).uniform(-1, 1, (5, 5)) * 0.1
    for matrix in (UNEVEN, BEST, (several - several.T).tolist()):
        theirs = alpharank.compute([np.array(matrix, float)], m=50, alpha=1)[2]
        assert [row[1] for row in ranked(tmp_path, matrix)] == pytest.approx(theirs, abs=0.00051)
