"""The sandbox that graders hold: finds its backend when the first program is to be run."""

import asyncio
from collections.abc import Sequence
from dataclasses import replace

from assay.domain.sandbox import Session, Spec
from assay.engine.sandbox import AUTO, Backend, Choice, Probe, is_enough, select, unknown


class SelectedSandbox:
    """Sends each session to the backend that the installation's choice allows for it."""

    def __init__(self, backends: Sequence[Backend], choice: Choice) -> None:
        self._backends = {one.name: one for one in backends}
        self._choice = choice
        self._probes: dict[str, asyncio.Task[Probe]] = {}

    @property
    def choice(self) -> Choice:
        return self._choice

    async def probes(self) -> list[Probe]:
        """What each backend can do here, in order of preference; each is found out once."""
        return list(await asyncio.gather(*map(self._probe, self._backends)))

    async def selected(self, spec: Spec | None = None) -> Probe:
        """The backend for such a session; raises SandboxUnavailableError with every reason and remedy."""
        wants_image = spec is not None and spec.image is not None
        tried: list[Probe] = []
        for name in self._candidates():
            probe = await self._probe(name)
            if wants_image and probe.is_available and "images" not in probe.capabilities:
                probe = replace(probe, is_available=False, reason="it has no images", fix="use docker")
            if is_enough(probe, self._choice):
                return probe
            tried.append(probe)
        return select(tried, self._choice, automatic=frozenset(self._candidates()))

    async def open(self, spec: Spec) -> Session:
        probe = await self.selected(spec)
        return await self._backends[probe.backend].open(spec)

    async def close(self) -> None:
        for task in self._probes.values():
            task.cancel()
        self._probes.clear()
        for backend in self._backends.values():
            await backend.close()

    def _candidates(self) -> list[str]:
        """A named backend alone, so that the others need not be tried."""
        named = self._choice.backend
        if named == AUTO:
            return [one.name for one in self._backends.values() if one.is_automatic]
        if named not in self._backends:
            raise unknown(named, list(self._backends))
        return [named]

    async def _probe(self, name: str) -> Probe:
        if name not in self._probes:
            self._probes[name] = asyncio.create_task(self._backends[name].probe())
        return await asyncio.shield(self._probes[name])
