"""OpenAI's Responses API."""

# pyright: reportUnknownVariableType=false, reportUnknownArgumentType=false, reportUnknownMemberType=false
import json
from collections.abc import Iterator
from itertools import zip_longest
from typing import Any

from tests.integration.vendors.server import (
    MODEL,
    SIGNATURE,
    Reply,
    Seen,
    Turn,
    Vendor,
    event,
    failed,
    require,
)


class OpenAIResponses(Vendor):
    key_header = "authorization"
    prefix = "openai-responses"
    key_variable = "OPENAI_API_KEY"
    url_variable = "OPENAI_BASE_URL"
    path = "/v1"

    def check(self, seen: Seen) -> bool:
        self.require_key(seen)
        require(seen.path == "/v1/responses", "path")
        body = seen.body
        require(
            not body.keys() & {"messages", "max_tokens", "stop", "seed", "reasoning_effort"}, "unknown field"
        )
        called: set[str] = set()
        is_reasoned = False
        for item in body["input"] if isinstance(body["input"], list) else []:
            kind = item.get("type", "message")
            if kind == "function_call":
                called.add(item["call_id"])
                require("reasoning" not in body or is_reasoned, "a call needs its reasoning item")
            elif kind == "function_call_output":
                require(
                    item["call_id"] in called and isinstance(item["output"], str), "no call for the output"
                )
            elif kind == "reasoning":
                is_reasoned = item["encrypted_content"] == SIGNATURE
            else:
                require(item["role"] in {"user", "system", "developer", "assistant"}, "role")
        for tool in body.get("tools", []):
            require(tool["type"] == "function" and bool(tool["name"]) and "parameters" in tool, "tool")
        return body.get("stream") is True

    def _items(self, turn: Turn) -> list[dict[str, Any]]:
        summary = [{"type": "summary_text", "text": "".join(turn.thoughts)}]
        reasoning = {"type": "reasoning", "id": "rs_1", "summary": summary, "encrypted_content": SIGNATURE}
        text = {"type": "output_text", "text": "".join(turn.answer), "annotations": []}
        text["logprobs"] = [_logprob(*one) for one in zip(turn.answer, turn.logprobs, strict=False)]
        message = {
            "type": "message",
            "id": "msg_1",
            "role": "assistant",
            "status": "completed",
            "content": [text],
        }
        calls = [
            {
                "type": "function_call",
                "id": f"fc_{number}",
                "call_id": f"call_{number}",
                "name": name,
                "arguments": json.dumps(arguments),
                "status": "completed",
            }
            for number, (name, arguments) in enumerate(turn.calls)
        ]
        return [*([reasoning] if turn.thoughts else []), *([message] if turn.answer else []), *calls]

    def message(self, turn: Turn) -> dict[str, Any]:
        usage = {
            "input_tokens": 10,
            "input_tokens_details": {"cached_tokens": 3, "cache_write_tokens": 0},
            "output_tokens": 20,
            "output_tokens_details": {"reasoning_tokens": 12 if turn.thoughts else 0},
            "total_tokens": 30,
        }
        return {
            **_RESPONSE,
            "status": "incomplete" if turn.stop else "completed",
            "incomplete_details": {"reason": turn.stop} if turn.stop else None,
            "output": self._items(turn),
            "usage": usage,
        }

    def events(self, turn: Turn) -> Iterator[bytes]:
        started = {**_RESPONSE, "status": "in_progress", "output": [], "usage": None}
        for number, step in enumerate(self._steps(turn, started)):
            yield event({**step, "sequence_number": number}, named=True)

    def _steps(self, turn: Turn, started: dict[str, Any]) -> Iterator[dict[str, Any]]:
        yield {"type": "response.created", "response": started}
        yield {"type": "response.in_progress", "response": started}
        for index, item in enumerate(self._items(turn)):
            at = {"output_index": index, "item_id": item["id"]}
            begun = {**item, "content": []} if item["type"] == "message" else {**item, "arguments": ""}
            if item["type"] == "reasoning":
                begun = {**item, "summary": [], "encrypted_content": None}
            yield {"type": "response.output_item.added", "output_index": index, "item": begun}
            yield from _responses_pieces(item, turn, at)
            yield {"type": "response.output_item.done", "output_index": index, "item": item}
        whole = self.message(turn)
        yield {"type": "response.incomplete" if turn.stop else "response.completed", "response": whole}

    def models(self, seen: Seen) -> dict[str, Any]:
        self.require_key(seen)
        entry = {"id": MODEL, "object": "model", "created": 1_700_000_000, "owned_by": "openai"}
        return {"object": "list", "data": [entry]}

    def error(self, status: int, message: str, *headers: str, code: str = "invalid_request_error") -> Reply:
        body = {"error": {"message": message, "type": code, "param": None, "code": None}}
        return failed(status, body, *headers)


_RESPONSE: dict[str, Any] = {
    "id": "resp_1",
    "object": "response",
    "created_at": 1_700_000_000,
    "model": "a-model-2026-01-01",
    "error": None,
    "incomplete_details": None,
    "instructions": None,
    "metadata": {},
    "parallel_tool_calls": True,
    "temperature": 1.0,
    "tool_choice": "auto",
    "tools": [],
    "top_p": 1.0,
}


def _logprob(token: str, logprob: Any) -> dict[str, Any]:
    return {"token": token, "bytes": list(token.encode()), "logprob": logprob, "top_logprobs": []}


def _responses_pieces(item: dict[str, Any], turn: Turn, at: dict[str, Any]) -> Iterator[dict[str, Any]]:
    if item["type"] == "message":
        part = {"type": "output_text", "text": "", "annotations": []}
        yield {"type": "response.content_part.added", **at, "content_index": 0, "part": part}
        for text, logprob in zip_longest(turn.answer, turn.logprobs):
            logprobs = [] if logprob is None else [_logprob(text, logprob)]
            more = {"content_index": 0, "delta": text, "logprobs": logprobs}
            yield {"type": "response.output_text.delta", **at, **more}
        done = {"content_index": 0, "text": "".join(turn.answer), "logprobs": []}
        yield {"type": "response.output_text.done", **at, **done}
    elif item["type"] == "reasoning":
        part = {"type": "summary_text", "text": ""}
        yield {"type": "response.reasoning_summary_part.added", **at, "summary_index": 0, "part": part}
        for text in turn.thoughts:
            yield {"type": "response.reasoning_summary_text.delta", **at, "summary_index": 0, "delta": text}
    else:
        text = item["arguments"]
        for piece in (text[:3], text[3:]):
            yield {"type": "response.function_call_arguments.delta", **at, "delta": piece}
        done = {"arguments": text, "name": item["name"]}
        yield {"type": "response.function_call_arguments.done", **at, **done}
