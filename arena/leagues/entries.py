"""Who may enter a league: how many bots one owner may have, and until when bots may enter.

Reads the manifests of the league's runs, because bots that have played there may stay. Starts nothing.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import UTC, date, datetime, time, timedelta
from pathlib import Path

from arena.errors import UsageError
from arena.identity import bot_of
from arena.players.botfile import BotFile
from arena.players.content import digest
from arena.tournament.folder import Entrant, Manifest
from arena.tournament.settings import LeagueSettings


def end_of_entries(spec: LeagueSettings) -> datetime | None:
    """The moment from which a run that has begun takes no bot that is new or has changed, if there is one.

    A day ends in UTC; a moment has its offset from UTC.

    Raises:
        UsageError: it is no date.
    """
    text = spec.entries_until
    if text is None:
        return None
    try:
        if len(text) == len("2027-01-31"):
            return datetime.combine(date.fromisoformat(text) + timedelta(days=1), time(), UTC)
        moment = datetime.fromisoformat(text)
    except (ValueError, OverflowError):
        moment = None
    if moment is None or moment.tzinfo is None:
        raise UsageError(
            "expected a day in UTC such as 2027-01-31, or a time with its offset such as 2027-01-31T18:00:00+01:00, "
            f"got {text!r}",
            option="entries_until",
        )
    return moment


def by_claim(entries: Sequence[tuple[str, BotFile]], known: Sequence[Manifest]) -> list[tuple[str, BotFile]]:
    """Bots in the order of their claims to a name: a bot that plays already never loses its name to a new one.

    The bot of a name that played last comes first, known by its folder's name and then by its digest, then folders
    that are called as their bots are.

    Args:
        entries: folders and their bots.
        known: the manifests of the league's runs that have begun.
    """
    last = _last(known)
    folders = {(bot_of(entrant.name), Path(entrant.entered).name) for entrant in last}
    digests = {(bot_of(entrant.name), entrant.digest) for entrant in last}

    def claim(entry: tuple[str, BotFile]) -> tuple[bool, bool, bool]:
        folder, bot = Path(entry[0]).name, entry[1]
        return (bot.name, folder) not in folders, (bot.name, digest(bot)) not in digests, folder != bot.name

    return sorted(entries, key=claim)


def left_out(
    until: datetime | None, per_owner: int | None, bots: Mapping[str, BotFile], known: Sequence[Manifest]
) -> dict[str, str]:
    """Why bots may not take part, by their keys in ``bots``; bots that may take part are not listed.

    Args:
        until: when entries end, if they do.
        per_owner: how many bots of one owner take part at most, if there is a limit.
        bots: all that are there, without the anchors, which no rule holds back.
        known: the manifests of the league's runs that have begun.
    """
    excluded = _after_the_end(until, bots, known) if until is not None else {}
    rest = {key: bot for key, bot in bots.items() if key not in excluded}
    return excluded | (_too_many(per_owner, rest, known) if per_owner is not None else {})


def _after_the_end(until: datetime, bots: Mapping[str, BotFile], known: Sequence[Manifest]) -> dict[str, str]:
    if not known or datetime.now(UTC) < until:
        return {}
    entered = {(bot_of(entrant.name), entrant.digest) for entrant in _last(known)}
    names = {name for name, _ in entered}
    why = f"entries ended at {until.astimezone(UTC):%Y-%m-%d %H:%M} UTC: expected"
    return {
        key: f"{why} {'the bot as it was entered, got another' if bot.name in names else 'no new bot, got one'}"
        for key, bot in bots.items()
        if (bot.name, digest(bot)) not in entered
    }


def _last(known: Sequence[Manifest]) -> list[Entrant]:
    """The last version of each bot in each run; and the one that played last, if a later one cannot start."""
    entrants: list[Entrant] = []
    for manifest in known:
        entrants += {bot_of(entrant.name): entrant for entrant in manifest.entrants}.values()
        entrants += {bot_of(entrant.name): entrant for entrant in manifest.entrants if not entrant.withdrawn}.values()
    return entrants


def _too_many(most: int, bots: Mapping[str, BotFile], known: Sequence[Manifest]) -> dict[str, str]:
    """Bots that took part before come first, then the others by the names of their folders."""
    names = {bot_of(entrant.name) for manifest in known for entrant in manifest.entrants}
    excluded: dict[str, str] = {}
    taken: Counter[str] = Counter()
    for key, bot in sorted(bots.items(), key=lambda entry: (entry[1].name not in names, entry[0])):
        owner = " ".join(bot.owner.split()).casefold()
        taken[owner] += 1
        if taken[owner] > most:
            whose = f"of {bot.owner!r}" if owner else "without an owner"
            excluded[key] = f"expected at most {most} {'bot' if most == 1 else 'bots'} {whose}, got more"
    return excluded
