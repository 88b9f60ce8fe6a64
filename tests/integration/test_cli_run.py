"""`assay run` and what follows it, as a user types it."""

import json
import signal
import sqlite3
from pathlib import Path

import pytest

from tests.integration.cli import Assay, sim_server
from tests.integration.fleet import requests, wait_until


@pytest.fixture
def assay(tmp_path: Path) -> Assay:
    return Assay(tmp_path / "home")


def test_two_models_on_two_benchmarks_end_with_scores_and_a_verdict(assay: Assay) -> None:
    done = assay("run", "sim/good,sim/weak", "mmlu_pro,ifeval", "--data", "demo")
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("wilson") >= 4
    assert done.stdout.count("cost unknown") == 4
    assert "sim/good is better than sim/weak on mmlu_pro by" in done.stdout
    assert "demo: our own items" in done.stdout


def test_a_run_without_answers_has_a_warning_and_an_exit_code_for_it(assay: Assay) -> None:
    done = assay("run", "sim/null", "mmlu_pro", "--data", "demo", "--count", "4", "--fail-on-error", "0.1")
    assert done.returncode == 5, done.stderr
    assert "warning: 4 of 4 replies have no answer (4 unparsed)" in done.stdout
    good = assay("run", "sim/oracle", "mmlu_pro", "--data", "demo", "--count", "4", "--fail-on-error", "0")
    assert good.returncode == 0, good.stderr
    assert "warning" not in good.stdout


def test_json_is_one_object_with_the_promised_fields(assay: Assay) -> None:
    document = assay.json("run", "sim/good", "mmlu_pro,ifeval", "--data", "demo", "--count", "10")
    assert document["status"] == "succeeded"
    assert len(document["evaluations"]) == 2
    for one in document["evaluations"]:
        assert one["model"] == "sim/good"
        assert 0 <= one["interval"]["low"] <= one["score"] <= one["interval"]["high"] <= 1
        assert one["interval"]["method"]
        assert (one["scored"], one["total"]) == (10, 10)
        assert sum(one["outcomes"].values()) == 10
        assert one["tokens"]["output"] > 0
        assert one["cost_usd"] is None
    assert set(document["evaluations"][1]["metrics"]) == {
        "prompt_strict",
        "prompt_loose",
        "instruction_strict",
        "instruction_loose",
    }
    shown = assay.json("show", document["run_id"][:8])
    assert shown["evaluations"] == document["evaluations"]
    listed = assay.json("list")
    assert [run["run_id"] for run in listed["runs"]] == [document["run_id"]]


def test_the_same_subset_is_asked_in_two_runs(assay: Assay) -> None:
    runs = [
        assay.json("run", model, "mmlu_pro", "--data", "demo", "--subset", "25")
        for model in ("sim/good", "sim/weak")
    ]
    ids = [run["run_id"] for run in runs]
    assert runs[0]["evaluations"][0]["fingerprint"] == runs[1]["evaluations"][0]["fingerprint"]
    (comparison,) = assay.json("compare", *ids)["comparisons"]
    assert comparison["comparable"] is True
    assert comparison["n"] == 10
    other = assay.json("run", "sim/weak", "mmlu_pro", "--data", "demo", "--subset", "25", "--seed", "x")
    (comparison,) = assay.json("compare", ids[0], other["run_id"])["comparisons"]
    assert "items_checksum" in comparison["differing"]


def test_named_items_are_asked_alone(assay: Assay) -> None:
    document = assay.json(
        "run", "sim/good", "mmlu_pro", "--data", "demo", "--item", "1001032, 1001015", "--item", '"1001016"'
    )
    assert document["items"] == ["1001032", "1001015", "1001016"]
    assert document["evaluations"][0]["total"] == 3
    shown = assay("show", document["run_id"])
    assert "items: 3 named: 1001032, 1001015, 1001016" in shown.stdout
    attempts = assay.json("items", document["run_id"])["items"]
    assert sorted(one["item_id"] for one in attempts) == ["1001015", "1001016", "1001032"]


def test_dry_run_prints_prompts_and_an_estimate_and_stores_nothing(assay: Assay) -> None:
    done = assay("run", "sim/good", "mmlu_pro", "--data", "demo", "--count", "3", "--dry-run")
    assert done.returncode == 0, done.stderr
    assert "Think step by step" in done.stdout
    assert "unknown (no price)" in done.stdout
    assert assay.json("list")["total"] == 0


def test_a_listed_price_gives_an_estimate_and_a_cost(assay: Assay) -> None:
    with sim_server(assay) as base_url:
        arguments = ("chutes/test/letter", "mmlu_pro", "--data", "demo", "--base-url", base_url)
        estimate = assay.json("run", *arguments, "--dry-run")["estimates"][0]
        assert 0 < estimate["cost_usd"]["low"] < estimate["cost_usd"]["high"]
        evaluation = assay.json("run", *arguments)["evaluations"][0]
    assert evaluation["cost_usd"] > 0


def test_one_item_can_be_shown_in_full(assay: Assay) -> None:
    run = assay.json("run", "sim/oracle", "mmlu_pro", "--data", "demo", "--count", "1")["run_id"]
    (item,) = assay.json("items", run)["items"]
    shown = assay("show", run, "--item", item["item_id"]).stdout
    assert "[user]\nThe following are multiple choice questions" in shown
    assert "outcome correct, score 1\n" in shown
    assert f"expected: {item['expected']}\n" in shown
    code, message = assay.failure("show", run, "--item", "no-such-item")
    assert (code, f"`assay items {run[:8]}` lists them" in message) == (2, True)


