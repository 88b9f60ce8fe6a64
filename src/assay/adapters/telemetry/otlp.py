"""Sends spans and metrics to a collector, over OTLP with HTTP."""

import asyncio
from uuid import UUID

from opentelemetry.exporter.otlp.proto.http.metric_exporter import OTLPMetricExporter
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.metrics.export import PeriodicExportingMetricReader
from opentelemetry.sdk.resources import OTELResourceDetector, Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor
from opentelemetry.sdk.trace.id_generator import RandomIdGenerator

from assay.adapters.telemetry.traced_models import Instruments
from assay.engine.log_context import SHARD

_NAME = "assay"


class Telemetry:
    """`close` sends what is left, and waits no longer than the exporter does."""

    def __init__(self, endpoint: str, *, version: str) -> None:
        base = endpoint.rstrip("/")
        resource = Resource.create({"service.name": _NAME, "service.version": version})
        # OTEL_SERVICE_NAME and OTEL_RESOURCE_ATTRIBUTES override these values.
        resource = resource.merge(OTELResourceDetector().detect())
        self._traces = TracerProvider(resource=resource, id_generator=_RunIds())
        self._traces.add_span_processor(BatchSpanProcessor(OTLPSpanExporter(f"{base}/v1/traces")))
        reader = PeriodicExportingMetricReader(OTLPMetricExporter(f"{base}/v1/metrics"))
        self._metrics = MeterProvider([reader], resource=resource)
        self.instruments = Instruments(
            self._traces.get_tracer(_NAME, version), self._metrics.get_meter(_NAME, version)
        )

    async def close(self) -> None:
        await asyncio.gather(
            asyncio.to_thread(self._traces.shutdown), asyncio.to_thread(self._metrics.shutdown)
        )


class _RunIds(RandomIdGenerator):
    """Uses the id of the run as trace id, so that a run is one trace for all workers."""

    def generate_trace_id(self) -> int:
        shard = SHARD.get()
        return super().generate_trace_id() if shard is None else UUID(shard.run_id).int
