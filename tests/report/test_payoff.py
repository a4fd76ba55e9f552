"""What bots get in whose company: by pair and by line-up, with copies as one bot; and what is made of it."""

import subprocess
import sys
from io import BytesIO
from pathlib import Path
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


@pytest.mark.parametrize(
    ("matrix", "alpha_rank", "nash"),
    [
        ([[0, -1, 1], [1, 0, -1], [-1, 1, 0]], [0.333, 0.333, 0.333], [0.33, 0.33, 0.33]),
        ([[0, -0.02, 0.05], [0.02, 0, 0.01], [-0.05, -0.01, 0]], [0.234, 0.7, 0.066], [0.0, 1.0, 0.0]),
    ],
)
def test_the_page_ranks(matrix: Any, alpha_rank: list[float], nash: list[float], tmp_path: Path) -> None:
    """The program of docs/stats.md gives what OpenSpiel's alpha-rank gave, and an equilibrium."""
    [code] = blocks((ROOT / "docs" / "stats.md").read_text("utf-8"), "python")
    np.savez(tmp_path / "payoff.npz", bots=np.array(["a", "b", "c"]), matrix=np.array(matrix))
    done = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    expected = [repr(row) for row in zip("abc", alpha_rank, nash, strict=True)]
    assert done.stdout.replace("-0.0", "0.0").splitlines() == expected
