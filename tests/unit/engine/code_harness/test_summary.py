"""Documents of a stored run."""

from dataclasses import replace
from decimal import Decimal
from typing import Any, cast

import pytest

from assay.domain.calls.messages import Usage
from assay.domain.calls.pricing import Price
from assay.domain.calls.timing import StreamTiming
from assay.domain.errors import UnknownNameError
from assay.domain.outcome import Outcome
from assay.engine.code_harness.summary import code_run, summary_document
from assay.engine.stores import Stores
from tests.stores import memory_stores
from tests.unit.engine.code_harness.builders import attempt_of, code_run_of, evaluation_of

SUMMARY_KEYS = {
    "timestamp_utc", "run_id", "run_dir", "tasks", "models", "provider", "samples", "temperature",
    "max_tokens", "include_tests", "install_deps", "allow_incomplete_diffs",
    "allow_diff_rewrite_fallback", "requested_models", "attempts", "patch_fallbacks_used",
    "status_counts", "model_status_counts", "task_status", "attempt_manifest", "metrics",
    "metrics_by_thinking_level", "timing", "token_usage", "pricing", "thinking_level",
    "include_thinking_variants", "sweep_thinking_levels",
}  # fmt: skip
ATTEMPT_KEYS = {
    "task_id", "model", "provider", "sample_index", "status", "return_code", "error", "error_type",
    "is_transient", "attempt_dir", "thinking_level_requested", "thinking_level_supported",
    "thinking_level_applied", "eval_command", "eval_timeout_seconds", "eval_working_dir",
    "stdout_excerpt", "stderr_excerpt", "usage", "api_latency_seconds", "duration_seconds", "cost_usd",
    "diff_rewrite_fallback_used",
}  # fmt: skip
NAMES = ("code_catalogue:include-tests+provider=x", "code_catalogue:include-tests+thinking=high+provider=x")


@pytest.fixture
async def stores() -> Stores:
    """Two levels, three tasks; the base did not get to the third task."""
    stores = memory_stores()
    run = code_run_of(models=["test/one"], benchmarks=NAMES)
    price = Price(Decimal(2), Decimal(8), "list")
    base, high = (evaluation_of(run, {}, benchmark=name, price=price) for name in NAMES)
    await stores.runs.add(run, [base, high], [])
    details = {
        "command": ["go", "test"], "timeout_seconds": 60.0, "exit_code": 1,
        "stdout": "o" * 9_000, "stderr": "e", "answer": {"fallback": "rewrite"},
    }  # fmt: skip
    timing = StreamTiming(duration_ms=250.0)
    usage = Usage(100, 10, 4)
    await stores.attempts.add(
        [
            attempt_of(base, "a_task", Outcome.CORRECT, cost_usd=Decimal("0.5"), usage=usage, timing=timing),
            attempt_of(base, "b_task", Outcome.INCORRECT, cost_usd=Decimal("0.25"), details=details),
            attempt_of(high, "a_task", Outcome.UNPARSED, cost_usd=Decimal(0), explanation="no patch"),
            replace(
                attempt_of(high, "b_task", Outcome.RATE_LIMITED, usage=Usage()),
                error_code="rate_limited",
                error_message="429",
            ),
            attempt_of(high, "c_task", Outcome.CORRECT, cost_usd=Decimal(1)),
        ]
    )  # fmt: skip
    return stores


async def summary(stores: Stores) -> Any:
    return summary_document(await code_run(stores, "00000001"))


async def test_a_summary_has_every_key_of_the_contract(stores: Stores) -> None:
    found = await summary(stores)
    assert set(found) - SUMMARY_KEYS == {"status", "thinking_levels"}
    assert SUMMARY_KEYS - set(found) == set()
    assert all(set(one) == ATTEMPT_KEYS for one in found["attempts"])


