"""What stands in place of the names of a person who is removed from a league, in values of each kind. Reads no file."""

import html
import re
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache, partial
from itertools import count
from typing import TypeVar

from msgspec import Struct
from msgspec.structs import replace

from arena.errors import UsageError
from arena.fault import Fault
from arena.identity import Identity, bot_of
from arena.players import conceal
from arena.record import Record
from arena.report import PastPlace, PastSeason
from arena.tournament import Entrant, Manifest

PLACEHOLDER = "withdrawn"
"""What stands in place of a name, with a number; and of the words on why a bot does not play."""
_NAMING = (
    "name bot bots seats entrants together field network debug owed meetings owner why withdrawn headline reason out "
    "holder"
)
"""The fields of structs that hold names, or words in which they may stand."""
_LETTERS = "-.0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz"
_Value = TypeVar("_Value")


class Removal(Struct, frozen=True, kw_only=True):
    """What is being removed."""

    name: str
    """As it was asked for."""
    bots: dict[str, str]
    """By name, the placeholder; so for the others."""
    owners: dict[str, str]
    root: str
    """The folder of the runs."""
    folders: tuple[str, ...]
    """Of these bots, from the league's folder."""
    others: tuple[str, ...] = ()
    """Names of those who stay, and in which one that goes stands."""

    def find_names(self, text: str) -> bool:
        """Whether a text has one of the names as a word, in any case; also where it is markup."""
        return any(
            self._find_placeholder(match[0]) is not None
            for form in {text, html.unescape(text)}
            for match in self._words.finditer(form)
        )

    def rename(self, text: str) -> str:
        """A text, which may be an entrant's name, with the placeholders in place of the names."""
        entrant = swap(self.bots, text)
        if entrant != text:
            return entrant
        return self._words.sub(lambda match: self._find_placeholder(match[0]) or match[0], text)

    def _find_placeholder(self, word: str) -> str | None:
        placeholders = {**self.owners, **self.bots}
        in_any_case = {name.casefold(): other for name, other in placeholders.items()}
        if word in self.others:
            return None
        return placeholders.get(word) or in_any_case.get(word.casefold())

    @property
    def _words(self) -> re.Pattern[str]:
        return _compile((*self.bots, *self.owners, *self.others))

    def forgets(self, entrant: str) -> bool:
        """Whether this entrant is, or was, a bot that is removed."""
        return bot_of(entrant) in {*self.bots, *self.bots.values()}

    def find_name(self, entrant: str) -> str:
        """The name that the entrant of a placeholder had."""
        now = Identity.of(entrant)
        old = Identity.of(next(name for name, other in self.bots.items() if other == now.bot))
        return str(old._replace(version=max(old.version, now.version), copy=now.copy))

    def change(self, value: _Value) -> _Value:
        """A struct with placeholders in its fields that hold names."""
        return self._change(value, names=False)

    def _change(self, value: _Value, *, names: bool) -> _Value:
        if isinstance(value, Struct):
            fields = value.__struct_fields__
            return replace(
                value,
                **{field: self._change(getattr(value, field), names=field in _NAMING.split()) for field in fields},
            )
        if isinstance(value, dict):
            parts = {key: self._change(part, names=names) for key, part in value.items()}
            return type(value)({self.rename(key): part for key, part in parts.items()} if names else parts)
        if isinstance(value, tuple):
            return type(value)([self._change(part, names=names) for part in value])
        return type(value)(self.rename(value)) if names and isinstance(value, str) else value

    def change_manifest(self, manifest: Manifest) -> Manifest:
        """The manifest with placeholders, and without what the bots' files said."""
        manifest = self.change(manifest)
        entrants = [_strip(entrant) if self.forgets(entrant.name) else entrant for entrant in manifest.entrants]
        return replace(manifest, entrants=tuple(entrants))

    def change_record(self, record: Record) -> Record:
        """The match with placeholders, and without what the bots answered in place of picks."""
        bots = tuple(map(self.rename, record.bots))

        def change_fault(fault: Fault) -> Fault:
            if self.forgets(bots[fault.seat]):
                return replace(fault, rule=conceal(self.rename(fault.rule)), hint="", line="")
            return replace(fault, rule=self.rename(fault.rule), hint=self.rename(fault.hint))

        faults = tuple(map(change_fault, record.faults))
        why = conceal(self.rename(record.why)) if any(map(self.forgets, bots)) else self.rename(record.why)
        return replace(record, bots=bots, faults=faults, why=why)

    def change_season(self, season: PastSeason) -> PastSeason:
        """The season with placeholders, and without whose the bots were."""
        season = self.change(season)

        def change_place(place: PastPlace) -> PastPlace:
            return replace(place, owner="") if self.forgets(place.bot) else place

        games = {
            game: replace(table, entrants=tuple(map(change_place, table.entrants)))
            for game, table in season.games.items()
        }
        finals = []
        for final in season.finals:
            finishes = [replace(place, owner="") if self.forgets(place.bot) else place for place in final.finishes]
            finals.append(replace(final, finishes=tuple(finishes)))
        off = [replace(entry, why=PLACEHOLDER) if self.forgets(entry.bot) else entry for entry in season.probation]
        return replace(season, games=games, finals=tuple(finals), probation=tuple(off))


