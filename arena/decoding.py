"""Decodes JSON that a stranger may have written: whatever is wrong with it, there is one error. Knows no shape."""

from collections.abc import Callable
from typing import TypeVar

import msgspec

T = TypeVar("T")


def decoder(shape: type[T]) -> Callable[[bytes], T]:
    """A function that decodes JSON to this shape.

    It raises:
        msgspec.DecodeError: the bytes are no such JSON, no UTF-8, or nested too deep.
    """
    decode = msgspec.json.Decoder(shape).decode

    def decoded(data: bytes) -> T:
        try:
            return decode(data)
        except UnicodeDecodeError as error:
            raise msgspec.DecodeError(str(error)) from None
        except RecursionError:
            raise msgspec.DecodeError("JSON is nested too deep") from None

    return decoded
