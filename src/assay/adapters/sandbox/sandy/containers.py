"""The containers of tasks at the remote service: each beside a sandbox of its own, which drives it.

The service's API has no images, networks or limits. So a sandbox asks for the engine's socket of its host,
and our own commands in it use Docker's command line; programs of a task run in the container alone, which
has no socket.
"""

import asyncio
import contextlib
import gzip
import math
import os
import tempfile
from collections import defaultdict
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path
from uuid import uuid4

from assay.adapters.sandbox.docker.build_context import write_context
from assay.adapters.sandbox.docker.images import needs_demo_base
from assay.adapters.sandbox.docker.machine_image import DEMO_BASE, demo_base
from assay.adapters.sandbox.docker.orphans import is_abandoned, owner
from assay.adapters.sandbox.sandy import docker_cli
from assay.adapters.sandbox.sandy.backend import NAME, SandyOptions, connected
from assay.adapters.sandbox.sandy.driving import RemoteSandbox
from assay.adapters.sandbox.sandy.service import SandyService
from assay.adapters.sandbox.sandy.task_container import SandyContainer
from assay.domain.calls.messages import Json
from assay.domain.errors import DataError, SandboxError, SandboxUnavailableError
from assay.domain.programs.containers import Build, Container, ContainerSpec, PullProgress
from assay.domain.programs.sandbox import MIB, Confinement, Isolation, Limit

_ENFORCED = frozenset({Limit.MEMORY, Limit.PROCESSES, Limit.WALL, Limit.DISK, Limit.OUTPUT})
_BUILT = "assay-task"
_PULLING_S, _STARTING_S, _LOADING_S = 3600.0, 120.0, 600.0
# Lifetimes of the sandboxes that check the service, and of those that prepare an image.
_BRIEF_S, _PREPARING_S = 600, 2 * 3600
_MOST_CONTEXT_BYTES = 512 * MIB
_LIMITS = ("memory", "swap", "processes", "processors")
_BOOT_ID = Path("/proc/sys/kernel/random/boot_id")
_FIX = "check SANDY_BASE_URL and SANDY_API_KEY, and that its operator lets sandboxes use Docker's socket"


class SandyContainers:
    """Connects with the first call; `close` ends the connection, and each container is closed by its user."""

    def __init__(self, options: SandyOptions) -> None:
        self._options = options
        self._places = asyncio.Semaphore(options.slots)
        self._service: SandyService | None = None
        self._locks: defaultdict[str, asyncio.Lock] = defaultdict(asyncio.Lock)
        # By the id that was given out: how another host of the service gets the image.
        self._sources: dict[str, str | Build] = {}

    async def check(self) -> None:
        await self.version()

    async def version(self) -> str:
        """The engine behind the service; raises SandboxUnavailableError if it cannot be used."""
        try:
            async with self._brief_sandbox(_BRIEF_S) as sandbox:
                version, _ = await _examined(sandbox)
                await _remove_abandoned(sandbox)
        except SandboxError as error:
            raise SandboxUnavailableError(f"{error.message}; {_FIX}") from error
        return f"Docker {version} behind the remote sandbox service"

    async def pulled(self, image: str, *, progress: PullProgress | None = None) -> str:
        return await self._prepared(image, image, progress)

    async def built(self, build: Build, *, progress: PullProgress | None = None) -> str:
        with tempfile.TemporaryFile() as file:
            digest = await asyncio.to_thread(write_context, build, file)
        return await self._prepared(f"{_BUILT}:{digest[:32]}", build, progress)

    async def open(self, spec: ContainerSpec) -> Container:
        service = self._live()
        await self._places.acquire()
        sandbox: RemoteSandbox | None = None
        name = f"assay-{uuid4().hex}"
        confinement = _confinement(spec)
        try:
            sandbox = await self._sandbox(service, spec.limits.lifetime_s, confinement)
            image = await self._image(sandbox, spec.image)
            _, processors = await _examined(sandbox)
            label = f"{_boot_id()}/{owner()}"
            script = docker_cli.start(name, spec, image, owner=label, processors=processors)
            await sandbox.shell(script, within_s=_STARTING_S)
        except BaseException:
            self._places.release()
            if sandbox is not None:
                await _ended(sandbox, name)
            raise
        return SandyContainer(
            sandbox, name, spec.limits, confinement=confinement, on_close=self._places.release
        )

    async def close(self) -> None:
        service, self._service = self._service, None
        if service is not None:
            await service.close()

    def _live(self) -> SandyService:
        if self._service is None:
            self._service = connected(self._options)
        return self._service

    async def _sandbox(
        self, service: SandyService, lifetime_s: float, confinement: Confinement
    ) -> RemoteSandbox:
        asked: dict[str, Json] = {
            "enableDockerSocket": True,
            # Services end a sandbox after minutes unless they are told how long it is needed.
            "timeoutMinutes": math.ceil(lifetime_s / 60),
        }
        if self._options.docker_upstream:
            asked["upstream"] = self._options.docker_upstream
        sandbox = RemoteSandbox(service, await service.create(asked), confinement)
        try:
            await sandbox.prepare()
        except BaseException:
            await _ended(sandbox)
            raise
        return sandbox

    @asynccontextmanager
    async def _brief_sandbox(self, lifetime_s: float) -> AsyncGenerator[RemoteSandbox]:
        sandbox = await self._sandbox(self._live(), lifetime_s, _confinement(None))
        try:
            yield sandbox
        finally:
            await _ended(sandbox)

    async def _prepared(self, name: str, source: str | Build, progress: PullProgress | None) -> str:
        """The image's id on one host of the service; the service tells nothing of its progress."""
        async with self._locks[name]:
            known = next((found for found, one in self._sources.items() if one == source), None)
            if known is not None:
                return known
            if progress is not None:
                progress(f"{name}: prepared at the remote sandbox service")
            async with self._brief_sandbox(_PREPARING_S) as sandbox:
                found = await self._fetched(sandbox, source)
            self._sources[found] = source
            return found

    async def _image(self, sandbox: RemoteSandbox, image: str) -> str:
        """The image on this sandbox's host, prepared there if another host has it."""
        found = (await sandbox.shell(docker_cli.image_id(image))).strip()
        source = self._sources.get(image)
        if found or source is None:
            return found or image
        async with self._locks[f"elsewhere {image}"]:
            return await self._fetched(sandbox, source)

    async def _fetched(self, sandbox: RemoteSandbox, source: str | Build) -> str:
        """Pull or build the image unless the host has it."""
        if isinstance(source, Build):
            return await _built(sandbox, source)
        found = (await sandbox.shell(docker_cli.image_id(source))).strip()
        if not found:
            await sandbox.shell(docker_cli.pull(source), within_s=_PULLING_S)
            found = (await sandbox.shell(docker_cli.image_id(source))).strip()
        return _required(found, source)


