"""Reads attempts and items from the documents of an export, checking the types of all fields."""

from collections.abc import Mapping, Sequence
from dataclasses import fields
from datetime import datetime
from decimal import Decimal, InvalidOperation

from assay.domain.attempt import Attempt
from assay.domain.benchmark import ItemId
from assay.domain.calls.messages import Completion, Json, Usage
from assay.domain.calls.timing import StreamTiming
from assay.domain.outcome import Outcome
from assay.domain.run import EvaluationId, ItemFacts
from assay.domain.stopping import Settled, Stopped
from assay.engine.exports.json_stream import MalformedError

Document = Mapping[str, Json]


def text(document: Document, name: str) -> str:
    value = document.get(name)
    if not isinstance(value, str):
        raise _wrong_type(name, "a text", value)
    return value


def optional_text(document: Document, name: str) -> str | None:
    return None if document.get(name) is None else text(document, name)


def integer(document: Document, name: str) -> int:
    value = document.get(name)
    if isinstance(value, bool) or not isinstance(value, int):
        raise _wrong_type(name, "a whole number", value)
    return value


def optional_integer(document: Document, name: str) -> int | None:
    return None if document.get(name) is None else integer(document, name)


def number(document: Document, name: str) -> float | None:
    value = document.get(name)
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise _wrong_type(name, "a number", value)
    return value


def boolean(document: Document, name: str) -> bool:
    value = document.get(name)
    if not isinstance(value, bool):
        raise _wrong_type(name, "true or false", value)
    return value


def members(document: Document, name: str) -> Sequence[Json]:
    value = document.get(name)
    if isinstance(value, str) or not isinstance(value, Sequence):
        raise _wrong_type(name, "a list", value)
    return value


def objects(document: Document, name: str) -> list[Document]:
    return [_object(member, name) for member in members(document, name)]


def inner(document: Document, name: str) -> Document:
    return _object(document.get(name), name)


def _object(value: Json, name: str) -> Document:
    if not isinstance(value, Mapping):
        raise _wrong_type(name, "an object", value)
    return value


def _wrong_type(name: str, wanted: str, value: Json) -> MalformedError:
    return MalformedError(f"{name!r} should be {wanted}, not {type(value).__name__}")


def stopped_of(document: Document) -> Stopped:
    settled = (
        Settled(text(one, "against"), text(one, "verdict"), integer(one, "after"))
        for one in objects(document, "settled")
    )
    after, items, population = (integer(document, name) for name in ("after", "items", "population"))
    if not 0 < after <= items <= population:
        raise MalformedError(f"a decision after {after} of {items} of {population} items is none")
    return Stopped(after, items, population, tuple(settled))


def item_facts(documents: Sequence[Document]) -> dict[ItemId, ItemFacts]:
    return {
        ItemId(text(one, "item_id")): ItemFacts(
            optional_text(one, "item_hash") or "",
            optional_text(one, "prompt_sha256") or "",
            optional_text(one, "category"),
            optional_text(one, "cluster"),
        )
        for one in documents
    }


def attempt_of(document: Document) -> Attempt:
    """The attempt that a document describes, without its calls."""
    judged = inner(document, "judge_output")
    return Attempt(
        evaluation_id=EvaluationId(""),
        item_id=ItemId(text(document, "item_id")),
        sample=integer(document, "sample"),
        outcome=_outcome(text(document, "outcome")),
        score=number(document, "score"),
        started_at=_moment(text(document, "started_at")),
        finished_at=_moment(text(document, "finished_at")),
        prompt=text(document, "prompt"),
        answer=text(document, "response"),
        reasoning=text(document, "reasoning"),
        extracted=optional_text(document, "extracted"),
        expected=optional_text(document, "expected"),
        explanation=text(judged, "explanation"),
        details=inner(judged, "details"),
        test_code=optional_text(document, "test_code"),
        finish_reason=optional_text(document, "finish_reason"),
        is_cut=boolean(document, "is_cut"),
        usage=_usage(document),
        timing=_timing(document),
        cost_usd=_amount(document, "cost_usd"),
        judge_cost_usd=_amount(document, "judge_cost_usd"),
        error_code=optional_text(document, "error_code"),
        error_message=optional_text(document, "error"),
        tries=integer(document, "tries"),
        item_hash=optional_text(document, "item_hash"),
    )


def completion_of(attempt: Attempt) -> Completion:
    """The reply with the fields that graders read; `refusal` is set only where the provider signalled one."""
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
        cost_usd=attempt.cost_usd,
    )


def _usage(document: Document) -> Usage:
    return Usage(
        optional_integer(document, "input_tokens"),
        optional_integer(document, "output_tokens"),
        optional_integer(document, "reasoning_tokens"),
        optional_integer(document, "cached_tokens"),
        _amount(document, "reported_cost_usd"),
    )


def _timing(document: Document) -> StreamTiming | None:
    if document.get("timing") is None:
        return None
    timing = inner(document, "timing")
    values = {field.name: number(timing, field.name) for field in fields(StreamTiming)}
    try:
        return StreamTiming(**values)  # pyright: ignore[reportArgumentType] # names and types of the dataclass fields
    except TypeError as error:
        raise MalformedError(f"'timing' is incomplete: {error}") from error


def _amount(document: Document, name: str) -> Decimal | None:
    digits = optional_text(document, name)
    try:
        return None if digits is None else Decimal(digits)
    except InvalidOperation as error:
        raise MalformedError(f"{name!r} should be an amount, not {digits!r}") from error


def _moment(stamp: str) -> datetime:
    try:
        moment = datetime.fromisoformat(stamp)
    except ValueError as error:
        raise MalformedError(f"{stamp!r} is not a time") from error
    if moment.tzinfo is None:
        raise MalformedError(f"{stamp!r} has no time zone")
    return moment


def _outcome(name: str) -> Outcome:
    try:
        return Outcome(name)
    except ValueError as error:
        raise MalformedError(f"unknown outcome {name!r}") from error
