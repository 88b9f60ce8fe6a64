"""Reads, checks and writes suites."""

import json
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path

import typer

from assay.adapters.models.providers import shown_url
from assay.adapters.suites.document import ENDINGS, YAML_ENDINGS
from assay.adapters.suites.read import read_suite
from assay.adapters.suites.schema import json_schema
from assay.bootstrap import benchmark_files, model_directory
from assay.cli.event_loop import run_async
from assay.cli.exit_codes import EXIT_USAGE
from assay.cli.output.write import write_file, write_note
from assay.domain.benchmark import Need
from assay.domain.datasets.benchmark_file import LoadedFile
from assay.domain.datasets.dataset import DatasetRef, is_dataset
from assay.domain.errors import InvalidValueError
from assay.domain.stats import plural
from assay.engine.one_file.files import BenchmarkFiles
from assay.engine.planning.catalogue import Catalogue
from assay.engine.planning.plan import with_examples
from assay.engine.ports import ModelDirectory
from assay.engine.suites.suite import Suite
from assay.engine.suites.suite_text import suite_text
from assay.installation import opened_stores
from assay.settings import Settings, load_settings

_SCHEMA_FILE = "assay-suite.schema.json"


@dataclass(frozen=True, slots=True)
class _InstalledNames:
    """The benchmarks and providers of this installation."""

    catalogue: Catalogue
    models: ModelDirectory
    files: BenchmarkFiles

    def benchmark(self, name: str) -> tuple[str, frozenset[Need]]:
        if is_dataset(name):
            DatasetRef.parse(name)
            return name, frozenset()
        card = self.catalogue.get(name).card
        return card.name, card.needs

    def in_file(self, path: str) -> LoadedFile:
        return self.files.load(path)

    def require_examples(self, name: str, few_shot: int) -> None:
        if not is_dataset(name):
            with_examples(self.catalogue.get(name), few_shot)

    def model(self, name: str, *, base_url: str | None, key_variable: str | None) -> None:
        run_async(self._opened(name, base_url, key_variable))

    async def _opened(self, name: str, base_url: str | None, key_variable: str | None) -> None:
        client = self.models.open(name, base_url=base_url, key_variable=key_variable)
        await client.close()


def loaded(file: Path, settings: Settings) -> Suite:
    """Prints every fault, and exits, if there is any."""
    names = _InstalledNames(Catalogue.installed(), model_directory(settings), benchmark_files(settings))
    reading = read_suite(file, environment=settings.environment, names=names)
    if reading.suite is not None:
        return reading.suite
    write_note(f"error: {str(file)!r} has {plural(len(reading.faults), 'fault')}", err=True)
    for fault in reading.faults:
        write_note(fault.text(str(file)), indent="  ", err=True)
    raise typer.Exit(EXIT_USAGE)


def check(file: Path) -> None:
    suite = loaded(file, load_settings())
    models, benchmarks = plural(len(suite.models), "model"), plural(len(suite.benchmarks), "benchmark")
    write_note(f"{str(file)!r} is in order: {models} on {benchmarks}")


def print_schema() -> None:
    typer.echo(schema_text())


def schema_text() -> str:
    return json.dumps(json_schema(), indent=2, ensure_ascii=False)


def write_suite(file: Path, run_id: str | None, *, overwrite: bool) -> None:
    """An example with comments, or the suite of a stored run; and the schema beside it."""
    if not file.name.lower().endswith(ENDINGS):
        raise InvalidValueError(f"{str(file)!r} must end in {', '.join(ENDINGS)}")
    if file.exists() and not overwrite:
        raise InvalidValueError(f"{str(file)!r} is there already: give --overwrite to replace it")
    is_yaml = file.suffix.lower() in YAML_ENDINGS
    if run_id is None:
        text = example(is_yaml=is_yaml)
    elif is_yaml:
        raise InvalidValueError("a run is written as TOML: give a file that ends in .toml")
    else:
        text = run_async(_text_of_run(run_id))
    write_file(file, text.encode())
    schema = file.with_name(_SCHEMA_FILE)
    write_file(schema, f"{schema_text()}\n".encode())
    write_note(f"wrote {file}, and {schema.name} for editors; run it with: assay run {file}")


def example(*, is_yaml: bool) -> str:
    """A suite with comments that runs as it is."""
    name = "example.yaml" if is_yaml else "example.toml"
    return files("assay.adapters.suites").joinpath(name).read_text(encoding="utf-8")


async def _text_of_run(run_id: str) -> str:
    async with opened_stores(load_settings()) as stores:
        return suite_text(await stores.runs.get(run_id), shown=shown_url, paths=True)
