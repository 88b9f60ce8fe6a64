"""`assay race --baseline`: new models beside the answers of a stored run."""

import json
import zipfile
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from assay.cli.main import app
from assay.domain.errors import UsageError
from tests.integration.cli import Assay, sim_server
from tests.integration.fleet import requests

ITEMS = 60
OLD = "openai-api/x/test/letter"


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("ASSAY_HOME", str(tmp_path / "home"))
    monkeypatch.delenv("DATABASE_URL", raising=False)
    monkeypatch.chdir(tmp_path)
    lines = [{"prompt": f"What is {n} times 7?", "expected": str(7 * n)} for n in range(ITEMS)]
    (tmp_path / "sums.jsonl").write_text("\n".join(map(json.dumps, lines)))
    cli("datasets", "add", "sums.jsonl")
    return tmp_path


def cli(*arguments: str) -> str:
    done = CliRunner().invoke(app, arguments)
    assert done.exit_code == 0, done.output or repr(done.exception)
    return done.stdout


def document(*arguments: str) -> Any:
    return json.loads(cli(*arguments, "--json"))


def test_a_new_model_is_raced_against_a_stored_run_whose_endpoint_is_gone(home: Path) -> None:
    with sim_server(Assay(home / "server")) as base_url:
        baseline = document("run", OLD, "dataset:sums", "--base-url", base_url)["run_id"]
        assert requests(base_url) == ITEMS
    raced = document("race", "sim/good", "dataset:sums", "--baseline", baseline)
    [contest] = raced["race"]["contests"]
    assert (contest["ours"], contest["theirs"], contest["verdict"]) == (OLD, "sim/good", "worse")
    assert contest["decided_after"] < ITEMS
    old, new = raced["evaluations"]
    assert old["reused"] >= contest["decided_after"]
    assert (new["reused"], old["fingerprint"]) == (0, new["fingerprint"])
    assert "✓ stopping" in cli("export", raced["run_id"], "--out", "race.zip") + cli("verify", "race.zip")
    with zipfile.ZipFile("race.zip") as bundle:
        assert json.loads(bundle.read("results.json"))["provenance"]["baseline"] == baseline
    assert "PASS" in cli("gate", raced["run_id"], "--baseline", baseline)


def test_a_baseline_says_what_is_asked() -> None:
    baseline = document("run", "sim/weak", "dataset:sums", "--count", "4")["run_id"]
    for given, said in (
        (("sim/good", "--samples", "2"), "--samples is that of the run named by --baseline"),
        (("sim/weak",), "serve the new one under another name"),
        (("sim/good", "ifeval"), "has no evaluation of 'ifeval'; it has dataset:sums@1"),
    ):
        done = CliRunner().invoke(app, ["race", *given, "--baseline", baseline])
        assert isinstance(done.exception, UsageError)
        assert said in done.exception.message
