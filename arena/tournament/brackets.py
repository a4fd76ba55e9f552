"""The bracket of a run that pairs by results: its stages, who sat together in them, and its places."""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from contextlib import suppress
from itertools import groupby

from msgspec import UNSET, UnsetType
from msgspec.structs import replace

from arena.errors import DamagedError
from arena.formats import Played, Round, points
from arena.formats.registry import format_of, question_of
from arena.record import MatchResult
from arena.report.bracket import Bracket, BracketPlace, BracketStage, SatTogether, Seated
from arena.tournament.folder import BrokenRun, Manifest, RunFolder
from arena.tournament.rounds import Finished, Rounds, settled_outcomes
from arena.tournament.secrets import Secret

_DIGITS = 4


def derive_rounds(manifest: Manifest, secrets: Mapping[int, Secret], outcomes: Iterable[MatchResult]) -> Rounds:
    """The rounds of a run, derived from its recorded outcomes."""
    rounds = Rounds(manifest, secrets)
    rounds.recall(outcomes)
    while rounds.advance():
        pass
    return rounds


def bracket_of(folder: RunFolder, manifest: Manifest, void: Collection[str] = ()) -> Bracket | UnsetType:
    """The bracket, or ``UNSET`` if the run is not finished and its secret is not here.

    ``void`` are the ids of matches that a ruling has annulled. If rounds would have been paired otherwise without
    them, the bracket has no places.

    Raises:
        BrokenRun, arena.tournament.journal.Corrupt: the folder is damaged.
    """
    try:
        secrets = folder.secrets_of(manifest)
    except BrokenRun:
        if manifest.finished:
            raise
        return UNSET
    outcomes = settled_outcomes(folder, manifest)
    matches = (replace(outcome, reason="void") if outcome.id in void else outcome for outcome in outcomes)
    rounds = derive_rounds(manifest, secrets, matches)
    result = None if void and manifest.finished and rounds.find_foreign() else rounds.result
    onward = {(entry.stage, entry.bot): entry.why for entry in result.onward} if result else {}
    begun = rounds.finished if rounds.round is None else [*rounds.finished, rounds.present()]
    return Bracket(
        schedule=manifest.schedule,
        places=()
        if result is None
        else tuple([BracketPlace(place=place.place, bot=place.bot) for place in result.places]),
        stages=tuple(
            [
                _describe_stage(title, list(finished), onward)
                for title, finished in groupby(begun, lambda entry: _stage_of(entry.round))
            ]
        ),
        format=format_of(manifest.schedule),
        question=question_of(manifest.schedule),
        certain=result is not None and result.certain,
        still=() if result is None else result.still,
        circle=() if result is None else result.circle,
        notes=() if result is None else result.notes,
    )


class PresentStage:
    """The stage that a run is at, told match by match."""

    def __init__(self, folder: RunFolder, manifest: Manifest) -> None:
        self._rounds: Rounds | None = None
        self._stage: BracketStage | None = None
        self._new = True
        # who may not read the secret does not know the rounds
        with suppress(DamagedError, OSError):
            self._rounds = Rounds(manifest, folder.secrets_of(manifest))

    def take(self, outcome: MatchResult) -> None:
        """Note how a match ended; after a void one, which may be played again, nothing is told any more."""
        self._new = True
        if outcome.reason == "void":
            self._rounds = None
        elif self._rounds:
            self._rounds.take(outcome)

    def find(self) -> BracketStage | None:
        """The stage as far as it is played; None if all is over, or it is not known."""
        if self._new:
            self._new, self._stage = False, None if self._rounds is None else self._describe(self._rounds)
        return self._stage

    def _describe(self, rounds: Rounds) -> BracketStage | None:
        while rounds.advance():
            pass
        if rounds.round is None:
            return None
        title = _stage_of(rounds.round)
        entries = [entry for entry in rounds.finished if _stage_of(entry.round) == title]
        return _describe_stage(title, [*entries, rounds.present()], {})


def _stage_of(fixtures: Round) -> str:
    return fixtures.stage or fixtures.title


def _describe_stage(title: str, rounds: Iterable[Finished], onward: Mapping[tuple[str, str], str]) -> BracketStage:
    blocks: Counter[frozenset[str]] = Counter()
    by_table: dict[frozenset[str], list[Played]] = {}
    byes: list[str] = []
    remainder = 0
    for entry in rounds:
        byes += entry.round.byes
        remainder += entry.remainder
        for played in entry.played:
            bots = frozenset(played.line_up)
            blocks[bots] += not entry.remainder or None not in played.ranks
            by_table.setdefault(bots, []).append(played)
    # a stage may have many rounds: a bot that sat in one of them did not sit out
    sat = frozenset[str]().union(*blocks)
    groups: list[frozenset[str]] = []
    for bots in blocks:
        groups = [
            *(group for group in groups if not group & bots),
            bots.union(*(entry for entry in groups if entry & bots)),
        ]
    tables, parts = (
        tuple(
            [
                _seat_together(title, [bots for bots in blocks if bots <= union], blocks, by_table, onward)
                for union in among
            ]
        )
        for among in (blocks, groups)
    )
    return BracketStage(
        title=title,
        tables=tables,
        byes=tuple([bot for bot in dict.fromkeys(byes) if bot not in sat]),
        left=remainder,
        groups=parts if 1 < len(groups) < len(blocks) else (),
    )


def _seat_together(
    title: str,
    tables: list[frozenset[str]],
    blocks: Counter[frozenset[str]],
    by_table: Mapping[frozenset[str], list[Played]],
    onward: Mapping[tuple[str, str], str],
) -> SatTogether:
    """The bots of these tables by their points in all their matches."""
    played = [entry for bots in tables for entry in by_table[bots]]
    matches = Counter(bot for entry in played for line_up, _ in entry.matches() for bot in line_up)
    shares = points([*frozenset[str]().union(*tables)], played)
    seated = []
    for bot, share in shares.items():
        mean = round(share, _DIGITS) if matches[bot] else None
        seated.append(Seated(bot=bot, points=mean, matches=matches[bot], onward=onward.get((title, bot), "")))
    seated.sort(key=lambda entry: (-(entry.points or 0.0), entry.bot))
    return SatTogether(bots=tuple(seated), blocks=sum(blocks[bots] for bots in tables))
