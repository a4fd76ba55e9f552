"""What a bot may touch of the machine, and how much of it. Standard library only; knows nothing else of arena."""

from typing import Literal, TypeAlias

Level: TypeAlias = Literal["none", "landlock", "bwrap"]
LEVELS: tuple[Level, ...] = ("none", "landlock", "bwrap")
"""From the weakest to the strongest."""
