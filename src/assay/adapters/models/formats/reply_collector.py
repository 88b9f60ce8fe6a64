"""Collects a reply as it arrives; the subclasses read the pieces of one wire format each."""

from abc import ABC, abstractmethod
from collections.abc import Mapping

from assay.adapters.models.formats.logprob_tally import LogprobTally
from assay.adapters.models.formats.tool_calls import ToolCallMerger
from assay.adapters.models.formats.usage import parse_usage
from assay.adapters.models.http_errors import Target, bad_reply
from assay.adapters.models.json_text import loads, repaired_text
from assay.adapters.models.reasoning import TaggedReply, split_tags
from assay.domain.access.secret import LEAST_KEY_CHARS, printable, without_key
from assay.domain.calls.messages import Completion, Json, ToolCall, Usage
from assay.domain.calls.timing import Arrivals, StreamTiming, stream_timing

DONE = b"[DONE]"
_NAME_CHARS = 200
# Tool calls, and other parts of a reply that are kept as objects.
MAX_PARTS = 10_000


class ReplyCollector(ABC):
    """Collects events as they arrive; texts are parsed when the reply is complete."""

    __slots__ = (
        "_answer",
        "_answer_s",
        "_chunks_s",
        "_fingerprint",
        "_has_final_usage",
        "_logprobs",
        "_reasoning",
        "_refusal",
        "_served_model",
        "_target",
        "_tools",
        "_usage",
        "finish_reason",
        "has_choice",
        "is_done",
        "pings",
    )
    # What a reply of this format must have.
    _NEEDED = "an answer"

    def __init__(self, target: Target, *, reads_logprobs: bool = False) -> None:
        self._target = target
        self._logprobs = LogprobTally() if reads_logprobs else None
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
        # Events that only keep the connection open.
        self.pings = 0

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

    @abstractmethod
    def _take_chunk(self, chunk: Mapping[str, Json], at_s: float) -> None: ...

    def _add_answer(self, text: str, at_s: float) -> None:
        self._answer.append(text)
        self._answer_s.append(at_s)

    def _add_calls(self, pieces: Json) -> bool:
        """Whether any of the pieces, in the form of a chat completion, belonged to a call."""
        self._tools = ToolCallMerger() if self._tools is None else self._tools
        is_content = self._tools.take(pieces)
        if len(self._tools) > MAX_PARTS:
            raise bad_reply(self._target, f"sent more than {MAX_PARTS:,} tool calls")
        return is_content

    def _arrived(self, at_s: float) -> None:
        """Content, reasoning or a part of a tool call came."""
        self._chunks_s.append(at_s)
        self._has_final_usage = False

    def _counted(self) -> Usage:
        return parse_usage(self._usage)

    def completion(
        self, *, started_s: float, ended_s: float, silence_s: float | None = None, keep_alives: int = 0
    ) -> Completion:
        """The finished reply; `silence_s` is None if it was not a stream."""
        if not self.has_choice:
            raise bad_reply(self._target, f"sent a reply without {self._NEEDED}")
        answer = repaired_text("".join(self._answer))
        reasoning = repaired_text("".join(self._reasoning))
        usage = self._counted()
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
            logprobs=None if self._logprobs is None else self._logprobs.logprobs(),
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
