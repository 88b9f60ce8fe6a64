"""Landlock: the kernel denies a process access to all files except those below given folders."""

import ctypes
import errno
import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from assay.adapters.sandbox.local import linux

_CREATE_RULESET, _ADD_RULE, _RESTRICT_SELF = 444, 445, 446
_VERSION_FLAG = 1
_PATH_BENEATH = 1

_EXECUTE, _WRITE_FILE, _READ_FILE, _READ_DIR = 1 << 0, 1 << 1, 1 << 2, 1 << 3
_TRUNCATE = 1 << 14
_FIRST_RIGHTS = (1 << 13) - 1
_REFER = 1 << 13
_IOCTL_DEV = 1 << 15
_NETWORK_RIGHTS = 0b11
_SCOPES = 0b11
_READ_ONLY = _EXECUTE | _READ_FILE | _READ_DIR
_OF_FILES = _EXECUTE | _WRITE_FILE | _READ_FILE | _TRUNCATE | _IOCTL_DEV

_REFER_SINCE, _TRUNCATE_SINCE, _NETWORK_SINCE, _IOCTL_SINCE, _SCOPE_SINCE = 2, 3, 4, 5, 6


class _Ruleset(ctypes.Structure):
    _fields_ = (("files", ctypes.c_uint64), ("network", ctypes.c_uint64), ("scoped", ctypes.c_uint64))


class _Beneath(ctypes.Structure):
    _pack_ = 1
    _fields_ = (("allowed", ctypes.c_uint64), ("parent", ctypes.c_int32))


@dataclass(frozen=True, slots=True)
class Rules:
    readable: Sequence[str]
    writable: Sequence[str]
    has_network: bool = False


def abi() -> int:
    """The kernel's version of Landlock; 0 if it has none."""
    try:
        return linux.system_call(_CREATE_RULESET, None, 0, _VERSION_FLAG)
    except OSError as error:
        if error.errno in (errno.ENOSYS, errno.EOPNOTSUPP, errno.EPERM):
            return 0
        raise


def confine(rules: Rules) -> None:
    """Apply the rules to this process and its descendants, irrevocably."""
    version = abi()
    handled = _handled(version)
    attributes = _Ruleset(
        handled,
        _NETWORK_RIGHTS if version >= _NETWORK_SINCE and not rules.has_network else 0,
        _SCOPES if version >= _SCOPE_SINCE else 0,
    )
    ruleset = linux.system_call(_CREATE_RULESET, ctypes.byref(attributes), ctypes.sizeof(attributes), 0)
    for path in rules.readable:
        _allow(ruleset, path, _READ_ONLY & handled)
    for path in rules.writable:
        # No rule for ioctl on devices: the only reachable devices in /dev hold no state.
        _allow(ruleset, path, handled & ~_IOCTL_DEV)
    linux.set_no_new_privileges()
    linux.system_call(_RESTRICT_SELF, ruleset, 0)
    os.close(ruleset)


def _handled(version: int) -> int:
    rights = _FIRST_RIGHTS
    for since, right in ((_REFER_SINCE, _REFER), (_TRUNCATE_SINCE, _TRUNCATE), (_IOCTL_SINCE, _IOCTL_DEV)):
        if version >= since:
            rights |= right
    return rights


def _allow(ruleset: int, path: str, rights: int) -> None:
    try:
        parent = os.open(path, os.O_PATH | os.O_CLOEXEC)
    except (FileNotFoundError, PermissionError):
        # A path that cannot be opened needs no rule.
        return
    try:
        if not Path(path).is_dir():
            rights &= _OF_FILES
        beneath = _Beneath(rights, parent)
        linux.system_call(_ADD_RULE, ruleset, _PATH_BENEATH, ctypes.byref(beneath), 0)
    finally:
        os.close(parent)
