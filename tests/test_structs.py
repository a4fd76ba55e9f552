"""Structs whose fields Python sets: as any other struct, and only where nothing can go wrong by it."""

import copy
import gc

import msgspec
import pytest
from msgspec import Struct

from arena.structs import set_by_python


@set_by_python
class Boat(Struct, gc=False):
    """A struct that is set in every step."""

    name: str
    catch: list[int] = []


def test_it_is_a_struct_as_any_other() -> None:
    """Its fields are set, compared, copied, encoded and decoded; what is no field cannot be set."""
    boat = Boat("one")
    boat.catch = [1, 2]
    boat.catch += [3]
    assert (
        boat
        == Boat("one", [1, 2, 3])
        == copy.deepcopy(boat)
        == msgspec.json.decode(msgspec.json.encode(boat), type=Boat)
    )
    with pytest.raises(AttributeError):
        boat.crew = 4  # type: ignore[attr-defined]
    assert not gc.is_tracked(boat)


def test_what_the_collector_keeps_an_eye_on_is_refused() -> None:
    """The collector would not know of a struct without ``gc=False``, and a frozen one would be frozen no more."""

    class Kept(Struct):
        name: str

    class Frozen(Struct, frozen=True, gc=False):
        name: str

    for struct in (Kept, Frozen):
        with pytest.raises(
            TypeError, match=f"expected a struct with gc=False that is not frozen, got .*{struct.__name__}"
        ):
            set_by_python(struct)
