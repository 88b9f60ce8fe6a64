"""What the commands say about where code runs."""

import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.conftest import absent
from tests.integration.cli import Assay

CODE = ("run", "sim/oracle", "livecodebench", "--data", "demo", "--count", "1", "--json")
UNSAFE = (("ASSAY_SANDBOX", "unsafe"), ("ASSAY_MIN_ISOLATION", "none"))


@pytest.fixture(autouse=True)
def _bubblewrap() -> None:
    if shutil.which("bwrap") is None:
        absent("no bwrap; install bubblewrap")


def test_doctor_tries_every_backend_and_local_endpoint(tmp_path: Path) -> None:
    away = (("VLLM_BASE_URL", "http://127.0.0.1:9/v1"),)
    done = Assay(tmp_path / "home", variables=away)("doctor", "--json")
    found = {one["what"]: one for one in json.loads(done.stdout)["findings"]}
    assert found["sandbox bubblewrap"]["status"] == "ok"
    assert "isolation namespaces" in found["sandbox bubblewrap"]["state"]
    assert "confines nothing" in found["sandbox unsafe"]["state"]
    assert found["code runs in"]["state"] == "bubblewrap"
    assert "vllm/" not in found["model providers"]["state"]
    unavailable = [one for one in found.values() if one["state"].startswith("unavailable")]
    assert all(one["remedy"] for one in unavailable)


@pytest.mark.skipif(os.getuid() != 0, reason="only root may make a namespace of processes here")
def test_the_first_process_of_a_container_is_not_taken_for_a_process_of_the_sandbox(tmp_path: Path) -> None:
    assay = Assay(tmp_path / "home")
    unshare = shutil.which("unshare") or absent("no unshare; install util-linux")
    command = [unshare, "--pid", "--fork", "--mount-proc", *assay.command(["doctor", "--json"])]
    done = subprocess.run(
        command, env=assay.environment(), capture_output=True, text=True, timeout=60, check=False
    )
    found = {one["what"]: one for one in json.loads(done.stdout)["findings"]}
    assert found["sandbox bubblewrap"]["status"] == "ok"


def test_no_weaker_sandbox_is_taken(tmp_path: Path) -> None:
    done = Assay(tmp_path / "home", variables=UNSAFE[:1])(*CODE)
    assert done.returncode == 2
    assert "gives only 'none'; accept that with ASSAY_MIN_ISOLATION=none" in done.stderr


def test_nothing_at_all_is_said_loudly(tmp_path: Path) -> None:
    assay = Assay(tmp_path / "home", variables=UNSAFE)
    done = assay(*CODE)
    assert done.returncode == 0, done.stderr
    assert "UNSAFE" in done.stderr
