"""A model behind an OpenAI-compatible endpoint."""

import asyncio
import logging
from collections.abc import Mapping
from dataclasses import dataclass, field
from http import HTTPStatus

from assay.adapters.models.endpoint import Endpoint, UsageOption
from assay.adapters.models.exchange import EventObserver, ReplyReader, UnfinishedReplyError
from assay.adapters.models.http_errors import Target, bad_reply, reported_message, status_error
from assay.adapters.models.lists.abilities import WORDS, abilities_of, denied_abilities, without_abilities
from assay.adapters.models.lists.model_list import listed_price
from assay.adapters.models.request_body import SCHEMA_FIELD, request_json, without_schema
from assay.adapters.models.session import ClientLimits
from assay.adapters.models.transport_errors import FAILURES, transport_error
from assay.adapters.models.wire.connection import CutError, ExchangeLimits
from assay.domain.benchmark import Need
from assay.domain.errors import AssayError, CallError, EndpointError, UnknownModelError, UnsupportedError
from assay.domain.messages import Completion
from assay.domain.pricing import Price
from assay.engine.ports import Request

_log = logging.getLogger(__name__)
_MAY_MEAN_OPTION = (400, 422)
_MAY_MEAN_ABILITY = (400, 404, 415, 422, 501)
_MAY_MEAN_SCHEMA = (400, 415, 422, 501)


@dataclass(frozen=True, slots=True)
class ClientOptions:
    """`stream=False` asks for whole replies, which have no time to first token."""

    limits: ClientLimits = field(default_factory=ClientLimits)
    stream: bool = True
    observer: EventObserver | None = None


@dataclass(frozen=True, slots=True)
class _Failure:
    """A reply with an error status, not yet interpreted."""

    status: int
    body: bytes
    headers: Mapping[str, str]


