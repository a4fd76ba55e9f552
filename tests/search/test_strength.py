"""The search bot is better than greedy: measured as docs/search.md shows it, until it is decided."""

import importlib.util
from typing import Any

import pytest

from arena import games
from tests.documents import ROOT

DEALS = 80
"""At most: many more than it takes where the search is clearly ahead."""
AHEAD = frozenset({"cash-a-catch", "catch-of-the-day", "lure"})
"""Games in which 100 ms are enough to be sure who is ahead."""


def measurement() -> Any:
    """``benchmarks/search.py``, which is a script."""
    spec = importlib.util.spec_from_file_location("benchmarks_search", ROOT / "benchmarks" / "search.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.proof
@pytest.mark.timeout(1800)
@pytest.mark.parametrize("name", games.names())
def test_ahead_of_greedy_at_100_ms(name: str) -> None:
    """At 100 ms of processor time it is clearly ahead in three games, and clearly behind in none."""
    module = measurement()
    measured = module.measure(name, 100, deals=DEALS, decided=True)
    assert measured.worse.log < module.SURE
    if name in AHEAD:
        assert measured.better.log > module.SURE
