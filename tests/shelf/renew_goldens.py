"""Writes the goldens, one readable match a seat count: ``python -m tests.shelf.renew_goldens``."""

from pathlib import Path

from arena.laws import golden
from tests.shelf.walk import setups

GOLDENS = Path(__file__).parent / "goldens"

if __name__ == "__main__":
    golden.renew(setups(), GOLDENS)
