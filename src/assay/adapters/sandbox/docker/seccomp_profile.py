"""The system call filter, in the format of container engines."""

from assay.adapters.sandbox.local.syscalls import ALWAYS_DENIED
from assay.domain.calls.messages import Json

_EPERM, _ENOSYS, _EAFNOSUPPORT = 1, 38, 97
# AF_UNSPEC, AF_UNIX, AF_INET, AF_INET6 and AF_NETLINK.
_ALLOWED_FAMILIES = frozenset({0, 1, 2, 10, 16})
_FAMILIES = range(64)
# CLONE_NEWNS, …CGROUP, …UTS, …IPC, …USER, …PID, …NET
_NEW_NAMESPACE_FLAGS = (0x20000, 0x2000000, 0x4000000, 0x8000000, 0x10000000, 0x20000000, 0x40000000)
_TIOCSTI, _TIOCLINUX = 0x5412, 0x541C


def seccomp_profile() -> dict[str, Json]:
    """Denies what bubblewrap's filter denies; a network namespace alone leaves AF_VSOCK sockets open."""
    return {
        "defaultAction": "SCMP_ACT_ALLOW",
        "syscalls": [
            _denied(*ALWAYS_DENIED, error=_EPERM),
            _denied("clone3", error=_ENOSYS),
            *(_denied("clone", error=_EPERM, argument=(0, flag)) for flag in _NEW_NAMESPACE_FLAGS),
            *(
                _denied("socket", "socketpair", error=_EAFNOSUPPORT, argument=(0, family), is_mask=False)
                for family in _FAMILIES
                if family not in _ALLOWED_FAMILIES
            ),
            *(
                _denied("ioctl", error=_EPERM, argument=(1, request), is_mask=False)
                for request in (_TIOCSTI, _TIOCLINUX)
            ),
        ],
    }


def _denied(
    *names: str, error: int, argument: tuple[int, int] | None = None, is_mask: bool = True
) -> dict[str, Json]:
    rule: dict[str, Json] = {"names": list(names), "action": "SCMP_ACT_ERRNO", "errnoRet": error}
    if argument is None:
        return rule
    index, value = argument
    test: dict[str, Json] = {"index": index, "value": value, "op": "SCMP_CMP_EQ"}
    if is_mask:
        test = {"index": index, "value": value, "valueTwo": value, "op": "SCMP_CMP_MASKED_EQ"}
    return rule | {"args": [test]}
