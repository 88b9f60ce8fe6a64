"""Chat completions as agents ask for them: requests read, completions and errors written."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from assay.domain.calls.messages import Completion, Json, Prompt
from assay.domain.json_value import has_too_many_values
from assay.domain.programs.containers import HttpAnswer

_MOST_MESSAGES = 5_000
_MOST_INTEGER = 2**63
_LONGEST_NAME = 100
# What changes a reply and nothing else: no other model, no tools of the provider's own, no address.
_PASSED_ON = frozenset(
    {
        *("messages", "tools", "tool_choice", "parallel_tool_calls", "functions", "function_call"),
        *("temperature", "top_p", "top_k", "min_p", "frequency_penalty", "presence_penalty"),
        *("repetition_penalty", "logit_bias", "seed", "stop", "max_tokens", "max_completion_tokens"),
        *(
            "response_format",
            "reasoning_effort",
            "reasoning",
            "thinking",
            "chat_template_kwargs",
            "verbosity",
        ),
    }
)
_LEFT_OUT = frozenset(
    {"model", "stream", "stream_options", "user", "metadata", "store", "prompt_cache_key", "usage"}
)
# As long as nothing is asked for with them.
_EMPTY_ONLY = {"n": (None, 1), "logprobs": (None, False), "top_logprobs": (None, 0)}


class RefusedError(Exception):
    """What an agent asked for and does not get; the message is for the agent."""

    def __init__(self, status: int, kind: str, message: str) -> None:
        super().__init__(message)
        self.answer = error_answer(status, kind, message)


@dataclass(frozen=True, slots=True)
class ChatRequest:
    prompt: Prompt
    messages: Sequence[Mapping[str, Json]]
    is_stream: bool = False
    includes_usage: bool = False


def chat_request(body: bytes, *, model: str) -> ChatRequest:
    """Raises RefusedError for what is no request, or asks for more than a reply of the run's model."""
    given = _object(body)
    if given.get("model") != model:
        asked = str(given.get("model"))[:_LONGEST_NAME]
        raise RefusedError(404, "model_not_found", f"this run has the model {model!r}, not {asked!r}")
    for name, allowed in _EMPTY_ONLY.items():
        if given.pop(name, None) not in allowed:
            raise _invalid(f"{name!r} is not supported here: leave it out")
    unknown = sorted(given.keys() - _PASSED_ON - _LEFT_OUT)
    if unknown:
        names = ", ".join(repr(name[:_LONGEST_NAME]) for name in unknown[:5])
        raise _invalid(f"these fields are not passed on to the model: {names}; leave them out")
    messages = _messages(given.get("messages"))
    passed = {name: value for name, value in given.items() if name in _PASSED_ON}
    options = given.get("stream_options")
    return ChatRequest(
        # With the rest as `extra`, a request with other tools is another prompt.
        Prompt((), extra={name: one for name, one in passed.items() if name != "messages"}, body=passed),
        messages,
        is_stream=given.get("stream") is True,
        includes_usage=isinstance(options, Mapping) and options.get("include_usage") is True,
    )


def _object(body: bytes) -> dict[str, Json]:
    if has_too_many_values(body):
        raise _invalid("the request has too many values")
    try:
        given: Json = json.loads(body, parse_constant=_no_constant, parse_int=_integer)
        # Half a surrogate pair can be neither stored nor sent on.
        json.dumps(given, ensure_ascii=False).encode()
    except (ValueError, RecursionError) as error:
        raise _invalid("the request is not JSON") from error
    if not isinstance(given, dict):
        raise _invalid("the request is not an object of JSON")
    return given


def _no_constant(name: str) -> float:
    raise ValueError(name)


def _integer(digits: str) -> int:
    number = int(digits)
    if abs(number) >= _MOST_INTEGER:
        raise ValueError(digits[:_LONGEST_NAME])
    return number


def _messages(given: Json) -> Sequence[Mapping[str, Json]]:
    listed = given if isinstance(given, Sequence) and not isinstance(given, str) else ()
    found = [one for one in listed if isinstance(one, Mapping) and isinstance(one.get("role"), str)]
    if not found or len(found) != len(listed) or len(found) > _MOST_MESSAGES:
        raise _invalid(f"'messages' must be a list of 1 to {_MOST_MESSAGES:,} messages, each with a role")
    return found


def _invalid(message: str) -> RefusedError:
    return RefusedError(400, "invalid_request_error", message)


def error_answer(status: int, kind: str, message: str) -> HttpAnswer:
    error = {"message": message, "type": kind, "param": None, "code": kind}
    return HttpAnswer(status, json.dumps({"error": error}, ensure_ascii=False).encode())


def json_answer(value: Json) -> HttpAnswer:
    return HttpAnswer(200, json.dumps(value, ensure_ascii=False).encode("utf-8", "replace"))


def model_json(model: str) -> dict[str, Json]:
    return {"id": model, "object": "model", "created": 0, "owned_by": "assay"}


def completion_answer(
    completion: Completion, request: ChatRequest, *, model: str, number: int, created: int
) -> HttpAnswer:
    """The reply as the agent asked for it; a stream comes as a whole."""
    head: dict[str, Json] = {"id": f"chatcmpl-{number}", "created": created, "model": model}
    finish = completion.finish_reason or "stop"
    if not request.is_stream:
        choice: Json = {"index": 0, "message": reply_json(completion), "finish_reason": finish}
        whole = {**head, "object": "chat.completion", "choices": [choice], "usage": _usage(completion)}
        return json_answer(whole)
    chunks = [
        {**head, "object": "chat.completion.chunk", "choices": [choice]}
        for choice in _deltas(completion, finish)
    ]
    if request.includes_usage:
        chunks.append({**head, "object": "chat.completion.chunk", "choices": [], "usage": _usage(completion)})
    lines = [json.dumps(chunk, ensure_ascii=False) for chunk in chunks]
    text = "".join(f"data: {line}\n\n" for line in [*lines, "[DONE]"])
    return HttpAnswer(200, text.encode("utf-8", "replace"), "text/event-stream")


def reply_json(completion: Completion) -> dict[str, Json]:
    """The message of a completion, with its reasoning apart."""
    calls = completion.tool_calls
    message: dict[str, Json] = {
        "role": "assistant",
        "content": completion.answer if completion.answer or not calls else None,
    }
    if completion.reasoning:
        message["reasoning_content"] = completion.reasoning
    if completion.refusal:
        message["refusal"] = completion.refusal
    if calls:
        message["tool_calls"] = [call.to_json() for call in calls]
    return message


def _deltas(completion: Completion, finish: str) -> Iterator[dict[str, Json]]:
    message = reply_json(completion)
    calls = [{"index": place, **call.to_json()} for place, call in enumerate(completion.tool_calls)]
    delta = message if not calls else {**message, "tool_calls": calls}
    yield {"index": 0, "delta": delta, "finish_reason": None}
    yield {"index": 0, "delta": {}, "finish_reason": finish}


def _usage(completion: Completion) -> dict[str, Json]:
    sent, received = completion.usage.input_tokens or 0, completion.usage.output_tokens or 0
    return {"prompt_tokens": sent, "completion_tokens": received, "total_tokens": sent + received}
