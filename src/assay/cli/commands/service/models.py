"""`assay models`."""

from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from assay.cli import options

_DEFAULT = "list"


class _ListsByDefault(TyperGroup):
    """`assay models vllm` is short for `assay models list vllm`."""

    # Typer brings the class of contexts along under a private name.
    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:  # noqa: ANN401
        if not args or (args[0] not in self.commands and args[0] not in ctx.help_option_names):
            args = [_DEFAULT, *args]
        return super().parse_args(ctx, args)


app = typer.Typer(
    cls=_ListsByDefault,
    help="List providers and models, and keep the registry of models up to date.",
    rich_markup_mode=None,
)


@app.command(_DEFAULT)
def list_models(
    prefix: Annotated[
        str | None, typer.Argument(help="A provider, to ask its endpoint for the models it serves.")
    ] = None,
    *,
    base_url: Annotated[str | None, typer.Option(help="Address of the endpoint.")] = None,
    json: options.Json = False,
) -> None:
    """List the providers and built-in models, or the models an endpoint serves."""
    from assay.cli.actions.model_lists import list_providers, list_served

    if prefix is not None:
        list_served(prefix, base_url=base_url, as_json=json)
    else:
        list_providers(as_json=json)


@app.command()
def sync(
    provider: Annotated[
        str | None,
        typer.Argument(help="Whose catalogue to read; default: every provider with a key or an address."),
    ] = None,
    *,
    json: options.Json = False,
) -> None:
    """Bring the registry of models to what providers list now."""
    from assay.cli.actions.model_lists import sync_registry

    sync_registry(provider, as_json=json)
