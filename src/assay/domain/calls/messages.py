"""What is sent to a model and what comes back."""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from decimal import Decimal
from typing import Any, Literal

from assay.domain.calls.logprobs import Logprobs
from assay.domain.calls.request_options import merged, require_allowed
from assay.domain.calls.timing import Arrivals, StreamTiming
from assay.domain.errors import InvalidValueError
from assay.domain.json_value import Json
from assay.domain.record import record

Role = Literal["system", "user", "assistant", "tool"]
# No call uses more tokens, and SQL can add up the counts of millions of calls.
MAX_TOKENS = 2**40
_MAX_TEMPERATURE = 2
MAX_SYSTEM_LENGTH = 100_000
MAX_STOPS = 16
MAX_RETRIES = 100
MAX_TIMEOUT_S = 86_400.0
# Left out of JSON, and so of fingerprints, where they hold no value, as before they existed.
_LATER_SETTINGS = ("system", "options", "timeout_s", "retries", "logprobs")


@dataclass(frozen=True, slots=True)
class Image:
    """A picture inside a message, as a data URL."""

    url: str


@dataclass(frozen=True, slots=True)
class Audio:
    """A recording inside a message: base64 of a file in `format`, such as `wav`."""

    data: str
    format: str


@record
class ToolCall:
    """A call that a model asks for; `arguments` is JSON as the model wrote it, which may be invalid."""

    id: str
    name: str
    arguments: str

    def to_json(self) -> dict[str, Json]:
        return {
            "id": self.id,
            "type": "function",
            "function": {"name": self.name, "arguments": self.arguments},
        }


Part = str | Image | Audio


@record
class Message:
    """An assistant makes `tool_calls`; the message of a tool names the call that it answers."""

    role: Role
    content: str | tuple[Part, ...]
    tool_calls: tuple[ToolCall, ...] = ()
    tool_call_id: str | None = None

    @property
    def text(self) -> str:
        if isinstance(self.content, str):
            return self.content
        return "\n".join(part for part in self.content if isinstance(part, str))

    def to_json_text(self) -> str:
        if isinstance(self.content, str) and not self.tool_calls and self.tool_call_id is None:
            # Ten times faster than the general encoder; called for every attempt.
            return f'{{"role": "{self.role}", "content": {_quoted(self.content)}}}'
        return json.dumps(self.to_json(), ensure_ascii=False)

    def to_json(self) -> dict[str, Json]:
        content = self.content
        form: dict[str, Json] = {
            "role": self.role,
            "content": content if isinstance(content, str) else [_part_json(part) for part in content],
        }
        if self.tool_calls:
            form["tool_calls"] = [call.to_json() for call in self.tool_calls]
        if self.tool_call_id is not None:
            form["tool_call_id"] = self.tool_call_id
        return form


_quoted = json.encoder.encode_basestring


def _part_json(part: Part) -> Json:
    if isinstance(part, str):
        return {"type": "text", "text": part}
    if isinstance(part, Image):
        return {"type": "image_url", "image_url": {"url": part.url}}
    return {"type": "input_audio", "input_audio": {"data": part.data, "format": part.format}}


@record
class Prompt:
    """One request for a completion: messages, and extra fields for the request body."""

    messages: tuple[Message, ...]
    extra: Mapping[str, Json] = field(default_factory=dict[str, Json])
    # A complete request body: only the model is replaced, and `messages` is empty.
    body: Mapping[str, Json] | None = None

    @property
    def text(self) -> str:
        if self.body is not None:
            return "\n\n".join(filter(None, map(_message_text, _members(self.body.get("messages")))))
        return "\n\n".join(message.text for message in self.messages)

    def to_json(self) -> str:
        """The messages as they are sent, for storage and display."""
        if self.body is not None:
            return json.dumps(self.body.get("messages"), ensure_ascii=False)
        return f"[{', '.join([message.to_json_text() for message in self.messages])}]"

    @staticmethod
    def of_user(text: str) -> "Prompt":
        return Prompt((Message("user", text),))

    @staticmethod
    def of_body(body: Mapping[str, Json]) -> "Prompt":
        return Prompt((), body=body)


def _message_text(message: Json) -> str:
    content = message.get("content") if isinstance(message, Mapping) else None
    if isinstance(content, str):
        return content
    texts = [part.get("text") for part in _members(content) if isinstance(part, Mapping)]
    return "\n".join(text for text in texts if isinstance(text, str))


def _members(value: Json) -> Sequence[Json]:
    return value if isinstance(value, Sequence) and not isinstance(value, str) else ()


