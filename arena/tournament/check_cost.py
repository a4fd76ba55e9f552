"""How much a check of a run may cost. Starts nothing."""

from collections.abc import Iterable

from arena.tournament.folder import Manifest, RunFolder

_AT_ONCE = 200_000
"""Matches that a schedule which is checked may have, whatever is recorded: a second or two to draw ..."""
_FOR_EACH = 100
"""... and how many more for each that is recorded: playing that again takes longer than drawing these."""


def too_long_to_check(manifest: Manifest, folders: Iterable[RunFolder]) -> str | None:
    """Why the schedule of a run is not drawn for what these folders hold of it, as *expected ... got ...*; None: it is.

    A stranger's manifest may name any number of matches. What its check costs is to follow from what is recorded.

    Raises:
        arena.tournament.journal.Corrupt: a journal is damaged.
    """
    owed = [max((sum(blocks.values()) for blocks in epoch.owed.values()), default=0) for epoch in manifest.epochs]
    epochs = zip(manifest.epochs, owed, strict=True)
    matches = sum(max(epoch.matches, epoch.asked, blocks) for epoch, blocks in epochs)
    if matches <= _AT_ONCE:
        return None
    recorded = sum(1 for folder in folders for _ in folder.outcomes())
    most = _AT_ONCE + _FOR_EACH * recorded
    return f"expected at most {most} matches with {recorded} recorded, got {matches}" if matches > most else None
