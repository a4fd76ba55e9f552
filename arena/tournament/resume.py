"""Resuming a run: whether settings and bots are the same as at its beginning, and which matches remain.

Pure; reads no file and starts nothing. *Extending* a finished run means a further epoch, with a secret of its own:

- the same bots and more matches: as many whole blocks more;
- other bots: a bot is its files and its command, so a changed bot enters again, as ``name@2``, and the old one stays in
  the history. Each bot of now gets the blocks that it lacks to its share of a whole run of these bots. No bot loses a
  block, and no match is played again.
"""

from collections.abc import Collection, Container, Mapping, Sequence
from typing import Any

from msgspec.structs import replace

from arena.errors import UsageError
from arena.formats.registry import goes_on, without_alpha
from arena.formats.schedule import Fixture
from arena.game import Game
from arena.identity import Identity
from arena.limits import KEYS, setting
from arena.tournament.folder import BALANCED, CUT, Entrant, Manifest, Rules
from arena.tournament.plan import Settings, audits, count_blocks, epoch_of, list_playing, rounded, schedule, secret_of
from arena.tournament.secrets import Secret
from arena.tournament.settings import collect_settings as known_settings
from arena.tournament.shard import WHOLE_RUN


class SettingsMismatch(UsageError):
    """The folder holds a run with other settings; the text names the first difference."""


def continued(
    manifest: Manifest, settings: Settings, game: Game, entrants: Sequence[Entrant], retry: Collection[str] = ()
) -> tuple[Manifest, Secret | None]:
    """The run as it is; or extended, if it is finished and these settings and entrants need more matches.

    The secret is that of the epoch by which it is extended.

    Args:
        manifest: of the run that is there.
        settings: what is asked for now.
        game: as it is installed here.
        entrants: who is to take part now, under the names of the bots, copies included.
        retry: names of bots that may take part again although they were withdrawn.

    Raises:
        SettingsMismatch: the run has other settings.
    """
    check_same_settings(manifest, settings, game)
    field = name_in_run(manifest, entrants)
    field = [
        # a bot that has played before may now fail to start
        replace(member, withdrawn=entrant.withdrawn or ("" if entrant.name in retry else member.withdrawn))
        for entrant, member in zip(entrants, field, strict=True)
    ]
    was = {entrant.name: entrant for entrant in manifest.entrants}
    now = {entrant.name for entrant in field}
    changed = now != set(manifest.present) or any(was[member.name] != member for member in field if member.name in was)
    if not manifest.finished:
        _same_bots(field, manifest.present)
        _same_epoch(manifest, settings)
        return manifest, None
    if not manifest.drawn_whole:
        if not changed and goes_on(manifest.schedule):
            return _asked_again(manifest, settings)
        _as_finished(manifest, settings, changed=changed)
        return manifest, None
    if not changed and not manifest.field:
        return _with_more(manifest, settings)
    return _with_others(manifest, settings, field)


def check_same_bots(manifest: Manifest, entrants: Sequence[Entrant]) -> None:
    """Check that these bots are those that play in the last epoch, which has begun.

    Raises:
        SettingsMismatch: they are not.
    """
    _same_bots(name_in_run(manifest, entrants), manifest.epochs[-1].entrants or manifest.present)


def check_same_settings(manifest: Manifest, settings: Settings, game: Game) -> None:
    """Check that the settings are those that the run began with.

    Raises:
        SettingsMismatch: they are not.
    """
    options = {entry.name: entry.option for entry in known_settings().values()} | {"game": "--game"}
    counted = {entry.limit: entry.option for entry in known_settings().values() if entry.limit not in {"", *KEYS}}
    for name in Rules.__struct_fields__:
        value, other = getattr(manifest, name), getattr(settings, name)
        if name == "limits":
            for key in KEYS:
                what, then = setting(value, key)
                _check_same(what, then, setting(other, key)[1])
            for key, option in counted.items():
                _check_same(option, getattr(value, key), getattr(other, key))
        elif name == "schedule":
            _check_same(options[name], *_schedules(manifest, settings))
        else:
            _check_same(options[name], _text(name, value), _text(name, other))
        if name == "game":
            _check_same("game version", manifest.game_version, game.version)
    check_cut(manifest, manifest.shard)
    seed = settings.seed if not settings.hidden else None
    if seed is not None and Secret.of(seed).commitment != manifest.epochs[0].commitment:
        raise SettingsMismatch(f"expected the --seed that it began with, got {seed!r}")


def _check_same(what: str, then: object, now: object) -> None:
    if then != now:
        raise SettingsMismatch(f"expected {what} {then}, got {now}")


def _text(name: str, value: Any) -> str:
    """What a rule is, as one would type it."""
    if isinstance(value, Mapping):
        return " ".join(f"{key}={choice}" for key, choice in sorted(value.items())) or "none"
    if isinstance(value, tuple):
        return str(value[0]) if len(value) == 1 else f"{value[0]}-{value[-1]}"
    return str(value) or (str(WHOLE_RUN) if name == "shard" else "none")


