"""The seasons in a league's history: the place of each bot, and what changed. Values only."""

from collections.abc import Sequence
from typing import Annotated

from msgspec import Meta, Struct

from arena.report.season import Probation, own_name


class Stood(Struct, frozen=True, kw_only=True):
    """Where a bot stood in a game after a season."""

    bot: str
    """With the number of its version, as ``pike@2``."""
    digest: str
    rank: int
    rank_low: int
    rank_high: int
    rating: float
    mu: float
    low: float | None
    high: float | None
    matches: int


class PastTable(Struct, frozen=True, kw_only=True):
    """A game after a season."""

    version: str
    matches: int
    commitments: tuple[str, ...] = ()
    entrants: tuple[Stood, ...] = ()


class PastSeason(Struct, frozen=True, kw_only=True):
    """A season that changed something."""

    season: Annotated[int, Meta(ge=1)]
    date: str
    """UTC, of the day."""
    games: dict[str, PastTable]
    probation: tuple[Probation, ...] = ()

    def news(self, before: "PastSeason | None") -> list[str]:
        """The news of this season, in sentences."""
        digests = {} if before is None else before.digests()
        now = self.digests()
        changed = [bot for bot, digest in now.items() if bot in digests and digests[bot] != digest]
        parts = (
            ("Entered", [bot for bot in now if bot not in digests]),
            ("Changed", changed),
            ("Left", [bot for bot in digests if bot not in now]),
        )
        said = [f"{what}: {', '.join(bots)}." for what, bots in parts if bots]
        old = {} if before is None else {name: table.matches for name, table in before.games.items()}
        played = sum(table.matches - min(old.get(name, 0), table.matches) for name, table in self.games.items())
        return [*said, f"{played:,} {'match' if played == 1 else 'matches'} played."]

    def digests(self) -> dict[str, str]:
        """The content of each bot in a table, by the bot's own name."""
        return {
            own_name(stood.bot): stood.digest
            for table in self.games.values()
            for stood in table.entrants
            if "#" not in stood.bot
        }


class Version(Struct, frozen=True, kw_only=True):
    """A version of a bot, which played for some seasons."""

    digest: str
    first: int
    """Season."""
    last: int


def versions(history: Sequence[PastSeason], bot: str) -> list[Version]:
    """The versions of a bot, the latest last."""
    found: list[Version] = []
    for past in history:
        digest = past.digests().get(bot)
        if digest is None:
            continue
        first = found.pop().first if found and found[-1].digest == digest else past.season
        found.append(Version(digest=digest, first=first, last=past.season))
    return found
