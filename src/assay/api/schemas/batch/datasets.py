"""Data sets as responses, in the extended contract of the batch UI."""

import json
from collections.abc import Mapping, Sequence
from typing import Self

from pydantic import Field

from assay.api.schemas.fields import FreeText, Moment, Problem, Schema, StoredMessage
from assay.domain.calls.messages import Json, Prompt
from assay.domain.dataset_report import Fault, Grading, Report
from assay.domain.datasets.dataset import DataSet, Line

_MAX_TEXT = 2_000


class DatasetFields(Schema):
    """One version of a data set; `name` is the file name, as in the contract."""

    name: FreeText
    count: int = Field(description="Lines with a request")
    uploaded_at: Moment
    dataset: str = Field(description="The NAME in `dataset:NAME`")
    version: int
    benchmark: str = Field(description="Its name as a benchmark, for `POST /api/runs`")
    sha256: str
    size_bytes: int
    graded: int = Field(description="Lines with an expected answer")
    graders: Mapping[Grading, int] = Field(description="Number of lines for each grader")
    grader: Grading = Field(description="For lines that name none")
    models: tuple[FreeText, ...] = Field(description="Models named in the lines; up to 20")
    owner: FreeText | None

    @classmethod
    def of(cls, found: DataSet) -> Self:
        return cls(
            name=found.file_name,
            count=found.count,
            uploaded_at=found.created_at,
            dataset=found.name,
            version=found.version,
            benchmark=found.benchmark,
            sha256=found.sha256,
            size_bytes=found.size_bytes,
            graded=found.graded,
            graders=found.graders,
            grader=found.grading,
            models=found.models,
            owner=found.owner,
        )


class Dataset(DatasetFields):
    id: str

    @classmethod
    def of(cls, found: DataSet) -> Self:
        return cls(**dict(DatasetFields.of(found)), id=found.id)


class DatasetList(Schema):
    """Newest first."""

    datasets: tuple[Dataset, ...]


class LineFault(Schema):
    line: int = Field(description="From 1; 0 means the whole file")
    field: FreeText
    reason: StoredMessage

    @classmethod
    def of(cls, fault: Fault) -> Self:
        return cls(line=fault.line, field=fault.field, reason=fault.reason)


class LinePreview(Schema):
    custom_id: FreeText
    model: FreeText | None
    prompt_preview: FreeText


class Validation(Schema):
    """Problems of the lines: the first 100 of each kind are listed, all are counted."""

    errors: tuple[LineFault, ...]
    error_count: int
    warnings: tuple[LineFault, ...]
    warning_count: int
    preview: tuple[LinePreview, ...]

    @classmethod
    def of(cls, report: Report) -> Self:
        return cls(
            errors=_faults(report.errors),
            error_count=report.error_count,
            warnings=_faults(report.warnings),
            warning_count=report.warning_count,
            preview=tuple(
                LinePreview(custom_id=one.custom_id, model=one.model, prompt_preview=one.prompt)
                for one in report.previews
            ),
        )


class UploadedDataset(DatasetFields):
    """The stored data set, new or already known."""

    dataset_id: str
    validation: Validation

    @classmethod
    def with_report(cls, found: DataSet, report: Report) -> Self:
        return cls(**dict(DatasetFields.of(found)), dataset_id=found.id, validation=Validation.of(report))


class DatasetProblem(Problem):
    """Why a file is not a valid data set, line by line; the contract calls `detail` also `message`."""

    message: FreeText
    validation: Validation


class DatasetLine(Schema):
    """One request; long texts are cut, and `is_cut` says so."""

    custom_id: FreeText
    model: FreeText | None
    prompt: FreeText
    expected: FreeText | None
    grader: Grading | None = Field(description="Null if there is no expected answer")
    category: FreeText | None
    is_cut: bool

    @classmethod
    def of(cls, line: Line) -> Self:
        prompt, model = Prompt.of_body(line.body).text, line.body.get("model")
        expected = "" if line.expected is None else _text(line.expected)
        return cls(
            custom_id=line.item_id,
            model=model if isinstance(model, str) else None,
            prompt=prompt[:_MAX_TEXT],
            expected=expected[:_MAX_TEXT] or None,
            grader=line.grading,
            category=line.category,
            is_cut=max(len(prompt), len(expected)) > _MAX_TEXT,
        )


class DatasetPreview(Schema):
    """Lines in the order of the file, with warnings; `total` counts the lines on all pages."""

    lines: tuple[DatasetLine, ...]
    total: int
    warnings: tuple[LineFault, ...]
    warning_count: int

    @classmethod
    def of(cls, found: DataSet, lines: Sequence[Line]) -> Self:
        return cls(
            lines=tuple(map(DatasetLine.of, lines)),
            total=found.count,
            warnings=_faults(found.warnings),
            warning_count=found.warning_count,
        )


class DeletedDataset(Schema):
    id: str
    deleted: bool = True


def _text(value: Json) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _faults(found: Sequence[Fault]) -> tuple[LineFault, ...]:
    return tuple(LineFault.of(fault) for fault in found)
