"""Whether each sandbox backend works on this machine right now, found by trying it."""

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

from assay.domain.errors import SandboxUnavailableError, UnknownNameError
from assay.domain.json_value import Json
from assay.domain.programs.sandbox import Isolation
from assay.engine.sandbox.selection import Backend, Choice, Probe, select


@dataclass(frozen=True, slots=True)
class SandboxHealth:
    """`selected` is the backend that code runs in; where there is none, `reason` says why."""

    choice: Choice
    probes: tuple[Probe, ...]
    selected: str | None = None
    reason: str = ""


async def sandbox_health(
    backends: Callable[[], Sequence[Backend]], choice: Choice, *, within_s: float
) -> SandboxHealth:
    """Try new backends, so that a fault repaired meanwhile no longer shows, and close them."""
    tried = backends()
    try:
        probes = await asyncio.gather(*(_probed(one, within_s) for one in tried))
    finally:
        await asyncio.gather(*(one.close() for one in tried))
    automatic = frozenset(one.name for one in tried if one.is_automatic)
    try:
        chosen = select(probes, choice, automatic=automatic)
    except (SandboxUnavailableError, UnknownNameError) as error:
        return SandboxHealth(choice, tuple(probes), reason=error.message)
    return SandboxHealth(choice, tuple(probes), chosen.backend)


async def _probed(backend: Backend, within_s: float) -> Probe:
    try:
        async with asyncio.timeout(within_s):
            return await backend.probe()
    except TimeoutError:
        return Probe(
            backend.name,
            is_available=False,
            isolation=Isolation.NONE,
            reason=f"it did not answer within {within_s:g} s",
            fix="see whether the machine is overloaded, then look again",
        )


async def no_sandboxes() -> SandboxHealth:
    """Used where no sandbox is set up."""
    return SandboxHealth(Choice(), (), reason="no sandbox was set up here")


class SandboxTelemetry(Protocol):
    """What a remote sandbox service says about its host; raises SandboxError if it cannot be asked."""

    async def resources(self) -> Json: ...

    async def metrics(self, *, hours: int) -> Json: ...

    async def sandboxes(self, ids: tuple[str, ...]) -> Json:
        """All sandboxes if no ids are given."""
        ...
