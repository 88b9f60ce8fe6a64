"""What is sent to a model and what comes back."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Literal

from assay.domain.errors import InvalidValueError
from assay.domain.timing import StreamTiming

Json = None | bool | int | float | str | Sequence["Json"] | Mapping[str, "Json"]
Role = Literal["system", "user", "assistant", "tool"]
_HOTTEST = 2


@dataclass(frozen=True, slots=True)
class Image:
    """A picture inside a message, as a data URL."""

    url: str


@dataclass(frozen=True, slots=True)
class Message:
    role: Role
    content: str | tuple[str | Image, ...]

    @property
    def text(self) -> str:
        if isinstance(self.content, str):
            return self.content
        return "\n".join(part for part in self.content if isinstance(part, str))

    def to_json_text(self) -> str:
        if isinstance(self.content, str):
            # A tenth of the time of the general encoder, in the path of every attempt.
            return f'{{"role": "{self.role}", "content": {_quoted(self.content)}}}'
        return json.dumps(self.to_json(), ensure_ascii=False)

    def to_json(self) -> dict[str, Json]:
        if isinstance(self.content, str):
            return {"role": self.role, "content": self.content}
        return {"role": self.role, "content": [_part_json(part) for part in self.content]}


_quoted = json.encoder.encode_basestring


def _part_json(part: "str | Image") -> Json:
    if isinstance(part, str):
        return {"type": "text", "text": part}
    return {"type": "image_url", "image_url": {"url": part.url}}


@dataclass(frozen=True, slots=True)
class Prompt:
    """One request for a completion: messages, and what the benchmark asks of the request itself."""

    messages: tuple[Message, ...]
    extra: Mapping[str, Json] = field(default_factory=dict[str, Json])

    @property
    def text(self) -> str:
        return "\n\n".join(message.text for message in self.messages)

    def to_json(self) -> str:
        """The messages as they are sent, for storage and display."""
        return f"[{', '.join(message.to_json_text() for message in self.messages)}]"

    @staticmethod
    def of_user(text: str) -> "Prompt":
        return Prompt((Message("user", text),))


@dataclass(frozen=True, slots=True)
class Generation:
    """Settings of the generation; None leaves the server's default."""

    temperature: float | None = None
    top_p: float | None = None
    max_tokens: int | None = None
    reasoning_effort: str | None = None
    seed: int | None = None
    stop: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if self.temperature is not None and not 0 <= self.temperature <= _HOTTEST:
            raise InvalidValueError(f"temperature must be 0 to {_HOTTEST}, not {self.temperature}")
        if self.top_p is not None and not 0 < self.top_p <= 1:
            raise InvalidValueError(f"top_p must be above 0 and at most 1, not {self.top_p}")
        if self.max_tokens is not None and self.max_tokens < 1:
            raise InvalidValueError(f"max_tokens must be at least 1, not {self.max_tokens}")


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens as the server counted them; None is unknown, never 0."""

    input_tokens: int | None = None
    output_tokens: int | None = None
    reasoning_tokens: int | None = None
    cached_tokens: int | None = None
    reported_cost_usd: Decimal | None = None


@dataclass(frozen=True, slots=True)
class ToolCall:
    id: str
    name: str
    arguments: str


@dataclass(frozen=True, slots=True)
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

    @property
    def is_cut(self) -> bool:
        """Whether the token cap ended the reply."""
        return self.finish_reason == "length" or self.reasoning_unclosed

    @property
    def is_refused(self) -> bool:
        """Only the provider's own signal counts, never the wording of the answer."""
        return bool(self.refusal) or self.finish_reason == "content_filter"
