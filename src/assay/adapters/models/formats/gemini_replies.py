"""Reads replies of the Gemini API: the events of a stream and one whole reply have one form."""

import secrets
from collections.abc import Mapping

from assay.adapters.models.formats.chat_fields import Fields, chat_fields, taken_messages
from assay.adapters.models.formats.reply_collector import ReplyCollector
from assay.adapters.models.formats.turn_memory import TurnMemory
from assay.adapters.models.http_errors import Target, bad_reply, inner_error
from assay.adapters.models.json_text import token_count
from assay.domain.calls.messages import Completion, Json, Usage
from assay.engine.ports import Request

# How ids begin that calls are given here because the API gave none.
OWN_ID = "assay-"
# In the words of chat completions, which the rest of Assay knows.
_FINISH_REASONS: Mapping[str, str] = {
    "STOP": "stop",
    "MAX_TOKENS": "length",
    "SAFETY": "content_filter",
    "RECITATION": "content_filter",
    "LANGUAGE": "content_filter",
    "BLOCKLIST": "content_filter",
    "PROHIBITED_CONTENT": "content_filter",
    "SPII": "content_filter",
    "IMAGE_SAFETY": "content_filter",
    "IMAGE_PROHIBITED_CONTENT": "content_filter",
    "IMAGE_RECITATION": "content_filter",
}
_COUNTS = (
    "promptTokenCount",
    "toolUsePromptTokenCount",
    "candidatesTokenCount",
    "thoughtsTokenCount",
    "cachedContentTokenCount",
)


class GeminiCollector(ReplyCollector):
    __slots__ = ("_counts", "_memory", "_request", "_signatures")
    _NEEDED = "candidates"

    def __init__(self, target: Target, request: Request, memory: TurnMemory) -> None:
        super().__init__(target, reads_logprobs=bool(request.generation.logprobs))
        self._request = request
        self._memory = memory
        self._counts: Fields = {}
        # One for every call, as they must be sent back.
        self._signatures: list[str | None] = []

    def _take_chunk(self, chunk: Mapping[str, Json], at_s: float) -> None:
        if error := chunk.get("error"):
            raise inner_error(self._target, error)
        if self._served_model is None:
            self._served_model = self._name(chunk.get("modelVersion"))
        usage = chunk.get("usageMetadata")
        if isinstance(usage, dict):
            self._counts |= {name: usage[name] for name in _COUNTS if usage.get(name) is not None}
        feedback = chunk.get("promptFeedback")
        if isinstance(feedback, dict) and (reason := feedback.get("blockReason")):
            self._block(f"the prompt was blocked: {self._name(reason)}", feedback.get("blockReasonMessage"))
        candidates = chunk.get("candidates")
        if not candidates:
            return
        candidate = candidates[0] if isinstance(candidates, list) else None
        if not isinstance(candidate, dict):
            raise bad_reply(self._target, "sent candidates that are not a list of objects")
        self.has_choice = True
        self._take_candidate(candidate, at_s)

    def _block(self, *said: Json) -> None:
        self.has_choice = True
        self.finish_reason = "content_filter"
        self._refusal.append(": ".join(text for text in said if isinstance(text, str)))

    def _take_candidate(self, candidate: Mapping[str, Json], at_s: float) -> None:
        content = candidate.get("content")
        parts = content.get("parts") if isinstance(content, dict) else None
        is_content = [self._take_part(part, at_s) for part in parts] if isinstance(parts, list) else []
        if any(is_content):
            self._arrived(at_s)
        if self._logprobs is not None and isinstance(found := candidate.get("logprobsResult"), dict):
            self._logprobs.add(found.get("chosenCandidates"), "logProbability")
        reason = candidate.get("finishReason")
        if not reason or not isinstance(reason, str):
            return
        self.finish_reason = _FINISH_REASONS.get(reason) or (self._name(reason) or "").lower()
        if self.finish_reason == "stop" and self._tools is not None:
            self.finish_reason = "tool_calls"
        if (
            isinstance(message := candidate.get("finishMessage"), str)
            and self.finish_reason == "content_filter"
        ):
            self._refusal.append(message)

    def _take_part(self, part: Json, at_s: float) -> bool:
        """Whether the part is content."""
        if not isinstance(part, dict):
            return False
        call = part.get("functionCall")
        if isinstance(call, dict):
            return self._take_call(call, part.get("thoughtSignature"))
        text = part.get("text")
        if text is not None and not isinstance(text, str):
            raise bad_reply(self._target, f"sent text of type {type(text).__name__}")
        if text and part.get("thought") is True:
            self._reasoning.append(text)
        elif text:
            self._add_answer(text, at_s)
        return bool(text)

    def _take_call(self, call: Mapping[str, Json], signature: Json) -> bool:
        self._signatures.append(signature if isinstance(signature, str) else None)
        function = {"name": call.get("name"), "arguments": call.get("args") or {}}
        call_id = call.get("id") or f"{OWN_ID}{secrets.token_hex(8)}"
        # Every call comes in one piece.
        return self._add_calls([{"index": len(self._signatures), "id": call_id, "function": function}])

    def _counted(self) -> Usage:
        if token_count(self._counts.get("promptTokenCount")) is None:
            return Usage()
        thoughts, cached = (
            self._counts.get(name) for name in ("thoughtsTokenCount", "cachedContentTokenCount")
        )
        # Thoughts are counted apart from the answer, and paid like it.
        return Usage(
            input_tokens=self._sum("promptTokenCount", "toolUsePromptTokenCount"),
            output_tokens=self._sum("candidatesTokenCount", "thoughtsTokenCount"),
            reasoning_tokens=token_count(thoughts),
            cached_tokens=token_count(cached),
        )

    def _sum(self, *names: str) -> int | None:
        """The API leaves out a count of 0; one that cannot be right makes the sum unknown."""
        counts = [token_count(self._counts.get(name, 0)) for name in names]
        return None if None in counts else token_count(sum(count or 0 for count in counts))

    def completion(
        self, *, started_s: float, ended_s: float, silence_s: float | None = None, keep_alives: int = 0
    ) -> Completion:
        found = super().completion(
            started_s=started_s, ended_s=ended_s, silence_s=silence_s, keep_alives=keep_alives
        )
        if found.tool_calls and any(self._signatures):
            messages = taken_messages(chat_fields(self._request))
            self._memory.keep(messages, found.tool_calls, self._signatures)
        return found
