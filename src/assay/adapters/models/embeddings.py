"""Vectors of texts from endpoints that speak OpenAI's embeddings API, for graders."""

import asyncio
import math
from collections.abc import Mapping, Sequence
from http import HTTPStatus

import orjson
from yarl import URL

from assay.adapters.models.fetch import Reply, post
from assay.adapters.models.http_errors import reported_message
from assay.adapters.models.json_text import loads
from assay.adapters.models.providers import Provider, provider_for, shown_url
from assay.adapters.models.session import ClientLimits, SharedSession
from assay.adapters.models.transport_errors import FAILURES, reason
from assay.adapters.models.wire.connection import ExchangeLimits, TooLargeError
from assay.domain.calls.messages import Json
from assay.domain.errors import GraderError, UsageError

_AT_ONCE = 8
_WAITS_S = (0.5, 2.0)
_TIMEOUT_S = 60.0
_PASSING = frozenset(
    {
        HTTPStatus.REQUEST_TIMEOUT,
        HTTPStatus.TOO_MANY_REQUESTS,
        HTTPStatus.INTERNAL_SERVER_ERROR,
        HTTPStatus.BAD_GATEWAY,
        HTTPStatus.SERVICE_UNAVAILABLE,
        HTTPStatus.GATEWAY_TIMEOUT,
    }
)


class HttpEmbedder:
    """Sends the key of the installation, and to the provider's own address alone."""

    def __init__(self, environment: Mapping[str, str], *, limits: ClientLimits | None = None) -> None:
        self._environment = environment
        limits = limits or ClientLimits()
        self._limits = ExchangeLimits(_TIMEOUT_S, limits.max_reply_bytes)
        self._session = SharedSession(limits, environment)
        self._session.join()
        self._turns = asyncio.Semaphore(_AT_ONCE)

    def close(self) -> None:
        self._session.leave()

    async def __call__(self, model: str, texts: Sequence[str]) -> Sequence[Sequence[float]]:
        try:
            provider, name = provider_for(model, self._environment)
        except UsageError as error:
            raise GraderError(f"no similarity can be measured: {error.message}") from error
        if provider.needs_key and not provider.api_key:
            raise GraderError(f"no similarity can be measured by {model!r}: set {provider.key_variable}")
        body = orjson.dumps({"model": name, "input": list(texts), "encoding_format": "float"})
        async with self._turns:
            reply = await self._answered(provider, body)
        if not reply.is_success:
            secrets = (provider.api_key,) if provider.api_key else ()
            said = reported_message(reply.body, reply.headers, secrets)
            raise GraderError(f"{shown_url(provider.base_url)!r} answered {reply.status} for {model!r}{said}")
        return _vectors(await asyncio.to_thread(_parsed, reply.body), count=len(texts), model=model)

    async def _answered(self, provider: Provider, body: bytes) -> Reply:
        """Tried again where that may help."""
        for wait_s in _WAITS_S:
            try:
                reply = await self._posted(provider, body)
            except FAILURES:
                await asyncio.sleep(wait_s)
                continue
            if reply.status not in _PASSING:
                return reply
            await asyncio.sleep(wait_s)
        try:
            return await self._posted(provider, body)
        except TooLargeError as error:
            raise GraderError(f"{shown_url(provider.base_url)!r} sent too much for vectors") from error
        except FAILURES as error:
            shown = shown_url(provider.base_url)
            raise GraderError(f"{shown!r} cannot be reached for vectors: {reason(error)}") from error

    async def _posted(self, provider: Provider, body: bytes) -> Reply:
        base = URL(provider.base_url)
        url = base.joinpath("embeddings").with_query(base.query)
        headers = {"Authorization": f"Bearer {provider.api_key}"} if provider.api_key else {}
        return await post(self._session, url, body, headers=headers, limits=self._limits)


def _parsed(body: bytes) -> Json:
    try:
        return loads(body)
    except ValueError:
        return None


def _vectors(content: Json, *, count: int, model: str) -> list[list[float]]:
    data = content.get("data") if isinstance(content, Mapping) else None
    members = data if isinstance(data, list) else []
    found: dict[int, list[float]] = {}
    for place, one in enumerate(members):
        vector = one.get("embedding") if isinstance(one, Mapping) else None
        index = one.get("index", place) if isinstance(one, Mapping) else None
        if isinstance(vector, list) and isinstance(index, int):
            found[index] = [float(value) for value in vector if isinstance(value, int | float)]
    vectors = [found.get(place, []) for place in range(count)]
    lengths = {len(vector) for vector in vectors}
    if len(lengths) != 1 or lengths == {0} or not all(math.isfinite(sum(vector)) for vector in vectors):
        raise GraderError(f"{model!r} gave no vectors of one length for {count} texts")
    return vectors
