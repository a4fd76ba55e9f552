"""Files that no bot may see in any folder: runs, their secrets, and other names of the files of secrets.

Reads folders; starts nothing and knows no message.
"""

import os
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path

SECRETS = frozenset({"secret.json", ".secret.json.new"})
"""What the secret of a run is kept in; the second while it is written, also after a kill."""
RUN = "run.json"
"""What makes a folder that of a run."""


def runs_in(path: str) -> Iterator[str]:
    """Runs of arena's and their secrets in a file or folder of any size."""
    for here, folders, files in os.walk(path):
        if RUN in files:
            folders.clear()
            yield here
        else:
            yield from (f"{here}/{name}" for name in files if name in SECRETS)


def hard_links(secrets: Iterable[str], *, within: str) -> Iterator[str]:
    """The files of a folder that are hard links to one of these secrets, or to one in these folders."""
    known = set()
    for path in secrets:
        for secret in _files(path):
            with suppress(OSError):
                about = Path(secret).lstat()
                if about.st_nlink > 1:
                    known.add((about.st_dev, about.st_ino))
    if known:
        for here, _, files in os.walk(within):
            for name in files:
                with suppress(OSError):
                    about = Path(here, name).lstat()
                    if (about.st_dev, about.st_ino) in known:
                        yield f"{here}/{name}"


def _files(path: str) -> Iterator[str]:
    if Path(path).is_file():
        yield path
    for here, _, files in os.walk(path):
        yield from (f"{here}/{name}" for name in files if name in SECRETS)
