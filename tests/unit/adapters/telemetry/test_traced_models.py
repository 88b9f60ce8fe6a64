from collections.abc import Mapping
from typing import Any

import pytest
from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.metrics.export import InMemoryMetricReader
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.trace import SpanKind, StatusCode

from assay.adapters.models.sim import SimulatedModel
from assay.adapters.telemetry.traced_models import Instruments, TracedDirectory
from assay.domain.access.secret import Secret
from assay.domain.benchmark import Need
from assay.domain.calls.messages import Completion, Generation, Prompt, Usage
from assay.domain.calls.pricing import Price
from assay.domain.errors import RateLimitedError
from assay.engine.ports import ModelClient, Request

REQUEST = Request(Prompt.of_user("a secret question"), Generation(temperature=0.5, max_tokens=100))


class Endpoint:
    """A model that answers, or fails."""

    model = "lab/vendor/one"
    endpoint = "https://models.example.org:8443/v1"

    def __init__(self, reply: Completion | Exception) -> None:
        self._reply = reply

    async def complete(self, request: Request) -> Completion:
        if isinstance(self._reply, Exception):
            raise self._reply
        return self._reply

    async def check(self, needs: frozenset[Need] = frozenset()) -> None:
        return

    async def price(self) -> Price | None:
        return None

    async def close(self) -> None:
        return


class Directory:
    def __init__(self, client: ModelClient) -> None:
        self._client = client

    def open(
        self,
        model: str,
        *,
        base_url: str | None = None,
        api_key: Secret | None = None,
        key_variable: str | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> ModelClient:
        return self._client


class Noted:
    """A traced model, and what was noted of it."""

    def __init__(self, client: ModelClient) -> None:
        self._spans = InMemorySpanExporter()
        self._metrics = InMemoryMetricReader()
        tracers = TracerProvider()
        tracers.add_span_processor(SimpleSpanProcessor(self._spans))
        instruments = Instruments(
            tracers.get_tracer("test"), MeterProvider([self._metrics]).get_meter("test")
        )
        directory = TracedDirectory(
            Directory(client), instruments, name_of=lambda _model, _url: ("lab", "vendor/one")
        )
        self.model = directory.open("lab/vendor/one")

    @property
    def span(self) -> ReadableSpan:
        (found,) = self._spans.get_finished_spans()
        return found

    def points(self) -> dict[str, list[Any]]:
        data = self._metrics.get_metrics_data()
        assert data is not None
        found = data.resource_metrics[0].scope_metrics[0].metrics
        return {metric.name: list(metric.data.data_points) for metric in found}


async def test_a_call_is_a_span_with_the_names_of_the_conventions() -> None:
    usage = Usage(input_tokens=12, output_tokens=5)
    reply = Completion("a secret answer", usage=usage, finish_reason="stop", served_model="one-1")
    noted = Noted(Endpoint(reply))

    assert await noted.model.complete(REQUEST) is reply

    span = noted.span
    assert span.name == "chat vendor/one"
    assert span.kind is SpanKind.CLIENT
    assert span.status.status_code is StatusCode.UNSET
    assert dict(span.attributes or {}) == {
        "gen_ai.operation.name": "chat",
        "gen_ai.provider.name": "lab",
        "gen_ai.request.model": "vendor/one",
        "gen_ai.request.temperature": 0.5,
        "gen_ai.request.max_tokens": 100,
        "gen_ai.response.model": "one-1",
        "gen_ai.response.finish_reasons": ("stop",),
        "gen_ai.usage.input_tokens": 12,
        "gen_ai.usage.output_tokens": 5,
        "server.address": "models.example.org",
        "server.port": 8443,
    }
    assert "secret" not in span.to_json()


async def test_a_call_that_fails_says_which_error_it_was_and_not_its_words() -> None:
    noted = Noted(Endpoint(RateLimitedError("you said: a secret question", status=429)))

    with pytest.raises(RateLimitedError):
        await noted.model.complete(REQUEST)

    assert noted.span.status.status_code is StatusCode.ERROR
    assert (noted.span.attributes or {})["error.type"] == RateLimitedError.code
    assert "secret" not in noted.span.to_json()
    (duration,) = noted.points()["gen_ai.client.operation.duration"]
    assert duration.attributes["error.type"] == RateLimitedError.code
    assert "gen_ai.client.token.usage" not in noted.points()


async def test_durations_and_tokens_are_histograms() -> None:
    usage = Usage(input_tokens=12, output_tokens=5)
    noted = Noted(Endpoint(Completion("so", usage=usage)))
    await noted.model.complete(REQUEST)
    await noted.model.complete(REQUEST)

    points = noted.points()
    (duration,) = points["gen_ai.client.operation.duration"]
    assert duration.count == 2
    assert duration.explicit_bounds[0] == 0.01
    tokens = {one.attributes["gen_ai.token.type"]: one for one in points["gen_ai.client.token.usage"]}
    assert {kind: one.sum for kind, one in tokens.items()} == {"input": 24, "output": 10}
    assert tokens["input"].explicit_bounds[-1] == 67_108_864


async def test_a_simulated_model_has_no_server() -> None:
    noted = Noted(SimulatedModel("sim/echo"))
    await noted.model.complete(REQUEST)
    assert not any(name.startswith("server.") for name in noted.span.attributes or {})
