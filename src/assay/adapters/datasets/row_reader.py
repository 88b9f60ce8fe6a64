"""Rows for benchmarks in files: from a file of the user's, or from the Hugging Face hub."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import cast

import orjson

from assay.adapters.datasets.formats import CSV, JSON_LINES, PARQUET, format_of, rows_of
from assay.adapters.datasets.hub_rows import HubRows
from assay.domain.benchmark import Row
from assay.domain.errors import BadRowError, DataMissingError, InvalidValueError
from assay.engine.one_file.files import HubSplit, Rows


@dataclass(frozen=True, slots=True)
class FileRowReader:
    hub: HubRows | None = None

    def of_file(self, path: str, *, folder: str) -> Rows:
        found = Path(folder) / Path(path).expanduser()
        if not found.is_file():
            raise DataMissingError(f"no file {str(found)!r} to read rows from")
        if format_of(found) not in (*JSON_LINES, PARQUET, CSV):
            known = ", ".join((*JSON_LINES, PARQUET, CSV))
            raise InvalidValueError(
                f"{found.name!r} has an unknown format; the name must end in one of {known}"
            )
        return Rows(_array(found) or list(rows_of(found)), found.name)

    def of_hub(self, wanted: HubSplit) -> Rows:
        if self.hub is None:
            raise DataMissingError(f"rows of {wanted.repository} are not fetched here")
        return self.hub.rows(wanted)


def _array(path: Path) -> Sequence[Row]:
    """The members, where the file is one JSON array."""
    if not path.name.lower().endswith(".json"):
        return ()
    content = path.read_bytes()
    if not content.lstrip().startswith(b"["):
        return ()
    try:
        members = orjson.loads(content)
    except orjson.JSONDecodeError as error:
        raise BadRowError(
            path.name, content[: error.pos].count(b"\n") + 1, f"not valid JSON: {error.msg}"
        ) from error
    for number, member in enumerate(members, start=1):
        if not isinstance(member, dict):
            fault = f"a JSON object was expected, not {type(member).__name__}"
            raise BadRowError(path.name, number, fault)
    return cast("list[Row]", members)  # each was checked above
