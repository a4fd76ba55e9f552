"""A part of a run that is played elsewhere, and how it is named."""

import re
from typing import Self

from msgspec import Struct

from arena.errors import UsageError

_SHARD = re.compile(r"([1-9][0-9]{0,5})/([1-9][0-9]{0,5})(,by=rotation)?")


class Shard(Struct, frozen=True):
    """A part of a run that is played elsewhere: the ``number``-th of ``of``, counted from 1.

    It has whole blocks; or by rotation no two matches of one block, so that no bot there meets a deal again.
    """

    number: int
    of: int
    by_rotation: bool = False

    def __str__(self) -> str:
        return f"{self.number}/{self.of}" + ",by=rotation" * self.by_rotation

    def check(self, seats: int) -> None:
        """Check that there are parts enough for tables of so many seats.

        Raises:
            UsageError: two rotations of a block would be in one part.
        """
        if self.by_rotation and self.of < seats:
            least = f"at least as many parts as seats, {seats}, each on a machine of its own"
            raise UsageError(f"expected {least}, got {self.of}", option="shard")

    @classmethod
    def read(cls, text: str) -> Self:
        """The shard that ``I/N`` names, or ``I/N,by=rotation``.

        Raises:
            ValueError: the text names no such part.
        """
        match = _SHARD.fullmatch(text)
        if match is None or int(match[1]) > int(match[2]):
            raise ValueError(f"expected I/N such as 2/5, I from 1 to N, or 2/5,by=rotation, got {text!r}")
        return cls(number=int(match[1]), of=int(match[2]), by_rotation=match[3] is not None)


WHOLE_RUN = Shard(number=1, of=1)
