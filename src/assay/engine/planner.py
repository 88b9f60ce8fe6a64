"""Finds the benchmarks and data sets that a run names, and loads what it will ask."""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from random import Random

from assay.domain.benchmark import Benchmark
from assay.domain.calls.messages import Prompt
from assay.domain.datasets.benchmark_file import BenchmarkFile, FileRef, is_from_file
from assay.domain.datasets.dataset import DatasetRef, is_dataset
from assay.domain.errors import DataChangedError, InvalidValueError, UnknownNameError
from assay.domain.run import Evaluation, RunSpec
from assay.engine.datasets.benchmark import DatasetBenchmark
from assay.engine.datasets.files import DatasetFiles, NoDatasetFiles
from assay.engine.one_file.files import BenchmarkFiles, NoBenchmarkFiles, referred
from assay.engine.planning.catalogue import Catalogue
from assay.engine.planning.plan import PlannedBenchmark, plan_benchmarks, replan
from assay.engine.planning.plan_cache import PlanCache
from assay.engine.ports import DataLibrary
from assay.engine.stores.datasets import DatasetStore

_MOST_PROMPTS = 2_000


@dataclass(frozen=True, slots=True)
class Planner:
    """The installed benchmarks, users' data sets and files, and the plans that were loaded last."""

    catalogue: Catalogue
    library: DataLibrary
    datasets: DatasetStore
    dataset_files: DatasetFiles = field(default_factory=NoDatasetFiles)
    cache: PlanCache = field(default_factory=PlanCache)
    files: BenchmarkFiles = field(default_factory=NoBenchmarkFiles)

    async def resolved(self, spec: RunSpec) -> RunSpec:
        """The same specification with the version of every data set and the content of every file.

        A later upload changes no run, and a file that was changed is found out.
        """
        names: list[str] = []
        files = dict(spec.files)
        for name in spec.benchmarks:
            ref = FileRef.parse(name)
            if is_dataset(name):
                names.append((await self.datasets.named(DatasetRef.parse(name))).benchmark)
            elif ref is None:
                names.append(name)
            else:
                found, file = await self._in_file(ref)
                names += found
                files |= _without_clash(files, found, file)
        if names == list(spec.benchmarks):
            return spec
        return replace(spec, benchmarks=tuple(dict.fromkeys(names)), files=files)

    async def _in_file(self, ref: FileRef) -> tuple[list[str], BenchmarkFile]:
        loaded = await asyncio.to_thread(self.files.load, ref.path)
        return [one.card.name for one in referred(ref, loaded)], loaded.file

    async def benchmarks(self, spec: RunSpec) -> tuple[Benchmark, ...]:
        """Those of a resolved specification."""
        catalogue = await self._with_own(spec.benchmarks, spec.files)
        return tuple(map(catalogue.get, spec.benchmarks))

    async def plan(self, spec: RunSpec) -> tuple[PlannedBenchmark, ...]:
        """What a run will ask, loaded in a thread; raises UsageError if it cannot be run as specified."""
        catalogue = await self._with_own(spec.benchmarks, spec.files)
        return await asyncio.to_thread(plan_benchmarks, spec, catalogue=catalogue, library=self.library)

    async def demo_prompts(self, name: str, *, seed: str) -> tuple[Prompt, ...]:
        """What a benchmark's demo items or the lines of a data set ask, up to a number, in a drawn order."""
        if is_dataset(name):
            name = (await self.datasets.named(DatasetRef.parse(name))).benchmark
        catalogue = await self._with_own([name], {})

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
        catalogue = self.catalogue
        if not is_cached:
            catalogue = await self._with_own([evaluation.benchmark], spec.files)

        def load() -> PlannedBenchmark:
            return replan(evaluation, spec, catalogue=catalogue, library=self.library)

        return await self.cache.get(fingerprint, load)

    async def _with_own(self, names: Sequence[str], files: Mapping[str, BenchmarkFile]) -> Catalogue:
        """The catalogue with the named data sets and files added; raises UnknownNameError."""
        catalogue = self.catalogue
        for name in filter(is_from_file, names):
            if name in catalogue.names:
                # Declared in the program that runs it.
                continue
            catalogue = catalogue.extended([await asyncio.to_thread(self._of_file, name, files.get(name))])
        wanted = [name for name in names if is_dataset(name)]
        if not wanted:
            return catalogue
        datasets = [await self.datasets.named(DatasetRef.parse(name)) for name in wanted]
        found = await asyncio.to_thread(
            lambda: [DatasetBenchmark(one, self.dataset_files.open(one.sha256)) for one in datasets]
        )
        return catalogue.extended(found)

    def _of_file(self, name: str, file: BenchmarkFile | None) -> Benchmark:
        """Raises DataChangedError if the file is no longer the one that the run was created with."""
        if file is None:
            raise UnknownNameError(
                "benchmark", name, remedy="name the file that it is in, as in ./capitals.py"
            )
        loaded = self.files.load(file.path)
        if loaded.file.sha256 != file.sha256:
            raise DataChangedError(
                f"{file.path!r} is not what it was when the run was created (sha256 {file.sha256[:12]} then,"
                f" {loaded.file.sha256[:12]} now): put the file back as it was, or start a new run"
            )
        return next(one for one in loaded.benchmarks if one.card.name == name)


def _without_clash(
    known: Mapping[str, BenchmarkFile], names: Sequence[str], file: BenchmarkFile
) -> Mapping[str, BenchmarkFile]:
    for name in names:
        if known.get(name, file) != file:
            raise InvalidValueError(
                f"{known[name].path!r} and {file.path!r} both declare {name!r}: give one of them another name"
            )
    return dict.fromkeys(names, file)
