"""A session in a container of its own."""

from collections.abc import AsyncGenerator, Callable, Mapping, Sequence

from assay.adapters.sandbox.archives import packed, unpacked
from assay.adapters.sandbox.docker.container import CASE, PROGRAM, creation, resources
from assay.adapters.sandbox.docker.engine_api import EngineApi
from assay.adapters.sandbox.docker.programs import Command, Ended, run, signal_of, status_of
from assay.adapters.sandbox.open_session import ForeignSession
from assay.domain.errors import SandboxError
from assay.domain.sandbox import MIB, WORKSPACE, Confinement, Limits, Result, Spec, Status

_TIDYING = Limits(cpu_s=10, wall_s=20)
# Kills all that is left of a user's programs; of a case also every file it owns. Shared memory, semaphores
# and queues that it left go with the container alone: each is a line after the first of these files.
_KILL = "kill -9 -1"
_SHARED = 'for f in /proc/sysvipc/*; do { read -r l; read -r l; } < "$f" && exit 9; done; true'
_WIPE = f"{_KILL}; find /tmp /run /var/tmp /dev/shm /dev/mqueue {WORKSPACE} -user {CASE} -delete; {_SHARED}"
_ROOM_FOR_HEADERS = 64 * MIB


class DockerSession(ForeignSession):
    """After a time-out the container is gone; the next call finds a new one with the files that were put."""

    def __init__(
        self,
        api: EngineApi,
        spec: Spec,
        *,
        image: str,
        confinement: Confinement,
        on_close: Callable[[], None],
    ) -> None:
        super().__init__(spec, confinement, on_close=on_close)
        self._api = api
        self._image = image
        self._container: str | None = None
        self._files: dict[str, bytes] = {}
        self._limits = spec.limits

    async def put(self, files: Mapping[str, bytes]) -> None:
        container = await self._live()
        await self._fill(container, files)
        self._files |= files

    async def exec(
        self,
        argv: Sequence[str],
        *,
        stdin: bytes = b"",
        cwd: str | None = None,
        env: Mapping[str, str] | None = None,
        limits: Limits | None = None,
    ) -> Result:
        chosen = limits or self._spec.limits
        command = Command(argv, PROGRAM, cwd or WORKSPACE, chosen, stdin=stdin, env=env or {})
        return await self._run(command, tidy=_KILL)

    async def exec_many(
        self, source: str, cases: Sequence[bytes], *, limits: Limits | None = None
    ) -> AsyncGenerator[Result]:
        chosen = limits or self._spec.limits
        argv = await self._command_of(source)
        for case in cases:
            yield await self._run(Command(argv, CASE, "/tmp", chosen, stdin=case), tidy=_WIPE)  # noqa: S108

    async def get(
        self, patterns: Sequence[str], *, max_files: int = 1000, max_bytes: int = 64 * MIB
    ) -> dict[str, bytes]:
        container = await self._live()
        archive = await self._api.download(
            f"/containers/{container}/archive",
            params={"path": WORKSPACE},
            max_bytes=self._spec.limits.disk_bytes + _ROOM_FOR_HEADERS,
        )
        return unpacked(archive, patterns, max_files=max_files, max_bytes=max_bytes)

    async def start(self) -> None:
        """Create the container, and fill its workspace."""
        body = creation(self._spec, self._image, self._api.kind)
        created = await self._api.call("POST", "/containers/create", body=body)
        self._container = str(created["Id"])
        self._limits = self._spec.limits
        try:
            await self._api.call("POST", f"/containers/{self._container}/start")
            if self._files:
                await self._fill(self._container, self._files)
        except BaseException:
            await self._discard()
            raise

    async def _fill(self, container: str, files: Mapping[str, bytes]) -> None:
        path, params = f"/containers/{container}/archive", {"path": WORKSPACE}
        await self._api.send("PUT", path, packed(files, owner=PROGRAM), params=params)

    async def _live(self) -> str:
        self._must_be_open()
        if self._container is None:
            await self.start()
        if self._container is None:
            raise SandboxError("the container could not be started")
        return self._container

    async def _run(self, command: Command, *, tidy: str) -> Result:
        container = await self._live()
        await self._fit(container, command.limits)
        try:
            ended = await run(self._api, container, command)
            status = await status_of(self._api, container, ended, command.limits)
        except BaseException:
            await self._discard()
            raise
        if ended.stopped is not None:
            # To stop waiting would leave the program running: only the container's end is its end.
            await self._discard()
        else:
            await self._tidy(container, command.user, tidy)
        return self._result(ended, status)

    async def _tidy(self, container: str, user: int, script: str) -> None:
        command = Command(["/bin/sh", "-c", script], user, "/", _TIDYING, is_trusted=True)
        try:
            ended = await run(self._api, container, command)
        except SandboxError:
            await self._discard()
            return
        if ended.stopped is not None or ended.exit_code not in (0, 1):
            await self._discard()

    async def _fit(self, container: str, limits: Limits) -> None:
        wanted = resources(limits)
        if wanted != resources(self._limits):
            await self._api.call("POST", f"/containers/{container}/update", body=wanted)
            self._limits = limits

    async def _end(self) -> None:
        await self._discard()

    async def _discard(self) -> None:
        container, self._container = self._container, None
        if container is not None:
            await self._api.remove(container)

    def _result(self, ended: Ended, status: Status) -> Result:
        return Result(
            status=status,
            exit_code=ended.exit_code if status in (Status.OK, Status.NONZERO) else None,
            signal=signal_of(ended.exit_code) if status is Status.SIGNAL else None,
            stdout=bytes(ended.streams.stdout),
            stderr=bytes(ended.streams.stderr),
            truncated=ended.streams.is_truncated,
            # The engine counts what a container uses, and only once a second.
            cpu_s=None,
            wall_s=ended.wall_s,
            peak_bytes=None,
            confinement=self._confinement,
        )