def _schedules(manifest: Manifest, settings: Settings) -> tuple[str, str]:
    """The schedule of the run, and that of now; of a finished run with a question, without how sure it was to be."""
    if manifest.finished and goes_on(manifest.schedule):
        return without_alpha(manifest.schedule)[0], without_alpha(settings.schedule)[0]
    return manifest.schedule, settings.schedule


def check_cut(manifest: Manifest, shard: str) -> None:
    """Check that a shard is cut as shards are today; a whole run can be resumed however its shards were cut.

    Raises:
        SettingsMismatch: it is cut otherwise, so its missing matches are not known.
    """
    if shard and manifest.cut != CUT:
        raise SettingsMismatch(
            f"expected shards as this version of arena cuts them, got --shard {shard} of another version"
        )


def _same_bots(field: Sequence[Entrant], names: Collection[str]) -> None:
    for entrant in field:
        name = Identity.of(entrant.name).entered
        if name != entrant.name and entrant.name not in names:
            raise SettingsMismatch(
                f"expected bot {name!r} as it was entered, got other files or another command (finish the run "
                "with it as it was, then the changed one may enter)"
            )
    then, now = sorted(names), sorted(entrant.name for entrant in field)
    if then != now:
        raise SettingsMismatch(
            f"expected bots {', '.join(then)}, got {', '.join(now)} (finish the run, then others may enter)"
        )


def _asked_again(manifest: Manifest, settings: Settings) -> tuple[Manifest, Secret | None]:
    """A finished run with a question whose bots are the same: more matches for it, if they are asked for."""
    last = manifest.epochs[-1]
    (_, was), (_, now) = without_alpha(manifest.schedule), without_alpha(settings.schedule)
    if now > was:
        raise SettingsMismatch(f"expected --alpha {was:g} of a finished run, or less, got {now:g}")
    if settings.matches < last.asked:
        raise SettingsMismatch(f"expected the -n {last.asked} of a finished run, or more, got {settings.matches}")
    answered = manifest.matches < rounded(last.asked, manifest.seats)
    if now == was and (settings.matches == last.asked or answered):
        _same_beacon(manifest, settings)
        return manifest, None
    if rounded(settings.matches, settings.seats) <= manifest.matches:
        raise SettingsMismatch(
            f"expected more than the {manifest.matches} matches that were played, got -n {settings.matches}"
        )
    before = tuple([replace(epoch, schedule=epoch.schedule or manifest.schedule) for epoch in manifest.epochs])
    return _extended(replace(manifest, epochs=before, schedule=settings.schedule), settings, matches=0)


def _as_finished(manifest: Manifest, settings: Settings, *, changed: bool) -> None:
    """Refuse to extend a finished run whose rounds depended on results."""
    target = manifest.epochs[-1].asked
    if changed or settings.matches != target:
        got = "others" if changed else f"-n {settings.matches}"
        raise SettingsMismatch(
            f"expected the bots and the -n {target} of a finished --schedule {manifest.schedule}, for only "
            f"{BALANCED} can be extended; got {got}"
        )
    _same_beacon(manifest, settings)


def _same_epoch(manifest: Manifest, settings: Settings) -> None:
    """Check that an unfinished run is resumed as it was begun."""
    last = manifest.epochs[-1]
    _same_beacon(manifest, settings)
    if settings.hidden and settings.seed is not None and Secret.of(settings.seed).commitment != last.commitment:
        raise SettingsMismatch("expected the --secret-file that it began with, got another")
    if not manifest.drawn_whole:
        if settings.matches != last.asked:
            raise SettingsMismatch(f"expected {last.asked} matches, got {settings.matches}")
        return
    equal = settings.matches in (last.asked, manifest.matches)
    if not equal and not (not last.owed and _lacked(manifest, settings) == last.matches):
        more = " (finish it, then ask for more)" if settings.matches > manifest.matches else ""
        raise SettingsMismatch(
            f"expected {last.asked if last.owed else manifest.matches} matches, got {settings.matches}{more}"
        )


def _same_beacon(manifest: Manifest, settings: Settings) -> None:
    last = manifest.epochs[-1]
    if settings.beacon != last.beacon:
        raise SettingsMismatch(f"expected {_as_option(last.beacon)}, got {_as_option(settings.beacon)}")


def _as_option(beacon: str | None) -> str:
    return "no --beacon" if beacon is None else f"--beacon {beacon!r}"


def _lacked(manifest: Manifest, settings: Settings) -> int:
    """What the last epoch would hold if it were begun now."""
    return rounded(settings.matches - (manifest.matches - manifest.epochs[-1].matches), settings.seats)


