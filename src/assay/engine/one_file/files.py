"""Where benchmarks in files and their rows come from, as ports."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NoReturn, Protocol

from assay.domain.benchmark import Benchmark, Row
from assay.domain.datasets.benchmark_file import FileRef, LoadedFile
from assay.domain.errors import InvalidValueError, UnknownNameError

HUB_PREFIX = "hf:"


@dataclass(frozen=True, slots=True)
class HubSplit:
    """One split of a data set on the Hugging Face hub; without a revision, the one that was fetched first."""

    repository: str
    split: str
    config: str | None = None
    revision: str | None = None


@dataclass(frozen=True, slots=True)
class Rows:
    """Rows, and what is recorded of where they came from."""

    rows: Sequence[Row]
    revision: str


class RowReader(Protocol):
    def of_file(self, path: str, *, folder: str) -> Rows:
        """The rows of a file; a relative path is meant from the folder."""
        ...

    def of_hub(self, wanted: HubSplit) -> Rows:
        """Fetches what is not on this machine: the files of this split and nothing else."""
        ...


class BenchmarkFiles(Protocol):
    def load(self, path: str) -> LoadedFile:
        """Runs the file if it is Python; raises UsageError."""
        ...


def referred(ref: FileRef, loaded: LoadedFile) -> Sequence[Benchmark]:
    """All benchmarks of the file, or the one that is named."""
    if ref.part is None:
        return loaded.benchmarks
    wanted = [one for one in loaded.benchmarks if one.card.title == ref.part]
    if not wanted:
        titles = ", ".join(one.card.title for one in loaded.benchmarks)
        raise UnknownNameError("benchmark", ref.part, remedy=f"{ref.path!r} declares {titles}")
    return wanted


class NoBenchmarkFiles:
    """For the service and its workers: they run no file of users."""

    def load(self, path: str) -> NoReturn:
        raise InvalidValueError(
            f"{path!r} is a benchmark in a file, which only `assay run` and `assay resume` load, in the"
            " process of whoever starts them: the service and its workers import no file of users"
        )
