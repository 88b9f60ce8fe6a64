"""Texts of gated benchmarks stay out of views."""

import json
from dataclasses import fields, replace

import pytest

from assay.domain.attempt import Attempt, Call
from assay.domain.benchmark import Item, ItemId
from assay.domain.outcome import Outcome
from assay.engine.planning.catalogue import Catalogue
from assay.engine.results.masking import MASKED, is_masked, masked_attempt, masked_item
from tests.builders import CARD, FINGERPRINT, NOON, LetterBenchmark, Seeded, attempt

HIDDEN = "the secret question"
GATED = LetterBenchmark(card=replace(CARD, source=replace(CARD.source, gated=True)))


@pytest.mark.parametrize(
    ("benchmark", "revision", "expected"),
    [
        (GATED, "hub:0", True),
        (GATED, "file:train.csv", True),
        (GATED, "demo:1", False),
        (GATED, "samples:1", False),
        (LetterBenchmark(), "hub:0", False),
        (None, "hub:0", True),
        (None, "demo:1", False),
    ],
)
def test_what_is_gated_or_unknown_is_masked_but_not_our_demo_items(
    benchmark: LetterBenchmark | None, revision: str, *, expected: bool
) -> None:
    catalogue = Catalogue({"letters": benchmark} if benchmark else {})
    evaluation = Seeded().evaluation(fingerprint=replace(FINGERPRINT, data_revision=revision))
    assert is_masked(evaluation, catalogue) is expected


def full_attempt() -> Attempt:
    return attempt(
        prompt=json.dumps([{"role": "user", "content": HIDDEN}]),
        answer=f"You ask: {HIDDEN}",
        reasoning=HIDDEN,
        extracted=HIDDEN,
        expected=HIDDEN,
        explanation=HIDDEN,
        details={"robust": HIDDEN, "nested": [{"text": HIDDEN}, 7], "is_right": True},
        test_code=HIDDEN,
        error_code="grader-error",
        error_message=HIDDEN,
        calls=(Call(NOON, 1.0, status=500, error_message=HIDDEN),),
        item_hash="f" * 64,
    )


def test_no_text_of_the_item_is_left_in_an_attempt() -> None:
    masked = masked_attempt(full_attempt())
    assert HIDDEN not in repr(masked)
    assert json.loads(masked.prompt) == [{"role": "user", "content": MASKED}]
    assert masked.details == {"robust": MASKED, "nested": [{"text": MASKED}, 7], "is_right": True}


def test_what_a_score_is_made_of_stays() -> None:
    plain = full_attempt()
    masked = masked_attempt(plain)
    hidden = {
        "prompt", "answer", "reasoning", "extracted", "expected", "explanation", "details", "test_code",
        "error_message", "calls",
    }  # fmt: skip
    for name in {field.name for field in fields(Attempt)} - hidden:
        assert getattr(masked, name) == getattr(plain, name), name
    assert [(call.status, call.duration_ms) for call in masked.calls] == [(500, 1.0)]


def test_nothing_is_not_turned_into_something() -> None:
    masked = masked_attempt(attempt(outcome=Outcome.TIMEOUT, score=None, answer=""))
    assert (masked.prompt, masked.answer, masked.extracted, masked.expected) == ("", "", None, None)


def test_an_item_keeps_its_id_and_the_names_of_its_fields() -> None:
    masked = masked_item(Item(ItemId("7"), {"question": HIDDEN, "choices": (HIDDEN, HIDDEN), "n": 2}, HIDDEN))
    assert masked == Item(ItemId("7"), {"question": MASKED, "choices": [MASKED, MASKED], "n": 2}, MASKED)
