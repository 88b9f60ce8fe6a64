"""Reads suites in tests, with the benchmarks that are installed."""

from collections.abc import Mapping
from pathlib import Path

from assay.adapters.datasets.row_reader import FileRowReader
from assay.adapters.one_file.loading import LocalBenchmarkFiles
from assay.adapters.suites.read import Reading, read_suite
from assay.domain.benchmark import Need
from assay.domain.datasets.benchmark_file import LoadedFile
from assay.domain.errors import UnknownNameError
from assay.engine.planning.catalogue import Catalogue
from assay.engine.planning.plan import with_examples
from assay.engine.suites.suite import Suite

CATALOGUE = Catalogue.installed()


class Names:
    """Knows `sim/` and `vllm/`."""

    def benchmark(self, name: str) -> tuple[str, frozenset[Need]]:
        card = CATALOGUE.get(name).card
        return card.name, card.needs

    def in_file(self, path: str) -> LoadedFile:
        return loaded_file(Path(path))

    def require_examples(self, name: str, few_shot: int) -> None:
        with_examples(CATALOGUE.get(name), few_shot)

    def model(self, name: str, *, base_url: str | None, key_variable: str | None) -> None:
        _ = base_url, key_variable
        if not name.startswith(("sim/", "vllm/")):
            raise UnknownNameError("model prefix", name.partition("/")[0])


def loaded_file(path: Path) -> LoadedFile:
    return LocalBenchmarkFiles(FileRowReader()).load(str(path))


def reading(file: Path, text: str, environment: Mapping[str, str] | None = None) -> Reading:
    file.write_text(text, encoding="utf-8")
    return read_suite(file, environment=environment or {}, names=Names())


def suite_of(file: Path, text: str, environment: Mapping[str, str] | None = None) -> Suite:
    found = reading(file, text, environment)
    assert found.suite is not None, found.faults
    return found.suite
