"""Colours of what is printed, by what stands there: documents themselves know none."""

import re

from arena.fault import FAULTS

_COLOURS = (
    # the result, headings of tables, who is certainly first and what holds, faults and what fails
    ("1", r"\A(?!ok |FAIL |note |- )(?s:.*?)\.(?=\s)"),
    ("2", r"^[-= ]{3,}$|^ *# bot .*$|^.*(?=\n-[- ]+$)"),
    ("32", r"^ *1 +(?=[A-Za-z])\S+|^ok\b"),
    ("31", rf"\b\d+ (?:{'|'.join(FAULTS)})\b|^FAIL\b"),
)
"""Codes of ECMA-48 for a colour, and what has it in a document of ours."""


def colour(text: str) -> str:
    """The document with the codes in it."""
    for code, pattern in _COLOURS:
        text = re.sub(pattern, f"\x1b[{code}m\\g<0>\x1b[0m", text, flags=re.MULTILINE)
    return text
