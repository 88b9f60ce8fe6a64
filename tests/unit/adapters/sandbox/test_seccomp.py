"""The filter, read as the kernel reads it."""

import errno
import struct

import pytest

from assay.adapters.sandbox.local.seccomp import Policy, assembled
from assay.adapters.sandbox.local.syscalls import ALWAYS_DENIED, SHARED_DENIED, TABLES, Machine

ALLOW = 0x7FFF0000
KILL = 0x80000000
EPERM, ENOSYS = 0x00050000 | errno.EPERM, 0x00050000 | errno.ENOSYS
MACHINES: tuple[Machine, ...] = ("x86_64", "aarch64")
WITH_SOCKETS = Policy(has_sockets=True)


def verdict(code: bytes, number: int, audit: int, *arguments: int) -> int:
    """Interpret the classic BPF of a filter for one system call."""
    padded = [*arguments, *([0] * (6 - len(arguments)))]
    data = struct.pack("<IIQ6Q", number, audit, 0, *padded)
    steps = [struct.unpack_from("=HBBI", code, at) for at in range(0, len(code), 8)]
    position, accumulator = 0, 0
    while True:
        operation, if_true, if_false, value = steps[position]
        position += 1
        if operation == 0x06:
            return value
        if operation == 0x20:
            (accumulator,) = struct.unpack_from("<I", data, value)
            continue
        is_match = {
            0x15: accumulator == value,
            0x35: accumulator >= value,
            0x45: bool(accumulator & value),
        }[operation]
        position += if_true if is_match else if_false


@pytest.mark.parametrize("machine", MACHINES)
def test_denied_calls(machine: Machine) -> None:
    table = TABLES[machine]
    code = assembled(WITH_SOCKETS, machine)
    for name in ALWAYS_DENIED:
        if name in table.numbers:
            assert verdict(code, table.numbers[name], table.audit) == EPERM, name
    for name in SHARED_DENIED:
        assert verdict(code, table.numbers[name], table.audit) == ALLOW, name
    assert verdict(code, 1, table.audit) == ALLOW
    assert verdict(code, table.numbers["clone3"], table.audit) == ENOSYS


@pytest.mark.parametrize("machine", MACHINES)
def test_another_architecture_is_killed(machine: Machine) -> None:
    assert verdict(assembled(WITH_SOCKETS, machine), 1, 0x40000003) == KILL
    if machine == "x86_64":
        assert verdict(assembled(WITH_SOCKETS, machine), 0x40000001, TABLES[machine].audit) == EPERM


@pytest.mark.parametrize("machine", MACHINES)
def test_arguments(machine: Machine) -> None:
    table = TABLES[machine]
    code = assembled(WITH_SOCKETS, machine)

    def of(name: str, *arguments: int) -> int:
        return verdict(code, table.numbers[name], table.audit, *arguments)

    assert of("clone", 0x01200011) == ALLOW
    assert {of("clone", flag | 17) for flag in (0x20000, 0x10000000, 0x20000000, 0x40000000)} == {EPERM}
    assert [of("socket", family) for family in (1, 2, 10)] == [ALLOW] * 3
    assert [of("socket", family) for family in (3, 17, 29, 38, 40, 44)] == [EPERM] * 6
    assert [of("socket", 16, 3, protocol) for protocol in (0, 9)] == [ALLOW, EPERM]
    assert [of("socketpair", family) for family in (1, 40)] == [ALLOW, EPERM]
    assert [of("ioctl", 0, request) for request in (0x5401, 0x5412, 0x541C)] == [ALLOW, EPERM, EPERM]
    assert of("kill", 1, 9) == ALLOW


@pytest.mark.parametrize("machine", MACHINES)
def test_a_shared_place_allows_less(machine: Machine) -> None:
    table = TABLES[machine]
    code = assembled(Policy(has_sockets=False, own_pid=77, is_uncounted=True), machine)

    def of(name: str, *arguments: int) -> int:
        return verdict(code, table.numbers[name], table.audit, *arguments)

    assert {of(name) for name in (*SHARED_DENIED, "sched_setaffinity", "memfd_create")} == {EPERM}
    assert [of("socket", family) for family in (1, 2, 10, 16)] == [EPERM] * 4
    assert of("socketpair", 1) == ALLOW
    assert [of("tgkill", pid, pid, 6) for pid in (77, 78)] == [ALLOW, EPERM]
    assert [of("prlimit64", pid) for pid in (0, 78)] == [ALLOW, EPERM]
