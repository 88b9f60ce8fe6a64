"""Selects where untrusted code runs: the best backend that works and is isolated enough."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, Protocol

from assay.domain.errors import SandboxUnavailableError, UnknownNameError
from assay.domain.programs.sandbox import (
    Confinement,
    Isolation,
    Limit,
    SandboxSession,
    Spec,
)

AUTO = "auto"

Capability = Literal["images", "mounts", "network", "host_programs"]
"""`host_programs`: this machine's programs run inside, not only those of an image or a remote host."""


@dataclass(frozen=True, slots=True)
class Probe:
    """What a backend can do here, found by running a program; `reason` and `fix` if it cannot be used."""

    backend: str
    is_available: bool
    isolation: Isolation
    reason: str = ""
    fix: str = ""
    enforced: frozenset[Limit] = frozenset()
    capabilities: frozenset[Capability] = frozenset()
    versions: Mapping[str, str] = field(default_factory=dict[str, str])
    # False for a remote service, whose claims cannot be checked; it is used only if it is named.
    is_verified: bool = True

    @property
    def confinement(self) -> Confinement:
        return Confinement(self.backend, self.isolation, self.enforced, self.is_verified)


class Backend(Protocol):
    """One way to confine a program."""

    @property
    def name(self) -> str: ...

    @property
    def is_automatic(self) -> bool:
        """Whether `auto` may select it: not a remote service, and not a backend without isolation."""
        ...

    async def probe(self) -> Probe:
        """Run a program inside and try a few escapes; never raises if a component is missing."""
        ...

    async def open(self, spec: Spec) -> SandboxSession:
        """Open a session; raises SandboxError, or SandboxUnavailableError for a spec it cannot serve."""
        ...

    async def close(self) -> None:
        """End everything that was started."""
        ...


@dataclass(frozen=True, slots=True)
class Choice:
    """The settings of the installation: a backend or `auto`, and the least isolation it accepts."""

    backend: str = AUTO
    minimum: Isolation = Isolation.NAMESPACES


def select(probes: Sequence[Probe], choice: Choice, *, automatic: frozenset[str]) -> Probe:
    """The first usable probe; `probes` are in order of preference."""
    if choice.backend == AUTO:
        candidates = [one for one in probes if one.backend in automatic]
    else:
        candidates = [one for one in probes if one.backend == choice.backend]
        if not candidates:
            raise unknown(choice.backend, [one.backend for one in probes])
    for probe in candidates:
        if is_enough(probe, choice):
            return probe
    raise SandboxUnavailableError(_refusal(candidates, choice))


def unknown(backend: str, known: Sequence[str]) -> UnknownNameError:
    return UnknownNameError("sandbox backend", backend, remedy=f"known: {', '.join(known)}")


def is_enough(probe: Probe, choice: Choice) -> bool:
    return probe.is_available and probe.isolation >= choice.minimum


def _refusal(candidates: Sequence[Probe], choice: Choice) -> str:
    lines = [f"no sandbox with at least the isolation {choice.minimum.label!r} works here:"]
    for probe in candidates:
        if not probe.is_available:
            lines.append(f"  {probe.backend}: {probe.reason}; {probe.fix}")
        else:
            lines.append(
                f"  {probe.backend}: gives only {probe.isolation.label!r};"
                f" accept that with ASSAY_MIN_ISOLATION={probe.isolation.label}"
            )
    return "\n".join(lines)
