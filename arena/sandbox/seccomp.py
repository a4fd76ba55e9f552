"""A filter of system calls around a bot: it refuses what namespaces and Landlock do not refuse. Pure.

First the calls by name: which a bot may make, and which are refused, each group with its reason. A call in none of the
groups does not exist for a bot (ENOSYS), so that libraries fall back to older calls. A dangerous call fails as not
permitted. A process is killed only for a call of another architecture. The program is classic BPF over
``struct seccomp_data`` (seccomp(2)).
"""

import platform
import struct
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from typing import NamedTuple

ALLOWED: dict[str, str] = {
    "read and write what is open": (
        "read write readv writev pread64 pwrite64 preadv pwritev lseek close close_range dup dup2 dup3 pipe pipe2 "
        "sendfile splice tee vmsplice copy_file_range fsync fdatasync sync_file_range ftruncate truncate fallocate"
    ),
    "wait for it": (
        "poll ppoll select pselect6 epoll_create epoll_create1 epoll_ctl epoll_wait epoll_pwait epoll_pwait2 eventfd "
        "eventfd2 timerfd_create timerfd_settime timerfd_gettime signalfd signalfd4"
    ),
    "talk over a pair of sockets, which no address leads out of": (
        "sendto recvfrom recvmsg recvmmsg shutdown getsockname getpeername"
    ),
    "find, open and make files: which ones, the sandbox says": (
        "open openat creat access faccessat faccessat2 stat lstat fstat newfstatat statx statfs fstatfs readlink "
        "readlinkat getdents getdents64 getcwd chdir fchdir mkdir mkdirat rmdir unlink unlinkat rename renameat "
        "renameat2 link linkat symlink symlinkat umask mknod mknodat getxattr lgetxattr fgetxattr listxattr "
        "llistxattr flistxattr"
    ),
    "memory of its own": (
        "mmap mprotect munmap mremap brk msync mlock mlock2 munlock mlockall munlockall pkey_alloc pkey_free "
        "pkey_mprotect membarrier map_shadow_stack mseal get_mempolicy set_mempolicy"
    ),
    "processes and threads of its own": (
        "fork vfork execve execveat exit exit_group wait4 waitid set_tid_address set_robust_list rseq "
        "futex futex_waitv futex_wake futex_wait futex_requeue arch_prctl sched_yield sched_getaffinity "
        "sched_getparam sched_getscheduler sched_get_priority_max sched_get_priority_min sched_rr_get_interval "
        "sched_getattr getpriority seccomp capget capset"
    ),
    "signals: to whom, the sandbox says": (
        "kill tkill tgkill rt_sigaction rt_sigprocmask rt_sigpending rt_sigtimedwait "
        "rt_sigsuspend rt_sigreturn restart_syscall sigaltstack pause alarm setitimer getitimer"
    ),
    "who and where it is": (
        "getpid getppid gettid getpgid getpgrp setpgid getsid getuid geteuid getgid getegid getresuid "
        "getresgid getgroups setuid setgid setreuid setregid setresuid setresgid setfsuid setfsgid setgroups uname "
        "sysinfo getrlimit getrusage times getcpu getrandom"
    ),
    "clocks": (
        "nanosleep clock_nanosleep clock_gettime clock_getres gettimeofday time timer_settime timer_gettime "
        "timer_getoverrun timer_delete"
    ),
}
"""Reason -> names: what programs in any language do within their own processes, scratch and pipes."""

