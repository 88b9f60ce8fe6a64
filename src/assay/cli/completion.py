"""What the shell offers after Tab: runs, models and benchmarks, as far as they can be read."""

import contextlib
from collections.abc import Awaitable, Callable, Iterable
from typing import TYPE_CHECKING, TypeVar

from assay.domain.errors import AssayError

if TYPE_CHECKING:
    from assay.engine.stores import Stores

T = TypeVar("T")
# More are of no use after a Tab.
_MOST = 100

Offers = list[tuple[str, str]]


def run_ids(incomplete: str) -> Offers:
    """The newest runs first."""
    from assay.engine.stores.runs import RunFilter

    async def newest(stores: "Stores") -> Offers:
        page = await stores.runs.page(RunFilter(limit=_MOST))
        return [(run.id[:8], f"{run.state.value}: {', '.join(run.spec.models)}") for run in page.runs]

    return [offer for offer in _read(newest) if offer[0].startswith(incomplete)]


def models(incomplete: str) -> list[str]:
    """Providers and simulated models; after a provider, its models in the registry."""
    from assay.adapters.models.providers import GENERIC, KNOWN, SIMULATED
    from assay.adapters.models.sim_answers import MODELS
    from assay.engine.stores.registry import ModelFilter

    wanted = incomplete.rpartition(",")[2]

    async def registered(stores: "Stores") -> list[str]:
        page = await stores.registry.page(ModelFilter(search=wanted, limit=_MOST))
        return [model.id for model in page.models]

    names = [*(f"{SIMULATED}/{name}" for name in MODELS), *(f"{name}/" for name in (*KNOWN, GENERIC))]
    if "/" in wanted and not wanted.startswith(f"{SIMULATED}/"):
        names = _read(registered)
    return _continued(incomplete, names)


def benchmarks(incomplete: str) -> list[str]:
    """Variants are offered after the colon: only then is the benchmark loaded."""
    from importlib.metadata import entry_points

    from assay.domain.datasets.dataset import PREFIX
    from assay.engine.planning.catalogue import GROUP, Catalogue

    async def datasets(stores: "Stores") -> list[str]:
        return [f"{PREFIX}{one.name}" for one in await stores.datasets.list()]

    wanted = incomplete.rpartition(",")[2]
    if wanted.startswith((".", "/")):
        return _continued(incomplete, _benchmark_files(wanted))
    family, colon, _ = wanted.partition(":")
    plugins = entry_points(group=GROUP)
    names: Iterable[str] = sorted(plugin.name for plugin in plugins)
    if colon:
        names = Catalogue.installed(plugin for plugin in plugins if plugin.name == family).names
    if wanted[:1] == PREFIX[0]:
        names = [*names, *dict.fromkeys(_read(datasets))]
    return _continued(incomplete, names)


def _benchmark_files(start: str) -> list[str]:
    """Folders, and files that may hold a benchmark, as they are typed."""
    from pathlib import Path

    from assay.domain.datasets.benchmark_file import ENDINGS

    typed, _, _ = start.rpartition("/")
    folder = f"{typed}/" if "/" in start else ""
    found: list[str] = []
    with contextlib.suppress(OSError):
        for path in sorted(Path(folder or ".").iterdir()):
            if path.is_dir():
                found.append(f"{folder}{path.name}/")
            elif path.name.lower().endswith(ENDINGS):
                found.append(f"{folder}{path.name}")
    return found


def graders(incomplete: str) -> list[str]:
    from assay.domain.dataset_report import Grading

    return [name for name in Grading if name.startswith(incomplete)]


def _continued(incomplete: str, names: Iterable[str]) -> list[str]:
    """The list as typed so far, with each name that its last entry may become."""
    before, comma, last = incomplete.rpartition(",")
    return [f"{before}{comma}{name}" for name in names if name.startswith(last)]


def _read(work: "Callable[[Stores], Awaitable[list[T]]]") -> list[T]:
    """Empty where the store cannot be read."""
    from assay.cli.event_loop import run_async
    from assay.installation import opened_stores
    from assay.settings import load_settings

    async def done() -> list[T]:
        async with opened_stores(load_settings()) as stores:
            return await work(stores)

    try:
        return run_async(done())
    except AssayError:
        return []
