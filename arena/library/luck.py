"""The luck in recorded matches, derived from deal and picks as ``arena verify`` derives ranks. Prints nothing.

It is not stored: everybody who can read the run can derive the same figures.
"""

from collections.abc import Iterator

from arena import games
from arena.errors import HostError
from arena.ratings.luck import of_match
from arena.record import Record, retell
from arena.tournament.folder import RunFolder, deal


class Lucks:
    """The luck that one bot of a run had more than another, match by match."""

    def __init__(self, folder: RunFolder, *, new: str, old: str, known: dict[str, float]) -> None:
        """``known`` keeps what is found, by match id, for others who ask the same."""
        manifest = folder.manifest()
        self._secrets = folder.secrets_of(manifest)
        self._pair = new, old
        self._known = known
        game = games.find(manifest.game)
        self.told = game.luck is not None and game.version == manifest.game_version
        """Whether this game, as it is here, tells the luck of these matches."""

    def of(self, record: Record) -> float:
        """The luck of a match, see ``arena.ratings.luck.of_match``; 0 where it is not told, or one of the two not in.

        Raises:
            Differs, Broken: the record does not fit its deal.
            HostError: the game does not tell luck as the contract says.
        """
        if not self.told or record.reason == "void" or not set(self._pair) <= set(record.bots):
            return 0.0
        if record.id not in self._known:
            try:
                self._known[record.id] = of_match(self._events(record))
            except ValueError as error:
                raise HostError(f"match {record.id}: game {record.game}: {error}") from error
        return self._known[record.id]

    def _events(self, record: Record) -> Iterator[tuple[float, float]]:
        game, state = deal(self._secrets, record)
        one, other = map(record.bots.index, self._pair)
        before = state.copy()
        for step in retell(record, state):
            assert game.luck is not None  # noqa: S101 - as ``told`` says
            for luck in game.luck(before, step.chosen, step.events):
                if len(luck.gains) != len(record.bots):
                    raise ValueError(f"expected the luck of {len(record.bots)} seats, got {len(luck.gains)}")
                yield luck.gains[one] - luck.gains[other], luck.span
            before = state.copy()
