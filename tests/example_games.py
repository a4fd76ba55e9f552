"""The games of the examples as an installer leaves them: in a folder of packages, without network or build."""

import shutil
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from arena.game import Game
from tests.documents import ROOT

PACKAGES = {"love-letter": ("love_letter", ["love-letter"]), "night-nets": ("night_nets", ["night-nets"])} | {
    "poker": ("poker", ["kuhn-poker", "leduc-poker"]),
    "hearts": ("hearts", ["hearts"]),
}
"""By the name of the example, its package and its games."""
NAMES = [name for _, names in PACKAGES.values() for name in names]


def install(site: Path, *examples: str) -> Path:
    """Put these examples into a folder, by default all."""
    for example in examples or PACKAGES:
        source, package = ROOT / "examples" / example, PACKAGES[example][0]
        shutil.copytree(source / package, site / package, ignore=shutil.ignore_patterns("__pycache__"))
        project: dict[str, Any] = tomllib.loads((source / "pyproject.toml").read_text("utf-8"))["project"]
        info = site / f"{package}-1.0.dist-info"
        info.mkdir()
        (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {example}\nVersion: 1.0\n")
        entries = project["entry-points"]["arena.games"].items()
        (info / "entry_points.txt").write_text("[arena.games]\n" + "".join(f"{name} = {at}\n" for name, at in entries))
    return site


def tables(game: Game) -> Iterator[tuple[int, dict[str, str]]]:
    """The usual table, and it with each other value of a variant."""
    yield game.usual_seats, {}
    for _, _, settled in game.unusual():
        yield game.usual_seats, settled
