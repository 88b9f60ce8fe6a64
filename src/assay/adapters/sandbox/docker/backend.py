"""The backend over a container engine's socket."""

import asyncio
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from assay.adapters.sandbox.docker.engine_api import EngineApi
from assay.adapters.sandbox.docker.orphans import remove_orphans
from assay.adapters.sandbox.docker.session import DockerSession
from assay.adapters.sandbox.quick_probe import open_ways
from assay.domain.errors import SandboxError, SandboxUnavailableError
from assay.domain.messages import Json
from assay.domain.sandbox import Confinement, Isolation, Limit, Limits, Session, Spec
from assay.engine.sandbox import Capability, Probe

NAME = "docker"
DEFAULT_IMAGE = "python:3.11-slim"
_SCHEME = "unix://"
_ENFORCED = frozenset(Limit) - {Limit.CPU, Limit.PROCESS_MEMORY}
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
    """The path in `host`; without one, that of Docker's own socket where it exists, else of Podman's."""
    if host:
        return host.removeprefix(_SCHEME)
    own = f"/run/user/{os.getuid()}/podman/podman.sock"
    candidates = ("/var/run/docker.sock", own, "/run/podman/podman.sock")
    return next((one for one in candidates if Path(one).exists()), candidates[0])


class DockerBackend:
    def __init__(self, options: DockerOptions) -> None:
        self._options = options
        self._places = asyncio.Semaphore(options.slots)
        self._api: EngineApi | None = None
        self._probe: Probe | None = None
        self._probing = asyncio.Lock()

    @property
    def name(self) -> str:
        return NAME

    @property
    def is_automatic(self) -> bool:
        return True

    async def probe(self) -> Probe:
        async with self._probing:
            if self._probe is None:
                self._probe = await self._probed()
        return self._probe

    async def open(self, spec: Spec) -> Session:
        probe = await self.probe()
        if not probe.is_available:
            raise SandboxUnavailableError(f"{NAME}: {probe.reason}; {probe.fix}")
        await self._places.acquire()
        try:
            return await self._opened(spec)
        except BaseException:
            self._places.release()
            raise

    async def close(self) -> None:
        api, self._api, self._probe = self._api, None, None
        if api is not None:
            await api.close()

    async def _opened(self, spec: Spec) -> Session:
        session = DockerSession(
            self._engine(),
            spec,
            image=spec.image or self._options.image,
            confinement=Confinement(NAME, Isolation.CONTAINER, _ENFORCED),
            on_close=self._places.release,
        )
        await session.start()
        return session

    def _engine(self) -> EngineApi:
        if self._api is None:
            self._api = EngineApi(self._options.socket_path)
        return self._api

    async def _probed(self) -> Probe:
        path, image = self._options.socket_path, self._options.image
        if not await asyncio.to_thread(Path(path).exists):
            return _unavailable(
                f"no container engine listens at {path!r}",
                "start Docker or Podman, or name it in DOCKER_HOST",
            )
        try:
            await self._engine().introduce()
            await remove_orphans(self._engine())
        except SandboxError as error:
            return _unavailable(
                error.message, "add this user to the group docker, or use Podman's own socket"
            )
        try:
            found = await self._engine().call("GET", f"/images/{image}/json")
        except SandboxError as error:
            return _unavailable(error.message, f"docker pull {image}, or name another in ASSAY_SANDBOX_IMAGE")
        try:
            return await self._tried(_variables(found))
        except SandboxError as error:
            return _unavailable(error.message, f"check that {image} has python3, sh, sleep, true and find")

    async def _tried(self, given: frozenset[str]) -> Probe:
        await self._places.acquire()
        try:
            session = await self._opened(Spec(limits=_PROBE_LIMITS))
        except BaseException:
            self._places.release()
            raise
        async with session:
            found = await open_ways(session, given=given)
        if found:
            return _unavailable(f"a program in it {', '.join(found)}", "do not use it on this machine")
        kind = self._engine().kind
        return Probe(
            backend=NAME,
            is_available=True,
            isolation=Isolation.CONTAINER,
            enforced=_ENFORCED,
            capabilities=_CAPABILITIES,
            versions={"engine": f"{kind.name} {kind.version}", "image": self._options.image},
        )


def _variables(image: Mapping[str, Json]) -> frozenset[str]:
    """Names of variables that the image and the engine set: to find them inside is no leak."""
    config = image.get("Config")
    listed = config.get("Env") if isinstance(config, Mapping) else None
    names = listed if isinstance(listed, Sequence) else ()
    return _SET_BY_ENGINES | {str(one).partition("=")[0] for one in names}


def _unavailable(reason: str, fix: str) -> Probe:
    return Probe(NAME, is_available=False, isolation=Isolation.CONTAINER, reason=reason, fix=fix)
