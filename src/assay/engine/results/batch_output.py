"""The answers of an evaluation in the form of OpenAI's batch output, in the order of the input."""

import itertools
import json
from collections.abc import AsyncIterator, Mapping, Sequence
from enum import StrEnum

from assay.domain.attempt import Attempt, AttemptKey, Call
from assay.domain.benchmark import ItemId
from assay.domain.calls.messages import Json, Usage
from assay.domain.outcome import FINAL, Outcome
from assay.domain.run import Evaluation
from assay.engine.results.csv_table import CsvTable
from assay.engine.stores.attempts import AttemptFilter, AttemptStore

_ITEMS_AT_ONCE = 200
# The model did reply: what failed came after.
REPLIED = FINAL | {Outcome.GRADER_ERROR, Outcome.SANDBOX_ERROR, Outcome.DATA_ERROR}
_COLUMNS = (
    "custom_id",
    "sample",
    "outcome",
    "score",
    "answer",
    "expected",
    "extracted",
    "reasoning",
    "finish_reason",
    "input_tokens",
    "output_tokens",
    "latency_ms",
    "ttft_ms",
    "cost_usd",
    "error_code",
    "error_message",
)


class Which(StrEnum):
    """Which lines: replies alone, failures alone, or both."""

    OUTPUT = "output"
    ERRORS = "errors"
    ALL = "all"


async def attempts_in_order(
    attempts: AttemptStore, evaluation: Evaluation, item_ids: Sequence[ItemId] | None = None
) -> AsyncIterator[Attempt]:
    """The attempts stored so far, in the order of the items and then of the samples, at constant memory."""
    ids = evaluation.item_ids if item_ids is None else item_ids
    for start in range(0, len(ids), _ITEMS_AT_ONCE):
        part = ids[start : start + _ITEMS_AT_ONCE]
        wanted = AttemptFilter(items=tuple(part), limit=len(part) * evaluation.samples)
        found = {attempt.key: attempt for attempt in await attempts.page(evaluation.id, wanted)}
        for item_id, sample in itertools.product(part, range(evaluation.samples)):
            if attempt := found.get(AttemptKey(item_id, sample)):
                yield attempt


async def output_lines(
    attempts: AttemptStore,
    evaluation: Evaluation,
    which: Which = Which.ALL,
    *,
    item_ids: Sequence[ItemId] | None = None,
) -> AsyncIterator[dict[str, Json]]:
    async for attempt in attempts_in_order(attempts, evaluation, item_ids):
        has_reply = attempt.outcome in REPLIED
        if which is Which.ALL or has_reply is (which is Which.OUTPUT):
            if not has_reply:
                # Only its calls know what the endpoint said.
                attempt = await attempts.get(evaluation.id, attempt.key)  # noqa: PLW2901
            yield output_line(attempt, evaluation)


def output_line(attempt: Attempt, evaluation: Evaluation) -> dict[str, Json]:
    request_id = f"{evaluation.id[:8]}-{attempt.item_id}"
    line: dict[str, Json] = {"id": f"batch_req_{request_id}", "custom_id": attempt.item_id}
    if evaluation.samples > 1:
        line["sample"] = attempt.sample
    if attempt.outcome in REPLIED:
        body = _completion(attempt, evaluation, request_id)
        return line | {
            "response": {"status_code": 200, "request_id": f"req_{request_id}", "body": body},
            "error": None,
        }
    error: dict[str, Json] = {
        "code": attempt.error_code or attempt.outcome.value,
        "message": attempt.error_message or attempt.outcome.value,
    }
    status = _last_status(attempt.calls)
    response: Json = None
    if status is not None:
        response = {
            "status_code": status,
            "request_id": f"req_{request_id}",
            "body": {"error": {**error, "type": attempt.outcome.value, "param": None}},
        }
    return line | {"response": response, "error": error}


def _completion(attempt: Attempt, evaluation: Evaluation, request_id: str) -> dict[str, Json]:
    message: dict[str, Json] = {"role": "assistant", "content": attempt.answer}
    if attempt.reasoning:
        message["reasoning_content"] = attempt.reasoning
    if calls := attempt.details.get("tool_calls"):
        message |= {"content": attempt.answer or None, "tool_calls": calls}
    message["refusal"] = attempt.explanation if attempt.outcome is Outcome.REFUSED else None
    choice: dict[str, Json] = {
        "index": 0,
        "message": message,
        "finish_reason": attempt.finish_reason,
        "logprobs": None,
    }
    body: dict[str, Json] = {
        "id": f"chatcmpl-{request_id}",
        "object": "chat.completion",
        "created": int(attempt.started_at.timestamp()),
        "model": evaluation.model,
        "choices": [choice],
    }
    if attempt.usage.input_tokens is not None or attempt.usage.output_tokens is not None:
        body["usage"] = _usage(attempt.usage)
    return body


def _usage(usage: Usage) -> dict[str, Json]:
    sent, received = usage.input_tokens or 0, usage.output_tokens or 0
    return {"prompt_tokens": sent, "completion_tokens": received, "total_tokens": sent + received}


def _last_status(calls: Sequence[Call]) -> int | None:
    return next((call.status for call in reversed(calls) if call.role == "model" and call.status), None)


async def csv_rows(attempts: AttemptStore, evaluation: Evaluation) -> AsyncIterator[str]:
    """A header, then one row per attempt, in the order of the input."""
    table = CsvTable(_COLUMNS)
    yield table.header
    async for attempt in attempts_in_order(attempts, evaluation):
        yield table.row(_cells(attempt))


def _cells(attempt: Attempt) -> Sequence[object]:
    timing = attempt.timing
    values: Mapping[str, object] = {
        "custom_id": attempt.item_id,
        "sample": attempt.sample,
        "outcome": attempt.outcome.value,
        "score": attempt.score,
        "answer": _answer_text(attempt),
        "expected": attempt.expected,
        "extracted": attempt.extracted,
        "reasoning": attempt.reasoning,
        "finish_reason": attempt.finish_reason,
        "input_tokens": attempt.usage.input_tokens,
        "output_tokens": attempt.usage.output_tokens,
        "latency_ms": timing and round(timing.duration_ms, 3),
        "ttft_ms": timing and timing.ttft_ms and round(timing.ttft_ms, 3),
        "cost_usd": attempt.cost_usd,
        "error_code": attempt.error_code,
        "error_message": attempt.error_message,
    }
    return [values[column] for column in _COLUMNS]


def _answer_text(attempt: Attempt) -> str:
    calls = attempt.details.get("tool_calls")
    return json.dumps(calls, ensure_ascii=False) if calls and not attempt.answer else attempt.answer
