"""Suggestions for names that do not exist."""

import pytest

from assay.adapters.models.providers import provider_for
from assay.domain.errors import UnknownNameError, nearest_names


def test_suggestions_ignore_case_and_a_missing_first_part() -> None:
    assert nearest_names("MMLU_PRO", ["ifeval", "mmlu_pro"]) == ("mmlu_pro",)
    assert nearest_names("GPT-4o", ["openai/gpt-4o", "meta/llama"])[0] == "openai/gpt-4o"
    assert nearest_names("zzz", ["mmlu_pro"]) == ()


def test_of_very_many_or_very_long_names_only_some_are_compared() -> None:
    known = (f"model-{number}" for number in range(10_000))
    assert "model-1" in nearest_names("model-1", known)
    assert next(known, None) is not None
    long = "model-" * 1_000
    assert nearest_names(long, [long]) == nearest_names("model-", [long]) == ()


@pytest.mark.parametrize(
    ("model", "suggestion"),
    [
        ("gpt-4o", "openai/gpt-4o"),
        ("grok-4", "xai/grok-4"),
        ("OpenAI/gpt-4o", "openai"),
        ("opnai/gpt-4o", "openai"),
    ],
)
def test_a_model_without_a_known_provider_gets_a_suggestion(model: str, suggestion: str) -> None:
    with pytest.raises(UnknownNameError) as raised:
        provider_for(model, {})
    assert suggestion in raised.value.nearest
