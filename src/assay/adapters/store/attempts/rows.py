"""Attempts and calls as rows in the order of their tables' columns, and back."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from sqlalchemy import Row, select

from assay.adapters.store.attempts.arrivals import Moments, unpacked
from assay.adapters.store.attempts.tables import attempts
from assay.adapters.store.database.blobs import text_of
from assay.adapters.store.database.codec import json_object, json_text
from assay.domain.attempt import Attempt, Call
from assay.domain.calls.messages import Usage
from assay.domain.calls.timing import Arrivals, StreamTiming
from assay.domain.outcome import Outcome

TEXT_COLUMNS = ("answer", "answer_sha256", "prompt_sha256", "reasoning_sha256", "test_code_sha256")
WITHOUT_TEXTS = select(*(column for column in attempts.c if column.name not in TEXT_COLUMNS))
WITH_TEXTS = WITHOUT_TEXTS.add_columns(*(attempts.c[name] for name in TEXT_COLUMNS))
HASHES = tuple(index for index, name in enumerate(attempts.c.keys()) if name.endswith("_sha256"))
SEARCHED_HASHES = frozenset(attempts.c.keys().index(name) for name in ("answer_sha256", "prompt_sha256"))
# Longer answers are stored as blobs.
_INLINE_CHARACTERS = 512
_NO_TIMING = (None,) * 10
_OUTCOMES = {outcome.value: outcome for outcome in Outcome}


def attempt_row(attempt: Attempt) -> tuple[object, ...]:
    """With the texts themselves where the table has their hashes, which are put in later."""
    answer = attempt.answer
    # A blob would cost another row and an index entry.
    is_inline = len(answer) <= _INLINE_CHARACTERS
    return (
        attempt.evaluation_id,
        attempt.item_id,
        attempt.sample,
        attempt.outcome.value,
        attempt.score,
        attempt.started_at,
        attempt.finished_at,
        attempt.extracted,
        attempt.expected,
        attempt.explanation,
        json_text(attempt.details) if attempt.details else None,
        answer if is_inline else None,
        None if is_inline else answer,
        attempt.prompt or None,
        attempt.reasoning or None,
        attempt.test_code,
        attempt.finish_reason,
        attempt.is_cut,
        *_usage_values(attempt.usage),
        *_timing_values(attempt.timing),
        attempt.cost_usd,
        attempt.judge_cost_usd,
        attempt.error_code,
        attempt.error_message,
        attempt.tries,
        attempt.item_hash,
    )


def call_rows(attempt: Attempt, *, stored: int = 0) -> list[tuple[object, ...]]:
    """Rows of the calls after those that are stored already, numbered from 1."""
    return [
        (
            attempt.evaluation_id,
            attempt.item_id,
            attempt.sample,
            number,
            call.role,
            call.started_at,
            call.duration_ms,
            call.status,
            call.error_code,
            call.error_message,
            call.finish_reason,
            *_usage_values(call.usage),
            *_timing_values(call.timing),
            call.served_model,
            call.system_fingerprint,
            call.concurrency,
            _moments(call.arrivals),
        )
        for number, call in enumerate(attempt.calls[stored:], start=stored + 1)
    ]


_NAMES = WITHOUT_TEXTS.selected_columns.keys()
_USAGE = slice(_NAMES.index("input_tokens"), _NAMES.index("stream_ms"))
_TIMING = slice(_NAMES.index("stream_ms"), _NAMES.index("cost_usd"))


def attempt_from(row: Sequence[Any]) -> Attempt:
    """From the columns of `WITHOUT_TEXTS` in their order: looking up thirty names would take the longest."""
    (
        evaluation_id,
        item_id,
        sample,
        outcome,
        score,
        started_at,
        finished_at,
        extracted,
        expected,
        explanation,
        details,
        finish_reason,
        is_cut,
    ) = row[: _USAGE.start]
    usage, timing = row[_USAGE], row[_TIMING]
    cost_usd, judge_cost_usd, error_code, error_message, tries, item_hash = row[_TIMING.stop :]
    return Attempt(
        evaluation_id=evaluation_id,
        item_id=item_id,
        sample=sample,
        outcome=_OUTCOMES[outcome],
        score=score,
        started_at=started_at,
        finished_at=finished_at,
        extracted=extracted,
        expected=expected,
        explanation=explanation,
        details={} if details is None else json_object(details),
        finish_reason=finish_reason,
        is_cut=is_cut,
        usage=Usage(*usage),
        timing=None if timing[0] is None else StreamTiming(*timing[:-1], keep_alives=timing[-1] or 0),
        cost_usd=cost_usd,
        judge_cost_usd=judge_cost_usd,
        error_code=error_code,
        error_message=error_message,
        tries=tries,
        item_hash=item_hash,
    )


def attempt_with_texts(row: Row[Any], blobs: Mapping[bytes, bytes], calls: tuple[Call, ...] = ()) -> Attempt:
    """From the columns of `WITH_TEXTS` in their order."""

    def text(sha256: bytes | None) -> str:
        return "" if sha256 is None else text_of(blobs[sha256])

    return replace(
        attempt_from(row[: -len(TEXT_COLUMNS)]),
        prompt=text(row.prompt_sha256),
        answer=text(row.answer_sha256) if row.answer is None else row.answer,
        reasoning=text(row.reasoning_sha256),
        test_code=None if row.test_code_sha256 is None else text(row.test_code_sha256),
        calls=calls,
    )


def call_from(row: Row[Any]) -> Call:
    return Call(
        started_at=row.started_at,
        duration_ms=row.duration_ms,
        role=row.role,
        status=row.status,
        error_code=row.error_code,
        error_message=row.error_message,
        finish_reason=row.finish_reason,
        usage=_usage_from(row),
        timing=_timing_from(row),
        served_model=row.served_model,
        system_fingerprint=row.system_fingerprint,
        concurrency=row.concurrency,
        arrivals=_arrivals_from(row),
    )


def _moments(arrivals: Arrivals | None) -> Moments | None:
    return Moments(arrivals.started_s, arrivals.chunks_s) if arrivals and arrivals.chunks_s else None


def _arrivals_from(row: Row[Any]) -> Arrivals | None:
    if row.arrivals is None:
        return None
    return Arrivals(0.0, row.stream_ms / 1000, unpacked(row.arrivals))


def _usage_values(usage: Usage) -> tuple[object, ...]:
    return (
        usage.input_tokens,
        usage.output_tokens,
        usage.reasoning_tokens,
        usage.cached_tokens,
        usage.reported_cost_usd,
        usage.sandbox_s,
    )


def _timing_values(timing: StreamTiming | None) -> tuple[object, ...]:
    if timing is None:
        return _NO_TIMING
    return (
        timing.duration_ms,
        timing.ttft_ms,
        timing.ttfat_ms,
        timing.max_gap_ms,
        timing.silence_ms,
        timing.stalls,
        timing.chunks,
        timing.tokens_per_s,
        timing.continuity,
        timing.keep_alives,
    )


def _usage_from(row: Row[Any]) -> Usage:
    return Usage(
        row.input_tokens,
        row.output_tokens,
        row.reasoning_tokens,
        row.cached_tokens,
        row.reported_cost_usd,
        row.sandbox_s,
    )


def _timing_from(row: Row[Any]) -> StreamTiming | None:
    if row.stream_ms is None:
        return None
    return StreamTiming(
        duration_ms=row.stream_ms,
        ttft_ms=row.ttft_ms,
        ttfat_ms=row.ttfat_ms,
        max_gap_ms=row.max_gap_ms,
        silence_ms=row.silence_ms,
        stalls=row.stalls,
        chunks=row.chunks,
        tokens_per_s=row.tokens_per_s,
        continuity=row.continuity,
        # Calls from before these were counted have none.
        keep_alives=row.keep_alives or 0,
    )