@dataclass(frozen=True, slots=True)
class Generation:
    """Generation settings; None means the server's default."""

    temperature: float | None = None
    top_p: float | None = None
    max_tokens: int | None = None
    reasoning_effort: str | None = None
    seed: int | None = None
    stop: tuple[str, ...] = ()
    # Put before the messages of the benchmark.
    system: str | None = None
    # Further fields of the request body, in JSON, which has no type that the store could read.
    options: Mapping[str, Any] = field(default_factory=dict[str, Any])
    # Seconds until a call is given up, and how often a failed call is repeated at most.
    timeout_s: float | None = None
    retries: int | None = None
    # Whether to ask for the log-probabilities of the reply's tokens.
    logprobs: bool | None = None

    def __post_init__(self) -> None:
        self._check_sampling()
        if len(self.stop) > MAX_STOPS or not all(self.stop):
            raise InvalidValueError(f"stop must be at most {MAX_STOPS} texts that are not empty")
        if self.system is not None and not 0 < len(self.system) <= MAX_SYSTEM_LENGTH:
            raise InvalidValueError(
                f"the system prompt must have 1 to {MAX_SYSTEM_LENGTH:,} characters, not {len(self.system):,}"
            )
        if self.timeout_s is not None and not 0 < self.timeout_s <= MAX_TIMEOUT_S:
            raise InvalidValueError(
                f"timeout must be above 0 and at most {MAX_TIMEOUT_S:g} s, not {self.timeout_s:g}"
            )
        if self.retries is not None and not 0 <= self.retries <= MAX_RETRIES:
            raise InvalidValueError(f"retries must be 0 to {MAX_RETRIES}, not {self.retries}")
        require_allowed(self.options)

    def to_json(self) -> dict[str, Json]:
        """The form of fingerprints and exports."""
        values: dict[str, Json] = {one.name: getattr(self, one.name) for one in fields(self)}
        for name in _LATER_SETTINGS:
            if values[name] is None or values[name] is False or values[name] == {}:
                del values[name]
        return values

    @property
    def given(self) -> dict[str, Json]:
        """The settings that have a value."""
        return {name: value for name, value in self.to_json().items() if value not in (None, ())}

    def _check_sampling(self) -> None:
        if self.temperature is not None and not 0 <= self.temperature <= _MAX_TEMPERATURE:
            raise InvalidValueError(f"temperature must be 0 to {_MAX_TEMPERATURE}, not {self.temperature}")
        if self.top_p is not None and not 0 < self.top_p <= 1:
            raise InvalidValueError(f"top_p must be above 0 and at most 1, not {self.top_p}")
        if self.max_tokens is not None and self.max_tokens < 1:
            raise InvalidValueError(f"max_tokens must be at least 1, not {self.max_tokens}")


def merged_generation(default: Generation, wanted: Generation) -> Generation:
    """`default`, overridden by the settings that `wanted` gives."""
    given = {f.name: value for f in fields(wanted) if (value := getattr(wanted, f.name)) not in (None, ())}
    return replace(default, **{**given, "options": merged(default.options, wanted.options)})


def with_system(prompt: Prompt, system: str | None) -> Prompt:
    """The prompt after a system prompt; one message with the benchmark's own, as servers take only one."""
    if system is None:
        return prompt
    if prompt.body is not None:
        given = [one for one in _members(prompt.body.get("messages")) if isinstance(one, Mapping)]
        head = given[0].get("content") if given and given[0].get("role") == "system" else None
        if isinstance(head, str):
            given[0] = {**given[0], "content": _joined(system, head)}
        else:
            given.insert(0, {"role": "system", "content": system})
        return replace(prompt, body={**prompt.body, "messages": given})
    first = prompt.messages[0] if prompt.messages else None
    if first is not None and first.role == "system" and isinstance(first.content, str):
        own = replace(first, content=_joined(system, first.content))
        return replace(prompt, messages=(own, *prompt.messages[1:]))
    return replace(prompt, messages=(Message("system", system), *prompt.messages))


def _joined(system: str, own: str) -> str:
    return f"{system}\n\n{own}"


@record
class Usage:
    """Tokens as the server counted them; None means unknown, never 0."""

    input_tokens: int | None = None
    output_tokens: int | None = None
    reasoning_tokens: int | None = None
    cached_tokens: int | None = None
    reported_cost_usd: Decimal | None = None
    # Seconds that the server ran programs for, as far as it says.
    sandbox_s: float | None = None


def total_usage(usages: Iterable[Usage]) -> Usage:
    """The sum of each count; None if one of them is unknown."""
    known = list(usages)

    def total(values: list[int | None]) -> int | None:
        return sum(value or 0 for value in values) if values and None not in values else None

    costs = [one.reported_cost_usd for one in known]
    times_s = [one.sandbox_s for one in known]
    return Usage(
        input_tokens=total([one.input_tokens for one in known]),
        output_tokens=total([one.output_tokens for one in known]),
        reasoning_tokens=total([one.reasoning_tokens for one in known]),
        cached_tokens=total([one.cached_tokens for one in known]),
        reported_cost_usd=sum((cost or Decimal(0) for cost in costs), Decimal(0))
        if costs and None not in costs
        else None,
        sandbox_s=sum(time_s or 0.0 for time_s in times_s) if times_s and None not in times_s else None,
    )


@record
class Completion:
    """A model's reply, with the reasoning kept apart from the answer."""

    answer: str
    reasoning: str = ""
    finish_reason: str | None = None
    refusal: str | None = None
    reasoning_unclosed: bool = False
    tool_calls: tuple[ToolCall, ...] = ()
    usage: Usage = Usage()
    timing: StreamTiming | None = None
    served_model: str | None = None
    system_fingerprint: str | None = None
    # Where they were asked for, and sent.
    logprobs: Logprobs | None = None
    # What the call cost, for graders; set when the reply is graded.
    cost_usd: Decimal | None = field(default=None, compare=False)
    # What `timing` was computed from, for a streamed reply.
    arrivals: Arrivals | None = field(default=None, compare=False, repr=False)

    @property
    def is_cut(self) -> bool:
        """Whether the token cap ended the reply."""
        return self.finish_reason == "length" or self.reasoning_unclosed

    @property
    def is_refused(self) -> bool:
        """Only the provider's own signal counts, never the wording of the answer."""
        return bool(self.refusal) or self.finish_reason == "content_filter"
