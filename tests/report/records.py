"""Records for the tests."""

from collections.abc import Iterable, Mapping, Sequence
from itertools import count
from typing import Any

from msgspec.structs import replace

from arena.fault import Fault, FaultKind
from arena.ratings import fit_outcomes
from arena.record import Record
from arena.report.document import Document
from arena.report.leaderboard import make_leaderboard
from arena.report.render import Leaderboard, LeaderboardRow, Standing, combined_section
from arena.results.columns import Results

_NUMBERS = count()


def record(
    ranks: dict[str, int],
    scores: tuple[int, ...] = (),
    faults: tuple[tuple[int, FaultKind], ...] = (),
    waits: tuple[tuple[int, int], ...] = (),
    *,
    void: bool = False,
    seconds: float = 0.0,
    burnt: tuple[int, ...] = (),
) -> Record:
    """A match that ended so; ``waits`` are (seat, microseconds), ``faults`` (seat, kind), ``burnt`` by seat."""
    return Record(
        id="e0b0r0",
        game="lure",
        version="1",
        bots=tuple(ranks),
        ranks=tuple(ranks.values()),
        scores=scores or (0,) * len(ranks),
        reason="void" if void else "finished",
        faults=tuple(
            Fault(seat=seat, kind=kind, decision=0, rule="expected an answer, got none") for seat, kind in faults
        ),
        seats_asked=tuple(seat for seat, _ in waits),
        micros=tuple(micros for _, micros in waits),
        seconds=seconds,
        burnt=burnt,
    )


def results_of(records: Iterable[Record], bots: Iterable[str]) -> Results:
    """The results of these matches; where they tell no picks, those are of no other match, and no seats: the first."""
    results = Results(bots)
    results.add(map(_whole, records))
    return results


def combined(
    standings: Sequence[Standing], owners: Mapping[str, str] | None = None, boards: Iterable[Leaderboard] = ()
) -> Document:
    """The table over several games alone."""
    return Document(sections=[combined_section(standings, owners, boards)], data={"leaderboard": standings})


def _whole(match: Record) -> Record:
    if match.picks:
        return replace(match, seats_asked=match.seats_asked or (0,) * len(match.picks))
    return replace(match, picks=((next(_NUMBERS),),) * len(match.seats_asked))


def board_of(records: Iterable[Record], bots: Iterable[str], **facts: Any) -> Leaderboard:
    """The leaderboard of these matches; ``facts`` are what a test is about of what else a run knows."""
    bots = list(bots)
    results = results_of(records, bots)
    usual: dict[str, Any] = {"run": "r", "game": "lure", "seats": 3, "seed": None, "seconds": 1.0}
    return make_leaderboard(
        results, fit_outcomes(results.outcomes(nights=facts.get("season", False)), bots), **usual | facts
    )


def rows(records: Iterable[Record], bots: Sequence[str]) -> tuple[LeaderboardRow, ...]:
    """Its rows."""
    return board_of(records, bots).leaderboard
