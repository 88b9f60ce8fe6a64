"""Serves the API with the web UI."""

import asyncio
import ipaddress
import socket
from contextlib import nullcontext
from dataclasses import replace
from datetime import timedelta
from functools import partial
from types import FrameType
from typing import cast
from urllib.parse import urlsplit

import typer
import uvicorn
from fastapi import FastAPI

from assay.adapters.models.wire.keepalive import probe_peer
from assay.adapters.signing.ed25519 import is_signed_by
from assay.adapters.webhooks.sender import send_webhook
from assay.api.app import close_streams, create_app, openapi_document
from assay.api.dependencies import ApiServices, ExpertQaDefaults, ExportService, Maintenance
from assay.api.endpoint_policy import LOOPBACK, EndpointPolicy
from assay.api.schemas.overview import WorkerConfig
from assay.api.webhooks.delivery import deliver_webhooks
from assay.bootstrap import (
    examined_sandboxes,
    exporter,
    kept_replies,
    keyless_providers,
    keyring,
    lm_studio,
    model_directory,
    model_lists,
    opened_engine,
    sandbox_telemetry,
    sign_in,
)
from assay.cli.event_loop import run_async
from assay.cli.service.connections import KEEP_ALIVE_S, TimedHttpProtocol
from assay.cli.service.logs import set_up_logs
from assay.cli.service.workers import sole_worker, worker_loop
from assay.domain.access.identity import LOCAL_PREFIX
from assay.domain.errors import InvalidValueError
from assay.engine.execution.engine import Engine
from assay.engine.fleet.audit_retention import forget_old_entries
from assay.engine.fleet.minutes import note_minutes
from assay.engine.fleet.retention import keep_offloading
from assay.engine.loop_watchdog import LoopWatchdog
from assay.engine.planning.plan_cache import freeze_loaded_objects
from assay.engine.stores import Stores
from assay.engine.tasks import task_group
from assay.installation import version
from assay.settings import Settings, load_settings

__all__ = ["openapi_document", "serve_api"]

_GRACE_S = 5.0
_BACKLOG = 2048


def serve_api(*, host: str | None, port: int | None, works: bool) -> None:
    """Serve until interrupted; with `works`, queued runs are executed in this process too."""
    settings = load_settings()
    set_up_logs(settings)
    address = host or settings.assay_host
    listener = _listener(address, settings.assay_port if port is None else port)
    run_async(_serve(settings, listener, works=works and not settings.worker_disabled))


async def _serve(settings: Settings, listener: socket.socket, *, works: bool) -> None:
    async with opened_engine(settings, is_shared=True) as engine:
        is_local = _is_loopback(listener.getsockname()[0])
        if not is_local:
            await _require_a_user(settings, engine.stores)
        with sole_worker(settings) if works else nullcontext() as worker_id:
            worker = worker_loop(settings, engine, grace_s=_GRACE_S, worker_id=worker_id) if works else None
            watchdog = LoopWatchdog()
            services = replace(
                _services(settings, engine, is_local=is_local),
                hosts=_names(settings, listener),
                executor=worker.executor if worker else None,
                watchdog=watchdog,
            )
            await engine.queue.set_open(is_open=not settings.maintenance_mode)
            stop = asyncio.Event()
            app = create_app(services)
            # Otherwise done for the first request, while everything else waits for most of a second.
            app.openapi()
            freeze_loaded_objects()
            async with watchdog.watching(), task_group() as group:
                if worker:
                    group.create_task(worker.run(stop))
                endless = [
                    group.create_task(note_minutes(engine.stores.fleet, engine.stores.runs, engine.clock)),
                    group.create_task(deliver_webhooks(services, send_webhook)),
                    group.create_task(
                        forget_old_entries(
                            engine.stores.identity,
                            engine.clock,
                            kept_for=timedelta(days=settings.assay_audit_days),
                        )
                    ),
                ]
                if settings.assay_offload_after_days is not None:
                    after = timedelta(days=settings.assay_offload_after_days)
                    offloading = keep_offloading(engine.stores, engine.clock, after=after)
                    endless.append(group.create_task(offloading))
                await _answer(app, listener)
                stop.set()
                for task in endless:
                    task.cancel()


