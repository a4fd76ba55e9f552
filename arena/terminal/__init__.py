"""Output for a terminal: the progress of a run, a table as a picture, a match step by step, a person's seat.

The only room that uses rich. It knows no command and no option.
"""

import sys

from arena.escape import harmless


def remark(text: str, *, quiet: bool = False) -> None:
    """Say on standard error what is no result, unless it is to be quiet."""
    if not quiet:
        sys.stderr.write(harmless(text) + "\n")