class OpenAIChatClient:
    """One exchange per completion; repeated without an option that the endpoint rejects."""

    def __init__(
        self, model: str, name: str, endpoint: Endpoint, *, options: ClientOptions | None = None
    ) -> None:
        self._options = options or ClientOptions()
        self._model = model
        self._name = name
        self._endpoint = endpoint
        provider = endpoint.provider
        self._target = Target(
            endpoint.shown_url, name, provider.key_place, provider.api_key, provider.header_secrets
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
        self._endpoint.require_key(self._target)
        known = self._endpoint.without_schema
        if SCHEMA_FIELD not in request.prompt.extra or self._name in known:
            reply = await self._reply(without_schema(request))
        else:
            reply = await self._reply(request)
            if isinstance(reply, _Failure) and reply.status in _MAY_MEAN_SCHEMA:
                plain = await self._reply(without_schema(request))
                if isinstance(plain, Completion):
                    known.add(self._name)
                    reply = plain
        if isinstance(reply, _Failure):
            raise await self._refusal(request, reply)
        if asked := abilities_of(request):
            known_abilities = self._endpoint.abilities
            known_abilities[self._name] = known_abilities.get(self._name, frozenset()) | asked
        return reply

    async def _refusal(self, request: Request, failure: _Failure) -> CallError | EndpointError:
        """The error for a failure; fatal if the same request is accepted without its tools or pictures."""
        error = status_error(self._target, failure.status, body=failure.body, headers=failure.headers)
        doubtful = abilities_of(request) - self._endpoint.abilities.get(self._name, frozenset())
        if not doubtful or failure.status not in _MAY_MEAN_ABILITY:
            return error
        if not isinstance(await self._reply(without_abilities(request)), Completion):
            return error
        words = " and ".join(WORDS[need] for need in sorted(doubtful))
        said = reported_message(failure.body, failure.headers, self._target.secrets)
        return UnsupportedError(
            f"{self.endpoint!r} refuses {words} for model {self._name!r}, which this benchmark needs:"
            f" it answered {failure.status}{said}",
            status=failure.status,
        )

    async def _reply(self, request: Request) -> Completion | _Failure:
        """A stream that only seems to end is asked once more without streaming.

        Servers then say what is wrong if it was empty, and send a finish reason if they had dropped it for
        another call; those that still send none never do.
        """
        try:
            if self._options.stream:
                try:
                    return await self._streamed(request)
                except UnfinishedReplyError as unfinished:
                    if request.is_single:
                        raise
                    _log.info("%r %s and is asked without streaming", self.endpoint, unfinished)
            reply = await self._exchange(request, stream=False)
        except UnfinishedReplyError as error:
            raise bad_reply(self._target, str(error)) from error
        if isinstance(reply, Completion) and reply.finish_reason is None:
            self._endpoint.omits_finish_reason = True
        return reply

    async def _streamed(self, request: Request) -> Completion | _Failure:
        endpoint = self._endpoint
        asks_usage = endpoint.usage_option is not UsageOption.REJECTED
        reply = await self._exchange(request, stream=True, include_usage=asks_usage)
        may_repeat = asks_usage and not request.is_single
        if isinstance(reply, _Failure) and may_repeat and self._may_mean_option(reply):
            reply = await self._exchange(request, stream=True)
            if isinstance(reply, Completion):
                endpoint.usage_option = UsageOption.REJECTED
        elif asks_usage and isinstance(reply, Completion):
            endpoint.usage_option = UsageOption.ACCEPTED
        return reply

    def _may_mean_option(self, failure: _Failure) -> bool:
        """Whether `stream_options` may be the cause: yes unless the endpoint is known to accept it."""
        if failure.status not in _MAY_MEAN_OPTION:
            return False
        return self._endpoint.usage_option is UsageOption.UNKNOWN or b"stream_options" in failure.body

    async def _exchange(
        self, request: Request, *, stream: bool, include_usage: bool = False
    ) -> Completion | _Failure:
        traits = self._endpoint.provider.traits
        body = request_json(self._name, request, traits=traits, stream=stream, include_usage=include_usage)
        timeout_s = request.generation.timeout_s
        limits = self._options.limits if timeout_s is None else self._options.limits.ending_after(timeout_s)
        try:
            return await self._read(self._endpoint.request(body), limits, stream=stream)
        except (AssayError, UnfinishedReplyError):
            raise
        except FAILURES as error:
            raise transport_error(self._target, error, limits) from error
        except Exception as error:
            # Whatever is wrong with a reply is the outcome of this attempt, and never ends the evaluation.
            _log.exception("a reply of %r could not be read", self.endpoint)
            raise bad_reply(self._target, f"sent a reply that made {type(error).__name__}") from error

    async def _read(self, request: bytes, limits: ClientLimits, *, stream: bool) -> Completion | _Failure:
        reader = ReplyReader(self._target, max_bytes=limits.max_reply_bytes, observer=self._options.observer)
        # A whole reply sends nothing until it is finished.
        silence_s = limits.silence_s if stream else None
        allowed = ExchangeLimits(limits.total_s, limits.max_reply_bytes, silence_s)
        is_cut = False
        try:
            await self._endpoint.completions.exchange(request, reader, allowed)
        except CutError:
            if not reader.status:
                raise
            is_cut = True
        if reader.status != HTTPStatus.OK:
            return _Failure(reader.status, reader.error_body(), reader.headers)
        omits = self._endpoint.omits_finish_reason
        return reader.completion(is_cut=is_cut, may_omit_finish_reason=omits)

    async def check(self, needs: frozenset[Need] = frozenset()) -> None:
        self._endpoint.require_key(self._target)
        models = await self._endpoint.model_list(self._target)
        entry = models.entry(self._name)
        if entry is not None and (denied := denied_abilities(entry, needs)):
            words = " and ".join(WORDS[need] for need in denied)
            raise UnsupportedError(
                f"{self.endpoint!r} lists the model {self._name!r} as one that does not take {words}, which"
                " this benchmark needs: nothing was asked"
            )
        if entry is None and models.entries and self._endpoint.provider.traits.lists_all:
            nearest = await asyncio.to_thread(models.nearest, self._name)
            hint = f"; did you mean {' or '.join(map(repr, nearest))}?" if nearest else ""
            raise UnknownModelError(f"{self.endpoint!r} has no model {self._name!r}{hint}")

    async def price(self) -> Price | None:
        try:
            models = await self._endpoint.model_list(self._target)
        except EndpointError:
            return None
        entry = models.entries.get(self._name)
        if entry is None:
            return None
        unit = self._endpoint.provider.traits.price_unit
        return listed_price(entry, unit=unit, source=f"{self.endpoint}/models")

    async def close(self) -> None:
        if self._is_open:
            self._is_open = False
            self._endpoint.session.leave()
