"""Looks at a comparison while it is played: at whole blocks in canonical order, never at whatever has finished.

Long matches end late, so a count of finished matches favours short ones. Prints nothing and plays nothing.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable
from statistics import fmean

from arena.formats.schedule import Fixture
from arena.library.luck import Lucks
from arena.ratings import outcomes_of
from arena.ratings.evidence import finished, scores_of
from arena.ratings.outcomes import block_number
from arena.record import Record
from arena.report.comparison import evidence_for, faults_of
from arena.report.question import Question
from arena.report.tally import block_of
from arena.tournament.folder import RunFolder
from arena.tournament.remaining import Remaining


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
            block = block_of(record)
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
