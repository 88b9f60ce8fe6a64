"""The files in `deploy/`: alert rules, dashboard and units."""

import configparser
import json
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml
from typer.testing import CliRunner

from assay.cli.main import app
from assay.settings import Settings
from tests.conftest import REPOSITORY, absent
from tests.integration.serving import client_of
from tests.stores import memory_stores

DEPLOY = REPOSITORY / "deploy"
UNITS = sorted(DEPLOY.glob("systemd/*.service"))
NAME = re.compile(r"\bassay_\w+")
# Shown once a call is in flight, or an answer is stored.
LATER = {
    "assay_calls_in_flight",
    "assay_answer_duration_seconds_bucket",
    "assay_time_to_first_token_seconds_bucket",
}


@pytest.fixture
def metrics() -> str:
    return client_of(memory_stores()).get("/metrics").text


def promtool(*arguments: str, given: str = "") -> None:
    program = shutil.which("promtool") or absent("no promtool; apt-get install prometheus")
    folder = DEPLOY / "prometheus"
    done = subprocess.run(
        [program, *arguments], cwd=folder, input=given, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_alert_rules_fire_when_they_should() -> None:
    promtool("check", "rules", "alerts.yml")
    promtool("test", "rules", "alerts.test.yml")
    promtool("check", "config", "--syntax-only", "prometheus.yml")


def test_the_metrics_are_as_prometheus_wants_them(metrics: str) -> None:
    promtool("check", "metrics", given=metrics)


def expressions(panel: dict[str, Any]) -> list[str]:
    return [target["expr"] for target in panel["targets"]]


def test_alerts_and_dashboard_name_metrics_that_there_are(metrics: str) -> None:
    dashboard = json.loads((DEPLOY / "grafana/assay.json").read_text(encoding="utf-8"))
    shown = " ".join(text for panel in dashboard["panels"] for text in expressions(panel))
    alerts = (DEPLOY / "prometheus/alerts.yml").read_text(encoding="utf-8")
    named = set(NAME.findall(shown + alerts))
    assert len(named) > len(LATER)
    there = {line.partition("{")[0].partition(" ")[0] for line in metrics.splitlines()}
    declared = set(re.findall(r"^# TYPE (\w+)", metrics, re.MULTILINE))
    assert {name for name in named - LATER if name not in there | declared} == set()
    assert {name.removesuffix("_bucket") for name in LATER} <= declared


@pytest.mark.parametrize("unit", UNITS, ids=lambda path: path.name)
def test_a_unit_runs_a_command_that_there_is(unit: Path) -> None:
    read = configparser.ConfigParser(strict=False, interpolation=None)
    read.optionxform = str  # pyright: ignore[reportAttributeAccessIssue]  names keep their case
    read.read_string(unit.read_text(encoding="utf-8"))
    service = read["Service"]
    _program, *arguments = service["ExecStart"].split()
    assert CliRunner().invoke(app, [*arguments, "--help"]).exit_code == 0
    assert service["Environment"].partition("=")[0].lower() in Settings.model_fields
    systemd = shutil.which("systemd-analyze")
    if systemd is not None:
        # The program is not installed here, which is all that it may complain of.
        done = subprocess.run([systemd, "verify", str(unit)], capture_output=True, text=True, check=False)
        said = [
            line for line in done.stderr.splitlines() if unit.name in line and "not executable" not in line
        ]
        assert said == []


def test_every_alert_leads_to_its_section_of_the_runbook() -> None:
    page = "docs/how-to/runbook.md"
    runbook = (REPOSITORY / page).read_text(encoding="utf-8")
    text = (DEPLOY / "prometheus/alerts.yml").read_text(encoding="utf-8")
    rules = [rule for group in yaml.safe_load(text)["groups"] for rule in group["rules"]]
    assert rules
    for rule in rules:
        assert rule["annotations"]["runbook"] == f"{page}#{rule['alert'].lower()}"
    assert set(re.findall(r"^### (Assay\w+)$", runbook, re.MULTILINE)) == {rule["alert"] for rule in rules}
