"""What of a task file is not supported is named, with its file and line."""

from pathlib import Path

import pytest

from assay.adapters.datasets.row_reader import FileRowReader
from assay.adapters.one_file.loading import LocalBenchmarkFiles
from assay.domain.benchmark import Row
from assay.domain.errors import BadRowError, InvalidValueError
from assay.engine.one_file.lm_eval.benchmark import LmEvalBenchmark
from assay.engine.one_file.lm_eval.examples import examples
from assay.engine.one_file.lm_eval.task import Task, read_task
from assay.engine.one_file.lm_eval.templates import answer_of, rendered, target_of, text_of
from assay.engine.one_file.lm_eval.yaml_file import read_task_file

TASK = """task: t
dataset_path: org/name
test_split: test
doc_to_text: "{{question}}"
doc_to_target: answer
"""
METRIC = "metric_list:\n  - metric: "
FILTER = "filter_list:\n  - name: a\n    filter:\n      - function: "
MISSING = ("dataset_path", "test_split", "doc_to_text", "doc_to_target")


def read(folder: Path, text: str) -> Task:
    (folder / "t.yaml").write_text(text)
    return read_task(read_task_file(folder / "t.yaml"))


@pytest.mark.parametrize(
    ("added", "fault"),
    [
        ("output_type: multiple_choice\n", "t.yaml, line 6: output_type: is 'multiple_choice'"),
        (
            "process_docs: !function utils.docs\n",
            "line 6: process_docs: names the Python function",
        ),
        ("process_results: !function u.f\n", "write the task as a benchmark in one file"),
        ("unsafe_code: true\n", "line 6: unsafe_code: runs code of the model"),
        ("doc_to_choice: '{{'\n", "line 6: doc_to_choice: is no template"),
        ("doc_to_choice: 3\n", "line 6: doc_to_choice: must be text, not 3"),
        ("doc_to_choice: !function u.f\n", "line 6: doc_to_choice: names the Python function"),
        ("gen_prefix: [A]\n", "line 6: gen_prefix: must be text"),
        ("fewshot_config:\n  gen_suffix: a\n", "fewshot_config.gen_suffix: is not supported"),
        (METRIC + "bleu\n", "line 7: metric_list: 'bleu' is not supported; exact_match is"),
        (
            METRIC + "exact_match\n    aggregation: max\n",
            "supported are the aggregation mean",
        ),
        (METRIC + "exact_match\n    multi: 1\n", "exact_match has no option 'multi'"),
        (METRIC + "exact_match\n    regexes_to_ignore: ['(']\n", "'(' is not a pattern"),
        (
            FILTER + "custom\n",
            "line 9: filter_list: a: the function",
        ),
        (
            FILTER + "regex\n",
            "a: regex needs a regex_pattern",
        ),
        (
            FILTER + "lowercase\n",
            "line 7: filter_list: a: must end with take_first",
        ),
        ("filter_list: first\n", "line 6: filter_list: must be a list of mappings"),
        ("generation_kwargs:\n  beams: 4\n", "generation_kwargs.beams: is not supported"),
        ("generation_kwargs:\n  temperature: hot\n", "generation_kwargs: could not convert string to float"),
        (
            "fewshot_config:\n  sampler: balanced\n",
            "sampler is 'balanced'; supported are default",
        ),
        ("num_fewshot: many\n", "line 6: num_fewshot: must be a whole number from 0 to 1,000, not 'many'"),
        ("repeats: 1000\n", "line 6: repeats: must be a whole number from 1 to 100"),
        ("description: '{{'\n", "line 6: description: is no template"),
        (
            "dataset_kwargs:\n  data_files: a.jsonl\n",
            "data_files goes with a dataset_path of json",
        ),
        ("include: none.yaml\n", "line 6: include: there is no file 'none.yaml'"),
        ("include: t.yaml\n", "includes itself"),
        ("a: [\n", "line 7: not valid YAML"),
        ("a: !unknown b\n", "line 6: not valid YAML"),
    ],
)
def test_what_is_not_supported_is_named(tmp_path: Path, added: str, fault: str) -> None:
    with pytest.raises(InvalidValueError) as raised:
        read(tmp_path, TASK + added)
    assert fault in raised.value.message


