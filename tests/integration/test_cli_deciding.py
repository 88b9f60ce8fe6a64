"""What is asked before and during a comparison: `assay plan` and `assay compare --sequential`."""

import json
import sqlite3
import time
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from tests.integration.cli import TIMEOUT_S, Assay


@pytest.fixture
def assay(tmp_path: Path) -> Assay:
    return Assay(tmp_path / "home")


def test_a_plan_is_an_upper_bound_until_runs_are_stored(assay: Assay) -> None:
    lines = [{"prompt": f"What is {n} times 7?", "expected": str(7 * n)} for n in range(400)]
    (assay.home.parent / "sums.jsonl").write_text("\n".join(map(json.dumps, lines)))
    assert assay("datasets", "add", "sums.jsonl").returncode == 0
    asked = ("plan", "0.7", "0.1", "dataset:sums")
    bound = assay.json(*asked)
    assert (bound["benchmark"], bound["benchmark_size"]) == ("dataset:sums@1", 400)
    assert bound["items"]["paired"] == bound["items"]["unpaired"] > 400
    assert bound["spread"] == {"single": None, "paired": None, "models": [], "pairs": 0, "score": None}

    assert assay("run", "sim/good,sim/good?endpoint=2", "dataset:sums").returncode == 0
    known = assay.json(*asked)
    assert known["spread"]["models"] == ["sim/good", "sim/good?endpoint=2"]
    assert known["spread"]["pairs"] == 1
    assert known["items"]["paired"] < bound["items"]["paired"]
    text = assay(*asked, "--power", "0.8").stdout
    assert text.startswith(
        "To find a difference of 10.0 points from a score of 70 % on dataset:sums@1 in 80 %"
    )
    assert "paired: both models are asked the same items" in text
    assert "Spread of scores from stored runs of sim/good, sim/good?endpoint=2" in text


def test_an_installed_benchmark_has_the_size_of_its_card(assay: Assay) -> None:
    text = assay("plan", "0.72", "0.01", "mmlu_pro").stdout
    assert "OF 12,032" in text
    assert "more than there are" in text
    assert "upper bounds" in text


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("72", "0.02", "mmlu_pro"), "such as 0.72 for 72 %"),
        (("0.72", "2", "mmlu_pro"), "such as 0.02 for 2 points"),
        (("0.72", "0.02", "none"), "none"),
        (("0.72", "0.02", "dataset:none"), "none"),
        (("0.72", "0.02", "mmlu_pro", "--alpha", "1"), "alpha"),
    ],
)
def test_bad_input_is_refused(assay: Assay, arguments: tuple[str, ...], message: str) -> None:
    code, error = assay.failure("plan", *arguments)
    assert code == 2
    assert message in error


def test_a_comparison_holds_before_all_is_asked(assay: Assay) -> None:
    small = ("--data", "demo", "--count", "30")
    run = assay.json("run", "sim/oracle,sim/null", "mmlu_pro", *small)
    [found] = assay.json("compare", run["run_id"], "--sequential")["comparisons"]
    assert (found["verdict"], found["asked"], found["items"], found["missing"]) == ("better", 30, 42, 0)
    assert 0 < found["decided_after"] < 20
    assert found["sequence"][-1]["items"] == 30
    assert 0 < found["sequence"][-1]["low"] < found["sequence"][-1]["high"] <= 1
    text = assay("compare", run["run_id"], "--sequential", "--margin", "0.1", "--alpha", "0.2").stdout
    assert text.startswith("sim/oracle is better than sim/null on mmlu_pro: decided after ")
    code, error = assay.failure("compare", run["run_id"], "--margin", "0.1")
    assert code == 2
    assert "belong to --sequential" in error
    code, error = assay.failure("compare", run["run_id"], "--sequential", "--alpha", "2")
    assert code == 2
    assert "alpha" in error


def test_kill_and_resume_change_nothing_in_a_decision(assay: Assay) -> None:
    lines = [{"prompt": f"What is {n} times 7?", "expected": str(7 * n)} for n in range(80)]
    (assay.home.parent / "sums.jsonl").write_text("\n".join(map(json.dumps, lines)))
    assert assay("datasets", "add", "sums.jsonl").returncode == 0
    models = "sim/good?delay_ms=150,sim/good?delay_ms=150&skill=0.2"
    process = assay.start("run", models, "dataset:sums", "--max-connections", "4")
    try:
        deadline = time.monotonic() + TIMEOUT_S
        while stored_attempts(assay) < 115:  # one model is asked after the other
            assert process.poll() is None, assay.log.read_text()
            assert time.monotonic() < deadline
            time.sleep(0.05)
    finally:
        process.kill()
        process.communicate(timeout=TIMEOUT_S)
    [run] = assay.json("list")["runs"]
    stopped = so_far(assay, run["run_id"])
    # None yet, if the items that both have answered are not the first of the order.
    assert stopped["asked"] < 80
    assert assay("resume", run["run_id"]).returncode == 0
    whole = so_far(assay, run["run_id"])
    assert (whole["asked"], whole["verdict"]) == (80, "better")
    is_decided = stopped["asked"] >= whole["decided_after"]
    assert stopped["decided_after"] == (whole["decided_after"] if is_decided else None)


def stored_attempts(assay: Assay) -> int:
    with closing(sqlite3.connect(assay.home / "assay.db")) as database:
        return int(database.execute("SELECT COUNT(*) FROM attempts").fetchone()[0])


def so_far(assay: Assay, run_id: str) -> dict[str, Any]:
    [found] = assay.json("compare", run_id, "--sequential")["comparisons"]
    return found
