"""Looks at a comparison while it is played: at whole blocks in canonical order, never at whatever has finished.

Long matches end late, so a count of finished matches favours short ones. Prints nothing and plays nothing.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from statistics import fmean

from arena import games
from arena.errors import HostError
from arena.formats.schedule import Fixture
from arena.ratings import outcomes_of
from arena.ratings.evidence import finished, scores_of
from arena.ratings.luck import of_match
from arena.ratings.outcomes import block_number
from arena.record import Record, retell
from arena.report.comparison import evidence_for, faults_of
from arena.report.question import Question
from arena.results.columns import block_of
from arena.tournament.folder import RunFolder, deal
from arena.tournament.remaining import Remaining


class Lucks:
    """The luck that one bot of a run had more than another, match by match."""

    def __init__(self, folder: RunFolder, *, new: str, old: str, known: dict[str, float]) -> None:
        """``known`` keeps what is found, by match id, for others who ask the same."""
        manifest = folder.manifest()
        self._secrets = folder.secrets_of(manifest)
        self._pair = new, old
        self.known = known
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
        if record.id not in self.known:
            try:
                self.known[record.id] = of_match(self._events(record))
            except ValueError as error:
                raise HostError(f"match {record.id}: game {record.game}: {error}") from error
        return self.known[record.id]

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


class InterimAnalysis:
    """The evidence of all blocks before the first unfinished one, as matches come in."""

    def __init__(self, folder: RunFolder, *, new: str, old: str, question: Question, lucks: Lucks) -> None:
        """Begin with the recorded matches of the run."""
        self._new = new
        self._old = old
        self._evidence = evidence_for(question)
        manifest = folder.manifest()
        self._planned: list[tuple[int, int]] = []
        for block in Remaining(manifest, folder.secrets_of(manifest), {}, ()).blocks:
            played = [Fixture(block, rotation).id for rotation in range(len(block.seating))]
            left = sum(match not in manifest.given_up for match in played)
            if left:
                self._planned.append((block_number(epoch=block.epoch, block=block.number), left))
        self._seen: set[str] = set()
        self._recorded: Counter[int] = Counter()
        self._waiting: defaultdict[int, list[tuple[int, tuple[str, ...], tuple[int, ...]]]] = defaultdict(list)
        self._lucks = lucks
        self._luck: defaultdict[int, list[float]] = defaultdict(list)
        self._faults: Counter[int] = Counter()
        self._next = 0
        self._take(folder.records())

    @property
    def found(self) -> bool:
        """Whether the question is answered."""
        return self._evidence.answered

    def add(self, record: Record) -> None:
        """Take in a match, unless it was recorded before; look, if a block is finished by it."""
        self._take([record])

    def _take(self, records: Iterable[Record]) -> None:
        for record in records:
            if record.id in self._seen:
                continue
            self._seen.add(record.id)
            block = block_of(record.id)
            self._recorded[block] += 1
            if record.reason != "void":
                self._waiting[block].append((block, record.bots, record.ranks))
                self._luck[block].append(self._lucks.of(record))
                self._faults[block] += faults_of(record, self._new, other=self._old)
        ahead = (self._planned[at] for at in range(self._next, len(self._planned)))
        for block in finished(ahead, self._recorded):
            self._next += 1
            luck = fmean(self._luck.pop(block, [0.0]))
            outcomes = outcomes_of(self._waiting.pop(block, []))
            for score in scores_of(outcomes, self._new, other=self._old).values():
                self._evidence.add(score, luck=luck, faults=self._faults.pop(block, 0))