REFUSED: dict[str, str] = {
    "other processes": (
        "ptrace process_vm_readv process_vm_writev process_madvise process_mrelease pidfd_getfd pidfd_send_signal "
        "kcmp migrate_pages move_pages"
    ),
    "a handle of a process bears a number that counts all processes of the machine: a note": ("pidfd_open"),
    "places that bots could meet in, or one leave a note for its next process": (
        "shmget shmat shmctl shmdt semget semctl semop semtimedop msgget msgsnd msgrcv msgctl mq_open mq_unlink "
        "mq_timedsend mq_timedreceive mq_notify mq_getsetattr add_key request_key keyctl inotify_add_watch"
    ),
    "things of which a user has so many, and numbers that are counted for all": (
        "inotify_init inotify_init1 inotify_rm_watch memfd_create"
    ),
    "whether a page of a file is in memory, and having it forgotten: a note": ("mincore cachestat fadvise64 readahead"),
    "more of the processor than its share": (
        "setpriority ioprio_set sched_setaffinity sched_setscheduler sched_setparam sched_setattr"
    ),
    "other views of the machine": (
        "unshare setns mount umount2 pivot_root chroot open_tree open_tree_attr move_mount fsopen fsconfig fsmount "
        "fspick mount_setattr statmount listmount open_by_handle_at name_to_handle_at fanotify_init fanotify_mark"
    ),
    "parts of the kernel that no bot needs and that have had holes": (
        "bpf perf_event_open userfaultfd io_uring_setup io_uring_enter io_uring_register memfd_secret kexec_load "
        "kexec_file_load init_module finit_module delete_module swapon swapoff acct quotactl syslog reboot "
        "settimeofday clock_settime sethostname setdomainname"
    ),
}
"""Reason -> names: told as not permitted: what would be a hole. All that is named nowhere does not exist."""

NETWORK: dict[str, str] = {
    "sockets, and the addresses that lead elsewhere": ("socket socketpair connect bind listen accept accept4"),
    "descriptors on their way, of which a user has so many": ("sendmsg sendmmsg"),
    "options of sockets, of which a bot has some": ("getsockopt setsockopt"),
}
"""Reason -> names: refused but to a build that may use the network."""

QUEUED: dict[str, str] = {
    "signals that wait, of which a user has so many": ("timer_create rt_sigqueueinfo rt_tgsigqueueinfo"),
}
"""Reason -> names: refused where these are counted together with those of other bots."""

LOCKS: dict[str, str] = {
    "locks on files, which bots could meet at": ("flock"),
}
"""Reason -> names: refused but to a build."""

MARKS: dict[str, str] = {
    "modes, owners, times and attributes": (
        "chmod fchmod fchmodat fchmodat2 chown fchown lchown fchownat utime utimes futimesat utimensat setxattr "
        "lsetxattr fsetxattr removexattr lremovexattr fremovexattr setxattrat removexattrat"
    ),
}
"""Reason -> names: refused where a bot owns files that it must not change."""

