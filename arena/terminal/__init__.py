"""Output for a terminal: the progress of a run, a table as a picture, a match position by position, a person's seat.

The only room that uses rich. It reads no option; it names commands to type next.
"""

import os
import sys
from collections.abc import Iterator
from typing import TextIO

from arena.errors import UsageError
from arena.escape import cause_and_cure, harmless

_OURS = "arena: "
_detailed = [True]


def detail(*, verbose: bool) -> None:
    """Whether remarks are followed by details, as the command and the standard error of a bot that cannot start."""
    _detailed[0] = verbose


def is_drawable(stream: TextIO) -> bool:
    """Whether the stream is a terminal on which lines can be drawn again."""
    return stream.isatty() and os.environ.get("TERM") not in {"dumb", "unknown"}


def is_colourful(stream: TextIO) -> bool:
    """Whether colours may go there: to a terminal, unless ``NO_COLOR`` is set, see https://no-color.org."""
    return is_drawable(stream) and not os.environ.get("NO_COLOR")


def print_result(text: str | bytes, *, form: str = "table") -> None:
    """Print a document; at a terminal with colours its result and its headings stand out.

    Bytes are a file: a ``UsageError`` at a terminal.
    """
    if isinstance(text, bytes):
        if sys.stdout.isatty():
            raise UsageError(f"expected a file for {form}, got a terminal; such as > payoff.{form}", option="format_")
        sys.stdout.buffer.write(text)
        return
    if form == "table" and is_colourful(sys.stdout):
        from arena.terminal.colour import colour  # noqa: PLC0415 - only there

        text = colour(text)
    sys.stdout.write(text)


def remark(text: str, *, quiet: bool = False) -> None:
    """Say on standard error what is no result, unless it is to be quiet.

    At a terminal a remark of ours is folded, and what stands behind its last semicolon, the cure, has its own line.
    """
    if not quiet:
        sys.stderr.write("\n".join(_fold_remark(harmless(text))) + "\n")


def _fold_remark(text: str) -> Iterator[str]:
    width = os.get_terminal_size(2).columns if os.isatty(2) else 0
    for line in text.split("\n"):
        if line.startswith("  ") and text.startswith(_OURS):
            yield from [line] * _detailed[0]
        elif width and line.startswith(_OURS):
            cause, semicolon, cure = line.removeprefix(_OURS).rpartition("; ")
            # a semicolon within a quotation parts nothing
            parts = (cause, cure) if semicolon and not cure.count("'") % 2 else (line.removeprefix(_OURS), "")
            first, *others = cause_and_cure(
                parts[0], cure=parts[1], width=max(width, 40), label="", indent=" " * len(_OURS)
            )
            yield from [_OURS + first[len(_OURS) :], *others]
        else:
            yield line
