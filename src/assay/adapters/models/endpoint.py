"""One endpoint, shared by its models: addresses, key, and what was learned about it."""

import asyncio
from collections.abc import Callable, Mapping
from enum import Enum
from weakref import WeakMethod

from yarl import URL

from assay.adapters.models.fetch import get
from assay.adapters.models.formats.choose import format_of
from assay.adapters.models.http_errors import Target, missing_key, reported_message, status_error
from assay.adapters.models.json_text import parsed
from assay.adapters.models.lists.model_list import ModelList, parse_model_list
from assay.adapters.models.providers import Provider, shown_url
from assay.adapters.models.session import ClientLimits, SharedSession
from assay.adapters.models.transport_errors import FAILURES, reason
from assay.adapters.models.wire.connection import ExchangeLimits, TooLargeError
from assay.domain.benchmark import Need
from assay.domain.errors import EndpointError, EndpointUnreachableError, UnauthorizedError

_LIST_FRESH_S = 60.0
_MAX_LIST_BYTES = 8 * 1024 * 1024
# What providers read a key from.
_KEY_HEADERS = frozenset({"authorization", "api-key", "x-api-key", "x-goog-api-key"})
_COMPLETION_HEADERS = {
    "Accept": "*/*",
    # A compressed stream arrives in bursts, which would distort the timing.
    "Accept-Encoding": "identity",
    "Content-Type": "application/json",
}


class Setting(Enum):
    """What a request may be sent without if a model rejects it."""

    SCHEMA = "a response schema"
    SAMPLING = "temperature and top_p"


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
        self.format = format_of(provider)
        # What models rejected in a request; other models of the same server may accept it.
        self.rejected: dict[str, frozenset[Setting]] = {}
        # Models that took a temperature or top_p.
        self.sampled: set[str] = set()
        # The most tokens that models can say, where the list tells.
        self.most_tokens: dict[str, int] = {}
        # What models have taken in a request beside text.
        self.abilities: dict[str, frozenset[Need]] = {}
        # Set once a whole reply came without one, so that streams without one are answers too.
        self.omits_finish_reason = False
        base = URL(provider.base_url)
        self._base = base
        self._headers = dict(self.format.headers(provider.api_key))
        self._headers |= _without_repeats(self._headers, provider.headers)
        if provider.host:
            self._headers["Host"] = provider.host
        self.completions = session.pool(base)
        # By what makes the path, since a model may be a part of it.
        self._heads: dict[tuple[str, bool], bytes] = {}
        self._check_limits = ExchangeLimits(limits.check_s, min(_MAX_LIST_BYTES, limits.max_reply_bytes))
        self._model_list: ModelList | None = None

    def request(self, model: str, body: bytes, *, stream: bool) -> bytes:
        """The bytes of a request for a completion."""
        head = self._heads.get((model, stream))
        if head is None:
            url = self.format.route(model, stream=stream).below(self._base)
            head = self.completions.head("POST", url, {**_COMPLETION_HEADERS, **self._headers})
            self._heads[model, stream] = head
        return b"%bContent-Length: %d\r\n\r\n%b" % (head, len(body), body)

    def require_key(self, target: Target) -> None:
        has_key = self.provider.api_key or any(name.lower() in _KEY_HEADERS for name in self._headers)
        if self.provider.needs_key and not has_key:
            raise missing_key(target)

    async def model_list(self, target: Target) -> ModelList:
        """The endpoint's models, empty if it does not list them; raises EndpointError."""
        if self._model_list is not None:
            return self._model_list
        self._model_list = found = await self._fetched(target)
        # A list can be large, and the endpoints of a long-lived process many. The reference is weak because
        # a caller's key must not outlive its client.
        forget = WeakMethod(self._forget_list)
        asyncio.get_running_loop().call_later(_LIST_FRESH_S, _call, forget)
        return found

    def _forget_list(self) -> None:
        self._model_list = None

    async def _fetched(self, target: Target) -> ModelList:
        route = self.format.models
        if route is None:
            return ModelList({}, problem=f"{self.shown_url!r} has no list of its models")
        url = route.below(self._base)
        try:
            reply = await get(self.session, url, headers=self._headers, limits=self._check_limits)
        except TooLargeError as error:
            raise EndpointError(f"{self.shown_url!r} sent too much for a list of models") from error
        except FAILURES as error:
            message = f"{self.shown_url!r} cannot be reached: {reason(error)}; check the base URL"
            raise EndpointUnreachableError(message) from error
        if reply.is_success:
            return parse_model_list(self.format.listed(await asyncio.to_thread(parsed, reply.body)))
        refusal = status_error(target, reply.status, body=reply.body, headers=reply.headers)
        if isinstance(refusal, UnauthorizedError):
            raise refusal
        said = reported_message(reply.body, reply.headers, target.secrets)
        return ModelList({}, problem=f"{self.shown_url!r} answered {reply.status} for its models{said}")


def _without_repeats(own: Mapping[str, str], given: tuple[tuple[str, str], ...]) -> dict[str, str]:
    """The given headers, under the name that the endpoint's own header of the same name has."""
    names = {name.lower(): name for name in own}
    return {names.get(name.lower(), name): value for name, value in given}


def _call(method: "WeakMethod[Callable[[], None]]") -> None:
    if (live := method()) is not None:
        live()
