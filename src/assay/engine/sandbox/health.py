"""How each sandbox backend fares on this machine right now, found by trying it."""

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from assay.domain.errors import SandboxUnavailableError, UnknownNameError
from assay.domain.sandbox import Isolation
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
    """Tries fresh backends, so that what was mended since the start shows; ends all that it started."""
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
    """For a process that was given none."""
    return SandboxHealth(Choice(), (), reason="no sandbox was set up here")
