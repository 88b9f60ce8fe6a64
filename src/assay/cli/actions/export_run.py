"""Writes an export to a file that appears under its name only when it is whole."""

import contextlib
import shutil
import sys
from collections.abc import Generator
from dataclasses import dataclass, replace
from hashlib import file_digest
from pathlib import Path
from shlex import quote
from tempfile import NamedTemporaryFile, TemporaryDirectory
from typing import IO

import typer

from assay.bootstrap import exporter, keyring
from assay.cli.event_loop import run_async
from assay.cli.output.write import write_json
from assay.domain.errors import InvalidValueError
from assay.engine.exports.bundle import fingerprint_of
from assay.engine.exports.content import RunContent, run_content
from assay.engine.exports.formats import ExportFormat, Paper
from assay.engine.planning.catalogue import Catalogue
from assay.installation import opened_stores
from assay.settings import Settings, load_settings

_STDOUT = Path("-")


@dataclass(frozen=True, slots=True)
class ExportRequest:
    out: Path | None
    paper: Paper
    reveal: bool
    as_json: bool


def export_to_file(run_id: str, wanted: ExportFormat, request: ExportRequest) -> None:
    if request.out == _STDOUT:
        _export_to_stdout(run_id, wanted, request)
        return
    content, target = run_async(exported_run(load_settings(), run_id, wanted, request))
    size, sha256 = target.stat().st_size, _sha256(target)
    if request.as_json:
        write_json(
            {"run_id": content.run.id, "format": wanted.value, "file": str(target)}
            | {"bytes": size, "sha256": sha256}
        )
        return
    typer.echo(f"{target}  ({size:,} bytes, sha256 {sha256})")
    for line in _notes(content, wanted, target):
        typer.echo(line)


def _export_to_stdout(run_id: str, wanted: ExportFormat, request: ExportRequest) -> None:
    if request.as_json:
        raise InvalidValueError("the export itself goes to standard output: leave out --json, or name a file")
    with TemporaryDirectory() as folder:
        elsewhere = replace(request, out=Path(folder))
        _content, target = run_async(exported_run(load_settings(), run_id, wanted, elsewhere))
        with target.open("rb") as file:
            shutil.copyfileobj(file, sys.stdout.buffer)


async def exported_run(
    settings: Settings, run_id: str, wanted: ExportFormat, request: ExportRequest
) -> tuple[RunContent, Path]:
    """Write the run; returns where to."""
    out = request.out
    folder = out if out is not None and out.is_dir() else (out.parent if out else Path())
    async with opened_stores(settings) as stores:
        with fresh_file(folder) as (file, path):
            content = await run_content(stores, Catalogue.installed(), run_id, reveal=request.reveal)
            exported = await exporter(settings).export(content, wanted, file, paper=request.paper)
            file.flush()
            target = out if out is not None and not out.is_dir() else folder / exported.name
            path.replace(target)
    return content, target


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return file_digest(file, "sha256").hexdigest()


@contextlib.contextmanager
def fresh_file(folder: Path) -> Generator[tuple[IO[bytes], Path]]:
    """A file in the folder under a name of its own, to be renamed when it is whole; removed otherwise."""
    try:
        with NamedTemporaryFile(dir=folder, prefix=".assay-export-", delete=False) as file:
            path = Path(file.name)
            try:
                yield file, path
            finally:
                path.unlink(missing_ok=True)
    except OSError as error:
        raise InvalidValueError(f"cannot write to {str(folder)!r}: {error.strerror}") from error


def _notes(content: RunContent, wanted: ExportFormat, target: Path) -> list[str]:
    run = content.run
    notes = (
        [f"the run is {run.state.value}, and the export says so"] if run.state.value != "succeeded" else []
    )
    masked = sorted({one.evaluation.benchmark for one in content.evaluations if one.is_masked})
    if masked:
        notes.append(f"texts of {', '.join(masked)} are masked; --reveal shows them")
    if wanted is ExportFormat.ZIP:
        key = keyring(load_settings()).signer().public_key
        notes.append(
            f"anybody can check it with: assay verify {quote(str(target))} --key {fingerprint_of(key)}"
        )
    return notes
