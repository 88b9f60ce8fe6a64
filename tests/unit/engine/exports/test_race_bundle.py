"""Exports of runs with a stopping rule: the decision is in them, and follows from their attempts."""

import asyncio
import importlib.util
import json
from base64 import b64encode
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from assay.domain.run import Subset
from assay.engine.exports.content import run_content
from assay.engine.exports.report import report_document
from assay.engine.exports.verification.checks import Check, Report
from tests.exports import SIGNER, exported, forged, members_of, verified
from tests.unit.engine.execution.test_stopping import GOOD, WEAK, Field, raced

SCRIPT = Path(__file__).resolve().parents[4] / "docs" / "verify.py"


async def made(**changes: Any) -> bytes:
    engine, run, _ = await raced(Field({"m/good": GOOD, "m/weak": WEAK}), **changes)
    content = await run_content(engine.stores, engine.planner.catalogue, run.id, reveal=False)
    return await exported(content)


@cache
def bundle() -> bytes:
    return asyncio.run(made())


def results_of(content: bytes) -> dict[str, Any]:
    return json.loads(members_of(content)["results.json"])


def test_the_signed_results_hold_the_rule_and_the_decision() -> None:
    results = results_of(bundle())
    assert results["run"]["stop"] == {"margin": 0.05, "alpha": 0.05, "until": "decided", "bar": None}
    [contest] = results["race"]
    assert (contest["ours"], contest["theirs"], contest["verdict"]) == ("m/good", "m/weak", "better")
    for one in results["benchmarks"]:
        assert one["decision"]["after"] == contest["decided_after"] == contest["asked"]
        assert one["summary"]["stopped"] == one["decision"]
        assert one["completed_items"] == len(one["items"]) >= one["decision"]["after"]
        assert one["fingerprint_fields"]["stop"] == "until decided, margin 0.05, alpha 0.05"
        assert sorted(item["place"] for item in one["asked_items"]) == list(range(400))


def stopping(report: Report) -> tuple[str | None, str]:
    found = [one for one in report.findings if one.check is Check.STOPPING]
    return (found[0].status, found[0].detail) if found else (None, "")


@pytest.mark.parametrize("changes", [{}, {"samples": 2}, {"subset": Subset(count=90, seed="mine")}])
def test_every_check_passes_and_decides_again(changes: dict[str, Any]) -> None:
    report = verified(asyncio.run(made(**changes)) if changes else bundle())
    assert report.is_proven, report.errors
    assert stopping(report)[0] == "passed"


def change_verdict(results: dict[str, Any]) -> None:
    results["race"][0]["verdict"] = "equivalent"


def change_rule(results: dict[str, Any]) -> None:
    results["run"]["stop"]["alpha"] = 0.2


def change_after(results: dict[str, Any]) -> None:
    results["benchmarks"][0]["decision"]["after"] += 1


def change_seed(results: dict[str, Any]) -> None:
    results["run"]["subset_seed"] = "another"


def change_order(results: dict[str, Any]) -> None:
    for one in results["benchmarks"]:
        for item in one["asked_items"]:
            item["place"] = 399 - item["place"]


def drop_rule(results: dict[str, Any]) -> None:
    results["run"]["stop"] = {"margin": 0.05, "alpha": 7, "until": "decided", "bar": None}


@pytest.mark.parametrize(
    "change", [change_verdict, change_rule, change_after, change_seed, change_order, drop_rule]
)
def test_a_decision_that_does_not_follow_is_found(change: Callable[[dict[str, Any]], None]) -> None:
    report = verified(forged(change, signer=SIGNER, content=bundle()))
    assert stopping(report)[0] == "failed"


@pytest.mark.parametrize("stop", [7, {}, {"margin": 1}, {"margin": "a", "alpha": 1, "until": "x"}])
def test_a_rule_that_is_none_is_refuted_and_does_not_raise(stop: object) -> None:
    report = verified(forged(lambda results: results["run"].update(stop=stop), content=bundle()))
    assert report.is_refuted


@pytest.mark.parametrize("decision", [None, {}, {"after": 9, "items": 5, "population": 5, "settled": []}])
def test_a_decision_that_is_none_is_refuted_and_does_not_raise(decision: object) -> None:
    content = forged(lambda results: results["benchmarks"][0].update(decision=decision), content=bundle())
    assert verified(content).is_refuted


def test_the_short_verifier_scores_what_the_decision_took(tmp_path: Path) -> None:
    path = tmp_path / "race.zip"
    path.write_bytes(bundle())
    spec = importlib.util.spec_from_file_location("verify_script", SCRIPT)
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    assert module.verify(str(path), b64encode(SIGNER.public_key).decode())["run"]["stop"]["alpha"] == 0.05


async def test_the_report_has_the_decision_its_sequence_and_what_was_saved() -> None:
    engine, run, _ = await raced(Field({"m/good": GOOD, "m/weak": WEAK}))
    content = await run_content(engine.stores, engine.planner.catalogue, run.id, reveal=False)
    document: Any = await report_document(content)
    assert document["sentences"][0].startswith("m/good is better than m/weak on letters: decided after ")
    assert "saved" in document["race"]["saving"]
    [contest] = document["race"]["contests"]
    assert contest["sequence"][-1]["items"] == contest["decided_after"]
    assert all(one["stopped"].startswith("stopped: decided after") for one in document["evaluations"])
