"""What root may do here (capabilities(7)), and a user id for each process of a bot where root runs arena.

So no two share what the kernel counts by user: processes, signals that wait, pages of pipes, descriptors on their way,
watches.
"""

import os
import pwd
import secrets
from collections import deque
from contextlib import suppress
from errno import ENOENT
from pathlib import Path

_MAP = Path("/proc/self/uid_map")
_STATUS = Path("/proc/self/status")
READ_SEARCH = 2
"""CAP_DAC_READ_SEARCH: to read whatever lies on the disk."""
OVERRIDE = 1
"""CAP_DAC_OVERRIDE: to write it, too."""
_TO_RUN_OTHERS = {"CHOWN": 0, "KILL": 5, "SETGID": 6, "SETUID": 7, "SETPCAP": 8}
"""To give away a folder, become another user, and kill its processes: what containers leave to root."""
_WIDE = range(1_879_048_192, 2_147_483_648)
"""Given to nobody, by the table of ids in systemd's documents: so many that two processes never draw the same."""
_NARROW = range(61_000, 61_184)
"""Where the wide ones are not to be had, as in some containers: below what service managers give out, above people."""
_recent = deque[int](maxlen=64)
"""Users whose processes may not have begun yet."""


def draw() -> int:
    """A user id that no process and nobody has, by lot: which one it is tells nothing; ``OSError`` if there is none."""
    if _mapped(_WIDE):
        return secrets.choice(_WIDE)
    for user in sorted(_NARROW, key=lambda _: secrets.randbits(32)):
        if user not in _recent and not _has_processes(user) and not _somebody(user):
            _recent.append(user)
            return user
    raise OSError(ENOENT, "no unused user id", f"{_NARROW.start}-{_NARROW.stop - 1}")


def _mapped(users: range) -> bool:
    """Whether this process may become each of these users: a container may have few of them."""
    with suppress(OSError, ValueError):
        for line in _MAP.read_text("ascii").splitlines():
            first, _, number = map(int, line.split())
            if first <= users.start and users.stop <= first + number:
                return True
    return False


def _has_processes(user: int) -> bool:
    with suppress(ProcessLookupError):
        os.getpriority(os.PRIO_USER, user)
        return True
    return False


def _somebody(user: int) -> bool:
    with suppress(KeyError):
        pwd.getpwuid(user)
        return True
    return False


def effective(status: Path = _STATUS) -> int:
    """The effective capabilities of this process, a bit each; none where the kernel shows none."""
    with suppress(OSError):
        for line in status.read_text("ascii", "replace").splitlines():
            name, _, value = line.partition(":")
            if name == "CapEff":
                return int(value, 16)
    return 0


def lacking(capabilities: int) -> list[str]:
    """The capabilities that root needs to run a bot as another user and does not have; sorted names."""
    names = [name for name, number in _TO_RUN_OTHERS.items() if not capabilities >> number & 1]
    if to_read(capabilities) is None:
        names.append("DAC_OVERRIDE")
    return sorted(names)


def to_read(capabilities: int) -> int | None:
    """The capability that lets a bot of root's read its toolchain wherever root keeps it: the least one held."""
    return next((number for number in (READ_SEARCH, OVERRIDE) if capabilities >> number & 1), None)
