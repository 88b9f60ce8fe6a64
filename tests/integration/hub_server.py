"""A server that speaks the download layout of the Hugging Face hub, for the real client library."""

import hashlib
import json
import threading
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Literal

# The client keeps what it got in steps of 10 MiB.
CUT_AFTER_BYTES = 11 * 1024**2


@dataclass
class HubServer:
    """What the hub holds and how it misbehaves; `seen` collects the requests as method and path."""

    repository: str
    revision: str
    files: dict[str, bytes] = field(default_factory=dict[str, bytes])
    announced: dict[str, str] = field(default_factory=dict[str, str])
    failing: dict[str, int] = field(default_factory=dict[str, int])
    large: set[str] = field(default_factory=set[str])
    refusal: Literal["gated", "unauthorized", "forbidden"] | None = None
    cuts: int = 0
    url: str = ""
    seen: list[tuple[str, str]] = field(default_factory=list[tuple[str, str]])
    ranges: list[str] = field(default_factory=list[str])
    tokens: set[str | None] = field(default_factory=set[str | None])

    @property
    def downloads(self) -> list[str]:
        return [path.rpartition("/")[2] for method, path in self.seen if method == "GET"]

    def etag(self, path: str) -> str:
        content = self.files[path]
        if path in self.announced:
            return self.announced[path]
        if path in self.large:
            return hashlib.sha256(content).hexdigest()
        return hashlib.sha1(b"blob %d\0" % len(content) + content, usedforsecurity=False).hexdigest()


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    hub: HubServer

    def do_HEAD(self) -> None:
        self._answer()

    def do_GET(self) -> None:
        self._answer()

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 # the name is the base class's
        """Requests are in `seen`."""

    def _answer(self) -> None:
        hub = self.hub
        hub.seen.append((self.command, self.path))
        hub.tokens.add(self.headers.get("authorization"))
        if self.path.startswith(f"/api/datasets/{hub.repository}"):
            self._list()
            return
        root = f"/datasets/{hub.repository}/resolve/{hub.revision}/"
        path = self.path.removeprefix(root).removeprefix("/cdn/")
        if hub.refusal is not None:
            self._refuse(hub.refusal)
        elif path in hub.failing:
            self._reply(HTTPStatus(hub.failing[path]), {})
        elif path not in hub.files:
            self._reply(HTTPStatus.NOT_FOUND, {"X-Error-Code": "EntryNotFound"})
        elif path in hub.large and not self.path.startswith("/cdn/"):
            self._redirect(path)
        else:
            self._send(path)

    def _list(self) -> None:
        """The files of the newest commit, whichever revision is asked for."""
        hub = self.hub
        siblings = [{"rfilename": name} for name in hub.files]
        content = {"id": hub.repository, "sha": hub.revision, "siblings": siblings}
        self._reply(HTTPStatus.OK, {"Content-Type": "application/json"}, json.dumps(content).encode())

    def _refuse(self, refusal: str) -> None:
        if refusal == "gated":
            self._reply(HTTPStatus.FORBIDDEN, {"X-Error-Code": "GatedRepo"})
        elif refusal == "unauthorized":
            self._reply(HTTPStatus.UNAUTHORIZED, {"X-Error-Code": "RepoNotFound"})
        else:
            self._reply(HTTPStatus.FORBIDDEN, {})

    def _redirect(self, path: str) -> None:
        headers = {
            "Location": f"{self.hub.url}/cdn/{path}",
            "X-Repo-Commit": self.hub.revision,
            "X-Linked-Etag": f'"{self.hub.etag(path)}"',
            "X-Linked-Size": str(len(self.hub.files[path])),
        }
        self._reply(HTTPStatus.FOUND, headers)

    def _send(self, path: str) -> None:
        content = self.hub.files[path]
        wanted = self.headers.get("range")
        start = int(wanted.removeprefix("bytes=").partition("-")[0]) if wanted else 0
        headers = {"X-Repo-Commit": self.hub.revision, "ETag": f'"{self.hub.etag(path)}"'}
        if wanted:
            self.hub.ranges.append(wanted)
        if start:
            headers["Content-Range"] = f"bytes {start}-{len(content) - 1}/{len(content)}"
        self._reply(HTTPStatus.PARTIAL_CONTENT if start else HTTPStatus.OK, headers, content[start:])

    def _reply(self, status: HTTPStatus, headers: dict[str, str], body: bytes = b"") -> None:
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if self.command == "HEAD":
            return
        if self.hub.cuts and len(body) > CUT_AFTER_BYTES:
            self.hub.cuts -= 1
            self.wfile.write(body[:CUT_AFTER_BYTES])
            self.close_connection = True
            return
        self.wfile.write(body)


@contextmanager
def serving(hub: HubServer) -> Generator[HubServer]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), type("Handler", (_Handler,), {"hub": hub}))
    hub.url = f"http://127.0.0.1:{server.server_address[1]}"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    try:
        yield hub
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
