"""The files of one attempt, as the harness names them."""

import json
from collections.abc import Mapping, Sequence
from typing import cast

from assay.domain.access.secret import redacted, without_key
from assay.domain.attempt import Attempt
from assay.domain.json_value import Json
from assay.engine.code_harness.attempts import CodeAttempt, usage_document

_MOST_CHARACTERS = 20_000


def attempt_files(one: CodeAttempt, *, secrets: Sequence[str] = ()) -> Mapping[str, str]:
    """Texts by file name, from an attempt with its texts and calls.

    There is no response where no reply came, no log where no test ran, and no `error.log` where it passed.
    """
    attempt = one.attempt
    found = {"prompt.txt": _prompt(attempt)}
    if one.status != "api_error":
        found["response.txt"] = attempt.answer
        found["response.json"] = json.dumps(_response(attempt), indent=2, ensure_ascii=False) + "\n"
        found["patch.diff"] = _patch(attempt)
    logs = {
        f"{name}.log": text
        for name in ("stdout", "stderr")
        if isinstance(text := attempt.details.get(name), str)
    }
    if one.status != "passed":
        logs["error.log"] = _error(one)
    if one.used_rewrite_fallback:
        logs["diff_rewrite_fallback.log"] = f"{attempt.explanation}\n"
    # What looks like a key is replaced in logs alone: in code it may be a name, and a patch has to apply.
    known = {name: _without(text, secrets) for name, text in found.items()}
    return known | {name: redacted(text, secrets)[:_MOST_CHARACTERS] for name, text in logs.items()}


def _without(text: str, secrets: Sequence[str]) -> str:
    for secret in secrets:
        text = without_key(text, secret)
    return text


def _prompt(attempt: Attempt) -> str:
    messages = cast("list[Mapping[str, Json]]", json.loads(attempt.prompt or "[]"))
    return "\n".join(f"[{message.get('role')}]\n{message.get('content')}\n" for message in messages)


def _response(attempt: Attempt) -> dict[str, Json]:
    return {
        "answer": attempt.answer,
        "reasoning": attempt.reasoning,
        "finish_reason": attempt.finish_reason,
        "usage": usage_document(attempt.usage),
        "calls": [
            {
                "started_at": call.started_at.isoformat(),
                "duration_seconds": call.duration_ms / 1000,
                "status": call.status,
                "error": call.error_message,
                "served_model": call.served_model,
            }
            for call in attempt.calls
        ],
    }


def _patch(attempt: Attempt) -> str:
    answer = attempt.details.get("answer")
    patch = answer.get("patch") if isinstance(answer, Mapping) else None
    return patch if isinstance(patch, str) else ""


def _error(one: CodeAttempt) -> str:
    attempt = one.attempt
    lines = [f"{one.status}: {one.error or attempt.explanation or attempt.outcome.value}"]
    lines += [
        f"call {number}: {call.error_message}"
        for number, call in enumerate(attempt.calls, 1)
        if call.error_message
    ]
    tests = attempt.details.get("tests")
    for test in tests if isinstance(tests, Sequence) and not isinstance(tests, str) else ():
        if isinstance(test, Mapping) and test.get("result") != "passed":
            lines.append(f"{test.get('result')} {test.get('name')}: {test.get('message')}")
    return "\n".join(lines) + "\n"
