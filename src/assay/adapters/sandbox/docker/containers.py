"""The containers of tasks, in an engine with Docker's API."""

import asyncio
import contextlib
from dataclasses import dataclass
from uuid import uuid4

from assay.adapters.sandbox.docker.backend import absent_socket
from assay.adapters.sandbox.docker.engine_api import EngineApi
from assay.adapters.sandbox.docker.images import Images
from assay.adapters.sandbox.docker.orphans import remove_orphans
from assay.adapters.sandbox.docker.task_container import TaskContainer, creation
from assay.domain.calls.messages import Json
from assay.domain.errors import SandboxError, SandboxUnavailableError
from assay.domain.programs.containers import GIB, Build, Container, ContainerSpec, PullProgress
from assay.domain.programs.sandbox import Confinement, Isolation, Limit

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
        self._counting: asyncio.Task[None] | None = None

    async def check(self) -> None:
        absent = await asyncio.to_thread(absent_socket, self._options.socket_path)
        if absent is not None:
            raise SandboxUnavailableError("; ".join(absent))
        try:
            api, _, _ = await self._engine()
            # Also of a worker that was killed while this process ran on.
            await remove_orphans(api)
        except SandboxError as error:
            raise SandboxUnavailableError(error.message) from error

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
        api, images, processors = await self._engine()
        await self._places.acquire()
        container = f"assay-{uuid4().hex}"
        starting = asyncio.create_task(_start(api, container, creation(spec, processors=processors)))
        try:
            hold = await asyncio.shield(starting)
        except BaseException:
            # The engine makes it even if nobody waits for it any more.
            [started] = await asyncio.gather(starting, return_exceptions=True)
            if isinstance(started, asyncio.StreamWriter):
                started.close()
            with contextlib.suppress(SandboxError):
                await api.remove(container)
            self._places.release()
            raise
        enforced = _ENFORCED | ({Limit.NETWORK} if spec.network == "none" else frozenset[Limit]())
        return TaskContainer(
            api,
            container,
            spec.limits,
            hold,
            confinement=Confinement(NAME, Isolation.CONTAINER, enforced),
            relay_image=images.relay,
            on_close=self._places.release,
        )

    async def close(self) -> None:
        connected, self._connected = self._connected, None
        if self._counting is not None:
            self._counting.cancel()
            await asyncio.wait([self._counting])
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
                self._counting = asyncio.create_task(api.count_ends())
                images = Images(api, budget_bytes=self._options.image_bytes)
                self._connected = api, images, processors if isinstance(processors, int) else 1
            return self._connected


async def _start(api: EngineApi, container: str, body: Json) -> asyncio.StreamWriter:
    """What holds the container's input open."""
    async with api.starts.one():
        await api.call("POST", "/containers/create", params={"name": container}, body=body)
        _, hold = await api.attached(f"/containers/{container}/attach?stream=1&stdin=1")
        try:
            await api.call("POST", f"/containers/{container}/start")
        except BaseException:
            hold.close()
            raise
    return hold
