"""The items of our own writing that ship with a benchmark."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from importlib.resources.abc import Traversable
from pathlib import Path

from assay.domain.benchmark import Row
from assay.domain.calls.messages import Json
from assay.domain.errors import BadRowError, DataMissingError


@dataclass(frozen=True, slots=True)
class DemoTables:
    """JSON lines in a benchmark's folder: the name of the file for each split."""

    folder: Path | Traversable
    files: Mapping[str, str]

    def rows(self, split: str) -> Iterator[Row]:
        if split not in self.files:
            raise DataMissingError(
                f"the demo items have no split {split!r}; they have {', '.join(self.files)}"
            )
        return self._rows(self.files[split])

    def _rows(self, name: str) -> Iterator[Row]:
        lines = self.folder.joinpath(name).read_text(encoding="utf-8").split("\n")
        for number, line in enumerate(lines, start=1):
            if not line.strip():
                continue
            try:
                row: Json = json.loads(line)
            except ValueError as error:
                raise BadRowError(name, number, f"not valid JSON: {error}") from error
            if not isinstance(row, Mapping):
                raise BadRowError(name, number, "a JSON object was expected")
            yield row
