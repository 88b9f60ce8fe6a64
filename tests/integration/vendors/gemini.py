"""Google's Gemini API."""

# pyright: reportUnknownVariableType=false, reportUnknownArgumentType=false, reportUnknownMemberType=false
import re
from collections.abc import Iterator
from typing import Any

from tests.integration.vendors.server import SIGNATURE, Reply, Seen, Turn, Vendor, event, failed, require


class Google(Vendor):
    key_header = "x-goog-api-key"
    prefix = "google"
    key_variable = "GEMINI_API_KEY"
    url_variable = "GOOGLE_GEMINI_BASE_URL"
    # A model of a series whose calls must come back signed.
    model = "gemini-3-test"

    def check(self, seen: Seen) -> bool:
        self.require_key(seen)
        found = re.fullmatch(r"/v1beta/models/([\w.-]+):(generateContent|streamGenerateContent)", seen.path)
        require(found is not None, "path")
        body = seen.body
        require(
            not body.keys() & {"model", "messages", "stream", "max_tokens", "temperature"}, "unknown name"
        )
        owed: list[str] = []
        for number, content in enumerate(body["contents"]):
            require(content["role"] == ("user", "model")[number % 2], "roles must alternate")
            parts = content["parts"]
            answered = [part["functionResponse"] for part in parts if "functionResponse" in part]
            require([one["name"] for one in answered] == owed, "function responses must equal function calls")
            require(all(isinstance(one["response"], dict) for one in answered), "response is an object")
            calls = [part for part in parts if "functionCall" in part]
            owed = [part["functionCall"]["name"] for part in calls]
            require(not calls or calls[0].get("thoughtSignature") == SIGNATURE, "missing a thought_signature")
        is_stream = seen.path.endswith("streamGenerateContent")
        require(not is_stream or seen.query.get("alt") == ["sse"], "alt=sse")
        return is_stream

    def _chunk(
        self, parts: list[dict[str, Any]], finish: str | None, thoughts: int, *logprobs: Any
    ) -> dict[str, Any]:
        candidate: dict[str, Any] = {"content": {"role": "model", "parts": parts}, "index": 0}
        if logprobs:
            chosen = [{"token": "t", "tokenId": 7, "logProbability": one} for one in logprobs]
            candidate["logprobsResult"] = {"topCandidates": [], "chosenCandidates": chosen}
        usage = {"promptTokenCount": 10, "candidatesTokenCount": 8, "totalTokenCount": 18 + thoughts}
        if thoughts:
            usage |= {"thoughtsTokenCount": thoughts, "cachedContentTokenCount": 4}
        return {
            "candidates": [{**candidate, **({"finishReason": finish} if finish else {})}],
            "usageMetadata": usage,
            "modelVersion": "gemini-3-test-001",
            "responseId": "r-1",
        }

    def _parts(self, turn: Turn) -> list[dict[str, Any]]:
        calls = [{"functionCall": {"name": name, "args": arguments}} for name, arguments in turn.calls]
        for call in calls[:1]:
            call["thoughtSignature"] = SIGNATURE  # type: ignore[assignment]
        return [
            *({"text": text, "thought": True} for text in turn.thoughts),
            *({"text": text} for text in turn.answer),
            *calls,
        ]

    def message(self, turn: Turn) -> dict[str, Any]:
        thoughts = 12 if turn.thoughts else 0
        return self._chunk(self._parts(turn), turn.stop or "STOP", thoughts, *turn.logprobs)

    def events(self, turn: Turn) -> Iterator[bytes]:
        parts = self._parts(turn)
        logprobs = list(turn.logprobs)
        for part in parts[:-1]:
            yield event(self._chunk([part], None, 0, *logprobs[:1]))
            del logprobs[:1]
        yield event(self._chunk(parts[-1:], turn.stop or "STOP", 12 if turn.thoughts else 0, *logprobs))

    def models(self, seen: Seen) -> dict[str, Any]:
        self.require_key(seen)
        limits = {"inputTokenLimit": 1_048_576, "outputTokenLimit": 65_536}
        named = {"name": f"models/{self.model}", "displayName": "A model", "version": "001", **limits}
        other = {"name": "models/embedder", "supportedGenerationMethods": ["embedContent"]}
        return {"models": [{**named, "supportedGenerationMethods": ["generateContent"]}, other]}

    def error(self, status: int, message: str, *headers: str, code: str = "INVALID_ARGUMENT") -> Reply:
        return failed(status, {"error": {"code": status, "message": message, "status": code}}, *headers)
