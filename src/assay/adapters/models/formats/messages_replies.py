"""Reads replies of Anthropic's Messages API: the events of a stream, or one whole message."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from assay.adapters.models.formats.chat_fields import Fields, chat_fields, taken_messages
from assay.adapters.models.formats.reply_collector import MAX_PARTS, ReplyCollector
from assay.adapters.models.formats.turn_memory import TurnMemory
from assay.adapters.models.http_errors import Target, bad_reply, inner_error
from assay.adapters.models.json_text import repaired_text, token_count
from assay.domain.calls.messages import Completion, Json, ToolCall, Usage
from assay.engine.ports import Request

# In the words of chat completions, which the rest of Assay knows.
_FINISH_REASONS: Mapping[str, str] = {
    "end_turn": "stop",
    "stop_sequence": "stop",
    "max_tokens": "length",
    "model_context_window_exceeded": "length",
    "tool_use": "tool_calls",
    "refusal": "content_filter",
}
_INPUT_COUNTS = ("input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens")
_COUNTS = (*_INPUT_COUNTS, "output_tokens", "output_tokens_details")
_THOUGHTS = ("thinking", "redacted_thinking")


@dataclass(slots=True)
class _Thought:
    """A block of reasoning as it must be sent back with the results of tools."""

    block: Fields
    pieces: list[str] = field(default_factory=list[str])

    def whole(self) -> Fields:
        return {**self.block, "thinking": repaired_text("".join(self.pieces))} if self.pieces else self.block


class MessagesCollector(ReplyCollector):
    __slots__ = ("_counts", "_memory", "_request", "_thoughts")
    _NEEDED = "a message"

    def __init__(self, target: Target, request: Request, memory: TurnMemory) -> None:
        super().__init__(target)
        self._request = request
        self._memory = memory
        self._counts: Fields = {}
        self._thoughts: dict[int, _Thought] = {}

    def _take_chunk(self, chunk: Mapping[str, Json], at_s: float) -> None:
        kind = chunk.get("type")
        if error := chunk.get("error"):
            raise inner_error(self._target, error)
        if kind == "content_block_delta":
            self._take_delta(chunk.get("index"), chunk.get("delta"), at_s)
        elif kind == "content_block_start":
            self._take_block(chunk.get("index"), chunk.get("content_block"), at_s)
        elif kind == "message_start":
            self._take_message(chunk.get("message"), at_s)
        elif kind == "message":
            self._take_message(chunk, at_s)
        else:
            self._take_other(kind, chunk)

    def _take_other(self, kind: Json, chunk: Mapping[str, Json]) -> None:
        """Events without content; the API may add others at any time."""
        if kind == "message_delta":
            self._take_end(chunk.get("delta"))
            self._count(chunk.get("usage"))
        elif kind == "message_stop":
            self.is_done = True
        elif kind == "ping":
            self.pings += 1
        elif kind == "error":
            raise inner_error(self._target, chunk)

    def _take_message(self, message: Json, at_s: float) -> None:
        if not isinstance(message, dict):
            raise bad_reply(self._target, "sent a message that is not an object")
        self.has_choice = True
        self._served_model = self._name(message.get("model"))
        content = message.get("content")
        for index, block in enumerate(content if isinstance(content, list) else ()):
            self._take_block(index, block, at_s)
        self._take_end(message)
        self._count(message.get("usage"))

    def _take_end(self, delta: Json) -> None:
        if not isinstance(delta, dict):
            return
        reason = delta.get("stop_reason")
        if not reason or not isinstance(reason, str):
            return
        # Some servers leave out the event that begins a message.
        self.has_choice = True
        self.finish_reason = _FINISH_REASONS.get(reason) or self._name(reason)
        details = delta.get("stop_details")
        if isinstance(details, dict) and isinstance(said := details.get("explanation"), str):
            self._refusal.append(said)

    def _count(self, usage: Json) -> None:
        """Later counts replace earlier ones: all are of the whole reply up to there."""
        if isinstance(usage, dict):
            self._counts |= {name: usage[name] for name in _COUNTS if usage.get(name) is not None}

    def _take_block(self, index: Json, block: Json, at_s: float) -> None:
        if not isinstance(block, dict):
            return
        kind = block.get("type")
        if kind == "tool_use":
            function: Fields = {"name": block.get("name")}
            if block.get("input"):
                function["arguments"] = block["input"]
            self._add_calls([{"index": index, "id": block.get("id"), "function": function}])
            self._arrived(at_s)
            return
        if kind in _THOUGHTS and isinstance(index, int):
            self._thoughts[index] = _Thought(block)
            if len(self._thoughts) > MAX_PARTS:
                raise bad_reply(self._target, f"sent more than {MAX_PARTS:,} blocks of reasoning")
        self._take_text(index, block, at_s)

    def _take_delta(self, index: Json, delta: Json, at_s: float) -> None:
        if not isinstance(delta, dict):
            return
        if delta.get("type") == "input_json_delta":
            if piece := delta.get("partial_json"):
                self._add_calls([{"index": index, "function": {"arguments": piece}}])
                self._arrived(at_s)
            return
        self._take_text(index, delta, at_s)

    def _take_text(self, index: Json, piece: Mapping[str, Json], at_s: float) -> None:
        """From a block or a delta, which have the same members."""
        kept = self._thoughts.get(index) if isinstance(index, int) else None
        signature = piece.get("signature")
        if kept is not None and signature and isinstance(signature, str):
            kept.block["signature"] = signature
        if text := self._text_in(piece, "text"):
            self._add_answer(text, at_s)
            self._arrived(at_s)
        if text := self._text_in(piece, "thinking"):
            self._reasoning.append(text)
            self._arrived(at_s)
            if kept is not None:
                kept.pieces.append(text)

    def _text_in(self, piece: Mapping[str, Json], name: str) -> str:
        value = piece.get(name)
        if value is None or isinstance(value, str):
            return value or ""
        raise bad_reply(self._target, f"sent {name} of type {type(value).__name__}")

    def _counted(self) -> Usage:
        counts = self._counts
        parts = [token_count(counts.get(name)) for name in _INPUT_COUNTS]
        details = counts.get("output_tokens_details")
        thoughts = details.get("thinking_tokens") if isinstance(details, dict) else None
        return Usage(
            # What is written to the provider's cache and read from it is counted apart.
            input_tokens=None if parts[0] is None else token_count(sum(part or 0 for part in parts)),
            output_tokens=token_count(counts.get("output_tokens")),
            reasoning_tokens=token_count(thoughts),
            cached_tokens=parts[2],
        )

    def _tool_calls(self) -> tuple[ToolCall, ...]:
        # A tool without parameters is called without a piece of arguments.
        return tuple(
            call if call.arguments else ToolCall(call.id, call.name, "{}") for call in super()._tool_calls()
        )

    def completion(
        self, *, started_s: float, ended_s: float, silence_s: float | None = None, keep_alives: int = 0
    ) -> Completion:
        found = super().completion(
            started_s=started_s, ended_s=ended_s, silence_s=silence_s, keep_alives=keep_alives
        )
        if found.tool_calls and self._thoughts:
            messages = taken_messages(chat_fields(self._request))
            self._memory.keep(
                messages, found.tool_calls, [thought.whole() for thought in self._thoughts.values()]
            )
        return found
