"""`assay composite`."""

from assay.cli import options


def composite(run_id: options.Run, *, json: options.Json = False) -> None:
    """Print the composite of each model of a run: quality, speed, cost, streaming, multimodal."""
    from assay.cli.actions.janus.show_composite import show_composite

    show_composite(run_id, as_json=json)
