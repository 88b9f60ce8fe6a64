"""The backend over the remote service."""

import asyncio
from dataclasses import dataclass, field

from assay.adapters.sandbox.sandy.service import SandyService
from assay.adapters.sandbox.sandy.session import SandySession
from assay.domain.errors import SandboxError, SandboxUnavailableError
from assay.domain.programs.sandbox import Confinement, Isolation, Limit, Spec, Status
from assay.engine.sandbox.selection import Probe

NAME = "sandy"
# Enforced by the driver; other limits are only claimed by the service.
_ENFORCED = frozenset(
    {Limit.WALL, Limit.PROCESS_CPU, Limit.PROCESS_MEMORY, Limit.FILE_SIZE, Limit.OUTPUT, Limit.OPEN_FILES}
)
_UNNAMED, _NAMING = "no remote sandbox service is named", "set SANDY_BASE_URL and SANDY_API_KEY"
_CONFINEMENT = Confinement(NAME, Isolation.VM, _ENFORCED, is_verified=False)


@dataclass(frozen=True, slots=True)
class SandyOptions:
    """Address and key of the service; without an address the backend is unavailable."""

    base_url: str | None = None
    key: str | None = field(default=None, repr=False)
    slots: int = 4
    # Where containers run, if the service has several hosts for them.
    docker_upstream: str | None = None
    retry_delay_s: float = 0.5
    # How long a call may take beside the command that it runs.
    patience_s: float = 60.0


def connected(options: SandyOptions) -> SandyService:
    """Raises SandboxUnavailableError if no service is named."""
    if not options.base_url:
        raise SandboxUnavailableError(f"{_UNNAMED}; {_NAMING}")
    return SandyService(
        options.base_url, options.key, delay_s=options.retry_delay_s, patience_s=options.patience_s
    )


class SandyBackend:
    def __init__(self, options: SandyOptions) -> None:
        self._options = options
        self._places = asyncio.Semaphore(options.slots)
        self._service: SandyService | None = None

    @property
    def name(self) -> str:
        return NAME

    @property
    def is_automatic(self) -> bool:
        return False

    async def open(self, spec: Spec) -> SandySession:
        if spec.image is not None or spec.mounts or spec.network != "none":
            raise SandboxUnavailableError(
                "the sandbox backend 'sandy' supports no images, mounts or networks; use docker"
            )
        service = self._live()
        await self._places.acquire()
        try:
            sandbox = await service.create()
        except BaseException:
            self._places.release()
            raise
        session = SandySession(
            service, sandbox, spec=spec, confinement=_CONFINEMENT, on_close=self._places.release
        )
        try:
            await session.prepare()
        except BaseException:
            await session.close()
            raise
        return session

    async def close(self) -> None:
        service, self._service = self._service, None
        if service is not None:
            await service.close()

    def _live(self) -> SandyService:
        if self._service is None:
            self._service = connected(self._options)
        return self._service

    async def probe(self) -> Probe:
        if not self._options.base_url:
            return _unavailable(_UNNAMED, _NAMING)
        try:
            async with await self.open(Spec()) as session:
                done = await session.exec(["/bin/true"])
        except SandboxError as error:
            return _unavailable(error.message, "check SANDY_BASE_URL and SANDY_API_KEY")
        if done.status is not Status.OK:
            return _unavailable(
                f"/bin/true ended with {done.status.value} there", "ask the service's operator"
            )
        return Probe(NAME, is_available=True, isolation=Isolation.VM, enforced=_ENFORCED, is_verified=False)


def _unavailable(reason: str, fix: str) -> Probe:
    return Probe(NAME, is_available=False, isolation=Isolation.VM, reason=reason, fix=fix, is_verified=False)
