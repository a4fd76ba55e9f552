"""How the fields of a struct are set. Knows no struct of ours."""

from typing import TypeVar

from msgspec import Struct

Plain = TypeVar("Plain", bound=Struct)


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
