"""What to do with a run: begin it, resume it, extend it, play a part of it, or nothing, by what is asked and stored.

Pure: reads no file, writes none and starts nothing. *Extending* a finished run means a further epoch, with a secret of
its own:

- the same bots and more matches: as many whole blocks more;
- other bots: a bot is its files and its command, so a changed bot enters again, as ``name@2``, and the old one stays in
  the history. Each bot of now gets the blocks that it lacks to its share of a whole run of these bots. No bot loses a
  block, and no match is played again.
"""

from collections.abc import Collection, Container, Mapping, Sequence
from typing import Any, TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from arena.errors import UsageError
from arena.formats.registry import goes_on, without_alpha
from arena.game import Game
from arena.identity import Identity
from arena.limits import KEYS, setting
from arena.tournament.folder import Entrant, Manifest, Rules
from arena.tournament.parts import SettingsMismatch, check_same_shard
from arena.tournament.plan import (
    Settings,
    epoch_of,
    first_manifest,
    list_playing,
    rounded,
    secret_of,
)
from arena.tournament.rounds import check_playable
from arena.tournament.secrets import Secret
from arena.tournament.settings import collect_settings as known_settings
from arena.tournament.shard import WHOLE_RUN
from arena.words import plural


class Plan(Struct, frozen=True, kw_only=True):
    """A run that was planned elsewhere, with its beacon and the shard of it that is asked for."""

    manifest: Manifest
    secrets: Mapping[int, Secret]


class Request(Struct, frozen=True, kw_only=True):
    """What is asked for."""

    game: Game
    """As it is installed here."""
    settings: Settings
    entrants: tuple[Entrant, ...]
    """Who is to take part, under the names of the bots, copies included."""
    retry: tuple[str, ...] = ()
    """Names of bots that may take part again although they were withdrawn."""
    plan: Plan | None = None


class Stored(Struct, frozen=True, kw_only=True):
    """The run that lies in the folder."""

    manifest: Manifest
    complete: bool
    """Whether its journal is known to have all that the run had when it was finished."""


class Begin(Struct, frozen=True, kw_only=True):
    """Begin a new run."""

    manifest: Manifest
    """Its audits are filled in when its schedule is drawn."""
    secret: Secret


class Extend(Struct, frozen=True, kw_only=True):
    """Add an epoch to a finished run and play that."""

    manifest: Manifest
    """With the new epoch as its last one."""
    secret: Secret
    """Of the new epoch."""


class Resume(Struct, frozen=True, kw_only=True):
    """Play what the run lacks, by the bots that have begun it."""

    manifest: Manifest


class PlayPart(Struct, frozen=True, kw_only=True):
    """Play what a shard of a run that was planned elsewhere lacks."""

    manifest: Manifest
    secrets: Mapping[int, Secret]
    """They stay where the run was planned."""
    stored: bool
    """Whether the folder holds this shard already."""


class Finished(Struct, frozen=True, kw_only=True):
    """Play nothing: no match is lacking."""

    manifest: Manifest
    """It differs from the stored one where other bots take part now that need no match."""


class Refused(Struct, frozen=True, kw_only=True):
    """What is asked for does not go with what is stored."""

    why: UsageError


Decision: TypeAlias = Begin | Extend | Resume | PlayPart | Finished


def decide(request: Request, stored: Stored | None) -> Decision | Refused:
    """What to do, if the folder holds this run, or none."""
    try:
        return _decide(request, stored)
    except UsageError as error:
        return Refused(why=error)


def _decide(request: Request, stored: Stored | None) -> Decision:
    settings = request.settings
    if (plan := request.plan) is not None:
        if stored is not None:
            check_same_shard(stored.manifest, plan.manifest)
        manifest = plan.manifest if stored is None else stored.manifest
        return PlayPart(manifest=manifest, secrets=plan.secrets, stored=stored is not None)
    if stored is None:
        settings = fit_to_field(settings, len(list_playing(request.entrants)))
        check_playable(settings, request.game, list_playing(request.entrants))
        secret = secret_of(settings, 0)
        return Begin(manifest=first_manifest(settings, request.game, request.entrants, secret), secret=secret)
    manifest = stored.manifest
    check_same_settings(manifest, settings, request.game)
    field = [
        # a bot that has played before may now fail to start
        replace(member, withdrawn=entrant.withdrawn or ("" if entrant.name in request.retry else member.withdrawn))
        for entrant, member in zip(request.entrants, name_in_run(manifest, request.entrants), strict=True)
    ]
    settings = fit_to_field(settings, len(list_playing(field)))
    if not manifest.finished:
        _check_bots(field, manifest.present)
        _check_epoch(manifest, settings)
        return Resume(manifest=manifest)
    was = {entrant.name: entrant for entrant in manifest.entrants}
    others = {entrant.name for entrant in field} != set(manifest.present)
    changed = others or any(was[member.name] != member for member in field if member.name in was)
    decision = _go_on(manifest, settings, field, changed=changed)
    if isinstance(decision, Extend):
        return decision
    return Finished(manifest=decision) if stored.complete else Resume(manifest=decision)


def _go_on(manifest: Manifest, settings: Settings, field: Sequence[Entrant], *, changed: bool) -> Extend | Manifest:
    """How a finished run is extended, or its manifest where no match is added."""
    if not manifest.drawn_whole:
        from arena.tournament.other_rounds import add_rounds  # noqa: PLC0415 - few runs with rounds go on

        return add_rounds(manifest, settings, changed=changed)
    if changed or manifest.field or settings.per_bot is not None:
        from arena.tournament.other_bots import add_bots  # noqa: PLC0415 - few runs go on with other bots

        return add_bots(manifest, settings, field)
    return _add_matches(manifest, settings)


