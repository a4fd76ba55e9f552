"""Records for the tests."""

from arena.fault import Fault, FaultKind
from arena.record import Record


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
