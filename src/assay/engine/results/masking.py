"""Hides the texts of gated benchmarks, whose authors ask that no item be published.

Outcomes, scores, counts, timings and the ids and hashes of items stay: a masked score can still be checked.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from assay.domain.attempt import Attempt
from assay.domain.benchmark import Item
from assay.domain.calls.messages import Json, Prompt
from assay.domain.errors import UnknownNameError
from assay.domain.run import Evaluation
from assay.engine.planning.catalogue import Catalogue

MASKED = "[masked: the authors of this benchmark ask that its items not be published]"

_MASKED_PROMPT = Prompt.of_user(MASKED).to_json()
OWN_PREFIX = "own:"
"""Of the revision of data that users brought themselves."""
# Demo items had the revision "samples:…" in runs that earlier versions stored.
_OWN_ITEMS = ("demo:", "samples:", "dataset:", OWN_PREFIX)


def is_masked(evaluation: Evaluation, catalogue: Catalogue) -> bool:
    """Whether its items must not be shown in plain; our own demo items and users' own data always may be.

    Nor may those of a benchmark that is no longer installed: whether it is gated is unknown.
    """
    if evaluation.fingerprint.data_revision.startswith(_OWN_ITEMS):
        return False
    try:
        return catalogue.get(evaluation.benchmark).card.source.gated
    except UnknownNameError:
        return True


def masked_attempt(attempt: Attempt) -> Attempt:
    """The attempt without any text that is, or may quote, the item: replies repeat questions and options."""
    return replace(
        attempt,
        prompt=_MASKED_PROMPT if attempt.prompt else "",
        answer=_masked_text(attempt.answer),
        reasoning=_masked_text(attempt.reasoning),
        extracted=_masked_or_none(attempt.extracted),
        expected=_masked_or_none(attempt.expected),
        explanation=_masked_text(attempt.explanation),
        details=masked_fields(attempt.details),
        test_code=_masked_or_none(attempt.test_code),
        # The code of the error stays.
        error_message=None,
        calls=tuple(replace(call, error_message=None) for call in attempt.calls),
    )


def masked_item(item: Item) -> Item:
    return replace(item, fields=masked_fields(item.fields), expected=_masked_or_none(item.expected))


def masked_fields(fields: Mapping[str, Json]) -> dict[str, Json]:
    """The same names, with every text masked; numbers and truth values stay."""
    return {name: _masked_json(value) for name, value in fields.items()}


def _masked_json(value: Json) -> Json:
    if isinstance(value, str):
        return _masked_text(value)
    if isinstance(value, Mapping):
        return masked_fields(value)
    if isinstance(value, Sequence):
        return [_masked_json(member) for member in value]
    return value


def _masked_text(text: str) -> str:
    return MASKED if text else ""


def _masked_or_none(text: str | None) -> str | None:
    return None if text is None else MASKED
