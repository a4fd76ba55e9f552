"""The end of a run that cannot be finished."""

from msgspec.structs import replace

from arena.tournament.decision import without_rest
from arena.tournament.folder import Manifest, RunFolder
from arena.tournament.journal import seal


def give_up_run(folder: RunFolder) -> Manifest:
    """End a run that cannot be finished: give up the matches that remain, and reveal the secrets.

    Raises:
        arena.tournament.folder.BrokenRun: its secrets are not there.
    """
    manifest = folder.manifest()
    secrets = folder.secrets_of(manifest)
    recorded = {record.id for record in folder.outcomes()}
    manifest = without_rest(manifest, secrets, recorded).revealed(secrets)
    manifest = replace(manifest, finished=True, sealed=seal(folder.journal))
    folder.write_manifest(manifest)
    folder.forget_secrets()
    return manifest
