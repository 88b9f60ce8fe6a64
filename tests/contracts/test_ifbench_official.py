"""Our verdicts against those of the official scorer, through the command that grades answers."""

import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from assay.adapters.datasets.files import tables_at
from assay.benchmarks.ifbench.following import RULEBOOK
from assay.benchmarks.ifbench.task import benchmark
from assay.cli.main import app

pytestmark = pytest.mark.official


def rows(path: Path) -> dict[str, Any]:
    with path.open(encoding="utf-8") as lines:
        return {row["key"]: row for row in map(json.loads, lines)}


@pytest.fixture(scope="module")
def theirs(official: Path) -> dict[str, Any]:
    return rows(official / "ifbench" / "official_verdicts_head.jsonl")


@pytest.fixture(scope="module")
def ours(official: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    folder = tmp_path_factory.mktemp("ifbench")
    answers = folder / "answers.jsonl"
    responses = rows(official / "ifbench" / "responses.jsonl")
    lines = [json.dumps({"item": key, "response": row["response"]}) for key, row in responses.items()]
    answers.write_text("\n".join(lines), encoding="utf-8")
    out = folder / "verdicts.jsonl"
    command = [
        "grade",
        "ifbench",
        "--answers",
        str(answers),
        "--data",
        str(official / "ifbench"),
        "--out",
        str(out),
    ]
    result = CliRunner().invoke(app, command)
    assert result.exit_code == 0, result.output
    return {row["item"]: row for row in map(json.loads, out.read_text(encoding="utf-8").splitlines())}


def test_the_official_prompts_use_exactly_the_known_instructions(official: Path) -> None:
    items = benchmark.load(tables_at(official / "ifbench", benchmark.card.source)).items
    used = [name for item in items for name in (item.expected or "").removeprefix("follows ").split(", ")]
    assert (len(items), len(used)) == (300, 344)
    assert set(used) == RULEBOOK.ids


@pytest.mark.parametrize("mode", ["strict", "loose"])
def test_every_verdict_is_the_official_one(ours: dict[str, Any], theirs: dict[str, Any], mode: str) -> None:
    judged = sorted(ours.keys() & theirs.keys())
    assert len(judged) == len(ours)
    differing = [key for key in judged if ours[key]["details"][mode] != theirs[key][mode]]
    assert not differing


def test_the_score_is_the_loose_one_per_prompt(ours: dict[str, Any], theirs: dict[str, Any]) -> None:
    assert all(row["score"] == float(all(theirs[key]["loose"])) for key, row in ours.items())
