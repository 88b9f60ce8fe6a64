"""Benchmark any model. Prove every score."""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from assay.domain.benchmark import Grade
    from assay.domain.outcome import Outcome
    from assay.engine.one_file.declaration import benchmark

__all__ = ["Grade", "Outcome", "benchmark"]

# Imported when they are first used: every command imports this package, and should answer at once.
_HOMES = {
    "Grade": "assay.domain.benchmark",
    "Outcome": "assay.domain.outcome",
    "benchmark": "assay.engine.one_file.declaration",
}


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        message = f"module {__name__!r} has no attribute {name!r}"
        raise AttributeError(message)
    return getattr(import_module(_HOMES[name]), name)


def __dir__() -> list[str]:
    return __all__
