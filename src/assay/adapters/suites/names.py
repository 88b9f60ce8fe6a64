"""What a suite is read with."""

from typing import Protocol

from assay.domain.benchmark import Need
from assay.domain.datasets.benchmark_file import LoadedFile


class Names(Protocol):
    """What the names in a suite mean here; each raises UsageError."""

    def benchmark(self, name: str) -> tuple[str, frozenset[Need]]:
        """Its own name, and what it needs."""
        ...

    def in_file(self, path: str) -> LoadedFile:
        """What a file of the user's declares."""
        ...

    def require_examples(self, name: str, few_shot: int) -> None:
        """Unless the benchmark has so many examples."""
        ...

    def model(self, name: str, *, base_url: str | None, key_variable: str | None) -> None: ...
