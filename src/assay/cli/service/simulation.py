"""Serves the test endpoint."""

from urllib.parse import parse_qsl

import typer

from assay.adapters.simserver.app import SimServerOptions, serve
from assay.adapters.simserver.script import Script
from assay.cli.event_loop import run_async


def serve_simulation(*, host: str, port: int, key: str | None, behaviour: str) -> None:
    """Serve the test endpoint until interrupted."""
    script = Script().with_options(dict(parse_qsl(behaviour, keep_blank_values=True)))
    options = SimServerOptions(host=host, port=port, api_key=key, script=script)
    run_async(
        serve(options, ready=lambda base_url: typer.echo(f"test endpoint at {base_url} (stop with Ctrl-C)"))
    )
