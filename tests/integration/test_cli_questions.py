"""The question benchmarks on the command line: repeats, categories, masked texts."""

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from assay.cli.main import app

TABLE = (
    "Record ID,Question,Correct Answer,Incorrect Answer 1,Incorrect Answer 2,Incorrect Answer 3\n"
    "rec1,Which is a metal?,Iron,Neon,Argon,Helium\n"
)


Assay = Callable[..., str]


@pytest.fixture
def assay(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Assay:
    """What the command prints, with a data folder of its own."""
    monkeypatch.setenv("ASSAY_HOME", str(tmp_path / "home"))
    monkeypatch.delenv("DATABASE_URL", raising=False)
    monkeypatch.chdir(tmp_path)

    def printed(*arguments: str) -> str:
        done = CliRunner().invoke(app, arguments)
        assert done.exit_code == 0, done.output
        return done.stdout

    return printed


def document(assay: Assay, *arguments: str) -> Any:
    return json.loads(assay(*arguments, "--json"))


def test_repeats_end_in_pass_at_k_and_a_majority(assay: Assay) -> None:
    printed = assay("run", "sim/good", "aime_2025", "--samples", "8", "--data", "demo")
    assert re.search(r"pass@1: [\d.]+ % \[[\d.]+, [\d.]+\] clustered-wilson", printed)
    assert re.search(r"pass@8: [\d.]+ % \[[\d.]+, [\d.]+\] clopper-pearson", printed)
    assert re.search(r"majority: [\d.]+ % \[[\d.]+, [\d.]+\] clopper-pearson", printed)
    assert "extraction_disagreement: 0.0 %" in printed


def test_a_run_is_shown_by_category(assay: Assay) -> None:
    run_id = document(assay, "run", "sim/good", "mmlu_pro", "--data", "demo")["run_id"]
    shown = assay("show", run_id)
    assert "sim/good on mmlu_pro, by category" in shown
    assert re.search(r"computer science +[\d.]+ % +\[", shown)


def test_texts_of_gated_data_are_masked_until_they_are_asked_for(assay: Assay, tmp_path: Path) -> None:
    table = tmp_path / "gpqa_diamond.csv"
    table.write_text(TABLE, encoding="utf-8")
    run = document(assay, "run", "sim/oracle", "gpqa_diamond", "--data", str(table))
    assert run["evaluations"][0]["score"] == 1.0
    show = ("show", run["run_id"], "--item", "rec1")
    masked = assay(*show)
    assert "[masked: " in masked
    assert "metal" not in masked
    assert "Iron" not in masked
    assert "outcome correct, score 1" in masked
    assert "metal" not in str(document(assay, *show))
    assert "Which is a metal?" in assay(*show, "--reveal")
    [attempt] = document(assay, *show, "--reveal")["attempts"]
    assert (attempt["extracted"], attempt["expected"], len(attempt["item_hash"])) == ("C", "C", 64)


def test_the_demo_items_of_a_gated_benchmark_are_ours_to_show(assay: Assay) -> None:
    run = document(assay, "run", "sim/oracle", "gpqa_diamond", "--data", "demo")
    assert "[masked" not in assay("show", run["run_id"], "--item", "sample-01")