# on x86-64 and on 64-bit ARM (asm/unistd_64.h, asm-generic/unistd.h of Linux); None where there is no such call
NUMBERS: dict[str, tuple[int | None, int | None]] = {
    "accept": (43, 202), "accept4": (288, 242), "access": (21, None), "acct": (163, 89), "add_key": (248, 217),
    "alarm": (37, None), "arch_prctl": (158, None), "bind": (49, 200), "bpf": (321, 280), "brk": (12, 214),
    "cachestat": (451, 451), "capget": (125, 90), "capset": (126, 91), "chdir": (80, 49), "chmod": (90, None),
    "chown": (92, None), "chroot": (161, 51), "clock_getres": (229, 114), "clock_gettime": (228, 113),
    "clock_nanosleep": (230, 115), "clock_settime": (227, 112), "clone": (56, 220), "clone3": (435, 435),
    "close": (3, 57), "close_range": (436, 436), "connect": (42, 203), "copy_file_range": (326, 285),
    "creat": (85, None), "delete_module": (176, 106), "dup": (32, 23), "dup2": (33, None), "dup3": (292, 24),
    "epoll_create": (213, None), "epoll_create1": (291, 20), "epoll_ctl": (233, 21), "epoll_pwait": (281, 22),
    "epoll_pwait2": (441, 441), "epoll_wait": (232, None), "eventfd": (284, None), "eventfd2": (290, 19),
    "execve": (59, 221), "execveat": (322, 281), "exit": (60, 93), "exit_group": (231, 94),
    "faccessat": (269, 48), "faccessat2": (439, 439), "fadvise64": (221, 223), "fallocate": (285, 47),
    "fanotify_init": (300, 262), "fanotify_mark": (301, 263), "fchdir": (81, 50), "fchmod": (91, 52),
    "fchmodat": (268, 53), "fchmodat2": (452, 452), "fchown": (93, 55), "fchownat": (260, 54),
    "fcntl": (72, 25), "fdatasync": (75, 83), "fgetxattr": (193, 10), "finit_module": (313, 273),
    "flistxattr": (196, 13), "flock": (73, 32), "fork": (57, None), "fremovexattr": (199, 16),
    "fsconfig": (431, 431), "fsetxattr": (190, 7), "fsmount": (432, 432), "fsopen": (430, 430),
    "fspick": (433, 433), "fstat": (5, 80), "fstatfs": (138, 44), "fsync": (74, 82), "ftruncate": (77, 46),
    "futex": (202, 98), "futex_requeue": (456, 456), "futex_wait": (455, 455), "futex_waitv": (449, 449),
    "futex_wake": (454, 454), "futimesat": (261, None), "get_mempolicy": (239, 236),
    "get_robust_list": (274, 100), "getcpu": (309, 168), "getcwd": (79, 17), "getdents": (78, None),
    "getdents64": (217, 61), "getegid": (108, 177), "geteuid": (107, 175), "getgid": (104, 176),
    "getgroups": (115, 158), "getitimer": (36, 102), "getpeername": (52, 205), "getpgid": (121, 155),
    "getpgrp": (111, None), "getpid": (39, 172), "getppid": (110, 173), "getpriority": (140, 141),
    "getrandom": (318, 278), "getresgid": (120, 150), "getresuid": (118, 148), "getrlimit": (97, 163),
    "getrusage": (98, 165), "getsid": (124, 156), "getsockname": (51, 204), "getsockopt": (55, 209),
    "gettid": (186, 178), "gettimeofday": (96, 169), "getuid": (102, 174), "getxattr": (191, 8),
    "init_module": (175, 105), "inotify_add_watch": (254, 27), "inotify_init": (253, None),
    "inotify_init1": (294, 26), "inotify_rm_watch": (255, 28), "io_uring_enter": (426, 426),
    "io_uring_register": (427, 427), "io_uring_setup": (425, 425), "ioctl": (16, 29), "ioprio_set": (251, 30),
    "kcmp": (312, 272), "kexec_file_load": (320, 294), "kexec_load": (246, 104), "keyctl": (250, 219),
    "kill": (62, 129), "lchown": (94, None), "lgetxattr": (192, 9), "link": (86, None), "linkat": (265, 37),
    "listen": (50, 201), "listmount": (458, 458), "listxattr": (194, 11), "llistxattr": (195, 12),
    "lremovexattr": (198, 15), "lseek": (8, 62), "lsetxattr": (189, 6), "lstat": (6, None),
    "madvise": (28, 233), "map_shadow_stack": (453, 453), "membarrier": (324, 283), "memfd_create": (319, 279),
    "memfd_secret": (447, 447), "migrate_pages": (256, 238), "mincore": (27, 232), "mkdir": (83, None),
    "mkdirat": (258, 34), "mknod": (133, None), "mknodat": (259, 33), "mlock": (149, 228), "mlock2": (325, 284),
    "mlockall": (151, 230), "mmap": (9, 222), "mount": (165, 40), "mount_setattr": (442, 442),
    "move_mount": (429, 429), "move_pages": (279, 239), "mprotect": (10, 226), "mq_getsetattr": (245, 185),
    "mq_notify": (244, 184), "mq_open": (240, 180), "mq_timedreceive": (243, 183), "mq_timedsend": (242, 182),
    "mq_unlink": (241, 181), "mremap": (25, 216), "mseal": (462, 462), "msgctl": (71, 187), "msgget": (68, 186),
    "msgrcv": (70, 188), "msgsnd": (69, 189), "msync": (26, 227), "munlock": (150, 229),
    "munlockall": (152, 231), "munmap": (11, 215), "name_to_handle_at": (303, 264), "nanosleep": (35, 101),
    "newfstatat": (262, 79), "open": (2, None), "open_by_handle_at": (304, 265), "open_tree": (428, 428),
    "open_tree_attr": (467, 467), "openat": (257, 56), "pause": (34, None), "perf_event_open": (298, 241),
    "pidfd_getfd": (438, 438), "pidfd_open": (434, 434), "pidfd_send_signal": (424, 424), "pipe": (22, None),
    "pipe2": (293, 59), "pivot_root": (155, 41), "pkey_alloc": (330, 289), "pkey_free": (331, 290),
    "pkey_mprotect": (329, 288), "poll": (7, None), "ppoll": (271, 73), "prctl": (157, 167),
    "pread64": (17, 67), "preadv": (295, 69), "preadv2": (327, 286), "prlimit64": (302, 261),
    "process_madvise": (440, 440), "process_mrelease": (448, 448), "process_vm_readv": (310, 270),
    "process_vm_writev": (311, 271), "pselect6": (270, 72), "ptrace": (101, 117), "pwrite64": (18, 68),
    "pwritev": (296, 70), "pwritev2": (328, 287), "quotactl": (179, 60), "read": (0, 63),
    "readahead": (187, 213), "readlink": (89, None), "readlinkat": (267, 78), "readv": (19, 65),
    "reboot": (169, 142), "recvfrom": (45, 207), "recvmmsg": (299, 243), "recvmsg": (47, 212),
    "removexattr": (197, 14), "removexattrat": (466, 466), "rename": (82, None), "renameat": (264, 38),
    "renameat2": (316, 276), "request_key": (249, 218), "restart_syscall": (219, 128), "rmdir": (84, None),
    "rseq": (334, 293), "rt_sigaction": (13, 134), "rt_sigpending": (127, 136), "rt_sigprocmask": (14, 135),
    "rt_sigqueueinfo": (129, 138), "rt_sigreturn": (15, 139), "rt_sigsuspend": (130, 133),
    "rt_sigtimedwait": (128, 137), "rt_tgsigqueueinfo": (297, 240), "sched_get_priority_max": (146, 125),
    "sched_get_priority_min": (147, 126), "sched_getaffinity": (204, 123), "sched_getattr": (315, 275),
    "sched_getparam": (143, 121), "sched_getscheduler": (145, 120), "sched_rr_get_interval": (148, 127),
    "sched_setaffinity": (203, 122), "sched_setattr": (314, 274), "sched_setparam": (142, 118),
    "sched_setscheduler": (144, 119), "sched_yield": (24, 124), "seccomp": (317, 277), "select": (23, None),
    "semctl": (66, 191), "semget": (64, 190), "semop": (65, 193), "semtimedop": (220, 192),
    "sendfile": (40, 71), "sendmmsg": (307, 269), "sendmsg": (46, 211), "sendto": (44, 206),
    "set_mempolicy": (238, 237), "set_robust_list": (273, 99), "set_tid_address": (218, 96),
    "setdomainname": (171, 162), "setfsgid": (123, 152), "setfsuid": (122, 151), "setgid": (106, 144),
    "setgroups": (116, 159), "sethostname": (170, 161), "setitimer": (38, 103), "setns": (308, 268),
    "setpgid": (109, 154), "setpriority": (141, 140), "setregid": (114, 143), "setresgid": (119, 149),
    "setresuid": (117, 147), "setreuid": (113, 145), "setrlimit": (160, 164), "setsid": (112, 157),
    "setsockopt": (54, 208), "settimeofday": (164, 170), "setuid": (105, 146), "setxattr": (188, 5),
    "setxattrat": (463, 463), "shmat": (30, 196), "shmctl": (31, 195), "shmdt": (67, 197), "shmget": (29, 194),
    "shutdown": (48, 210), "sigaltstack": (131, 132), "signalfd": (282, None), "signalfd4": (289, 74),
    "socket": (41, 198), "socketpair": (53, 199), "splice": (275, 76), "stat": (4, None), "statfs": (137, 43),
    "statmount": (457, 457), "statx": (332, 291), "swapoff": (168, 225), "swapon": (167, 224),
    "symlink": (88, None), "symlinkat": (266, 36), "sync_file_range": (277, 84), "sysinfo": (99, 179),
    "syslog": (103, 116), "tee": (276, 77), "tgkill": (234, 131), "time": (201, None),
    "timer_create": (222, 107), "timer_delete": (226, 111), "timer_getoverrun": (225, 109),
    "timer_gettime": (224, 108), "timer_settime": (223, 110), "timerfd_create": (283, 85),
    "timerfd_gettime": (287, 87), "timerfd_settime": (286, 86), "times": (100, 153), "tkill": (200, 130),
    "truncate": (76, 45), "umask": (95, 166), "umount2": (166, 39), "uname": (63, 160), "unlink": (87, None),
    "unlinkat": (263, 35), "unshare": (272, 97), "userfaultfd": (323, 282), "utime": (132, None),
    "utimensat": (280, 88), "utimes": (235, None), "vfork": (58, None), "vmsplice": (278, 75),
    "wait4": (61, 260), "waitid": (247, 95), "write": (1, 64), "writev": (20, 66),
}  # fmt: skip
"""The names above, and those whose arguments decide."""


