"""What a remote sandbox service tells about its host."""

from typing import Protocol

from assay.domain.json_value import Json


class SandboxTelemetry(Protocol):
    """Each raises SandboxError where the service cannot be asked."""

    async def resources(self) -> Json: ...

    async def metrics(self, *, hours: int) -> Json: ...

    async def sandboxes(self, ids: tuple[str, ...]) -> Json:
        """Of all sandboxes where no ids are given."""
        ...
