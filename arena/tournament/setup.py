"""Setting up a run: its manifest and secrets are written, or those in the folder are checked and extended."""

from collections import Counter
from collections.abc import Collection, Mapping, Sequence

from msgspec.structs import replace

from arena.errors import UsageError
from arena.formats.schedule import Block
from arena.formats.until import TooManyPlaces
from arena.game import Game
from arena.tournament.folder import Broken, Entrant, Manifest, RunFolder, Shard
from arena.tournament.journal import seal
from arena.tournament.plan import Settings, audits, first_manifest, playing, secret_of
from arena.tournament.remaining import Remaining
from arena.tournament.resume import Mismatch, Resumption, continued, see_cut, without_rest
from arena.tournament.rounds import see_playable
from arena.tournament.secrets import Secret
from arena.tournament.shard import check_same_shard, shard_manifest


def agreed(
    folder: RunFolder, settings: Settings, game: Game, entrants: Sequence[Entrant], retry: Collection[str] = ()
) -> Resumption:
    """The run in the folder, ready to be resumed; with a new epoch if these settings or entrants extend it.

    Raises:
        arena.tournament.resume.Mismatch: the folder holds a run with other settings.
        arena.tournament.folder.Broken: its manifest is damaged.
    """
    try:
        return continued(folder.manifest(), settings, game, entrants, retry)
    except Mismatch as difference:
        raise Mismatch(f"{folder.path} holds another run: {difference}; another -o begins a new one") from None


def set_up(
    folder: RunFolder, settings: Settings, game: Game, entrants: Sequence[Entrant], retry: Collection[str] = ()
) -> Manifest:
    """Write the manifest of a new run; or check that of the run in the folder, and extend it if needed.

    Raises:
        arena.tournament.resume.Mismatch: the folder holds a run with other settings.
        arena.tournament.folder.Broken: its manifest or secrets are damaged.
    """
    if not folder.begun():
        secret = secret_of(settings, 0)
        see_schedule(settings, playing(entrants))
        manifest = first_manifest(settings, game, entrants, secret)
    else:
        further = agreed(folder, settings, game, entrants, retry)
        manifest = further.manifest
        if further.secret is None:
            if manifest != folder.manifest():
                # no match is missing, but other bots take part
                folder.write_manifest(manifest)
            return manifest
        secret = further.secret
    folder.write_secrets({manifest.epochs[-1].number: secret.seed_text})
    if folder.begun() and not manifest.drawn_whole:
        # the next rounds follow from results, so nothing more can be drawn yet
        folder.write_manifest(manifest)
        return manifest
    return _drawn(folder, manifest, folder.secrets_of(manifest))


def set_up_shard(
    folder: RunFolder, *, plan: RunFolder, shard: Shard, beacon: str | None, seed: str | None
) -> tuple[Manifest, dict[int, Secret]]:
    """Write the manifest of a run that was planned elsewhere, or of a shard of it; or read the one in the folder.

    The secrets stay with the plan, or with the caller, who gives the text of the last epoch's as ``seed``.

    Raises:
        arena.tournament.resume.Mismatch: the folder holds another run, or the beacon is not as announced.
        arena.tournament.folder.Broken: the plan is damaged or its secret is not there.
    """
    manifest = shard_manifest(plan.manifest(), shard, beacon)
    see_cut(manifest, manifest.shard)
    last = manifest.epochs[-1].number
    texts = {**({last: seed} if seed is not None else {}), **plan.kept_secrets()}
    if last not in texts and manifest.epochs[-1].seed is None:
        raise Broken(f"{plan.path}: expected the secret of epoch {last} in secret.json or by --secret-file, got none")
    secrets = plan.secrets_of(manifest, texts)
    if folder.begun():
        there = folder.manifest()
        try:
            check_same_shard(there, manifest)
        except Mismatch as difference:
            raise Mismatch(f"{folder.path} holds another run: {difference}; another -o begins a new one") from None
        return there, secrets
    return _drawn(folder, manifest, secrets), secrets


def give_up(folder: RunFolder) -> Manifest:
    """End a run that cannot be finished: give up the matches that remain, and reveal the secrets.

    Raises:
        arena.tournament.folder.Broken: its secrets are not there.
    """
    manifest = folder.manifest()
    secrets = folder.secrets_of(manifest)
    recorded = {record.id for record in folder.outcomes()}
    manifest = without_rest(manifest, secrets, recorded).revealed(secrets)
    manifest = replace(manifest, finished=True, sealed=seal(folder.journal))
    folder.write_manifest(manifest)
    folder.forget_secrets()
    return manifest


def _drawn(folder: RunFolder, manifest: Manifest, secrets: Mapping[int, Secret]) -> Manifest:
    """The manifest, written to disk with the audit of its schedule."""
    manifest = with_audit(manifest, Remaining(manifest, secrets, {}, ()).blocks)
    folder.write_manifest(manifest)
    return manifest


def with_audit(manifest: Manifest, blocks: Sequence[Block]) -> Manifest:
    """The manifest with the audit of these blocks and, for a format that pairs by results, the number of matches."""
    if not manifest.drawn_whole:
        counts = Counter(block.epoch for block in blocks for _ in block.seating)
        epochs = [replace(epoch, matches=counts[epoch.number]) for epoch in manifest.epochs]
        manifest = replace(manifest, epochs=tuple(epochs))
    return replace(manifest, audits=audits(manifest, blocks))


def see_schedule(settings: Settings, names: Sequence[str]) -> None:
    """Check that entrants of these names can play the schedule.

    Raises:
        UsageError: it cannot.
    """
    if not settings.drawn_whole:
        try:
            see_playable(settings.schedule, names, seats=settings.seats[0], matches=settings.matches)
        except TooManyPlaces as error:
            raise UsageError(str(error), option="until") from None
        except (LookupError, ValueError) as error:
            raise UsageError(str(error), option="schedule") from None