def _services(settings: Settings, engine: Engine, *, is_local: bool) -> ApiServices:
    return ApiServices(
        engine=engine,
        directory=model_directory(settings),
        version=version(),
        model_lists=model_lists(settings),
        maintenance=Maintenance(settings.maintenance_mode, settings.maintenance_message),
        admin_secret=settings.admin_secret,
        endpoints=endpoint_policy(settings, is_local=is_local),
        cors_origins=settings.cors_origins,
        sandbox_telemetry=sandbox_telemetry(settings),
        worker_config=_worker_config(settings),
        sign_in=sign_in(settings, engine.stores.identity),
        frontend_url=settings.frontend_url,
        webhook_secret=settings.webhook_secret,
        benchmark_token=settings.benchmark_api_token,
        expert_qa=_expert_qa(settings),
        keep_reply=kept_replies(settings).keep,
        agents=settings.assay_home.absolute() / "agents",
        lm_studio=lm_studio(settings),
        needs_identity=settings.assay_require_login or not is_local,
        max_active_runs=settings.assay_max_active_runs,
        requests_per_minute=settings.assay_requests_per_minute,
        upload_bytes=settings.assay_max_upload_mb * 1024**2,
        examine_sandboxes=partial(examined_sandboxes, settings),
        export_service=ExportService(exporter(settings), keyring(settings), is_signed_by),
    )


def _expert_qa(settings: Settings) -> ExpertQaDefaults:
    file = settings.expert_qa_questions
    return ExpertQaDefaults(
        settings.expert_qa_judge_model, "official" if file is None else str(file.absolute())
    )


async def _answer(app: FastAPI, listener: socket.socket) -> None:
    config = uvicorn.Config(
        app,
        access_log=False,
        # What it has to say goes the way of all other messages.
        log_config=None,
        log_level="warning",
        lifespan="off",
        timeout_graceful_shutdown=int(_GRACE_S),
        timeout_keep_alive=KEEP_ALIVE_S,
        http=TimedHttpProtocol,
    )
    host, port = listener.getsockname()[:2]
    typer.echo(f"Assay {version()} is up at http://{_shown(host)}:{port}/ui/ (stop with Ctrl-C)")
    await _Server(config).serve(sockets=[listener])


class _Server(uvicorn.Server):
    """Ends the streams of events first: they never end by themselves."""

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        close_streams(cast("FastAPI", self.config.app))  # what we gave it
        super().handle_exit(sig, frame)


def endpoint_policy(settings: Settings, *, is_local: bool) -> EndpointPolicy:
    """Callers from elsewhere reach nothing on this machine through the API, unless a setting allows it.

    Those who have to sign in may come from elsewhere, through a proxy on this machine.
    """
    hosts = settings.assay_allowed_endpoints
    if hosts is None:
        hosts = LOOPBACK if is_local and not settings.assay_require_login else ()
    return EndpointPolicy(keyless_providers(settings), hosts)


def _worker_config(settings: Settings) -> WorkerConfig:
    return WorkerConfig(
        max_concurrent_runs=settings.worker_max_concurrent,
        item_concurrency=settings.worker_item_concurrency,
        item_timeout_seconds=settings.worker_item_timeout_seconds,
        item_attempts=settings.worker_item_attempts,
        heartbeat_seconds=settings.worker_heartbeat_seconds,
        stale_after_seconds=5 * settings.worker_heartbeat_seconds,
        endpoint_connections=settings.assay_endpoint_connections,
    )


async def _require_a_user(settings: Settings, stores: Stores) -> None:
    """Beyond loopback only those are answered who say who they are; there must be a way to."""
    is_possible = settings.has_identity_provider or settings.admin_secret
    if not is_possible and not any(one.id.startswith(LOCAL_PREFIX) for one in await stores.identity.users()):
        raise InvalidValueError(
            "that is not a loopback address, and nobody could sign in: make an access key with"
            " `assay users add NAME`, or set OIDC_ISSUER for logins with an identity provider"
        )


def _names(settings: Settings, listener: socket.socket) -> tuple[str, ...]:
    """What the server is called by, beside the names of loopback."""
    frontend = urlsplit(settings.frontend_url or "").hostname
    own = (frontend, listener.getsockname()[0])
    return (*settings.assay_allowed_hosts, *(name for name in own if name))


def _listener(host: str, port: int) -> socket.socket:
    """A bound socket."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listener = socket.socket(family, socket.SOCK_STREAM)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((host, port))
    except OSError as error:
        listener.close()
        raise InvalidValueError(
            f"cannot listen on {host}:{port}: {error.strerror}; choose another with --port"
        ) from error
    probe_peer(listener)
    # From here on the system takes connections, which wait until they are answered.
    listener.listen(_BACKLOG)
    return listener


def _is_loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def _shown(host: str) -> str:
    return f"[{host}]" if ":" in host else host
