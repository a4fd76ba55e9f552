"""The search bot is better than greedy: measured as docs/search.md shows it, until it is decided."""

import importlib.util
from typing import Any

import pytest

from arena import games
from tests.documents import ROOT

DEALS = 80
"""At most: many more than it takes where the search is clearly ahead."""
SURE = {
    100: {"catch-of-the-day", "lure", "cash-a-catch", "fish-food"},
    1000: {"catch-of-the-day", "lure", "cash-a-catch"},
}
"""By milliseconds the games in which it was sure after so few deals that the search is ahead."""


def measurement() -> Any:
    """``benchmarks/search.py``, which is a script."""
    spec = importlib.util.spec_from_file_location("benchmarks_search", ROOT / "benchmarks" / "search.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.proof
@pytest.mark.timeout(7200)
@pytest.mark.parametrize(
    ("name", "milliseconds"), [*[(name, 100) for name in games.names()], *[(name, 1000) for name in sorted(SURE[1000])]]
)
def test_ahead_of_greedy(name: str, milliseconds: int) -> None:
    """By processor time it is clearly ahead at 100 ms and at 1 s, and in Dockfight, at 100 ms, not clearly behind."""
    module = measurement()
    measured = module.measure(name, milliseconds, deals=DEALS, decided=True)
    assert measured.worse.log < module.SURE
    if name in SURE[milliseconds]:
        assert measured.better.log > module.SURE