def fit_to_field(settings: Settings, bots: int) -> Settings:
    """The settings with as many ``matches`` as it takes for so many bots to have ``per_bot`` each, in whole blocks."""
    if settings.per_bot is None:
        return settings
    blocks = -(-settings.per_bot // sum(settings.seats))
    return replace(settings, matches=blocks * bots * len(settings.seats))


def count_lacking(decision: Decision) -> int:
    """The matches of a new run, or those by which a run is extended; 0 if none is added."""
    return decision.manifest.epochs[-1].matches if isinstance(decision, Begin | Extend) else 0


def check_same_bots(manifest: Manifest, entrants: Sequence[Entrant]) -> None:
    """Check that these bots are those that play in the last epoch, which has begun.

    Raises:
        SettingsMismatch: they are not.
    """
    _check_bots(name_in_run(manifest, entrants), manifest.epochs[-1].entrants)


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
    if name == "network":
        return ", ".join(value) or "none"
    if isinstance(value, tuple):
        return str(value[0]) if len(value) == 1 else f"{value[0]}-{value[-1]}"
    return str(value) or (str(WHOLE_RUN) if name == "shard" else "none")


def _schedules(manifest: Manifest, settings: Settings) -> tuple[str, str]:
    """The schedule of the run, and that of now; of a finished run with a question, without how sure it was to be."""
    if manifest.finished and goes_on(manifest.schedule):
        return without_alpha(manifest.schedule)[0], without_alpha(settings.schedule)[0]
    return manifest.schedule, settings.schedule


def _check_bots(field: Sequence[Entrant], names: Collection[str]) -> None:
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


def _check_epoch(manifest: Manifest, settings: Settings) -> None:
    """Check that an unfinished run is resumed as it was begun."""
    last = manifest.epochs[-1]
    check_beacon(manifest, settings)
    if settings.hidden and settings.seed is not None and Secret.of(settings.seed).commitment != last.commitment:
        raise SettingsMismatch("expected the --secret-file that it began with, got another")
    if not manifest.drawn_whole:
        if settings.matches != last.asked:
            raise SettingsMismatch(f"expected {plural(last.asked, 'match')}, got {settings.matches}")
        return
    equal = settings.matches in (last.asked, manifest.matches)
    if not equal and not (not last.owed and _lacked(manifest, settings) == last.matches):
        more = " (finish it, then ask for more)" if settings.matches > manifest.matches else ""
        raise SettingsMismatch(
            f"expected {plural(last.asked if last.owed else manifest.matches, 'match')}, got {settings.matches}{more}"
        )


def check_beacon(manifest: Manifest, settings: Settings) -> None:
    """Check that the beacon is that of the last epoch, or raise ``SettingsMismatch``."""
    last = manifest.epochs[-1]
    if settings.beacon != last.beacon:
        raise SettingsMismatch(f"expected {_as_option(last.beacon)}, got {_as_option(settings.beacon)}")


def _as_option(beacon: str | None) -> str:
    return "no --beacon" if beacon is None else f"--beacon {beacon!r}"


def _lacked(manifest: Manifest, settings: Settings) -> int:
    """What the last epoch would hold if it were begun now."""
    return rounded(settings.matches - (manifest.matches - manifest.epochs[-1].matches), settings.seats)


def _add_matches(manifest: Manifest, settings: Settings) -> Extend | Manifest:
    """The same bots: as many matches more."""
    if _lacked(manifest, settings) == manifest.epochs[-1].matches:
        check_beacon(manifest, settings)
        return manifest
    if settings.matches < manifest.matches:
        raise SettingsMismatch(f"expected {plural(manifest.matches, 'match')}, got {settings.matches}")
    lacking = rounded(settings.matches - manifest.matches, settings.seats)
    return extend(manifest, settings, matches=lacking, together=manifest.epochs[-1].together)


def extend(
    manifest: Manifest, settings: Settings, *, matches: int, entrants: tuple[str, ...] | None = None, **more: Any
) -> Extend:
    """A further epoch; by default all play in it that are not withdrawn."""
    secret = _next_secret(manifest, settings)
    names = list_playing(manifest.entrants) if entrants is None else entrants
    epoch = epoch_of(len(manifest.epochs), settings, secret, matches=matches, entrants=names, **more)
    extended = replace(manifest, epochs=(*manifest.epochs, epoch), finished=False)
    return Extend(manifest=extended, secret=secret)


def list_newcomers(manifest: Manifest) -> list[str]:
    """The entrants that play for the first time in the last epoch, copies included."""
    before = {name for epoch in manifest.epochs[:-1] for name in epoch.entrants}
    return [name for name in manifest.epochs[-1].entrants if name not in before]


def name_in_run(manifest: Manifest, entrants: Sequence[Entrant]) -> list[Entrant]:
    """Each of these entrants under its name in the run, or the name that it would get there.

    In a finished run the name of an entrant that could never start, and so has no match, is free for its next version.
    """
    seated = {name for epoch in manifest.epochs for name in epoch.entrants}
    free = {entrant.name for entrant in manifest.entrants if manifest.finished and entrant.name not in seated}
    return [_in_run(entrant, manifest.entrants, free) for entrant in entrants]


def map_names(decision: Decision, entrants: Sequence[Entrant]) -> dict[str, str]:
    """The name in the run of each of these entrants, by its name now: ``mine`` may have become ``mine@2``."""
    namesakes = name_in_run(decision.manifest, entrants)
    return {entrant.name: namesake.name for entrant, namesake in zip(entrants, namesakes, strict=True)}


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
