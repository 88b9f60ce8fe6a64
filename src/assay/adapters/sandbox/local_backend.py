"""The backends that confine programs on this machine: bubblewrap, Landlock, and none at all."""

import asyncio
import os
import platform
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

from assay.adapters.sandbox.local import landlock, seccomp
from assay.adapters.sandbox.local.messages import Config, Mode
from assay.adapters.sandbox.quick_probe import escapes
from assay.adapters.sandbox.slot_pool import SlotPool
from assay.adapters.sandbox.supervisor import Supervisor
from assay.domain.errors import SandboxError, SandboxUnavailableError
from assay.domain.programs.sandbox import Confinement, Isolation, Limit, Limits, SandboxSession, Spec
from assay.engine.sandbox.selection import Capability, Probe

_PARENT = Path("/tmp")  # noqa: S108 # the folder below it belongs to the user alone, which is checked
_PROBE_LIMITS = Limits(cpu_s=20, wall_s=60)
_EACH_PROCESS = frozenset({Limit.WALL, Limit.OUTPUT, Limit.FILE_SIZE, Limit.OPEN_FILES, Limit.PROCESSES})
_COUNTED = frozenset({Limit.CPU, Limit.MEMORY})
_UNCOUNTED = frozenset({Limit.PROCESS_CPU, Limit.PROCESS_MEMORY})
_CAPABILITIES: frozenset[Capability] = frozenset({"mounts", "host_programs"})
_FIXES: dict[Mode, str] = {
    "bubblewrap": (
        "allow user namespaces: in Docker start with --security-opt seccomp=unconfined --security-opt"
        " systempaths=unconfined, on Ubuntu load the AppArmor profile bwrap-userns-restrict"
    ),
    "landlock": "use a kernel from 5.13 on with Landlock among its security modules (lsm=landlock,…)",
    "unsafe": "install python3 for all users",
}


@dataclass(frozen=True, slots=True)
class LocalOptions:
    """Where slots are kept, and how many programs may run at once."""

    root: Path
    slots: int

    @classmethod
    def default(cls, *, slots: int | None = None) -> "LocalOptions":
        # One folder for all services of a user: a slot belongs to one user id and control group.
        return cls(_PARENT / f"assay-sandbox-{os.getuid()}", slots or os.cpu_count() or 1)


@dataclass(frozen=True, slots=True)
class _Traits:
    isolation: Isolation
    enforced: frozenset[Limit]
    is_automatic: bool = True


_TRAITS: dict[Mode, _Traits] = {
    "bubblewrap": _Traits(Isolation.NAMESPACES, frozenset({Limit.DISK, Limit.INODES, Limit.NETWORK})),
    "landlock": _Traits(Isolation.LANDLOCK, frozenset({Limit.NETWORK})),
    "unsafe": _Traits(Isolation.NONE, frozenset(), is_automatic=False),
}


class LocalBackend:
    """One of the three; runs programs through one supervisor per slot."""

    def __init__(self, mode: Mode, options: LocalOptions) -> None:
        self._mode: Mode = mode
        self._options = options
        self._traits = _TRAITS[mode]
        self._pool: SlotPool | None = None

    @property
    def name(self) -> str:
        return self._mode

    @property
    def is_automatic(self) -> bool:
        return self._traits.is_automatic

    async def open(self, spec: Spec) -> SandboxSession:
        if spec.image is not None or spec.network == "allowlist":
            asked = "images" if spec.image is not None else "a list of hosts"
            raise SandboxUnavailableError(f"the sandbox {self.name!r} cannot serve {asked}; use docker")
        if self._pool is None:
            probe = await self.probe()
            if self._pool is None:
                raise SandboxUnavailableError(f"{self.name}: {probe.reason}; {probe.fix}")
        return await self._pool.open(spec)

    async def close(self) -> None:
        pool, self._pool = self._pool, None
        if pool is not None:
            await pool.close()

    async def probe(self) -> Probe:
        missing = await asyncio.to_thread(self._missing)
        if missing is not None:
            return missing
        try:
            return await self._tried(has_proc=True)
        except SandboxError as error:
            first = error
        if self._mode == "bubblewrap":
            # Containers often hide parts of /proc, and the kernel then refuses to mount a new one.
            try:
                return await self._tried(has_proc=False)
            except SandboxError:
                pass
        return self._unavailable(first.message, _FIXES[self._mode])

    def _missing(self) -> Probe | None:
        """The reason why the backend cannot work, found without running anything."""
        if platform.system() != "Linux":
            return self._unavailable(f"needs Linux, and this is {platform.system()}", "use docker")
        if self._mode == "unsafe":
            return None
        if seccomp.machine() is None:
            return self._unavailable(f"no filter for {platform.machine()}", "use docker")
        if self._mode == "bubblewrap" and shutil.which("bwrap") is None:
            return self._unavailable("bwrap is not installed", "sudo apt-get install bubblewrap")
        if self._mode == "landlock" and not landlock.abi():
            return self._unavailable("this kernel has no Landlock", _FIXES["landlock"])
        return None

    async def _tried(self, *, has_proc: bool) -> Probe:
        pool = self._new_pool(has_proc=has_proc)
        try:
            async with await pool.open(Spec(limits=_PROBE_LIMITS)) as session:
                found = [] if self._mode == "unsafe" else await escapes(session)
                confinement = session.confinement
        except BaseException:
            await pool.close()
            raise
        if found:
            await pool.close()
            return self._unavailable(f"a program in it {', '.join(found)}", "do not use it on this machine")
        if self._pool is None:
            self._pool = pool
        else:
            # The existing pool may have open sessions.
            await pool.close()
        return Probe(
            backend=self.name,
            is_available=True,
            isolation=self._traits.isolation,
            enforced=confinement.enforced,
            capabilities=_CAPABILITIES,
            versions=await asyncio.to_thread(self._versions, has_proc=has_proc),
        )

    def _new_pool(self, *, has_proc: bool) -> SlotPool:
        config = Config(
            mode=self._mode,
            root=str(self._options.root),
            bwrap=shutil.which("bwrap") or "",
            has_proc=has_proc,
        )
        return SlotPool(config, slots=self._options.slots, confinement=self._confinement)

    def _confinement(self, supervisor: Supervisor) -> Confinement:
        counted = _COUNTED if supervisor.ready["has_group"] else _UNCOUNTED
        return Confinement(self.name, self._traits.isolation, _EACH_PROCESS | counted | self._traits.enforced)

    def _versions(self, *, has_proc: bool) -> dict[str, str]:
        versions = {"kernel": platform.release()}
        if self._mode == "bubblewrap":
            asked = ["bwrap", "--version"]
            done = subprocess.run(asked, capture_output=True, text=True, check=False, timeout=10)  # noqa: S603
            versions |= {"bubblewrap": done.stdout.split()[-1], "proc": "own" if has_proc else "none"}
        return versions

    def _unavailable(self, reason: str, fix: str) -> Probe:
        return Probe(self.name, is_available=False, isolation=self._traits.isolation, reason=reason, fix=fix)
