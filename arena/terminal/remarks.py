"""Remarks on standard error, which are not results."""

import sys
from collections.abc import Callable

from arena.escape import harmless


def remark(text: str, *, quiet: bool = False) -> None:
    """Say something, unless it is to be quiet."""
    if not quiet:
        sys.stderr.write(harmless(text) + "\n")


def sayer(*, quiet: bool) -> Callable[[str], None]:
    """What says a remark of the lower floors."""
    return lambda text: remark(f"arena: {text}", quiet=quiet)