_X32 = 0x4000_0000
"""Set in the numbers of x32, a second way into the same calls on x86-64."""
_EPERM, _EINVAL, _ENOTTY, _ENOSYS = 1, 22, 25, 38
_KILL, _ERRNO, _ALLOW = 0x8000_0000, 0x0005_0000, 0x7FFF_0000
_LOAD, _AND, _JUMP, _EQUAL, _AT_LEAST, _ANY_BIT, _RETURN = 0x20, 0x54, 0x05, 0x15, 0x35, 0x45, 0x06
_NR, _ARCH = 0, 4
_ARGUMENTS = 16
"""Where the first argument stands in ``struct seccomp_data``; each takes eight bytes, the low half first."""
_NO_CHILD_OF_A_BOT = 0x7E02_0080 | 0x1000
"""Flags of clone: all new namespaces (time, mount, cgroup, uts, ipc, user, pid, net), and a handle of the process."""
_TIOCSTI, _TIOCLINUX = 0x5412, 0x541C
_IOCTLS = (0x5401, 0x5402, 0x5403, 0x5404, 0x540F, 0x5410, 0x5411, 0x5413, 0x541B, 0x5421, 0x5450, 0x5451, 0x5452)
"""Of terminals: attributes, process group, size. Of all: bytes that wait, waiting or not, closing at exec, signals.
Not: what tells of file systems, or leaves marks on files that are open for reading."""
_FCNTLS = (0, 1, 2, 3, 4, 5, 8, 9, 10, 11, 15, 16, 36, 1025, 1027, 1028, 1030, 1032)
"""Of descriptors and pipes. Not: hints on how long a file lives, which stay with it; watches; leases; larger pipes, of
whose pages a user has so many."""
_LOCKING = (6, 7, 37, 38)
_ADVICE = (0, 1, 2, 3, 4, 8, 9, 10, 11, 14, 15, 16, 17, 18, 19, 22, 23, 24, 25)
"""On memory of one's own. Not: to have pages of files leave memory, or to share equal pages with others (ksm)."""
_PRCTLS = (2, 3, 4, 7, 8, 15, 16, 21, 22, 23, 25, 26, 27, 29, 30, 36, 37, 38, 39, 40, 41, 42, 52, 53, 0x5356_4D41)
"""Of the process: its name, timers, privileges, huge pages, names of memory. Not: its signal when the host dies."""
_RLIMIT_RTTIME = 15
_UNIX, _TYPE, _STREAM, _PACKETS = 1, 0xF, 1, 5
_OF_SOCKETS = 1
"""SOL_SOCKET: the level of the options below."""
_TIMEOUTS = (20, 21, 66, 67)
_TOLD_OF_SOCKETS = (3, 4, 7, 8, 30, 38, 39, *_TIMEOUTS)
"""Type, error, sizes, listening, protocol, family. Not: cookies, which the kernel counts; handles of processes."""
_CLOCKS = range(12)
_OWN_CLOCKS = (0xFFFF_FFF8, 0xFFFF_FFF9, 0xFFFF_FFFA)
"""Of the processor time of this process, without its number."""
_OF_A_THREAD = 0x8000_0004
"""Bits of a clock of a thread's processor time; the kernel has none of another process's threads."""
_SHARED_MEMORY, _KIND_OF_MEMORY = 0x21, 0x2F
"""Memory shared without a file: its numbers, which ``/proc/self/maps`` shows, are counted for all."""
_PIPE_OF_NEWS = 0x80
_LARGE_PAGES = 0x4_0000
"""From a store that the whole machine shares."""


