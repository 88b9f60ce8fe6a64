"""Assembles the seccomp filter: a list of denied system calls, and checks of some arguments."""

import errno
import platform
import struct
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from assay.adapters.sandbox.local.syscalls import ALWAYS_DENIED, SHARED_DENIED, TABLES, Machine, Table

_LOAD = 0x20
_EQUAL = 0x15
_AT_LEAST = 0x35
_ANY_BIT = 0x45
_RETURN = 0x06

_KILL_PROCESS = 0x80000000
_ALLOW_VALUE = 0x7FFF0000
_ERRNO = 0x00050000

_NUMBER, _ARCHITECTURE = 0, 4
_NAMESPACES = 0x7E020000  # every CLONE_NEW* flag that clone takes
_TIOCSTI, _TIOCLINUX = 0x5412, 0x541C
_AF_UNIX, _AF_INET, _AF_INET6, _AF_NETLINK = 1, 2, 10, 16
_NETLINK_ROUTE = 0

_MACHINES: dict[str, Machine] = {"x86_64": "x86_64", "aarch64": "aarch64"}

# For fewer calls than this, linear comparison is shorter than a binary search.
_FEW = 4

_ALLOW, _DENY, _ABSENT = "allow", "deny", "absent"


def _argument(index: int) -> int:
    # The low half of a 64-bit argument; both architectures are little-endian.
    return 16 + 8 * index


@dataclass(frozen=True, slots=True)
class Policy:
    """What a filter allows in addition; `own_pid` is set if the pid namespace is shared."""

    has_sockets: bool
    own_pid: int | None = None
    # Whether no control group measures memory and CPU time.
    is_uncounted: bool = False


@dataclass(frozen=True, slots=True)
class _Step:
    """One instruction; a jump goes to its label on a match, and falls through otherwise."""

    code: int
    value: int
    label: str | None = None


def machine() -> Machine | None:
    """This machine's architecture, or None if the filter does not support it."""
    return _MACHINES.get(platform.machine())


@lru_cache(maxsize=8)
def assembled(policy: Policy, on: Machine) -> bytes:
    """The filter in the binary form of the kernel."""
    table = TABLES[on]
    blocks = _blocks(policy, table)
    starts: dict[str, int] = {}
    steps: list[_Step] = []
    for name, block in blocks.items():
        starts[name] = len(steps)
        steps.extend(block)
    return b"".join(_encoded(step, position, starts) for position, step in enumerate(steps))


def _encoded(step: _Step, position: int, starts: dict[str, int]) -> bytes:
    distance = starts[step.label] - position - 1 if step.label else 0
    return struct.pack("=HBBI", step.code, distance, 0, step.value)


def _blocks(policy: Policy, table: Table) -> dict[str, list[_Step]]:
    """Jumps go forward only, so the verdicts come last."""
    denied = [*ALWAYS_DENIED, *(SHARED_DENIED if policy.own_pid is not None else ())]
    if policy.is_uncounted:
        denied += ["sched_setaffinity", "memfd_create"]
    return {
        "architecture": [
            _Step(_LOAD, _ARCHITECTURE),
            _Step(_EQUAL, table.audit, "calls"),
            _Step(_RETURN, _KILL_PROCESS),
        ],
        **_calls(table, denied, policy),
        "clone": [
            _Step(_LOAD, _argument(0)),
            _Step(_ANY_BIT, _NAMESPACES, _DENY),
            _Step(_RETURN, _ALLOW_VALUE),
        ],
        "socketpair": _one_of(0, [_AF_UNIX]),
        "socket": _socket_families(policy),
        "netlink": _one_of(2, [_NETLINK_ROUTE]),
        "ioctl": [
            _Step(_LOAD, _argument(1)),
            _Step(_EQUAL, _TIOCSTI, _DENY),
            _Step(_EQUAL, _TIOCLINUX, _DENY),
            _Step(_RETURN, _ALLOW_VALUE),
        ],
        "tgkill": _one_of(0, [policy.own_pid or 0]),
        "prlimit64": _one_of(0, [0]),
        _ABSENT: [_Step(_RETURN, _ERRNO | errno.ENOSYS)],
        _DENY: [_Step(_RETURN, _ERRNO | errno.EPERM)],
        _ALLOW: [_Step(_RETURN, _ALLOW_VALUE)],
    }


def _calls(table: Table, denied: Sequence[str], policy: Policy) -> dict[str, list[_Step]]:
    checks = {name: name for name in ("clone", "socket", "socketpair", "ioctl")} | {"clone3": _ABSENT}
    if policy.own_pid is not None:
        checks |= {"tgkill": "tgkill", "prlimit64": "prlimit64"}
    steps = [_Step(_LOAD, _NUMBER)]
    if table.alien is not None:
        steps.append(_Step(_AT_LEAST, table.alien, _DENY))
    labels = {name: _DENY for name in denied if name in table.numbers} | checks
    numbered = sorted((table.numbers[name], label) for name, label in labels.items())
    return {"calls": steps, **_halves("all", numbered)}


def _halves(name: str, numbered: Sequence[tuple[int, str]]) -> dict[str, list[_Step]]:
    """Binary search for a call: the kernel evaluates a filter for every call number when it is installed."""
    if len(numbered) <= _FEW:
        found = [_Step(_EQUAL, number, label) for number, label in numbered]
        return {name: [*found, _Step(_RETURN, _ALLOW_VALUE)]}
    lower, upper = numbered[: len(numbered) // 2], numbered[len(numbered) // 2 :]
    below, above = f"below {upper[0][0]}", f"from {upper[0][0]}"
    split = [_Step(_AT_LEAST, upper[0][0], above)]
    return {name: split, **_halves(below, lower), **_halves(above, upper)}


def _socket_families(policy: Policy) -> list[_Step]:
    if not policy.has_sockets:
        return [_Step(_RETURN, _ERRNO | errno.EPERM)]
    families = [_Step(_EQUAL, family, _ALLOW) for family in (_AF_UNIX, _AF_INET, _AF_INET6)]
    return [
        _Step(_LOAD, _argument(0)),
        *families,
        _Step(_EQUAL, _AF_NETLINK, "netlink"),
        _Step(_RETURN, _ERRNO | errno.EPERM),
    ]


def _one_of(argument: int, values: Sequence[int]) -> list[_Step]:
    allowed = [_Step(_EQUAL, value, _ALLOW) for value in values]
    return [_Step(_LOAD, _argument(argument)), *allowed, _Step(_RETURN, _ERRNO | errno.EPERM)]
