"""Calls to models as spans and metrics, named by the GenAI conventions of OpenTelemetry.

No content is recorded: no prompt, no answer, no error message.
"""

import time
from collections.abc import Callable, Mapping
from urllib.parse import urlsplit

from opentelemetry.metrics import Histogram, Meter
from opentelemetry.trace import Span, SpanKind, StatusCode, Tracer

from assay.domain.access.secret import Secret
from assay.domain.benchmark import Need
from assay.domain.calls.messages import Completion, Generation
from assay.domain.calls.pricing import Price
from assay.domain.errors import AssayError
from assay.engine.log_context import ATTEMPT, SHARD
from assay.engine.ports import ModelClient, ModelDirectory, Request

Attributes = Mapping[str, str | int | float]
NameOf = Callable[[str, str | None], tuple[str, str]]
"""Returns the provider of a model at a base URL, and the provider's name for the model."""

_OPERATION = "chat"
# Bucket boundaries that the conventions recommend.
_SECONDS = (0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64, 1.28, 2.56, 5.12, 10.24, 20.48, 40.96, 81.92)
_TOKENS = tuple(4**power for power in range(14))


class Instruments:
    """The tracer and meters that every traced client writes to."""

    def __init__(self, tracer: Tracer, meter: Meter) -> None:
        self.tracer = tracer
        self.duration: Histogram = meter.create_histogram(
            "gen_ai.client.operation.duration",
            unit="s",
            description="Time that a call took",
            explicit_bucket_boundaries_advisory=_SECONDS,
        )
        self.tokens: Histogram = meter.create_histogram(
            "gen_ai.client.token.usage",
            unit="{token}",
            description="Tokens in and out, as the server counted them",
            explicit_bucket_boundaries_advisory=_TOKENS,
        )


class TracedDirectory:
    """Opens models whose calls are recorded."""

    def __init__(self, models: ModelDirectory, instruments: Instruments, *, name_of: NameOf) -> None:
        self._models = models
        self._instruments = instruments
        self._name_of = name_of

    def open(
        self,
        model: str,
        *,
        base_url: str | None = None,
        api_key: Secret | None = None,
        key_variable: str | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> ModelClient:
        client = self._models.open(
            model, base_url=base_url, api_key=api_key, key_variable=key_variable, headers=headers
        )
        provider, name = self._name_of(model, base_url)
        return _TracedClient(client, self._instruments, _identity(provider, name, client.endpoint))


class _TracedClient:
    def __init__(self, client: ModelClient, instruments: Instruments, identity: Attributes) -> None:
        self._client = client
        self._instruments = instruments
        self._identity = identity
        self._span_name = f"{_OPERATION} {identity['gen_ai.request.model']}"

    @property
    def model(self) -> str:
        return self._client.model

    @property
    def endpoint(self) -> str:
        return self._client.endpoint

    async def complete(self, request: Request) -> Completion:
        instruments, begin_s = self._instruments, time.perf_counter()
        attributes = {**self._identity, **_settings(request.generation), **_place()}
        span = instruments.tracer.start_span(self._span_name, kind=SpanKind.CLIENT, attributes=attributes)
        outcome: dict[str, str] = {}
        try:
            completion = await self._client.complete(request)
            _describe(span, completion)
        except BaseException as error:
            outcome["error.type"] = error.code if isinstance(error, AssayError) else type(error).__name__
            span.set_status(StatusCode.ERROR)
            span.set_attributes(outcome)
            raise
        finally:
            span.end()
            instruments.duration.record(time.perf_counter() - begin_s, {**self._identity, **outcome})
        self._count(completion)
        return completion

    def _count(self, completion: Completion) -> None:
        usage = completion.usage
        for kind, tokens in (("input", usage.input_tokens), ("output", usage.output_tokens)):
            if tokens is not None:
                self._instruments.tokens.record(tokens, {**self._identity, "gen_ai.token.type": kind})

    async def check(self, needs: frozenset[Need] = frozenset()) -> None:
        await self._client.check(needs)

    async def price(self) -> Price | None:
        return await self._client.price()

    async def close(self) -> None:
        await self._client.close()


def _identity(provider: str, name: str, endpoint: str) -> Attributes:
    """Attributes of every call of a client. Simulated models have no server."""
    identity: dict[str, str | int | float] = {
        "gen_ai.operation.name": _OPERATION,
        "gen_ai.provider.name": provider,
        "gen_ai.request.model": name,
    }
    address = urlsplit(endpoint)
    if address.hostname:
        identity["server.address"] = address.hostname
        identity["server.port"] = address.port or (443 if address.scheme == "https" else 80)
    return identity


def _settings(generation: Generation) -> Attributes:
    asked = {
        "gen_ai.request.temperature": generation.temperature,
        "gen_ai.request.top_p": generation.top_p,
        "gen_ai.request.max_tokens": generation.max_tokens,
        "gen_ai.request.seed": generation.seed,
    }
    return {name: value for name, value in asked.items() if value is not None}


def _place() -> Attributes:
    """The attempt that the call is for; empty for calls outside a run."""
    shard, attempt = SHARD.get(), ATTEMPT.get()
    if shard is None:
        return {}
    place: dict[str, str | int | float] = {
        "assay.run.id": shard.run_id,
        "assay.evaluation.id": shard.evaluation_id,
    }
    if attempt is not None:
        place |= {"assay.item.id": attempt.item_id, "assay.sample": attempt.sample}
    return place


def _describe(span: Span, completion: Completion) -> None:
    usage, timing = completion.usage, completion.timing
    ttft_ms = None if timing is None else timing.ttft_ms
    attributes: dict[str, str | float | None] = {
        "gen_ai.response.model": completion.served_model,
        "gen_ai.usage.input_tokens": usage.input_tokens,
        "gen_ai.usage.output_tokens": usage.output_tokens,
        "gen_ai.usage.reasoning.output_tokens": usage.reasoning_tokens,
        "gen_ai.usage.cache_read.input_tokens": usage.cached_tokens,
        "gen_ai.response.time_to_first_chunk": None if ttft_ms is None else ttft_ms / 1000,
    }
    span.set_attributes({name: value for name, value in attributes.items() if value is not None})
    if completion.finish_reason is not None:
        span.set_attribute("gen_ai.response.finish_reasons", [completion.finish_reason])
