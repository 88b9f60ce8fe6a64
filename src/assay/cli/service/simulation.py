"""Serves the test endpoint."""

import asyncio
from urllib.parse import parse_qsl

import typer

from assay.adapters.simserver.app import SimServerOptions, serve
from assay.adapters.simserver.hostile import hostile_running
from assay.adapters.simserver.hostile_kinds import KINDS
from assay.adapters.simserver.script import Script
from assay.cli.event_loop import run_async
from assay.domain.errors import UnknownNameError

_LIST = "list"


def serve_simulation(*, host: str, port: int, key: str | None, behaviour: str) -> None:
    """Serve the test endpoint until interrupted."""
    script = Script().with_options(dict(parse_qsl(behaviour, keep_blank_values=True)))
    options = SimServerOptions(host=host, port=port, api_key=key, script=script)
    run_async(serve(options, ready=_announce))


def serve_hostile(kind: str, *, host: str, port: int) -> None:
    """Serve replies of this kind until interrupted, or list the kinds."""
    if kind == _LIST:
        width = max(map(len, KINDS))
        for name, one in KINDS.items():
            typer.echo(f"{name:{width}}  {one.about} ({' or '.join(one.ends)})")
    elif kind not in KINDS:
        raise UnknownNameError("kind of hostile reply", kind, remedy="`--hostile list` shows the kinds")
    else:
        run_async(_serve_hostile(kind, host=host, port=port))


async def _serve_hostile(kind: str, *, host: str, port: int) -> None:
    async with hostile_running(KINDS, host=host, port=port) as address:
        _announce(f"{address}/{kind}/v1")
        await asyncio.Event().wait()


def _announce(base_url: str) -> None:
    typer.echo(f"test endpoint at {base_url} (stop with Ctrl-C)")
