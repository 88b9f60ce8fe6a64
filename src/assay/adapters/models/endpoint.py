"""One endpoint, shared by its models: addresses, key, and what was learned about it."""

import time
from base64 import b64encode
from enum import Enum

import aiohttp
from yarl import URL

from assay.adapters.models.http_errors import Target, missing_key, status_error
from assay.adapters.models.json_text import parsed
from assay.adapters.models.model_list import ModelList, parse_model_list
from assay.adapters.models.providers import Provider, shown_url
from assay.adapters.models.session import ClientLimits, SharedSession
from assay.adapters.models.transport_errors import FAILURES, cause, reason
from assay.domain.errors import EndpointUnreachableError, InvalidValueError

_LIST_FRESH_S = 60.0
_REFUSALS = (401, 403)


class UsageOption(Enum):
    """Whether the endpoint accepts `stream_options`."""

    UNKNOWN = 0
    ACCEPTED = 1
    REJECTED = 2


class Endpoint:
    def __init__(self, provider: Provider, session: SharedSession, limits: ClientLimits) -> None:
        self.provider = provider
        self.session = session
        self.shown_url = shown_url(provider.base_url)
        self.usage_option = UsageOption.UNKNOWN
        # Models that rejected a response schema; other models of the same server may accept one.
        self.without_schema: set[str] = set()
        base = URL(provider.base_url)
        # aiohttp refuses credentials in the URL together with an Authorization header.
        base = base.with_user(None) if provider.api_key else base
        self.completions = session.pool(base)
        self._head = _head(_route(base, "chat/completions"), provider.api_key)
        self.headers = {"Authorization": f"Bearer {provider.api_key}"} if provider.api_key else {}
        self._models_url = _route(base, "models")
        self._check_timeout = aiohttp.ClientTimeout(total=limits.check_s)
        self._model_list: ModelList | None = None
        self._listed_s = 0.0

    def request(self, body: bytes) -> bytes:
        """The bytes of a request for a completion."""
        return b"%b%d\r\n\r\n%b" % (self._head, len(body), body)

    def require_key(self, target: Target) -> None:
        if self.provider.needs_key and not self.provider.api_key:
            raise missing_key(target)

    async def model_list(self, target: Target) -> ModelList:
        """The endpoint's models, empty if it does not list them; raises EndpointError."""
        if self._model_list is None or time.monotonic() - self._listed_s > _LIST_FRESH_S:
            self._model_list = await self._fetched(target)
            self._listed_s = time.monotonic()
        return self._model_list

    async def _fetched(self, target: Target) -> ModelList:
        try:
            async with self.session.current().get(
                self._models_url, headers=self.headers, timeout=self._check_timeout
            ) as response:
                body = await response.read()
        except FAILURES as error:
            message = f"{self.shown_url!r} cannot be reached: {reason(error)}; check the base URL"
            raise EndpointUnreachableError(message) from cause(error)
        if response.status in _REFUSALS:
            headers = {name.lower(): value for name, value in response.headers.items()}
            raise status_error(target, response.status, body=body, headers=headers)
        return parse_model_list(parsed(body)) if response.ok else ModelList({})


def _head(url: URL, api_key: str | None) -> bytes:
    """Request line and headers, up to the length of the body."""
    # A compressed stream arrives in bursts, which would distort the timing.
    lines = [
        f"POST {url.raw_path_qs} HTTP/1.1",
        f"Host: {url.host_port_subcomponent}",
        "User-Agent: assay",
        "Accept: */*",
        "Accept-Encoding: identity",
        "Content-Type: application/json",
    ]
    if api_key:
        lines.append(f"Authorization: Bearer {api_key}")
    elif url.user or url.password:
        pair = f"{url.user or ''}:{url.password or ''}".encode()
        lines.append(f"Authorization: Basic {b64encode(pair).decode()}")
    if any(not line.isprintable() for line in lines):
        raise InvalidValueError("the endpoint's key or base URL holds a character that no header may have")
    return "\r\n".join([*lines, "Content-Length: "]).encode()


def _route(base: URL, path: str) -> URL:
    return base.joinpath(path).with_query(base.query)
