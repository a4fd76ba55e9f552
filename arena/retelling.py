"""Records held against what their deals lead to, and against each other: the first difference is named."""

from collections.abc import Callable, Iterable, Iterator
from typing import Any, NamedTuple

from msgspec import Struct
from msgspec.structs import replace

from arena.errors import DamagedError
from arena.game import Pending, Seat, State, capped, end_of
from arena.record import Record, retired_last


class FieldDifference(Struct, frozen=True, kw_only=True):
    """A field in which two structs differ; as text *name: expected ... got ...*."""

    name: str
    due: Any
    got: Any
    where: str = ""
    """Of a record's picks: whose, and at which decision."""

    def __str__(self) -> str:
        return f"{self.name}{self.where}: expected {self.due}, got {self.got}"


def compare_fields(
    due: Any, got: Any, names: Iterable[str], *, seat: Callable[[Seat], str] = "seat {}".format
) -> FieldDifference | None:
    """The first of these fields in which two structs differ, or None; ``seat`` names the seats of records.

    Of their picks the first ones that differ are named; their faults are compared without the words.
    """
    for name in names:
        one, other = _value_of(due, name, seat), _value_of(got, name, seat)
        if one == other:
            continue
        if name != "picks":
            return FieldDifference(name=name, due=one, got=other)
        for decision, (picks, others) in enumerate(zip(one, other, strict=False)):
            if picks != others:
                where = f" by {seat(due.seats_asked[decision])} at decision {decision}"
                return FieldDifference(name=name, due=[*picks], got=[*others], where=where)
        return FieldDifference(name="decisions", due=len(one), got=len(other))
    return None


def _value_of(struct: Any, name: str, seat: Callable[[Seat], str]) -> Any:
    value = getattr(struct, name)
    if name == "faults":
        return (
            ", ".join(f"{fault.kind} of {seat(fault.seat)} at decision {fault.decision}" for fault in value) or "none"
        )
    return [*value] if isinstance(value, tuple) else value


class Step(NamedTuple):
    """One move of a match replayed: what the state waited for, what was chosen, and what followed."""

    first: int
    """Index of the step's first decision in the record's ``picks``."""
    pending: Pending
    chosen: dict[Seat, tuple[Any, ...]]
    events: list[Any]


class Differs(DamagedError):
    """A record is not what its deal and its picks lead to: ``difference`` is the first; the text may name the match."""

    def __init__(self, difference: str, *, match: str = "") -> None:
        super().__init__(f"{match}: {difference}" if match else difference)
        self.difference = difference


def retell(record: Record, state: State) -> Iterator[Step]:
    """Play a record's picks on its fresh deal, step by step; ``Differs`` if they do not fit. The state moves along."""
    index = steps = 0
    while isinstance(pending := state.pending(), Pending) and not capped(steps=steps, decided=index):
        steps += 1
        first = index
        choices: dict[Seat, tuple[Any, ...]] = {}
        for seat, decision in sorted(pending.decisions.items()):
            if decision.forced:
                choices[seat] = decision.silence
                continue
            if index >= len(record.picks):
                raise Differs(f"decision {index}: expected picks of seat {seat}, got the end of the record")
            if index < len(record.seats_asked) and record.seats_asked[index] != seat:
                raise Differs(
                    f"decision {index}: expected seat {seat} to be asked, got seat {record.seats_asked[index]}"
                )
            if wrong := decision.fault_in(record.picks[index]):
                raise Differs(f"decision {index}, seat {seat}: {wrong}")
            choices[seat] = decision.take(record.picks[index])
            index += 1
        yield Step(first, pending, choices, state.apply(choices))
    if index != len(record.picks):
        raise Differs(
            f"decision {index}: expected the match to go on, got its end with {len(record.picks) - index} picks left"
        )


def verify(record: Record, state: State) -> str | None:
    """Play a record again on its fresh deal; the first difference in words, or None if there is none."""
    if record.reason == "void":
        return None
    try:
        for _ in retell(record, state):
            pass
    except Differs as difference:
        return str(difference)
    outcome, reason = end_of(state, state.pending())
    ranks = retired_last(outcome.ranks, record.retired)
    wrong = compare_fields(
        replace(record, reason=reason, scores=outcome.scores, ranks=ranks), record, ("reason", "scores", "ranks")
    )
    return None if wrong is None else str(wrong)
