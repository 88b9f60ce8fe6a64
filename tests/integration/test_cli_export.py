"""`assay export`, `verify`, `keys` and `gate` as a user runs them."""

import json
import shlex
import zipfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from assay.cli import main as command_line
from assay.cli.process import exit_code
from assay.domain.errors import AssayError


@dataclass(frozen=True)
class Done:
    returncode: int
    stdout: str


@dataclass(frozen=True)
class Assay:
    """The command in this process: two dozen of them would take most of a minute to start."""

    home: Path

    def __call__(self, *arguments: str) -> Done:
        result = CliRunner().invoke(command_line.app, arguments, env={"ASSAY_HOME": str(self.home)})
        if isinstance(result.exception, AssayError):
            return Done(exit_code(result.exception), result.exception.message)
        assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
        return Done(result.exit_code, result.stdout)

    def json(self, *arguments: str) -> Any:  # tests look into it
        done = self(*arguments, "--json")
        assert done.returncode == 0, done.stdout
        return json.loads(done.stdout)


@pytest.fixture(scope="module")
def assay(tmp_path_factory: pytest.TempPathFactory) -> Assay:
    return Assay(tmp_path_factory.mktemp("exports") / "home")


@pytest.fixture(scope="module")
def run_id(assay: Assay) -> str:
    return assay.json("run", "sim/good", "mmlu_pro", "--data", "demo")["run_id"]


@pytest.fixture(scope="module")
def bundle(assay: Assay, run_id: str) -> Path:
    path = assay.home.parent / "run.zip"
    assert assay("export", run_id, "--out", str(path)).returncode == 0
    return path


def test_an_export_is_proven_here_with_its_verdicts(assay: Assay, bundle: Path) -> None:
    done = assay("verify", str(bundle), "--rescore")
    assert done.returncode == 0, done.stdout
    assert f"{bundle}: PROVEN" in done.stdout
    assert "sim/good on mmlu_pro: 83.3 % (69.4 % to 91.7 %), 42 of 42 scored" in done.stdout
    assert "✓ rescore: 42 verdicts reproduced" in done.stdout
    assert "✓ fingerprints: items and settings of 1 evaluation match" in done.stdout
    assert "Not proven:" in done.stdout


def test_an_export_prints_the_command_that_verifies_it(assay: Assay, run_id: str, tmp_path: Path) -> None:
    target = tmp_path / "of the run.zip"
    told = assay("export", run_id, "-o", str(target)).stdout.splitlines()[-1]
    command = shlex.split(told.partition("with: ")[2])
    assert command[:3] == ["assay", "verify", str(target)]
    assert Assay(tmp_path / "home")(*command[1:]).returncode == 0


def test_every_file_gets_a_verdict_of_its_own(assay: Assay, bundle: Path, tmp_path: Path) -> None:
    other, paper = tmp_path / "holiday.zip", tmp_path / "paper.pdf"
    with zipfile.ZipFile(other, "w") as archive:
        archive.writestr("beach.jpg", b"x")
    paper.write_bytes(b"%PDF-1.7")
    done = assay("verify", str(bundle), str(other), str(paper), "--json")
    assert done.returncode == 2
    verdicts = [one["verdict"] for one in json.loads(done.stdout)]
    assert verdicts == ["proven", "not-an-export", "not-an-export"]
    assert f"{paper}: NOT AN EXPORT" in assay("verify", str(paper)).stdout
    assert assay("verify", str(bundle), str(bundle)).returncode == 0


def test_the_same_run_gives_the_same_file(assay: Assay, run_id: str, bundle: Path, tmp_path: Path) -> None:
    told = assay.json("export", run_id, "--out", str(tmp_path))
    assert Path(told["file"]).read_bytes() == bundle.read_bytes()
    assert Path(told["file"]).name.startswith(f"benchmark_results_{run_id}_")
    assert [path.name for path in tmp_path.iterdir()] == [Path(told["file"]).name]


