"""The schedule of a run: rounds that follow from results, or one round that is drawn before the first match.

Both have the same methods, so that who plays, checks or joins matches asks neither which it is. Pure; starts nothing.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import chain
from typing import TypeAlias

from arena.formats.schedule import Block, line_up
from arena.record import MatchResult, match_key
from arena.tournament.folder import Manifest
from arena.tournament.plan import cut
from arena.tournament.rounds import Rounds
from arena.tournament.secrets import Secret


class OneRound:
    """A schedule of one round, with all blocks of all epochs; it is drawn when its blocks are needed first."""

    def __init__(self, manifest: Manifest, secrets: Mapping[int, Secret]) -> None:
        self._manifest = manifest
        self._secrets = secrets
        self._recorded: Iterator[MatchResult] = iter(())

    @cached_property
    def chunks(self) -> Sequence[Sequence[tuple[Block, ...]]]:
        """The chunks of each epoch: of a long schedule it takes seconds to draw them.

        Raises:
            arena.tournament.folder.BrokenRun: they cannot have been drawn.
        """
        return [cut(self._manifest, epoch, self._secrets[epoch.number]) for epoch in self._manifest.epochs]

    @property
    def blocks(self) -> list[Block]:
        """All blocks, by epoch and number."""
        return [block for epoch in self.chunks for block in sorted(chain.from_iterable(epoch), key=lambda b: b.number)]

    def recall(self, outcomes: Iterable[MatchResult]) -> None:
        """Take over how recorded matches ended; they are read if they are asked for."""
        self._recorded = iter(outcomes)

    def take(self, outcome: MatchResult) -> None:
        """Note how a match ended: nothing follows from it."""

    def advance(self) -> list[Block]:
        """There is no round after this one."""
        return []

    def find_foreign(self) -> list[str]:
        """The id of the first match that ``recall`` took over, if it is not of this schedule or has other bots; once.

        Another run's journal may have taken the place of its own. That of a finished run is not looked at: its
        checksum in the manifest was compared when it was opened.
        """
        recorded, self._recorded = self._recorded, iter(())
        first = None if self._manifest.finished else next(recorded, None)
        return [] if first is None or self._has(first) else [first.id]

    def _has(self, outcome: MatchResult) -> bool:
        epoch, number, rotation = match_key(outcome.id)
        pieces = self.chunks[epoch] if epoch < len(self.chunks) else []
        block = next((block for block in chain.from_iterable(pieces) if block.number == number), None)
        if outcome.game != self._manifest.game or block is None:
            return False
        return rotation < len(block.seating) and line_up(block, rotation) == outcome.bots

    def count(self, manifest: Manifest) -> Manifest:
        """The manifest, which has counted all matches from the beginning."""
        return manifest


Schedule: TypeAlias = OneRound | Rounds


def schedule_of(manifest: Manifest, secrets: Mapping[int, Secret]) -> Schedule:
    """The schedule of a run.

    Raises:
        arena.tournament.folder.BrokenRun: its format is not installed, or cannot be played with these entrants.
    """
    return OneRound(manifest, secrets) if manifest.drawn_whole else Rounds(manifest, secrets)
