"""The containers of tasks, in an engine with Docker's API."""

import asyncio
from dataclasses import dataclass
from pathlib import Path

from assay.adapters.sandbox.docker.engine_api import EngineApi
from assay.adapters.sandbox.docker.images import Images
from assay.adapters.sandbox.docker.orphans import remove_orphans
from assay.adapters.sandbox.docker.task_container import TaskContainer, creation
from assay.domain.containers import GIB, Build, Container, ContainerSpec, PullProgress
from assay.domain.errors import SandboxError, SandboxUnavailableError
from assay.domain.sandbox import Confinement, Isolation, Limit

NAME = "docker"
_ENFORCED = frozenset({Limit.MEMORY, Limit.PROCESSES, Limit.WALL, Limit.DISK, Limit.OUTPUT})


@dataclass(frozen=True, slots=True)
class ContainerOptions:
    """The engine's socket, how many containers may run at once, and the room for images."""

    socket_path: str
    slots: int = 4
    image_bytes: int = 100 * GIB


class DockerContainers:
    """Connects with the first call; `close` ends the connection, and each container is closed by its user."""

    def __init__(self, options: ContainerOptions) -> None:
        self._options = options
        self._places = asyncio.Semaphore(options.slots)
        self._connecting = asyncio.Lock()
        self._connected: tuple[EngineApi, Images, float] | None = None

    async def check(self) -> None:
        path = self._options.socket_path
        if not await asyncio.to_thread(Path(path).exists):
            raise SandboxUnavailableError(
                f"no container engine listens at {path!r}; start Docker or Podman, or name its socket in"
                " DOCKER_HOST"
            )
        try:
            api, _, _ = await self._engine()
            # Also of a worker that was killed while this process ran on.
            await remove_orphans(api)
        except SandboxError as error:
            raise SandboxUnavailableError(
                f"{error.message}; add this user to the group docker, or use Podman's own socket"
            ) from error

    async def version(self) -> str:
        """The engine's name and version; raises SandboxUnavailableError."""
        await self.check()
        api, _, _ = await self._engine()
        return f"{api.kind.name} {api.kind.version}"

    async def pulled(self, image: str, *, progress: PullProgress | None = None) -> str:
        _, images, _ = await self._engine()
        return await images.pulled(image, progress)

    async def built(self, build: Build, *, progress: PullProgress | None = None) -> str:
        _, images, _ = await self._engine()
        return await images.built(build, progress)

    async def open(self, spec: ContainerSpec) -> Container:
        api, _, processors = await self._engine()
        await self._places.acquire()
        container: str | None = None
        try:
            body = creation(spec, processors=processors)
            container = str((await api.call("POST", "/containers/create", body=body))["Id"])
            await api.call("POST", f"/containers/{container}/start")
        except BaseException:
            self._places.release()
            if container is not None:
                await api.remove(container)
            raise
        enforced = _ENFORCED | ({Limit.NETWORK} if spec.network == "none" else frozenset[Limit]())
        return TaskContainer(
            api,
            container,
            spec.limits,
            confinement=Confinement(NAME, Isolation.CONTAINER, enforced),
            on_close=self._places.release,
        )

    async def close(self) -> None:
        connected, self._connected = self._connected, None
        if connected is not None:
            await connected[0].close()

    async def _engine(self) -> tuple[EngineApi, Images, float]:
        """Raises SandboxError if nothing answers."""
        async with self._connecting:
            if self._connected is None:
                api = EngineApi(self._options.socket_path)
                try:
                    await api.detect_kind()
                    processors = (await api.call("GET", "/info")).get("NCPU")
                except BaseException:
                    await api.close()
                    raise
                images = Images(api, budget_bytes=self._options.image_bytes)
                self._connected = api, images, processors if isinstance(processors, int) else 1
            return self._connected
