"""A data set of a user's own, as the web UI meets it."""

import json
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from assay.adapters.datasets.dataset_files import FolderDatasetFiles
from assay.domain.dataset_report import Grading, Report
from assay.domain.datasets.dataset import DataSet, DatasetId
from assay.engine.graders.rules.expected import expectation_fault

CAPITALS: Final = DataSet(
    id=DatasetId("ds_capitals"),
    name="capitals",
    version=0,
    file_name="capitals.jsonl",
    sha256="",
    size_bytes=0,
    count=0,
    created_at=datetime(2026, 1, 2, 3, 4, tzinfo=UTC),
)
CITIES: Final = {"France": "Paris", "Japan": "Tokyo", "Peru": "Lima", "Kenya": "Nairobi"}


def with_capitals(folder: Path) -> tuple[FolderDatasetFiles, DataSet]:
    """A files with one data set of forty lines on it, a quarter of them without a key."""
    files = FolderDatasetFiles(folder)
    incoming = files.new()
    try:
        incoming.write(b"\xef\xbb\xbf")
        for number in range(40):
            incoming.write(json.dumps(_line(number)).encode() + b"\n")
        report = incoming.check(Grading.CONTAINS, expectation_fault)
        incoming.keep()
    finally:
        incoming.close()
    return files, _described(report)


def _line(number: int) -> dict[str, object]:
    country = list(CITIES)[number % 4]
    asked = [{"role": "user", "content": f"Question {number + 1}: what is the capital of {country}?"}]
    line: dict[str, object] = {"custom_id": f"q{number + 1}", "body": {"messages": asked}}
    return line if number % 4 == 0 else line | {"expected": CITIES[country], "category": "geography"}


def _described(report: Report) -> DataSet:
    return replace(
        CAPITALS,
        sha256=report.sha256,
        size_bytes=report.size_bytes,
        count=report.count,
        grading=Grading.CONTAINS,
        graders=report.graders,
        warnings=report.warnings,
        warning_count=report.warning_count,
    )