@lru_cache
def _compile(names: tuple[str, ...]) -> re.Pattern[str]:
    words = "|".join(map(re.escape, sorted(names, key=len, reverse=True)))
    return re.compile(rf"(?<![\w-])(?:{words})(?![\w-])", re.IGNORECASE)


def _strip(entrant: Entrant) -> Entrant:
    name, why = entrant.name, PLACEHOLDER if entrant.withdrawn else ""
    return Entrant(name=name, digest=entrant.digest, command=(), withdrawn=why, limits=entrant.limits, entered=name)


def choose_placeholders(
    fields: Sequence[Sequence[str]], *, bots: Sequence[str], owners: Sequence[str], used: Sequence[str]
) -> tuple[dict[str, str], dict[str, str]]:
    """A placeholder for each bot, and for each owner.

    That of a bot sorts among the others as its name did: schedules are drawn by that order.

    Args:
        fields: the entrants of each run.
        bots: who is removed.
        owners: who is removed, too.
        used: names in use.

    Raises:
        UsageError: there is none that sorts so.
    """
    numbered = [re.fullmatch(rf".*{PLACEHOLDER}-(\d+)", name) for name in used]
    numbers = count(1 + max([int(match[1]) for match in numbered if match], default=0))
    of_owners = {owner: f"{PLACEHOLDER}-{next(numbers)}" for owner in owners}
    of_bots: dict[str, str] = {}
    for bot in bots:
        versions = {bot, *[str(Identity.of(name)._replace(copy=1)) for field in fields for name in field]}
        versions = {version for version in versions if bot_of(version) == bot}
        # between `pike` and `pike@2` of one bot `pike2` of another sorts: then each version gets a name of its own
        names_of_bots = _choose([bot], fields, of_bots, numbers) or _choose(sorted(versions), fields, of_bots, numbers)
        if names_of_bots is None:
            raise UsageError(f"expected a name that sorts between the others where {bot!r} does, got none")
        of_bots |= names_of_bots
    return of_bots, of_owners


def _choose(
    names: Sequence[str], fields: Sequence[Sequence[str]], before: Mapping[str, str], numbers: Iterator[int]
) -> dict[str, str] | None:
    """Names that sort as these do, of a bot or of each of its versions, beside those that were chosen ``before``."""
    names_of_bots = {name: name for name in names}
    for name in names:
        word, bot = f"{PLACEHOLDER}-{next(numbers)}", bot_of(name)
        for head in (
            "",
            *[f"{bot[:length]}{letter}-" for length in range(len(bot) + (name != bot)) for letter in _LETTERS],
        ):
            names_of_bots[name] = f"{head}{word}"
            change = partial(swap, {**before, **names_of_bots})
            if all([*map(change, sorted(field))] == sorted(map(change, field)) for field in fields):
                break
        else:
            return None
    return names_of_bots


def swap(names: Mapping[str, str], entrant: str) -> str:
    """An entrant's name with that which ``names`` has in place of its bot, or of this version of it."""
    identity = Identity.of(entrant)
    if other := names.get(str(identity._replace(copy=1))):
        return str(Identity.of(other)._replace(copy=identity.copy))
    return str(identity._replace(bot=names.get(identity.bot, identity.bot))) if identity.bot in names else entrant