def test_a_stranger_needs_the_key_to_be_sure(assay: Assay, bundle: Path, tmp_path: Path) -> None:
    stranger = Assay(tmp_path / "home")
    assert stranger("verify", str(bundle)).returncode == 2
    key = assay.json("keys", "list")["keys"][0]
    assert stranger("verify", str(bundle), "--key", key["fingerprint"]).returncode == 0
    other = stranger.json("keys", "list")["keys"][0]["public_key"]
    done = stranger("verify", str(bundle), "--key", other)
    assert done.returncode == 1
    assert "✗ key:" in done.stdout


def test_an_altered_export_is_refuted(assay: Assay, bundle: Path, tmp_path: Path) -> None:
    forged = tmp_path / "forged.zip"
    with zipfile.ZipFile(bundle) as source, zipfile.ZipFile(forged, "w") as target:
        for name in source.namelist():
            target.writestr(name, source.read(name).replace(b'"score":0.0', b'"score":1.0'))
    done = assay("verify", str(forged), "--json")
    assert done.returncode == 1
    report = json.loads(done.stdout)
    assert report["verdict"] == "refuted"
    failed = {one["check"] for one in report["checks"] if one["status"] == "failed"}
    assert failed >= {"results-hash", "merkle", "aggregates"}


def test_one_item_is_proven_without_the_rest(assay: Assay, bundle: Path, tmp_path: Path) -> None:
    with zipfile.ZipFile(bundle) as archive:
        items = json.loads(archive.read("results.json"))["benchmarks"][0]["items"]
    item, other = items[3]["item_id"], items[4]["item_id"]
    proof = tmp_path / "proof.json"
    assert assay("verify", str(bundle), "--item", item, "--proof", str(proof)).returncode == 0
    assert proof.stat().st_size < bundle.stat().st_size / 4
    told = assay.json("verify", str(proof), "--item", item)
    assert told["verdict"] == "proven"
    assert told["attempt"]["item_id"] == item
    assert assay("verify", str(proof), "--item", other).returncode == 1


@pytest.mark.parametrize("wanted", ["csv", "pdf"])
def test_other_formats_are_written(assay: Assay, run_id: str, wanted: str, tmp_path: Path) -> None:
    path = tmp_path / "out"
    done = assay("export", run_id, "--format", wanted, "--out", str(path))
    assert done.returncode == 0, done.stdout
    assert path.read_bytes().startswith({"csv": b"run_id,", "pdf": b"%PDF"}[wanted])


def test_an_export_goes_to_standard_output(assay: Assay, run_id: str, tmp_path: Path) -> None:
    written = tmp_path / "run.md"
    assert assay("export", run_id, "--format", "markdown", "--out", str(written)).returncode == 0
    done = assay("export", run_id, "--format", "markdown", "--out", "-")
    assert done.returncode == 0
    assert done.stdout == written.read_text(encoding="utf-8")
    assert "--json" in assay("export", run_id, "--format", "markdown", "--out", "-", "--json").stdout


def test_old_exports_stay_verifiable_after_a_rotation(run_id: str, bundle: Path, assay: Assay) -> None:
    fresh = assay.json("keys", "rotate")
    assert assay("verify", str(bundle)).returncode == 0
    keys = assay.json("keys", "list")["keys"]
    assert [key["key_id"] for key in keys if key["signs"]] == [fresh["key_id"]]
    assert len(keys) == 2


def test_what_cannot_be_done_is_said_in_one_line(assay: Assay, run_id: str, tmp_path: Path) -> None:
    for arguments in (
        ("export", "ffffffff"),
        ("export", run_id, "--out", "/nowhere/at/all/x.zip"),
        ("verify", str(tmp_path / "nothing.zip")),
        ("verify", str(tmp_path), "--proof", "x.json"),
        ("gate", run_id, "--baseline", "ffffffff"),
    ):
        done = assay(*arguments)
        assert done.returncode == 2
        assert len(done.stdout.splitlines()) == 1


def test_files_that_cannot_be_written_are_named(assay: Assay, run_id: str, bundle: Path) -> None:
    for arguments in (
        ("gate", run_id, "--threshold", "0.5", "--junit"),
        ("gate", run_id, "--threshold", "0.5", "--markdown"),
        ("verify", str(bundle), "--item", "1001001", "--proof"),
    ):
        done = assay(*arguments, "/nowhere/file")
        assert (done.returncode, done.stdout) == (
            2,
            "cannot write '/nowhere/file': No such file or directory",
        )


