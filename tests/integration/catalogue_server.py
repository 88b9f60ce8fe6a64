"""A server with the public catalogue of Chutes, its list of served models, and that of OpenRouter."""

import json
import threading
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlsplit

OPENROUTER = {
    "data": [
        {
            "id": "google/gemini-test",
            "name": "Google: Gemini Test",
            "description": "First line.\nSecond line.",
            "context_length": 1048576,
            "pricing": {"prompt": "0.00000125", "completion": "0.00001"},
            "supported_parameters": ["max_tokens", "reasoning", "include_reasoning", 7, "no name"],
        },
        {"id": "openrouter/auto", "name": "Auto", "pricing": {"prompt": "-1", "completion": "-1"}},
    ]
}


def chute(name: str | None, **changes: Any) -> dict[str, Any]:
    usd = {"input": {"usd": 0.2, "tao": 0.001}, "output": {"usd": 0.8, "tao": 0.004}}
    known: dict[str, Any] = {
        "chute_id": f"id-{name}",
        "name": name,
        "tagline": f"About {name}",
        "user": {"username": "chutes"},
        "logo": "/logos/1.webp",
        "instances": [{}, {}],
        "current_estimated_price": {"per_million_tokens": usd, "usd": {"hour": 1.5}},
    }
    return known | changes


@dataclass
class CatalogueServer:
    """Pages are numbered from 0, as Chutes does; `page_size` is the most it gives at once, whatever is asked.

    `broken` holds bodies by page number.
    """

    chutes: list[Any] = field(default_factory=list[Any])
    served: list[str] | None = None
    tells_total: bool = True
    page_size: int = 500
    repeats_first_page: bool = False
    broken: Mapping[int, tuple[int, bytes]] = field(default_factory=dict[int, tuple[int, bytes]])
    url: str = ""
    seen: list[tuple[str, str | None]] = field(default_factory=list[tuple[str, str | None]])

    def answer(self, target: str, authorization: str | None) -> tuple[int, bytes]:
        self.seen.append((target, authorization))
        path, query = urlsplit(target).path, parse_qs(urlsplit(target).query)
        if path == "/chutes/":
            return (401, b"{}") if authorization else self._page(query)
        if path == "/openrouter/models":
            return 200, json.dumps(OPENROUTER).encode()
        if path == "/llm/models" and self.served is not None:
            return 200, json.dumps(
                {"data": [{"id": name, "max_model_len": 4096} for name in self.served]}
            ).encode()
        return 404, b"{}"

    def _page(self, query: Mapping[str, list[str]]) -> tuple[int, bytes]:
        assert (query["include_public"], query["include_schemas"]) == (["true"], ["false"])
        number, limit = int(query["page"][0]), min(self.page_size, int(query["limit"][0]))
        if number in self.broken:
            return self.broken[number]
        start = 0 if self.repeats_first_page else number * limit
        page: dict[str, Any] = {"items": self.chutes[start : start + limit], "page": number, "limit": limit}
        if self.tells_total:
            page["total"] = len(self.chutes)
        return 200, json.dumps(page).encode()


@contextmanager
def serving(catalogue: CatalogueServer) -> Generator[CatalogueServer]:
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            status, body = catalogue.answer(self.path, self.headers.get("Authorization"))
            self.send_response(status)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            try:
                self.wfile.write(body)
            except ConnectionError:
                # Whoever has seen enough hangs up.
                self.close_connection = True

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    catalogue.url = f"http://127.0.0.1:{server.server_port}"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    try:
        yield catalogue
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
