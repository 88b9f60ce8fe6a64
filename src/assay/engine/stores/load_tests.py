"""The store of load tests."""

from dataclasses import dataclass
from typing import Protocol

from assay.domain.load import LoadTest


@dataclass(frozen=True, slots=True)
class LoadTestPage:
    """`total` counts every load test, not just this page."""

    tests: tuple[LoadTest, ...]
    total: int


class LoadTestStore(Protocol):
    """Each method is one transaction."""

    async def add(self, test: LoadTest) -> None: ...

    async def get(self, test_id: str) -> LoadTest:
        """Raises UnknownNameError."""
        ...

    async def page(self, *, limit: int, offset: int) -> LoadTestPage:
        """Newest first."""
        ...
