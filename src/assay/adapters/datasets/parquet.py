"""Reading Parquet files."""

# pyarrow ships no types; this module is the only one that touches it.
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false, reportUnknownArgumentType=false
# pyright: reportUnknownParameterType=false

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, cast

from assay.domain.benchmark import Row
from assay.domain.errors import BadRowError, MissingExtraError

if TYPE_CHECKING:
    import pyarrow as pa

# Small enough for rows with long texts to fit in memory, large enough to be fast.
_BATCH_ROWS = 256


def parquet_rows(path: Path) -> Iterator[Row]:
    """Rows in file order; columns whose values have no JSON form (images, dates) are left out."""
    try:
        import pyarrow as pa  # noqa: PLC0415 # optional, and slow to import
        import pyarrow.parquet as pq  # noqa: PLC0415
    except ImportError as error:
        raise MissingExtraError("reading Parquet", "hub") from error
    number = 1
    try:
        with pq.ParquetFile(path) as file:
            columns = [field.name for field in file.schema_arrow if _has_json_form(field.type)]
            for batch in file.iter_batches(batch_size=_BATCH_ROWS, columns=columns):
                rows = cast("list[Row]", batch.to_pylist())  # only columns with a JSON form were read
                yield from rows
                number += len(rows)
    except (pa.ArrowException, OSError) as error:
        raise BadRowError(path.name, number, f"not readable as Parquet: {error}") from error


def _has_json_form(kind: "pa.DataType") -> bool:
    from pyarrow import types  # noqa: PLC0415 # optional, and slow to import

    if types.is_struct(kind):
        return all(_has_json_form(kind.field(index).type) for index in range(kind.num_fields))
    nests = (types.is_list, types.is_large_list, types.is_fixed_size_list, types.is_dictionary)
    if any(is_nest(kind) for is_nest in nests):
        return _has_json_form(kind.value_type)
    texts = (types.is_string, types.is_large_string, types.is_string_view)
    scalars = (*texts, types.is_boolean, types.is_integer, types.is_floating, types.is_null)
    return any(is_scalar(kind) for is_scalar in scalars)
