"""Structs of games: events and options that say themselves, the question of a step, and fields that are set fast."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, ClassVar, TypeVar, Union

from msgspec import Struct

Plain = TypeVar("Plain", bound=Struct)


class Phrase(Struct, frozen=True, gc=False, tag_field="type"):
    """An event or option that says itself: ``words`` with its fields filled in, those of several values with commas."""

    words: ClassVar[str]
    weight: ClassVar[int] = 1
    """Of an event: how much it belongs to the story. 0 is upkeep, 1 a move, 2 a gain or a loss, 3 the last count."""

    def __str__(self) -> str:
        values = {name: getattr(self, name) for name in self.__struct_fields__}
        return self.words.format_map(
            {name: listed(value) if type(value) is tuple else value for name, value in values.items()}
        )


def listed(values: tuple[Any, ...]) -> str:
    """Values with commas between them, or ``nothing``."""
    return ", ".join(map(str, values)) or "nothing"


def list_seats(seats: Sequence[Any]) -> str:
    """Seats as a sentence lists them: ``seat 0, seat 1 and seat 2``, or ``nobody``."""
    *others, last = [f"seat {seat}" for seat in seats] or ["nobody"]
    return f"{', '.join(others)} and {last}" if others else last


def places(ranks: Sequence[int], has: str, *values: Sequence[Any]) -> str:
    """The end in words: what each seat has, filled with its ``values``, and its place."""
    by_seat = enumerate(zip(ranks, *values, strict=True))
    return ", ".join(f"seat {seat} has {has.format(*figures)} (place {rank + 1})" for seat, (rank, *figures) in by_seat)


def union_of(base: type[Phrase]) -> Any:
    """The union of the events that a game has derived from its own ``base``, in the order in which they stand."""
    return Union[tuple(base.__subclasses__())]  # noqa: UP007 - of classes that are known only here


def asks(questions: Mapping[Any, str]) -> Callable[[Any], str]:
    """``Game.question`` of a game with one question a step, filled with the observation; empty if none is."""
    # unlike a function made here, it can be pickled with its game
    return partial(_question, questions)


def _question(questions: Mapping[Any, str], observation: Any) -> str:
    return questions.get(observation.step, "").format(observation)


def set_by_python(struct: type[Plain]) -> type[Plain]:
    """Have Python set the fields of this struct: a decorator for mutable ones with ``gc=False``, set in every step.

    msgspec's own way to set a field calls Python's, and then tells the garbage collector of a struct that it may keep
    an eye on, which one with ``gc=False`` is not. Python finds its own way fast, where it takes a quarter of the time.
    """
    config = struct.__struct_config__
    if config.gc or config.frozen:
        raise TypeError(f"expected a struct with gc=False that is not frozen, got {struct.__qualname__}")
    for name in ("__setattr__", "__delattr__"):
        setattr(struct, name, getattr(object, name))
    return struct
