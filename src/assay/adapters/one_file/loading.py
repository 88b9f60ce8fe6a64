"""Benchmarks in files on this machine, each file loaded once per content."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from assay.adapters.one_file.python_file import load_python
from assay.domain.benchmark import Benchmark
from assay.domain.datasets.benchmark_file import BenchmarkFile, LoadedFile
from assay.domain.errors import InvalidValueError
from assay.engine.one_file.benchmark import FileBenchmark
from assay.engine.one_file.files import RowReader
from assay.engine.one_file.lm_eval.benchmark import LmEvalBenchmark
from assay.engine.one_file.lm_eval.task import read_task
from assay.engine.one_file.lm_eval.yaml_file import read_task_file

_Key = tuple[Path, bytes]


@dataclass(frozen=True, slots=True)
class LocalBenchmarkFiles:
    reader: RowReader
    _loaded: dict[tuple[Path, bytes], LoadedFile] = field(
        default_factory=dict[tuple[Path, bytes], LoadedFile]
    )

    def load(self, path: str) -> LoadedFile:
        found = Path(path).expanduser().resolve()
        try:
            source = found.read_bytes()
        except OSError as error:
            raise InvalidValueError(
                f"the benchmark file {path!r} cannot be read: {error.strerror}"
            ) from error
        key = found, source
        if key not in self._loaded:
            self._loaded[key] = self._load(found, source)
        return self._loaded[key]

    def _load(self, path: Path, source: bytes) -> LoadedFile:
        if path.suffix.lower() != ".py":
            task_file = read_task_file(path)
            file = BenchmarkFile(str(path), task_file.sha256)
            return LoadedFile(
                file, [LmEvalBenchmark(read_task(task_file), file, str(path.parent), self.reader)]
            )
        declarations, sha256 = load_python(path, source)
        file = BenchmarkFile(str(path), sha256)
        benchmarks = [FileBenchmark(one, file, str(path.parent), self.reader) for one in declarations]
        return LoadedFile(file, _distinct(path, benchmarks))


def _distinct(path: Path, benchmarks: Sequence[Benchmark]) -> Sequence[Benchmark]:
    names = [one.card.name for one in benchmarks]
    repeated = next((name for name in names if names.count(name) > 1), None)
    if repeated is not None:
        raise InvalidValueError(f"{str(path)!r} declares {repeated!r} more than once")
    return benchmarks
