"""Where an interpreter of the host looks for modules."""

import os
from pathlib import Path

from arena.interpreter import search_path


def test_where_the_house_looks() -> None:
    """Of what stands before the standard library only absolute folders that were asked for are kept, and come last."""
    standard = str(Path(os.__file__).parent)
    root = str(Path(__file__).parents[1])
    path = ["/cwd", "/asked", "/cwd/relative", standard, "/site"]
    assert search_path(path, ["", ".", "relative", "/asked"]) == [standard, "/site", "/asked", root]
    assert search_path([root, standard, "/site"], []) == [standard, "/site", root]
    assert search_path([standard, root, "/site"], []) == [standard, root, "/site"]


def test_the_arena_that_is_started_is_this_one(tmp_path: Path) -> None:
    """Where another arena is installed before this one, its modules are not what an interpreter of the host runs."""
    (tmp_path / "arena").mkdir()
    standard = str(Path(os.__file__).parent)
    root = str(Path(__file__).parents[1])
    assert search_path([standard, str(tmp_path)], [root]) == [standard, root, str(tmp_path)]
