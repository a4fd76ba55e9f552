"""A run that goes on with other bots than before: which blocks each of them gets. Pure."""

from collections.abc import Sequence

from msgspec.structs import replace

from arena.tournament.decision import Extend, extend
from arena.tournament.folder import Entrant, Manifest
from arena.tournament.parts import SettingsMismatch
from arena.tournament.plan import Settings, count_blocks, list_playing, schedule


def add_bots(manifest: Manifest, settings: Settings, field: Sequence[Entrant]) -> Extend | Manifest:
    """Other bots than before: the matches that each of them lacks for a whole run of these bots."""
    by_name = {entrant.name: entrant for entrant in manifest.entrants}
    entrants = tuple((by_name | {entrant.name: entrant for entrant in field}).values())
    manifest = replace(manifest, entrants=entrants, field=tuple([entrant.name for entrant in field]))
    owed = _list_owed(manifest, list_playing(field), settings)
    if not any(owed.values()):
        return manifest
    extended = extend(manifest, settings, matches=0, entrants=list_playing(field), owed=owed)
    # the number of matches is known once the schedule is drawn
    *before, last = extended.manifest.epochs
    blocks = schedule(extended.manifest, last, extended.secret)
    last = replace(last, matches=sum(len(block.seating) for block in blocks))
    return replace(extended, manifest=replace(extended.manifest, epochs=(*before, last)))


def _list_owed(manifest: Manifest, active: Sequence[str], settings: Settings) -> dict[str, dict[str, int]]:
    """For each seat count, how many blocks each of these bots lacks to its share of a whole run; ``again``: all of it.

    Raises:
        SettingsMismatch: there are too few of them for the seats.
    """
    if len(active) < max(settings.seats):
        raise SettingsMismatch(f"expected at least {max(settings.seats)} bots that play, got {len(active)}")
    owed: dict[str, dict[str, int]] = {}
    for seats, blocks in count_blocks(settings.matches, settings.seats).items():
        audit = manifest.audits.get(str(seats))
        played = audit.bots if audit is not None else {}
        share = blocks * seats // len(active)
        lacking = {name: share - (0 if settings.again else played.get(name, 0) // seats) for name in active}
        owed[str(seats)] = {name: blocks for name, blocks in lacking.items() if blocks > 0}
    return owed