async def _built(sandbox: RemoteSandbox, build: Build) -> str:
    with tempfile.TemporaryFile() as file:
        digest = await asyncio.to_thread(write_context, build, file)
        tag = f"{_BUILT}:{digest[:32]}"
        found = (await sandbox.shell(docker_cli.image_id(tag))).strip()
        if found:
            return found
        if file.seek(0, os.SEEK_END) > _MOST_CONTEXT_BYTES:
            size = f"{_MOST_CONTEXT_BYTES // MIB} MiB"
            raise DataError(f"the folder {build.folder.name!r} has more than {size}: too much to send away")
        file.seek(0)
        content = await asyncio.to_thread(lambda: gzip.compress(file.read(), compresslevel=1))
    if await asyncio.to_thread(needs_demo_base, build):
        await _load_base(sandbox)
    await sandbox.feed(content, docker_cli.build(build, tag), within_s=build.timeout_s)
    return _required((await sandbox.shell(docker_cli.image_id(tag))).strip(), tag)


async def _load_base(sandbox: RemoteSandbox) -> None:
    if (await sandbox.shell(docker_cli.image_id(DEMO_BASE))).strip():
        return
    files = await asyncio.to_thread(lambda: gzip.compress(demo_base(), compresslevel=1))
    await sandbox.feed(files, docker_cli.load_base(DEMO_BASE), within_s=_LOADING_S)


async def _examined(sandbox: RemoteSandbox) -> tuple[str, float]:
    """The engine's version and its processors; raises SandboxError unless it can enforce all limits."""
    lines = (await sandbox.shell(docker_cli.CHECK)).split("\n")
    *can, processors = lines[1].split() if len(lines) > 1 else [""]
    missing = [name for name, has in zip(_LIMITS, can, strict=False) if has != "true"]
    if missing or len(can) != len(_LIMITS) or not processors.isdigit():
        raise SandboxError(
            f"the engine of the remote sandbox cannot limit {', '.join(missing) or 'containers'}"
        )
    return lines[0], float(processors)


async def _remove_abandoned(sandbox: RemoteSandbox) -> None:
    """Containers of processes of this machine that were killed; those of other machines are left alone."""
    lines = (await sandbox.shell(docker_cli.ABANDONED)).splitlines()
    labels = [line.partition(" ") for line in lines]
    here = f"{_boot_id()}/"
    gone = [
        name for name, _, label in labels if label.startswith(here) and is_abandoned(label.removeprefix(here))
    ]
    if gone:
        await sandbox.shell(docker_cli.remove(gone))


async def _ended(sandbox: RemoteSandbox, container: str | None = None) -> None:
    """As far as the service still answers: sandbox and container end by themselves later."""
    with contextlib.suppress(SandboxError):
        if container is not None:
            await sandbox.shell(docker_cli.remove([container]))
    with contextlib.suppress(SandboxError):
        await sandbox.terminate()


def _confinement(spec: ContainerSpec | None) -> Confinement:
    """A claim of the service: nothing here can look at its host."""
    has_none = spec is not None and spec.network == "none"
    enforced = _ENFORCED | ({Limit.NETWORK} if has_none else frozenset[Limit]())
    return Confinement(NAME, Isolation.CONTAINER, enforced, is_verified=False)


def _required(found: str, image: str) -> str:
    if not found:
        raise SandboxError(f"the image {image!r} was prepared at the remote sandbox service and is not there")
    return found


def _boot_id() -> str:
    """Identifies this machine and its last start: process ids are only comparable within both."""
    try:
        return _BOOT_ID.read_text(encoding="ascii").strip()
    except OSError:
        return "none"
