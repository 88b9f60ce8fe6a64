"""Where the contents of users' data sets lie, as a port."""

from collections.abc import Iterator, Mapping, Sequence
from typing import NoReturn, Protocol

from assay.domain.benchmark import ItemId
from assay.domain.dataset import Line
from assay.domain.dataset_report import Grading, Report
from assay.domain.errors import DataMissingError


class DatasetLines(Protocol):
    """The lines of one stored content, read when they are asked for."""

    def ids(self) -> Sequence[ItemId]:
        """In the order of the file."""
        ...

    def categories(self, ids: Sequence[ItemId]) -> Mapping[ItemId, str]:
        """Of those of all ids, as `ids` gave them, that have one."""
        ...

    def line(self, item_id: ItemId, *, grading: Grading) -> Line:
        """Raises UnknownNameError; `grading` is for lines that do not say how they are graded."""
        ...


class Intake(Protocol):
    """A file on its way in; whatever happens, nothing of it stays unless it was kept."""

    def write(self, data: bytes) -> None: ...

    def check(self, grading: Grading) -> Report:
        """Read what was written to its end; never raises for what is in it."""
        ...

    def keep(self) -> None:
        """Put the content where it can be opened, in one step."""
        ...

    def close(self) -> None: ...


class DatasetShelf(Protocol):
    def intake(self) -> Intake: ...

    def open(self, sha256: str) -> DatasetLines:
        """Raises DataMissingError."""
        ...

    def content(self, sha256: str) -> Iterator[bytes]:
        """The bytes as they came in, in pieces; raises DataMissingError."""
        ...

    def remove(self, sha256: str) -> None: ...


class NoShelf:
    """For an engine that was given none."""

    def intake(self) -> NoReturn:
        raise DataMissingError("no place for data sets was set up")

    def open(self, sha256: str) -> NoReturn:
        raise DataMissingError(f"no place for data sets was set up, so {sha256!r} cannot be read")

    def content(self, sha256: str) -> NoReturn:
        self.open(sha256)

    def remove(self, sha256: str) -> NoReturn:
        raise DataMissingError(f"no place for data sets was set up, so {sha256!r} cannot be removed")
