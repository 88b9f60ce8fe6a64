"""`janus-bench`, over a suite of two benchmarks in place of the five."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from assay.cli.janus_bench import app
from assay.domain.errors import AssayError
from assay.engine.janus import suites
from assay.settings import Settings
from tests.unit.cli.conftest import CommandLine
from tests.unit.cli.test_help import HEAVY

LOADED = "import sys, assay.cli.janus_bench; print(*{name.partition('.')[0] for name in sys.modules})"
BENCHMARKS = ("janus_cost", "janus_streaming")
SUITE = ("run", "-s", suites.INTELLIGENCE, "-m", "sim/oracle", "--max-connections", "8")


def janus(*arguments: str) -> Result:
    return CliRunner(env={"COLUMNS": "120"}).invoke(app, arguments)


def refused(*arguments: str) -> str:
    error = janus(*arguments).exception
    assert isinstance(error, AssayError), repr(error)
    return error.message


@pytest.fixture(autouse=True)
def small_suite(assay: CommandLine, monkeypatch: pytest.MonkeyPatch) -> None:
    small = suites.Suite(suites.INTELLIGENCE, "two", BENCHMARKS)
    monkeypatch.setattr(suites, "SUITES", (*suites.SUITES[:3], small))


@pytest.fixture
def report(tmp_path: Path) -> Path:
    found = tmp_path / "report.json"
    done = janus(*SUITE, "--subset", "5", "-o", str(found), "--weights", "quality=50,multimodal=0")
    assert done.exit_code == 0, done.output
    return found


def read(path: Path) -> Any:
    return json.loads(path.read_text())


def test_a_run_prints_its_scores_and_writes_a_report(report: Path) -> None:
    written = read(report)
    assert written["suite"] == suites.INTELLIGENCE
    assert written["target_url"] == "", "a simulated model has no endpoint"
    assert written["cost_score"] == 100.0
    assert written["benchmark_scores"] == dict.fromkeys(BENCHMARKS, 1.0)
    assert written["weights"] == {
        "quality": 50.0, "speed": 20.0, "cost": 15.0, "streaming": 15.0, "multimodal": 0.0,
    }  # fmt: skip
    assert written["passed_tasks"] == written["total_tasks"] == len(written["results"])


def test_the_run_is_stored_with_its_items(report: Path, assay: CommandLine) -> None:
    stored = assay.json("show", read(report)["run_id"])
    assert stored["run_id"] == read(report)["assay_run_id"]
    assert stored["tags"] == ["janus-bench", "janus/intelligence"]
    asked = [one["task_id"] for one in read(report)["results"]]
    assert sorted(stored["items"]) == sorted(asked)
    assert len(asked) == 2 + 3, "5 % of 40 and of 50, rounded up"


def test_the_report_gets_a_name_from_the_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("JANUS_BENCH_OUTPUT_DIR", str(tmp_path))
    monkeypatch.setenv("JANUS_BENCH_SUBSET_PERCENT", "5")
    assert janus(*SUITE, "-b", "janus_cost").exit_code == 0
    [found] = tmp_path.glob("bench_results_*.json")
    assert found.name == f"bench_results_{read(found)['run_id']}.json"
    assert {one["benchmark"] for one in read(found)["results"]} == {"janus_cost"}


def test_a_report_can_be_shown_analysed_and_compared(report: Path, tmp_path: Path) -> None:
    shown = janus("show", str(report))
    assert "sim/oracle on janus/intelligence" in shown.stdout
    analysed = janus("analyze", str(report), "-o", str(tmp_path / "analysis.json"))
    assert "failed: 0 tasks" in analysed.stdout
    assert read(tmp_path / "analysis.json")["tasks_by_benchmark"].keys() == set(BENCHMARKS)
    compared = janus("compare", str(report), str(report), "-o", str(tmp_path / "comparison.json"))
    assert compared.exit_code == 0
    assert {one["winner"] for one in read(tmp_path / "comparison.json")["categories"]} == {None}


@pytest.mark.parametrize("content", [b"", b"{}", b"\xff", b'{"run_id": 1}', b"[" * 100_000])
def test_what_is_no_report_is_refused(content: bytes, tmp_path: Path) -> None:
    (tmp_path / "no.json").write_bytes(content)
    assert "is not a report of `janus-bench run`" in refused("show", str(tmp_path / "no.json"))


def test_a_suite_without_items_says_what_to_do() -> None:
    assert "run `--suite janus/intelligence`" in refused("run")


def test_an_endpoint_that_is_away_is_an_error_and_no_score(tmp_path: Path) -> None:
    arguments = ("run", "-s", suites.INTELLIGENCE, "--subset", "5", "-t", "http://127.0.0.1:9")
    done = janus(*arguments, "-o", str(tmp_path / "report.json"))
    assert done.exit_code == 1
    assert read(tmp_path / "report.json")["composite_score"] is None


@pytest.mark.parametrize("seconds", ["0", "-1", "nan", "inf", "86401"])
def test_a_timeout_is_some_time(seconds: str) -> None:
    assert refused(*SUITE, "--timeout", seconds).startswith("--timeout must be more than 0")


def test_a_report_that_could_not_be_written_costs_nothing(
    tmp_path: Path, assay: CommandLine, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert "No such file" in refused(*SUITE, "-o", str(tmp_path / "none" / "report.json"))
    (tmp_path / "file").touch()
    monkeypatch.setenv("JANUS_BENCH_OUTPUT_DIR", str(tmp_path / "file" / "folder"))
    assert "cannot make the folder" in refused(*SUITE)
    assert json.loads(assay("list", "--json").stdout)["runs"] == []


def test_the_folder_of_reports_is_made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("JANUS_BENCH_OUTPUT_DIR", str(tmp_path / "a" / "b"))
    assert janus(*SUITE, "--subset", "1").exit_code == 0
    assert len(list((tmp_path / "a" / "b").iterdir())) == 1


@pytest.mark.parametrize("target", ["localhost:8000", "", "http://", "http://[::1", "http://x:99999"])
def test_a_target_that_is_no_address_is_refused(target: str) -> None:
    assert "base URL" in refused("run", "-s", suites.INTELLIGENCE, "-t", target)


@pytest.mark.parametrize("model", ["sim/null", "sim/echo", "sim/refuse"])
def test_baselines_earn_no_points(model: str, tmp_path: Path) -> None:
    found = tmp_path / "report.json"
    assert janus(*SUITE, "-m", model, "--subset", "5", "-o", str(found)).exit_code == 0
    parts = read(found)["composite"]["parts"]
    assert {parts[name]["points"] or 0.0 for name in ("cost", "streaming")} == {0.0}
    assert read(found)["passed_tasks"] == 0


def test_weights_of_the_settings_must_add_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("JANUS_BENCH_WEIGHT_SPEED", "21")
    assert refused(*SUITE, "--subset", "5") == "weights must add up to 100, not 101"


def test_every_variable_of_the_original_is_a_setting() -> None:
    names = (
        "TARGET_URL", "MODEL", "REQUEST_TIMEOUT", "TTFT_TIMEOUT", "WEIGHT_QUALITY", "WEIGHT_SPEED",
        "WEIGHT_COST", "WEIGHT_STREAMING", "WEIGHT_MULTIMODAL", "OUTPUT_DIR", "SEED", "SUBSET_PERCENT",
        "JUDGE_URL", "JUDGE_MODEL", "JUDGE_API_KEY", "JUDGE_TIMEOUT",
    )  # fmt: skip
    assert {f"janus_bench_{name.lower()}" for name in names} <= set(Settings.model_fields)


def test_the_suites_and_benchmarks_are_listed() -> None:
    assert janus("list-suites").stdout.count("\n") == 4
    assert "janus_tool_use" in janus("list-benchmarks").stdout
    assert janus("--version").stdout.startswith("janus-bench ")


def test_help_loads_no_library_that_takes_long() -> None:
    done = subprocess.run(
        [sys.executable, "-c", LOADED], capture_output=True, text=True, check=True, env=dict(os.environ)
    )
    assert not HEAVY & set(done.stdout.split())


def test_the_composite_of_any_run_is_printed(report: Path, assay: CommandLine) -> None:
    run_id = read(report)["run_id"]
    printed = assay.printed("composite", run_id)
    assert "sim/oracle: " in printed
    assert "multimodal" in printed
    [model] = assay.json("composite", run_id)["models"]
    assert model["composite"]["parts"]["cost"]["value"] == 1.0
    assert model["measures"]["janus_cost"]["score"]["mean"] == 1.0
