"""A sandbox for one process, as a value: what it may read and write, and how much it may use."""

from dataclasses import dataclass

from arena.sandbox import Level

TOKEN = "ARENA_PROCESS"  # noqa: S105 - the name of a variable, not a secret
"""In a bot's environment: marks its descendants, so that one bot's end spares another's helpers; as in the guard."""


@dataclass(frozen=True)
class Bounds:
    """The limits of a process. Sizes in bytes."""

    memory: int = 512 << 20
    """Data of one process; with a control group, also memory of a bot's processes together."""
    processes: int = 64
    file: int = 16 << 20
    """The largest file, and all of the scratch where that is a file system of its own."""
    files: int = 4096
    """Files and folders in the scratch, where that is a file system of the host's making."""
    descriptors: int = 256
    cpu: int = 7200
    """Seconds of processor time of one process."""
    signals: int = 256
    """Signals that wait and timers that send them, of all processes of the bot."""

    def rlimits(self) -> dict[str, int]:
        """Resource limits by their names. Of data, not of addresses: runtimes reserve more than they use."""
        return {
            "core": 0,
            "cpu": self.cpu,
            "data": self.memory,
            "fsize": self.file,
            "nofile": self.descriptors,
            "nproc": self.processes,
            "sigpending": self.signals,
            "memlock": 0,
            "msgqueue": 0,
        }


@dataclass(frozen=True)
class Sandbox:
    """The sandbox around a process. Paths are absolute."""

    level: Level = "none"
    readable: tuple[str, ...] = ()
    """Files and folders besides the system's own, at the paths they have outside; links lead where they lead."""
    private: tuple[str, ...] = ()
    """Files and folders that are shown as a copy, in which nothing is hidden and that everybody may read."""
    links_out: bool = False
    """Whether private folders are copied with links that lead out of them, as those that a build has made."""
    kept: str = ""
    """Where ``keep`` has put a copy for all processes; without it each makes one beside its scratch."""
    writable: tuple[str, ...] = ()
    """Folders it may change: those of a build."""
    hidden: tuple[str, ...] = ()
    """Files and folders not to be seen, by whatever path: stronger than anything readable, around it or within it."""
    network: bool = False
    variables: tuple[str, ...] = ()
    """Names of variables that it gets from the environment of whoever starts it; no command line holds a value."""
    bounds: Bounds = Bounds()
    packages: tuple[str, ...] = ()
    """Readable Python packages, which are found although the folder around them cannot be listed."""
    locks: bool = False
    """Whether files may be locked: a channel between bots, but build tools need it."""


OPEN = Sandbox()
