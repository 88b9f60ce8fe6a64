"""Reads the reports that `janus-bench run` wrote."""

from collections.abc import Mapping
from pathlib import Path

import orjson
import typer
from pydantic import TypeAdapter, ValidationError

from assay.cli.output.print_janus import print_analysis, print_categories, print_report
from assay.cli.output.write import percent, write_file, write_table
from assay.domain.errors import InvalidValueError, UnknownNameError
from assay.engine.janus.analysis import Analysis, analysis, compared, differing
from assay.engine.janus.report import BenchmarkReport
from assay.engine.planning.catalogue import Catalogue
from assay.engine.results.composite import JANUS_BENCHMARKS

_REPORT = TypeAdapter(BenchmarkReport)
_MAX_BYTES = 256 * 1024 * 1024


def list_janus_benchmarks() -> None:
    catalogue = Catalogue.installed()
    rows: list[tuple[str, ...]] = []
    for name in JANUS_BENCHMARKS:
        try:
            card = catalogue.get(name).card
        except UnknownNameError:
            rows.append((name, "-", "", "not installed"))
        else:
            rows.append((name, str(card.size), percent(card.chance), card.title))
    write_table(("BENCHMARK", "ITEMS", "CHANCE", "TITLE"), rows)


def show_report(file: Path) -> None:
    print_report(_read(file))


def analyze_report(file: Path, output: Path | None) -> None:
    found = analysis(_read(file))
    print_analysis(found)
    _write(output, found)


def compare_reports(first: Path, second: Path, output: Path | None) -> None:
    ours, theirs = _read(first), _read(second)
    found, note = compared(ours, theirs), differing(ours, theirs)
    names = (ours.model, theirs.model)
    if names[0] == names[1]:
        names = (first.name, second.name)
    print_categories(found, names, note=note)
    _write(output, {"first": ours.run_id, "second": theirs.run_id, "note": note, "categories": found})


def _write(output: Path | None, document: Mapping[str, object] | Analysis) -> None:
    if output is not None:
        write_file(output, orjson.dumps(document, option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE))
        typer.echo(f"written to {output}", err=True)


def _read(file: Path) -> BenchmarkReport:
    try:
        if file.stat().st_size > _MAX_BYTES:
            raise InvalidValueError(f"{str(file)!r} is larger than {_MAX_BYTES // 1024**2} MiB: not a report")
        content = file.read_bytes()
    except OSError as error:
        raise InvalidValueError(f"cannot read {str(file)!r}: {error.strerror}") from error
    try:
        return _REPORT.validate_json(content)
    except ValidationError as error:
        where = ".".join(str(part) for part in error.errors()[0]["loc"][:6])
        raise InvalidValueError(
            f"{str(file)!r} is not a report of `janus-bench run`: {where or 'the file'} is wrong or missing"
        ) from error
