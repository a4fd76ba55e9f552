"""The manifests of parts of one run: made from its plan, held against each other, and joined. Knows no folder."""

from collections.abc import Sequence

from msgspec import Struct
from msgspec.structs import replace

from arena.errors import DamagedError, UsageError
from arena.retelling import compare_fields
from arena.tournament.folder import Entrant, Epoch, Manifest
from arena.tournament.shard import WHOLE_RUN, Shard

_OWN = {"created", "seconds", "finished", "audits", "epochs", "entrants", "field", "shard", "sealed"}
"""Fields that may differ between parts of one run, or are compared more closely."""
_COMPARED = [name for name in Manifest.__struct_fields__ if name not in _OWN]


class SettingsMismatch(UsageError):
    """The folder holds a run with other settings; the text names the first difference."""


class Conflict(DamagedError):
    """Runs that are not shards of one run, or contradict each other; the text names the first difference."""


def shard_manifest(plan: Manifest, shard: Shard, beacon: str | None) -> Manifest:
    """The manifest of a shard of a planned run: the whole run for ``1/1``. A beacon goes into the last epoch.

    Raises:
        SettingsMismatch: the beacon is lacking, or was not announced.
        UsageError: by rotation there are fewer parts than seats.
    """
    shard.check(max(plan.seats))
    last = plan.epochs[-1]
    if last.beacon is None and last.awaits and beacon is None:
        raise SettingsMismatch(f"expected --beacon with what the plan awaits ({last.awaits}), got none")
    if last.beacon is None and not last.awaits and beacon is not None:
        raise SettingsMismatch("expected no --beacon, because the plan did not announce one; --dry-run --beacon does")
    if last.beacon is not None and beacon not in (None, last.beacon):
        raise SettingsMismatch(f"expected --beacon {last.beacon!r}, got {beacon!r}")
    epochs = (*plan.epochs[:-1], replace(last, beacon=last.beacon if beacon is None else beacon))
    return replace(plan, epochs=epochs, shard="" if shard == WHOLE_RUN else str(shard), seconds=0.0)


def check_same_shard(current: Manifest, planned: Manifest) -> None:
    """Check that a folder holds this shard of this plan; else raise ``SettingsMismatch``."""
    if current.shard != planned.shard:
        raise SettingsMismatch(f"expected --shard {current.shard or WHOLE_RUN}, got {planned.shard or WHOLE_RUN}")
    try:
        merge_manifests([current, planned])
    except Conflict as difference:
        raise SettingsMismatch(f"expected its own plan: {difference}") from None
    if compare_fields(current.epochs[-1], planned.epochs[-1], ("commitment", "beacon")):
        raise SettingsMismatch("expected the plan that it began with, got another")


def merge_manifests(parts: Sequence[Manifest]) -> Manifest:
    """The manifest of all these shards, in any order, not finished; ``Conflict`` if they are no parts of one run."""
    first, *others = parts
    for other in others:
        if wrong := compare_fields(first, other, _COMPARED):
            raise Conflict(str(wrong))
    longest = max(parts, key=lambda part: (len(part.epochs), len(part.entrants), part.field))
    return replace(
        longest,
        created=min(part.created for part in parts),
        seconds=max(part.seconds for part in parts),
        epochs=tuple([_epoch(parts, number) for number in range(len(longest.epochs))]),
        entrants=tuple([_entrant(parts, number) for number in range(len(longest.entrants))]),
        finished=False,
        sealed=None,
        shard="",
    )


def _epoch(parts: Sequence[Manifest], number: int) -> Epoch:
    epochs = [part.epochs[number] for part in parts if number < len(part.epochs)]
    # the seed and the beacon are from the shards that know them
    seed = min((epoch.seed for epoch in epochs if epoch.seed is not None), default=None)
    beacon = min((epoch.beacon for epoch in epochs if epoch.beacon is not None), default=None)
    reference = replace(epochs[0], seed=seed, beacon=beacon)
    for epoch in epochs:
        got = replace(
            epoch,
            seed=seed if epoch.seed is None else epoch.seed,
            beacon=beacon if epoch.beacon is None else epoch.beacon,
        )
        # the commitment first: by it runs are told apart
        _see_same(got, reference, f"epoch {number}", ("commitment", *Epoch.__struct_fields__))
    return reference


def _entrant(parts: Sequence[Manifest], number: int) -> Entrant:
    entrants = [part.entrants[number] for part in parts if number < len(part.entrants)]
    reference = replace(entrants[0], entered=min(entrant.entered for entrant in entrants))
    for entrant in entrants:
        _see_same(
            replace(entrant, entered=reference.entered),
            reference,
            f"entrant {reference.name}",
            Entrant.__struct_fields__,
        )
    return reference


def _see_same(got: Struct, reference: Struct, what: str, keys: Sequence[str]) -> None:
    if wrong := compare_fields(reference, got, keys):
        raise Conflict(f"{what}, {wrong.name}: expected {wrong.due!r}, got {wrong.got!r}")
