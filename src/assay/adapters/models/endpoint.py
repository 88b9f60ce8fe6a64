"""One endpoint as all its models share it: addresses, key, and what was learned about it."""

import time
from enum import Enum

import aiohttp
from yarl import URL

from assay.adapters.models.catalogue import Listing, parse_listing
from assay.adapters.models.http_errors import Target, missing_key, status_error
from assay.adapters.models.json_text import parsed
from assay.adapters.models.limits import ClientLimits
from assay.adapters.models.providers import Provider, shown_url
from assay.adapters.models.session import SharedSession
from assay.adapters.models.transport_errors import FAILURES, cause, reason
from assay.domain.errors import EndpointUnreachableError

_LISTING_FRESH_S = 60.0
_REFUSALS = (401, 403)


class UsageOption(Enum):
    """Whether the endpoint takes `stream_options`."""

    UNKNOWN = 0
    ACCEPTED = 1
    REJECTED = 2


class Endpoint:
    def __init__(self, provider: Provider, session: SharedSession, limits: ClientLimits) -> None:
        self.provider = provider
        self.session = session
        self.shown_url = shown_url(provider.base_url)
        self.usage_option = UsageOption.UNKNOWN
        base = URL(provider.base_url)
        # aiohttp refuses credentials in the URL beside a key.
        base = base.with_user(None) if provider.api_key else base
        self.completions_url = _route(base, "chat/completions")
        self.headers = {"Authorization": f"Bearer {provider.api_key}"} if provider.api_key else {}
        self._models_url = _route(base, "models")
        self._check_timeout = aiohttp.ClientTimeout(total=limits.check_s)
        self._listing: Listing | None = None
        self._listed_s = 0.0

    def require_key(self, target: Target) -> None:
        if self.provider.needs_key and not self.provider.api_key:
            raise missing_key(target)

    async def listing(self, target: Target) -> Listing:
        """The endpoint's models, empty where it has no such list; raises EndpointError."""
        if self._listing is None or time.monotonic() - self._listed_s > _LISTING_FRESH_S:
            self._listing = await self._fetched(target)
            self._listed_s = time.monotonic()
        return self._listing

    async def _fetched(self, target: Target) -> Listing:
        try:
            async with self.session.current().get(
                self._models_url, headers=self.headers, timeout=self._check_timeout
            ) as response:
                body = await response.read()
        except FAILURES as error:
            message = f"{self.shown_url!r} cannot be reached: {reason(error)}; check the base URL"
            raise EndpointUnreachableError(message) from cause(error)
        if response.status in _REFUSALS:
            raise status_error(target, response.status, body=body, headers=response.headers)
        return parse_listing(parsed(body)) if response.ok else Listing({})


def _route(base: URL, path: str) -> URL:
    return base.joinpath(path).with_query(base.query)
