"""Reads replies of OpenAI's Responses API: the events of a stream, or one whole response."""

from collections.abc import Mapping

from assay.adapters.models.formats.chat_fields import chat_fields, taken_messages
from assay.adapters.models.formats.reply_collector import MAX_PARTS, ReplyCollector
from assay.adapters.models.formats.turn_memory import TurnMemory
from assay.adapters.models.http_errors import Target, bad_reply, inner_error
from assay.domain.calls.messages import Completion, Json
from assay.engine.ports import Request

# In the words of chat completions, which the rest of Assay knows.
_INCOMPLETE: Mapping[str, str] = {"max_output_tokens": "length", "content_filter": "content_filter"}
_ENDINGS = ("response.completed", "response.incomplete", "response.failed", "response.cancelled")
_DELTAS = (
    "response.output_text.delta",
    "response.reasoning_summary_text.delta",
    "response.reasoning_text.delta",
    "response.refusal.delta",
    "response.function_call_arguments.delta",
)


class ResponsesCollector(ReplyCollector):
    __slots__ = ("_is_bare", "_memory", "_request", "_thoughts")
    _NEEDED = "a response"

    def __init__(self, target: Target, request: Request, memory: TurnMemory) -> None:
        super().__init__(target, reads_logprobs=bool(request.generation.logprobs))
        self._request = request
        self._memory = memory
        # Whether the last call has no arguments yet.
        self._is_bare = False
        # Items of reasoning as they must be sent back with the results of tools.
        self._thoughts: list[Json] = []

    def _take_chunk(self, chunk: Mapping[str, Json], at_s: float) -> None:
        kind = chunk.get("type")
        if isinstance(kind, str) and kind.endswith(".delta"):
            self._take_delta(kind, chunk, at_s)
        elif kind in _ENDINGS:
            self._take_end(chunk.get("response"), at_s)
            self.is_done = True
        elif chunk.get("object") == "response":
            self._take_end(chunk, at_s)
        elif kind == "error" or chunk.get("error"):
            raise inner_error(self._target, chunk.get("error") or chunk)
        else:
            self._take_step(kind, chunk, at_s)

    def _take_step(self, kind: Json, chunk: Mapping[str, Json], at_s: float) -> None:
        """Events between pieces; the API may add others at any time."""
        if kind == "response.output_item.added":
            self._begin_item(chunk.get("output_index"), chunk.get("item"), at_s)
        elif kind == "response.output_item.done":
            self._end_item(chunk.get("output_index"), chunk.get("item"))
        elif kind == "response.reasoning_summary_part.added" and self._reasoning:
            self._reasoning.append("\n\n")

    def _take_delta(self, kind: str, chunk: Mapping[str, Json], at_s: float) -> None:
        piece = self._delta(chunk) if kind in _DELTAS else ""
        if not piece:
            return
        if kind == "response.function_call_arguments.delta":
            self._is_bare = False
            self._add_calls([{"index": chunk.get("output_index"), "function": {"arguments": piece}}])
        elif kind == "response.output_text.delta":
            self._add_answer(piece, at_s)
            if self._logprobs is not None:
                self._logprobs.add(chunk.get("logprobs"), "logprob")
        else:
            (self._refusal if kind == "response.refusal.delta" else self._reasoning).append(piece)
        self._arrived(at_s)

    def _delta(self, chunk: Mapping[str, Json]) -> str:
        delta = chunk.get("delta")
        if delta is None or isinstance(delta, str):
            return delta or ""
        raise bad_reply(self._target, f"sent a delta of type {type(delta).__name__}")

    def _begin_item(self, index: Json, item: Json, at_s: float) -> None:
        if isinstance(item, dict) and item.get("type") == "function_call":
            function = {name: item.get(name) for name in ("name", "arguments")}
            self._is_bare = not item.get("arguments")
            call_id = item.get("call_id") or item.get("id")
            self._add_calls([{"index": index, "id": call_id, "function": function}])
            self._arrived(at_s)

    def _end_item(self, index: Json, item: Json) -> None:
        self._keep_thought(item)
        if self._is_bare and isinstance(item, dict) and item.get("type") == "function_call":
            # Some servers send the arguments with the end of the call alone.
            self._add_calls([{"index": index, "function": {"arguments": item.get("arguments")}}])

    def _take_end(self, response: Json, at_s: float) -> None:
        if not isinstance(response, dict):
            raise bad_reply(self._target, "sent a response that is not an object")
        status, error = response.get("status"), response.get("error")
        if error or status in ("failed", "cancelled"):
            raise inner_error(self._target, error or {"code": "server_error", "message": f"status {status}"})
        self.has_choice = True
        self._served_model = self._name(response.get("model"))
        self._usage = response.get("usage")
        # A server may stream nothing before the end.
        output = response.get("output")
        for index, item in enumerate(output if self.is_empty and isinstance(output, list) else ()):
            self._take_item(index, item, at_s)
        self._finish(status, response.get("incomplete_details"))

    def _finish(self, status: Json, details: Json) -> None:
        if status == "incomplete":
            reason = details.get("reason") if isinstance(details, dict) else None
            name = self._name(reason) or "incomplete"
            self.finish_reason = _INCOMPLETE.get(name, name)
        elif status in (None, "completed"):
            self.finish_reason = "stop" if self._tools is None else "tool_calls"

    def _take_item(self, index: int, item: Json, at_s: float) -> None:
        if not isinstance(item, dict):
            return
        self._begin_item(index, item, at_s)
        self._keep_thought(item)
        is_reasoning = item.get("type") == "reasoning"
        for name in ("summary", "content"):
            parts = item.get(name)
            for part in parts if isinstance(parts, list) else ():
                if isinstance(part, dict):
                    self._take_part(part, at_s, is_reasoning=is_reasoning)

    def _take_part(self, part: Mapping[str, Json], at_s: float, *, is_reasoning: bool) -> None:
        text, refusal = part.get("text"), part.get("refusal")
        if isinstance(refusal, str) and refusal:
            self._refusal.append(refusal)
        elif not isinstance(text, str) or not text:
            return
        elif is_reasoning:
            self._reasoning.append(text)
        else:
            self._add_answer(text, at_s)
            if self._logprobs is not None:
                self._logprobs.add(part.get("logprobs"), "logprob")
        self._arrived(at_s)

    def _keep_thought(self, item: Json) -> None:
        """Without what it was encrypted from, it means nothing to a server that stores nothing."""
        if isinstance(item, dict) and item.get("type") == "reasoning" and item.get("encrypted_content"):
            self._thoughts.append({name: item[name] for name in item if name != "status"})
            if len(self._thoughts) > MAX_PARTS:
                raise bad_reply(self._target, f"sent more than {MAX_PARTS:,} items of reasoning")

    def completion(
        self, *, started_s: float, ended_s: float, silence_s: float | None = None, keep_alives: int = 0
    ) -> Completion:
        found = super().completion(
            started_s=started_s, ended_s=ended_s, silence_s=silence_s, keep_alives=keep_alives
        )
        if found.tool_calls and self._thoughts:
            messages = taken_messages(chat_fields(self._request))
            self._memory.keep(messages, found.tool_calls, self._thoughts)
        return found
