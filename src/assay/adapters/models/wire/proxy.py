"""Proxies that the environment names: which one an origin is reached through, and tunnels through it."""

import asyncio
import contextlib
import ipaddress
import ssl
from base64 import b64encode
from collections.abc import Mapping
from dataclasses import dataclass, field

from yarl import URL

from assay.domain.errors import InvalidValueError

_MAX_REPLY_BYTES = 64 * 1024
_ACCEPTED = b"200"


@dataclass(frozen=True, slots=True)
class Proxy:
    host: str
    port: int
    authorization: str | None = field(default=None, repr=False)


class ProxyError(OSError):
    """The proxy refuses to connect to the endpoint."""


def proxy_for(origin: URL, environment: Mapping[str, str]) -> Proxy | None:
    """From `http_proxy`, `https_proxy` and `no_proxy`; this machine itself is never asked through a proxy."""
    variable = f"{origin.scheme}_proxy"
    text = _variable(environment, variable)
    if not text or _is_direct(origin, _variable(environment, "no_proxy")):
        return None
    try:
        url = URL(text if "://" in text else f"http://{text}")
    except ValueError as error:
        raise InvalidValueError(f"{variable.upper()} cannot be read as an address") from error
    if url.scheme != "http" or not url.raw_host:
        raise InvalidValueError(f"{variable.upper()} must name a proxy as http://host:port")
    return Proxy(url.raw_host, url.port or 80, basic_authorization(url))


def basic_authorization(url: URL) -> str | None:
    """The header value for the user and password in the address, if it has any."""
    if not (url.user or url.password):
        return None
    pair = f"{url.user or ''}:{url.password or ''}".encode()
    return f"Basic {b64encode(pair).decode()}"


async def tunnelled(
    proxy: Proxy, target: tuple[str, int], *, context: ssl.SSLContext, protocol: asyncio.BufferedProtocol
) -> asyncio.Transport:
    """A TLS connection to the target through the proxy, given to the protocol; raises OSError."""
    loop = asyncio.get_running_loop()
    transport, opening = await loop.create_connection(_Opening, proxy.host, proxy.port)
    host, port = target
    address = f"[{host}]:{port}" if ":" in host else f"{host}:{port}"
    lines = [f"CONNECT {address} HTTP/1.1", f"Host: {address}", "User-Agent: assay"]
    if proxy.authorization:
        lines.append(f"Proxy-Authorization: {proxy.authorization}")
    transport.write("".join(f"{line}\r\n" for line in [*lines, ""]).encode())
    try:
        await opening.accepted
        secured = await loop.start_tls(transport, protocol, context, server_hostname=host)
    except BaseException:
        transport.abort()
        raise
    if secured is None:
        raise ConnectionResetError
    protocol.connection_made(secured)
    return secured


class _Opening(asyncio.Protocol):
    """Waits until the proxy has opened the tunnel."""

    def __init__(self) -> None:
        self.accepted: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._received = bytearray()

    def data_received(self, data: bytes) -> None:
        self._received += data
        if self.accepted.done():
            return
        if b"\r\n\r\n" in self._received:
            status = self._received.split(b" ", 2)[1:2]
            if status == [_ACCEPTED]:
                self.accepted.set_result(None)
            else:
                self.accepted.set_exception(ProxyError())
        elif len(self._received) > _MAX_REPLY_BYTES:
            self.accepted.set_exception(ProxyError())

    def connection_lost(self, exc: Exception | None) -> None:
        del exc
        if not self.accepted.done():
            self.accepted.set_exception(ProxyError())


def _variable(environment: Mapping[str, str], name: str) -> str:
    return (environment.get(name) or environment.get(name.upper()) or "").strip()


def _is_direct(origin: URL, excluded: str) -> bool:
    """Whether the host is this machine, or `no_proxy` names it or a domain that it is in."""
    host = (origin.host or "").lower()
    if host == "localhost" or host.endswith(".localhost"):
        return True
    with contextlib.suppress(ValueError):
        if ipaddress.ip_address(host).is_loopback:
            return True
    names = [name.strip().lower().removeprefix(".") for name in excluded.split(",") if name.strip()]
    places = (host, f"{host}:{origin.port}")
    return "*" in names or any(
        place == name or place.endswith(f".{name}") for name in names for place in places
    )
