"""The files of users' data sets, as a port."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NoReturn, Protocol

from assay.domain.benchmark import ItemId
from assay.domain.calls.messages import Json
from assay.domain.dataset_report import Grading, Report
from assay.domain.datasets.dataset import Line
from assay.domain.errors import DataMissingError

FaultOf = Callable[[Grading, Json], str | None]
"""Why nothing could be graded against what a line expects, or None; raises GraderError at a limit."""


@dataclass(frozen=True, slots=True)
class FieldNames:
    """What the prompt and the expected answer are called in a file that does not use our names.

    `grader` is how lines are graded that do not say so themselves, where a name alone does not say it.
    """

    prompt: str | None = None
    answer: str | None = None
    grader: Json = None


class DatasetLines(Protocol):
    """The lines of one stored file, read on demand."""

    def ids(self) -> Sequence[ItemId]:
        """In the order of the file."""
        ...

    def categories(self, ids: Sequence[ItemId]) -> Mapping[ItemId, str]:
        """The categories of the ids that have one; `ids` as the method of that name returns them."""
        ...

    def line(self, item_id: ItemId, *, grading: Grading) -> Line:
        """Raises UnknownNameError; `grading` is for lines that do not say how they are graded."""
        ...


class IncomingFile(Protocol):
    """A file that is being uploaded; nothing of it stays unless `keep` was called."""

    def write(self, data: bytes) -> None: ...

    def map_fields(self, names: FieldNames, *, is_csv: bool) -> None:
        """Replace what was written by lines of a data set; raises BadDatasetError."""
        ...

    def check(self, grading: Grading, fault_of: FaultOf) -> Report:
        """Read everything that was written; faults of the content are in the report, not raised."""
        ...

    def keep(self) -> None:
        """Make the content available to `open`, in one step."""
        ...

    def close(self) -> None: ...


class DatasetFiles(Protocol):
    def new(self) -> IncomingFile: ...

    def open(self, sha256: str) -> DatasetLines:
        """Raises DataMissingError."""
        ...

    def content(self, sha256: str) -> Iterator[bytes]:
        """The bytes as they were uploaded, in pieces; raises DataMissingError."""
        ...

    def remove(self, sha256: str) -> None: ...


class NoDatasetFiles:
    """Used where no folder for data sets is set up."""

    def new(self) -> NoReturn:
        raise DataMissingError("no folder for data sets is set up")

    def open(self, sha256: str) -> NoReturn:
        raise DataMissingError(f"no folder for data sets is set up, so {sha256!r} cannot be read")

    def content(self, sha256: str) -> NoReturn:
        self.open(sha256)

    def remove(self, sha256: str) -> NoReturn:
        raise DataMissingError(f"no folder for data sets is set up, so {sha256!r} cannot be removed")
