"""A user's own data set, and what one line of it says."""

import hashlib
import re
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import NewType

from assay.domain.benchmark import ItemId
from assay.domain.calls.messages import Json
from assay.domain.dataset_report import Fault, Grading
from assay.domain.datasets.grading_rule import Rule
from assay.domain.errors import InvalidValueError, UnknownNameError

DatasetId = NewType("DatasetId", str)
PREFIX = "dataset:"
MAX_NAME_LENGTH = 64
_MAX_FILE_NAME_LENGTH = 200
_OWNER_DIGITS = 8
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")
FILE_ENDINGS = (".jsonl", ".ndjson", ".json", ".txt", ".csv")


def is_dataset(benchmark: str) -> bool:
    return benchmark.startswith(PREFIX)


@dataclass(frozen=True, slots=True)
class DataSet:
    """One version of a data set; its content is stored once under `sha256`, even if uploaded several times.

    `graders` counts the lines for each way of grading, by the first where a line has several; 0 says that one
    only stands beside others. Lines that are not graded are not counted.
    `models` are those that the lines name. `warnings` holds the first warnings about the file.
    """

    id: DatasetId
    name: str
    version: int
    file_name: str
    sha256: str
    size_bytes: int
    count: int
    created_at: datetime
    grading: Grading = Grading.EXACT
    graders: Mapping[Grading, int] = field(default_factory=dict[Grading, int])
    models: tuple[str, ...] = ()
    owner: str | None = None
    warnings: tuple[Fault, ...] = ()
    warning_count: int = 0

    @property
    def benchmark(self) -> str:
        """Its name as a benchmark."""
        return f"{PREFIX}{self.name}@{self.version}"

    @property
    def graded(self) -> int:
        return sum(self.graders.values())


@dataclass(frozen=True, slots=True)
class Line:
    """What one line asks; without rules it is not graded."""

    item_id: ItemId
    body: Mapping[str, Json]
    expected: Json = None
    rules: tuple[Rule, ...] = ()
    category: str | None = None

    @property
    def grading(self) -> Grading | None:
        """The first of its graders."""
        return self.rules[0].grader if self.rules else None


@dataclass(frozen=True, slots=True)
class DatasetRef:
    """A data set as a user names it: `dataset:NAME@VERSION`, or `dataset:NAME` for the newest version."""

    name: str
    version: int | None = None

    @classmethod
    def parse(cls, text: str) -> "DatasetRef":
        name, mark, version = text.removeprefix(PREFIX).partition("@")
        if _NAME.fullmatch(name) is None or (mark and not (version.isascii() and version.isdecimal())):
            raise UnknownNameError(
                "data set", text, remedy="it is named dataset:NAME or dataset:NAME@VERSION"
            )
        return cls(name, int(version) if mark else None)

    @property
    def text(self) -> str:
        return self.name if self.version is None else f"{self.name}@{self.version}"


def require_name(name: str) -> str:
    if _NAME.fullmatch(name) is None or len(name) > MAX_NAME_LENGTH:
        raise InvalidValueError(
            f"a data set cannot be named {name!r}: use up to {MAX_NAME_LENGTH} letters, digits, '.', '_'"
            " and '-', beginning with a letter or digit"
        )
    return name


def name_of_file(file_name: str) -> str:
    """A data set name derived from a file name; safe to type in a shell and to put in a URL."""
    stem = shown_file_name(file_name)
    for ending in FILE_ENDINGS:
        if stem.lower().endswith(ending):
            stem = stem[: -len(ending)]
            break
    plain = unicodedata.normalize("NFKD", stem).encode("ascii", "ignore").decode()
    name = re.sub(r"[^A-Za-z0-9._-]+", "-", plain).strip("-._")[:MAX_NAME_LENGTH].rstrip("-._")
    return name or "dataset"


def own_name(name: str, owner: str) -> str:
    """The name with an ending that is always the same for this owner."""
    ending = hashlib.sha256(owner.encode()).hexdigest()[:_OWNER_DIGITS]
    return f"{name[: MAX_NAME_LENGTH - _OWNER_DIGITS - 1]}-{ending}"


def shown_file_name(file_name: str) -> str:
    """The last part of a path, without characters that a terminal or a header would interpret."""
    last = re.split(r"[/\\]", file_name)[-1]
    printable = "".join(mark if mark.isprintable() else "\N{REPLACEMENT CHARACTER}" for mark in last)
    return printable.strip()[:_MAX_FILE_NAME_LENGTH] or "upload.jsonl"
