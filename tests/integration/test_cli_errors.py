"""Bad input is one line that says what to do, an exit code, and nothing lost."""

import gzip
import json
from pathlib import Path

import pytest

from tests.integration.cli import Assay, sim_server

RUN = ("run", "sim/good", "mmlu_pro", "--data", "demo")


@pytest.fixture
def assay(tmp_path: Path) -> Assay:
    return Assay(tmp_path / "home")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (
            ("run", "opnai/gpt", "mmlu_pro", "--data", "demo"),
            "no model prefix 'opnai'; did you mean 'openai'",
        ),
        (("run", "sim/goood", "mmlu_pro", "--data", "demo"), "did you mean 'good'"),
        (("run", "sim/good", "mmlu", "--data", "demo"), "no benchmark 'mmlu'; did you mean 'mmlu_pro'"),
        (("run", "sim/good", "mmlu_pro"), "assay data fetch mmlu_pro"),
        (("run", "sim/good", "mmlu_pro", "--data", "no/such/file"), "no/such/file"),
        ((*RUN, "--subset", "0"), "1 to 100 percent, not 0"),
        ((*RUN, "--subset", "101"), "1 to 100 percent, not 101"),
        ((*RUN, "--count", "0"), "at least 1, not 0"),
        ((*RUN, "--samples", "0"), "samples must be 1 to"),
        ((*RUN, "--temperature", "3"), "temperature must be 0 to 2"),
        ((*RUN, "--budget-usd", "-1"), "more than 0 USD"),
        ((*RUN, "--budget-usd", "much"), "an amount in USD"),
        ((*RUN, "--budget-usd", "1"), "price of 'sim/good' is unknown"),
        (("show", "ffffffff"), "no run 'ffffffff'"),
        (("resume", "ffffffff"), "no run 'ffffffff'"),
        (("list", "--status", "done"), "no state 'done'"),
        (("grade", "mmlu_pro", "--answers", "missing.jsonl", "--data", "demo"), "missing.jsonl"),
        (("data", "check", "mmlu_pro"), "assay data fetch mmlu_pro"),
    ],
)
def test_bad_input_is_a_usage_error(assay: Assay, arguments: tuple[str, ...], said: str) -> None:
    code, error = assay.failure(*arguments)
    assert code == 2
    assert said in error


def test_an_oracle_needs_reference_answers(assay: Assay, tmp_path: Path) -> None:
    row: dict[str, object] = {
        "key": 1,
        "prompt": "Use no commas.",
        "instruction_id_list": ["punctuation:no_comma"],
        "kwargs": [{}],
    }
    (tmp_path / "train.jsonl").write_text(json.dumps(row))
    done = assay("run", "sim/oracle", "ifeval", "--data", str(tmp_path / "train.jsonl"))
    assert done.returncode == 1
    assert "--data demo" in done.stdout + done.stderr


def test_an_unreachable_endpoint_fails_at_once(assay: Assay) -> None:
    done = assay("run", "vllm/x", "mmlu_pro", "--data", "demo", "--base-url", "http://127.0.0.1:9/v1")
    assert done.returncode == 1
    assert "error: " in done.stderr
    assert "'http://127.0.0.1:9/v1' cannot be reached" in done.stderr


def test_a_wrong_key_stops_at_once_and_is_never_shown(assay: Assay) -> None:
    canary = "sk-canary-1234567890"
    wrong = Assay(assay.home, variables=(("SECRET_API_KEY", canary),))
    with sim_server(assay, "--key", "another") as base_url:
        done = wrong(
            "run", "openai-api/secret/test/letter", "mmlu_pro", "--data", "demo", "--base-url", base_url
        )
    assert done.returncode == 1
    assert "SECRET_API_KEY" in done.stderr
    assert canary not in done.stdout + done.stderr
    for path in assay.home.rglob("*"):
        if path.is_file():
            assert canary.encode() not in path.read_bytes()


def test_a_model_the_endpoint_does_not_have(assay: Assay) -> None:
    with sim_server(assay) as base_url:
        done = assay("run", "vllm/test/leter", "mmlu_pro", "--data", "demo", "--base-url", base_url)
    assert done.returncode == 1
    assert "did you mean 'test/letter'" in done.stderr


def test_a_corrupt_database_is_named(assay: Assay) -> None:
    assay.home.mkdir()
    (assay.home / "assay.db").write_bytes(b"this is not a database" * 100)
    code, error = assay.failure("list")
    assert code == 4
    assert "assay.db" in error


def test_a_data_folder_that_cannot_be_written(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    blocked = Assay(tmp_path / "home", variables=(("ASSAY_HOME", str(tmp_path / "file" / "home")),))
    code, error = blocked.failure("list")
    assert code == 4
    assert "ASSAY_HOME" in error


def test_a_wrong_setting_is_named(assay: Assay) -> None:
    code, error = Assay(assay.home, variables=(("ASSAY_PORT", "many"),)).failure("list")
    assert code == 2
    assert "ASSAY_PORT" in error


def test_bad_lines_in_answers_are_pointed_at(assay: Assay, tmp_path: Path) -> None:
    answers = tmp_path / "answers.jsonl"
    answers.write_text('{"item": "1", "response": "x"}\n')
    code, error = assay.failure("grade", "mmlu_pro", "--answers", str(answers), "--data", "demo")
    assert code == 2
    assert "answers.jsonl, line 1: the data has no item '1'" in error
    answers.write_text("{broken\n")
    assert "line 1" in assay.failure("grade", "mmlu_pro", "--answers", str(answers), "--data", "demo")[1]
    table = answers.rename(tmp_path / "answers.parquet")
    error = assay.failure("grade", "mmlu_pro", "--answers", str(table), "--data", "demo")[1]
    assert "give them as JSON lines" in error


def test_bad_rows_in_data_are_pointed_at(assay: Assay, tmp_path: Path) -> None:
    data = tmp_path / "test.jsonl.gz"
    data.write_bytes(gzip.compress(b'{"question_id": 1}\n'))
    code, error = assay.failure("run", "sim/good", "mmlu_pro:zero_shot", "--data", str(data))
    assert code == 2
    assert "field" in error
    assert "line 1" in error
