"""Providers, the models they serve, and the registry."""

from dataclasses import asdict
from typing import TYPE_CHECKING

import typer

from assay.bootstrap import model_directory, model_lists
from assay.cli.event_loop import run_async
from assay.cli.output.write import printable, write_json, write_note, write_table
from assay.engine.clock import SystemClock
from assay.engine.models.registry import Synced, sync_models
from assay.installation import opened_stores
from assay.settings import Settings, load_settings

if TYPE_CHECKING:
    from assay.adapters.models.directory import ProviderStatus


def list_served(prefix: str, *, base_url: str | None, as_json: bool) -> None:
    directory = model_directory(load_settings())
    served = run_async(directory.served(prefix, base_url=base_url))
    names = [f"{prefix.rstrip('/')}/{one.name}" for one in served]
    if as_json:
        write_json({"models": names})
    else:
        typer.echo(printable("\n".join(names)) or "the endpoint lists no models")


def list_providers(*, as_json: bool) -> None:
    providers = run_async(model_directory(load_settings()).connected_providers())
    if as_json:
        write_json({"providers": [asdict(one) for one in providers]})
        return
    write_table(
        ("PREFIX", "READY", "ENDPOINT", "KEY FROM"),
        [
            (
                one.prefix,
                _readiness(one),
                one.base_url,
                one.key_variable,
            )
            for one in providers
        ],
        folded=("ENDPOINT",),
    )
    write_note("openai-api/NAME/: any other endpoint; set NAME_BASE_URL, and NAME_API_KEY where it wants one")


def _readiness(provider: "ProviderStatus") -> str:
    if provider.is_ready:
        return "yes"
    if provider.is_refusing:
        return "no answer"
    return "no key" if provider.base_url else "no address"


def sync_registry(provider: str | None, *, as_json: bool) -> None:
    done = run_async(_synced(load_settings(), provider))
    if as_json:
        write_json({"synced": sum(one.found for one in done), "providers": [_document(one) for one in done]})
        return
    read = [one for one in done if one.error is None]
    write_table(
        ("PROVIDER", "MODELS", "ACTIVE", "NEW", "GONE"),
        [
            (
                one.provider,
                f"{one.found:,}",
                f"{one.change.active:,}",
                f"{one.change.added:,}",
                f"{one.change.gone:,}",
            )
            for one in read
        ],
    )
    for one in done:
        if one.error is not None:
            write_note(f"{one.provider}: left as it was: {one.error}", err=True)


async def _synced(settings: Settings, provider: str | None) -> tuple[Synced, ...]:
    async with opened_stores(settings) as stores:
        now = SystemClock().now()
        return await sync_models(stores.registry, model_lists(settings), provider=provider, at=now)


def _document(one: Synced) -> dict[str, object]:
    return {"provider": one.provider, "synced": one.found, **asdict(one.change), "error": one.error}
