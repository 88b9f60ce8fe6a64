"""Instances in folders, the script of their evaluation, and patches."""

import json
from pathlib import Path

import pytest

from assay.benchmarks.swe_bench_pro.evaluation import entry_script
from assay.benchmarks.swe_bench_pro.grading import patch_in
from assay.benchmarks.swe_bench_pro.instances import load_instances
from assay.benchmarks.swe_bench_pro.patches import without_binary
from assay.benchmarks.swe_bench_pro.task import benchmark
from assay.domain.calls.transcript import transcript_text
from assay.domain.errors import DataMissingError, InvalidValueError
from assay.domain.json_value import Json

ROW: dict[str, Json] = {
    "instance_id": "instance_a__b-1",
    "repo": "a/b",
    "base_commit": "abc",
    "problem_statement": "It fails.",
    "requirements": "It shall not.",
    "interface": "None.",
    "fail_to_pass": "['t::one']",
    "pass_to_pass": "[]",
    "before_repo_set_cmd": "git reset --hard abc\ngit checkout def -- tests/x.py",
    "selected_test_files_to_run": "['tests/x.py', \"tests/y[a].py\"]",
}


def folder(path: Path, **changed: Json) -> Path:
    scripts = path / "run_scripts" / "instance_a__b-1"
    scripts.mkdir(parents=True, exist_ok=True)
    (scripts / "run_script.sh").write_text("true\n")
    (scripts / "parser.py").write_text("pass\n")
    docker = path / "dockerfiles" / "base_dockerfile" / "instance_a__b-1"
    docker.mkdir(parents=True, exist_ok=True)
    (docker / "Dockerfile").write_text("FROM x\n  ENV A='1 2'\nRUN echo ENV\n")
    (path / "instances.jsonl").write_text(json.dumps({**ROW, **changed}) + "\n")
    return path


def test_the_problem_has_requirements_and_interface(tmp_path: Path) -> None:
    (one,) = load_instances(folder(tmp_path))
    assert one.problem == "It fails.\n\nRequirements:\nIt shall not.\n\nNew interfaces introduced:\nNone."
    assert one.image == "jefzda/sweap-images:a.b-a__b-1"
    assert one.fault is None


def test_the_steps_of_the_evaluation(tmp_path: Path) -> None:
    (one,) = load_instances(folder(tmp_path))
    assert entry_script(one) == (
        "export A='1 2'\n{\ncd /app\ngit reset --hard abc\ngit checkout abc\n"
        "git apply -v /workspace/patch.diff\ngit checkout def -- tests/x.py\n} > /workspace/setup.log 2>&1\n"
        "bash /workspace/run_script.sh tests/x.py,tests/y[a].py\n"
    )


@pytest.mark.parametrize(
    ("changed", "reason"),
    [
        ({"fail_to_pass": "nan"}, "fail_to_pass"),
        ({"pass_to_pass": "open('x')"}, "pass_to_pass"),
        ({"fail_to_pass": "[]"}, "no test is required"),
        ({"selected_test_files_to_run": None}, "selected_test_files_to_run"),
        ({"instance_id": "../../etc"}, "not the name of a folder"),
        ({"instance_id": "other"}, "run_script.sh is missing"),
        ({"repo": "b"}, "owner/name"),
    ],
)
def test_a_faulty_row_is_listed_with_its_reason(
    tmp_path: Path, changed: dict[str, Json], reason: str
) -> None:
    data = benchmark.own_data(str(folder(tmp_path, **changed)))
    item_set = benchmark.load(data.tables)
    assert reason in benchmark.unsupported(item_set.items)[item_set.items[0].id]


def test_columns_in_capitals_are_read(tmp_path: Path) -> None:
    row = {key.upper() if "_to_" in key else key: value for key, value in ROW.items() if "_to_pass" in key}
    path = folder(tmp_path)
    rest = {key: value for key, value in ROW.items() if "_to_pass" not in key}
    (path / "instances.jsonl").write_text(json.dumps({**rest, **row}))
    assert load_instances(path)[0].fail_to_pass == ("t::one",)


def test_a_folder_without_rows_says_so(tmp_path: Path) -> None:
    with pytest.raises(InvalidValueError, match=r"instances\.jsonl"):
        load_instances(tmp_path)
    (tmp_path / "instances.jsonl").write_text("[1]\n")
    with pytest.raises(InvalidValueError, match="line 1"):
        load_instances(tmp_path)
    with pytest.raises(DataMissingError, match="--data"):
        benchmark.own_data("official")


def test_binary_changes_are_left_out() -> None:
    text = "diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n"
    binary = "diff --git a/y b/y\nGIT binary patch\nliteral 1\n"
    told = "diff --git a/z b/z\nBinary files a/z and b/z differ\n"
    assert without_binary(binary + text + told) == text
    assert without_binary("") == ""


def test_answers_are_conversations_or_patches() -> None:
    assert patch_in(transcript_text([], patch="p", steps=3)).patch == "p"
    assert patch_in("diff --git a/x b/x\n").is_attempt
    assert not patch_in("I changed it.").is_attempt
    assert benchmark.replies({"instance_id": "i", "model_patch": "p"}) == ("i", ["p"])
    assert benchmark.replies({"instance_id": "i"}) is None
