"""Whose claim to a place or a name comes first where a league cannot take all: that of bots which play already."""

from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path

from arena.identity import bot_of
from arena.leagues.owners import Owners
from arena.players import BotFile, digest_bot
from arena.tournament import Entrant, Manifest
from arena.words import plural


def by_claim(entries: Sequence[tuple[str, BotFile]], manifests: Sequence[Manifest]) -> list[tuple[str, BotFile]]:
    """Bots in the order of their claims to a name: a bot that plays already never loses its name to a new one.

    The bot of a name that played last comes first, known by its folder's name and then by its digest, then folders
    that are called as their bots are.

    Args:
        entries: folders and their bots.
        manifests: the manifests of the league's runs that have begun.
    """
    last = list_last(manifests)
    folders = {(bot_of(entrant.name), Path(entrant.entered).name) for entrant in last}
    digests = {(bot_of(entrant.name), entrant.digest) for entrant in last}

    def claim(entry: tuple[str, BotFile]) -> tuple[bool, bool, bool]:
        folder, bot = Path(entry[0]).name, entry[1]
        return (bot.name, folder) not in folders, (bot.name, digest_bot(bot)) not in digests, folder != bot.name

    return sorted(entries, key=claim)


def list_last(manifests: Sequence[Manifest]) -> list[Entrant]:
    """The last version of each bot in each run; and the one that played last, if a later one cannot start."""
    entrants: list[Entrant] = []
    for manifest in manifests:
        entrants += {bot_of(entrant.name): entrant for entrant in manifest.entrants}.values()
        entrants += {bot_of(entrant.name): entrant for entrant in manifest.entrants if not entrant.withdrawn}.values()
    return entrants


def too_many(
    most: int, bots: Mapping[str, BotFile], manifests: Sequence[Manifest], owners: Owners | None
) -> dict[str, str]:
    """Why bots may not take part, by their keys in ``bots``, of which at most so many of one owner do.

    Bots that took part before come first, then the others by the names of their folders. A bot that could not start in
    an earlier season, and is as it was, takes no place of its owners.
    """
    entrants = [entrant for manifest in manifests for entrant in manifest.entrants]
    started = {(bot_of(entrant.name), entrant.digest) for entrant in entrants if not entrant.withdrawn}
    failed = {(bot_of(entrant.name), entrant.digest) for entrant in entrants} - started
    names = {name for name, _ in started}
    excluded: dict[str, str] = {}
    counts: Counter[str] = Counter()
    for key, bot in sorted(bots.items(), key=lambda entry: (entry[1].name not in names, entry[0])):
        if failed and (bot.name, digest_bot(bot)) in failed:
            continue
        accounts = (bot.owner,) if owners is None else owners.of(bot.name) or ("",)
        whose = {" ".join(account.split()).casefold(): account for account in accounts}
        full = next((name for name in whose if counts[name] >= most), None)
        if full is not None:
            of = f"of {whose[full]!r}" if full else "without an owner"
            excluded[key] = f"expected at most {plural(most, 'bot')} {of}, got more"
        else:
            counts.update(list(whose))
    return excluded
