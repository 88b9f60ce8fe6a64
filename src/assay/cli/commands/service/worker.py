"""`assay worker`."""

from typing import Annotated

import typer

from assay.cli import options


def worker(
    *,
    concurrency: Annotated[int | None, typer.Option(min=1, help="Shards executed at once.")] = None,
    grace: Annotated[
        float, typer.Option(help="Seconds that running shards get to finish when stopping.")
    ] = 20.0,
    health_port: Annotated[
        int | None, typer.Option(help="Answer GET /health on this port of the loopback address.")
    ] = None,
    only_model: Annotated[
        list[str] | None, typer.Option(help="Execute only what asks this model; may be given several times.")
    ] = None,
    only_owner: Annotated[
        list[str] | None,
        typer.Option(help="Execute only runs of this owner; may be given several times."),
    ] = None,
) -> None:
    """Execute queued runs until stopped; SIGTERM finishes or hands back what is under way."""
    from assay.cli.service.worker_process import run_worker
    from assay.domain.errors import InvalidValueError
    from assay.engine.execution.queue import Lane

    if grace < 0:
        raise InvalidValueError(f"--grace must be at least 0 seconds, not {grace:g}")
    lane = Lane(tuple(only_model or ()), tuple(only_owner or ()))
    run_worker(
        concurrency=concurrency,
        grace_s=grace,
        health_port=options.port(health_port, "--health-port"),
        lane=lane,
    )
