"""The roster of a league: of each bot which version plays, since when it is there, and why a newer one does not.

A season decides that once, and writes it down in ``roster.json``; whoever plays a part, a final or tables goes by that.
"""

from collections.abc import Callable, Iterable, Mapping
from datetime import datetime
from pathlib import Path

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from arena.errors import BotError
from arena.files import decoder, read
from arena.players import conceal
from arena.tournament import BrokenRun

FILE = "roster.json"


class Version(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A state of a bot's folder."""

    entered: datetime
    """UTC."""
    commit: str = ""
    """Empty: of no repository, or not committed."""
    content: str = ""
    """The digest; empty until it is read."""


class Entry(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A bot's folder, and what the league makes of it."""

    bot: str
    """Its name, or that of its folder where its file gives none."""
    folder: str
    """From the league's folder, if it is in there."""
    owner: str = ""
    plays: Version | None = None
    before: Version | None = None
    """The version that played before this one."""
    newest: Version | None = None
    """If it is not the one that plays."""
    why: str = ""
    """Why the newest version does not play."""
    out: str = ""
    """Why the bot does not play at all, whatever its version."""
    holder: str = ""
    """The folder of the bot that has its name, if that is the reason."""
    broken: dict[str, str] = {}
    """Contents that could not start, and why: they are tried again when they change."""

    @property
    def versions(self) -> list[Version]:
        """Those whose files are kept: the version that plays and the one before it, if there are any."""
        return [version for version in (self.plays, self.before) if version is not None]

    @property
    def reason(self) -> str:
        """Why the bot, or its newest version, does not play; empty if it plays as it is."""
        if self.out or not self.why or self.plays is None:
            return self.out or self.why
        return f"{self.why}; its version of {self.plays.entered:%Y-%m-%d %H:%M} UTC plays on"

    @property
    def public(self) -> "Entry":
        """The same with reasons that quote neither the bot nor this machine."""
        return replace(
            self, why=conceal(self.why), broken={content: conceal(why) for content, why in self.broken.items()}
        )


class Roster(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Who plays in a league, as it was decided at a moment."""

    moment: datetime
    """When it was decided, UTC; a later decision that is the same does not count."""
    until: datetime | None = None
    """The end of entries, as the settings had it."""
    ends: datetime | None = None
    """The end that counted: one that was set when it was over is the moment of the decision before."""
    over: bool = False
    bots: tuple[Entry, ...] = ()


_decode = decoder(Roster)


def read_roster(folder: Path) -> Roster | None:
    """The roster of a league; None before its first season.

    Raises:
        BrokenRun: it is no roster.
        arena.files.Linked, OSError: it cannot be read.
    """
    try:
        return _decode(read(folder, FILE))
    except FileNotFoundError:
        return None
    except msgspec.DecodeError as error:
        raise BrokenRun(f"{folder / FILE}: expected a roster, got something else ({error})") from None


def choose(
    versions: Iterable[Version],
    *,
    until: datetime | None,
    ends: datetime | None,
    broken: Mapping[str, str],
    read: Callable[[Version], str],
) -> tuple[Version | None, str]:
    """The version that plays, and why no newer one does: the newest in time that can be read and is not broken.

    Args:
        versions: from the newest on.
        until: the end of entries, as it is told.
        ends: the end that counts.
        broken: contents that cannot start, and why.
        read: gives the content of a version, or raises ``BotError``.
    """
    reasons: list[str | None] = []
    chosen = None
    for version in versions:
        if ends is not None and version.entered > ends:
            reasons.append(None)
            continue
        try:
            content = read(version)
        except BotError as error:
            reasons.append(str(error))
            continue
        if content not in broken:
            chosen = replace(version, content=content)
            break
        reasons.append(broken[content])
    why = reasons[0] if reasons else ""
    if why is None:
        got = "no new bot, got one" if chosen is None else "the bot as it was entered, got another"
        why = f"entries ended at {until or ends:%Y-%m-%d %H:%M} UTC: expected {got}"
    return chosen, why


def end_of_entries(until: datetime | None, old: Roster | None, *, begun: datetime) -> datetime | None:
    """The end of entries that counts: one that was set when it was over does not take out who played already."""
    if until is None or old is None:
        return until and max(until, begun)
    return old.ends if old.until == until else max(until, old.moment)


def bracket(entered: datetime, *, seen: bool, decided: datetime | None, now: datetime) -> datetime:
    """When a commit of this date has entered: not before a decision that did not know it, nor after one that did."""
    if decided is None:
        return min(entered, now)
    return min(entered, decided) if seen else min(max(entered, decided), now)
