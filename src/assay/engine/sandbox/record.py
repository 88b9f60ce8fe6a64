"""Notes how the programs of one attempt were confined, so that every verdict carries it."""

from collections.abc import Mapping

from assay.domain.messages import Json
from assay.domain.sandbox import Confinement, Sandbox, Session, Spec

DETAIL = "sandbox"


class RecordingSandbox:
    """Hands sessions through, and remembers the weakest confinement among them."""

    def __init__(self, sandbox: Sandbox) -> None:
        self._sandbox = sandbox
        self.weakest: Confinement | None = None

    async def open(self, spec: Spec) -> Session:
        session = await self._sandbox.open(spec)
        found = session.confinement
        if self.weakest is None or found.isolation < self.weakest.isolation:
            self.weakest = found
        return session

    def noted(self, details: Mapping[str, Json]) -> Mapping[str, Json]:
        """The details of a grade with the confinement among them, where any program ran."""
        return details if self.weakest is None else {**details, DETAIL: self.weakest.to_json()}
