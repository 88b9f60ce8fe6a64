"""The short verifier of the documents, written from the format's description alone."""

import importlib.util
import subprocess
import sys
from base64 import b64encode
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from cryptography.exceptions import InvalidSignature

from tests.exports import OTHER_SIGNER, SIGNER, bench_runner_export, bundle, forged, members_of, zipped

SCRIPT = Path(__file__).resolve().parents[2] / "docs" / "verify.py"
KEY = b64encode(SIGNER.public_key).decode()
MOST_LINES = 66


def loaded() -> Callable[[str, str], dict[str, Any]]:
    spec = importlib.util.spec_from_file_location("verify_script", SCRIPT)
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.verify


def checked(content: bytes, folder: Path, key: str = KEY) -> dict[str, Any]:
    path = folder / "export.zip"
    path.write_bytes(content)
    return loaded()(str(path), key)


def test_it_is_short() -> None:
    assert len(SCRIPT.read_text().splitlines()) <= MOST_LINES


def test_it_runs_alone(tmp_path: Path) -> None:
    path = tmp_path / "export.zip"
    path.write_bytes(bundle())
    done = subprocess.run(
        [sys.executable, "-I", str(SCRIPT), str(path), KEY], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert "is as it was signed" in done.stdout


def change_score(results: dict[str, Any]) -> None:
    next(one for one in results["benchmarks"][0]["items"] if one["score"] == 0.0)["score"] = 1.0


def rename(results: dict[str, Any]) -> None:
    results["run"]["id"] = "another"


def state_more(results: dict[str, Any]) -> None:
    results["benchmarks"][0]["score"] = 0.9


@pytest.mark.parametrize(
    ("change", "check"), [(change_score, "merkle"), (rename, "run-id"), (state_more, "aggregates")]
)
def test_it_finds_what_even_the_signer_may_not_change(change: Any, check: str, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=f"^{check}:"):
        checked(forged(change, signer=SIGNER), tmp_path)


def test_it_finds_another_key(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"^key:"):
        checked(forged(lambda _results: None, signer=OTHER_SIGNER), tmp_path)


@pytest.mark.parametrize("name", ["results.json", "manifest.json", "signature.txt", "public_key.txt"])
def test_it_finds_a_flipped_bit_in_every_member(name: str, tmp_path: Path) -> None:
    members = members_of(bundle())
    middle = len(members[name]) // 2
    changed = members[name][:middle] + bytes([members[name][middle] ^ 1]) + members[name][middle + 1 :]
    with pytest.raises((ValueError, InvalidSignature)):
        checked(zipped(members | {name: changed}), tmp_path)


@pytest.mark.parametrize("content", [b"", b"%PDF-1.7", b"text", zipped({"holiday.jpg": b"x"})])
def test_it_tells_what_is_something_else(content: bytes, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="not an Assay export"):
        checked(content, tmp_path)


def test_it_checks_the_signature_of_an_unknown_format(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"^format: unknown; the signature is valid"):
        checked(bench_runner_export(SIGNER), tmp_path)
    with pytest.raises(ValueError, match=r"^key:"):
        checked(bench_runner_export(OTHER_SIGNER), tmp_path)
