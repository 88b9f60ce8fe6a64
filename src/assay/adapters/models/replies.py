"""Builds a completion from what the endpoint sent: the chunks of a stream, or one whole reply."""

from assay.adapters.models.http_errors import Target, bad_reply, inner_error
from assay.adapters.models.json_text import loads, repaired_text
from assay.adapters.models.reasoning import TaggedReply, split_tags
from assay.adapters.models.tool_calls import ToolCallMerger
from assay.adapters.models.usage import parse_usage
from assay.domain.messages import Completion, Json, ToolCall, Usage
from assay.domain.secret import LEAST_KEY_CHARS, printable, without_key
from assay.domain.timing import Arrivals, StreamTiming, stream_timing

DONE = b"[DONE]"
_THINKING_PARTS = ("thinking", "reasoning")
_NAME_CHARS = 200
_MAX_TOOL_CALLS = 10_000


class ReplyCollector:
    """Collects chunks as they arrive; texts are parsed when the reply is complete."""

    __slots__ = (
        "_answer",
        "_answer_s",
        "_chunks_s",
        "_fingerprint",
        "_has_final_usage",
        "_reasoning",
        "_refusal",
        "_served_model",
        "_target",
        "_tools",
        "_usage",
        "finish_reason",
        "has_choice",
        "is_done",
    )

    def __init__(self, target: Target) -> None:
        self._target = target
        self._answer: list[str] = []
        self._answer_s: list[float] = []
        self._reasoning: list[str] = []
        self._refusal: list[str] = []
        self._chunks_s: list[float] = []
        self._tools: ToolCallMerger | None = None
        self._usage: Json = None
        self._served_model: str | None = None
        self._fingerprint: str | None = None
        self.has_choice = False
        self._has_final_usage = False
        self.finish_reason: str | None = None
        self.is_done = False

    @property
    def is_whole(self) -> bool:
        """Whether the endpoint has said that the reply is finished.

        Servers that drop a stream still send `[DONE]`. So it counts only after a finish reason or, from those
        that never send one, after content and the chunk with the usage of the whole reply.
        """
        is_counted = self.is_done and self._has_final_usage and not self.is_empty
        return is_counted or self.finish_reason is not None

    @property
    def is_empty(self) -> bool:
        return not self._chunks_s

    def take(self, data: bytes, at_s: float) -> None:
        """Add one event of a stream, or the body of a reply that came whole."""
        if data == DONE:
            self.is_done = True
            return
        try:
            chunk = loads(data)
        except ValueError as error:
            if b"\n" not in data:
                raise bad_reply(self._target, "sent something that is not JSON") from error
            # Data lines with no empty line between them, which some servers send.
            for line in data.split(b"\n"):
                self.take(line, at_s)
            return
        if not isinstance(chunk, dict):
            raise bad_reply(self._target, f"sent JSON that is not an object but {type(chunk).__name__}")
        self._take_chunk(chunk, at_s)

    def _take_chunk(self, chunk: dict[str, Json], at_s: float) -> None:
        if error := chunk.get("error"):
            raise inner_error(self._target, error)
        if usage := chunk.get("usage"):
            self._usage = usage
        if self._served_model is None:
            self._served_model = self._name(chunk.get("model"))
        if self._fingerprint is None:
            self._fingerprint = self._name(chunk.get("system_fingerprint"))
        choices = chunk.get("choices")
        if not choices:
            if chunk.get("object") == "error":
                raise inner_error(self._target, chunk)
            self._has_final_usage = self._has_final_usage or bool(usage)
            return
        choice = choices[0] if isinstance(choices, list) else None
        if not isinstance(choice, dict):
            raise bad_reply(self._target, "sent choices that are not a list of objects")
        self._take_choice(choice, at_s)

    def _take_choice(self, choice: dict[str, Json], at_s: float) -> None:
        self.has_choice = True
        finish_reason = choice.get("finish_reason")
        if finish_reason and isinstance(finish_reason, str):
            self.finish_reason = self._name(finish_reason)
            if finish_reason == "error":
                raise inner_error(self._target, choice.get("error") or {"code": 502})
        delta = choice.get("delta") or choice.get("message")
        if isinstance(delta, dict) and self._take_delta(delta, at_s):
            self._chunks_s.append(at_s)
            self._has_final_usage = False

    def _take_delta(self, delta: dict[str, Json], at_s: float) -> bool:
        """Whether the delta carried content, reasoning or a part of a tool call."""
        is_content = False
        content = delta.get("content")
        if content:
            is_content = self._take_content(content, at_s)
        # Some servers send the same reasoning under both names.
        reasoning = delta.get("reasoning_content") or delta.get("reasoning")
        if reasoning and isinstance(reasoning, str):
            self._reasoning.append(reasoning)
            is_content = True
        if calls := delta.get("tool_calls"):
            self._tools = ToolCallMerger() if self._tools is None else self._tools
            is_content = self._tools.take(calls) or is_content
            if len(self._tools) > _MAX_TOOL_CALLS:
                raise bad_reply(self._target, f"sent more than {_MAX_TOOL_CALLS:,} tool calls")
        refusal = delta.get("refusal")
        if refusal and isinstance(refusal, str):
            self._refusal.append(refusal)
            is_content = True
        return is_content

    def _take_content(self, content: Json, at_s: float) -> bool:
        if isinstance(content, str):
            self._answer.append(content)
            self._answer_s.append(at_s)
            return True
        if not isinstance(content, list):
            raise bad_reply(self._target, f"sent content of type {type(content).__name__}")
        taken = [self._take_part(part, at_s) for part in content]
        return any(taken)

    def _take_part(self, part: Json, at_s: float) -> bool:
        if isinstance(part, str):
            return bool(part) and self._take_content(part, at_s)
        if not isinstance(part, dict):
            return False
        if part.get("type") in _THINKING_PARTS:
            thought = _part_text(part.get("thinking") or part.get("reasoning") or part.get("text"))
            self._reasoning.append(thought)
            return bool(thought)
        text = _text(part.get("text"))
        return bool(text) and self._take_content(text, at_s)

    def completion(
        self, *, started_s: float, ended_s: float, silence_s: float | None = None, keep_alives: int = 0
    ) -> Completion:
        """The finished reply; `silence_s` is None if it was not a stream."""
        if not self.has_choice:
            raise bad_reply(self._target, "sent a reply without choices")
        answer = repaired_text("".join(self._answer))
        reasoning = repaired_text("".join(self._reasoning))
        usage = parse_usage(self._usage)
        tagged = split_tags(answer, is_prefill_likely=not reasoning)
        arrivals = None
        if silence_s is None:
            timing = StreamTiming((ended_s - started_s) * 1000)
        else:
            first_answer_s = self._first_answer_s(tagged)
            arrivals = Arrivals(started_s, ended_s, self._chunks_s, first_answer_s, silence_s, keep_alives)
            tokens = self._streamed_tokens(usage, answer, reasoning, is_hidden=not (reasoning or tagged))
            timing = stream_timing(arrivals, output_tokens=tokens)
        if tagged:
            answer = tagged.answer
            reasoning = f"{reasoning}\n\n{tagged.reasoning}" if reasoning else tagged.reasoning
        return Completion(
            answer=self._kept(answer),
            reasoning=self._kept(reasoning),
            finish_reason=self.finish_reason,
            refusal=self._kept("".join(self._refusal)) or None,
            reasoning_unclosed=tagged is not None and tagged.is_unclosed,
            tool_calls=self._tool_calls(),
            usage=usage,
            timing=timing,
            served_model=self._served_model,
            system_fingerprint=self._fingerprint,
            arrivals=arrivals,
        )

    def _streamed_tokens(self, usage: Usage, answer: str, reasoning: str, *, is_hidden: bool) -> int | None:
        """The tokens that the chunks carried: none of hidden reasoning, and at most one for each byte."""
        if usage.output_tokens is None:
            return None
        calls = [call.name + call.arguments for call in self._tools.merged()] if self._tools else []
        texts = (answer, reasoning, *self._refusal, *calls)
        size = sum(len(text.encode("utf-8", "replace")) for text in texts)
        hidden = usage.reasoning_tokens or 0 if is_hidden else 0
        # Some servers count reasoning apart from the output.
        carried = usage.output_tokens - hidden if hidden < usage.output_tokens else usage.output_tokens
        return min(size, carried)

    def _tool_calls(self) -> tuple[ToolCall, ...]:
        calls = self._tools.merged() if self._tools else ()
        return tuple(ToolCall(*map(self._kept, (one.id, one.name, one.arguments))) for one in calls)

    def _kept(self, text: str) -> str:
        """The text as it is stored."""
        for secret in self._target.secrets:
            text = without_key(text, secret)
        return repaired_text(text)

    def _name(self, value: Json) -> str | None:
        """A short text that is stored with every call and shown."""
        if not isinstance(value, str):
            return None
        # Such as "stop"; three of these come with every reply.
        is_plain = len(value) < LEAST_KEY_CHARS and value.isascii() and value.isprintable()
        return value if is_plain else printable(self._kept(value)[:_NAME_CHARS])

    def _first_answer_s(self, tagged: TaggedReply | None) -> float | None:
        """When the first piece of the answer arrived, after any reasoning between tags."""
        if tagged is None:
            return self._answer_s[0] if self._answer_s else None
        end = 0
        for piece, at_s in zip(self._answer, self._answer_s, strict=True):
            end += len(piece)
            if end > tagged.answer_start:
                return at_s
        return None


def _text(value: Json) -> str | None:
    return value if isinstance(value, str) else None


def _part_text(value: Json) -> str:
    """The text of a part, which is a string or a list of parts."""
    if isinstance(value, str):
        return value
    if not isinstance(value, list):
        return ""
    texts = [_text(part.get("text")) for part in value if isinstance(part, dict)]
    return "".join(text for text in texts if text)
