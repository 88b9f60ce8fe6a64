"""System calls that Python's standard library does not offer."""

import ctypes
import os

_LIBC = ctypes.CDLL(None, use_errno=True)

CLONE_NEWNS = 0x00020000
CLONE_NEWUSER = 0x10000000

# Flags that mount and mount_setattr have in common.
MS_RDONLY = 1
MS_NOSUID = 2
MS_NODEV = 4
MS_BIND = 4096
MS_REC = 16384
MS_PRIVATE = 1 << 18
_MNT_DETACH = 2

_MOUNT_SETATTR = 442
_AT_FDCWD = -100
_AT_RECURSIVE = 0x8000

_PR_SET_PDEATHSIG = 1
_PR_SET_SECCOMP = 22
_PR_SET_CHILD_SUBREAPER = 36
_PR_SET_NO_NEW_PRIVS = 38
_SECCOMP_MODE_FILTER = 2
_BPF_INSTRUCTION_BYTES = 8


class _MountAttributes(ctypes.Structure):
    _fields_ = tuple((name, ctypes.c_uint64) for name in ("set", "clear", "propagation", "user_namespace"))


class _Program(ctypes.Structure):
    _fields_ = (("length", ctypes.c_ushort), ("instructions", ctypes.c_void_p))


def checked(result: int, call: str) -> int:
    """The result of a call; raises OSError if it failed."""
    if result < 0:
        number = ctypes.get_errno()
        raise OSError(number, f"{call}: {os.strerror(number)}")
    return result


def system_call(number: int, *arguments: object) -> int:
    return checked(_LIBC.syscall(number, *arguments), f"system call {number}")


def unshare(flags: int) -> None:
    checked(_LIBC.unshare(flags), "unshare")


def mount(source: str, target: str, *, kind: str | None = None, flags: int = 0, options: str = "") -> None:
    result = _LIBC.mount(
        os.fsencode(source),
        os.fsencode(target),
        kind.encode() if kind else None,
        ctypes.c_ulong(flags),
        options.encode() if options else None,
    )
    checked(result, f"mount {target}")


def restrict(target: str, attributes: int, *, is_recursive: bool = False) -> None:
    """Add attributes to a mount, and to all mounts below it; since Linux 5.12."""
    wanted = _MountAttributes(set=attributes)
    flags = _AT_RECURSIVE if is_recursive else 0
    path = os.fsencode(target)
    result = _LIBC.syscall(
        _MOUNT_SETATTR, _AT_FDCWD, path, flags, ctypes.byref(wanted), ctypes.sizeof(wanted)
    )
    checked(result, f"mount_setattr {target}")


def unmount(target: str) -> None:
    checked(_LIBC.umount2(os.fsencode(target), _MNT_DETACH), f"umount {target}")


def become_subreaper() -> None:
    """Adopt orphaned processes of programs, so that they can be killed and reaped."""
    _prctl(_PR_SET_CHILD_SUBREAPER, 1)


def die_with_parent(signal: int) -> None:
    _prctl(_PR_SET_PDEATHSIG, signal)


def set_no_new_privileges() -> None:
    _prctl(_PR_SET_NO_NEW_PRIVS, 1)


def install_filter(code: bytes) -> None:
    """Apply a seccomp filter to this process and its descendants."""
    buffer = ctypes.create_string_buffer(code, len(code))
    program = _Program(len(code) // _BPF_INSTRUCTION_BYTES, ctypes.addressof(buffer))
    _prctl(_PR_SET_SECCOMP, _SECCOMP_MODE_FILTER, ctypes.byref(program))


def _prctl(option: int, *arguments: object) -> None:
    padded = [*arguments, *([0] * (4 - len(arguments)))]
    words = [ctypes.c_ulong(one) if isinstance(one, int) else one for one in padded]
    checked(_LIBC.prctl(option, *words), f"prctl {option}")
