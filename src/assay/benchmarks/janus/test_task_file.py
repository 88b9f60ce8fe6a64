"""Files of Janus tasks are checked whole, and every fault is named with its item and field."""

import json
from pathlib import Path
from typing import Any

import jsonschema_rs
import pytest

from assay.benchmarks.janus.benchmark import JanusBenchmark
from assay.benchmarks.janus.cost.task import benchmark as cost
from assay.benchmarks.janus.streaming.task import benchmark as streaming
from assay.benchmarks.janus.task_file import DATA, SCHEMA, read_tasks
from assay.benchmarks.janus.tool_use.task import benchmark as tool_use
from assay.domain.benchmark import Row
from assay.domain.errors import DataMissingError, InvalidValueError

TYPES = ("short", "long", "reasoning")
TASK = {"id": "a", "task_type": "reasoning", "prompt": "What is 2 + 2?", "expected_answer": 4}


def faults(folder: Path, content: object) -> list[str]:
    file = folder / "tasks.json"
    file.write_text(json.dumps(content), encoding="utf-8")
    with pytest.raises(InvalidValueError) as caught:
        read_tasks(file, TYPES)
    first, *others = caught.value.message.split("\n  ")
    assert repr(str(file)) in first
    return others


def test_a_file_with_tasks_alone_is_enough(tmp_path: Path) -> None:
    (tmp_path / "tasks.json").write_text(json.dumps({"tasks": [TASK]}), encoding="utf-8")
    (task,) = read_tasks(tmp_path / "tasks.json", TYPES)
    assert task == TASK


def test_a_folder_holds_a_file_with_the_name_of_the_benchmark(tmp_path: Path) -> None:
    (tmp_path / "janus_streaming.json").write_text(json.dumps({"tasks": [TASK]}), encoding="utf-8")
    data = streaming.own_data(str(tmp_path))
    assert [item.id for item in streaming.load(data.tables).items] == ["a"]
    assert data.revision == "file:janus_streaming.json"


def test_every_fault_is_named_with_item_and_field(tmp_path: Path) -> None:
    tasks: list[Any] = [
        {**TASK, "expected_answer": None},
        {**TASK, "id": "b", "task_type": "reasonning"},
        {**TASK, "id": "c", "evaluation": {"tolerance": {"Answer": -1}}},
        {"id": "d", "task_type": "short", "prompt": "Count."},
        {**TASK, "id": "no id\n"},
        {**TASK, "id": "e", "available_tools": ["calculate"]},
        {**TASK, "id": "f", "image_url": "https://example.org/a.png"},
        {**TASK, "id": "g", "task_type": "short", "expected_answer": 4},
        "no task",
    ]
    found = faults(tmp_path, {"tasks": tasks})
    for start in (
        "item 'a', field 'expected_answer': ",
        "item 'b', field 'task_type': ",
        "item 'c', field 'evaluation/tolerance/Answer': ",
        "item 'd': ",
        "item 'no id\\n', field 'id': ",
        "item 'e', field 'task_type': ",
        "item 'f', field 'image_url': ",
        "item 'g', field 'expected_answer': ",
        "item 9: ",
    ):
        assert any(fault.startswith(start) for fault in found), start


def test_an_unknown_field_is_a_fault(tmp_path: Path) -> None:
    (fault,) = faults(tmp_path, {"tasks": [{**TASK, "expectd_answer": 4}]})
    assert fault.startswith("item 'a': ")
    assert "expectd_answer" in fault


def test_repeated_ids_and_wrong_counts_are_faults(tmp_path: Path) -> None:
    metadata = {
        "benchmark": "janus_streaming",
        "version": "1",
        "created": "2026-01-01",
        "total_items": 3,
        "categories": {"reasoning": 1},
    }
    assert faults(tmp_path, {"metadata": metadata, "items": [TASK, TASK]}) == [
        "item 'a', field 'id': another item has this id",
        "field 'metadata/total_items': there are 2 items, not 3",
        "field 'metadata/categories': there are {'reasoning': 2}",
    ]


def test_a_file_without_tasks_of_the_benchmark_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "tasks.json"
    file.write_text(json.dumps({"tasks": [{**TASK, "task_type": "reasoning"}]}), encoding="utf-8")
    with pytest.raises(InvalidValueError, match="holds no task of the types comparative"):
        read_tasks(file, ["comparative"])


@pytest.mark.parametrize("text", ["", "{", "[" * 100_000, "[]", '{"tasks": []}', '{"items": [{}]}', "\u00e9"])
def test_what_is_no_file_of_tasks_is_refused(tmp_path: Path, text: str) -> None:
    file = tmp_path / "tasks.json"
    file.write_text(text, encoding="latin-1")
    with pytest.raises(InvalidValueError, match="is"):
        read_tasks(file, TYPES)


def test_the_schema_is_valid_and_every_file_of_ours_fits_it() -> None:
    assert jsonschema_rs.meta.is_valid(json.loads(SCHEMA.read_text(encoding="utf-8")))
    types = json.loads(SCHEMA.read_text(encoding="utf-8"))["$defs"]["task_type"]["enum"]
    files = sorted(DATA.glob("janus_*.json"))
    assert len(files) >= 3
    for file in files:
        assert read_tasks(file, types)


def test_a_missing_file_is_missing_data(tmp_path: Path) -> None:
    with pytest.raises(DataMissingError):
        read_tasks(tmp_path / "none.json", TYPES)


def test_many_faults_are_cut_short(tmp_path: Path) -> None:
    found = faults(tmp_path, {"tasks": [{"id": str(number)} for number in range(300)]})
    assert len(found) == 21
    assert found[-1].startswith("and ")


STREAMING: Row = {"id": "a", "task_type": "short", "prompt": "Write."}
CALL: Row = {"function": "calculate", "arguments": {"expression": "1"}}


@pytest.mark.parametrize(
    ("benchmark", "task", "fault"),
    [
        (streaming, {**STREAMING, "evaluation": {}}, "not valid under any of the schemas"),
        (streaming, {**STREAMING, "evaluation": {"line_rules": {"count": 2, "starts": []}}}, "fewer|less"),
        (streaming, {**STREAMING, "expected_answer": "```"}, "task 'a' .* cannot be solved"),
        (streaming, {**TASK, "expected_answer": {"A ": 1}}, "task 'a' .* cannot be solved"),
        (streaming, {**TASK, "expected_answer": {"A": ["b; c", "d"]}}, "task 'a' .* cannot be solved"),
        (streaming, {**TASK, "expected_answer": {"A": "..."}}, "task 'a' .* cannot be solved"),
        (
            cost,
            {
                "id": "a",
                "task_type": "concise_response",
                "prompt": "Which?",
                "expected_facts": ["x"],
                "evaluation": {"max_words": 3, "wrong_facts": ["x"]},
            },
            "task 'a' .* cannot be solved.*also stated: x",
        ),
        (
            tool_use,
            {
                "id": "a",
                "task_type": "tool_chaining",
                "prompt": "Calculate.",
                "available_tools": ["calculate"],
                "expected_answer": 1,
                "evaluation": {"calls": [[{**CALL, "alternatives": [{**CALL, "function": "nope"}]}]]},
            },
            "needs the tool 'nope' and does not offer it",
        ),
    ],
)
def test_a_task_that_its_own_answer_does_not_solve_is_refused(
    tmp_path: Path, benchmark: JanusBenchmark, task: Row, fault: str
) -> None:
    file = tmp_path / "tasks.json"
    file.write_text(json.dumps({"tasks": [task]}), encoding="utf-8")
    with pytest.raises(InvalidValueError, match=fault):
        benchmark.own_data(str(file))
