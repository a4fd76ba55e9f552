"""What root may do here: in a container it has few capabilities. Linux only: capabilities(7)."""

from contextlib import suppress
from pathlib import Path

_STATUS = Path("/proc/self/status")
READ_SEARCH = 2
"""CAP_DAC_READ_SEARCH: to read whatever lies on the disk."""
OVERRIDE = 1
"""CAP_DAC_OVERRIDE: to write it, too."""
_TO_RUN_OTHERS = {"CHOWN": 0, "KILL": 5, "SETGID": 6, "SETUID": 7, "SETPCAP": 8}
"""To give away a folder, become another user, and kill its processes: what containers leave to root."""


def effective(status: Path = _STATUS) -> int:
    """The effective capabilities of this process, a bit each; none where the kernel shows none."""
    with suppress(OSError):
        for line in status.read_text("ascii", "replace").splitlines():
            name, _, value = line.partition(":")
            if name == "CapEff":
                return int(value, 16)
    return 0


def lacking(held: int) -> list[str]:
    """The capabilities that root needs to run a bot as another user and does not have; sorted names."""
    names = [name for name, number in _TO_RUN_OTHERS.items() if not held >> number & 1]
    if to_read(held) is None:
        names.append("DAC_OVERRIDE")
    return sorted(names)


def to_read(held: int) -> int | None:
    """The capability that lets a bot of root's read its toolchain wherever root keeps it: the least one held."""
    return next((number for number in (READ_SEARCH, OVERRIDE) if held >> number & 1), None)
