from dataclasses import replace

import pytest

from assay.benchmarks.code_catalogue.task import TASKS, benchmark
from assay.benchmarks.code_catalogue.task_folder import load_tasks
from assay.engine.code_harness.options import Options

FULL = Options(
    include_tests=True,
    allow_incomplete_diffs=True,
    allow_rewrite_fallback=True,
    thinking="high",
    provider="deepinfra",
)
EVERY = "include-tests+incomplete-diffs+rewrite-fallback+thinking=high+provider=deepinfra"


@pytest.mark.parametrize(
    ("text", "options"),
    [
        ("include-tests", Options(include_tests=True)),
        ("thinking=budget_tokens=4096", Options(thinking="budget_tokens=4096")),
        (EVERY, FULL),
    ],
)
def test_options_are_read_from_the_name_of_a_variant(text: str, options: Options) -> None:
    assert Options.parse(text) == options
    assert options.name == text


@pytest.mark.parametrize(
    "text",
    [
        "",
        "unknown",
        "include-tests+include-tests",
        "thinking=high+include-tests",
        "include-tests=yes",
        "thinking=",
        "thinking=budget_tokens=0",
        "thinking=budget_tokens=-1",
        "provider=a b",
        "thinking=high\n",
        "provider=" + "x" * 65,
    ],
)
def test_anything_else_is_no_variant(text: str) -> None:
    assert Options.parse(text) is None
    assert benchmark.variant(text) is None


def test_an_effort_is_a_generation_setting_and_a_token_budget_a_field_of_the_request() -> None:
    effort, budget = Options(thinking="high"), Options(thinking="budget_tokens=4096", provider="deepinfra")
    assert (effort.reasoning_effort, effort.request_fields) == ("high", {})
    assert budget.reasoning_effort is None
    assert budget.request_fields == {
        "reasoning": {"max_tokens": 4096},
        "provider": {"order": ["deepinfra"], "allow_fallbacks": False},
    }


def test_a_variant_has_its_options_in_its_card_and_prompts() -> None:
    variant = benchmark.variant(EVERY)
    assert variant is not None
    assert variant.card.name == f"code_catalogue:{EVERY}"
    assert variant.card.generation == replace(benchmark.card.generation, reasoning_effort="high")
    assert EVERY in variant.card.deviations[-1]
    item_set = variant.load(variant.own_data("official").tables)
    prompt = item_set.prompt(item_set.items[0])
    assert prompt.extra["provider"] == {"order": ["deepinfra"], "allow_fallbacks": False}
    [task] = load_tasks(TASKS / item_set.items[0].id)
    shown = next(iter(task.tests.values()))
    assert shown.strip() in prompt.text
    plain = benchmark.load(benchmark.own_data("official").tables)
    assert shown.strip() not in plain.prompt(plain.items[0]).text
