"""What containers are created with, and what their endings mean."""

import json
import signal
from pathlib import Path

import pytest

import assay
from assay.adapters.sandbox.docker.container import creation, limited
from assay.adapters.sandbox.docker.engine_api import EngineKind
from assay.adapters.sandbox.docker.programs import Streams, signal_of
from assay.adapters.sandbox.docker.seccomp_profile import seccomp_profile
from assay.domain.calls.messages import Json
from assay.domain.errors import SandboxUnavailableError
from assay.domain.programs.sandbox import Limits, Mount, Spec

DOCKER = EngineKind("Engine", "20.10")


def host_config(spec: Spec) -> dict[str, Json]:
    found = creation(spec, "image", DOCKER)["HostConfig"]
    assert isinstance(found, dict)
    return found


def test_a_container_has_init_no_network_no_rights_and_limits() -> None:
    found = host_config(Spec(limits=Limits(memory_bytes=1000, processes=5)))
    wanted = {"Init": True, "NetworkMode": "none", "ReadonlyRootfs": True, "CapDrop": ["ALL"]}
    assert wanted.items() <= found.items()
    assert (found["Memory"], found["MemorySwap"], found["PidsLimit"]) == (1000, 1000, 7)
    assert "Binds" not in found
    assert "Privileged" not in found


def test_a_folder_with_assay_in_it_is_not_shown() -> None:
    package = Path(assay.__file__).parent
    for source in (package.parent, package):
        with pytest.raises(SandboxUnavailableError, match="contains Assay itself"):
            host_config(Spec(mounts=(Mount(str(source), "/opt/node"),)))
    host_config(Spec(mounts=(Mount(str(package / "benchmarks"), "/tests"),)))


def test_the_filter_covers_vsock_and_namespaces() -> None:
    rules = seccomp_profile()["syscalls"]
    assert isinstance(rules, list)
    families = [rule["args"] for rule in rules if isinstance(rule, dict) and "socket" in str(rule["names"])]
    assert [{"index": 0, "value": 40, "op": "SCMP_CMP_EQ"}] in families
    assert not any(str(family) in str(families) for family in ("'value': 2,", "'value': 10,"))
    masks = [rule["args"] for rule in rules if isinstance(rule, dict) and rule["names"] == ["clone"]]
    assert len(masks) == 7


def test_podman_is_given_the_filter_as_a_file() -> None:
    found = creation(Spec(), "image", EngineKind("Podman Engine", "4.3.1"))["HostConfig"]
    assert isinstance(found, dict)
    options = found["SecurityOpt"]
    assert isinstance(options, list)
    path = Path(str(options[1]).removeprefix("seccomp="))
    assert json.loads(path.read_text(encoding="utf-8")) == seccomp_profile()


def test_podman_is_given_folders_in_memory_that_it_limits() -> None:
    """It leaves out the options of a volume that is made with a container."""
    limits = Limits(disk_bytes=5000)
    found = creation(Spec(limits=limits), "image", EngineKind("Podman Engine", "4.3.1"))["HostConfig"]
    assert isinstance(found, dict)
    folders = found["Tmpfs"]
    assert isinstance(folders, dict)
    assert {"/workspace", "/tmp", "/run", "/var/tmp"} == folders.keys()  # noqa: S108
    assert set(folders.values()) == {"size=5000,mode=1777"}
    assert found["Mounts"] == []


def test_limits_of_each_process_are_set_by_a_shell_that_becomes_the_program() -> None:
    command = limited(["prog", "a b"], Limits(cpu_s=1.2, file_bytes=1024, open_files=9))
    assert command[:2] == ["/bin/sh", "-c"]
    for part in ("ulimit -S -t 2", "ulimit -H -t 3", "ulimit -f 2", "ulimit -n 9", 'exec "$0" "$@"'):
        assert part in command[2]
    assert command[3:] == ["prog", "a b"]


def test_exit_codes_of_signals() -> None:
    assert signal_of(128 + signal.SIGKILL) == signal.SIGKILL
    assert [signal_of(code) for code in (0, 1, 127, 128, 255, None)] == [None] * 6


def test_output_is_kept_up_to_its_limit() -> None:
    streams, limits = Streams(), Limits(stdout_bytes=3, stderr_bytes=2)
    assert streams.add(1, b"ab", limits)
    assert streams.add(2, b"cde", limits), "too much on standard error does not end a program"
    assert not streams.add(1, b"cd", limits)
    assert (bytes(streams.stdout), bytes(streams.stderr), streams.is_truncated) == (b"abc", b"cd", True)
