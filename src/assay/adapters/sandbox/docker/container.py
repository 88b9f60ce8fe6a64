"""What a container is created with."""

import atexit
import json
import shutil
import tempfile
from functools import cache
from pathlib import Path

from assay.adapters.sandbox.docker.engine_api import EngineKind
from assay.adapters.sandbox.docker.orphans import LABEL, owner
from assay.adapters.sandbox.docker.seccomp_profile import seccomp_profile
from assay.domain.calls.messages import Json
from assay.domain.errors import SandboxUnavailableError
from assay.domain.programs.sandbox import WORKSPACE, Limits, Spec

# The keeper only sleeps. Programs run as other users, so they cannot end it, and cases cannot write to the
# workspace.
KEEPER, PROGRAM, CASE = 60000, 60001, 60002
# An upper bound: each program sets its own limit, which may differ from the session's.
_MOST_FILES = 4096
_KEEPING_S = "2147483647"
_OWN_PACKAGE = Path(__file__).resolve().parents[3]


def creation(spec: Spec, image: str, kind: EngineKind) -> dict[str, Json]:
    """The body of the call that creates a session's container."""
    if spec.network == "allowlist":
        raise SandboxUnavailableError("the sandbox backend 'docker' cannot serve a list of hosts")
    limits = spec.limits
    return {
        "Image": image,
        "Entrypoint": ["sleep", _KEEPING_S],
        "User": f"{KEEPER}:{KEEPER}",
        "WorkingDir": "/",
        "Env": [f"{name}={value}" for name, value in spec.env.items()],
        "Labels": {LABEL: owner()},
        "NetworkDisabled": spec.network == "none",
        "HostConfig": {
            # Without init the zombies of a fork bomb would use up the process limit for good.
            "Init": True,
            "NetworkMode": "none" if spec.network == "none" else "default",
            "ReadonlyRootfs": True,
            "CapDrop": ["ALL"],
            "SecurityOpt": ["no-new-privileges", f"seccomp={_profile(kind)}"],
            "IpcMode": "private",
            "ShmSize": limits.disk_bytes,
            **_folders(spec, kind),
            "Ulimits": _ulimits(limits),
            "NanoCpus": 10**9,
            **resources(limits),
        },
    }


def resources(limits: Limits) -> dict[str, Json]:
    """Limits that can be changed while the container runs; no swap, and room for the keeper and init."""
    return {
        "Memory": limits.memory_bytes,
        "MemorySwap": limits.memory_bytes,
        "PidsLimit": limits.processes + 2,
    }


def limited(argv: list[str], limits: Limits) -> list[str]:
    """The command wrapped in a shell that sets the limits per process."""
    cpu_s = max(1, -(-limits.cpu_s // 1))
    commands = [
        f"ulimit -S -t {cpu_s:.0f}",
        f"ulimit -H -t {cpu_s + 1:.0f}",
        f"ulimit -f {limits.file_bytes // 512}",
        f"ulimit -n {limits.open_files}",
        "ulimit -c 0",
        'exec "$0" "$@"',
    ]
    return ["/bin/sh", "-c", " && ".join(commands), *argv]


def _profile(kind: EngineKind) -> str:
    """Docker takes the profile itself, Podman the path of a file with it."""
    return _profile_file() if kind.is_podman else json.dumps(seccomp_profile())


@cache
def _profile_file() -> str:
    folder = Path(tempfile.mkdtemp(prefix="assay-seccomp-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    path = folder / "profile.json"
    path.write_text(json.dumps(seccomp_profile()), encoding="utf-8")
    return str(path)


def _ulimits(limits: Limits) -> list[Json]:
    """Set explicitly: Podman's defaults exceed what it may set without the right to raise limits."""
    values = {"nofile": max(_MOST_FILES, limits.open_files), "nproc": 4096, "core": 0}
    return [{"Name": name, "Soft": value, "Hard": value} for name, value in values.items()]


def _folders(spec: Spec, kind: EngineKind) -> dict[str, Json]:
    limits = spec.limits
    if kind.is_podman:
        # Podman ignores the options of a volume that is created with a container, except these two.
        size = f"size={limits.disk_bytes},mode=1777"
        inside = (WORKSPACE, "/tmp", "/run", "/var/tmp")  # noqa: S108 # of the container
        return {"Tmpfs": dict.fromkeys(inside, size), "Mounts": _bound(spec)}
    workspace = f"{_tmpfs(limits, mode='0755')},uid={PROGRAM},gid={PROGRAM}"
    temporary = _in_memory("/tmp", _tmpfs(limits, mode="1777"))  # noqa: S108
    return {"Mounts": [_in_memory(WORKSPACE, workspace), temporary, *_bound(spec)]}


def _in_memory(target: str, options: str) -> dict[str, Json]:
    # A volume, not a plain tmpfs: in a read-only container Docker's archive calls reach volumes only.
    driver = {"Name": "local", "Options": {"type": "tmpfs", "device": "tmpfs", "o": options}}
    volume = {"NoCopy": True, "DriverConfig": driver}
    return {"Type": "volume", "Target": target, "VolumeOptions": volume}


def _tmpfs(limits: Limits, *, mode: str) -> str:
    return f"size={limits.disk_bytes},nr_inodes={limits.inodes},mode={mode},nosuid,nodev"


def _bound(spec: Spec) -> list[Json]:
    for one in spec.mounts:
        if _OWN_PACKAGE.is_relative_to(Path(one.source).resolve()):
            raise SandboxUnavailableError(
                f"the folder {one.source!r} cannot be shown to programs: it contains Assay itself, with what"
                " answers are compared with; use the sandbox backend 'bubblewrap', which hides that"
            )
    return [
        {"Type": "bind", "Source": one.source, "Target": one.inside, "ReadOnly": True} for one in spec.mounts
    ]
