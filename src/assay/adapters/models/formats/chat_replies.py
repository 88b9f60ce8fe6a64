"""Reads replies of chat completions: the chunks of a stream, or one whole reply."""

from collections.abc import Mapping

from assay.adapters.models.formats.reply_collector import ReplyCollector
from assay.adapters.models.http_errors import bad_reply, inner_error
from assay.domain.calls.messages import Json

_THINKING_PARTS = ("thinking", "reasoning")


class ChatCollector(ReplyCollector):
    __slots__ = ()
    _NEEDED = "choices"

    def _take_chunk(self, chunk: Mapping[str, Json], at_s: float) -> None:
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

    def _take_choice(self, choice: Mapping[str, Json], at_s: float) -> None:
        self.has_choice = True
        finish_reason = choice.get("finish_reason")
        if finish_reason and isinstance(finish_reason, str):
            self.finish_reason = self._name(finish_reason)
            if finish_reason == "error":
                raise inner_error(self._target, choice.get("error") or {"code": 502})
        if self._logprobs is not None and isinstance(logprobs := choice.get("logprobs"), dict):
            self._logprobs.add(logprobs.get("content"), "logprob")
        delta = choice.get("delta") or choice.get("message")
        if isinstance(delta, dict) and self._take_delta(delta, at_s):
            self._arrived(at_s)

    def _take_delta(self, delta: Mapping[str, Json], at_s: float) -> bool:
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
            is_content = self._add_calls(calls) or is_content
        refusal = delta.get("refusal")
        if refusal and isinstance(refusal, str):
            self._refusal.append(refusal)
            is_content = True
        return is_content

    def _take_content(self, content: Json, at_s: float) -> bool:
        if isinstance(content, str):
            self._add_answer(content, at_s)
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
