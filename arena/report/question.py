"""The question about two versions of a bot, in one text: ``decided``, ``equal=M``, ``sprt=A,B`` or ``never``."""

import re

from msgspec import Struct

from arena.errors import UsageError
from arena.ratings.evidence import ALPHA

UNTIL = "until"
"""The option that holds the text."""
WORDS = "decided, equal=M, sprt=A,B or never (behind each may stand ,alpha=A)"
_TEXT = re.compile(r"(?:(decided)|(never)|equal=([^,=]+)|sprt=([^,=]+),([^,=]+))(?:,alpha=([^,=]+))?")


class Question(Struct, frozen=True, kw_only=True):
    """What is asked, and how certain the answer must be."""

    until: bool = False
    """Whether to play only until it is answered."""
    margin: float | None = None
    """A score as near to 0 as this counts as equal; None: that is not asked."""
    gate: tuple[float, float] | None = None
    """The score that is not worth having, and the one that is; None: that is not asked."""
    alpha: float = ALPHA
    """How often the answer may be wrong at most."""

    @classmethod
    def read(cls, text: str) -> "Question":
        """The question that is written so.

        Raises:
            UsageError: there is no such question, or a number is out of bounds.
        """
        found = _TEXT.fullmatch(text)
        if found is None:
            raise UsageError(f"expected {WORDS}, got {text!r}", option=UNTIL)
        _, never, margin, low, high, alpha = found.groups()
        gate = None
        if low is not None:
            gate = _number(low), _number(high)
            if not -1 < gate[0] < gate[1] < 1:
                rule = "sprt: expected two scores between -1 and 1 such as 0,0.075"
                raise UsageError(f"{rule}, got '{low},{high}'", option=UNTIL)
        return cls(
            until=not never,
            margin=None if margin is None else _part(margin, "equal"),
            gate=gate,
            alpha=ALPHA if alpha is None else _part(alpha, "alpha"),
        )


def _number(text: str) -> float:
    """The number, or one that is out of all bounds."""
    try:
        return float(text)
    except ValueError:
        return float("nan")


def _part(text: str, name: str) -> float:
    if not 0 < (value := _number(text)) < 1:
        raise UsageError(f"{name}: expected a number between 0 and 1, got {text!r}", option=UNTIL)
    return value
