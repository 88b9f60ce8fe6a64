"""A session in a container of its own."""

from collections.abc import AsyncGenerator, Callable, Mapping, Sequence

from assay.adapters.sandbox.archives import packed, unpacked
from assay.adapters.sandbox.docker.container import CASE, PROGRAM, creation, resources
from assay.adapters.sandbox.docker.engine_api import EngineApi
from assay.adapters.sandbox.docker.programs import Command, Ended, run, signal_of, status_of
from assay.adapters.sandbox.open_session import CommandSession
from assay.domain.errors import SandboxError
from assay.domain.programs.sandbox import MIB, WORKSPACE, Confinement, ExecResult, Limits, Spec, Status

_TIDYING = Limits(cpu_s=10, wall_s=20)
# Kills the remaining processes of a user; for a case also deletes every file that it owns. Shared memory,
# semaphores and queues disappear only with the container: each is a line after the header of these files.
_KILL = "kill -9 -1"
_SHARED = 'for f in /proc/sysvipc/*; do { read -r l; read -r l; } < "$f" && exit 9; done; true'
_WIPE = f"{_KILL}; find /tmp /run /var/tmp /dev/shm /dev/mqueue {WORKSPACE} -user {CASE} -delete; {_SHARED}"
_ROOM_FOR_HEADERS = 64 * MIB


class DockerSession(CommandSession):
    """After a timeout the container is removed; the next call starts a new one with the same files."""

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
    ) -> ExecResult:
        chosen = limits or self._spec.limits
        command = Command(argv, PROGRAM, cwd or WORKSPACE, chosen, stdin=stdin, env=env or {})
        return await self._run(command, clean_up=_KILL)

    async def exec_many(
        self, source: str, cases: Sequence[bytes], *, limits: Limits | None = None
    ) -> AsyncGenerator[ExecResult]:
        chosen = limits or self._spec.limits
        argv = await self._command_of(source)
        for case in cases:
            yield await self._run(Command(argv, CASE, "/tmp", chosen, stdin=case), clean_up=_WIPE)  # noqa: S108

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
        self._require_open()
        if self._container is None:
            await self.start()
        if self._container is None:
            raise SandboxError("the container could not be started")
        return self._container

    async def _run(self, command: Command, *, clean_up: str) -> ExecResult:
        container = await self._live()
        await self._fit(container, command.limits)
        try:
            ended = await run(self._api, container, command)
            status = await status_of(self._api, container, ended, command.limits)
        except BaseException:
            await self._discard()
            raise
        if ended.stopped is not None:
            # The program would keep running: only removing the container ends it.
            await self._discard()
        else:
            await self._clean_up(container, command.user or PROGRAM, clean_up)
        return self._result(ended, status)

    async def _clean_up(self, container: str, user: int, script: str) -> None:
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

    def _result(self, ended: Ended, status: Status) -> ExecResult:
        return ExecResult(
            status=status,
            exit_code=ended.exit_code if status in (Status.OK, Status.NONZERO) else None,
            signal=signal_of(ended.exit_code) if status is Status.SIGNAL else None,
            stdout=bytes(ended.streams.stdout),
            stderr=bytes(ended.streams.stderr),
            truncated=ended.streams.is_truncated,
            # The engine measures the whole container, and only once a second.
            cpu_s=None,
            wall_s=ended.wall_s,
            peak_bytes=None,
            confinement=self._confinement,
        )
