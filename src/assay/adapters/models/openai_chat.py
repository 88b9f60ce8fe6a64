"""A model behind an OpenAI-compatible endpoint."""

from dataclasses import dataclass, field
from http import HTTPStatus

import aiohttp

from assay.adapters.models.catalogue import listed_price
from assay.adapters.models.endpoint import Endpoint, UsageOption
from assay.adapters.models.exchange import ReplyReader, Watch, beginning
from assay.adapters.models.http_errors import Target, status_error
from assay.adapters.models.limits import ClientLimits
from assay.adapters.models.request_body import TimedBody, request_json
from assay.adapters.models.transport_errors import FAILURES, cause, transport_error
from assay.domain.errors import EndpointError, UnknownModelError
from assay.domain.messages import Completion
from assay.domain.pricing import Price
from assay.engine.ports import Request

_MAY_MEAN_OPTION = (400, 422)
_MAX_ERROR_BYTES = 64 * 1024


@dataclass(frozen=True, slots=True)
class ClientOptions:
    """`stream` off asks for replies in one piece, which have no first token to time."""

    limits: ClientLimits = field(default_factory=ClientLimits)
    stream: bool = True
    watch: Watch | None = None


@dataclass(frozen=True, slots=True)
class _Failure:
    """A reply with an error status, before it is decided what it means."""

    status: int
    body: bytes
    headers: dict[str, str]


class OpenAIChatClient:
    """One exchange per completion; an endpoint that rejects `stream_options` is asked again without."""

    def __init__(
        self, model: str, name: str, endpoint: Endpoint, *, options: ClientOptions | None = None
    ) -> None:
        self._options = options or ClientOptions()
        self._model = model
        self._name = name
        self._endpoint = endpoint
        self._target = Target(
            endpoint.shown_url, name, endpoint.provider.key_variable, endpoint.provider.api_key
        )
        limits = self._options.limits
        # A reply in one piece is silent until it is finished.
        self._timeout = aiohttp.ClientTimeout(
            total=limits.total_s,
            connect=limits.connect_s,
            sock_read=limits.silence_s if self._options.stream else None,
        )
        self._is_open = True
        endpoint.session.join()

    def __repr__(self) -> str:
        return f"OpenAIChatClient({self._model!r}, endpoint={self.endpoint!r})"

    @property
    def model(self) -> str:
        return self._model

    @property
    def endpoint(self) -> str:
        return self._endpoint.shown_url

    async def complete(self, request: Request) -> Completion:
        endpoint = self._endpoint
        endpoint.require_key(self._target)
        asks_usage = self._options.stream and endpoint.usage_option is not UsageOption.REJECTED
        reply = await self._exchange(request, include_usage=asks_usage)
        if isinstance(reply, _Failure) and asks_usage and self._may_mean_option(reply):
            reply = await self._exchange(request, include_usage=False)
            if isinstance(reply, Completion):
                endpoint.usage_option = UsageOption.REJECTED
        elif asks_usage and isinstance(reply, Completion):
            endpoint.usage_option = UsageOption.ACCEPTED
        if isinstance(reply, _Failure):
            raise status_error(self._target, reply.status, body=reply.body, headers=reply.headers)
        return reply

    def _may_mean_option(self, failure: _Failure) -> bool:
        """Whether the request might pass without `stream_options`: unless it is known to be taken, try."""
        if failure.status not in _MAY_MEAN_OPTION:
            return False
        return self._endpoint.usage_option is UsageOption.UNKNOWN or b"stream_options" in failure.body

    async def _exchange(self, request: Request, *, include_usage: bool) -> Completion | _Failure:
        endpoint, options = self._endpoint, self._options
        traits = endpoint.provider.traits
        body = TimedBody(
            request_json(
                self._name, request, traits=traits, stream=options.stream, include_usage=include_usage
            )
        )
        try:
            async with endpoint.session.current().post(
                endpoint.completions_url,
                data=body,
                headers=endpoint.headers,
                timeout=self._timeout,
                allow_redirects=False,
            ) as response:
                if response.status != HTTPStatus.OK:
                    said = await beginning(response.content, _MAX_ERROR_BYTES)
                    return _Failure(response.status, said, dict(response.headers))
                reader = ReplyReader(
                    response.content,
                    self._target,
                    max_bytes=options.limits.max_reply_bytes,
                    watch=options.watch,
                )
                return await reader.read(started_s=body.written_s)
        except FAILURES as error:
            raise transport_error(self._target, error, options.limits) from cause(error)

    async def check(self) -> None:
        self._endpoint.require_key(self._target)
        listing = await self._endpoint.listing(self._target)
        if not listing.rows or not self._endpoint.provider.traits.lists_all:
            return
        if listing.row(self._name) is None:
            nearest = listing.nearest(self._name)
            hint = f"; did you mean {' or '.join(map(repr, nearest))}?" if nearest else ""
            raise UnknownModelError(f"{self.endpoint!r} has no model {self._name!r}{hint}")

    async def price(self) -> Price | None:
        try:
            listing = await self._endpoint.listing(self._target)
        except EndpointError:
            return None
        row = listing.rows.get(self._name)
        if row is None:
            return None
        unit = self._endpoint.provider.traits.price_unit
        return listed_price(row, unit=unit, source=f"{self.endpoint}/models")

    async def close(self) -> None:
        if self._is_open:
            self._is_open = False
            await self._endpoint.session.leave()
