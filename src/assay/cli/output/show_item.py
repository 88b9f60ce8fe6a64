"""One item of a run in full: what was sent, what came back, why it was graded so."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from decimal import Decimal

import typer

from assay.cli.output.sandbox_notes import print_confinement
from assay.cli.output.write import cost_text, milliseconds, write_json, write_note
from assay.domain.access.secret import printable
from assay.domain.attempt import LOGPROBS, Attempt, AttemptKey, Call
from assay.domain.benchmark import ItemId
from assay.domain.calls.messages import Json, Usage
from assay.domain.errors import UnknownNameError
from assay.domain.outcome import Outcome
from assay.domain.run import Evaluation
from assay.engine.planning.catalogue import Catalogue
from assay.engine.results.masking import is_masked, masked_attempt
from assay.engine.stores import Stores


async def show_item(
    stores: Stores, evaluations: Sequence[Evaluation], item: str, *, reveal: bool, as_json: bool
) -> None:
    """The texts of gated benchmarks are masked unless they are asked for: a terminal gets shown around."""
    catalogue = Catalogue.installed()
    found = [
        (one, await stores.attempts.get(one.id, AttemptKey(ItemId(item), sample)))
        for one in evaluations
        if item in one.item_ids
        for sample in range(one.samples)
        if AttemptKey(ItemId(item), sample) in await stores.attempts.keys(one.id)
    ]
    if not found:
        raise UnknownNameError(
            "stored attempt of item", item, remedy=f"`assay items {evaluations[0].run_id[:8]}` lists them"
        )
    if not reveal:
        found = [(one, masked_attempt(made) if is_masked(one, catalogue) else made) for one, made in found]
    if as_json:
        write_json({"attempts": [attempt_document(*one) | {"calls": _calls(one[1])} for one in found]})
        return
    for evaluation, attempt in found:
        _print(evaluation, attempt)


def attempt_document(evaluation: Evaluation, attempt: Attempt) -> dict[str, object]:
    """All but the calls."""
    document: dict[str, object] = asdict(attempt)
    del document["calls"]
    return document | {
        "model": evaluation.model,
        "benchmark": evaluation.benchmark,
        "prompt": _messages(attempt),
        "usage": _usage(attempt.usage),
        "cost_usd": _exact(attempt.cost_usd),
        "judge_cost_usd": _exact(attempt.judge_cost_usd),
    }


def _messages(attempt: Attempt) -> list[dict[str, Json]]:
    # Empty for an attempt that failed before it had a prompt.
    return json.loads(attempt.prompt or "[]")


def _calls(attempt: Attempt) -> list[dict[str, object]]:
    calls: list[dict[str, object]] = [asdict(call) for call in attempt.calls]
    usages = (_usage(call.usage) for call in attempt.calls)
    return [call | {"usage": usage} for call, usage in zip(calls, usages, strict=True)]


def _usage(usage: Usage) -> dict[str, object]:
    document: dict[str, object] = asdict(usage)
    return document | {"reported_cost_usd": _exact(usage.reported_cost_usd)}


def _exact(amount: Decimal | None) -> str | None:
    return None if amount is None else str(amount)


def _print(evaluation: Evaluation, attempt: Attempt) -> None:
    names = (evaluation.model, evaluation.benchmark, f"item {attempt.item_id}", f"sample {attempt.sample}")
    typer.echo(printable(f"── {' · '.join(names)} ──"))
    for message in _messages(attempt):
        _print_text(str(message.get("role")), _content_text(message.get("content")))
    _print_text("reasoning", attempt.reasoning)
    _print_text("answer", attempt.answer)
    for line in _verdict_lines(attempt):
        write_note(line)
    print_confinement(attempt.details)
    for line in (*_logprob_lines(attempt.details), *_usage_lines(attempt), *_call_lines(attempt.calls)):
        write_note(line)
    typer.echo("")


def _print_text(title: str, text: str) -> None:
    if text:
        typer.echo(f"[{title}]\n{printable(text)}\n")


def _content_text(content: Json) -> str:
    if isinstance(content, str):
        return content
    if not isinstance(content, list):
        return "" if content is None else json.dumps(content, ensure_ascii=False)
    return "\n".join(map(_part_text, content))


def _part_text(part: Json) -> str:
    if not isinstance(part, Mapping):
        return str(part)
    text = part.get("text")
    return text if isinstance(text, str) else f"[{part.get('type')}, {len(json.dumps(part)):,} characters]"


def _verdict_lines(attempt: Attempt) -> Iterator[str]:
    score = "no score" if attempt.score is None else f"score {attempt.score:g}"
    code = f" ({attempt.error_code})" if attempt.error_code else ""
    yield f"outcome {attempt.outcome.value}{code}, {score}"
    if attempt.error_message:
        yield f"error: {attempt.error_message}"
    if attempt.explanation:
        yield f"why: {attempt.explanation}"
    if attempt.extracted is not None or attempt.outcome is Outcome.UNPARSED:
        yield f"extracted: {'nothing' if attempt.extracted is None else attempt.extracted}"
    if attempt.expected is not None:
        yield f"expected: {attempt.expected}"


def _logprob_lines(details: Mapping[str, Json]) -> Iterator[str]:
    found = details.get(LOGPROBS)
    if isinstance(found, Mapping):
        tokens, mean, lowest = (found.get(name) for name in ("tokens", "mean", "lowest"))
        yield f"log-probabilities: mean {mean}, lowest {lowest}, of {tokens} tokens"


def _usage_lines(attempt: Attempt) -> Iterator[str]:
    usage, timing = attempt.usage, attempt.timing
    if usage.input_tokens is not None and usage.output_tokens is not None:
        cost = f"cost {cost_text(attempt.cost_usd)}"
        yield f"tokens: {usage.input_tokens:,} in, {usage.output_tokens:,} out; {cost}"
    if attempt.finish_reason is not None:
        yield f"finish reason: {attempt.finish_reason}"
    if timing is not None:
        figures = {
            "whole reply": timing.duration_ms,
            "first token after": timing.ttft_ms,
            "first token of the answer after": timing.ttfat_ms,
            "longest gap": timing.max_gap_ms,
        }
        known = [f"{name} {milliseconds(value)}" for name, value in figures.items() if value is not None]
        yield f"time: {', '.join(known)}"


def _call_lines(calls: Sequence[Call]) -> Iterator[str]:
    yield f"calls: {len(calls)}"
    if len(calls) == 1:
        return
    for number, call in enumerate(calls, start=1):
        whom = " to a judge" if call.role == "judge" else ""
        status = "no reply" if call.status is None else f"status {call.status}"
        message = f": {call.error_message}" if call.error_message else ""
        yield f"call {number}{whom}: {status} after {milliseconds(call.duration_ms)}{message}"
