"""The rounds of a run whose format pairs by results: the blocks of each round, once the matches before it are over.

They follow from entrants, secret and outcomes alone, in whatever order the outcomes come, so rounds are not stored.
Pure; starts nothing and reads no file. Knows no format in particular.
"""

from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence

from msgspec import Struct
from msgspec.structs import replace

from arena.errors import UsageError, raised
from arena.formats import Played, Progress, Result, Round, Terms
from arena.formats.registry import read_schedule
from arena.formats.schedule import Block, chunks, line_up
from arena.formats.until import Unanswerable
from arena.game import Game
from arena.ratings.outcomes import block_number
from arena.record import MatchResult, match_key
from arena.results.measure import measure_of_game
from arena.tournament.folder import BrokenRun, Manifest, RunFolder
from arena.tournament.plan import Settings, count_blocks, with_audit
from arena.tournament.secrets import Secret


class Finished(Struct, frozen=True, kw_only=True):
    """A round whose matches are all over, or the present one as far as it is played."""

    round: Round
    played: tuple[Played, ...]
    remainder: int = 0
    """Matches that are not over; their ranks are None."""


def check_playable(settings: Settings, game: Game, names: Iterable[str]) -> None:
    """Check that entrants of these names can play the game by the schedule.

    Raises:
        UsageError: they cannot.
    """
    if settings.drawn_whole:
        return
    try:
        terms = _terms(tuple(names), seats=settings.seats[0], matches=settings.matches, key=bytes(32))
        span = measure_of_game(game, settings.seats, settings.variants).duels
        Progress(read_schedule(settings.schedule), replace(terms, span=span))
    except (LookupError, ValueError) as error:
        raise UsageError(str(error), option="until" if isinstance(error, Unanswerable) else "schedule") from None


def _terms(
    names: tuple[str, ...],
    *,
    seats: int,
    matches: int,
    key: bytes,
    before: tuple[Played, ...] = (),
) -> Terms:
    blocks = count_blocks(matches, (seats,))[seats] - len(before)
    return Terms(entrants=names, seats=seats, blocks=blocks, key=key, before=before)


