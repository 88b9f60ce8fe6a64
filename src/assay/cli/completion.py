"""What the shell offers after Tab: runs, models and benchmarks, as far as they can be read."""

from collections.abc import Iterable

from assay.domain.errors import AssayError

# More are of no use after a Tab.
_MOST = 100

Offers = list[tuple[str, str]]


def run_ids(incomplete: str) -> Offers:
    """The newest runs first."""
    from assay.cli.event_loop import run_async
    from assay.engine.stores.runs import RunFilter
    from assay.installation import opened_stores
    from assay.settings import load_settings

    async def read() -> Offers:
        async with opened_stores(load_settings()) as stores:
            page = await stores.runs.page(RunFilter(limit=_MOST))
        return [(run.id[:8], f"{run.state.value}: {', '.join(run.spec.models)}") for run in page.runs]

    try:
        return [offer for offer in run_async(read()) if offer[0].startswith(incomplete)]
    except AssayError:
        return []


def models(incomplete: str) -> list[str]:
    """Providers and simulated models; after a provider, its models in the registry."""
    from assay.adapters.models.providers import GENERIC, KNOWN, SIMULATED
    from assay.adapters.models.sim_answers import MODELS

    wanted = incomplete.rpartition(",")[2]
    names = [*(f"{SIMULATED}/{name}" for name in MODELS), *(f"{name}/" for name in (*KNOWN, GENERIC))]
    if "/" in wanted and not wanted.startswith(f"{SIMULATED}/"):
        names = _registered(wanted)
    return _continued(incomplete, names)


def benchmarks(incomplete: str) -> list[str]:
    """Variants are offered after the colon: only then is the benchmark loaded."""
    from importlib.metadata import entry_points

    from assay.engine.planning.catalogue import GROUP, Catalogue

    family = incomplete.rpartition(",")[2].partition(":")
    plugins = entry_points(group=GROUP)
    names: Iterable[str] = sorted(plugin.name for plugin in plugins)
    if family[1]:
        names = Catalogue.installed(plugin for plugin in plugins if plugin.name == family[0]).names
    return _continued(incomplete, names)


def _continued(incomplete: str, names: Iterable[str]) -> list[str]:
    """The list as typed so far, with each name that its last entry may become."""
    before, comma, last = incomplete.rpartition(",")
    return [f"{before}{comma}{name}" for name in names if name.startswith(last)]


def _registered(wanted: str) -> list[str]:
    from assay.cli.event_loop import run_async
    from assay.engine.stores.registry import ModelFilter
    from assay.installation import opened_stores
    from assay.settings import load_settings

    async def read() -> list[str]:
        async with opened_stores(load_settings()) as stores:
            page = await stores.registry.page(ModelFilter(search=wanted, limit=_MOST))
        return [model.id for model in page.models]

    try:
        return run_async(read())
    except AssayError:
        return []
