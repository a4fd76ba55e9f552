"""The process that runs these tests is a house: orphans of its bots become its children."""

import pytest

from arena.players.lifetime import LINUX, adopt_orphans


@pytest.fixture(autouse=True, scope="session")
def house() -> None:
    """Adopt orphans, as a lane does."""
    if not LINUX:
        pytest.skip("expected Linux: elsewhere only a bot's own process group is ended")
    adopt_orphans()
