"""From a file to a suite, or to everything that is wrong with the file."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path as FilePath

from pydantic import ValidationError

from assay.adapters.suites.build import Builder
from assay.adapters.suites.document import YAML_ENDINGS, Document, DocumentFaultError, Fault, parsed
from assay.adapters.suites.faults import faults_of
from assay.adapters.suites.names import Names
from assay.adapters.suites.schema import SuiteTable
from assay.adapters.suites.variables import Variables
from assay.domain.errors import InvalidValueError
from assay.engine.suites.suite import Suite


@dataclass(frozen=True, slots=True)
class Reading:
    """Either a suite or faults, in the order of the file."""

    suite: Suite | None
    faults: tuple[Fault, ...] = ()


def read_suite(file: FilePath, *, environment: Mapping[str, str], names: Names) -> Reading:
    """Raises InvalidValueError if the file cannot be read at all."""
    try:
        data = file.read_bytes()
    except OSError as error:
        raise InvalidValueError(f"cannot read the suite {str(file)!r}: {error.strerror}") from error
    try:
        document = parsed(data, is_yaml=file.suffix.lower() in YAML_ENDINGS)
    except DocumentFaultError as error:
        return Reading(None, (error.fault,))
    variables = Variables(document, environment)
    filled = variables.filled()
    unset = {one.field for one in variables.faults}
    faults = [*variables.faults, *(one for one in _faults_of_form(filled) if one.field not in unset)]
    told = {one.field for one in faults}
    builder = Builder(filled, names, folder=file.parent, stem=file.stem, skipped=told)
    suite = builder.suite()
    faults += builder.faults
    if faults or suite is None:
        return Reading(None, tuple(sorted(dict.fromkeys(faults), key=lambda one: one.line)))
    return Reading(suite)


def _faults_of_form(document: Document) -> list[Fault]:
    try:
        SuiteTable.model_validate(document.values)
    except ValidationError as error:
        return faults_of(error, document, SuiteTable)
    return []