class Rounds:
    """The rounds of a run, up to the first that is not over.

    A run whose question was asked again, more strictly or with more matches, has several epochs. In each of them the
    format begins again, with a secret of its own, and is told what was played before.
    """

    def __init__(self, manifest: Manifest, secrets: Mapping[int, Secret]) -> None:
        """Derive the first round.

        Raises:
            BrokenRun: the format is not installed, or cannot be played with these entrants.
        """
        self._manifest = manifest
        self._secrets = secrets
        self._outcomes: dict[tuple[int, int, int], MatchResult] = {}
        self.finished: list[Finished] = []
        """The rounds that are over."""
        self.blocks: list[Block] = []
        """All rounds so far, the present one included."""
        self._later = deque(manifest.epochs)
        self._begin()

    def _begin(self) -> None:
        """Begin the next epoch, and the one after it if there is nothing to play in it."""
        self._epoch = self._later.popleft()
        self._earlier = len(self.blocks)
        number, seats = self._epoch.number, self._manifest.seats[0]
        before = tuple([played for finished in self.finished for played in finished.played])
        try:
            key = self._secrets[number].schedule(number)
            terms = _terms(self._epoch.entrants, seats=seats, matches=self._epoch.asked, key=key, before=before)
            schedule = read_schedule(self._epoch.schedule or self._manifest.schedule)
            self._progress = Progress(schedule, replace(terms, span=self._manifest.span))
        except Exception as error:
            raise self._broken(error) from error
        self._add()

    @property
    def round(self) -> Round | None:
        """The round to be played; None if all is over."""
        return self._progress.round

    @property
    def result(self) -> Result | None:
        """The result, if there is one."""
        return self._progress.result

    def recall(self, outcomes: Iterable[MatchResult]) -> None:
        """Take over how recorded matches ended."""
        for outcome in outcomes:
            self.take(outcome)

    def take(self, outcome: MatchResult) -> None:
        """Note how a match ended; if it is given twice, the later one counts."""
        self._outcomes[match_key(outcome.id)] = outcome

    def advance(self) -> list[Block]:
        """Move to the next round if the present one is over; returns the blocks of that if there is a next one.

        Raises:
            BrokenRun: the format fails.
        """
        over, blocks = self.round, self.now
        if over is None or (played := self._played()) is None:
            return []
        try:
            self._progress.finish(played)
        except Exception as error:
            raise self._broken(error) from error
        self.finished.append(Finished(round=over, played=played))
        self._add()
        return [] if self.round is None else blocks

    def count(self, manifest: Manifest) -> Manifest:
        """The manifest, with the number of matches in the rounds so far, and their audit."""
        return with_audit(manifest, self.blocks)

    def find_foreign(self) -> list[str]:
        """Ids of given matches that belong to no round so far, or have other bots."""
        due = {
            (block.epoch, block.number, rotation): line_up(block, rotation)
            for block in self.now
            for rotation in range(len(block.seating))
        }
        return [result.id for key, result in sorted(self._outcomes.items()) if due.get(key) != result.bots]

    def _played(self) -> tuple[Played, ...] | None:
        """The outcomes of the present round, which are then dropped; None if it is not over."""
        present = self.present()
        if present.remainder:
            return None
        for block in self.now:
            for turn in range(len(block.seating)):
                del self._outcomes[block.epoch, block.number, turn]
        return present.played

    def present(self) -> Finished:
        """The present round as far as it is played.

        A match of other bots than the round asks for, or of other ranks than there are seats, is not of the round.

        Raises:
            BrokenRun: scores of a match differ by more than the game's bounds do.
        """
        span = self._manifest.span
        assert self.round is not None  # noqa: S101 - asked of a round that there is
        played, remainder = [], 0
        for number, block in enumerate(self.now):
            ranks: list[tuple[int, ...] | None] = []
            scores: list[tuple[float, ...]] = []
            for turn in range(len(block.seating)):
                over = self._outcomes.get((block.epoch, block.number, turn))
                if over is None or over.bots != line_up(block, turn) or len(over.ranks) != len(over.bots):
                    over, remainder = None, remainder + 1
                elif over.reason == "void":
                    over = None
                ranks.append(over.ranks if over else None)
                if span is not None:
                    scores.append(_parts(over, span) if over else ())
            played.append(
                Played(
                    number=number,
                    line_up=block.seating,
                    ranks=tuple(ranks),
                    scores=tuple(scores),
                    block=block_number(epoch=block.epoch, block=block.number),
                )
            )
        return Finished(round=self.round, played=tuple(played), remainder=remainder)

    @property
    def chunks(self) -> Sequence[Sequence[tuple[Block, ...]]]:
        """The chunks of the present round, which is of one epoch."""
        return [list(chunks(self.now))]

    @property
    def now(self) -> list[Block]:
        """The blocks of the present round."""
        return self.blocks[self._earlier + self._progress.first_block :]

    def _add(self) -> None:
        if self.round is None:
            if self._later:
                self._begin()
        else:
            first = self._progress.first_block
            self.blocks += [
                Block(epoch=self._epoch.number, number=first + number, seating=seating)
                for number, seating in enumerate(self.round.line_ups)
            ]

    def _broken(self, error: Exception) -> BrokenRun:
        """The error of a format, which may come from any package, as damage of the run."""
        readable = isinstance(error, ValueError) or type(error) is LookupError
        reason = " ".join(str(error).split()) if readable else raised(error)
        return BrokenRun(f"run.json: epoch {self._epoch.number}: {reason}")


def _parts(over: MatchResult, span: float) -> tuple[float, ...]:
    """The scores of a match, as parts of the most by which two may differ, if that is known."""
    if span and max(over.scores) - min(over.scores) > span:
        got = f"{min(over.scores)} to {max(over.scores)}"
        raise BrokenRun(f"match {over.id}: expected scores that differ by at most {span}, as its game says, got {got}")
    return tuple([score / (span or 1) for score in over.scores])


def settled_outcomes(folder: RunFolder, manifest: Manifest) -> Iterator[MatchResult]:
    """The recorded outcomes, without those of void matches that the next session plays again."""
    again = folder.unsettled(manifest)
    yield from (outcome for outcome in folder.outcomes() if outcome.id not in again)


def count_with_later_rounds(manifest: Manifest) -> tuple[int, bool]:
    """How many matches the rounds of a run have, those to come too, and whether that is known: else at most so many."""
    epoch, seats = manifest.epochs[-1], manifest.seats[0]
    before = manifest.matches - epoch.matches
    terms = _terms(epoch.entrants, seats=seats, matches=epoch.asked, key=bytes(32))
    blocks = terms.blocks - before // seats
    try:
        size = getattr(read_schedule(epoch.schedule or manifest.schedule), "size", None)
        length = None if size is None else size(replace(terms, blocks=blocks))
    except (LookupError, ValueError):
        return manifest.matches, False
    total = before + (blocks if length is None else length) * seats
    return (max(total, manifest.matches), False) if length is None else (total, True)
