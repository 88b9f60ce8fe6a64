"""A key that an endpoint sends back in its errors gets into no export."""

import io
import json
import zipfile
from collections.abc import AsyncGenerator, Iterator

import pytest
from aiohttp import web
from aiohttp.test_utils import TestServer

from assay.adapters.models.directory import HttpModelDirectory
from assay.domain.run import RunSpec
from assay.engine.execution.create import create_run
from assay.engine.execution.run_loop import execute_run
from assay.engine.exports.content import RunContent, run_content
from assay.engine.exports.exporter import Exporter
from assay.engine.exports.formats import ExportFormat
from assay.engine.models.retry import RetryPolicy
from tests.builders import rewired
from tests.exports import SIGNER, world

CANARY = "sk-canary-51f0c9-7be2"
# Letters are numbers of glyphs in a PDF: what goes into it is looked at instead.
EXPORTER = Exporter(signer=lambda: SIGNER, render_pdf=lambda report: json.dumps(report).encode())


class Reflector:
    """Answers every second call, and fails the others with all that it was sent."""

    def __init__(self) -> None:
        self.calls = 0

    async def answer(self, request: web.Request) -> web.Response:
        self.calls += 1
        if self.calls % 2:
            told = f"refused {request.headers['Authorization']} at {request.url}"
            return web.json_response({"error": {"message": told}}, status=500)
        reply = {"choices": [{"message": {"content": "a"}, "finish_reason": "stop"}], "model": "m"}
        return web.json_response(reply)


@pytest.fixture
async def content() -> AsyncGenerator[RunContent]:
    app = web.Application()
    app.router.add_post("/v1/chat/completions", Reflector().answer)
    async with TestServer(app) as server:
        environment = {
            "OPENROUTER_API_KEY": CANARY,
            "OPENROUTER_BASE_URL": str(server.make_url("/v1")).replace("://", f"://user:{CANARY}@"),
        }
        made = world()
        policy = RetryPolicy(first_delay_s=0)
        engine = rewired(made.engine, models=HttpModelDirectory(environment), retries=policy)
        spec = RunSpec(("openrouter/any",), ("letters",), data="demo")
        run = await execute_run(engine, (await create_run(engine, spec)).id)
        yield await run_content(made.store, engine.planner.catalogue, run.id, reveal=True)


def texts_of(written: bytes) -> Iterator[bytes]:
    """Everything inside a file, whatever it is packed in."""
    if written.startswith(b"PK"):
        with zipfile.ZipFile(io.BytesIO(written)) as archive:
            for name in archive.namelist():
                yield name.encode()
                yield from texts_of(archive.read(name))
    yield written


@pytest.mark.parametrize("wanted", list(ExportFormat))
async def test_no_key_gets_into_any_export(content: RunContent, wanted: ExportFormat) -> None:
    assert content.evaluations[0].summary.retried, "the endpoint did send the key back"
    file = io.BytesIO()
    await EXPORTER.export(content, wanted, file)
    assert all(CANARY.encode() not in text for text in texts_of(file.getvalue()))
