"""The step by which a process enters its control group before it becomes the bot: nothing of a bot runs outside."""

import shutil
from collections.abc import Sequence

from arena.sandbox.sandbox import Started

_SYSTEM = "/usr/bin:/bin:/usr/sbin:/sbin"
"""Where the programs that do it are looked for, whatever PATH a bot has."""
_ENTER = 'while [ "$1" != -- ]; do echo $$ >"$1" || exit 125; shift; done; shift; exec "$@"'


def entering(entries: Sequence[str], started: Started) -> Started | None:
    """The same start, through these ``cgroup.procs`` files; None if a program for it is missing.

    The files are the house's to write, so a change of user comes after them.
    """
    shell = shutil.which("sh", path=_SYSTEM)
    if shell is None:
        return None
    words = [shell, "-c", _ENTER, "sh", *entries, "--"]
    if started.user is not None:
        setpriv = shutil.which("setpriv", path=_SYSTEM)
        if setpriv is None:
            return None
        user = str(started.user)
        words += [setpriv, "--reuid", user, "--regid", user, "--clear-groups", "--"]
    return started._replace(argv=(*words, *started.argv), user=None)
