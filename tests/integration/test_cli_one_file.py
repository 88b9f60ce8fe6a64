"""A benchmark in one file: run, stopped, changed, resumed, compared, exported and verified."""

from pathlib import Path

import pytest

from tests.integration.cli import Assay

FILE = """
import assay

@assay.benchmark(rows="capitals.csv", prompt="Capital of {country}?", expected="capital")
def capitals(answer, expected):
    return expected in answer
"""


@pytest.fixture
def assay(tmp_path: Path) -> Assay:
    (tmp_path / "capitals.py").write_text(FILE)
    rows = "".join(f"C{number},Town{number}\n" for number in range(40))
    (tmp_path / "capitals.csv").write_text(f"country,capital\n{rows}")
    return Assay(tmp_path / "home")


def test_a_file_is_run_and_what_was_changed_is_found_out(assay: Assay, tmp_path: Path) -> None:
    stopped = assay("run", "sim/weak", "./capitals.py", "--budget-tokens", "200", "--max-connections", "1")
    assert "paused" in stopped.stdout + stopped.stderr
    [run] = assay.json("list")["runs"]
    (tmp_path / "capitals.py").write_text(FILE + "# changed\n")
    code, error = assay.failure("resume", run["run_id"], "--budget-tokens", "100000")
    assert code == 2
    assert "is not what it was when the run was created" in error
    (tmp_path / "capitals.py").write_text(FILE)
    resumed = assay.json("resume", run["run_id"], "--budget-tokens", "100000")
    assert resumed["status"] == "succeeded"
    [evaluation] = resumed["evaluations"]
    assert (evaluation["benchmark"], evaluation["scored"]) == ("file:capitals", 40)
    assert resumed["files"]["file:capitals"]["path"] == str(tmp_path / "capitals.py")
    _require_proven(assay, run["run_id"], tmp_path)
    other = assay.json("run", "sim/good", "./capitals.py")
    compared = assay("compare", run["run_id"], other["run_id"])
    assert "file:capitals" in compared.stdout, compared.stderr


def _require_proven(assay: Assay, run_id: str, folder: Path) -> None:
    bundle = str(folder / "run.zip")
    assert assay("export", run_id, "--out", bundle).returncode == 0
    checked = assay("verify", bundle, "--rescore", "--benchmark-file", "capitals.py")
    assert checked.returncode == 0, checked.stdout + checked.stderr
    assert "40 verdicts reproduced" in checked.stdout
    assert "is not installed" in assay("verify", bundle, "--rescore").stdout


def test_the_service_loads_no_file(assay: Assay) -> None:
    code, error = assay.failure("run", "sim/good", "./capitals.py", "--detach")
    assert code == 2
    assert "the service and its workers import no file of users" in error
