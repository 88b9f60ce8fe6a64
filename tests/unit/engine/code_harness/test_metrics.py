"""Figures against examples computed by hand."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, cast

import pytest

from assay.domain.attempt import AttemptKey
from assay.domain.benchmark import ItemId
from assay.domain.calls.messages import Generation
from assay.domain.outcome import Outcome
from assay.engine.code_harness.metrics import metrics_by_level, metrics_document, model_metrics
from assay.engine.code_harness.names import attempt_folder, level_of, model_names, options_of, without_level
from assay.engine.code_harness.statuses import AttemptResult, Status, best_status, status_of
from tests.builders import attempt
from tests.unit.engine.code_harness.builders import code_run_of, evaluation_of


def results(
    statuses: Mapping[str, str], *, model: str = "test/one", level: str = "base"
) -> list[AttemptResult]:
    """A letter for each sample of each task: p(assed), f(ailed), e(rror), x for an API error."""
    words: Mapping[str, Status] = {"p": "passed", "f": "failed", "e": "error", "x": "api_error"}
    return [
        AttemptResult(task, model, level, sample, words[letter])
        for task, letters in statuses.items()
        for sample, letter in enumerate(letters)
    ]


@pytest.mark.parametrize(
    ("outcome", "status"),
    [
        (Outcome.CORRECT, "passed"),
        (Outcome.INCORRECT, "failed"),
        (Outcome.UNPARSED, "error"),
        (Outcome.TRUNCATED, "error"),
        (Outcome.REFUSED, "error"),
        (Outcome.MODEL_ERROR, "api_error"),
        (Outcome.RATE_LIMITED, "api_error"),
        (Outcome.SANDBOX_ERROR, "api_error"),
        (Outcome.CANCELED, "api_error"),
    ],
)
def test_missing_data_is_an_api_error_and_every_reply_is_not(outcome: Outcome, status: str) -> None:
    assert status_of(attempt(outcome=outcome)) == status


def test_the_best_status_is_the_furthest_that_an_attempt_got() -> None:
    assert best_status(["api_error", "error", "failed"]) == "failed"


def test_an_attempt_that_failed_at_the_endpoint_and_passed_when_retried_gives_two_thirds() -> None:
    before = model_metrics(results({"a": "p", "b": "f", "c": "x"}), samples=1)
    assert (before.accuracy, before.graded, before.api_errors) == (0.5, 2, 1)
    after = model_metrics(results({"a": "p", "b": "f", "c": "p"}), samples=1)
    assert after.accuracy == pytest.approx(2 / 3)
    assert (after.graded, after.api_errors) == (3, 0)


def test_samples_count_as_chances_and_each_alone() -> None:
    found = model_metrics(results({"a": "pf", "b": "ff", "c": "ex"}), samples=2)
    # pass@2 is 1, 0 and, with the one sample left, 0.
    assert found.accuracy == pytest.approx(1 / 3)
    # 1/2, 0 and 0.
    assert found.pass_at_1 == pytest.approx(1 / 6)
    # One of the five that were graded.
    assert found.attempt_success == pytest.approx(1 / 5)


def test_more_samples_than_asked_for_give_the_unbiased_estimate() -> None:
    # 1 - C(2, 1) / C(3, 1), and for k = 2: 1 - C(2, 2) / C(3, 2).
    assert model_metrics(results({"a": "pff"}), samples=1).accuracy == pytest.approx(1 / 3)
    assert model_metrics(results({"a": "pff"}), samples=2).accuracy == pytest.approx(2 / 3)


def test_a_task_at_two_levels_is_not_two_chances() -> None:
    both = [*results({"a": "f"}), *results({"a": "p"}, level="high")]
    assert model_metrics(both, samples=2).accuracy == pytest.approx(0.5)
    by_level = cast("dict[str, Any]", metrics_by_level(both[::-1], samples=1))
    assert list(by_level) == ["base", "high"]
    assert by_level["base"]["model_accuracy"] == {"test/one": 0.0}
    assert by_level["high"]["model_accuracy"] == {"test/one": 1.0}


def test_means_over_models_leave_out_those_without_a_figure() -> None:
    found = metrics_document(
        [
            *results({"a": "p", "b": "f"}),
            *results({"a": "p", "b": "x"}, model="test/two"),
            *results({"a": "x", "b": "x"}, model="test/away"),
        ],
        samples=1,
    )
    assert found == {
        "k": 1,
        "model_accuracy": {"test/one": 0.5, "test/two": 1.0, "test/away": None},
        "pass_at_1": {"test/one": 0.5, "test/two": 1.0, "test/away": None},
        "model_attempt_success": {"test/one": 0.5, "test/two": 1.0, "test/away": None},
        "macro_accuracy": 0.75,
        "macro_pass_at_1": 0.75,
        "macro_attempt_success": 0.75,
        "api_errors_excluded": 3,
        "api_errors_by_model": {"test/one": 0, "test/two": 1, "test/away": 2},
    }


def test_folders_of_attempts_say_task_model_sample_and_level() -> None:
    folder = attempt_folder(
        AttemptKey(ItemId("go_todo"), 3),
        model_name=model_names(["openrouter/openai/gpt-5:free"])["openrouter/openai/gpt-5:free"],
        level="budget_tokens=4096",
    )
    assert folder == "go_todo__openrouter_openai_gpt-5_free__sample03__lvl_budget_tokens_4096"


def test_models_whose_names_are_alike_have_folders_of_their_own() -> None:
    names = model_names(["a/b_c", "a/b/c", f"a/{'x' * 400}", "../../etc"])
    assert len(set(names.values())) == 4
    assert names["a/b_c"] == "a_b_c"
    assert all("/" not in name and len(name) <= 109 for name in names.values())


def test_the_level_is_the_one_that_was_sent() -> None:
    evaluation = evaluation_of(code_run_of(), {}, benchmark="code_catalogue:thinking=budget_tokens=64")
    both = replace(evaluation, generation=Generation(reasoning_effort="high"))
    neither = replace(evaluation, generation=Generation(), benchmark="code_catalogue")
    budget = replace(evaluation, generation=Generation())
    assert [level_of(one) for one in (both, neither, budget)] == ["high", "base", "budget_tokens=64"]


def test_options_are_read_from_the_name_of_the_benchmark() -> None:
    name = "code_catalogue:include-tests+thinking=budget_tokens=64+provider=x"
    assert options_of(name) == {"include-tests": "", "thinking": "budget_tokens=64", "provider": "x"}
    assert without_level(name) == "code_catalogue:include-tests+provider=x"
    assert without_level("code_catalogue:thinking=high") == "code_catalogue"
