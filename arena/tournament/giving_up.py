"""The end of a run that cannot be finished."""

from collections.abc import Container, Mapping

from msgspec.structs import replace

from arena.formats.schedule import Fixture
from arena.tournament.folder import Manifest, RunFolder
from arena.tournament.journal import seal
from arena.tournament.plan import audits, schedule
from arena.tournament.secrets import Secret


def give_up_run(folder: RunFolder) -> Manifest:
    """End a run that cannot be finished: give up the matches that remain, and reveal the secrets.

    Raises:
        arena.tournament.folder.BrokenRun: its secrets are not there.
    """
    manifest = folder.manifest()
    secrets = folder.secrets_of(manifest)
    recorded = {record.id for record in folder.outcomes()}
    manifest = _without_rest(manifest, secrets, recorded).revealed(secrets)
    manifest = replace(manifest, finished=True, sealed=seal(folder.journal))
    folder.write_manifest(manifest)
    folder.forget_secrets()
    return manifest


def _without_rest(manifest: Manifest, secrets: Mapping[int, Secret], recorded: Container[str]) -> Manifest:
    """The run, finished with what is recorded: the remaining matches of its last epoch are given up."""
    drawn = [(epoch, schedule(manifest, epoch, secrets[epoch.number])) for epoch in manifest.epochs]
    last, blocks = drawn[-1]
    every = (Fixture(block, rotation).id for block in blocks for rotation in range(len(block.seating)))
    given_up = replace(last, given_up=tuple([match for match in every if match not in recorded]))
    manifest = replace(manifest, epochs=(*manifest.epochs[:-1], given_up))
    return replace(manifest, audits=audits(manifest, [block for _, blocks in drawn for block in blocks]))
