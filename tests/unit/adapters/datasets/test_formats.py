"""Reading rows from files."""

# pyarrow ships no types.
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false, reportUnknownArgumentType=false

import datetime
import gzip
import json
import sys
import tracemalloc
import zlib
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import zstandard
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.adapters.datasets import formats
from assay.adapters.datasets.formats import format_of, rows_of
from assay.domain.errors import BadRowError, MissingExtraError

ROWS = [{"id": 1, "text": "naïve"}, {"id": 2, "text": "a\u2028b", "tags": ["x", None], "more": {"y": 1.5}}]
LINES = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in ROWS).encode()


def written(folder: Path, content: bytes, name: str = "rows.jsonl") -> Path:
    path = folder / name
    path.write_bytes(content)
    return path


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("rows.jsonl", LINES),
        ("rows.json", LINES),
        ("ROWS.JSONL", LINES),
        ("rows.jsonl", LINES.rstrip(b"\n")),
        ("rows.jsonl", LINES.replace(b"\n", b"\r\n")),
        ("rows.jsonl", b"\xef\xbb\xbf" + LINES),
        ("rows.jsonl", b"\n  \n" + LINES + b"\n\n"),
        ("rows.jsonl.gz", gzip.compress(LINES, mtime=0)),
        ("rows.jsonl.gz", gzip.compress(LINES[:20]) + gzip.compress(LINES[20:])),
        ("rows.json.gz", gzip.compress(LINES, mtime=0)),
        ("rows.jsonl.zst", zstandard.compress(LINES)),
        ("rows.jsonl.zst", zstandard.compress(LINES[:20]) + zstandard.compress(LINES[20:])),
    ],
)
def test_json_lines_in_every_wrapping(tmp_path: Path, name: str, content: bytes) -> None:
    assert list(rows_of(written(tmp_path, content, name))) == ROWS


@pytest.mark.parametrize(
    ("content", "line", "reason"),
    [
        (b'{"a": 1}\n{"a": \n', 2, "not valid JSON"),
        (b'{"a": 1}\n\n[1]\n', 3, "a JSON object was expected, not list"),
        (b'"text"\n', 1, "a JSON object was expected, not str"),
        (b"null\n", 1, "a JSON object was expected, not NoneType"),
        (b'{"a": 1}\n{"a": "\xff"}\n', 2, "not UTF-8: byte 8 of the line is 0xff"),
        ('{"a": 1}'.encode("utf-16"), 1, "not UTF-8: byte 1 of the line is 0xff"),
        (b'{"a": NaN}\n', 1, "not valid JSON"),
        (b'{"a": "\\ud800"}\n', 1, "not valid JSON"),
        (b"[" * 100_000, 1, "not valid JSON"),
        (b'{"a": 1}\n\xef\xbb\xbf{"a": 2}\n', 2, "not valid JSON"),
        (b'{"a": 1} {"a": 2}\n', 1, "not valid JSON"),
    ],
)
def test_a_bad_line_is_named(tmp_path: Path, content: bytes, line: int, reason: str) -> None:
    with pytest.raises(BadRowError) as caught:
        list(rows_of(written(tmp_path, content)))
    assert (caught.value.where, caught.value.line) == ("rows.jsonl", line)
    assert caught.value.reason.startswith(reason)


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("rows.jsonl.gz", gzip.compress(LINES, mtime=0)[:-9]),
        ("rows.jsonl.gz", LINES),
        ("rows.jsonl.gz", gzip.compress(LINES, mtime=0)[:-4] + b"\0\0\0\0"),
        ("rows.jsonl.zst", zstandard.compress(LINES)[:-3]),
        ("rows.jsonl.zst", LINES),
    ],
)
def test_damaged_compression_is_never_fewer_rows(tmp_path: Path, name: str, content: bytes) -> None:
    with pytest.raises(BadRowError, match="the compressed data is damaged"):
        list(rows_of(written(tmp_path, content, name)))


def test_a_line_without_end_is_not_read_into_memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(formats, "MAX_LINE_BYTES", 3 * 1024**2)
    packed = gzip.compress(b'{"a": 1}\n{"a": "' + b"x" * 4 * 1024**2 + b'"}\n')
    with pytest.raises(BadRowError, match="line 2: the line is longer than 3 MB"):
        list(rows_of(written(tmp_path, packed, "rows.jsonl.gz")))


@pytest.mark.parametrize("kind", ["zst", "gz"])
def test_a_file_that_unpacks_to_far_more_is_given_up(tmp_path: Path, kind: str) -> None:
    packer = zstandard.ZstdCompressor().compressobj() if kind == "zst" else zlib.compressobj(1, wbits=31)
    packed = b"".join(packer.compress(b" " * 1024**2) for _ in range(100)) + packer.flush()
    assert len(packed) < 500_000
    tracemalloc.start()
    try:
        with pytest.raises(BadRowError, match="unpacks to more than 200 times its size"):
            list(rows_of(written(tmp_path, packed, f"rows.jsonl.{kind}")))
        _now, peak_bytes = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak_bytes < 200_000_000


def test_rows_are_read_one_at_a_time(tmp_path: Path) -> None:
    rows = rows_of(written(tmp_path, b'{"a": 1}\nbroken\n'))
    assert next(rows) == {"a": 1}
    with pytest.raises(BadRowError):
        next(rows)


finite = st.floats(allow_nan=False, allow_infinity=False)
json_values = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | finite | st.text(),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.text(), inner, max_size=2),
    max_leaves=4,
)


@settings(max_examples=40)
@given(rows=st.lists(st.dictionaries(st.text(), json_values, max_size=3), max_size=3))
def test_what_was_written_comes_back(
    tmp_path_factory: pytest.TempPathFactory, rows: list[dict[str, object]]
) -> None:
    path = tmp_path_factory.getbasetemp() / "round.jsonl"
    path.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), encoding="utf-8")
    assert list(rows_of(path)) == rows


def test_parquet_comes_in_row_groups_and_keeps_nested_values(tmp_path: Path) -> None:
    path = tmp_path / "rows.parquet"
    table = pa.table(
        {
            "id": list(range(1000)),
            "options": [["a", "b"]] * 1000,
            "meta": [{"x": 1, "y": None}] * 1000,
            "seen": [datetime.date(2025, 1, 1)] * 1000,
            "picture": [{"bytes": b"\x89PNG", "path": None}] * 1000,
        }
    )
    pq.write_table(table, path, row_group_size=300)
    rows = list(rows_of(path))
    assert [row["id"] for row in rows] == list(range(1000))
    assert rows[0] == {"id": 0, "options": ["a", "b"], "meta": {"x": 1, "y": None}}


def test_a_file_that_is_not_parquet_is_named(tmp_path: Path) -> None:
    with pytest.raises(BadRowError, match=r"rows\.parquet, line 1: not readable as Parquet"):
        list(rows_of(written(tmp_path, LINES * 10, "rows.parquet")))


def test_parquet_without_pyarrow_names_the_extra(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(MissingExtraError, match=r"reading Parquet.*assay-benchmarks\[hub\]"):
        list(rows_of(written(tmp_path, b"", "rows.parquet")))


@pytest.mark.parametrize(
    "name", ["rows.tsv", "rows.pkl", "rows.py", "rows.gz", "rows", "rows.jsonl.bak", "rows.npz"]
)
def test_other_formats_are_not_read(name: str) -> None:
    assert format_of(Path(name)) is None
