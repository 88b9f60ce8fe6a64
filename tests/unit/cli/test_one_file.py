"""A benchmark in one file: run, stopped, changed, resumed, compared, exported and verified."""

from pathlib import Path

import pytest

from assay.bootstrap import opened_engine
from assay.cli.event_loop import run_async
from assay.domain.errors import InvalidValueError
from assay.settings import load_settings
from tests.unit.cli.conftest import CommandLine

FILE = """
import assay

@assay.benchmark(rows="capitals.csv", prompt="Capital of {country}?", expected="capital")
def capitals(answer, expected):
    return expected in answer
"""


@pytest.fixture(autouse=True)
def _files(tmp_path: Path) -> None:
    (tmp_path / "capitals.py").write_text(FILE)
    rows = "".join(f"C{number},Town{number}\n" for number in range(40))
    (tmp_path / "capitals.csv").write_text(f"country,capital\n{rows}")


def test_a_file_is_run_and_what_was_changed_is_found_out(assay: CommandLine, tmp_path: Path) -> None:
    assay("run", "sim/weak", "./capitals.py", "--budget-tokens", "200", "--max-connections", "1")
    [run] = assay.json("list")["runs"]
    assert run["status"] == "paused"
    (tmp_path / "capitals.py").write_text(FILE + "# changed\n")
    error = assay.error("resume", run["run_id"], "--budget-tokens", "100000")
    assert "is not what it was when the run was created" in error
    (tmp_path / "capitals.py").write_text(FILE)
    resumed = assay.json("resume", run["run_id"], "--budget-tokens", "100000")
    assert resumed["status"] == "succeeded"
    [evaluation] = resumed["evaluations"]
    assert (evaluation["benchmark"], evaluation["scored"]) == ("file:capitals", 40)
    assert resumed["files"]["file:capitals"]["path"] == str(tmp_path / "capitals.py")
    _require_proven(assay, run["run_id"], tmp_path)
    other = assay.json("run", "sim/good", "./capitals.py")
    assert "file:capitals" in assay.printed("compare", run["run_id"], other["run_id"])


def _require_proven(assay: CommandLine, run_id: str, folder: Path) -> None:
    bundle = str(folder / "run.zip")
    assay.printed("export", run_id, "--out", bundle)
    checked = assay.printed("verify", bundle, "--rescore", "--benchmark-file", "capitals.py")
    assert "40 verdicts reproduced" in checked
    assert "is not installed" in assay("verify", bundle, "--rescore").stdout


def test_a_file_that_was_changed_is_another_benchmark(assay: CommandLine, tmp_path: Path) -> None:
    first = assay.json("run", "sim/good", "./capitals.py", "--count", "3")["evaluations"][0]
    (tmp_path / "capitals.py").write_text(FILE + "# changed\n")
    second = assay.json("run", "sim/good", "./capitals.py", "--count", "3")["evaluations"][0]
    assert first["benchmark"] == second["benchmark"]
    assert first["version"] != second["version"]
    assert first["fingerprint"] != second["fingerprint"]


@pytest.mark.parametrize("benchmark", ["./capitals.py", "file:capitals"])
def test_the_service_loads_no_file(assay: CommandLine, benchmark: str) -> None:
    error = assay.error("run", "sim/good", benchmark, "--detach")
    assert "import no file of users" in error or "name the file that it is in" in error


def test_a_worker_leaves_a_file_alone(assay: CommandLine, tmp_path: Path) -> None:
    assay("run", "sim/weak", "./capitals.py", "--budget-tokens", "200", "--max-connections", "1")
    [listed] = assay.json("list")["runs"]
    (tmp_path / "capitals.py").write_text("raise SystemExit('it was run')")

    async def replanned() -> None:
        async with opened_engine(load_settings(), is_shared=True) as engine:
            run = await engine.stores.runs.get(listed["run_id"])
            [evaluation] = await engine.stores.runs.evaluations(run.id)
            await engine.planner.replan(run.spec, evaluation)

    with pytest.raises(InvalidValueError, match="the service and its workers import no file of users"):
        run_async(replanned())


def test_what_is_named_must_be_there(assay: CommandLine, tmp_path: Path) -> None:
    assert "'./capitals.py' declares capitals" in assay.error("run", "sim/good", "./capitals.py:rivers")
    (tmp_path / "other.py").write_text(FILE)
    assert "both declare 'file:capitals'" in assay.error("run", "sim/good", "./capitals.py,./other.py")


def test_a_fault_of_the_file_is_an_error_of_the_caller(assay: CommandLine, tmp_path: Path) -> None:
    (tmp_path / "task.yaml").write_text("task: t\nprocess_docs: !function u.f\n")
    done = assay("run", "sim/good", "./task.yaml")
    assert isinstance(done.exception, InvalidValueError)
    assert "task.yaml, line 2: process_docs: names the Python function 'u.f'" in done.exception.message
