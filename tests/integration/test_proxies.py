"""Endpoints behind the proxies that the environment names."""

import asyncio
import ssl
from base64 import b64encode
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID
from yarl import URL

from assay.adapters.models.directory import HttpModelDirectory
from assay.adapters.models.wire.proxy import Proxy, proxy_for
from assay.domain.errors import ConnectionFailedError, InvalidValueError, ServerError
from tests.integration.test_openai_chat_wire import REQUEST, WHOLE, RawServer, http

LOGIN = f"Basic {b64encode(b'me:secret').decode()}"


@pytest.mark.parametrize(
    ("origin", "environment", "expected"),
    [
        ("https://model.test", {}, None),
        ("https://model.test", {"HTTPS_PROXY": "http://proxy:3128"}, Proxy("proxy", 3128)),
        ("https://model.test", {"https_proxy": "proxy:3128"}, Proxy("proxy", 3128)),
        ("https://model.test", {"HTTPS_PROXY": "http://me:secret@proxy"}, Proxy("proxy", 80, LOGIN)),
        ("https://model.test", {"HTTP_PROXY": "http://proxy:3128"}, None),
        ("http://model.test", {"HTTP_PROXY": "http://proxy:3128"}, Proxy("proxy", 3128)),
        ("http://localhost:8000", {"HTTP_PROXY": "http://proxy:3128"}, None),
        ("http://127.0.0.1:8000", {"HTTP_PROXY": "http://proxy:3128"}, None),
        ("http://[::1]:8000", {"HTTP_PROXY": "http://proxy:3128"}, None),
        ("http://model.test", {"HTTP_PROXY": "http://proxy:3128", "NO_PROXY": "other, .test"}, None),
        ("http://a.model.test", {"HTTP_PROXY": "http://proxy:3128", "no_proxy": "model.test"}, None),
        ("http://model.test", {"HTTP_PROXY": "http://proxy:3128", "NO_PROXY": "*"}, None),
        ("http://model.test:81", {"HTTP_PROXY": "http://proxy:3128", "NO_PROXY": "model.test:81"}, None),
        ("http://mymodel.test", {"HTTP_PROXY": "proxy:1", "NO_PROXY": "model.test"}, Proxy("proxy", 1)),
    ],
)
def test_proxy_of_an_origin(origin: str, environment: dict[str, str], expected: Proxy | None) -> None:
    assert proxy_for(URL(origin), environment) == expected


@pytest.mark.parametrize("value", ["socks5://proxy:1080", "https://proxy", "http://", "http://proxy:port"])
def test_a_proxy_of_another_kind_is_refused(value: str) -> None:
    with pytest.raises(InvalidValueError, match="HTTP_PROXY"):
        proxy_for(URL("http://model.test"), {"HTTP_PROXY": value})


async def test_plain_requests_name_the_whole_address() -> None:
    server = RawServer(http(WHOLE))
    async with server.listening() as address:
        directory = HttpModelDirectory({"HTTP_PROXY": f"http://me:secret@{address}"})
        client = directory.open("vllm/m", base_url="http://model.test:81/v1?a=1")
        assert (await client.complete(REQUEST)).answer == "hi"
        await client.check()
        await client.close()
    completion, models = server.requests
    assert completion.startswith(b"POST http://model.test:81/v1/chat/completions?a=1 HTTP/1.1\r\n")
    assert models.startswith(b"GET http://model.test:81/v1/models?a=1 HTTP/1.1\r\n")
    assert b"\r\nHost: model.test:81\r\n" in completion
    assert f"\r\nProxy-Authorization: {LOGIN}\r\n".encode() in completion


@pytest.mark.parametrize(
    ("model", "target"),
    [
        ("anthropic/m", "/v1/messages?a=1"),
        ("google/m", "/v1/models/m:streamGenerateContent?a=1&alt=sse"),
        ("openai-responses/m", "/v1/responses?a=1"),
    ],
)
async def test_vendors_own_apis_are_asked_through_the_proxy_too(model: str, target: str) -> None:
    server = RawServer(http(b"", status="503 Busy"))
    async with server.listening() as address:
        directory = HttpModelDirectory({"HTTP_PROXY": f"http://{address}"})
        client = directory.open(model, base_url="http://model.test:81/v1?a=1")
        with pytest.raises(ServerError):
            await client.complete(REQUEST)
        await client.close()
    [sent] = server.requests
    assert sent.startswith(f"POST http://model.test:81{target} HTTP/1.1\r\n".encode())


@dataclass
class Tunnel:
    """A proxy that opens tunnels to a port of this machine, whatever host is asked for."""

    port: int
    status: bytes = b"200 Connection established"
    requests: list[bytes] = field(default_factory=list[bytes])

    @asynccontextmanager
    async def listening(self) -> AsyncGenerator[str]:
        handlers: list[asyncio.Task[None]] = []

        def accept(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            handlers.append(asyncio.create_task(self._serve(reader, writer)))

        server = await asyncio.start_server(accept, "127.0.0.1", 0)
        try:
            yield f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
        finally:
            server.close()
            await asyncio.gather(*handlers)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.requests.append(await reader.readuntil(b"\r\n\r\n"))
        writer.write(b"HTTP/1.1 %b\r\n\r\n" % self.status)
        if self.status.startswith(b"200"):
            inner_reader, inner_writer = await asyncio.open_connection("127.0.0.1", self.port)
            await asyncio.gather(copied(reader, inner_writer), copied(inner_reader, writer))
        writer.close()
        with suppress(OSError):
            await writer.wait_closed()


async def copied(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    with suppress(OSError):
        while block := await reader.read(65_536):
            writer.write(block)
        writer.close()
        await writer.wait_closed()


def certificate(folder: Path) -> Path:
    """A file with a key and a certificate for model.test."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "model.test")])
    now = datetime.now(UTC)
    made = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(1)
        .not_valid_before(now - timedelta(days=1))
        .not_valid_after(now + timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.DNSName("model.test")]), critical=False)
        .sign(key, hashes.SHA256())
    )
    file = folder / "model.pem"
    plain = serialization.NoEncryption()
    pem = serialization.Encoding.PEM
    file.write_bytes(
        key.private_bytes(pem, serialization.PrivateFormat.PKCS8, plain) + made.public_bytes(pem)
    )
    return file


async def test_https_goes_through_a_tunnel(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = certificate(tmp_path)
    monkeypatch.setenv("SSL_CERT_FILE", str(file))
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(file)

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(http(WHOLE))
        writer.close()
        with suppress(OSError):
            await writer.wait_closed()

    endpoint = await asyncio.start_server(serve, "127.0.0.1", 0, ssl=context)
    tunnel = Tunnel(endpoint.sockets[0].getsockname()[1])
    async with endpoint, tunnel.listening() as proxy:
        client = HttpModelDirectory({"HTTPS_PROXY": proxy}).open("vllm/m", base_url="https://model.test/v1")
        assert (await client.complete(REQUEST)).answer == "hi"
        await client.close()
    assert tunnel.requests[0].startswith(b"CONNECT model.test:443 HTTP/1.1\r\nHost: model.test:443\r\n")


async def test_a_proxy_that_refuses_is_named() -> None:
    async with Tunnel(0, status=b"403 Forbidden").listening() as proxy:
        client = HttpModelDirectory({"HTTPS_PROXY": proxy}).open("vllm/m", base_url="https://model.test/v1")
        with pytest.raises(ConnectionFailedError, match="the proxy refuses"):
            await client.complete(REQUEST)
        await client.close()