_MACHINES = {"x86_64": (0xC000_003E, 0), "aarch64": (0xC000_00B7, 1)}
"""AUDIT_ARCH of the native calls, and which number of ``NUMBERS`` is the machine's own."""


def supported() -> bool:
    """Whether the filter is known for this machine's processor."""
    return platform.machine() in _MACHINES


def program(*, network: bool = False, locks: bool = False, marks: bool = True, queued: bool = True) -> bytes:
    """The filter as an array of ``struct sock_filter``; ``KeyError`` on a processor whose calls are not known here.

    ``network`` allows sockets, ``locks`` locks on files, ``marks`` changing modes, owners and times of files,
    ``queued`` signals that wait.
    """
    arch, column = _MACHINES[platform.machine()]
    return _assembled(arch=arch, column=column, network=network, locks=locks, marks=marks, queued=queued)


@cache
def _assembled(*, arch: int, column: int, network: bool, locks: bool, marks: bool, queued: bool) -> bytes:
    verdicts = (
        (ALLOWED, True),
        (REFUSED, False),
        (NETWORK, network),
        (LOCKS, locks),
        (MARKS, marks),
        (QUEUED, queued),
    )
    calls: dict[int, list[bytes]] = {}
    for groups, allowed in verdicts:
        for number in _numbers(groups.values(), column):
            calls.setdefault(number, [_step(_RETURN, _ALLOW if allowed else _ERRNO | _EPERM)])
    for name, decision in _by_arguments(network=network, locks=locks, queued=queued).items():
        of_this_machine = NUMBERS[name][column]
        if of_this_machine is not None:
            calls[of_this_machine] = decision
    steps = [_step(_LOAD, _ARCH), _step(_EQUAL, arch, 1, 0), _step(_RETURN, _KILL), _step(_LOAD, _NR)]
    if column == 0:
        steps += [_step(_AT_LEAST, _X32, 0, 1), _step(_RETURN, _KILL)]
    return b"".join([*steps, *_search(_ranges(calls))])


