"""Finds the benchmarks and data sets that a run names, and loads what it will ask."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from random import Random

from assay.domain.dataset import DatasetRef, is_dataset
from assay.domain.messages import Prompt
from assay.domain.run import Evaluation, RunSpec
from assay.engine.datasets.benchmark import DatasetBenchmark
from assay.engine.datasets.files import DatasetFiles, NoDatasetFiles
from assay.engine.planning.catalogue import Catalogue
from assay.engine.planning.plan import PlannedBenchmark, plan_benchmarks, replan
from assay.engine.planning.plan_cache import PlanCache
from assay.engine.ports import DataLibrary
from assay.engine.stores.datasets import DatasetStore

_MOST_PROMPTS = 2_000


@dataclass(frozen=True, slots=True)
class Planner:
    """The installed benchmarks, the users' data sets, and the plans that were loaded last."""

    catalogue: Catalogue
    library: DataLibrary
    datasets: DatasetStore
    dataset_files: DatasetFiles = field(default_factory=NoDatasetFiles)
    cache: PlanCache = field(default_factory=PlanCache)

    async def with_dataset_versions(self, spec: RunSpec) -> RunSpec:
        """The same specification with the version of every data set: a later upload changes no run."""
        if not any(map(is_dataset, spec.benchmarks)):
            return spec
        names = [
            (await self.datasets.named(DatasetRef.parse(name))).benchmark if is_dataset(name) else name
            for name in spec.benchmarks
        ]
        return replace(spec, benchmarks=tuple(dict.fromkeys(names)))

    async def plan(self, spec: RunSpec) -> tuple[PlannedBenchmark, ...]:
        """What a run will ask, loaded in a thread; raises UsageError if it cannot be run as specified."""
        catalogue = await self._with_datasets(spec.benchmarks)
        return await asyncio.to_thread(plan_benchmarks, spec, catalogue=catalogue, library=self.library)

    async def demo_prompts(self, name: str, *, seed: str) -> tuple[Prompt, ...]:
        """What a benchmark's demo items or the lines of a data set ask, up to a number, in a drawn order."""
        catalogue = await self._with_datasets([name])

        def load() -> tuple[Prompt, ...]:
            benchmark = catalogue.get(name)
            data = self.library.open(benchmark, "official" if is_dataset(name) else "demo")
            item_set = benchmark.load(data.tables)
            count = min(len(item_set.items), _MOST_PROMPTS)
            drawn = Random(seed).sample(range(len(item_set.items)), count)  # noqa: S311  a reproducible draw
            return tuple(item_set.prompt(item_set.items[place]) for place in drawn)

        return await asyncio.to_thread(load)

    async def replan(self, spec: RunSpec, evaluation: Evaluation) -> PlannedBenchmark:
        """The plan of a stored evaluation; raises DataChangedError if its data is no longer the same."""
        fingerprint = evaluation.fingerprint.value
        is_cached = fingerprint in self.cache
        catalogue = self.catalogue if is_cached else await self._with_datasets([evaluation.benchmark])

        def load() -> PlannedBenchmark:
            return replan(evaluation, spec, catalogue=catalogue, library=self.library)

        return await self.cache.get(fingerprint, load)

    async def _with_datasets(self, names: Sequence[str]) -> Catalogue:
        """The catalogue with the named data sets added; raises UnknownNameError."""
        wanted = [name for name in names if is_dataset(name)]
        if not wanted:
            return self.catalogue
        datasets = [await self.datasets.named(DatasetRef.parse(name)) for name in wanted]
        found = await asyncio.to_thread(
            lambda: [DatasetBenchmark(one, self.dataset_files.open(one.sha256)) for one in datasets]
        )
        return self.catalogue.extended(found)
