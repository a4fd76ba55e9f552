"""A run that is set up by its settings and entrants alone, and played by whoever has set it up."""

from collections.abc import Sequence

from arena.game import Game
from arena.tournament.contest import set_up
from arena.tournament.decision import Refused, Request, Stored, decide
from arena.tournament.folder import Entrant, Manifest, RunFolder
from arena.tournament.plan import Settings


def set_up_run(folder: RunFolder, settings: Settings, game: Game, entrants: Sequence[Entrant]) -> Manifest:
    """Write the manifest of a new run; or check that of the run in the folder, and extend it if needed.

    Raises:
        UsageError: the folder holds a run with other settings.
        arena.tournament.folder.BrokenRun: its manifest or secrets are damaged.
    """
    stored = Stored(manifest=folder.manifest(), complete=False) if folder.begun() else None
    decision = decide(Request(game=game, settings=settings, entrants=tuple(entrants)), stored)
    if isinstance(decision, Refused):
        raise decision.why
    return set_up(decision, folder)[0]