class _Range(NamedTuple):
    """Calls with the same verdict, up to the next range."""

    first: int
    steps: list[bytes]
    """The last one returns."""


def _ranges(calls: Mapping[int, list[bytes]]) -> list[_Range]:
    unknown = [_step(_RETURN, _ERRNO | _ENOSYS)]
    ranges = [_Range(0, calls.get(0, unknown))]
    for first in sorted({edge for number in calls for edge in (number, number + 1)}):
        steps = calls.get(first, unknown)
        if steps != ranges[-1].steps:
            ranges.append(_Range(first, steps))
    return ranges


def _search(ranges: Sequence[_Range]) -> list[bytes]:
    """Steps that find the range of a call by binary search: the kernel tries each call there is, which takes time."""
    if len(ranges) == 1:
        return ranges[0].steps
    half = len(ranges) // 2
    below, above = _search(ranges[:half]), _search(ranges[half:])
    # a test skips 255 steps at most, a jump any number
    return [_step(_AT_LEAST, ranges[half].first, 0, 1), _step(_JUMP, len(below)), *below, *above]


def _numbers(groups: Iterable[str], column: int) -> Iterable[int]:
    for names in groups:
        for name in names.split():
            number = NUMBERS[name][column]
            if number is not None:
                yield number


def _by_arguments(*, network: bool, locks: bool, queued: bool) -> dict[str, list[bytes]]:
    clock = (
        (_Among(0, _CLOCKS),),
        (_Among(0, _OWN_CLOCKS),),
        (_Among(0, (_OF_A_THREAD,), mask=_OF_A_THREAD),),
    )
    self_only = _only((_Among(0, (0,)),), error=_EPERM)
    calls = {
        # its flags lie in memory, which no filter can read; libraries then use clone
        "clone3": [_step(_RETURN, _ERRNO | _ENOSYS)],
        "clone": [*_if_any(0, _ANY_BIT, [_NO_CHILD_OF_A_BOT], _EPERM), _step(_RETURN, _ALLOW)],
        "ioctl": [*_if_any(1, _EQUAL, [_TIOCSTI, _TIOCLINUX], _EPERM), *_only((_Among(1, _IOCTLS),), error=_ENOTTY)],
        "fcntl": [
            *([] if locks else _if_any(1, _EQUAL, _LOCKING, _EPERM)),
            *_only((_Among(1, (*_FCNTLS, *(_LOCKING if locks else ()))),), error=_EINVAL),
        ],
        "mmap": [
            *_if_all((_Among(3, (_SHARED_MEMORY,), mask=_KIND_OF_MEMORY),), _ERRNO | _EPERM),
            *_if_any(3, _ANY_BIT, [_LARGE_PAGES], _EPERM),
            _step(_RETURN, _ALLOW),
        ],
        # of these a machine has so many
        "pipe2": [*_if_any(1, _ANY_BIT, [_PIPE_OF_NEWS], _EINVAL), _step(_RETURN, _ALLOW)],
        "madvise": _only((_Among(2, _ADVICE),), error=_EPERM),
        "prctl": _only((_Among(0, _PRCTLS),), error=_EINVAL),
        # flags: to read only what is in memory, or not to leave it there
        "preadv2": _only((_Among(5, (0,)),), error=_EPERM),
        "pwritev2": _only((_Among(5, (0,)),), error=_EPERM),
        # a process may lower its own limits only, and not the limit by which the guard knows it
        "prlimit64": [*_if_any(1, _EQUAL, [_RLIMIT_RTTIME], _EPERM), *self_only],
        "setrlimit": [*_if_any(0, _EQUAL, [_RLIMIT_RTTIME], _EPERM), _step(_RETURN, _ALLOW)],
        # of another process these would tell that it is there, and what it does
        "getsid": self_only,
        "getpgid": self_only,
        "getpriority": _only((_Among(0, (0,)), _Among(1, (0,))), error=_EPERM),
        # it says that it worked and does nothing: /proc numbers sessions, and counts those of all
        "setsid": [_step(_RETURN, _ERRNO)],
        "clock_gettime": _only(*clock, error=_EINVAL),
        "clock_getres": _only(*clock, error=_EINVAL),
        "clock_nanosleep": _only(*clock, error=_EINVAL),
    }
    if queued:
        calls["timer_create"] = _only(*clock, error=_EINVAL)
    if not network:
        # these reach only their other end; of others, raw ones too, the kernel makes what reaches any address
        calls["socketpair"] = _only((_Among(0, (_UNIX,)), _Among(1, (_STREAM, _PACKETS), mask=_TYPE)), error=_EPERM)
        calls["getsockopt"] = _only((_Among(1, (_OF_SOCKETS,)), _Among(2, _TOLD_OF_SOCKETS)), error=_EPERM)
        calls["setsockopt"] = _only((_Among(1, (_OF_SOCKETS,)), _Among(2, _TIMEOUTS)), error=_EPERM)
    return calls


