"""Who an entrant is: a bot, which of its versions, which of its copies; and how that is written."""

import re
from typing import NamedTuple, Self

_WRITTEN = re.compile(r"([^#@]+)(?:#([0-9]{1,9}))?(?:@([0-9]{1,9}))?")


class Identity(NamedTuple):
    """Written ``mine``; ``mine#3`` for its third copy, ``mine@2`` for its second version, ``mine#3@2`` for both."""

    bot: str
    """The name in its bot file, which holds neither ``@`` nor ``#``."""
    version: int = 1
    copy: int = 1

    @classmethod
    def of(cls, text: str) -> Self:
        """The identity that is written so; what a hand-made run holds instead is a bot's name as it is."""
        parts = _WRITTEN.fullmatch(text)
        return cls(parts[1], int(parts[3] or 1), int(parts[2] or 1)) if parts else cls(text)

    @property
    def entered(self) -> str:
        """The name under which this copy entered, whatever its version."""
        return str(self._replace(version=1))

    def __str__(self) -> str:
        copy = f"#{self.copy}" if self.copy > 1 else ""
        version = f"@{self.version}" if self.version > 1 else ""
        return f"{self.bot}{copy}{version}"


def bot_of(text: str) -> str:
    """The bot that the entrant of this name is a version or a copy of."""
    return Identity.of(text).bot