def test_a_gate_compares_runs_and_exports(assay: Assay, run_id: str, bundle: Path, tmp_path: Path) -> None:
    weak = assay.json("run", "sim/weak", "mmlu_pro", "--data", "demo")["run_id"]
    junit, markdown = tmp_path / "junit.xml", tmp_path / "gate.md"
    done = assay("gate", weak, "--baseline", str(bundle), "--junit", str(junit), "--markdown", str(markdown))
    assert done.returncode == 1, done.stdout
    assert "sim/weak is worse than sim/good" in done.stdout
    assert 'failures="1"' in junit.read_text()
    assert "❌" in markdown.read_text()
    assert assay("gate", run_id, "--baseline", weak).returncode == 0
    assert assay("gate", run_id, "--baseline", run_id).returncode == 2


@pytest.fixture(scope="module")
def both(assay: Assay) -> str:
    return assay.json("run", "sim/good,sim/weak", "mmlu_pro", "--data", "demo", "--count", "10")["run_id"]


def test_a_comparison_is_written_to_files(assay: Assay, both: str, tmp_path: Path) -> None:
    page, text = tmp_path / "comparison.html", tmp_path / "comparison.md"
    done = assay("compare", both, "--html", str(page), "--markdown", str(text))
    assert done.returncode == 0, done.stdout
    sentence = " ".join(done.stdout.split())
    assert sentence in page.read_text()
    assert "| sim/good and sim/weak |" in text.read_text()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["comparison.html", "comparison.md"]


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--html", "c.html", "--json"], "leave out --sequential and --json"),
        (["--markdown", "c.md", "--reveal"], "--reveal is about the texts in --html"),
        (["--html", "/nowhere/c.html"], "cannot write to '/nowhere'"),
    ],
)
def test_a_comparison_that_cannot_be_written_says_why(
    assay: Assay, both: str, options: list[str], said: str
) -> None:
    done = assay("compare", both, *options)
    assert done.returncode == 2
    assert said in done.stdout


def test_an_offloaded_run_exports_the_same_bytes_and_comes_back(
    assay: Assay, run_id: str, tmp_path: Path
) -> None:
    before, again = tmp_path / "before.zip", tmp_path / "again.zip"
    assert assay("export", run_id, "--out", str(before)).returncode == 0
    dry = assay.json("offload", run_id, "--dry-run")
    assert dry["runs"] == [{"run_id": run_id, "attempts": 42}]
    assert dry["freed_bytes"] > 10_000
    listed = assay.json("list")
    moved = assay.json("offload", run_id)
    assert moved["offloaded"]
    assert moved["runs"][0]["attempts"] == 42
    assert assay("export", run_id, "--out", str(again)).returncode == 0
    assert again.read_bytes() == before.read_bytes()
    assert assay("verify", str(again), "--rescore").returncode == 0
    assert assay("export", run_id, "--format", "html", "--out", str(tmp_path / "page.html")).returncode == 0
    shown = assay.json("list")
    times = {one["run_id"]: one.pop("offloaded_at") for one in shown["runs"]}
    assert times[run_id] is not None
    assert [one.pop("offloaded_at") for one in listed["runs"]] == [None] * len(times)
    assert shown == listed
    for refused in (
        ("items", run_id, "--search", "x"),
        ("show", run_id, "--item", "1001001"),
        ("retry", run_id),
    ):
        done = assay(*refused)
        assert done.returncode != 0
        assert f"assay offload --restore {run_id[:8]}" in done.stdout
    assert f"assay offload --restore {run_id[:8]}" in assay("show", run_id).stdout
    assert "brought back 1 run with 42 attempts" in assay("offload", "--restore", run_id).stdout
    assert assay("items", run_id).returncode == 0


def test_runs_to_offload_are_named_in_one_way(assay: Assay, run_id: str) -> None:
    assert "say which runs" in assay("offload").stdout
    assert "not both" in assay("offload", run_id, "--older-than", "1d").stdout
    assert "--restore takes" in assay("offload", run_id, "--restore", "--dry-run").stdout
    assert assay.json("offload", "--older-than", "1d")["runs"] == []