def _step(code: int, value: int, if_true: int = 0, if_false: int = 0) -> bytes:
    return struct.pack("=HBBI", code, if_true, if_false, value)


def _if_any(argument: int, test: int, values: Iterable[int], error: int) -> list[bytes]:
    """Fail with an error if the low half of an argument passes a test with one of the values."""
    steps = [_step(_LOAD, _ARGUMENTS + 8 * argument)]
    for value in values:
        steps += [_step(test, value, 0, 1), _step(_RETURN, _ERRNO | error)]
    return steps


class _Among(NamedTuple):
    """The low half of an argument, as far as the mask goes, is one of the values."""

    argument: int
    values: Sequence[int]
    mask: int = 0xFFFF_FFFF


def _if_all(case: Sequence[_Among], verdict: int) -> list[bytes]:
    """Return the verdict if all of these hold; else go on behind these steps."""
    steps = [_step(_RETURN, verdict)]
    for among in reversed(case):
        tests = [_step(_LOAD, _ARGUMENTS + 8 * among.argument)]
        if among.mask != _Among._field_defaults["mask"]:
            tests.append(_step(_AND, among.mask))
        # a match skips the other tests, and the jump that follows them
        tests += [_step(_EQUAL, among.values[-offset], offset, 0) for offset in range(len(among.values), 0, -1)]
        steps = [*tests, _step(_JUMP, len(steps)), *steps]
    return steps


def _only(*cases: Sequence[_Among], error: int) -> list[bytes]:
    """Allow the call if everything in one of the cases holds, else fail with an error."""
    return [*(step for case in cases for step in _if_all(case, _ALLOW)), _step(_RETURN, _ERRNO | error)]
