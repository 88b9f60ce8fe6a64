"""HLE against judged sets with the accuracy, interval and calibration error of the official script."""

import gzip
import json
import math
from pathlib import Path
from typing import Any

import pytest

from assay.benchmarks.hle.calibration import official_calibration_error
from assay.cli.actions.grade_answers import grade_file

pytestmark = pytest.mark.official


@pytest.fixture(scope="module")
def vectors(official: Path) -> list[dict[str, Any]]:
    with gzip.open(official / "hle" / "official_metric_vectors.json.gz", "rt") as stream:
        found: list[dict[str, Any]] = json.load(stream)
    assert len(found) >= 3
    return found


def written(vector: dict[str, Any], folder: Path) -> tuple[Path, Path]:
    """The set as a user would have it: questions in a file, answers with the judge's replies beside them."""
    data, answers = folder / "test.jsonl", folder / "answers.jsonl"
    with data.open("w") as questions:
        for number in range(vector["total_questions"]):
            row = {"id": f"q{number}", "question": f"{number}?", "image": "", "answer": "x"}
            questions.write(json.dumps(row) + "\n")
    with answers.open("w") as lines:
        for number, judged in enumerate(vector["judged"]):
            reply = {"extracted_final_answer": "x", "reasoning": "", "strict": True, **judged}
            lines.write(json.dumps({"item": f"q{number}", "response": "x", "judge": reply}) + "\n")
    return data, answers


def test_every_judged_set_gives_the_official_figures(
    vectors: list[dict[str, Any]],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsysbinary: pytest.CaptureFixture[bytes],
) -> None:
    monkeypatch.setenv("ASSAY_HOME", str(tmp_path))
    for vector in vectors:
        data, answers = written(vector, tmp_path)
        out = tmp_path / "verdicts.jsonl"
        grade_file("hle", answers, where=str(data), judging=None, out=out, as_json=True)
        summary = json.loads(capsysbinary.readouterr().out)
        accuracy = round(100 * summary["bounds"]["low"], 2)
        assert accuracy == vector["accuracy"]
        half_width = round(1.96 * math.sqrt(accuracy * (100 - accuracy) / summary["total"]), 2)
        assert half_width == vector["ci_half_width"]
        low, high = (100 * summary["interval"][side] for side in ("low", "high"))
        assert low < accuracy < high
        assert high - low == pytest.approx(2 * half_width, rel=0.05)
        error = summary["metrics"]["calibration_error_official"]["value"]
        assert 100 * round(error, 2) == pytest.approx(vector["calibration_error"])
        # The official sort is unstable: from the third decimal on, the figure depends on the processor.
        assert error == pytest.approx(vector["calibration_error_raw"], abs=1e-3)
        details = [json.loads(line)["details"] for line in out.read_text().splitlines()]
        assert [(one["correct"], one["confidence"]) for one in details] == [
            (one["correct"], one["confidence"]) for one in vector["judged"]
        ]


def test_the_quirk_is_reproduced_under_its_name(vectors: list[dict[str, Any]]) -> None:
    small = next(vector for vector in vectors if len(vector["judged"]) < 200)
    confidence = [one["confidence"] / 100 for one in small["judged"]]
    correct = [one["correct"] == "yes" for one in small["judged"]]
    assert official_calibration_error(confidence, correct) == small["calibration_error_raw"] == 0
