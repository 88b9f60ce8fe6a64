"""The sandboxes for model code, as responses."""

from collections.abc import Mapping
from datetime import datetime
from typing import Self

from pydantic import Field

from assay.api.schemas.fields import FreeText, Moment, Schema
from assay.engine.sandbox.health import SandboxHealth
from assay.engine.sandbox.selection import Probe


class SandboxBackend(Schema):
    """One sandbox backend, as found by running a program in it."""

    name: str
    available: bool
    isolation: str = Field(description="none, landlock, namespaces, container, gvisor or vm")
    limits: tuple[str, ...] = Field(description="The limits it enforces here")
    reason: FreeText = Field(description="Why it cannot be used; empty if it can")
    fix: FreeText = Field(description="How to make it usable; empty if it is")
    selected: bool = Field(description="Whether code runs in this backend")
    verified: bool = Field(description="False if the isolation is only stated by a remote service")
    versions: Mapping[str, FreeText]

    @classmethod
    def of(cls, probe: Probe, *, is_selected: bool) -> Self:
        return cls(
            name=probe.backend,
            available=probe.is_available,
            isolation=probe.isolation.label,
            limits=tuple(sorted(probe.enforced)),
            reason=probe.reason,
            fix=probe.fix,
            selected=is_selected,
            verified=probe.is_verified,
            versions=probe.versions,
        )


class SandboxReport(Schema):
    """Every backend in order of preference; up to a minute old."""

    backends: tuple[SandboxBackend, ...]
    selected: str | None = Field(description="The backend that code runs in; null if none may be used")
    reason: FreeText = Field(description="Why none may be used; empty if one is selected")
    asked_for: str = Field(description="ASSAY_SANDBOX: a backend, or `auto`")
    min_isolation: str = Field(description="ASSAY_MIN_ISOLATION: weaker backends are never used")
    checked_at: Moment

    @classmethod
    def of(cls, health: SandboxHealth, *, at: datetime) -> Self:
        return cls(
            backends=tuple(
                SandboxBackend.of(one, is_selected=one.backend == health.selected) for one in health.probes
            ),
            selected=health.selected,
            reason=health.reason,
            asked_for=health.choice.backend,
            min_isolation=health.choice.minimum.label,
            checked_at=at,
        )
