"""Files of the user as data sets: in, listed, out."""

from collections.abc import Iterable
from pathlib import Path

import typer

from assay.bootstrap import opened_engine
from assay.cli.event_loop import run_async
from assay.cli.output.write import age_text, printable, write_json, write_note, write_table
from assay.domain.dataset_report import Fault, Report
from assay.domain.datasets.dataset import DataSet, DatasetRef
from assay.domain.errors import BadDatasetError, InvalidValueError
from assay.domain.stats import plural
from assay.engine.datasets.uploads import Upload
from assay.installation import opened_stores
from assay.settings import load_settings

_CHUNK_BYTES = 1024 * 1024


def add_file(file: Path, upload: Upload, *, as_json: bool) -> None:
    async def work() -> tuple[DataSet, Report]:
        async with opened_engine(load_settings()) as engine:
            incoming = engine.planner.dataset_files.new()
            try:
                with file.open("rb") as source:
                    while chunk := source.read(_CHUNK_BYTES):
                        incoming.write(chunk)
                return await engine.uploads.store(incoming, upload)
            finally:
                incoming.close()

    try:
        dataset, report = run_async(work())
    except OSError as error:
        raise InvalidValueError(f"{str(file)!r} cannot be read: {error.strerror}") from error
    except BadDatasetError as error:
        # The error itself names the first.
        if error.report.error_count > 1:
            _write_faults(error.report.errors, "")
        raise
    _write_faults(report.warnings, "warning: ")
    if as_json:
        write_json(dataset_document(dataset))
        return
    typer.echo(f"{dataset.benchmark}: {_described(dataset)}, sha256 {dataset.sha256[:12]}")
    typer.echo(f"run a model on it with: assay run MODEL dataset:{dataset.name}")


def list_all(*, as_json: bool) -> None:
    async def work() -> tuple[DataSet, ...]:
        async with opened_stores(load_settings()) as stores:
            return await stores.datasets.list()

    found = run_async(work())
    if as_json:
        write_json({"datasets": [dataset_document(one) for one in found]})
        return
    if not found:
        typer.echo("no data sets yet; add one with: assay datasets add FILE")
        return
    write_table(
        ("NAME", "VERSION", "LINES", "GRADED", "SIZE", "FILE", "ADDED"),
        [
            (
                one.name,
                str(one.version),
                f"{one.count:,}",
                f"{one.graded:,}",
                _size(one.size_bytes),
                one.file_name,
                age_text(one.created_at),
            )
            for one in found
        ],
        folded=("NAME", "FILE"),
        optional=("ADDED", "FILE", "SIZE"),
    )


def show_one(name: str, *, as_json: bool) -> None:
    dataset = run_async(_named(name))
    if as_json:
        write_json(dataset_document(dataset))
        return
    graders = ", ".join(f"{grading.value} {count:,}" for grading, count in dataset.graders.items())
    texts = {"graders": graders or "none", "models": ", ".join(dataset.models) or "any"}
    for label, value in (dataset_document(dataset) | texts).items():
        typer.echo(printable(f"{label:12} {value}"))


def remove_one(name: str) -> None:
    async def work() -> DataSet:
        async with opened_engine(load_settings()) as engine:
            dataset = await engine.stores.datasets.named(DatasetRef.parse(name))
            await engine.uploads.remove(dataset)
            return dataset

    typer.echo(f"removed {run_async(work()).benchmark}")


async def _named(name: str) -> DataSet:
    async with opened_stores(load_settings()) as stores:
        return await stores.datasets.named(DatasetRef.parse(name))


def dataset_document(dataset: DataSet) -> dict[str, object]:
    return {
        "id": dataset.id,
        "name": dataset.name,
        "version": dataset.version,
        "benchmark": dataset.benchmark,
        "file_name": dataset.file_name,
        "sha256": dataset.sha256,
        "size_bytes": dataset.size_bytes,
        "count": dataset.count,
        "graded": dataset.graded,
        "graders": {grading.value: count for grading, count in dataset.graders.items()},
        "grader": dataset.grading.value,
        "models": list(dataset.models),
        "created_at": dataset.created_at.isoformat(),
    }


def _write_faults(faults: Iterable[Fault], kind: str) -> None:
    for fault in faults:
        if fault.line:
            write_note(f"{kind}line {fault.line}, {fault.field}: {fault.reason}", err=True)


def _described(dataset: DataSet) -> str:
    graded = f"{dataset.graded:,} of them graded" if dataset.graded else "none of them graded"
    return f"{plural(dataset.count, 'line')}, {graded}, {_size(dataset.size_bytes)}"


def _size(count: int) -> str:
    size = float(count)
    for unit in ("B", "kB", "MB"):
        if size < 1000:  # noqa: PLR2004
            return f"{size:.0f} {unit}"
        size /= 1000
    return f"{size:.1f} GB"
