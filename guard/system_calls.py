"""Linux's system calls by name: their numbers, and which of them a runner may not make.

Numbers of x86_64 and of aarch64 (Linux's generic table); none where a machine lacks the call.
Start at `REFUSED`. Not here: the filter (`seccomp`).
"""

from collections.abc import Mapping

# The kernel's AUDIT_ARCH constants.
MACHINES: Mapping[str, int] = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}

REFUSED: Mapping[str, tuple[int | None, int | None]] = {
    # Memory and state of other processes.
    "ptrace": (101, 117),
    "process_vm_readv": (310, 270),
    "process_vm_writev": (311, 271),
    "process_madvise": (440, 440),
    "process_mrelease": (448, 448),
    "kcmp": (312, 272),
    "migrate_pages": (256, 238),
    "pidfd_open": (434, 434),
    "pidfd_getfd": (438, 438),
    "pidfd_send_signal": (424, 424),
    # The kernel itself, and what observes or programs it.
    "perf_event_open": (298, 241),
    "bpf": (321, 280),
    "userfaultfd": (323, 282),
    "io_uring_setup": (425, 425),
    "io_uring_enter": (426, 426),
    "io_uring_register": (427, 427),
    "kexec_load": (246, 104),
    "kexec_file_load": (320, 294),
    "init_module": (175, 105),
    "finit_module": (313, 273),
    "delete_module": (176, 106),
    "reboot": (169, 142),
    "syslog": (103, 116),
    "acct": (163, 89),
    "personality": (135, 92),
    "modify_ldt": (154, None),
    "iopl": (172, None),
    "ioperm": (173, None),
    "lookup_dcookie": (212, 18),
    "nfsservctl": (180, 42),
    "vhangup": (153, 58),
    # Keys.
    "add_key": (248, 217),
    "request_key": (249, 218),
    "keyctl": (250, 219),
    # The view of the file system, and namespaces.
    "mount": (165, 40),
    "umount2": (166, 39),
    "pivot_root": (155, 41),
    "chroot": (161, 51),
    "move_mount": (429, 429),
    "open_tree": (428, 428),
    "fsopen": (430, 430),
    "fsconfig": (431, 431),
    "fsmount": (432, 432),
    "fspick": (433, 433),
    "mount_setattr": (442, 442),
    "unshare": (272, 97),
    "setns": (308, 268),
    "name_to_handle_at": (303, 264),
    "open_by_handle_at": (304, 265),
    "fanotify_init": (300, 262),
    "swapon": (167, 224),
    "swapoff": (168, 225),
    "quotactl": (179, 60),
    "quotactl_fd": (443, 443),
    # Clocks and names of the host.
    "settimeofday": (164, 170),
    "clock_settime": (227, 112),
    "adjtimex": (159, 171),
    "clock_adjtime": (305, 266),
    "sethostname": (170, 161),
    "setdomainname": (171, 162),
}
"""Never, whatever their arguments."""

BETWEEN_PROCESSES: Mapping[str, tuple[int | None, int | None]] = {
    "shmget": (29, 194),
    "semget": (64, 190),
    "msgget": (68, 186),
    "mq_open": (240, 180),
}
"""Shared memory and queues that outlive a runner, where IPC is not its own."""

UNCOUNTED: Mapping[str, tuple[int | None, int | None]] = {
    "memfd_create": (319, 279),
    "memfd_secret": (447, 447),
    "shmget": (29, 194),
}
"""Memory that no limit counts once it is not mapped, where memory has a limit."""

ON_OTHERS: Mapping[str, tuple[int | None, int | None]] = {
    "sched_setaffinity": (203, 122),
    "sched_setscheduler": (144, 119),
    "sched_setparam": (142, 118),
    "sched_setattr": (314, 274),
}
"""Calls that take a process in their first argument and set how it is scheduled."""

SIGNALS: Mapping[str, tuple[int | None, int | None]] = {
    "kill": (62, 129),
    "tgkill": (234, 131),
}
"""Calls that take a process in their first argument and send it a signal."""

KILLERS: Mapping[str, tuple[int | None, int | None]] = {
    "tkill": (200, 130),
    "rt_sigqueueinfo": (129, 138),
    "rt_tgsigqueueinfo": (297, 240),
}
"""Signals by rarer ways."""

_RULED: Mapping[str, tuple[int | None, int | None]] = {
    "connect": (42, 203),
    "clone": (56, 220),
    "clone3": (435, 435),
    "socket": (41, 198),
    "socketpair": (53, 199),
    "setpriority": (141, 140),
    "ioprio_set": (251, 30),
    "prlimit64": (302, 261),
    "fcntl": (72, 25),
    "ioctl": (16, 29),
    "prctl": (157, 167),
}
"""Calls that are answered by their arguments, or by another error than EPERM."""

_ALL = {
    **REFUSED, **BETWEEN_PROCESSES, **UNCOUNTED, **ON_OTHERS, **SIGNALS, **KILLERS, **_RULED,
}  # fmt: skip


def number(name: str, machine: str) -> int | None:
    """A call's number, none where the machine lacks it."""
    return dict(zip(MACHINES, _ALL[name], strict=True))[machine]