def test_every_fault_is_named_at_once(tmp_path: Path) -> None:
    with pytest.raises(InvalidValueError) as raised:
        read(tmp_path, "task: t\nprocess_docs: !function u.f\ndoc_to_image: image\n")
    message = raised.value.message
    assert "6 things in it not supported or wrong" in message
    for named in (
        "process_docs",
        "doc_to_image",
        "dataset_path",
        "test_split",
        "doc_to_text",
        "doc_to_target",
    ):
        assert f": {named}: " in message


@pytest.mark.parametrize("text", ["", "- a\n- b\n", "just text\n"])
def test_a_file_that_is_no_task(tmp_path: Path, text: str) -> None:
    with pytest.raises(InvalidValueError, match="a task is a mapping of keys"):
        read(tmp_path, text)


def test_what_lm_eval_does_not_read_is_left_out(tmp_path: Path) -> None:
    task = read(
        tmp_path, TASK + "tag: x\nmetadata: {version: 1}\nshould_decontaminate: true\ntask_alias: y\n"
    )
    assert (task.name, task.split, task.stops, task.repeats) == ("t", "test", ("\n\n",), 1)
    assert [one.name for one in task.filters] == ["none"]


def test_templates_are_filled_in_a_sandbox() -> None:
    row: Row = {"a": "x y", "b": ["p", "q"]}
    assert rendered("{{a | regex_replace('x', 'z')}}\n", row) == "z y\n"
    assert text_of("a", row, frozenset(row)) == "x y"
    assert target_of("{{b}}", row, frozenset(row)) == ["p", "q"]
    assert target_of("[{{a}}]", row, frozenset(row)) == "[x y]"
    for template in ("{{missing}}", "{{a.__class__.__mro__}}", "{{b.append(1)}}", "{{1 / 0}}"):
        with pytest.raises(InvalidValueError, match="cannot be filled"):
            rendered(template, row)
    with pytest.raises(InvalidValueError, match="is no text but list"):
        text_of("b", row, frozenset(row))


def test_too_few_rows_for_examples(tmp_path: Path) -> None:
    task = read(tmp_path, TASK + "num_fewshot: 3\nfewshot_split: train\n")
    with pytest.raises(InvalidValueError, match="num_fewshot is 3, and there are 2 rows"):
        list(examples(task.few_shot, [{"a": 1}, {"a": 2}], [{"a": 3}]))


@pytest.mark.parametrize(
    ("target", "choices", "said"),
    [
        ("number", ["a"], "gives the choice 2, and there are 1, counted from 0"),
        ("{{number - 3}}", ["a"], "doc_to_target gives '-1'; with doc_to_choice it has to be the number"),
        (-1, ["a"], "gives the choice -1, and there are 1"),
        ("text", ["a"], "doc_to_target gives 'none of them'"),
        (0, "text", "must give a list of texts, not 'none of them'"),
        (0, "{{[1, 2]}}", "must give a list of texts"),
        (0, [], "must give a list of texts"),
        (0, "{{absent}}", "cannot be filled"),
    ],
)
def test_a_target_that_names_no_choice_is_refused(target: object, choices: object, said: str) -> None:
    row: Row = {"number": 2, "text": "none of them"}
    with pytest.raises(InvalidValueError) as raised:
        answer_of(target, choices, row, frozenset(row))
    assert said in str(raised.value)


@pytest.mark.parametrize(
    ("target", "choices"),
    [
        ("{{number}}", {"x": "a", "y": "b", "z": "c"}),
        ("number", "{{['a', 'b', text]}}"),
        (2, ["a", "b", "c"]),
    ],
)
def test_a_target_is_the_number_of_a_choice(target: object, choices: object) -> None:
    row: Row = {"number": 2, "text": "c"}
    assert answer_of(target, choices, row, frozenset(row)) == "c"


def test_questions_that_differ_by_choice_are_refused(tmp_path: Path) -> None:
    (tmp_path / "d.jsonl").write_text('{"n": 1}\n')
    (tmp_path / "t.yaml").write_text(
        "dataset_path: json\ndataset_kwargs: {data_files: {test: d.jsonl}}\ntest_split: test\n"
        "doc_to_text: '{{n}}'\ndoc_to_target: 0\ndoc_to_choice: [a, b]\n"
    )
    [benchmark] = LocalBenchmarkFiles(FileRowReader()).load(str(tmp_path / "t.yaml")).benchmarks
    assert isinstance(benchmark, LmEvalBenchmark)
    with pytest.raises(BadRowError, match="doc_to_text gives the number 1"):
        benchmark.load(benchmark.own_data("official").tables)
