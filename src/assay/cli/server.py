"""Serves the API with the web UI."""

import ipaddress
import socket

import typer
import uvicorn

from assay.api.app import create_app, openapi_document
from assay.api.dependencies import ApiServices
from assay.bootstrap import opened_store, version
from assay.cli.session import run_async
from assay.domain.errors import InvalidValueError
from assay.engine.catalogue import Catalogue
from assay.settings import Settings, load_settings

__all__ = ["openapi_document", "serve_api"]


def serve_api(*, host: str | None, port: int | None) -> None:
    """Serve until interrupted."""
    settings = load_settings()
    listener = _listener(host or settings.assay_host, settings.assay_port if port is None else port)
    run_async(_serve(settings, listener))


async def _serve(settings: Settings, listener: socket.socket) -> None:
    async with opened_store(settings) as store:
        services = ApiServices(
            store=store,
            catalogue=Catalogue.installed(),
            version=version(),
            maintenance=settings.maintenance_mode,
            maintenance_message=settings.maintenance_message,
        )
        config = uvicorn.Config(create_app(services), access_log=False, log_level="warning", lifespan="off")
        host, port = listener.getsockname()[:2]
        typer.echo(f"Assay {version()} is up at http://{_shown(host)}:{port}/ui/ (stop with Ctrl-C)")
        await uvicorn.Server(config).serve(sockets=[listener])


def _listener(host: str, port: int) -> socket.socket:
    """A bound socket; beyond loopback everybody could read every run, so it is refused."""
    if not _is_loopback(host):
        raise InvalidValueError(
            f"{host!r} is not a loopback address and the API has no login:"
            " listen on 127.0.0.1 and put a proxy that authenticates in front"
        )
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
    return listener


def _is_loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def _shown(host: str) -> str:
    return f"[{host}]" if ":" in host else host
