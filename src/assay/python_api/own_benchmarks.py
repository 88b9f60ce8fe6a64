"""Benchmarks that a program declares or holds itself, for the runs that it starts."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from assay.adapters.one_file.declared import declared_benchmark
from assay.adapters.one_file.python_file import is_loading
from assay.bootstrap import benchmark_files
from assay.domain.benchmark import Benchmark, Card
from assay.domain.datasets.benchmark_file import PREFIX, BenchmarkFile, is_from_file
from assay.domain.errors import DataChangedError, InvalidValueError
from assay.domain.run import Run
from assay.engine.execution.engine import Engine
from assay.engine.one_file.benchmark import FileBenchmark
from assay.engine.one_file.declaration import Declaration
from assay.engine.ports import BenchmarkData, DataLibrary, Progress
from assay.engine.results.masking import OWN_PREFIX
from assay.settings import Settings

OwnBenchmark = Benchmark | Declaration


def require_own_process() -> None:
    """Raise InvalidValueError in a file that is loaded for its benchmarks: it must start no run."""
    if is_loading():
        raise InvalidValueError(
            "the file is loaded for its benchmarks and starts a run: put that below"
            ' if __name__ == "__main__":'
        )


def runnable(own: Sequence[OwnBenchmark], settings: Settings) -> tuple[Benchmark, ...]:
    reader = benchmark_files(settings).reader
    return tuple(declared_benchmark(one, reader) if isinstance(one, Declaration) else one for one in own)


def files_of(own: Sequence[Benchmark]) -> dict[str, BenchmarkFile]:
    """The files from which other programs can load them."""
    return {one.card.name: one.file for one in own if isinstance(one, FileBenchmark) and one.file.path}


def with_benchmarks(engine: Engine, own: Sequence[Benchmark]) -> Engine:
    planner = engine.planner
    open_names = frozenset(
        one.card.name
        for one in own
        if not one.card.source.gated and one.card.name not in planner.catalogue.names
    )
    library = _OwnLibrary(planner.library, open_names)
    return replace(
        engine, planner=replace(planner, catalogue=planner.catalogue.extended(own), library=library)
    )


async def require_same_benchmarks(engine: Engine, run: Run) -> None:
    """Before anything of the run changes; raises UsageError."""
    names = list(filter(is_from_file, run.spec.benchmarks))
    if not names:
        return
    missing = [
        one for one in names if one not in run.spec.files and one not in engine.planner.catalogue.names
    ]
    if missing:
        raise InvalidValueError(
            f"run {run.id[:8]!r} asks {missing[0]!r}, which a program declared: give it, as in"
            f" assay.resume({run.id[:8]!r}, benchmarks={missing[0].removeprefix(PREFIX)})"
        )
    found = {one.card.name: one.card.version for one in await engine.planner.benchmarks(run.spec)}
    for one in await engine.stores.runs.evaluations(run.id):
        if is_from_file(one.benchmark) and one.benchmark_version != found[one.benchmark]:
            raise DataChangedError(
                f"{one.benchmark!r} is not what it was when the run was created (version"
                f" {one.benchmark_version} then, {found[one.benchmark]} now): start a new run"
            )


@dataclass(frozen=True, slots=True)
class _OwnLibrary:
    """Marks the data of a program's own benchmarks: no installed card says that it is not gated."""

    library: DataLibrary
    names: frozenset[str]

    def open(self, benchmark: Benchmark, where: str) -> BenchmarkData:
        data = self.library.open(benchmark, where)
        if benchmark.card.name not in self.names or data.revision.startswith(OWN_PREFIX):
            return data
        return replace(data, revision=f"{OWN_PREFIX}{data.revision}")

    def fetch(self, card: Card, *, progress: Progress) -> BenchmarkData:
        return self.library.fetch(card, progress=progress)

    def is_fetched(self, card: Card) -> bool:
        return self.library.is_fetched(card)
