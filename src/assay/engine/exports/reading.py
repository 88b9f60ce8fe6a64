"""Attempts and items from the documents of an export, checked for their types on the way."""

from collections.abc import Mapping, Sequence
from dataclasses import fields
from datetime import datetime
from decimal import Decimal, InvalidOperation

from assay.domain.attempt import Attempt
from assay.domain.benchmark import ItemId
from assay.domain.messages import Completion, Json, Usage
from assay.domain.outcome import Outcome
from assay.domain.run import EvaluationId, ItemFacts
from assay.domain.timing import StreamTiming
from assay.engine.exports.json_stream import MalformedError

Document = Mapping[str, Json]


def text(document: Document, name: str) -> str:
    value = document.get(name)
    if not isinstance(value, str):
        raise _unlike(name, "a text", value)
    return value


def text_or_none(document: Document, name: str) -> str | None:
    return None if document.get(name) is None else text(document, name)


def whole(document: Document, name: str) -> int:
    value = document.get(name)
    if isinstance(value, bool) or not isinstance(value, int):
        raise _unlike(name, "a whole number", value)
    return value


def whole_or_none(document: Document, name: str) -> int | None:
    return None if document.get(name) is None else whole(document, name)


def number(document: Document, name: str) -> float | None:
    value = document.get(name)
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise _unlike(name, "a number", value)
    return value


def truth(document: Document, name: str) -> bool:
    value = document.get(name)
    if not isinstance(value, bool):
        raise _unlike(name, "true or false", value)
    return value


def members(document: Document, name: str) -> Sequence[Json]:
    value = document.get(name)
    if isinstance(value, str) or not isinstance(value, Sequence):
        raise _unlike(name, "a list", value)
    return value


def objects(document: Document, name: str) -> list[Document]:
    return [_object(member, name) for member in members(document, name)]


def inner(document: Document, name: str) -> Document:
    return _object(document.get(name), name)


def _object(value: Json, name: str) -> Document:
    if not isinstance(value, Mapping):
        raise _unlike(name, "an object", value)
    return value


def _unlike(name: str, wanted: str, value: Json) -> MalformedError:
    return MalformedError(f"{name!r} should be {wanted}, not {type(value).__name__}")


def asked_items(documents: Sequence[Document]) -> dict[ItemId, ItemFacts]:
    return {
        ItemId(text(one, "item_id")): ItemFacts(
            text_or_none(one, "item_hash") or "",
            text_or_none(one, "prompt_sha256") or "",
            text_or_none(one, "category"),
            text_or_none(one, "cluster"),
        )
        for one in documents
    }


def attempt_of(document: Document) -> Attempt:
    """The attempt that a document was made from, but for its calls."""
    judged = inner(document, "judge_output")
    return Attempt(
        evaluation_id=EvaluationId(""),
        item_id=ItemId(text(document, "item_id")),
        sample=whole(document, "sample"),
        outcome=_outcome(text(document, "outcome")),
        score=number(document, "score"),
        started_at=_moment(text(document, "started_at")),
        finished_at=_moment(text(document, "finished_at")),
        prompt=text(document, "prompt"),
        answer=text(document, "response"),
        reasoning=text(document, "reasoning"),
        extracted=text_or_none(document, "extracted"),
        expected=text_or_none(document, "expected"),
        explanation=text(judged, "explanation"),
        details=inner(judged, "details"),
        test_code=text_or_none(document, "test_code"),
        finish_reason=text_or_none(document, "finish_reason"),
        is_cut=truth(document, "is_cut"),
        usage=_usage(document),
        timing=_timing(document),
        cost_usd=_amount(document, "cost_usd"),
        judge_cost_usd=_amount(document, "judge_cost_usd"),
        error_code=text_or_none(document, "error_code"),
        error_message=text_or_none(document, "error"),
        tries=whole(document, "tries"),
        item_hash=text_or_none(document, "item_hash"),
    )


def completion_of(attempt: Attempt) -> Completion:
    """The reply as far as a grader looks at it; a refusal is what the provider signalled when it answered."""
    is_filtered = attempt.finish_reason == "content_filter"
    is_refused = attempt.outcome is Outcome.REFUSED and not is_filtered
    return Completion(
        attempt.answer,
        reasoning=attempt.reasoning,
        finish_reason=attempt.finish_reason,
        refusal=attempt.explanation if is_refused else None,
        reasoning_unclosed=attempt.is_cut and attempt.finish_reason != "length",
        usage=attempt.usage,
        timing=attempt.timing,
    )


def _usage(document: Document) -> Usage:
    return Usage(
        whole_or_none(document, "input_tokens"),
        whole_or_none(document, "output_tokens"),
        whole_or_none(document, "reasoning_tokens"),
        whole_or_none(document, "cached_tokens"),
        _amount(document, "reported_cost_usd"),
    )


def _timing(document: Document) -> StreamTiming | None:
    if document.get("timing") is None:
        return None
    timing = inner(document, "timing")
    values = {field.name: number(timing, field.name) for field in fields(StreamTiming)}
    try:
        return StreamTiming(**values)  # pyright: ignore[reportArgumentType] # names and kinds of the dataclass
    except TypeError as error:
        raise MalformedError(f"'timing' is incomplete: {error}") from error


def _amount(document: Document, name: str) -> Decimal | None:
    digits = text_or_none(document, name)
    try:
        return None if digits is None else Decimal(digits)
    except InvalidOperation as error:
        raise MalformedError(f"{name!r} should be an amount, not {digits!r}") from error


def _moment(stamp: str) -> datetime:
    try:
        moment = datetime.fromisoformat(stamp)
    except ValueError as error:
        raise MalformedError(f"{stamp!r} is no time") from error
    if moment.tzinfo is None:
        raise MalformedError(f"{stamp!r} names no time zone")
    return moment


def _outcome(name: str) -> Outcome:
    try:
        return Outcome(name)
    except ValueError as error:
        raise MalformedError(f"no outcome {name!r}") from error
