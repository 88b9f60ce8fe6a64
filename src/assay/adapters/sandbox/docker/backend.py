"""The backend over a container engine's socket."""

import asyncio
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from assay.adapters.sandbox.docker.engine_api import EngineApi, EngineKind
from assay.adapters.sandbox.docker.orphans import remove_orphans
from assay.adapters.sandbox.docker.session import DockerSession
from assay.adapters.sandbox.quick_probe import escapes
from assay.domain.calls.messages import Json
from assay.domain.errors import SandboxError
from assay.domain.programs.sandbox import Confinement, Isolation, Limit, Limits, SandboxSession, Spec
from assay.engine.sandbox.selection import Capability, Probe

NAME = "docker"
DEFAULT_IMAGE = "python:3.11-slim"
_SCHEME = "unix://"
_ENFORCED = frozenset(Limit) - {Limit.PROCESS_MEMORY}
_CAPABILITIES: frozenset[Capability] = frozenset({"images", "mounts", "network"})
_SET_BY_ENGINES = frozenset({"HOME", "HOSTNAME", "PATH", "TERM", "container"})
_PROBE_LIMITS = Limits(cpu_s=20, wall_s=60)


@dataclass(frozen=True, slots=True)
class DockerOptions:
    """The engine's socket, the image for programs that name none, and how many containers may run at once."""

    socket_path: str
    image: str = DEFAULT_IMAGE
    slots: int = 2


def engine_socket(host: str | None) -> str:
    """The path in `host`; by default the first of Docker's and Podman's sockets that this user may use."""
    if host:
        return host.removeprefix(_SCHEME)
    own = f"/run/user/{os.getuid()}/podman/podman.sock"
    candidates = ("/var/run/docker.sock", own, "/run/podman/podman.sock")
    there = [one for one in candidates if Path(one).exists()]
    usable = [one for one in there if os.access(one, os.R_OK | os.W_OK)]
    return next(iter((*usable, *there, *candidates)))


def absent_socket(path: str) -> tuple[str, str] | None:
    """Why no engine can be reached at a path, and what to do; None if there is something."""
    if "://" in path:
        return (
            f"DOCKER_HOST names {path!r}, and only an engine on a unix socket can be used",
            "name one as unix:///path, or forward the engine's: ssh -L /tmp/d.sock:/var/run/docker.sock HOST",
        )
    if Path(path).exists():
        return None
    fix = "start Docker or Podman, or name its socket in DOCKER_HOST"
    return f"no container engine listens at {path!r}", fix


class DockerBackend:
    def __init__(self, options: DockerOptions) -> None:
        self._options = options
        self._places = asyncio.Semaphore(options.slots)
        self._api: EngineApi | None = None

    @property
    def name(self) -> str:
        return NAME

    @property
    def is_automatic(self) -> bool:
        return True

    async def open(self, spec: Spec) -> SandboxSession:
        api = await self._engine()
        session = DockerSession(
            api,
            spec,
            image=spec.image or self._options.image,
            confinement=Confinement(NAME, Isolation.CONTAINER, _enforced(api.kind)).of(spec),
            on_close=self._places.release,
        )
        await self._places.acquire()
        try:
            await session.start()
        except BaseException:
            await session.close()
            raise
        return session

    async def close(self) -> None:
        api, self._api = self._api, None
        if api is not None:
            await api.close()

    async def _engine(self) -> EngineApi:
        """Raises SandboxError if nothing answers."""
        if self._api is None:
            api = EngineApi(self._options.socket_path)
            try:
                await api.detect_kind()
            except BaseException:
                await api.close()
                raise
            self._api = api
        return self._api

    async def probe(self) -> Probe:
        path, image = self._options.socket_path, self._options.image
        absent = await asyncio.to_thread(absent_socket, path)
        if absent is not None:
            return _unavailable(*absent)
        try:
            api = await self._engine()
            await remove_orphans(api)
        except SandboxError as error:
            reason, _, fix = error.message.partition("; ")
            return _unavailable(reason, fix or "look at the engine's log")
        try:
            found = await api.call("GET", f"/images/{image}/json")
        except SandboxError as error:
            return _unavailable(error.message, f"docker pull {image}, or name another in ASSAY_SANDBOX_IMAGE")
        try:
            return await self._tried(api.kind, _variables(found))
        except SandboxError as error:
            return _unavailable(error.message, f"check that {image} has python3, sh, sleep, true and find")

    async def _tried(self, kind: EngineKind, given: frozenset[str]) -> Probe:
        async with await self.open(Spec(limits=_PROBE_LIMITS)) as session:
            found = await escapes(session, given=given)
        if found:
            return _unavailable(f"a program in it {', '.join(found)}", "do not use it on this machine")
        return Probe(
            backend=NAME,
            is_available=True,
            isolation=Isolation.CONTAINER,
            enforced=_enforced(kind),
            capabilities=_CAPABILITIES,
            versions={"engine": f"{kind.name} {kind.version}", "image": self._options.image},
        )


def _enforced(kind: EngineKind) -> frozenset[Limit]:
    return _ENFORCED - {Limit.INODES} if kind.is_podman else _ENFORCED


def _variables(image: Mapping[str, Json]) -> frozenset[str]:
    """Names of variables that the image and the engine set: finding them inside is not a leak."""
    config = image.get("Config")
    listed = config.get("Env") if isinstance(config, Mapping) else None
    names = listed if isinstance(listed, Sequence) else ()
    return _SET_BY_ENGINES | {str(one).partition("=")[0] for one in names}


def _unavailable(reason: str, fix: str) -> Probe:
    return Probe(NAME, is_available=False, isolation=Isolation.CONTAINER, reason=reason, fix=fix)
