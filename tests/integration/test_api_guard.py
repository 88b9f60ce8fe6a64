"""What is refused before any endpoint sees it."""

import asyncio
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient
from starlette.websockets import WebSocketDisconnect

from assay.api.access.guard import MAX_BODY_BYTES
from assay.api.app import create_app
from tests.integration.dataset_service import dataset_services
from tests.integration.serving import client_for, served, services
from tests.integration.test_api_create import ASKED
from tests.stores import memory_stores

JSON = {"content-type": "application/json"}


@pytest.fixture
def client() -> TestClient:
    return client_for(create_app(replace(services(memory_stores()), hosts=("Bench.example.org",))))


@pytest.mark.parametrize(
    "host",
    [
        "localhost",
        "localhost:8017",
        "127.0.0.1:1",
        "127.9.9.9",
        "[::1]:8017",
        "LOCALHOST.",
        "bench.example.org:443",
    ],
)
def test_the_servers_own_names_are_answered(client: TestClient, host: str) -> None:
    assert client.get("/api/health", headers={"host": host}).status_code == 200


@pytest.mark.parametrize(
    "host",
    [
        "evil.example",
        "localhost.evil.example",
        "10.0.0.1",
        "169.254.169.254:80",
        "",
        "[::2]",
        "127.0.0.1.evil",
    ],
)
@pytest.mark.parametrize("path", ["/api/runs", "/ui/", "/metrics", "/api/events", "/"])
def test_no_other_name_is_answered(client: TestClient, host: str, path: str) -> None:
    response = client.get(path, headers={"host": host})
    assert (response.status_code, response.json()["code"]) == (421, "misdirected-request")
    assert response.headers["content-type"] == "application/problem+json"
    assert response.headers["x-content-type-options"] == "nosniff"


@pytest.mark.parametrize(
    "origin", ["https://evil.example", "null", "http://localhost.evil.example", "http://["]
)
def test_foreign_pages_change_nothing(client: TestClient, origin: str) -> None:
    response = client.post("/api/runs", json=ASKED, headers={"origin": origin})
    assert (response.status_code, response.json()["code"]) == (403, "foreign-origin")
    assert client.get("/api/runs", headers={"origin": origin}).json()["total"] == 0


@pytest.mark.parametrize(
    "origin", ["http://localhost:5173", "http://127.0.0.1:8017", "https://bench.example.org"]
)
def test_own_pages_may(client: TestClient, origin: str) -> None:
    assert client.post("/api/runs", json=ASKED, headers={"origin": origin}).status_code == 201


@pytest.mark.parametrize("headers", [{"host": "evil.example"}, {"origin": "https://evil.example"}])
def test_foreign_pages_open_no_websockets(client: TestClient, headers: dict[str, str]) -> None:
    with pytest.raises(WebSocketDisconnect) as closed, client.websocket_connect("/anything", headers=headers):
        pass
    assert closed.value.code == 1008


@pytest.mark.parametrize(
    ("method", "path", "allowed"),
    [
        ("DELETE", "/api/runs", "GET, POST"),
        ("PUT", "/api/runs/some-run", "GET, PATCH"),
        ("GET", "/api/runs/some-run/cancel", "POST"),
    ],
)
def test_a_wrong_method_is_told_every_right_one(
    client: TestClient, method: str, path: str, allowed: str
) -> None:
    response = client.request(method, path)
    assert (response.status_code, response.headers["allow"]) == (405, allowed)


def body_of(size: int) -> bytes:
    return b'{"model_id": "' + b"x" * (size - 16) + b'"}'


def in_pieces(body: bytes) -> Iterator[bytes]:
    yield from (body[start : start + 65_536] for start in range(0, len(body), 65_536))


@pytest.mark.parametrize("is_chunked", [False, True])
def test_large_bodies_are_refused(client: TestClient, is_chunked: bool) -> None:  # noqa: FBT001
    def sent(size: int) -> Any:
        body = body_of(size)
        assert len(body) == size
        return client.post("/api/runs", content=in_pieces(body) if is_chunked else body, headers=JSON)

    refused = sent(MAX_BODY_BYTES + 1)
    assert (refused.status_code, refused.json()["code"]) == (413, "content-too-large")
    assert refused.headers["content-type"] == "application/problem+json"
    assert sent(MAX_BODY_BYTES).status_code == 422, "read, and found to be no model's name"


def test_an_absurd_length_is_refused(client: TestClient) -> None:
    headers = JSON | {"content-length": "9" * 5000}
    assert client.post("/api/runs", content=b"{}", headers=headers).status_code == 413


@pytest.mark.parametrize("path", ["/admin/datasets/upload", "/api/exports/verify", "/v1/files", "/api/runs"])
async def test_a_request_that_breaks_off_is_no_fault_of_the_server(
    path: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    lines = [
        f"POST {path} HTTP/1.1",
        "Host: localhost",
        "Content-Length: 9999",
        "Content-Type: multipart/form-data; boundary=x",
        "",
        "--x",
        'Content-Disposition: form-data; name="file"; filename="a.jsonl"',
        "",
        '{"custom_id": "1"',
    ]
    async with served(create_app(dataset_services(tmp_path))) as client:
        async with client.get("/api/health") as response:
            port = response.url.port
        _reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write("\r\n".join(lines).encode())
        await writer.drain()
        writer.close()
        await writer.wait_closed()
    assert capsys.readouterr().err == ""
