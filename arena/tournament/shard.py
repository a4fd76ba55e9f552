"""Shards of a planned run: the manifest of a shard, and that of the whole run from those of its shards. Pure."""

from collections.abc import Sequence

from msgspec.structs import replace

from arena.errors import DamagedError
from arena.tournament.folder import WHOLE, Entrant, Epoch, Manifest, Shard
from arena.tournament.resume import Mismatch

_NOT_COMPARED = frozenset(
    {"created", "seconds", "finished", "audits", "epochs", "entrants", "field", "shard", "sealed"}
)
"""Fields that may differ between parts of one run, or are compared more closely."""


class Conflict(DamagedError):
    """Runs that are not shards of one run; the text names the first difference."""


def shard_manifest(plan: Manifest, shard: Shard, beacon: str | None) -> Manifest:
    """The manifest of a shard of a planned run: the whole run for ``1/1``. A beacon goes into the last epoch.

    Raises:
        Mismatch: the beacon is lacking, or was not announced.
    """
    last = plan.epochs[-1]
    if last.beacon is None and last.awaits and beacon is None:
        raise Mismatch(f"expected --beacon with what the plan awaits ({last.awaits}), got none")
    if last.beacon is None and not last.awaits and beacon is not None:
        raise Mismatch("expected no --beacon, because the plan did not announce one; --dry-run --beacon does")
    if last.beacon is not None and beacon not in (None, last.beacon):
        raise Mismatch(f"expected --beacon {last.beacon!r}, got {beacon!r}")
    epochs = (*plan.epochs[:-1], replace(last, beacon=last.beacon if beacon is None else beacon))
    return replace(plan, epochs=epochs, shard="" if shard == WHOLE else str(shard), seconds=0.0)


def check_same_shard(there: Manifest, planned: Manifest) -> None:
    """Check that a folder holds this shard of this plan; else raise ``Mismatch``."""
    if there.shard != planned.shard:
        raise Mismatch(f"expected --shard {there.shard or WHOLE}, got {planned.shard or WHOLE}")
    try:
        whole([there, planned])
    except Conflict as difference:
        raise Mismatch(f"expected its own plan: {difference}") from None
    if (
        there.epochs[-1].commitment != planned.epochs[-1].commitment
        or there.epochs[-1].beacon != planned.epochs[-1].beacon
    ):
        raise Mismatch("expected the plan that it began with, got another")


def whole(parts: Sequence[Manifest]) -> Manifest:
    """The manifest of all these shards, in any order, not finished; ``Conflict`` if they are no parts of one run."""
    first, *others = parts
    for other in others:
        for key in Manifest.__struct_fields__:
            if key not in _NOT_COMPARED and getattr(first, key) != getattr(other, key):
                raise Conflict(f"{key}: expected {getattr(first, key)}, got {getattr(other, key)}")
    longest = max(parts, key=lambda part: (len(part.epochs), len(part.entrants), part.field))
    return replace(
        longest,
        created=min(part.created for part in parts),
        seconds=max(part.seconds for part in parts),
        epochs=tuple(_epoch(parts, number) for number in range(len(longest.epochs))),
        entrants=tuple(_entrant(parts, number) for number in range(len(longest.entrants))),
        finished=False,
        sealed=None,
        shard="",
    )


def _epoch(parts: Sequence[Manifest], number: int) -> Epoch:
    """One epoch with its seed and its beacon, from the shards that know them."""
    known = [part.epochs[number] for part in parts if number < len(part.epochs)]
    told = replace(
        known[0],
        seed=_first_known([epoch.seed for epoch in known]),
        beacon=_first_known([epoch.beacon for epoch in known]),
    )
    for epoch in known:
        # the commitment first: by it runs are told apart
        for key in ("commitment", *Epoch.__struct_fields__):
            got = getattr(epoch, key)
            if got != getattr(told, key) and not (key in ("seed", "beacon") and got is None):
                raise Conflict(f"epoch {number}, {key}: expected {getattr(told, key)!r}, got {got!r}")
    return told


def _first_known(texts: Sequence[str | None]) -> str | None:
    return min((text for text in texts if text is not None), default=None)


def _entrant(parts: Sequence[Manifest], number: int) -> Entrant:
    known = [part.entrants[number] for part in parts if number < len(part.entrants)]
    entered = min(entrant.entered for entrant in known)
    for entrant in known:
        if replace(entrant, entered="") != replace(known[0], entered=""):
            differing = next(
                key
                for key in Entrant.__struct_fields__
                if key != "entered" and getattr(entrant, key) != getattr(known[0], key)
            )
            raise Conflict(
                f"entrant {known[0].name}, {differing}: expected {getattr(known[0], differing)!r}, "
                f"got {getattr(entrant, differing)!r}"
            )
    return replace(known[0], entered=entered)
