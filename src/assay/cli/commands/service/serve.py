"""`assay up`, `assay sim-server` and `assay openapi`."""

from typing import Annotated

import typer

from assay.cli import options


def up(
    *,
    host: Annotated[str | None, typer.Option(help="Address to listen on; default: ASSAY_HOST.")] = None,
    port: Annotated[int | None, typer.Option(help="Port to listen on; default: ASSAY_PORT.")] = None,
) -> None:
    """Serve the API and the web UI, and execute queued runs."""
    from assay.cli.service.server import serve_api

    serve_api(host=host, port=options.port(port), works=True)


def api(
    *,
    host: Annotated[str | None, typer.Option(help="Address to listen on; default: ASSAY_HOST.")] = None,
    port: Annotated[int | None, typer.Option(help="Port to listen on; default: ASSAY_PORT.")] = None,
) -> None:
    """Serve the API and the web UI only; `assay worker` processes execute the runs."""
    from assay.cli.service.server import serve_api

    serve_api(host=host, port=options.port(port), works=False)


def sim_server(
    *,
    host: Annotated[str, typer.Option(help="Address to listen on.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(help="Port to listen on; 0 takes a free one.")] = 8018,
    key: Annotated[str | None, typer.Option(help="Require this bearer key.")] = None,
    behaviour: Annotated[
        str, typer.Option(help="How it behaves, as a query such as chunks=32&ttft_ms=200&gap_ms=20.")
    ] = "",
    hostile: Annotated[
        str | None,
        typer.Option(help="Send replies of this kind, made to harm a client; `list` shows the kinds."),
    ] = None,
) -> None:
    """Serve a test endpoint that speaks the OpenAI chat API and misbehaves on request."""
    from assay.cli.service.simulation import serve_hostile, serve_simulation

    checked_port = options.port(port) or 0
    if hostile is not None:
        serve_hostile(hostile, host=host, port=checked_port)
    else:
        serve_simulation(host=host, port=checked_port, key=key, behaviour=behaviour)


def openapi() -> None:
    """Print the API's OpenAPI document."""
    from assay.cli.service.server import openapi_document

    typer.echo(openapi_document(), nl=False)
