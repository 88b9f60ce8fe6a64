"""Graders with options and weights in the lines of a data set, and for those that name none."""

import json
from pathlib import Path

import pytest

from tests.unit.cli.conftest import CommandLine

LINES = [
    {
        "prompt": "Capital of France?",
        "expected": "Paris",
        "grader": ["contains", {"name": "exact", "weight": 3}],
    },
    {"prompt": "2 + 2?", "expected": 4.2},
    {"prompt": "As JSON", "expected": {"a": [1]}, "grader": {"name": "json", "subset": True}},
    {"prompt": "Be quick", "grader": {"name": "latency", "max_s": 60}},
    {"prompt": "Anything", "grader": "exact"},
]


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "mixed.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in LINES))
    return path


def test_lines_are_graded_as_they_say(assay: CommandLine, file: Path) -> None:
    rule = json.dumps({"name": "number", "tolerance": 0.5})
    added = assay.json("datasets", "add", str(file), "--grader", rule)
    assert (added["count"], added["graded"]) == (5, 4)
    assert added["graders"] == {"contains": 1, "exact": 0, "number": 1, "json": 1, "latency": 1}
    run = assay.json("run", "sim/oracle", "dataset:mixed")
    [evaluation] = run["evaluations"]
    assert (evaluation["score"], evaluation["scored"]) == (1.0, 4)
    assert evaluation["outcomes"] == {"correct": 4, "answered": 1}
    graded = assay.printed("score", run["run_id"])
    assert "0 of 4 verdicts changed" in graded or "0 of 5 verdicts changed" in graded


@pytest.mark.parametrize(
    ("line", "fault"),
    [
        ({"prompt": "?", "expected": "x", "grader": {"name": "exact", "fuzzy": 1}}, "has no option 'fuzzy'"),
        ({"prompt": "?", "grader": ["exact", {"name": "cost", "max_usd": 1}]}, "expected: is missing"),
        (
            {"prompt": "?", "expected": "x", "grader": [{"name": "regex", "expected": "("}]},
            "is not a pattern",
        ),
    ],
)
def test_a_line_whose_grader_cannot_be_used_is_named(
    assay: CommandLine, tmp_path: Path, line: dict[str, object], fault: str
) -> None:
    (tmp_path / "bad.jsonl").write_text(json.dumps(line) + "\n")
    error = assay.error("datasets", "add", "bad.jsonl")
    assert "line 1" in error
    assert fault in error


def test_a_grader_for_all_lines_that_cannot_be_used(assay: CommandLine, file: Path) -> None:
    assert "--grader must be one of exact" in assay.error("datasets", "add", str(file), "--grader", "nearly")
    assert "--grader is not JSON" in assay.error("datasets", "add", str(file), "--grader", "{number}")
