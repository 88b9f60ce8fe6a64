"""Spans and metrics reach a collector over OTLP, and nobody who named none pays for it."""

import subprocess
import sys
import threading
from collections.abc import Generator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from uuid import UUID

import pytest
from opentelemetry.proto.collector.metrics.v1.metrics_service_pb2 import ExportMetricsServiceRequest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.common.v1.common_pb2 import KeyValue
from opentelemetry.proto.trace.v1.trace_pb2 import Span

from assay.bootstrap import opened_engine
from assay.domain.errors import MissingExtraError
from assay.settings import Settings
from tests.integration.cli import Assay, sim_server

KEY = "sk-never-to-be-seen"


class Collector(ThreadingHTTPServer):
    """Keeps what it is sent."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Receiver)
        self.received: list[tuple[str, bytes]] = []

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}"

    def of(self, path: str) -> list[bytes]:
        return [body for at, body in self.received if at == path]


class _Receiver(BaseHTTPRequestHandler):
    def do_POST(self) -> None:
        assert isinstance(self.server, Collector)
        self.server.received.append((self.path, self.rfile.read(int(self.headers["Content-Length"]))))
        self.send_response(200)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 # as the class has it
        return


@contextmanager
def collector() -> Generator[Collector]:
    with Collector() as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            yield server
        finally:
            server.shutdown()
            thread.join()


def spans_of(bodies: list[bytes]) -> list[Span]:
    found: list[Span] = []
    for body in bodies:
        for resource in ExportTraceServiceRequest.FromString(body).resource_spans:
            assert ("service.name", "assay") in texts(resource.resource.attributes).items()
            found += [span for scope in resource.scope_spans for span in scope.spans]
    return found


def texts(attributes: "list[KeyValue] | object") -> dict[str, str]:
    assert not isinstance(attributes, str)
    return {one.key: one.value.string_value for one in attributes}  # pyright: ignore[reportGeneralTypeIssues, reportUnknownVariableType, reportUnknownMemberType, reportAttributeAccessIssue] # protobuf's containers have no useful type


def test_every_call_of_a_run_reaches_the_collector_without_what_was_said(tmp_path: Path) -> None:
    with collector() as server:
        assay = Assay(tmp_path / "home", (("OTEL_EXPORTER_OTLP_ENDPOINT", server.url), ("X_API_KEY", KEY)))
        with sim_server(assay, "--key", KEY, "--behaviour", "status=429&every=10&retry_after=0") as base_url:
            run = assay.json(
                "run", "openai-api/x/test/letter", "mmlu_pro", "--data", "demo", "--base-url", base_url
            )
        spans, metrics = spans_of(server.of("/v1/traces")), server.of("/v1/metrics")
        everything = b"".join(body for _, body in server.received)

    failed = [span for span in spans if "error.type" in texts(span.attributes)]
    assert len(spans) == 42 + len(failed)
    assert {texts(span.attributes)["error.type"] for span in failed} == {"rate-limited"}
    assert {span.trace_id for span in spans} == {UUID(run["run_id"]).bytes}
    told = {one.key: one.value for one in spans[0].attributes}
    assert told["gen_ai.request.model"].string_value == "test/letter"
    assert told["server.address"].string_value == "127.0.0.1"
    assert told["assay.run.id"].string_value == run["run_id"]
    assert {"assay.evaluation.id", "assay.item.id", "assay.sample"} <= told.keys()
    names = [
        metric.name
        for body in metrics
        for resource in ExportMetricsServiceRequest.FromString(body).resource_metrics
        for scope in resource.scope_metrics
        for metric in scope.metrics
    ]
    assert {"gen_ai.client.operation.duration", "gen_ai.client.token.usage"} <= set(names)
    assert KEY.encode() not in everything
    assert b"Answer" not in everything
    assert b"options" not in everything


async def test_without_the_extra_it_is_said_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "assay.adapters.telemetry.otlp", None)
    settings = Settings(assay_home=tmp_path, otel_exporter_otlp_endpoint="http://127.0.0.1:4318")
    with pytest.raises(MissingExtraError, match=r"assay-benchmarks\[otel\]"):
        async with opened_engine(settings):
            pass


def test_nothing_of_it_is_imported_where_no_collector_is_named() -> None:
    look = "import sys, assay.bootstrap; print([name for name in sys.modules if 'telemetry.sdk' in name])"
    done = subprocess.run([sys.executable, "-c", look], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