def _with_more(manifest: Manifest, settings: Settings) -> tuple[Manifest, Secret | None]:
    """The same bots: as many matches more."""
    if _lacked(manifest, settings) == manifest.epochs[-1].matches:
        _same_beacon(manifest, settings)
        return manifest, None
    if settings.matches < manifest.matches:
        raise SettingsMismatch(f"expected {manifest.matches} matches, got {settings.matches}")
    lacking = rounded(settings.matches - manifest.matches, settings.seats)
    return _extended(manifest, settings, matches=lacking, together=manifest.epochs[-1].together)


def _with_others(manifest: Manifest, settings: Settings, field: Sequence[Entrant]) -> tuple[Manifest, Secret | None]:
    """Other bots than before: the matches that each of them lacks for a whole run of these bots."""
    by_name = {entrant.name: entrant for entrant in manifest.entrants}
    entrants = tuple((by_name | {entrant.name: entrant for entrant in field}).values())
    manifest = replace(manifest, entrants=entrants, field=tuple([entrant.name for entrant in field]))
    owed = owing(manifest, list_playing(field), settings)
    if not any(owed.values()):
        return manifest, None
    manifest, secret = _extended(manifest, settings, matches=0, entrants=list_playing(field), owed=owed)
    # the number of matches is known once the schedule is drawn
    *before, last = manifest.epochs
    last = replace(last, matches=sum(len(block.seating) for block in schedule(manifest, last, secret)))
    return replace(manifest, epochs=(*before, last)), secret


def _extended(
    manifest: Manifest, settings: Settings, *, matches: int, entrants: tuple[str, ...] | None = None, **more: Any
) -> tuple[Manifest, Secret]:
    """The run with a further epoch, and the secret of that; by default all play in it that are not withdrawn."""
    secret = _next_secret(manifest, settings)
    names = list_playing(manifest.entrants) if entrants is None else entrants
    epoch = epoch_of(len(manifest.epochs), settings, secret, matches=matches, entrants=names, **more)
    return replace(manifest, epochs=(*manifest.epochs, epoch), finished=False, cut=CUT), secret


def list_newcomers(manifest: Manifest) -> list[str]:
    """The entrants that play for the first time in the last epoch, copies included."""
    before = {name for epoch in manifest.epochs[:-1] for name in epoch.entrants}
    return [name for name in manifest.epochs[-1].entrants if name not in before]


def name_in_run(manifest: Manifest, entrants: Sequence[Entrant]) -> list[Entrant]:
    """Each of these entrants under its name in the run, or the name that it would get there.

    In a finished run the name of an entrant that could never start, and so has no match, is free for its next version.
    """
    seated = {name for epoch in manifest.epochs for name in epoch.entrants or list_playing(manifest.entrants)}
    free = {entrant.name for entrant in manifest.entrants if manifest.finished and entrant.name not in seated}
    return [_in_run(entrant, manifest.entrants, free) for entrant in entrants]


def without_rest(manifest: Manifest, secrets: Mapping[int, Secret], recorded: Container[str]) -> Manifest:
    """The run, finished with what is recorded: the remaining matches of its last epoch are given up."""
    drawn = [(epoch, schedule(manifest, epoch, secrets[epoch.number])) for epoch in manifest.epochs]
    last, blocks = drawn[-1]
    every = (Fixture(block, rotation).id for block in blocks for rotation in range(len(block.seating)))
    given_up = replace(last, given_up=tuple([match for match in every if match not in recorded]))
    manifest = replace(manifest, epochs=(*manifest.epochs[:-1], given_up))
    return replace(manifest, audits=audits(manifest, [block for _, blocks in drawn for block in blocks]))


def owing(manifest: Manifest, active: Sequence[str], settings: Settings) -> dict[str, dict[str, int]]:
    """For each seat count, how many blocks each of these bots lacks to its share of a whole run of them.

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
        lacking = {name: share - played.get(name, 0) // seats for name in active}
        owed[str(seats)] = {name: blocks for name, blocks in lacking.items() if blocks > 0}
    return owed


def _next_secret(manifest: Manifest, settings: Settings) -> Secret:
    if settings.hidden and settings.seed is not None:
        # an earlier epoch has revealed this secret, and so it would reveal the new deals
        secret = Secret.of(settings.seed, beacon=settings.beacon)
        if any(epoch.commitment == secret.commitment for epoch in manifest.epochs):
            raise SettingsMismatch("expected a --secret-file with a new secret for the new matches, got the old secret")
        return secret
    return secret_of(settings, len(manifest.epochs))


def _in_run(entrant: Entrant, entrants: Sequence[Entrant], free: Container[str]) -> Entrant:
    """The entrant of the run that has the same content; or, if there is none, this entrant under a name of its own."""
    same_name = [other for other in entrants if Identity.of(other.name).entered == entrant.name]
    for other in same_name:
        if other.digest == entrant.digest:
            return other
    for other in same_name:
        if other.name in free:
            return replace(entrant, name=other.name)
    version = len(same_name) + 1
    return replace(entrant, name=str(Identity.of(entrant.name)._replace(version=version))) if same_name else entrant
