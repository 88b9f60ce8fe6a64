"""Vectors from an endpoint that speaks OpenAI's embeddings API, over the wire."""

import json
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

from assay.adapters.models.embeddings import HttpEmbedder
from assay.adapters.models.session import ClientLimits
from assay.domain.errors import GraderError

KEY = "sk-of-the-tests"


@dataclass
class Server:
    url: str = ""
    replies: list[tuple[int, Any]] = field(default_factory=list[tuple[int, Any]])
    seen: list[tuple[str, str | None, Any]] = field(default_factory=list[tuple[str, str | None, Any]])
    location: str | None = None


@pytest.fixture
def server() -> Iterator[Server]:
    held = Server()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["content-length"]))
            held.seen.append((self.path, self.headers.get("authorization"), json.loads(body)))
            status, content = held.replies.pop(0) if len(held.replies) > 1 else held.replies[0]
            written = json.dumps(content).encode()
            self.send_response(status)
            if held.location:
                self.send_header("Location", held.location)
            self.send_header("Content-Length", str(len(written)))
            self.end_headers()
            self.wfile.write(written)

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002 # the name is the base class's
            pass

    listening = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    held.url = f"http://127.0.0.1:{listening.server_address[1]}/v1"
    thread = threading.Thread(target=listening.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    yield held
    listening.shutdown()
    listening.server_close()
    thread.join()


@pytest.fixture
async def embed(server: Server, monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.setattr("assay.adapters.models.embeddings._WAITS_S", (0.0, 0.0))
    environment = {"OPENAI_BASE_URL": server.url, "OPENAI_API_KEY": KEY}
    embedder = HttpEmbedder(environment, limits=ClientLimits(max_reply_bytes=10_000))
    yield embedder
    embedder.close()


def vectors(*values: list[float]) -> dict[str, Any]:
    members = [{"index": place, "embedding": value} for place, value in enumerate(values)]
    return {"data": members[::-1]}


async def test_texts_are_sent_together_and_vectors_put_in_order(server: Server, embed: Any) -> None:
    server.replies = [(200, vectors([1.0, 0.0], [0.5, 0.5]))]
    assert await embed("openai/small", ["a", "b"]) == [[1.0, 0.0], [0.5, 0.5]]
    sent = {"model": "small", "input": ["a", "b"], "encoding_format": "float"}
    assert server.seen == [("/v1/embeddings", f"Bearer {KEY}", sent)]


async def test_what_passes_is_tried_again(server: Server, embed: Any) -> None:
    server.replies = [(429, {}), (503, {}), (200, vectors([1.0]))]
    assert await embed("openai/small", ["a"]) == [[1.0]]
    assert len(server.seen) == 3


@pytest.mark.parametrize(
    ("status", "content", "fault", "calls"),
    [
        (400, {"error": {"message": f"too long for {KEY}"}}, "answered 400 for 'openai/small'.*too long", 1),
        (500, {}, "answered 500", 3),
        (200, {"data": []}, "gave no vectors of one length for 2 texts", 1),
        (200, vectors([1.0], [1.0, 2.0]), "gave no vectors of one length", 1),
        (200, {"data": [{"embedding": "x"}, {"embedding": [1]}]}, "gave no vectors of one length", 1),
        (200, ["odd"], "gave no vectors of one length", 1),
        (200, {"data": "x" * 20_000}, "sent too much for vectors|cannot be reached", 3),
    ],
)
async def test_what_is_no_vector_is_no_verdict(
    server: Server, embed: Any, status: int, content: Any, fault: str, calls: int
) -> None:
    server.replies = [(status, content)]
    with pytest.raises(GraderError, match=fault) as raised:
        await embed("openai/small", ["a", "b"])
    assert KEY not in raised.value.message
    assert len(server.seen) <= calls


async def test_a_redirect_is_not_followed_with_the_key(server: Server, embed: Any) -> None:
    server.replies, server.location = [(307, {})], f"{server.url}/elsewhere"
    with pytest.raises(GraderError, match="answered 307"):
        await embed("openai/small", ["a"])
    assert [path for path, _, _ in server.seen] == ["/v1/embeddings"]


async def test_a_provider_that_is_not_set_up_says_so() -> None:
    embedder = HttpEmbedder({})
    for model, fault in (("openai/small", "set OPENAI_API_KEY"), ("nobody/small", "no similarity can be")):
        with pytest.raises(GraderError, match=fault):
            await embedder(model, ["a"])
    embedder.close()
