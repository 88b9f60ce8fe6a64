"""SciCode through the commands: answers by step, and what has to be prepared."""

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from assay.benchmarks.scicode.task import benchmark
from assay.cli.main import app
from tests.conftest import REPOSITORY, prepared

DEMO = benchmark.load(benchmark.demo_tables())


@pytest.fixture
def answers(tmp_path: Path) -> Path:
    """The right answers of one problem, step by step, and one step of another."""
    first, second = DEMO.items[:2]
    replies = json.loads(DEMO.cue(first).right or "")
    lines = [{"item": step, "response": reply} for step, reply in replies.items()]
    lines.insert(1, {"item": benchmark.parts(second)[0], "response": "no idea"})
    path = tmp_path / "answers.jsonl"
    path.write_text("\n".join(map(json.dumps, lines)))
    return path


def test_steps_are_graded_together_as_their_problem(answers: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    prepared("scicode", benchmark)
    monkeypatch.setenv("ASSAY_HOME", str(REPOSITORY / ".assay"))
    out = answers.with_name("verdicts.jsonl")
    command = ["grade", "scicode", "--answers", str(answers), "--data", "demo", "--out", str(out)]
    result = CliRunner().invoke(app, command)
    assert result.exit_code == 0, result.output
    verdicts = {row["item"]: row for row in map(json.loads, out.read_text().splitlines())}
    assert verdicts["901"]["details"]["steps"] == {"901.1": "pass", "901.2": "pass"}
    assert verdicts["901"]["score"] == 1.0
    assert verdicts["902"]["details"]["steps"] == {"902.1": "fail", "902.2": "fail"}
    assert "scored 2 of 5" in result.output


def test_without_its_packages_nothing_is_graded(
    answers: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ASSAY_HOME", str(tmp_path / "home"))
    result = CliRunner().invoke(app, ["grade", "scicode", "--answers", str(answers), "--data", "demo"])
    assert result.exit_code != 0
    assert "assay data prepare scicode" in str(result.exception)


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (["mmlu_pro"], "'mmlu_pro' needs nothing to be prepared"),
        (["scicode", "--file", "other.h5"], "'scicode' has no use for 'other.h5'; it takes test_data.h5"),
        (["scicode", "--file", "test_data.h5"], "no file 'test_data.h5'"),
    ],
)
def test_what_cannot_be_prepared_is_said(
    arguments: list[str], reason: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ASSAY_HOME", str(tmp_path / "home"))
    monkeypatch.chdir(tmp_path)
    result = CliRunner().invoke(app, ["data", "prepare", *arguments])
    assert result.exit_code != 0
    assert reason in str(result.exception)
