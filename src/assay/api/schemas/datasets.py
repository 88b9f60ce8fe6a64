"""Data sets as responses: the batch UI's contract, extended."""

import json
from collections.abc import Mapping, Sequence
from typing import Self

from pydantic import Field

from assay.api.schemas.fields import FreeText, Moment, Schema
from assay.api.schemas.problem import Problem
from assay.domain.dataset import DataSet, Line
from assay.domain.dataset_report import Fault, Grading, Report
from assay.domain.messages import Json, Prompt

_LONGEST_TEXT = 2_000


class DatasetFields(Schema):
    """One version of a data set; `name` is the file's, as the contract has it."""

    name: FreeText
    count: int = Field(description="Lines with a request")
    uploaded_at: Moment
    dataset: str = Field(description="The name that `dataset:NAME` stands for")
    version: int
    benchmark: str = Field(description="Its name as a benchmark, for `POST /api/runs`")
    sha256: str
    size_bytes: int
    graded: int = Field(description="Lines that say what is expected")
    graders: Mapping[Grading, int] = Field(description="How many lines are graded each way")
    grader: Grading = Field(description="Of lines that name none")
    models: tuple[FreeText, ...] = Field(description="Models that the lines themselves name; up to 20")
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
    line: int = Field(description="From 1; 0 is the file as a whole")
    field: FreeText
    reason: FreeText

    @classmethod
    def of(cls, fault: Fault) -> Self:
        return cls(line=fault.line, field=fault.field, reason=fault.reason)


class LinePreview(Schema):
    custom_id: FreeText
    model: FreeText | None
    prompt_preview: FreeText


class Validation(Schema):
    """What was found on reading every line; the first 100 of each kind are listed, all are counted."""

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
    """What was stored, or was there already."""

    dataset_id: str
    validation: Validation

    @classmethod
    def with_report(cls, found: DataSet, report: Report) -> Self:
        return cls(**dict(DatasetFields.of(found)), dataset_id=found.id, validation=Validation.of(report))


class DatasetProblem(Problem):
    """Why a file is no data set, line by line; `message` is the contract's name of `detail`."""

    message: FreeText
    validation: Validation


class DatasetLine(Schema):
    """One request; long texts are cut, and `is_cut` says so."""

    custom_id: FreeText
    model: FreeText | None
    prompt: FreeText
    expected: FreeText | None
    grader: Grading | None = Field(description="Null where nothing is expected")
    category: FreeText | None
    is_cut: bool

    @classmethod
    def of(cls, line: Line) -> Self:
        prompt, model = Prompt.of_body(line.body).text, line.body.get("model")
        expected = "" if line.expected is None else _text(line.expected)
        return cls(
            custom_id=line.item_id,
            model=model if isinstance(model, str) else None,
            prompt=prompt[:_LONGEST_TEXT],
            expected=expected[:_LONGEST_TEXT] or None,
            grader=line.grading,
            category=line.category,
            is_cut=max(len(prompt), len(expected)) > _LONGEST_TEXT,
        )


class DatasetPreview(Schema):
    """Lines in the order of the file, and what was odd in it; `total` counts the lines on all pages."""

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
