"""`assay doctor --security`."""

import json
from pathlib import Path

import pytest

from tests.integration.cli import Assay


def findings(assay: Assay) -> dict[str, str]:
    """The status of each thing looked at."""
    done = assay("doctor", "--security", "--json")
    assert done.returncode in {0, 1}, done.stderr
    return {one["what"]: one["status"] for one in json.loads(done.stdout)["findings"]}


@pytest.fixture
def assay(tmp_path: Path) -> Assay:
    made = Assay(tmp_path / "home", (("ASSAY_SANDBOX", "landlock"),))
    assert made("keys", "list").returncode == 0
    return made


def test_an_installation_as_it_comes_is_in_order(assay: Assay) -> None:
    found = findings(assay)
    assert {what for what, status in found.items() if status == "failure"} == set()
    assert found["address"] == found["data folder"] == found["keys"] == "ok"


@pytest.mark.parametrize(
    ("name", "value", "what"),
    [
        ("FRONTEND_URL", "http://bench.example.org", "address"),
        ("ADMIN_SECRET", "hunter2", "ADMIN_SECRET"),
        ("CORS_ORIGINS", "http://bench.example.org", "CORS_ORIGINS"),
    ],
)
def test_a_setting_that_gives_secrets_away_is_a_failure(
    assay: Assay, name: str, value: str, what: str
) -> None:
    changed = Assay(assay.home, (*assay.variables, (name, value)))
    assert findings(changed)[what] == "failure"
    assert value not in changed("doctor", "--security").stdout or name != "ADMIN_SECRET"


def test_files_that_others_may_read_are_a_failure(assay: Assay) -> None:
    (assay.home / "keys").chmod(0o755)
    assert findings(assay)["keys"] == "failure"
    done = assay("doctor", "--security")
    assert done.returncode == 1
    assert f"chmod go-rwx '{assay.home}/keys'" in done.stdout


def test_keys_without_an_end_are_noted(assay: Assay) -> None:
    assert assay("users", "add", "ci", "--expires-in-days", "30").returncode == 0
    assert findings(assay)["users"] == "ok"
    assert assay("users", "add", "forever").returncode == 0
    assert "keys that never expire: forever" in assay("doctor", "--security").stdout


def test_a_database_elsewhere_is_to_be_encrypted(assay: Assay) -> None:
    url = "postgresql://assay@192.0.2.1/assay?connect_timeout=1"
    found = findings(Assay(assay.home, (("DATABASE_URL", url),)))
    assert (found["database"], found["users"]) == ("failure", "failure")
