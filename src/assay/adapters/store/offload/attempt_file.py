"""Attempts in a Parquet file, written and read part by part: memory does not depend on how many there are."""

# pyarrow ships no types; this module and that for data sets are the only ones that touch it.
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false, reportUnknownArgumentType=false
# pyright: reportUnknownParameterType=false

from collections.abc import Iterator, Mapping, Sequence
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, cast

from assay.adapters.store.offload.documents import (
    CALLS,
    COLUMNS,
    FIGURES,
    Document,
    attempt_of,
    document_of,
    size_of,
)
from assay.domain.attempt import Attempt
from assay.domain.errors import MissingExtraError, StoreError

if TYPE_CHECKING:
    from types import ModuleType

    import pyarrow as pa

FORMAT = "1"
_FORMAT_KEY = b"assay.format"
# What a reader has to hold at a time.
_GROUP_BYTES = 16 * 1024**2
_GROUP_ROWS = 10_000
_BATCH_ROWS = 200
_TYPES = {str: "string", int: "int64", float: "float64", bool: "bool_", bytes: "binary"}


class AttemptFileWriter:
    """Takes attempts in the order of their keys; `digest` is that of all attempts so far."""

    def __init__(self, path: Path, about: Mapping[str, str]) -> None:
        pa, pq = _arrow()
        facts = {f"assay.{name}".encode(): value.encode() for name, value in about.items()}
        self._schema = _schema().with_metadata({**facts, _FORMAT_KEY: FORMAT.encode()})
        self._from_rows = pa.Table.from_pylist
        self._writer = pq.ParquetWriter(path, self._schema, compression="zstd")
        self._rows: list[Document] = []
        self._bytes = 0
        self.digest = AttemptDigest()

    def add(self, attempts: Sequence[Attempt]) -> None:
        for attempt in attempts:
            self.digest.add(attempt)
            row = document_of(attempt)
            self._rows.append(row)
            self._bytes += size_of(row)
            if self._bytes >= _GROUP_BYTES or len(self._rows) >= _GROUP_ROWS:
                self._write_group()

    def _write_group(self) -> None:
        self._writer.write_table(self._from_rows(self._rows, schema=self._schema))
        self._rows, self._bytes = [], 0

    def close(self) -> None:
        if self._rows:
            self._write_group()
        self._writer.close()


class AttemptDigest:
    """A hash of attempts with their texts and calls, and their number; the same before and after a file."""

    def __init__(self) -> None:
        self._hash = sha256()
        self.count = 0

    def add(self, attempt: Attempt) -> None:
        self._hash.update(repr(document_of(attempt)).encode("utf-8", "surrogatepass"))
        self.count += 1

    def hexdigest(self) -> str:
        return self._hash.hexdigest()


def read_attempts(content: BinaryIO, name: str, *, with_texts: bool) -> Iterator[list[Attempt]]:
    """A part at a time in the order of the file; raises StoreError. Without texts, without calls too."""
    pa, pq = _arrow()
    try:
        with pq.ParquetFile(content) as file:
            _require_format(file.schema_arrow.metadata or {}, name)
            # A later version may have columns that this one does not know, an earlier one may lack some.
            known = [name for name in (COLUMNS if with_texts else FIGURES) if name in file.schema_arrow.names]
            for batch in file.iter_batches(batch_size=_BATCH_ROWS, columns=known):
                rows = cast("list[Document]", batch.to_pylist())
                yield [attempt_of(row) for row in rows]
    except (pa.ArrowException, OSError) as error:
        raise StoreError(f"offloaded attempts in {name!r} cannot be read: {error}") from error


def _require_format(facts: Mapping[bytes, bytes], name: str) -> None:
    found = facts.get(_FORMAT_KEY, b"").decode()
    if found != FORMAT:
        raise StoreError(
            f"offloaded attempts in {name!r} have form {found!r}, and this version reads {FORMAT!r}:"
            " upgrade Assay"
        )


def _schema() -> "pa.Schema":
    pa, _pq = _arrow()
    calls = pa.list_(pa.struct([pa.field(name, _type(kind)) for name, kind in CALLS.items()]))
    fields = [pa.field(name, _type(kind)) for name, kind in COLUMNS.items() if name != "calls"]
    return pa.schema([*fields, pa.field("calls", calls)])


def _type(kind: type[Any]) -> "pa.DataType":
    pa, _pq = _arrow()
    return getattr(pa, _TYPES[kind])() if kind in _TYPES else pa.timestamp("us", tz="UTC")


def _arrow() -> "tuple[ModuleType, ModuleType]":
    try:
        import pyarrow as pa  # noqa: PLC0415 # optional, and slow to import
        import pyarrow.parquet as pq  # noqa: PLC0415
    except ImportError as error:
        raise MissingExtraError("offloading runs", "hub") from error
    return pa, pq
