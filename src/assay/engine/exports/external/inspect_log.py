"""The log format of Inspect (`.eval`): one file per evaluation, which `inspect view` opens."""

import shutil
from collections.abc import Mapping, Sequence
from hashlib import sha256
from tempfile import TemporaryFile
from typing import IO

from assay.domain.attempt import Attempt
from assay.domain.calls.messages import Json
from assay.engine.exports.content import EvaluationContent, RunContent
from assay.engine.exports.documents import latency_ms
from assay.engine.exports.external.inspect_header import SCORER, header, iso
from assay.engine.exports.external.prompts import prompt_messages, prompt_text
from assay.engine.exports.figures import Object
from assay.engine.exports.members import entry, file_part, member, opened_zip
from assay.engine.exports.writing import ExportTools, readable, write_run

_STOPS = {
    "stop": "stop",
    "length": "max_tokens",
    "content_filter": "content_filter",
    "tool_calls": "tool_calls",
}
_SUMMARY_CHARACTERS = 1_000


async def export_inspect(content: RunContent, target: IO[bytes], _tools: ExportTools) -> None:
    await write_run(content, InspectWriter(content, target))


class InspectWriter:
    """Writes one log if the run has one evaluation, otherwise a ZIP of logs."""

    def __init__(self, content: RunContent, target: IO[bytes]) -> None:
        self._content = content
        self._target = target
        self._outer = opened_zip(target) if len(content.evaluations) != 1 else None
        self._file: IO[bytes] = target
        self._log: _Log | None = None

    def begin(self, one: EvaluationContent) -> None:
        # An archive has one open member at a time, so each log is written to a file of its own first.
        self._file = self._target if self._outer is None else TemporaryFile()  # noqa: SIM115 # closed in end()
        self._log = _Log(self._content, one, self._file)

    def add(self, attempts: Sequence[Attempt]) -> None:
        if self._log is not None:
            self._log.add(attempts)

    def end(self) -> None:
        if self._log is None:
            return
        self._log.close()
        if self._outer is not None:
            with (
                self._file,
                self._outer.open(entry(self._log.name, is_packed=False), "w", force_zip64=True) as to,
            ):
                self._file.seek(0)
                shutil.copyfileobj(self._file, to)

    def close(self) -> None:
        if self._outer is not None:
            self._outer.close()


class _Log:
    def __init__(self, content: RunContent, one: EvaluationContent, file: IO[bytes]) -> None:
        evaluation = one.evaluation
        self.name = (
            f"{file_part(evaluation.benchmark)}_{file_part(evaluation.model)}_{evaluation.id[:8]}.eval"
        )
        self._one = one
        self._archive = opened_zip(file)
        # The list of samples is written after the samples.
        self._summaries = TemporaryFile()  # noqa: SIM115 # closed with the log
        self._is_first = True
        self._header = header(content, one)
        start: Object = {name: self._header[name] for name in ("version", "eval", "plan")}
        self._archive.writestr(entry("_journal/start.json"), readable(start))

    def add(self, attempts: Sequence[Attempt]) -> None:
        for attempt in attempts:
            sample = _sample(attempt, self._one)
            name = f"samples/{attempt.item_id}_epoch_{attempt.sample + 1}.json"
            self._archive.writestr(entry(name), readable(sample))
            self._summaries.write((b"[" if self._is_first else b",") + readable(_summary(sample, attempt)))
            self._is_first = False

    def close(self) -> None:
        self._summaries.write(b"[]" if self._is_first else b"]")
        for name in ("_journal/summaries/1.json", "summaries.json"):
            self._summaries.seek(0)
            with member(self._archive, name) as to:
                shutil.copyfileobj(self._summaries, to)
        self._summaries.close()
        self._archive.writestr(entry("header.json"), readable(self._header))
        self._archive.close()


