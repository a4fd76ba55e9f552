"""What a bot may read of another's deeds: the table of docs/decisions/sandbox.md, by what a walker calls a number."""

import re
from typing import NamedTuple

from arena.sandbox import Level

_BOTH: tuple[Level, ...] = ("landlock", "bwrap")


class Channel(NamedTuple):
    """A row of the table: its first words, where it is, and the names that a walker gives to what shows it."""

    row: str
    levels: tuple[Level, ...]
    shows: str
    """A regular expression for whole names."""


CHANNELS: tuple[Channel, ...] = (
    Channel("times of entries of `/proc`", ("landlock",), r"stat /(proc|sys)\S*\.st_[amc]time_ns"),
    Channel(
        "numbers of pipes, pairs of sockets and entries of `/proc`",
        _BOTH,
        r"(pipe|socketpair \w+|epoll|stdin|stdout|stderr|file in /proc)( \d)?"
        r"(\.st_ino|\.link|\.fdinfo\|(ino|tfd)?(\.\d+\.\d+)?|\.stx_rest\.\d+)"
        r"|stat /proc/\S+\.st_ino|its/\w* of rival\.st_ino"
        # of the sockets that each namespace has from the start
        r"|/proc/self/net/netlink\|\.\d+\.9",
    ),
    Channel(
        "numbers of processes",
        ("landlock",),
        r"fork|get(pid|tid|ppid|pgrp)|get(sid|pgid) of self"
        r"|/proc/self/status\|N?S?(Pid|Tgid|PPid|pid|tgid|pgid|sid)\..*",
    ),
    Channel(
        "numbers of mounts",
        ("bwrap",),
        r"/proc/self/mountinfo\|\.\d+\.[01]|.*\.stx_mnt_id\.\w+|.*\.fdinfo\|mnt_id\.0\.0",
    ),
    Channel("counters of the machine in `/proc`", ("bwrap",), r"/proc/(?!self/)\S*\|.*"),
    Channel("how many processes and threads", _BOTH, r"sysinfo\.procs|stat /proc\.st_nlink"),
    Channel("free and shared memory", _BOTH, r"sysinfo\.(free|shared|buffer)|/proc/meminfo\|.*"),
    Channel("numbers of event descriptors", ("bwrap",), r"eventfd\.fdinfo\|(eventfd-id\.\d\.\d)?"),
    Channel("how many processes have the same page", ("bwrap",), r"/proc/self/(smaps|smaps_rollup|numa_maps)\|.*"),
    Channel(
        "descriptors and threads of a process",
        ("landlock",),
        r"its/.* of rival\..*|(kill|tgkill|capget|sched_\w+) of rival.*",
    ),
    Channel(
        "free room on the disk",
        ("landlock",),
        r"statfs .*|(file|folder|stat (home|folder)-\d+)\.st_(ino|[mc]time_ns|nlink)",
    ),
    Channel("the size of a new pipe", _BOTH, r"pipe( 1)?\.fcntl 1032|room for (wide )?pipes"),
)

NOISE: dict[str, str] = {
    r"clock_gettime \d+\.\w+|times\.\w+": "the time, and what the walker has used of it",
    r"/proc/sys/kernel/random/uuid\|.*|/proc/self/auxv\|.*": "drawn at random at each reading or start",
    r"(?!stat ).*\.st_[amc]time_ns|stat (home-0|/tmp|/dev/shm|/proc)\.st_[amc]time_ns": (
        "the time, of what the walker has just made or changed, or the kernel makes when it looks"
    ),
    r"getrusage.*|.*ctxt_switches.*|/proc/self/(sched|schedstat|stat|maps|statm|io|syscall|arch_status)\|.*": (
        "doings of the walker itself: how long it waited for the core is a matter of time, which no level closes"
    ),
    r".*\.st_[ug]id|get(e|res)?[ug]id.*|/proc/self/status\|(Uid|Gid|Groups).*": "which user it is, drawn at random",
    r"sysinfo\.(uptime|load\d+)": "the time, and how busy the machine is, which is another matter of time",
    r"/proc/self/(task/\d+/)?(smaps|smaps_rollup)\|(anonymous|\[\w+\])/.*|/proc/self/status\|(Vm|Rss)\w+\..*": (
        "memory of the walker itself"
    ),
}
"""What is not looked at, and why."""


def told_in_the_table(what: str, level: Level) -> bool:
    """Whether the table tells of it, or it is noise."""
    rows = [channel.shows for channel in CHANNELS if level in channel.levels]
    return noise(what) or any(re.fullmatch(pattern, what) for pattern in rows)


def noise(what: str) -> bool:
    """Whether it is not looked at."""
    return any(re.fullmatch(pattern, what) for pattern in NOISE)
