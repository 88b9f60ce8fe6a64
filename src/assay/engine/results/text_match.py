"""Where a search matches an attempt."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from assay.domain.attempt import Attempt
from assay.domain.searching import lowered, readable

MatchedField = Literal["item_id", "extracted", "expected", "response", "prompt", "error"]

_BEFORE_CHARACTERS = 60
_AFTER_CHARACTERS = 140


@dataclass(frozen=True, slots=True)
class Match:
    """Where a search matched: the field, the text found there and what stands around it, on one line."""

    field: MatchedField
    before: str
    text: str
    after: str


def first_match(attempt: Attempt, part: str) -> Match | None:
    """The first place that a search for the part finds, short texts first."""
    wanted = lowered(part)
    if not wanted:
        return None
    for field, text in _searched(attempt):
        at = lowered(text).find(wanted)
        if at >= 0:
            end = at + len(wanted)
            return Match(
                field,
                _one_line(text[max(0, at - _BEFORE_CHARACTERS) : at]),
                text[at:end],
                _one_line(text[end : end + _AFTER_CHARACTERS]),
            )
    return None


def _searched(attempt: Attempt) -> Iterator[tuple[MatchedField, str]]:
    yield "item_id", attempt.item_id
    yield "extracted", attempt.extracted or ""
    yield "expected", attempt.expected or ""
    yield "response", readable(attempt.answer)
    yield "prompt", readable(attempt.prompt)
    yield "error", attempt.error_message or ""


def _one_line(text: str) -> str:
    return text.replace("\r", " ").replace("\n", " ")