def _sample(attempt: Attempt, one: EvaluationContent) -> Object:
    model = one.evaluation.model
    uuid = sha256(
        f"{one.evaluation.id}/{attempt.item_id}/{attempt.sample}".encode("utf-8", "replace")
    ).hexdigest()
    prompt = [_message(message) for message in prompt_messages(attempt.prompt)]
    reply = _reply(attempt, model)
    facts = one.facts.get(attempt.item_id)
    sample: Object = {
        "id": attempt.item_id,
        "epoch": attempt.sample + 1,
        "input": prompt or attempt.prompt,
        "target": attempt.expected or "",
        "messages": [*prompt, reply],
        "output": _output(attempt, model, reply),
        "scores": _scores(attempt),
        "metadata": {
            "outcome": attempt.outcome.value,
            "category": facts.category if facts else None,
            "item_hash": facts.item_hash if facts else None,
        },
        "store": {},
        "events": [],
        "model_usage": {model: usage} if (usage := _usage(attempt)) else {},
        "started_at": iso(attempt.started_at),
        "completed_at": iso(attempt.finished_at),
        "total_time": (attempt.finished_at - attempt.started_at).total_seconds(),
        "working_time": latency_ms(attempt) / 1000,
        "uuid": uuid[:22],
    }
    if not attempt.outcome.is_final:
        message = attempt.error_message or attempt.outcome.value
        sample["error"] = {"message": message, "traceback": message, "traceback_ansi": message}
    return sample


def _summary(sample: Object, attempt: Attempt) -> Object:
    """The entry in the list of samples: the sample without its conversation."""
    kept = ("id", "epoch", "metadata", "scores", "model_usage", "started_at", "completed_at")
    short: Object = {name: sample[name] for name in (*kept, "total_time", "working_time", "uuid")}
    short["input"] = prompt_text(attempt.prompt)[:_SUMMARY_CHARACTERS]
    short["target"] = (attempt.expected or "")[:_SUMMARY_CHARACTERS]
    if not attempt.outcome.is_final:
        short["error"] = attempt.error_message or attempt.outcome.value
    return short | {"completed": True}


def _message(message: Mapping[str, Json]) -> Object:
    content = message.get("content")
    if isinstance(content, Sequence) and not isinstance(content, str):
        content = [_part(part) for part in content]
    return {"role": message.get("role"), "content": content or "", "source": "input"}


def _part(part: Json) -> Json:
    if not isinstance(part, Mapping) or part.get("type") != "image_url":
        return part
    picture = part.get("image_url")
    return {"type": "image", "image": picture.get("url") if isinstance(picture, Mapping) else ""}


def _reply(attempt: Attempt, model: str) -> Object:
    content: Json = attempt.answer
    if attempt.reasoning:
        content = [
            {"type": "reasoning", "reasoning": attempt.reasoning},
            {"type": "text", "text": attempt.answer},
        ]
    return {"role": "assistant", "content": content, "source": "generate", "model": model}


def _output(attempt: Attempt, model: str, reply: Object) -> Object:
    served = next((call.served_model for call in attempt.calls if call.served_model), None)
    output: Object = {
        "model": served or model,
        "choices": [{"message": reply, "stop_reason": _STOPS.get(attempt.finish_reason or "", "unknown")}],
        "completion": attempt.answer,
        "time": latency_ms(attempt) / 1000,
    }
    if usage := _usage(attempt):
        output["usage"] = usage
    return output


def _scores(attempt: Attempt) -> Object:
    """Empty without a verdict: missing data is not a zero."""
    if attempt.score is None:
        return {}
    return {
        SCORER: {
            "value": attempt.score,
            "answer": attempt.extracted,
            "explanation": attempt.explanation,
            "metadata": {"outcome": attempt.outcome.value},
        }
    }


def _usage(attempt: Attempt) -> Object:
    usage = attempt.usage
    if usage.input_tokens is None or usage.output_tokens is None:
        return {}
    found: Object = {
        "input_tokens": usage.input_tokens,
        "output_tokens": usage.output_tokens,
        "total_tokens": usage.input_tokens + usage.output_tokens,
    }
    if usage.reasoning_tokens is not None:
        found["reasoning_tokens"] = usage.reasoning_tokens
    if usage.cached_tokens is not None:
        found["input_tokens_cache_read"] = usage.cached_tokens
    return found