async def test_a_summary_says_what_was_asked_and_what_came_of_it(stores: Stores) -> None:
    found = await summary(stores)
    assert (found["run_id"], found["run_dir"]) == ("00000001-run", "run_20260102T130000Z_000000")
    assert found["timestamp_utc"] == "2026-01-02T13:00:00Z"
    assert (found["include_tests"], found["provider"]) == (True, "x")
    assert {one["provider"] for one in found["attempts"]} == {"x"}
    assert (found["thinking_level"], found["include_thinking_variants"]) == ("high", True)
    assert found["status_counts"] == {"passed": 2, "failed": 1, "error": 1, "api_error": 1}
    assert found["task_status"] == {
        "a_task": {"test/one": "passed"},
        "b_task": {"test/one": "failed"},
        "c_task": {"test/one": "passed"},
    }
    assert found["patch_fallbacks_used"] == 1
    assert found["metrics"]["api_errors_by_model"] == {"test/one": 1}
    assert found["metrics"]["model_accuracy"] == {"test/one": 0.5}
    assert found["metrics_by_thinking_level"]["high"]["model_accuracy"] == {"test/one": 0.5}
    assert found["timing"]["total_api_latency_seconds"] == 0.25
    assert found["token_usage"] == {
        "prompt_tokens": 130,
        "completion_tokens": 16,
        "total_cost_usd": 1.75,
    }
    assert found["pricing"] == {
        "test/one": {"prompt": pytest.approx(2e-6), "completion": pytest.approx(8e-6), "source": "list"}
    }


async def test_the_manifest_lists_attempts_that_are_not_made_yet(stores: Stores) -> None:
    manifest = (await summary(stores))["attempt_manifest"]
    assert len(manifest) == 6
    [missing] = [one for one in manifest if one["status"] is None]
    assert missing == {
        "task_id": "c_task",
        "model": "test/one",
        "sample_index": 0,
        "thinking_level": "base",
        "attempt_dir": "c_task__test_one__sample00__lvl_base",
        "status": None,
    }


async def test_an_attempt_says_how_it_was_tested_and_why_it_ended(stores: Stores) -> None:
    attempts = {one["attempt_dir"]: one for one in (await summary(stores))["attempts"]}
    failed = attempts["b_task__test_one__sample00__lvl_base"]
    assert (failed["eval_command"], failed["return_code"]) == (["go", "test"], 1)
    assert (len(failed["stdout_excerpt"]), failed["stderr_excerpt"]) == (2_000, "e")
    assert (failed["error"], failed["error_type"], failed["is_transient"]) == (None, None, None)
    assert failed["diff_rewrite_fallback_used"] is True
    error = attempts["a_task__test_one__sample00__lvl_high"]
    assert (error["status"], error["error"], error["error_type"]) == ("error", "no patch", "unparsed")
    assert (error["thinking_level_requested"], error["thinking_level_supported"]) == ("high", True)
    away = attempts["b_task__test_one__sample00__lvl_high"]
    assert (away["status"], away["error"], away["error_type"]) == ("api_error", "429", "rate_limited")
    assert (away["is_transient"], away["usage"], away["thinking_level_supported"]) == (True, None, None)
    passed = attempts["a_task__test_one__sample00__lvl_base"]
    assert passed["usage"] == {"prompt_tokens": 100, "completion_tokens": 10, "reasoning_tokens": 4}
    assert (passed["api_latency_seconds"], passed["cost_usd"]) == (0.25, 0.5)


async def test_an_unknown_cost_makes_the_sum_unknown(stores: Stores) -> None:
    run = code_run_of(2, models=["test/one"])
    evaluation = evaluation_of(run, {})
    await stores.runs.add(run, [evaluation], [])
    costs = {"a_task": Decimal(1), "b_task": None}
    await stores.attempts.add(
        [attempt_of(evaluation, task, Outcome.CORRECT, cost_usd=cost) for task, cost in costs.items()]
    )
    found = summary_document(await code_run(stores, run.id))
    assert cast("dict[str, object]", found["token_usage"])["total_cost_usd"] is None


async def test_a_run_of_other_benchmarks_has_no_summary(stores: Stores) -> None:
    run = replace(code_run_of(2), spec=replace(code_run_of(2).spec, benchmarks=("letters",)))
    await stores.runs.add(run, [evaluation_of(run, {}, benchmark="letters")], [])
    with pytest.raises(UnknownNameError):
        await code_run(stores, run.id)
