"""The matches written down in ``goldens/`` are still played in the same way."""

import pytest

from arena.laws.golden import golden, goldens
from tests.shelf.renew_goldens import GOLDENS
from tests.shelf.walk import setups

SIZE_AT_MOST = 40_000
RENEW = "renew with: python -m tests.shelf.renew_goldens"
TABLES = goldens(setups())


@pytest.mark.parametrize("name", TABLES)
def test_golden(name: str) -> None:
    """Each seat count of each game has its golden, short enough to read, and plays as it tells."""
    path = GOLDENS / name
    assert path.exists(), f"expected a golden goldens/{name}, got no file; {RENEW}"
    text = path.read_text(encoding="ascii")
    assert len(text) <= SIZE_AT_MOST
    assert golden(TABLES[name]) == text, f"expected the match of goldens/{name}, got another; {RENEW}"


def test_no_golden_is_left_over() -> None:
    """Every golden is of a table that the shelf has."""
    assert {path.name for path in GOLDENS.glob("*")} <= set(TABLES)
