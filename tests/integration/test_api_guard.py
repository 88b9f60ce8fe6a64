"""What is refused before any endpoint sees it."""

import asyncio
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient
from starlette.websockets import WebSocketDisconnect

from assay.api.access.guard import MAX_BODY_BYTES, Guard
from assay.api.app import create_app
from assay.domain.access.identity import Role
from assay.domain.errors import InvalidValueError
from assay.engine.identity.access_keys import new_key_user
from assay.settings import load_settings
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
    "origin",
    [
        *("https://evil.example", "null", "http://localhost.evil.example", "http://["),
        # Another program on this machine, or on the server's.
        *(
            "http://127.0.0.1:5173",
            "http://localhost:8017",
            "http://127.0.0.1",
            "https://bench.example.org:8443",
        ),
    ],
)
def test_foreign_pages_change_nothing(client: TestClient, origin: str) -> None:
    response = client.post("/api/runs", json=ASKED, headers={"origin": origin})
    assert (response.status_code, response.json()["code"]) == (403, "foreign-origin")
    assert client.get("/api/runs", headers={"origin": origin}).json()["total"] == 0


@pytest.mark.parametrize(
    ("origin", "host"),
    [
        ("http://127.0.0.1:8017", "127.0.0.1:8017"),
        ("http://[::1]:8017", "[::1]:8017"),
        ("http://localhost:5173", "localhost:5173"),
        ("https://bench.example.org", "bench.example.org"),
        ("https://bench.example.org", "127.0.0.1:8017"),
        ("https://Bench.example.org:8443", "bench.example.org:8443"),
    ],
)
def test_own_pages_may(client: TestClient, origin: str, host: str) -> None:
    headers = {"origin": origin, "host": host}
    assert client.post("/api/runs", json=ASKED, headers=headers).status_code == 201


def test_pages_of_the_frontend_may_behind_a_proxy() -> None:
    wired = replace(services(memory_stores()), frontend_url="https://bench.example.org:8443/")
    client = client_for(create_app(wired))
    asked = {"origin": "https://bench.example.org:8443"}
    assert client.post("/api/runs", json=ASKED, headers=asked).status_code == 201


async def test_a_caller_who_stops_sending_is_answered() -> None:
    app = create_app(services(memory_stores()))
    app.add_middleware(Guard, silence_s=0.05)
    async with served(app) as session:
        address = session._base_url  # pyright: ignore[reportPrivateUsage] # the only one who knows the port
        assert address is not None
        reader, writer = await asyncio.open_connection(address.host, address.port)
        head = f"POST /api/runs HTTP/1.1\r\nHost: {address.host}\r\nContent-Type: application/json\r\n"
        writer.write(f"{head}Content-Length: 100\r\n\r\n{{".encode())
        async with asyncio.timeout(60):
            assert b" 408 " in await reader.readline()
        writer.close()


def test_an_address_with_many_wrong_keys_is_slowed_down() -> None:
    wired = services(memory_stores())
    made = new_key_user("ada", Role.VIEWER, store=wired.stores.identity, clock=wired.clock)
    key = {"X-API-Key": asyncio.run(made)[1].value}
    client = client_for(create_app(wired))
    assert client.get("/api/runs", headers=key).status_code == 200
    wrong = [client.get("/api/runs", headers={"X-API-Key": f"assay_{n}"}).status_code for n in range(25)]
    assert wrong == [401] * 20 + [429] * 5
    refused = client.get("/v1/files", headers={"Authorization": "Bearer assay_wrong"})
    assert (refused.status_code, refused.headers["Retry-After"]) == (429, "60")
    assert client.get("/api/runs", headers=key).status_code == 200, "a key that was right before"
    assert client.get("/api/runs").status_code == 200
    metrics = client.get("/metrics").text
    assert 'assay_wrong_keys{done="looked_up"} 20.0' in metrics
    assert 'assay_wrong_keys{done="refused"} 6.0' in metrics


@pytest.mark.parametrize("headers", [{"host": "evil.example"}, {"origin": "https://evil.example"}])
def test_foreign_pages_open_no_websockets(client: TestClient, headers: dict[str, str]) -> None:
    with pytest.raises(WebSocketDisconnect) as closed, client.websocket_connect("/anything", headers=headers):
        pass
    assert closed.value.code == 1008


@pytest.mark.parametrize(
    ("method", "path", "allowed"),
    [
        ("PUT", "/api/runs", "DELETE, GET, POST"),
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


def test_pages_from_elsewhere_are_allowed_by_a_setting() -> None:
    wired = replace(services(memory_stores()), cors_origins=("https://app.example.org",))
    client = client_for(create_app(wired))
    asking = {"origin": "https://app.example.org", "access-control-request-method": "POST"}
    preflight = client.options("/api/runs", headers=asking | {"access-control-request-headers": "x-api-key"})
    assert preflight.status_code == 200
    assert preflight.headers["access-control-allow-origin"] == "https://app.example.org"
    assert preflight.headers["access-control-allow-credentials"] == "true"
    done = client.post("/api/runs", json=ASKED, headers={"origin": "https://app.example.org"})
    assert (done.status_code, done.headers["access-control-allow-origin"]) == (201, "https://app.example.org")
    foreign = client.post("/api/runs", json=ASKED, headers={"origin": "https://evil.example"})
    assert (foreign.status_code, "access-control-allow-origin" in foreign.headers) == (403, False)


@pytest.mark.parametrize("origins", ["*", "https://a.example/path", "app.example.org"])
def test_a_setting_that_allows_too_much_is_refused(monkeypatch: pytest.MonkeyPatch, origins: str) -> None:
    monkeypatch.setenv("CORS_ORIGINS", origins)
    with pytest.raises(InvalidValueError, match="CORS_ORIGINS must list origins such as 'https://"):
        load_settings()
