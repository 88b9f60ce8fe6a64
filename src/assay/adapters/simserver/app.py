"""The test endpoint's HTTP server."""

import asyncio
import logging
from collections import Counter
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

import orjson
from aiohttp import web
from aiohttp.http import HttpProcessingError

from assay.adapters.simserver import wire
from assay.adapters.simserver.script import MODELS, Script, header_options, scripted
from assay.adapters.simserver.stream import StreamReply
from assay.domain.errors import UsageError

_JSON = "application/json"
_LISTED_PRICE = {"prompt": "0.000001", "completion": "0.000002"}
# Replies that stall on purpose would delay the shutdown.
_SHUTDOWN_S = 0.1


def _in_one_line(record: logging.LogRecord) -> bool:
    """A request that is not HTTP is the client's fault: where the parser noticed it tells nobody anything."""
    if record.exc_info and isinstance(record.exc_info[1], HttpProcessingError):
        record.msg, record.args, record.exc_info = "a request was not HTTP", (), None
    return True


_log = logging.getLogger(__name__)
_log.addFilter(_in_one_line)


@dataclass(frozen=True, slots=True)
class SimServerOptions:
    """Address, key, and how the endpoint behaves unless a request says otherwise."""

    host: str = "127.0.0.1"
    port: int = 0
    api_key: str | None = field(default=None, repr=False)
    script: Script = field(default_factory=Script)
    # Model names in addition to the built-in ones.
    models: tuple[str, ...] = ()
    lists_models: bool = True


@dataclass(slots=True)
class Stats:
    """Counts of the requests so far."""

    requests: int = 0
    streams: int = 0
    with_stream_options: int = 0
    in_flight: int = 0
    max_in_flight: int = 0
    statuses: Counter[int] = field(default_factory=Counter[int])

    def to_json(self) -> bytes:
        return orjson.dumps(self, option=orjson.OPT_NON_STR_KEYS)


class SimServer:
    def __init__(self, options: SimServerOptions) -> None:
        self._options = options
        self._names = frozenset({*MODELS, *options.models})
        self._authorization = f"Bearer {options.api_key}" if options.api_key else None
        self.stats = Stats()

    async def handle(self, request: web.BaseRequest) -> web.StreamResponse:
        # A router and middleware would take as long as the reply itself.
        path = request.path
        if path == "/v1/chat/completions":
            return await self._completion(request)
        if path == "/v1/models":
            return self._models(request)
        if path == "/sim/stats":
            return web.Response(body=self.stats.to_json(), content_type=_JSON)
        return self._failure(404, message=f"no route {path!r}")

    def _models(self, request: web.BaseRequest) -> web.Response:
        if not self._is_allowed(request):
            return self._unauthorized()
        if not self._options.lists_models:
            return self._failure(404, message=f"no route {request.path!r}")
        rows = [{"id": name, "object": "model", "pricing": _LISTED_PRICE} for name in sorted(self._names)]
        return web.Response(body=orjson.dumps({"object": "list", "data": rows}), content_type=_JSON)

    async def _completion(self, request: web.BaseRequest) -> web.StreamResponse:
        stats = self.stats
        stats.requests += 1
        stats.in_flight += 1
        stats.max_in_flight = max(stats.max_in_flight, stats.in_flight)
        try:
            return await self._reply(request, stats.requests)
        finally:
            stats.in_flight -= 1

    async def _reply(self, request: web.BaseRequest, number: int) -> web.StreamResponse:
        if not self._is_allowed(request):
            return self._unauthorized()
        ask = wire.parse_ask(await request.content.read())
        if ask is None:
            return self._failure(400, message="the body is not a chat completion request")
        if ask.model.partition("?")[0] not in self._names:
            return self._failure(404, code="model_not_found", message=f"no model {ask.model!r}")
        try:
            script = scripted(self._options.script, ask.model)
            options = header_options(request.headers.items())
            script = script.with_options(options) if options else script
        except UsageError as error:
            return self._failure(400, message=error.message)
        if failure := self._scripted_failure(script, ask, number):
            return failure
        return await self._success(request, script, ask)

    def _scripted_failure(self, script: Script, ask: wire.Ask, number: int) -> web.Response | None:
        if script.rejects and script.rejects in ask.fields:
            return self._failure(400, code="unknown_field", message="unknown field", param=script.rejects)
        if (
            script.status == 0
            or number % max(1, script.every)
            or _chance(script.seed, number) >= script.share
        ):
            return None
        failure = self._failure(script.status, code=script.code, message="asked to fail")
        if script.retry_after:
            failure.headers["Retry-After"] = script.retry_after
        return failure

    async def _success(self, request: web.BaseRequest, script: Script, ask: wire.Ask) -> web.StreamResponse:
        self.stats.statuses[200] += 1
        self.stats.with_stream_options += ask.wants_usage
        if ask.stream and not script.plain:
            self.stats.streams += 1
            return await StreamReply(script, ask).send(request)
        if script.ttft_ms:
            await asyncio.sleep(script.ttft_ms / 1000)
        return web.Response(body=wire.unary_body(script, ask), content_type=_JSON)

    def _is_allowed(self, request: web.BaseRequest) -> bool:
        return self._authorization is None or request.headers.get("Authorization") == self._authorization

    def _unauthorized(self) -> web.Response:
        return self._failure(401, code="invalid_api_key", message="wrong key")

    def _failure(
        self, status: int, *, message: str, code: str = "", param: str | None = None
    ) -> web.Response:
        self.stats.statuses[status] += 1
        body = wire.error_body(status, code=code, message=message, param=param)
        return web.Response(status=status, body=body, content_type=_JSON)


def _chance(seed: int, number: int) -> float:
    """A fixed, evenly spread sequence in [0, 1): the same requests fail in every run."""
    return ((seed + number) * 2_654_435_761 % 2**32) / 2**32


@asynccontextmanager
async def running(options: SimServerOptions | None = None) -> AsyncGenerator[str]:
    """Serve on a free port until the block ends; yields the base URL."""
    options = options or SimServerOptions()
    server = web.Server(SimServer(options).handle, access_log=None, handler_cancellation=True, logger=_log)
    runner = web.ServerRunner(server, handle_signals=False, shutdown_timeout=_SHUTDOWN_S)
    await runner.setup()
    try:
        site = web.TCPSite(runner, options.host, options.port, backlog=4096)
        await site.start()
        host, port = runner.addresses[0][:2]
        yield f"http://{host}:{port}/v1"
    finally:
        await runner.cleanup()


async def serve(options: SimServerOptions, *, ready: Callable[[str], None] | None = None) -> None:
    """Serve until cancelled; `ready` is called with the base URL."""
    async with running(options) as base_url:
        if ready:
            ready(base_url)
        await asyncio.Event().wait()
