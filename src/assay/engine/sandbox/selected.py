"""The sandbox that graders use; it selects its backend when the first program is run."""

import asyncio
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

from assay.domain.errors import SandboxError, SandboxUnavailableError
from assay.domain.programs.sandbox import SandboxSession, Spec
from assay.engine.sandbox.selection import AUTO, Backend, Choice, Probe, is_enough, select, unknown

_PROBE_AGAIN_S = 30.0


@dataclass(slots=True)
class _ProbedBackend:
    """The probe of a backend: kept until it fails if it works, else for a while."""

    backend: Backend
    now: Callable[[], float]
    has_served: bool = False
    _probe: Probe | None = None
    _probed_at: float = 0.0
    _probing: asyncio.Lock = field(default_factory=asyncio.Lock)

    async def probe(self) -> Probe:
        async with self._probing:
            if self._probe is None or self._is_old(self._probe):
                self._probe = await self.backend.probe()
                self._probed_at = self.now()
            return self._probe

    async def open(self, spec: Spec) -> SandboxSession:
        try:
            session = await self.backend.open(spec)
        except SandboxError:
            self.forget()
            raise
        self.has_served = True
        return session

    def forget(self) -> None:
        self._probe = None

    @property
    def is_lost(self) -> bool:
        """Whether it worked before and no longer does."""
        return self.has_served and self._probe is not None and not self._probe.is_available

    def _is_old(self, probe: Probe) -> bool:
        return not probe.is_available and self.now() - self._probed_at >= _PROBE_AGAIN_S


class SelectedSandbox:
    """Opens each session in the first backend that the installation's choice allows."""

    def __init__(
        self, backends: Sequence[Backend], choice: Choice, *, now: Callable[[], float] = time.monotonic
    ) -> None:
        self._known = {one.name: _ProbedBackend(one, now) for one in backends}
        self._choice = choice
        # The backend that was selected last; empty before the first program.
        self.in_use = ""

    @property
    def choice(self) -> Choice:
        return self._choice

    async def probes(self) -> list[Probe]:
        """What each backend can do here, in order of preference."""
        return list(await asyncio.gather(*(one.probe() for one in self._known.values())))

    async def selected(self, spec: Spec | None = None) -> Probe:
        """The backend for such a session; raises SandboxUnavailableError with every reason and remedy."""
        wants_image = spec is not None and spec.image is not None
        tried: list[Probe] = []
        for name in self._candidates():
            probe = await self._known[name].probe()
            if wants_image and probe.is_available and "images" not in probe.capabilities:
                probe = replace(probe, is_available=False, reason="it has no images", fix="use docker")
            if is_enough(probe, self._choice):
                self.in_use = probe.backend
                return probe
            tried.append(probe)
        return select(tried, self._choice, automatic=frozenset(self._candidates()))

    async def open(self, spec: Spec) -> SandboxSession:
        try:
            probe = await self.selected(spec)
        except SandboxUnavailableError as error:
            if not any(self._known[name].is_lost for name in self._candidates()):
                raise
            # It worked when the run began: a fault of the machine, which need not end the run.
            raise SandboxError(error.message) from error
        return await self._known[probe.backend].open(spec)

    async def close(self) -> None:
        for one in self._known.values():
            one.forget()
            await one.backend.close()

    def _candidates(self) -> list[str]:
        """Only the named backend, if one is named, so that the others are not probed."""
        named = self._choice.backend
        if named == AUTO:
            return [name for name, one in self._known.items() if one.backend.is_automatic]
        if named not in self._known:
            raise unknown(named, list(self._known))
        return [named]
