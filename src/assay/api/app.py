"""The HTTP API and the web UI as one ASGI application."""

import asyncio
import contextlib
from collections.abc import Iterable, Iterator, Mapping
from functools import partial
from http import HTTPStatus
from types import ModuleType
from typing import Any, Final

import orjson
from fastapi import Depends, FastAPI
from fastapi.middleware.cors import CORSMiddleware
from fastapi.routing import APIRoute

from assay.api import web
from assay.api.access.actor import limit_address, require_access
from assay.api.access.guard import Guard
from assay.api.access.key_holders import KeyHolders
from assay.api.access.key_throttle import KeyThrottle
from assay.api.access.rate_limit import RateLimit
from assay.api.caches import ApiCaches, ExpiringValue, LruCache, RunJsonCache
from assay.api.dependencies import ApiServices
from assay.api.errors import PROBLEM_TYPE, install_error_handlers, problems
from assay.api.events.event_hub import EventHub, HubOptions
from assay.api.harness import artifacts as harness_artifacts
from assay.api.harness import leaderboard as harness_leaderboard
from assay.api.harness import models as harness_models
from assay.api.harness import pages as harness_pages
from assay.api.harness import questions as harness_questions
from assay.api.harness import runs as harness_runs
from assay.api.harness import stream as harness_stream
from assay.api.harness import tasks as harness_tasks
from assay.api.openai_errors import OpenAIRoute, openai_errors
from assay.api.openapi import describe
from assay.api.operations.metrics import Metrics
from assay.api.operations.overview import run_outlooks
from assay.api.operations.token_stats import token_stats
from assay.api.routes import (
    admin,
    answers,
    arena,
    auth,
    catalogue,
    compare,
    composites,
    control,
    events,
    exports,
    fidelity,
    items,
    leaderboard,
    load_tests,
    models,
    noise,
    ops,
    race,
    reviews,
    runs,
    sample_sizes,
    sandy,
    system,
)
from assay.api.routes.batch import (
    dataset_runs,
    datasets,
    openai_batches,
    openai_files,
    openai_models,
    webhooks,
    workbench,
)
from assay.api.runs.dataset_runs import active_dataset_runs
from assay.api.schemas.batch.workbench import WorkbenchProgress
from assay.api.schemas.code_tasks import CodeTasks
from assay.api.schemas.runs import Run, RunDetail
from assay.api.schemas.sandboxes import SandboxReport
from assay.domain.errors import AssayError
from assay.domain.registry import ListedModel
from assay.engine.fleet.queue_estimate import PaceMeter
from assay.engine.identity.audit import AuditLog
from assay.engine.models.registry import sync_models
from assay.engine.results.leaderboard import PairMemory

# The version of the interface: it changes when clients have to.
API_VERSION: Final = "1"
_FIRST_ERROR: Final = 400
_CORS_HEADERS: Final = (
    "Authorization",
    "Content-Type",
    "Idempotency-Key",
    "Last-Event-ID",
    "X-API-Key",
    "X-Admin-Secret",
)
_PUBLIC: Final = (system, auth, harness_pages)
# Callers of these may have to identify themselves.
_PROTECTED: Final = (
    catalogue,
    models,
    runs,
    control,
    items,
    composites,
    fidelity,
    noise,
    race,
    sample_sizes,
    reviews,
    events,
    exports,
    compare,
    leaderboard,
    load_tests,
    arena,
    ops,
    sandy,
    admin,
    answers,
    datasets,
    dataset_runs,
    openai_files,
    openai_batches,
    openai_models,
    webhooks,
    workbench,
    harness_runs,
    harness_leaderboard,
    harness_models,
    harness_artifacts,
    harness_tasks,
    harness_questions,
)

# Each entry holds one value per item of its evaluations.
_CACHED_AGREEMENTS: Final = 8
_LATENCIES_MAX_AGE_S: Final = 60.0
_TOKENS_MAX_AGE_S: Final = 60.0
_METRICS_MAX_AGE_S: Final = 5.0
_OUTLOOKS_MAX_AGE_S: Final = 2.0
_WORKBENCH_MAX_AGE_S: Final = 1.0
_SANDBOXES_MAX_AGE_S: Final = 60.0
# Limits how often requests that name unknown models make the server read the lists of providers.
_REGISTRY_MAX_AGE_S: Final = 60.0
_TOOLCHAINS_MAX_AGE_S: Final = 60.0
# Its list is public, so it can be read for callers who bring their own key.
_PUBLIC_LIST: Final = "chutes"
_OPENROUTER: Final = "openrouter"


class Api(FastAPI):
    """Describes error responses with the media type of problem details, and every field and parameter."""

    def openapi(self) -> dict[str, Any]:
        if self.openapi_schema is None:
            document = super().openapi()
            for response in _error_responses(document):
                [described] = response["content"].values()
                if described["schema"]["$ref"].endswith("Problem"):
                    response["content"] = {PROBLEM_TYPE: described}
            describe(document, public=[route.path for route in _routes(_PUBLIC)])
        return super().openapi()


