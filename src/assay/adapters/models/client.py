"""A model behind an endpoint, in whichever wire format it speaks."""

import asyncio
import logging
from collections.abc import Mapping
from dataclasses import dataclass, field
from http import HTTPStatus

from assay.adapters.models.endpoint import Endpoint, Setting, UsageOption
from assay.adapters.models.exchange import EventObserver, ReplyReader, UnfinishedReplyError
from assay.adapters.models.formats.api_format import Options
from assay.adapters.models.formats.chat_request import SCHEMA_FIELD, without_sampling, without_schema
from assay.adapters.models.http_errors import (
    Target,
    bad_reply,
    filtered_prompt,
    reported_message,
    status_error,
)
from assay.adapters.models.lists.abilities import WORDS, abilities_of, denied_abilities, without_abilities
from assay.adapters.models.lists.model_list import listed_price
from assay.adapters.models.session import ClientLimits
from assay.adapters.models.transport_errors import FAILURES, transport_error
from assay.adapters.models.wire.connection import CutError, ExchangeLimits
from assay.domain.benchmark import Need
from assay.domain.calls.messages import Completion
from assay.domain.calls.pricing import Price
from assay.domain.errors import AssayError, CallError, EndpointError, UnknownModelError, UnsupportedError
from assay.engine.ports import Request

_log = logging.getLogger(__name__)
_MAY_MEAN_OPTION = (400, 422)
_MAY_MEAN_ABILITY = (400, 404, 415, 422, 501)
_MAY_MEAN_SETTING = (400, 415, 422, 501)


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


class HttpModelClient:
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
            endpoint.shown_url,
            name,
            provider.key_place,
            provider.api_key,
            hidden=provider.header_secrets,
            path=endpoint.format.route(name, stream=False).path,
        )
        self._is_open = True
        endpoint.session.join()

    def __repr__(self) -> str:
        return f"HttpModelClient({self._model!r}, endpoint={self.endpoint!r})"

    @property
    def model(self) -> str:
        return self._model

    @property
    def endpoint(self) -> str:
        return self._endpoint.shown_url

    async def complete(self, request: Request) -> Completion:
        self._endpoint.require_key(self._target)
        request = _without(request, self._endpoint.rejected.get(self._name, frozenset()))
        reply = await self._reply(request)
        if isinstance(reply, _Failure) and reply.status in _MAY_MEAN_SETTING:
            reply = await self._reply_without_settings(request, reply)
        if isinstance(reply, _Failure):
            said = filtered_prompt(self._target, reply.status, reply.body)
            if said is not None and self._endpoint.format.filters_prompts:
                return Completion("", finish_reason="content_filter", refusal=said)
            raise await self._refusal(request, reply)
        if without_sampling(request) is not request:
            self._endpoint.sampled.add(self._name)
        if asked := abilities_of(request):
            known_abilities = self._endpoint.abilities
            known_abilities[self._name] = known_abilities.get(self._name, frozenset()) | asked
        return reply

    async def _reply_without_settings(self, request: Request, failure: _Failure) -> Completion | _Failure:
        """The reply to the same request without what some models reject, or the failure."""
        doubtful = self._doubtful_settings(request)
        for some in [frozenset({one}) for one in doubtful] + [frozenset(doubtful)] * (len(doubtful) > 1):
            reply = await self._reply(_without(request, some))
            if isinstance(reply, Completion):
                known = self._endpoint.rejected.get(self._name, frozenset())
                self._endpoint.rejected[self._name] = known | some
                names = " and ".join(sorted(one.value for one in some))
                _log.warning("%r takes no %s for model %r: sent without", self.endpoint, names, self._name)
                return reply
        return failure

    def _doubtful_settings(self, request: Request) -> list[Setting]:
        settings = [Setting.SCHEMA] if SCHEMA_FIELD in request.prompt.extra else []
        is_sampled = without_sampling(request) is not request
        # Chat completions are left as they are: a benchmark's settings hold, or the request fails.
        if (
            self._endpoint.format.may_refuse_sampling
            and is_sampled
            and self._name not in self._endpoint.sampled
        ):
            settings.append(Setting.SAMPLING)
        return settings

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
        asks_usage = endpoint.format.usage_is_optional and endpoint.usage_option is not UsageOption.REJECTED
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
        options = Options(stream, include_usage, self._endpoint.most_tokens.get(self._name))
        body = self._endpoint.format.body(self._name, request, options)
        timeout_s = request.generation.timeout_s
        limits = self._options.limits if timeout_s is None else self._options.limits.ending_after(timeout_s)
        try:
            return await self._read(request, body, limits, stream=stream)
        except (AssayError, UnfinishedReplyError):
            raise
        except FAILURES as error:
            raise transport_error(self._target, error, limits) from error
        except Exception as error:
            # Whatever is wrong with a reply is the outcome of this attempt, and never ends the evaluation.
            _log.exception("a reply of %r could not be read", self.endpoint)
            raise bad_reply(self._target, f"sent a reply that made {type(error).__name__}") from error

    async def _read(
        self, request: Request, body: bytes, limits: ClientLimits, *, stream: bool
    ) -> Completion | _Failure:
        collector = self._endpoint.format.collector(self._target, request)
        reader = ReplyReader(
            self._target, collector, max_bytes=limits.max_reply_bytes, observer=self._options.observer
        )
        # A whole reply sends nothing until it is finished.
        silence_s = limits.silence_s if stream else None
        allowed = ExchangeLimits(limits.total_s, limits.max_reply_bytes, silence_s)
        is_cut = False
        try:
            await self._endpoint.completions.exchange(
                self._endpoint.request(self._name, body, stream=stream), reader, allowed
            )
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
        if most := models.most_tokens(self._name):
            self._endpoint.most_tokens[self._name] = most
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


def _without(request: Request, settings: frozenset[Setting]) -> Request:
    if Setting.SCHEMA in settings:
        request = without_schema(request)
    return without_sampling(request) if Setting.SAMPLING in settings else request
