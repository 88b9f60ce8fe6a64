"""Finds users' data sets among the benchmarks that a run names."""

import asyncio
from collections.abc import Sequence
from dataclasses import replace

from assay.domain.dataset import PREFIX, DatasetRef
from assay.domain.run import RunSpec
from assay.engine.datasets.benchmark import DatasetBenchmark
from assay.engine.datasets.files import DatasetShelf
from assay.engine.planning.catalogue import Catalogue
from assay.engine.stores.datasets import DatasetStore


def is_dataset(benchmark: str) -> bool:
    return benchmark.startswith(PREFIX)


async def stocked(
    catalogue: Catalogue, names: Sequence[str], *, store: DatasetStore, shelf: DatasetShelf
) -> Catalogue:
    """The catalogue with those of the names that are data sets in it; raises UnknownNameError."""
    wanted = [name for name in names if is_dataset(name)]
    if not wanted:
        return catalogue
    datasets = [await store.dataset_named(DatasetRef.parse(name)) for name in wanted]
    found = await asyncio.to_thread(
        lambda: [DatasetBenchmark(one, shelf.open(one.sha256)) for one in datasets]
    )
    return catalogue.extended(found)


async def pinned(spec: RunSpec, store: DatasetStore) -> RunSpec:
    """The same specification with every data set named by its version: a later upload changes no run."""
    if not any(map(is_dataset, spec.benchmarks)):
        return spec
    names = [
        (await store.dataset_named(DatasetRef.parse(name))).benchmark if is_dataset(name) else name
        for name in spec.benchmarks
    ]
    return replace(spec, benchmarks=tuple(dict.fromkeys(names)))