def create_app(services: ApiServices, *, hub: HubOptions | None = None) -> FastAPI:
    app = _described_api()
    app.state.services = services
    app.state.events = EventHub(services.stores, hub or HubOptions())
    app.state.key_throttle = KeyThrottle(services.clock.monotonic)
    app.state.key_holders = KeyHolders(services.stores.identity)
    app.state.rate_limit = RateLimit(services.requests_per_minute, services.clock.monotonic)
    app.state.audit_log = AuditLog(services.stores.identity, services.clock)
    app.state.caches = _caches(services, app.state.key_throttle)
    app.add_middleware(
        Guard, hosts=services.hosts, origins=services.own_origins, upload_bytes=services.upload_bytes
    )
    web.install_web(app, version=services.version, ui=services.ui)
    if services.cors_origins:
        # The outermost, as refusals need its headers too: otherwise a page cannot read why.
        app.add_middleware(
            CORSMiddleware,
            allow_origins=services.cors_origins,
            allow_credentials=True,
            allow_methods=["*"],
            allow_headers=_CORS_HEADERS,
            expose_headers=["Location", "Retry-After"],
        )
    return app


def close_streams(app: FastAPI) -> None:
    """End all event streams, which would delay the shutdown of the server; their clients reconnect."""
    hub: EventHub = app.state.events
    hub.close()


def openapi_document() -> bytes:
    """The OpenAPI description as JSON bytes; the types of the web UI are generated from it."""
    return orjson.dumps(_described_api().openapi(), option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE)


def _described_api() -> Api:
    # The documentation pages of FastAPI load scripts from a CDN, which the content security policy forbids.
    app = Api(
        title="Assay",
        summary="Benchmark any model. Prove every score.",
        version=API_VERSION,
        openapi_url=web.OPENAPI_PATH,
        docs_url=None,
        redoc_url=None,
        generate_unique_id_function=_operation_id,
        # Any request may name a wrong host, or arrive while the store is unavailable.
        responses=problems(HTTPStatus.MISDIRECTED_REQUEST, HTTPStatus.SERVICE_UNAVAILABLE),
    )
    install_error_handlers(app)
    for module in _PUBLIC:
        refusals = problems(HTTPStatus.TOO_MANY_REQUESTS)
        app.include_router(module.router, dependencies=[Depends(limit_address)], responses=refusals)
    for module in _PROTECTED:
        described = openai_errors if module.router.route_class is OpenAIRoute else problems
        refusals = described(HTTPStatus.UNAUTHORIZED, HTTPStatus.FORBIDDEN, HTTPStatus.TOO_MANY_REQUESTS)
        app.include_router(module.router, dependencies=[Depends(require_access)], responses=refusals)
    app.include_router(workbench.live)
    app.include_router(harness_stream.live)
    # An application does not list the routes of its included routers.
    app.state.routes = _routes((*_PUBLIC, *_PROTECTED))
    return app


def _routes(modules: Iterable[ModuleType]) -> tuple[APIRoute, ...]:
    return tuple(route for module in modules for route in module.router.routes if isinstance(route, APIRoute))


def _caches(services: ApiServices, throttle: KeyThrottle) -> ApiCaches:
    stores, clock = services.stores, services.clock

    async def sandboxes() -> SandboxReport:
        return SandboxReport.of(await services.examine_sandboxes(), at=clock.now())

    async def workbench_progress() -> WorkbenchProgress:
        return WorkbenchProgress(jobs=await active_dataset_runs(services), timestamp=clock.now())

    async def sync_registry() -> None:
        provider = None if services.model_lists.configured() else _PUBLIC_LIST
        # Where a list cannot be read, the model stays unknown, and the response says so.
        with contextlib.suppress(AssayError):
            await sync_models(stores.registry, services.model_lists, provider=provider, at=clock.now())

    async def openrouter_models() -> Mapping[str, ListedModel]:
        return {one.slug: one for one in await services.model_lists.listed(_OPENROUTER)}

    async def code_tasks() -> CodeTasks:
        return await asyncio.to_thread(harness_tasks.available_tasks, services.engine.grading.prepared)

    pace = PaceMeter()
    return ApiCaches(
        pairs=PairMemory(stores.attempts),
        pace=pace,
        summaries=LruCache(),
        categories=LruCache(size=32),
        latencies=LruCache(),
        agreements=LruCache(size=_CACHED_AGREEMENTS),
        composites=LruCache(),
        fidelity=LruCache(),
        races=LruCache(),
        item_latencies_ms=ExpiringValue(stores.attempts.item_latencies_ms, max_age_s=_LATENCIES_MAX_AGE_S),
        tokens=ExpiringValue(partial(token_stats, stores.runs, clock), max_age_s=_TOKENS_MAX_AGE_S),
        metrics=ExpiringValue(
            Metrics(services.engine, throttle, services.watchdog).exposition, max_age_s=_METRICS_MAX_AGE_S
        ),
        listed_runs=RunJsonCache(Run.of),
        detailed_runs=RunJsonCache(RunDetail.of),
        outlooks=ExpiringValue(partial(run_outlooks, services, pace), max_age_s=_OUTLOOKS_MAX_AGE_S),
        workbench=ExpiringValue(workbench_progress, max_age_s=_WORKBENCH_MAX_AGE_S),
        sandboxes=ExpiringValue(sandboxes, max_age_s=_SANDBOXES_MAX_AGE_S),
        registry_sync=ExpiringValue(sync_registry, max_age_s=_REGISTRY_MAX_AGE_S),
        openrouter_models=ExpiringValue(openrouter_models, max_age_s=_REGISTRY_MAX_AGE_S),
        harness_runs=LruCache(),
        code_tasks=ExpiringValue(code_tasks, max_age_s=_TOOLCHAINS_MAX_AGE_S),
    )


def _operation_id(route: APIRoute) -> str:
    return route.name


def _error_responses(description: dict[str, Any]) -> Iterator[dict[str, Any]]:
    for path in description["paths"].values():
        for operation in path.values():
            for status, response in operation["responses"].items():
                if int(status) >= _FIRST_ERROR:
                    yield response
