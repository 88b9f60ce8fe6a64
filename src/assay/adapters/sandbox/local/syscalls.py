"""System call numbers for the two supported architectures."""

from dataclasses import dataclass
from typing import Literal

Machine = Literal["x86_64", "aarch64"]


@dataclass(frozen=True, slots=True)
class Table:
    """`audit` is the kernel's constant of the architecture; numbers from `alien` on are of another ABI."""

    audit: int
    alien: int | None
    numbers: dict[str, int]


# Denied everywhere: they act on the kernel, on other processes or on what is mounted.
ALWAYS_DENIED = [
    "mount", "umount2", "pivot_root", "chroot", "mount_setattr", "open_tree", "move_mount", "fsopen",
    "fsconfig", "fsmount", "fspick", "setns", "unshare", "bpf", "perf_event_open", "userfaultfd",
    "io_uring_setup", "io_uring_enter", "io_uring_register", "add_key", "request_key", "keyctl",
    "ptrace", "process_vm_readv", "process_vm_writev", "process_madvise", "kcmp", "pidfd_getfd",
    "open_by_handle_at", "name_to_handle_at", "init_module", "finit_module", "delete_module",
    "kexec_load", "kexec_file_load", "mknod", "mknodat", "swapon", "swapoff", "reboot", "acct",
    "quotactl", "quotactl_fd", "syslog", "settimeofday", "clock_settime", "clock_adjtime", "adjtimex",
    "sethostname", "setdomainname", "lookup_dcookie", "nfsservctl", "vhangup", "fanotify_init", "iopl",
    "ioperm", "modify_ldt", "uselib", "memfd_secret",
]  # fmt: skip

# Denied without a pid namespace that hides the service's processes, or a cgroup that measures memory.
SHARED_DENIED = [
    "kill", "tkill", "rt_sigqueueinfo", "rt_tgsigqueueinfo", "pidfd_send_signal", "setpriority",
    "sched_setscheduler", "sched_setparam", "sched_setattr", "ioprio_set", "migrate_pages",
    "move_pages", "process_mrelease", "shmget", "shmat", "semget", "msgget",
    "mq_open",
]  # fmt: skip

TABLES: dict[Machine, Table] = {
    "x86_64": Table(
        audit=0xC000003E,
        alien=0x40000000,
        numbers={
            "mount": 165, "umount2": 166, "pivot_root": 155, "chroot": 161, "mount_setattr": 442,
            "open_tree": 428, "move_mount": 429, "fsopen": 430, "fsconfig": 431, "fsmount": 432,
            "fspick": 433, "setns": 308, "unshare": 272, "bpf": 321, "perf_event_open": 298,
            "userfaultfd": 323, "io_uring_setup": 425, "io_uring_enter": 426, "io_uring_register": 427,
            "add_key": 248, "request_key": 249, "keyctl": 250, "ptrace": 101, "process_vm_readv": 310,
            "process_vm_writev": 311, "process_madvise": 440, "kcmp": 312, "pidfd_getfd": 438,
            "open_by_handle_at": 304, "name_to_handle_at": 303, "init_module": 175, "finit_module": 313,
            "delete_module": 176, "kexec_load": 246, "kexec_file_load": 320, "mknod": 133, "mknodat": 259,
            "swapon": 167, "swapoff": 168, "reboot": 169, "acct": 163, "quotactl": 179, "quotactl_fd": 443,
            "syslog": 103, "settimeofday": 164, "clock_settime": 227, "clock_adjtime": 305, "adjtimex": 159,
            "sethostname": 170, "setdomainname": 171, "lookup_dcookie": 212, "nfsservctl": 180,
            "vhangup": 153, "fanotify_init": 300, "iopl": 172, "ioperm": 173, "modify_ldt": 154,
            "uselib": 134, "memfd_secret": 447, "kill": 62, "tkill": 200, "tgkill": 234,
            "rt_sigqueueinfo": 129, "rt_tgsigqueueinfo": 297, "pidfd_send_signal": 424, "setpriority": 141,
            "sched_setscheduler": 144, "sched_setparam": 142, "sched_setattr": 314, "ioprio_set": 251,
            "migrate_pages": 256, "move_pages": 279, "process_mrelease": 448, "memfd_create": 319,
            "shmget": 29, "shmat": 30, "semget": 64, "msgget": 68, "mq_open": 240,
            "sched_setaffinity": 203, "prlimit64": 302, "clone": 56, "clone3": 435, "socket": 41,
            "socketpair": 53, "ioctl": 16,
        },
    ),
    "aarch64": Table(
        audit=0xC00000B7,
        alien=None,
        numbers={
            "mount": 40, "umount2": 39, "pivot_root": 41, "chroot": 51, "mount_setattr": 442,
            "open_tree": 428, "move_mount": 429, "fsopen": 430, "fsconfig": 431, "fsmount": 432,
            "fspick": 433, "setns": 268, "unshare": 97, "bpf": 280, "perf_event_open": 241,
            "userfaultfd": 282, "io_uring_setup": 425, "io_uring_enter": 426, "io_uring_register": 427,
            "add_key": 217, "request_key": 218, "keyctl": 219, "ptrace": 117, "process_vm_readv": 270,
            "process_vm_writev": 271, "process_madvise": 440, "kcmp": 272, "pidfd_getfd": 438,
            "open_by_handle_at": 265, "name_to_handle_at": 264, "init_module": 105, "finit_module": 273,
            "delete_module": 106, "kexec_load": 104, "kexec_file_load": 294, "mknodat": 33,
            "swapon": 224, "swapoff": 225, "reboot": 142, "acct": 89, "quotactl": 60, "quotactl_fd": 443,
            "syslog": 116, "settimeofday": 170, "clock_settime": 112, "clock_adjtime": 266, "adjtimex": 171,
            "sethostname": 161, "setdomainname": 162, "lookup_dcookie": 18, "nfsservctl": 42,
            "vhangup": 58, "fanotify_init": 262, "memfd_secret": 447, "kill": 129, "tkill": 130,
            "tgkill": 131, "rt_sigqueueinfo": 138, "rt_tgsigqueueinfo": 240, "pidfd_send_signal": 424,
            "setpriority": 140, "sched_setscheduler": 119, "sched_setparam": 118, "sched_setattr": 274,
            "ioprio_set": 30, "migrate_pages": 238, "move_pages": 239, "process_mrelease": 448,
            "memfd_create": 279,
            "shmget": 194, "shmat": 196, "semget": 190, "msgget": 186, "mq_open": 180,
            "sched_setaffinity": 122, "prlimit64": 261, "clone": 220, "clone3": 435,
            "socket": 198, "socketpair": 199, "ioctl": 29,
        },
    ),
}  # fmt: skip
