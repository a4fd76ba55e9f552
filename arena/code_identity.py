"""Which Python code it is: a digest of a function or object of this process, and of all values that it holds.

Two closures with other values, and two policies with other weights, are different code although their source text is
the same. Knows no bot and no match.
"""

import pickle
from collections.abc import Iterator
from contextlib import suppress
from hashlib import sha256
from io import BytesIO
from types import CodeType, FunctionType, MethodType, ModuleType
from typing import Any


def digest_code(code: object) -> str | None:
    """16 digits of SHA-256 over what the code does and holds; None if that cannot be told, as of an open file.

    Of a function: its instructions, its defaults, what it closes over, and the global values that it names. Of an
    object: its class and its state. Functions and classes of the same package are followed, those of other packages go
    by their names.
    """
    for brief in (True, False):
        stream = BytesIO()
        # the state of any object is asked for, and its class may raise anything
        with suppress(Exception):
            _Pickler(stream, code, brief=brief).dump(code)
            return sha256(stream.getvalue()).hexdigest()[:16]
    return None


class _Pickler(pickle.Pickler):
    """Writes functions and classes by what they do; the bytes are never read again."""

    def __init__(self, stream: BytesIO, code: object, *, brief: bool) -> None:
        """``brief``: equal values give equal bytes even if one of them is there twice; then nothing may hold itself."""
        super().__init__(stream, protocol=5)
        self.fast = brief
        self._package = _package_of(code if isinstance(code, type | FunctionType) else type(code))
        self._seen: set[int] = set()

    def persistent_id(self, value: Any) -> Any:
        """A set is written in an order of its own, for that of its members differs between processes."""
        return sorted(value, key=repr) if isinstance(value, set | frozenset) else None

    def reducer_override(self, value: Any) -> Any:
        """What is written in place of a value; ``NotImplemented`` for what pickle writes well by itself."""
        if isinstance(value, ModuleType):
            return str, (value.__name__,)
        if isinstance(value, MethodType):
            return tuple, ((value.__func__, value.__self__),)
        if isinstance(value, type | FunctionType) and _package_of(value) == self._package:
            name = f"{value.__module__}.{value.__qualname__}"
            if id(value) in self._seen:
                return str, (name,)
            self._seen.add(id(value))
            return tuple, ((name, *(_parts_of_class(value) if isinstance(value, type) else _parts_of(value))),)
        if isinstance(value, FunctionType):
            return str, (f"{value.__module__}.{value.__qualname__}",)
        return NotImplemented


def _package_of(value: Any) -> str:
    return str(value.__module__).partition(".")[0]


def _parts_of(function: FunctionType) -> Iterator[Any]:
    yield from _instructions(function.__code__)
    yield function.__defaults__
    yield function.__kwdefaults__
    for name, cell in zip(function.__code__.co_freevars, function.__closure__ or (), strict=True):
        try:
            yield name, cell.cell_contents
        except ValueError:  # not set yet
            yield name
    for name in sorted(_names_in(function.__code__) & function.__globals__.keys()):
        yield name, function.__globals__[name]


def _instructions(code: CodeType) -> Iterator[Any]:
    """What the interpreter does, without the lines on which it stands."""
    yield code.co_code
    yield code.co_names + code.co_varnames + code.co_freevars
    for constant in code.co_consts:
        yield [*_instructions(constant)] if isinstance(constant, CodeType) else (type(constant).__name__, constant)


def _names_in(code: CodeType) -> set[str]:
    inner = [_names_in(constant) for constant in code.co_consts if isinstance(constant, CodeType)]
    return set(code.co_names).union(*inner)


def _parts_of_class(kind: type) -> Iterator[Any]:
    yield kind.__bases__
    for name, value in sorted(vars(kind).items()):
        if isinstance(value, staticmethod | classmethod):
            yield name, value.__func__
        elif isinstance(value, property):
            yield name, (value.fget, value.fset)
        elif isinstance(value, FunctionType) or not (name.startswith(("__", "_abc_")) or hasattr(value, "__get__")):
            yield name, value
