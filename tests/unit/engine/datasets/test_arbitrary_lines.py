"""Whatever JSON a line of a data set holds, it is accepted whole or refused with a reason."""

import asyncio
import json
from typing import Any

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from assay.adapters.datasets.dataset_files import FolderDatasetFiles
from assay.domain.benchmark import Services
from assay.domain.calls.messages import Completion
from assay.domain.dataset_report import Grading, Report
from assay.domain.datasets.dataset import DataSet, DatasetId
from assay.domain.errors import AttemptError
from assay.engine.datasets.benchmark import DatasetBenchmark
from assay.engine.grading.grade import DirectGrader, verdict
from tests.arbitrary_json import any_json, places, replaced
from tests.builders import NOON, called_here
from tests.unit.adapters.datasets.test_dataset_files import checked

MESSAGE = {"role": "user", "content": "Hi"}
PLAIN = {"prompt": "Hi", "system": "Be brief.", "expected": "x", "grader": "exact", "category": "c"}
BATCH = {
    "custom_id": "a",
    "method": "POST",
    "url": "/v1/chat/completions",
    "body": {"model": "m", "messages": [MESSAGE], "n": 1, "tools": [], "logprobs": True},
    "expected": "x",
    "metadata": {},
}
PLACES = [(line, path) for line in (PLAIN, BATCH) for path in places(line)]
EXPECTED = PLAIN, ("expected",)
DEEP = json.loads("[" * 900 + "]" * 900)


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> FolderDatasetFiles:
    return FolderDatasetFiles(tmp_path_factory.mktemp("files"))


def use(files: FolderDatasetFiles, report: Report, grading: Grading) -> None:
    """All that is done with a line in a run."""
    dataset = DataSet(
        DatasetId("d"), "d", 1, "d.jsonl", report.sha256, report.size_bytes, report.count, NOON, grading
    )
    benchmark = DatasetBenchmark(dataset, files.open(report.sha256))
    item_set = benchmark.load(benchmark.own_data("official").tables)
    [item] = item_set.items
    assert item.content_hash
    assert isinstance(item_set.prompt(item).text, str)
    grader = DirectGrader(benchmark, Services(isolated=called_here))
    for answer in (item_set.cue(item).right or "", "{}", "no"):
        try:
            asyncio.run(verdict(grader, item, Completion(answer)))
        except AttemptError as error:
            # Nothing else may be missing.
            assert "judge" in error.message or "runs code" in error.message  # noqa: PT017


@pytest.mark.parametrize("grading", list(Grading))
@settings(deadline=None, max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(place=st.sampled_from(PLACES), value=any_json)
@example(place=EXPECTED, value=DEEP)
@example(place=(BATCH, ("body", "tools")), value=DEEP)
@example(place=EXPECTED, value={"$ref": "#"})
@example(place=EXPECTED, value={"$ref": "http://127.0.0.1:1/"})
@example(place=EXPECTED, value={"pattern": "("})
@example(place=EXPECTED, value=[])
def test_any_value_in_any_field_is_accepted_or_refused_with_a_reason(
    files: FolderDatasetFiles, grading: Grading, place: tuple[Any, tuple[str | int, ...]], value: object
) -> None:
    line = replaced(*place, value)
    report = checked(files, json.dumps(line).encode() + b"\n", grading)
    if report.error_count:
        assert all(fault.reason for fault in report.errors)
        return
    use(files, report, grading)


@settings(deadline=None, max_examples=50, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(content=st.binary(max_size=80) | any_json.map(lambda value: json.dumps(value).encode()))
def test_any_bytes_at_all_are_accepted_or_refused_with_a_reason(
    files: FolderDatasetFiles, content: bytes
) -> None:
    report = checked(files, content, Grading.EXACT)
    assert report.error_count or report.count