@pytest.mark.parametrize(
    ("stop", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143), (signal.SIGKILL, -9)]
)
def test_a_stopped_run_goes_on_without_repeating_stored_attempts(
    assay: Assay, stop: signal.Signals, code: int
) -> None:
    arguments = ("mmlu_pro", "--data", "demo", "--samples", "10", "--max-connections", "4")
    with sim_server(assay, "--behaviour", "ttft_ms=40") as base_url:
        process = assay.start("run", "openai-api/x/test/letter", *arguments, "--base-url", base_url)
        wait_until(lambda: requests(base_url) >= 60, within_s=60)
        assert process.poll() is None
        process.send_signal(stop)
        process.communicate(timeout=60)
        assert process.returncode == code
        (run,) = assay.json("list")["runs"]
        if stop is not signal.SIGKILL:
            assert run["status"] == "paused"
            paused = f"run {run['run_id'][:8]} is paused; go on with: assay resume {run['run_id'][:8]}\n"
            assert assay.log.read_text().endswith(paused)
        asked = requests(base_url)
        resumed = assay.json("resume", run["run_id"][:8])
        assert resumed["status"] == "succeeded"
        assert resumed["evaluations"][0]["scored"] == 420
        # What was in flight is asked again, and up to one batch that a killed process had not stored yet.
        unfinished = 4 + 20 if stop is signal.SIGKILL else 4
        assert requests(base_url) - asked <= 420 - asked + unfinished
    again = assay("resume", run["run_id"])
    assert "nothing is missing" in again.stderr


def test_two_processes_do_not_execute_one_run(assay: Assay) -> None:
    # The first process waits for its replies until it is stopped.
    with sim_server(assay, "--behaviour", "ttft_ms=300000") as base_url:
        process = assay.start(
            "run", "openai-api/x/test/letter", "mmlu_pro", "--data", "demo", "--base-url", base_url
        )
        try:
            wait_until(lambda: requests(base_url) >= 1, within_s=60)
            (run,) = assay.json("list")["runs"]
            code, error = assay.failure("resume", run["run_id"])
        finally:
            process.send_signal(signal.SIGINT)
            process.communicate(timeout=60)
        assert (code, "another process" in error) == (2, True)


def test_a_token_budget_pauses_and_says_how_to_go_on(assay: Assay) -> None:
    done = assay("run", "sim/good", "mmlu_pro", "--data", "demo", "--budget-tokens", "3000")
    assert done.returncode == 1
    assert "budget of 3,000 tokens is used up" in done.stdout
    assert "not done" in done.stdout


def test_failures_of_the_endpoint_are_missing_data(assay: Assay) -> None:
    with sim_server(assay, "--behaviour", "status=400&every=4") as base_url:
        document = assay(
            "run",
            "openai-api/x/test/letter",
            "mmlu_pro",
            "--data",
            "demo",
            "--json",
            "--base-url",
            base_url,
        )
    evaluation = json.loads(document.stdout)["evaluations"][0]
    assert evaluation["outcomes"]["model_error"] == 10
    assert (evaluation["scored"], evaluation["total"]) == (32, 42)
    assert [(one["count"], "answered 400" in one["first_message"]) for one in evaluation["errors"]] == [
        (10, True)
    ]
    assert "10 model_error (rejected), the first: " in assay("list").stdout


def test_a_busy_endpoint_is_waited_for(assay: Assay) -> None:
    with sim_server(assay, "--behaviour", "status=429&every=5&retry_after=0") as base_url:
        evaluation = assay.json(
            "run", "openai-api/x/test/letter", "mmlu_pro", "--data", "demo", "--base-url", base_url
        )["evaluations"][0]
    assert evaluation["scored"] == 42
    assert evaluation["retried"] >= 8


@pytest.mark.parametrize("options", [(), ("--json",)])
def test_a_log_says_which_calls_are_repeated_and_why(assay: Assay, options: tuple[str, ...]) -> None:
    with sim_server(assay, "--behaviour", "status=429&every=5&retry_after=0") as base_url:
        arguments = ("openai-api/x/test/letter", "mmlu_pro", "--data", "demo", "--base-url", base_url)
        done = assay("run", *arguments, *options)
    assert "waiting to repeat a call: " in done.stderr
    assert "answered 429 for model 'test/letter': asked to fail" in done.stderr
    assert "rate-limited: 1" in done.stderr


def test_a_killed_run_is_seen_to_be_interrupted(assay: Assay) -> None:
    with sim_server(assay, "--behaviour", "ttft_ms=300000") as base_url:
        process = assay.start(
            "run", "openai-api/x/test/letter", "mmlu_pro", "--data", "demo", "--base-url", base_url
        )
        wait_until(lambda: requests(base_url) >= 1, within_s=60)
        (run,) = assay.json("list")["runs"]
        assert (run["status"], run["is_interrupted"]) == ("running", False)
        process.kill()
        process.communicate(timeout=60)
    with sqlite3.connect(assay.home / "assay.db") as database:
        database.execute("UPDATE workers SET last_seen = '2026-01-01T00:00:00.000000+00:00'")
    (run,) = assay.json("list")["runs"]
    assert (run["status"], run["is_interrupted"]) == ("running", True)
