"""Anthropic's Messages API."""

# pyright: reportUnknownVariableType=false, reportUnknownArgumentType=false, reportUnknownMemberType=false
import json
from collections.abc import Iterator
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

OLDER, NEWER = "2023-06-01", "2026-10-21"


def require_version(seen: Seen) -> str:
    version = seen.headers.get("anthropic-version", "")
    require(version in {OLDER, NEWER}, "anthropic-version")
    return version


class Anthropic(Vendor):
    key_header = "x-api-key"
    prefix = "anthropic"
    key_variable = "ANTHROPIC_API_KEY"
    url_variable = "ANTHROPIC_BASE_URL"

    def check(self, seen: Seen) -> bool:
        self.require_key(seen)
        require(seen.path == "/v1/messages", "path")
        version = require_version(seen)
        body = seen.body
        sampling = body.keys() & {"temperature", "top_p", "top_k"}
        require(not sampling or version == OLDER, "this version has no temperature, top_p and top_k")
        require(isinstance(body["max_tokens"], int) and bool(body["model"]), "max_tokens")
        require(
            not body.keys() & {"seed", "stop", "max_completion_tokens", "response_format"}, "extra inputs"
        )
        owed: set[str] = set()
        for number, message in enumerate(body["messages"]):
            require(message["role"] == ("user", "assistant")[number % 2], "roles must alternate")
            blocks = message["content"]
            if isinstance(blocks, str):
                blocks = [{"type": "text", "text": blocks}]
            kinds = [block["type"] for block in blocks]
            results = {block["tool_use_id"] for block in blocks if block["type"] == "tool_result"}
            require(results == owed, "every tool_use needs its tool_result in the next message")
            require(all(block["text"] for block in blocks if block["type"] == "text"), "empty text")
            owed = {block["id"] for block in blocks if block["type"] == "tool_use"}
            if owed and "thinking" in body:
                require(kinds[0] == "thinking", "the turn must begin with its thinking block")
                require(blocks[0]["signature"] == SIGNATURE, "signature")
        for tool in body.get("tools", []):
            require(tool["input_schema"]["type"] == "object", "input_schema")
        return body.get("stream") is True

    def _blocks(self, turn: Turn) -> list[dict[str, Any]]:
        thoughts = [{"type": "thinking", "thinking": "".join(turn.thoughts), "signature": SIGNATURE}]
        calls = [
            {"type": "tool_use", "id": f"toolu_{number}", "name": name, "input": arguments}
            for number, (name, arguments) in enumerate(turn.calls)
        ]
        texts = [{"type": "text", "text": "".join(turn.answer)}] if turn.answer else []
        return [*(thoughts if turn.thoughts else []), *texts, *calls]

    def message(self, turn: Turn) -> dict[str, Any]:
        return {
            "id": "msg_1",
            "type": "message",
            "role": "assistant",
            "model": "a-model-20260101",
            "content": self._blocks(turn),
            "stop_reason": turn.stop or ("tool_use" if turn.calls else "end_turn"),
            "stop_sequence": None,
            "usage": {**_ANTHROPIC_INPUT, **self._output(turn)},
        }

    def _output(self, turn: Turn) -> dict[str, Any]:
        return {"output_tokens": 20, "output_tokens_details": {"thinking_tokens": 12 if turn.thoughts else 0}}

    def events(self, turn: Turn) -> Iterator[bytes]:
        whole = self.message(turn)
        start = {
            **whole,
            "content": [],
            "stop_reason": None,
            "usage": {**_ANTHROPIC_INPUT, "output_tokens": 1},
        }
        yield event({"type": "message_start", "message": start}, named=True)
        yield event({"type": "ping"}, named=True)
        for index, block in enumerate(whole["content"]):
            at = {"index": index}
            begun, pieces = _anthropic_pieces(block, turn)
            yield event({"type": "content_block_start", **at, "content_block": begun}, named=True)
            for piece in pieces:
                yield event({"type": "content_block_delta", **at, "delta": piece}, named=True)
            yield event({"type": "content_block_stop", **at}, named=True)
        delta = {"stop_reason": whole["stop_reason"], "stop_sequence": None}
        yield event({"type": "message_delta", "delta": delta, "usage": self._output(turn)}, named=True)
        yield event({"type": "message_stop"}, named=True)

    def models(self, seen: Seen) -> dict[str, Any]:
        self.require_key(seen)
        require_version(seen)
        entry = {
            "type": "model",
            "id": MODEL,
            "display_name": "A model",
            "created_at": "2026-01-01T00:00:00Z",
            "max_input_tokens": 200_000,
            "max_tokens": 64_000,
        }
        return {"data": [entry], "has_more": False, "first_id": MODEL, "last_id": MODEL}

    def error(self, status: int, message: str, *headers: str, code: str = "invalid_request_error") -> Reply:
        body = {"type": "error", "error": {"type": code, "message": message}, "request_id": "req_1"}
        return failed(status, body, *headers)


_ANTHROPIC_INPUT = {"input_tokens": 5, "cache_creation_input_tokens": 2, "cache_read_input_tokens": 3}


def _anthropic_pieces(block: dict[str, Any], turn: Turn) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """How a block begins, and its deltas."""
    if block["type"] == "text":
        return {"type": "text", "text": ""}, [{"type": "text_delta", "text": text} for text in turn.answer]
    if block["type"] == "thinking":
        pieces = [{"type": "thinking_delta", "thinking": text} for text in turn.thoughts]
        return {"type": "thinking", "thinking": "", "signature": ""}, [
            *pieces,
            {"type": "signature_delta", "signature": SIGNATURE},
        ]
    text = json.dumps(block["input"]) if block["input"] else ""
    parts = ["", text[:3], text[3:]]
    return {**block, "input": {}}, [{"type": "input_json_delta", "partial_json": part} for part in parts]
